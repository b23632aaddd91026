//! Standard output and standard error, written so that a reader that goes away is no error.

use super::args::ColourWhen;
use super::show::{Page, plain};
use crate::telemetry::Colour;
use anyhow::Context;
use std::io::{self, IsTerminal, Write};

/// Where a command prints.
#[derive(Debug)]
pub(super) struct Output {
    out: io::Stdout,
    failed: Option<io::Error>,
    reader_is_gone: bool,
}

impl Output {
    pub(super) fn standard() -> Self {
        Self { out: io::stdout(), failed: None, reader_is_gone: false }
    }

    /// One line for whoever asked.
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        if let Err(error) = writeln!(self, "{}", text.as_ref()) {
            self.failed.get_or_insert(error);
        }
    }

    /// Whether anything that is still printed comes to a reader.
    pub(super) fn is_read(&self) -> bool {
        self.failed.is_none() && !self.reader_is_gone
    }

    /// Whether all that was printed has come where it was meant to come: a full disk must not
    /// look like a short answer. A closed pipe is the reader's choice: `regate … | head`.
    pub(super) fn finish(mut self) -> anyhow::Result<()> {
        let flushed = self.flush();
        self.failed.map_or(flushed, Err).context("standard output")
    }

    /// What went wrong, with its causes.
    pub(super) fn error(error: &anyhow::Error) {
        let text = format!("{error:#}");
        let lines: Vec<String> = text.lines().map(plain).collect();
        Self::aside(&format!("error: {}", lines.join("\n")));
    }

    /// One line for the person, on standard error, apart from what may go to a file.
    pub(super) fn aside(text: &str) {
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// Whether what is shown to that person may be coloured.
    pub(super) fn colour() -> Colour {
        if Self::watched() { Colour::Coloured } else { Colour::Plain }
    }

    /// Whether what is printed may be coloured. The variables are the customary ones: a person
    /// sets them once for all programs.
    fn colour_of(when: ColourWhen) -> Colour {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let coloured = match when {
            ColourWhen::Always => true,
            ColourWhen::Never => false,
            ColourWhen::Auto if set("NO_COLOR").is_some() => false,
            ColourWhen::Auto if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
            ColourWhen::Auto => {
                Self::is_terminal() && set("TERM").is_some_and(|terminal| terminal != "dumb")
            }
        };
        if coloured { Colour::Coloured } else { Colour::Plain }
    }

    /// How text for a person is set.
    pub(super) fn page(when: ColourWhen) -> Page {
        let size = Self::is_terminal().then(terminal_size::terminal_size).flatten();
        Page::new(Self::colour_of(when), size.map(|(width, _)| width.0))
    }

    /// Whether what is printed goes to a person.
    pub(super) fn is_terminal() -> bool {
        io::stdout().is_terminal()
    }

    /// A pipe that its reader closed takes all.
    fn unless_closed<T>(&mut self, written: io::Result<T>, all: T) -> io::Result<T> {
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.reader_is_gone = true;
                Ok(all)
            }
            written => written,
        }
    }

    /// Whether a person is looking at standard error, where progress and logs are shown.
    pub(super) fn watched() -> bool {
        io::stderr().is_terminal()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.unless_closed(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.unless_closed(flushed, ())
    }
}
