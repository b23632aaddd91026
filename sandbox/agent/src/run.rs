//! One run, from the warm interpreter to its end, in one thread: whatever can happen is waited
//! for in one place.
//!
//! Must never wait for anything that the program could withhold.

use crate::capped::{Capped, DISCARDED_BYTES_MAX};
use crate::deadline::Deadline;
use crate::files::{Arrivals, Leaving, WORKSPACE};
use crate::interpreter::{Interpreter, unblock};
use crate::memory;
use crate::outbox::Outbox;
use crate::proxy::Proxy;
use crate::tree::{self, Exit};
use crate::waiting::{Stream, Waiting};
use nix::errno::Errno;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use regate_agent::{Decoder, End, Frame, Kind, Ready, Start, VERSION};
use std::fs::File;
use std::io::{Error, ErrorKind, Result, Stdin, stdin};
use std::os::fd::AsFd;
use std::process::{ChildStderr, ChildStdout};
use std::time::{Duration, Instant};

/// SIGKILL, as the end of a program that wrote too much.
const KILLED: i32 = Signal::SIGKILL as i32;
const PIECE_BYTES: usize = 64 << 10;
/// How long the gateway may take to hear how a program ended: longer than it waits itself. Where
/// the engine died, nobody reads, and no stream ends either.
const LAST_WORDS_MAX: Duration = Duration::from_secs(60);
/// How long the agent stays when all is said: to clear a container away costs the host several
/// times what a small program does, and the gateway chooses when.
const REST_MAX: Duration = Duration::from_secs(10);

pub(crate) struct Run {
    interpreter: Interpreter,
    stdout: Capped<ChildStdout>,
    stderr: Capped<ChildStderr>,
    events: Capped<File>,
    control: Stdin,
    frames: Decoder,
    outbox: Outbox,
    children: SignalFd,
    started: Option<Start>,
    source: Vec<u8>,
    arrivals: Arrivals,
    handed: usize,
    going: Option<Going>,
    proxy: Proxy,
    /// Until when it may wait for its program, then run it, then say how that ended.
    deadline: Deadline,
}

/// A program that runs.
struct Going {
    since: Instant,
    /// Processes killed for want of memory before it began.
    kills: Option<u64>,
    /// CPU time that the interpreter had used before it began.
    cpu_ms: u64,
}

impl Run {
    /// Starts the interpreter, which waits so long for its program at most.
    pub(crate) fn begin(wait: Duration, modules: &[String]) -> Result<Self> {
        let mut signals = SigSet::empty();
        signals.add(Signal::SIGCHLD);
        signals.thread_block()?;
        let children =
            SignalFd::with_flags(&signals, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?;
        let control = stdin();
        unblock(&control)?;
        let mut interpreter = Interpreter::start(modules)?;
        Ok(Self {
            stdout: Capped::new(interpreter.stdout.take()),
            stderr: Capped::new(interpreter.stderr.take()),
            events: Capped::new(None),
            interpreter,
            control,
            frames: Decoder::default(),
            outbox: Outbox::new()?,
            children,
            started: None,
            source: Vec::new(),
            arrivals: Arrivals::into_folder(WORKSPACE),
            handed: 0,
            going: None,
            proxy: Proxy::default(),
            deadline: Deadline::after(wait),
        })
    }

    /// Leads it to its end.
    pub(crate) fn lead(mut self) -> Result<()> {
        let end = self.until_it_ends()?;
        self.last_words(&end)
    }

    fn until_it_ends(&mut self) -> Result<End> {
        loop {
            let woken = self.waiting().wait(self.deadline.patience())?;
            for stream in &woken {
                self.attend(*stream)?;
            }
            self.outbox.flush()?;
            if let Some(end) = self.end(&woken) {
                return Ok(end);
            }
            if self.deadline.is_over() {
                return Err(ErrorKind::TimedOut.into());
            }
        }
    }

    /// Does what can be done with a stream now.
    fn attend(&mut self, stream: Stream) -> Result<()> {
        match stream {
            Stream::Control => self.hear_control()?,
            Stream::Report => self.hear_report()?,
            Stream::Source => self.hand_over(),
            Stream::Stdout => {
                let piece = self.stdout.read();
                self.tell(Kind::Stdout, &piece);
            }
            Stream::Stderr => {
                let piece = self.stderr.read();
                self.tell(Kind::Stderr, &piece);
            }
            Stream::Events => {
                let piece = self.events.read();
                self.tell(Kind::Event, &piece);
            }
            Stream::Proxy(spot) => self.proxy.attend(spot, &mut self.outbox)?,
            // Both are looked after whenever the agent wakes.
            Stream::Outbox | Stream::Children => {}
        }
        Ok(())
    }

    /// All that something can be done with.
    fn waiting(&self) -> Waiting<'_> {
        let mut waiting = Waiting::default();
        waiting.for_reading(Stream::Control, self.control.as_fd());
        waiting.for_reading(Stream::Children, self.children.as_fd());
        if !self.outbox.is_empty() {
            waiting.for_writing(Stream::Outbox, self.outbox.stream());
        }
        if let Some(report) = &self.interpreter.report {
            waiting.for_reading(Stream::Report, report.as_fd());
        }
        if let (Some(source), true) = (&self.interpreter.source, self.going.is_some()) {
            waiting.for_writing(Stream::Source, source.as_fd());
        }
        let has_room = self.outbox.has_room();
        if let Some(events) = self.events.stream().filter(|_| has_room) {
            waiting.for_reading(Stream::Events, events.as_fd());
        }
        if let Some(stdout) = self.stdout.stream().filter(|_| has_room) {
            waiting.for_reading(Stream::Stdout, stdout.as_fd());
        }
        if let Some(stderr) = self.stderr.stream().filter(|_| has_room) {
            waiting.for_reading(Stream::Stderr, stderr.as_fd());
        }
        self.proxy.wait(&mut waiting, &self.outbox);
        waiting
    }

    /// The interpreter says one word, when it is ready.
    fn hear_report(&mut self) -> Result<()> {
        let mut word = [0; 1];
        let Some(report) = &self.interpreter.report else { return Ok(()) };
        match nix::unistd::read(report, &mut word) {
            Err(Errno::EAGAIN | Errno::EINTR) => return Ok(()),
            Ok(1) => {}
            Ok(_) | Err(_) => return Err(ErrorKind::BrokenPipe.into()),
        }
        self.events = Capped::new(self.interpreter.report.take());
        self.outbox.put(Kind::Ready, &serde_json::to_vec(&Ready { version: VERSION })?);
        Ok(())
    }

    /// What the gateway says. The end of its stream, or what is not understood, ends everything.
    fn hear_control(&mut self) -> Result<()> {
        let mut piece = vec![0; PIECE_BYTES];
        match nix::unistd::read(&self.control, &mut piece) {
            Err(Errno::EAGAIN | Errno::EINTR) => return Ok(()),
            Ok(count) if count > 0 => piece.truncate(count),
            Ok(_) | Err(_) => return Err(ErrorKind::ConnectionAborted.into()),
        }
        self.frames.push(&piece);
        while let Some(frame) = self.frames.next_frame().map_err(Error::other)? {
            self.obey(frame)?;
        }
        Ok(())
    }

    fn obey(&mut self, frame: Frame) -> Result<()> {
        match (frame.kind, &self.started, self.going.is_some()) {
            (Kind::Start, None, false) => {
                let start: Start = serde_json::from_slice(&frame.payload)?;
                if start.version != VERSION {
                    return Err(ErrorKind::Unsupported.into());
                }
                self.stdout.allow(start.output_bytes_max);
                self.stderr.allow(start.output_bytes_max);
                self.events.allow(start.event_bytes_max);
                if let Some(connections) = start.connections {
                    self.proxy = Proxy::open(connections)?;
                }
                self.arrivals.expect(start.files_in);
                self.started = Some(start);
                self.tell_taken()
            }
            (Kind::FileHead | Kind::FilePiece | Kind::Source, Some(_), false) => {
                self.receive(&frame)
            }
            (Kind::Go, Some(start), false) if self.is_whole() => {
                let since = Instant::now();
                self.deadline = Deadline::after(Duration::from_millis(start.wall_ms));
                let cpu_ms = tree::cpu_ms_of(self.interpreter.pid());
                self.going = Some(Going { since, kills: memory::kills(), cpu_ms });
                let address = self.proxy.address();
                let head = [start.watch.as_bytes(), address.as_bytes()];
                let mut handed = Vec::new();
                for text in head.into_iter().chain([&*self.source]) {
                    let length = u32::try_from(text.len()).map_err(Error::other)?;
                    handed.extend_from_slice(&length.to_be_bytes());
                    handed.extend_from_slice(text);
                }
                self.source = handed;
                Ok(())
            }
            (Kind::Answer | Kind::Data | Kind::Window | Kind::Close, _, true) => {
                self.proxy.hear(&frame, &mut self.outbox)
            }
            _ => Err(ErrorKind::InvalidInput.into()),
        }
    }

    /// A piece of what is handed in.
    fn receive(&mut self, Frame { kind, payload }: &Frame) -> Result<()> {
        if self.is_whole() {
            return Err(ErrorKind::InvalidInput.into());
        }
        if *kind == Kind::FileHead {
            self.arrivals.begin(serde_json::from_slice(payload)?)?;
        } else if *kind == Kind::FilePiece {
            self.arrivals.take(payload)?;
        } else {
            self.source.extend_from_slice(payload);
        }
        self.tell_taken()
    }

    /// Whether the text and the files are all there, and no more than that.
    fn is_whole(&self) -> bool {
        let started = self.started.as_ref();
        let source_bytes = started.map(|start| start.source_bytes);
        source_bytes == Some(self.source.len() as u64) && self.arrivals.are_whole()
    }

    /// The gateway is told once nothing is lacking: whatever comes before `Go` then is too much.
    fn tell_taken(&mut self) -> Result<()> {
        let source_bytes = self.started.as_ref().map_or(0, |start| start.source_bytes);
        if self.source.len() as u64 > source_bytes {
            return Err(ErrorKind::FileTooLarge.into());
        }
        if self.is_whole() {
            self.outbox.put(Kind::Taken, &[]);
        }
        Ok(())
    }

    /// Hands the program over, as far as the interpreter takes it.
    fn hand_over(&mut self) {
        let Some(stream) = &self.interpreter.source else { return };
        let rest = self.source.get(self.handed..).unwrap_or_default();
        match nix::unistd::write(stream, rest) {
            Ok(count) => self.handed += count,
            Err(Errno::EAGAIN | Errno::EINTR) => return,
            // It ended before it had read all; what became of it is told by its end.
            Err(_) => self.handed = self.source.len(),
        }
        if self.handed == self.source.len() {
            self.interpreter.source = None;
        }
    }

    fn tell(&mut self, kind: Kind, piece: &[u8]) {
        if !piece.is_empty() {
            self.outbox.put(kind, piece);
        }
    }

    /// How it ended, once it has, or is made to.
    fn end(&mut self, woken: &[Stream]) -> Option<End> {
        if woken.contains(&Stream::Children) {
            while matches!(self.children.read_signal(), Ok(Some(_))) {}
            if let Some(exit) = tree::reap(self.interpreter.pid()) {
                tree::fell(self.interpreter.pid());
                return Some(self.told(exit));
            }
        }
        if self.going.is_some() && self.deadline.is_over() {
            let exit = tree::fell(self.interpreter.pid()).unwrap_or(Exit::Signal(KILLED));
            return Some(End { timed_out: true, ..self.told(exit) });
        }
        let discarded =
            [self.stdout.discarded_bytes, self.stderr.discarded_bytes, self.events.discarded_bytes];
        let discarded = discarded.into_iter().fold(0, u64::saturating_add);
        (discarded > DISCARDED_BYTES_MAX).then(|| {
            let exit = tree::fell(self.interpreter.pid()).unwrap_or(Exit::Signal(KILLED));
            self.told(exit)
        })
    }

    fn told(&self, exit: Exit) -> End {
        let (exit_code, signal) = match exit {
            Exit::Code(code) => (Some(code), None),
            Exit::Signal(signal) => (None, Some(signal)),
        };
        let going = self.going.as_ref();
        let before = going.and_then(|going| going.kills);
        let starved = memory::kills().zip(before).map(|(now, before)| now > before);
        End {
            exit_code,
            signal,
            timed_out: false,
            out_of_memory: starved.map(|starved| starved && signal == Some(KILLED)),
            truncated: false,
            events_cut: false,
            files_cut: false,
            files_left: 0,
            cpu_ms: tree::cpu_ms().saturating_sub(going.map_or(0, |going| going.cpu_ms)),
            memory_peak_bytes: memory::peak_bytes(),
            wall_ms: going
                .and_then(|going| u64::try_from(going.since.elapsed().as_millis()).ok())
                .unwrap_or(0),
            token: String::new(),
        }
    }

    /// Everyone is gone: what is left in their pipes, and how it ended.
    fn last_words(mut self, end: &End) -> Result<()> {
        self.deadline = Deadline::after(LAST_WORDS_MAX);
        while self.is_told_more() {
            while self.outbox.has_room() && self.is_told_more() {
                for stream in [Stream::Stdout, Stream::Stderr, Stream::Events] {
                    self.attend(stream)?;
                }
            }
            self.drain()?;
        }
        let truncated = self.stdout.discarded_bytes > 0 || self.stderr.discarded_bytes > 0;
        let events_cut = self.events.discarded_bytes > 0;
        let (files_cut, files_left) = self.take_files_out()?;
        let token = self.started.as_ref().map(|start| start.token.clone()).unwrap_or_default();
        let end = End { truncated, events_cut, files_cut, files_left, token, ..end.clone() };
        self.outbox.put(Kind::End, &serde_json::to_vec(&end)?);
        while !self.outbox.is_empty() {
            self.drain()?;
        }
        self.rest()
    }

    /// Stays until the gateway's stream ends, whatever is said on it.
    fn rest(&self) -> Result<()> {
        let deadline = Deadline::after(REST_MAX);
        let mut unheard = [0; 512];
        while !deadline.is_over() {
            match nix::unistd::read(&self.control, &mut unheard) {
                Ok(0) => return Ok(()),
                Ok(_) | Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => {
                    let mut waiting = Waiting::default();
                    waiting.for_reading(Stream::Control, self.control.as_fd());
                    waiting.wait(deadline.patience())?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Whether there may be more files, and how many things were left.
    fn take_files_out(&mut self) -> Result<(bool, u64)> {
        let max = self.started.as_ref().map(|start| start.files_out).unwrap_or_default();
        let mut leaving = Leaving::from_folder(WORKSPACE, max, self.arrivals.known());
        while let Some(frame) = leaving.next().transpose()? {
            self.outbox.put(frame.0, &frame.1);
            while !self.outbox.has_room() {
                self.drain()?;
            }
        }
        Ok((leaving.cut, leaving.left))
    }

    fn is_told_more(&self) -> bool {
        self.stdout.stream().is_some()
            || self.stderr.stream().is_some()
            || self.events.stream().is_some()
    }

    /// Waits until the gateway takes more, or has gone.
    fn drain(&mut self) -> Result<()> {
        if self.deadline.is_over() {
            return Err(ErrorKind::TimedOut.into());
        }
        let mut waiting = Waiting::default();
        waiting.for_end(Stream::Control, self.control.as_fd());
        waiting.for_writing(Stream::Outbox, self.outbox.stream());
        waiting.wait(self.deadline.patience())?;
        self.outbox.flush()
    }
}
