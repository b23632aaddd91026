//! Standard output and standard error, written so that a reader that goes away is no error.

use crate::telemetry::Colour;
use anyhow::Context;
use std::io::{self, IsTerminal, Write};

/// Where a command prints.
#[derive(Debug)]
pub(super) struct Output {
    out: io::Stdout,
    failed: Option<io::Error>,
}

impl Output {
    pub(super) fn standard() -> Self {
        Self { out: io::stdout(), failed: None }
    }

    /// One line for whoever asked.
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        if let Err(error) = writeln!(self, "{}", text.as_ref()) {
            self.failed.get_or_insert(error);
        }
    }

    /// Whether all that was printed has come where it was meant to come: a full disk must not
    /// look like a short answer. A closed pipe is the reader's choice: `regate … | head`.
    pub(super) fn finish(mut self) -> anyhow::Result<()> {
        let flushed = self.flush();
        self.failed.map_or(flushed, Err).context("standard output")
    }

    /// What went wrong, with its causes.
    pub(super) fn error(error: &anyhow::Error) {
        Self::aside(&format!("error: {error:#}"));
    }

    /// One line for the person, on standard error, apart from what may go to a file.
    pub(super) fn aside(text: &str) {
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// Whether what is shown to that person may be coloured.
    pub(super) fn colour() -> Colour {
        if Self::watched() { Colour::Coloured } else { Colour::Plain }
    }

    /// Whether a person is looking at standard error, where progress and logs are shown.
    pub(super) fn watched() -> bool {
        io::stderr().is_terminal()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        unless_closed(self.out.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        unless_closed(self.out.flush(), ())
    }
}

/// A pipe that its reader closed takes all.
fn unless_closed<T>(written: io::Result<T>, all: T) -> io::Result<T> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(all),
        written => written,
    }
}

/// Text from a caller or a file, safe for a terminal: control characters are shown, not obeyed.
pub(super) fn plain(text: &str) -> String {
    text.chars()
        .map(|character| if character.is_control() { '\u{fffd}' } else { character })
        .collect()
}
