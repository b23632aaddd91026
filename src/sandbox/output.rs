//! What a program wrote, kept up to a cap.
//!
//! Must never keep more than the cap, however much comes.

use std::ops::ControlFlow;

/// What is read and thrown away of one run, beyond the caps, before its program is stopped. A
/// program may print too much and still be allowed to end; one that prints without end would
/// keep the engine busy outside every quota.
const DISCARDED_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Both streams of one run.
#[derive(Debug)]
pub(super) struct Output {
    bytes_max: usize,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    discarded_bytes: u64,
}

/// One of a program's two streams.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stream {
    Stdout,
    Stderr,
}

impl Output {
    /// Keeps this many bytes of each stream.
    pub(super) fn new(bytes_max: u64) -> Self {
        Self {
            bytes_max: usize::try_from(bytes_max).unwrap_or(usize::MAX),
            stdout: Vec::new(),
            stderr: Vec::new(),
            discarded_bytes: 0,
        }
    }

    /// Takes what came. Breaks where so much was thrown away that no more should come.
    pub(super) fn take(&mut self, stream: Stream, bytes: &[u8]) -> ControlFlow<()> {
        let kept = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        let room = self.bytes_max.saturating_sub(kept.len());
        let (fits, rest) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
        kept.extend_from_slice(fits);
        let discarded = u64::try_from(rest.len()).unwrap_or(u64::MAX);
        self.discarded_bytes = self.discarded_bytes.saturating_add(discarded);
        if self.discarded_bytes > DISCARDED_BYTES_MAX {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Whether anything was thrown away.
    pub(super) fn truncated(&self) -> bool {
        self.discarded_bytes > 0
    }

    /// stdout, as UTF-8 with replacement characters where it was not.
    pub(super) fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// stderr, likewise.
    pub(super) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}
