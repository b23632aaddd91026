//! The life of one container: it is made, waits for its one program, runs it, is removed.
//!
//! Must never be forgotten: whoever stops waiting, the container goes.

use super::chores::Chores;
use super::container::{self, Shape};
use super::conversation::{Broken, Conversation};
use super::egress::Egress;
use super::engine::{Collapse, Engine};
use super::output::{EVENT_BYTES_MAX, Output, Taken};
use super::register::Entry;
use super::workspace::{Files, Given};
use super::{End, Error, Program, Run, Settings};
use crate::policy::{Profile, Runtime};
use regate_agent::{Start, VERSION};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout};
use tracing::Instrument;

/// As which the end of all that ran is told, where nothing else is known of it.
const SIGKILL: i32 = 9;

/// How long the engine may be behind the end of a container's stream.
const COLLAPSE_PAUSES: [Duration; 4] = [
    Duration::from_millis(20),
    Duration::from_millis(100),
    Duration::from_millis(400),
    Duration::from_secs(2),
];

/// An engine that does not remove a container at once is asked again, then left to the sweep.
const REMOVAL_PAUSES: [Duration; 3] =
    [Duration::from_millis(200), Duration::from_secs(1), Duration::from_secs(5)];

/// How long a container may take to end by itself before it is removed all the same.
const END_MAX: Duration = Duration::from_secs(1);

/// What the agent is given beyond a program's time to say how it ended.
const AGENT_GRACE: Duration = Duration::from_secs(2);

/// A container that waits for its program.
#[derive(Debug)]
pub(super) struct Warm {
    conversation: Conversation,
    /// When it was ready.
    pub(super) since: Instant,
    hold: Hold,
}

/// A container that has its program, which does not run yet.
#[derive(Debug)]
pub(super) struct Loaded {
    conversation: Conversation,
    hold: Hold,
    start: Start,
    cpu_milli: u32,
    runtime: Runtime,
}

/// The container that a name stands for, whether it is there yet or not. Dropping it removes the
/// container.
#[derive(Debug)]
pub(super) struct Hold {
    engine: Engine,
    /// Nothing once it is being removed.
    remains: Option<Remains>,
}

/// What lasts until a container is gone.
#[derive(Debug)]
struct Remains {
    entry: Entry,
    _room: OwnedSemaphorePermit,
    making: Making,
    chores: Arc<Chores>,
}

/// What is known of the engine's answer to the order to make a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Making {
    /// It has answered, or was not asked.
    Answered,
    /// It may still make the container, later.
    Unanswered,
}

impl Hold {
    /// Holds what will be made under this name, in a room that is free.
    pub(super) fn new(
        engine: Engine,
        entry: Entry,
        room: OwnedSemaphorePermit,
        chores: Arc<Chores>,
    ) -> Self {
        let remains = Remains { entry, _room: room, making: Making::Answered, chores };
        Self { engine, remains: Some(remains) }
    }

    /// Makes it, and waits until its interpreter is ready.
    pub(super) async fn make(mut self, settings: &Settings, shape: &Shape) -> Result<Warm, Error> {
        let body = container::body(settings, shape);
        // Whoever gives up in the middle leaves a container that is not there yet.
        self.note(Making::Unanswered);
        let created = self.engine.create(self.name(), body).await;
        if !matches!(created, Err(Error::Timeout(_))) {
            self.note(Making::Answered);
        }
        created?;
        // Before it starts: what it says first would be lost.
        let attached = self.engine.attach(self.name()).await?;
        self.engine.start(self.name()).await?;
        let mut conversation = Conversation::new(attached);
        match timeout(self.engine.patience(), conversation.hear_ready()).await {
            Ok(Ok(())) => Ok(Warm { conversation, since: Instant::now(), hold: self }),
            Ok(Err(broken)) => Err(Error::Agent(broken.to_string())),
            Err(_) => Err(Error::Timeout("ready")),
        }
    }

    fn name(&self) -> &str {
        self.remains.as_ref().map_or("", |remains| remains.entry.name())
    }

    /// Has the container removed in which nothing is left but its agent, when there is time.
    fn rest(mut self, conversation: Conversation) {
        let Some(remains) = self.remains.take() else { return };
        let engine = self.engine.clone();
        let rests = async move {
            let chores = Arc::clone(&remains.chores);
            let _turn = chores.turn().await;
            drop(timeout(END_MAX, conversation.end()).await);
            remove(engine, remains).await;
        };
        tokio::spawn(rests.in_current_span());
    }

    fn note(&mut self, making: Making) {
        if let Some(remains) = &mut self.remains {
            remains.making = making;
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // Without a runtime the process ends, and the next start sweeps.
        if let (Some(remains), Ok(runtime)) = (self.remains.take(), Handle::try_current()) {
            runtime.spawn(remove(self.engine.clone(), remains).in_current_span());
        }
    }
}

impl Warm {
    /// Whether a program can be given to it.
    pub(super) fn is_alive(&mut self) -> bool {
        self.conversation.is_quiet()
    }

    /// Hands the one program in. Where that fails the container is removed, and nothing was run.
    pub(super) async fn load(
        mut self,
        profile: &Profile,
        program: Program<'_>,
        egress: Option<&Egress>,
    ) -> Result<Loaded, Error> {
        let source = &*program.source.shared();
        let start = Start {
            version: VERSION,
            wall_ms: profile.wall_ms,
            output_bytes_max: profile.output_bytes_max,
            event_bytes_max: EVENT_BYTES_MAX,
            watch: program.watch.to_owned(),
            source_bytes: source.len() as u64,
            connections: egress.map(Egress::bounds),
            files_in: u32::try_from(program.files.len()).unwrap_or(u32::MAX),
            files_out: program.files_max,
            token: uuid::Uuid::new_v4().to_string(),
        };
        let patience = self.hold.engine.patience();
        match timeout(patience, self.conversation.hand_in(&start, source, program.files)).await {
            Ok(Ok(())) => Ok(Loaded {
                conversation: self.conversation,
                hold: self.hold,
                start,
                cpu_milli: profile.cpu_milli,
                runtime: profile.runtime,
            }),
            Ok(Err(broken)) => Err(Error::Agent(broken.to_string())),
            Err(_) => Err(Error::Timeout("load")),
        }
    }
}

impl Loaded {
    /// The container's name.
    pub(super) fn name(&self) -> &str {
        self.hold.name()
    }

    /// Runs the program. The container is removed afterwards, and nobody waits for that: at once,
    /// but for one whose agent has said that nothing of the program is left.
    ///
    /// The streams are closed before the engine is asked for anything: it does not answer while
    /// an attached stream waits for its reader (moby 41827).
    pub(super) async fn run(self, files: &[Given], egress: Option<&Egress>) -> Result<Run, Error> {
        let Self { mut conversation, hold, start, cpu_milli, runtime } = self;
        let used = Used { since: Instant::now(), cpu_milli, runtime };
        let mut output = Output::new(start.output_bytes_max);
        let mut taken = Taken::within(start.files_out);
        let time = Duration::from_millis(start.wall_ms.saturating_add(start.files_out.ms_max));
        let told = conversation.run(&start.token, (&mut output, &mut taken), files, egress);
        let told = timeout(time.saturating_add(AGENT_GRACE), told).await;
        match told {
            Ok(Ok(told)) => {
                hold.rest(conversation);
                let files = taken.close(&told, files);
                let files =
                    files.map_err(|broken| Error::BrokenOff(Broken::from(broken).to_string()))?;
                Ok(run(output, files, &told))
            }
            Ok(Err(broken)) => {
                drop(conversation);
                hold.explain(broken, output, used).await
            }
            // The agent ends a program at its time. That it did not say so is no more than a
            // reason to end it here.
            Err(_) => {
                drop(conversation);
                hold.kill().await;
                let told = regate_agent::End { timed_out: true, ..used.told() };
                Ok(run(output, Files::default(), &told))
            }
        }
    }
}

impl Hold {
    /// What became of a program whose agent did not say it.
    async fn explain(&self, broken: Broken, output: Output, used: Used) -> Result<Run, Error> {
        let collapse = match broken {
            Broken::Ended => self.collapse().await,
            Broken::Frame(_)
            | Broken::Turn
            | Broken::Token
            | Broken::Message(_)
            | Broken::Overflow => Some(Collapse::Agent),
            Broken::Stream(_) | Broken::Version(_) => None,
        };
        let told = match (collapse, used.runtime) {
            (Some(Collapse::Memory), _) => {
                regate_agent::End { out_of_memory: Some(true), ..used.told() }
            }
            // Under gVisor a program can write to the agent's streams, and break it. It is killed
            // with its container, and has used what it may have used.
            (Some(Collapse::Kernel), _) | (Some(Collapse::Agent), Runtime::Runsc) => {
                regate_agent::End { signal: Some(SIGKILL), ..used.told() }
            }
            (Some(Collapse::Agent), Runtime::Runc) | (None, _) => {
                return Err(Error::BrokenOff(broken.to_string()));
            }
        };
        Ok(run(output, Files::default(), &told))
    }

    /// The engine hears of a container's end a little later than its stream does, and of none
    /// where it has died itself.
    async fn collapse(&self) -> Option<Collapse> {
        for pause in COLLAPSE_PAUSES {
            let collapse = self.engine.end(self.name()).await.ok()?;
            if collapse.is_some() {
                return collapse;
            }
            tokio::time::sleep(pause).await;
        }
        None
    }

    /// A program that could not be killed now is killed with its container, or by its agent.
    async fn kill(&self) {
        if let Err(error) = self.engine.kill(self.name()).await {
            tracing::warn!(container = self.name(), %error, "a program was not killed");
        }
    }
}

/// What a program may have used of which nobody could say what it used.
#[derive(Debug, Clone, Copy)]
struct Used {
    since: Instant,
    cpu_milli: u32,
    runtime: Runtime,
}

impl Used {
    /// All that its limits let it use in its time: nobody is to gain by it.
    fn told(self) -> regate_agent::End {
        let wall_ms = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        let cpu_ms = wall_ms.saturating_mul(self.cpu_milli.into()) / 1_000;
        regate_agent::End { wall_ms, cpu_ms, ..Default::default() }
    }
}

fn run(output: Output, files: Files, told: &regate_agent::End) -> Run {
    let (stdout, stderr, events) = output.read();
    let end = match (told.timed_out, told.out_of_memory, told.signal, told.exit_code) {
        (true, ..) => End::TimedOut,
        (_, Some(true), ..) => End::OutOfMemory,
        (_, _, Some(signal), _) => End::Signalled(signal.into()),
        (.., code) => End::Exited(code.unwrap_or_default().into()),
    };
    Run {
        stdout,
        stderr,
        truncated: told.truncated,
        end,
        duration_ms: told.wall_ms,
        cpu_ms: told.cpu_ms,
        memory_peak_bytes: told.memory_peak_bytes,
        events,
        events_cut: told.events_cut,
        connections: Vec::new(),
        files,
    }
}

async fn remove(engine: Engine, remains: Remains) {
    if remains.making == Making::Unanswered {
        engine.wait_patiently().await;
    }
    let name = remains.entry.name();
    for pause in REMOVAL_PAUSES {
        if is_removed(&engine, name).await {
            return;
        }
        tokio::time::sleep(pause).await;
    }
    tracing::error!(container = name, "a container is left for the next sweep");
}

async fn is_removed(engine: &Engine, name: &str) -> bool {
    let removed = engine.remove(name).await;
    if let Err(error) = &removed {
        tracing::warn!(container = name, %error, "a container is not removed yet");
    }
    removed.is_ok()
}
