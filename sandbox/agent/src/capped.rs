//! One of the program's two streams, handed out up to a cap.
//!
//! Must never read without end from a program that writes without end.

use nix::errno::Errno;
use std::os::fd::AsFd;

/// What is read and thrown away of both streams, beyond the caps, before the program is stopped. A
/// program may print too much and still be allowed to end.
pub(crate) const DISCARDED_BYTES_MAX: u64 = 64 << 20;

const PIECE_BYTES: usize = 64 << 10;

pub(crate) struct Capped<S> {
    /// Nothing once it has ended.
    stream: Option<S>,
    room: u64,
    pub(crate) discarded_bytes: u64,
}

impl<S: AsFd> Capped<S> {
    pub(crate) fn new(stream: Option<S>) -> Self {
        Self { stream, room: 0, discarded_bytes: 0 }
    }

    /// How much of it is handed out.
    pub(crate) fn allow(&mut self, bytes_max: u64) {
        self.room = bytes_max;
    }

    pub(crate) fn stream(&self) -> Option<&S> {
        self.stream.as_ref()
    }

    /// Reads what is there now; what of it is to be handed out. Whether there may be more is told
    /// by the next poll.
    pub(crate) fn read(&mut self) -> Vec<u8> {
        let mut piece = vec![0; PIECE_BYTES];
        let Some(stream) = &self.stream else { return Vec::new() };
        match nix::unistd::read(stream, &mut piece) {
            Ok(count) if count > 0 => piece.truncate(self.take(count)),
            Err(Errno::EAGAIN | Errno::EINTR) => piece.clear(),
            Ok(_) | Err(_) => {
                self.stream = None;
                piece.clear();
            }
        }
        piece
    }

    /// How many of these bytes are handed out.
    fn take(&mut self, count: usize) -> usize {
        let fits = usize::try_from(self.room).unwrap_or(usize::MAX).min(count);
        self.room -= fits as u64;
        self.discarded_bytes += (count - fits) as u64;
        fits
    }
}
