//! What a program wrote, as the agent hands it out.
//!
//! Must never keep more than the cap, whatever the agent sends.

/// Both streams of one run.
#[derive(Debug)]
pub(super) struct Output {
    bytes_max: usize,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

/// One of a program's two streams.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stream {
    Stdout,
    Stderr,
}

/// More came of a stream than the agent may hand out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Overflow;

impl Output {
    /// Takes this many bytes of each stream.
    pub(super) fn new(bytes_max: u64) -> Self {
        Self {
            bytes_max: usize::try_from(bytes_max).unwrap_or(usize::MAX),
            stdout: Vec::new(),
            stderr: Vec::new(),
        }
    }

    /// Takes what came.
    ///
    /// # Errors
    /// Where it is more than may come. Nothing of it is kept.
    pub(super) fn take(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), Overflow> {
        let kept = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        if bytes.len() > self.bytes_max.saturating_sub(kept.len()) {
            return Err(Overflow);
        }
        kept.extend_from_slice(bytes);
        Ok(())
    }

    /// stdout and stderr, as UTF-8 with replacement characters where they were not.
    pub(super) fn texts(self) -> (String, String) {
        (text(self.stdout), text(self.stderr))
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
