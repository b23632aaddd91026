//! What a program wrote, as the agent hands it out.
//!
//! Must never keep more than the cap, whatever the agent sends.

mod observed;
mod taken;
#[cfg(test)]
mod tests;

pub(super) use taken::Taken;

use crate::facts::drift::Event;

/// How much of what a program was seen to do is taken, in bytes.
pub(super) const EVENT_BYTES_MAX: u64 = 1 << 20;

/// What came of one run.
#[derive(Debug)]
pub(super) struct Output {
    bytes_max: usize,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    events: Vec<u8>,
}

/// A program's two streams, and the observer's.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stream {
    Stdout,
    Stderr,
    Events,
}

/// More came of a stream than the agent may hand out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Overflow;

impl Output {
    /// Takes this many bytes of each stream.
    pub(super) fn new(bytes_max: u64) -> Self {
        Self {
            bytes_max: whole(bytes_max),
            stdout: Vec::new(),
            stderr: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Takes what came.
    ///
    /// # Errors
    /// Where it is more than may come. Nothing of it is kept.
    pub(super) fn take(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), Overflow> {
        let (kept, bytes_max) = match stream {
            Stream::Stdout => (&mut self.stdout, self.bytes_max),
            Stream::Stderr => (&mut self.stderr, self.bytes_max),
            Stream::Events => (&mut self.events, whole(EVENT_BYTES_MAX)),
        };
        if bytes.len() > bytes_max.saturating_sub(kept.len()) {
            return Err(Overflow);
        }
        kept.extend_from_slice(bytes);
        Ok(())
    }

    /// stdout and stderr, as UTF-8 with replacement characters where they were not, and the
    /// events.
    pub(super) fn read(self) -> (String, String, Vec<Event>) {
        (text(self.stdout), text(self.stderr), observed::read(&self.events))
    }
}

fn whole(bytes_max: u64) -> usize {
    usize::try_from(bytes_max).unwrap_or(usize::MAX)
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
