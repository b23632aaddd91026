//! One connection, from the program's end of it to the frames.
//!
//! Must never read more of the program than the gateway has room for, nor keep more for it than
//! was granted.

use super::head::{self, HEAD_BYTES_MAX, Wanted};
use super::tell_gone;
use crate::outbox::Outbox;
use regate_agent::{Close, Data, Refused, Side, WINDOW_BYTES, Way, Window};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};

const ESTABLISHED: &[u8] = b"HTTP/1.1 200 Connection established\r\n\r\n";
const PIECE_BYTES: usize = 64 << 10;

/// Whether anything more is to be done with a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    Goes,
    Over,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It has not said what it wants.
    Heading,
    /// The gateway is asked.
    Asked(Way),
    Open,
    /// What is left is written, and then it is over.
    Leaving,
}

pub(crate) struct Client {
    stream: TcpStream,
    stage: Stage,
    number: Option<u32>,
    /// What the program said before its connection was open.
    said: Vec<u8>,
    /// How much more may be sent to the gateway.
    credit: u32,
    /// What the program has to take, and how much of it did.
    pending: Vec<u8>,
    taken: usize,
    /// How much of what is pending is the proxy's own word, which no window counts.
    own_bytes: usize,
    program_ended: bool,
    gateway_ended: bool,
}

impl Client {
    pub(crate) fn new(stream: TcpStream) -> Result<Self> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            stage: Stage::Heading,
            number: None,
            said: Vec::new(),
            credit: WINDOW_BYTES,
            pending: Vec::new(),
            taken: 0,
            own_bytes: 0,
            program_ended: false,
            gateway_ended: false,
        })
    }

    pub(crate) fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    /// The number of its connection, once that was asked for.
    pub(crate) fn number(&self) -> Option<u32> {
        self.number
    }

    /// Whether it is to be read from.
    pub(crate) fn listens(&self) -> bool {
        match self.stage {
            Stage::Heading => true,
            Stage::Open => !self.program_ended && self.credit > 0,
            Stage::Asked(_) | Stage::Leaving => false,
        }
    }

    /// Whether there is something for it to take.
    pub(crate) fn has_more(&self) -> bool {
        self.taken < self.pending.len()
    }

    pub(crate) fn life(&self) -> Life {
        let ended = self.program_ended && self.gateway_ended || self.stage == Stage::Leaving;
        if ended && !self.has_more() { Life::Over } else { Life::Goes }
    }

    /// Reads what the program sends, and sends it on.
    pub(crate) fn read(&mut self, outbox: &mut Outbox) -> Life {
        let room = match self.stage {
            Stage::Heading => HEAD_BYTES_MAX.saturating_sub(self.said.len()),
            Stage::Open | Stage::Asked(_) | Stage::Leaving => self.credit as usize,
        };
        let mut piece = vec![0; room.min(PIECE_BYTES)];
        match self.stream.read(&mut piece) {
            Err(error) if is_nothing(&error) => return Life::Goes,
            Ok(count) if count > 0 => piece.truncate(count),
            Ok(_) if self.stage == Stage::Open => return self.end(outbox),
            Ok(_) | Err(_) => {
                tell_gone(self.number, outbox);
                return Life::Over;
            }
        }
        match self.stage {
            Stage::Heading => self.said.extend_from_slice(&piece),
            Stage::Open | Stage::Asked(_) | Stage::Leaving => self.send(&piece, outbox),
        }
        Life::Goes
    }

    /// What it wants, once it has said so.
    pub(crate) fn wanted(&self) -> std::result::Result<Option<Wanted>, Refused> {
        if self.stage == Stage::Heading { head::read(&self.said) } else { Ok(None) }
    }

    /// Its connection was asked for; of what it said, so much was for the proxy alone.
    pub(crate) fn is_asked_for(&mut self, number: u32, way: Way, head_bytes: usize) {
        self.number = Some(number);
        self.stage = Stage::Asked(way);
        self.said.drain(..head_bytes);
    }

    /// The gateway has decided.
    pub(crate) fn is_answered(&mut self, refused: Option<Refused>, outbox: &mut Outbox) {
        let Stage::Asked(way) = self.stage else { return };
        if let Some(refused) = refused {
            self.number = None;
            return self.refuse(refused);
        }
        self.stage = Stage::Open;
        if way == Way::Tunnel {
            self.say(ESTABLISHED);
        }
        let said = std::mem::take(&mut self.said);
        self.send(&said, outbox);
    }

    /// Tells the program why it gets no connection.
    pub(crate) fn refuse(&mut self, refused: Refused) {
        self.say(&refused.response());
        self.stage = Stage::Leaving;
    }

    /// Takes what the other end sent.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Result<()> {
        let waiting = (self.pending.len() - self.taken).saturating_sub(self.own_bytes);
        if waiting + bytes.len() > WINDOW_BYTES as usize {
            return Err(ErrorKind::InvalidData.into());
        }
        if self.stage == Stage::Open {
            self.pending.extend_from_slice(bytes);
        }
        Ok(())
    }

    pub(crate) fn may_send(&mut self, bytes: u32) -> Result<()> {
        let credit = self.credit.checked_add(bytes).filter(|credit| *credit <= WINDOW_BYTES);
        self.credit = credit.ok_or(ErrorKind::InvalidData)?;
        Ok(())
    }

    pub(crate) fn is_closed(&mut self, side: Side) {
        match side {
            Side::Sending => self.gateway_ended = true,
            Side::Both => self.stage = Stage::Leaving,
        }
    }

    /// Writes what the program takes now, and grants as much again.
    pub(crate) fn write(&mut self, outbox: &mut Outbox) {
        let mut granted = 0;
        while let Some(rest) = self.pending.get(self.taken..).filter(|rest| !rest.is_empty()) {
            match self.stream.write(rest) {
                Ok(count) => {
                    self.taken += count;
                    let own = self.own_bytes.min(count);
                    self.own_bytes -= own;
                    granted += count - own;
                }
                Err(error) if is_nothing(&error) => break,
                Err(_) => return self.is_lost(outbox),
            }
        }
        self.pending.drain(..self.taken);
        self.taken = 0;
        if let (Some(number), Stage::Open, 1..) = (self.number, self.stage, granted) {
            let bytes = u32::try_from(granted).unwrap_or(WINDOW_BYTES);
            Window { number, bytes }.put(outbox.frames());
        }
        if self.gateway_ended && !self.has_more() {
            // Where it has gone already, there is nobody to tell.
            let _ = self.stream.shutdown(Shutdown::Write);
        }
    }

    /// The program sends no more.
    fn end(&mut self, outbox: &mut Outbox) -> Life {
        self.program_ended = true;
        if let Some(number) = self.number {
            Close { number, side: Side::Sending }.put(outbox.frames());
        }
        self.life()
    }

    /// The program takes no more.
    fn is_lost(&mut self, outbox: &mut Outbox) {
        if self.stage != Stage::Leaving {
            tell_gone(self.number, outbox);
        }
        self.stage = Stage::Leaving;
        self.pending.clear();
        self.taken = 0;
    }

    fn say(&mut self, words: &[u8]) {
        self.pending.extend_from_slice(words);
        self.own_bytes += words.len();
    }

    fn send(&mut self, bytes: &[u8], outbox: &mut Outbox) {
        if let (Some(number), false) = (self.number, bytes.is_empty()) {
            self.credit =
                self.credit.saturating_sub(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
            Data { number, bytes }.put(outbox.frames());
        }
    }
}

fn is_nothing(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
