//! Standard output and standard error, written so that a reader that goes away is no error.

use crate::telemetry::Colour;
use std::io::{self, IsTerminal, Write};

/// Where a command prints.
#[derive(Debug)]
pub(super) struct Output {
    out: io::Stdout,
}

impl Output {
    pub(super) fn standard() -> Self {
        Self { out: io::stdout() }
    }

    /// One line for whoever asked. A closed pipe is the reader's choice: `regate … | head`.
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.out, "{}", text.as_ref());
    }

    /// What went wrong, with its causes, on standard error.
    pub(super) fn error(&self, error: &anyhow::Error) {
        let _ = writeln!(io::stderr(), "error: {error:#}");
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
        match self.out.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(bytes.len()),
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Text from a caller or a file, safe for a terminal: control characters are shown, not obeyed.
pub(super) fn plain(text: &str) -> String {
    text.chars()
        .map(|character| if character.is_control() { '\u{fffd}' } else { character })
        .collect()
}
