//! What is on its way to the gateway.
//!
//! Must never hold much more than a full buffer: who writes waits until there is room.

use crate::interpreter::unblock;
use nix::errno::Errno;
use regate_agent::{Kind, encode};
use std::io::{Result, Stdout, stdout};
use std::os::fd::{AsFd, BorrowedFd};

/// Beyond this nothing more is read from the program.
const PENDING_BYTES_MAX: usize = 256 << 10;

pub(crate) struct Outbox {
    stream: Stdout,
    pending: Vec<u8>,
    sent: usize,
}

impl Outbox {
    pub(crate) fn new() -> Result<Self> {
        let stream = stdout();
        unblock(&stream)?;
        Ok(Self { stream, pending: Vec::new(), sent: 0 })
    }

    pub(crate) fn put(&mut self, kind: Kind, payload: &[u8]) {
        encode(kind, payload, self.frames());
    }

    /// Where the next frame is appended.
    pub(crate) fn frames(&mut self) -> &mut Vec<u8> {
        self.pending.drain(..self.sent);
        self.sent = 0;
        &mut self.pending
    }

    pub(crate) fn has_room(&self) -> bool {
        self.pending.len() - self.sent < PENDING_BYTES_MAX
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pending.len() == self.sent
    }

    /// Sends what the stream takes at once.
    pub(crate) fn flush(&mut self) -> Result<()> {
        while let Some(rest) = self.pending.get(self.sent..).filter(|rest| !rest.is_empty()) {
            match nix::unistd::write(&self.stream, rest) {
                Ok(count) => self.sent += count,
                Err(Errno::EAGAIN) => return Ok(()),
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    pub(crate) fn stream(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}
