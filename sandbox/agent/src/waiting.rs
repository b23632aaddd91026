//! The one place where the agent waits, for however many streams there are.
//!
//! Must never be given a stream of which nothing is asked: its end would wake the agent for ever.

use crate::proxy::Spot;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::io::Result;
use std::os::fd::BorrowedFd;

/// What can be waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Control,
    Outbox,
    Children,
    Report,
    Source,
    Stdout,
    Stderr,
    Events,
    Proxy(Spot),
}

/// What is waited for now.
#[derive(Default)]
pub(crate) struct Waiting<'a> {
    asked: Vec<PollFd<'a>>,
    streams: Vec<Stream>,
}

impl<'a> Waiting<'a> {
    pub(crate) fn for_reading(&mut self, stream: Stream, descriptor: BorrowedFd<'a>) {
        self.ask(stream, descriptor, PollFlags::POLLIN);
    }

    pub(crate) fn for_writing(&mut self, stream: Stream, descriptor: BorrowedFd<'a>) {
        self.ask(stream, descriptor, PollFlags::POLLOUT);
    }

    /// Only for the end of a stream.
    pub(crate) fn for_end(&mut self, stream: Stream, descriptor: BorrowedFd<'a>) {
        self.ask(stream, descriptor, PollFlags::empty());
    }

    fn ask(&mut self, stream: Stream, descriptor: BorrowedFd<'a>, flags: PollFlags) {
        self.asked.push(PollFd::new(descriptor, flags));
        self.streams.push(stream);
    }

    /// Waits until something can be done, or this time is over: which streams it is.
    pub(crate) fn wait(mut self, time: PollTimeout) -> Result<Vec<Stream>> {
        match poll(&mut self.asked, time) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        let woken = |asked: &PollFd<'_>| asked.revents().is_some_and(|events| !events.is_empty());
        let streams = self.asked.iter().zip(self.streams);
        Ok(streams.filter(|(asked, _)| woken(asked)).map(|(_, stream)| stream).collect())
    }
}
