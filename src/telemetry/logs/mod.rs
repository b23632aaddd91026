//! Logs on stderr, for people or for programs.
//!
//! Must never write what a call carries: spans and lines hold ids, names, counts and times. A
//! text that a caller chose goes in as a field of its own (`tool = name`), which is escaped, and
//! never by `%` or into the message, which are not.

mod line;
mod outlet;
#[cfg(test)]
mod tests;

pub(super) use outlet::lost;

use super::Error;
use line::JsonLine;
use outlet::Outlet;
use std::panic::PanicHookInfo;
use std::time::Duration;
use tracing::Subscriber;
use tracing_subscriber::filter::{Directive, LevelFilter};
use tracing_subscriber::fmt::format::JsonFields;
use tracing_subscriber::fmt::{MakeWriter, layer};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::{EnvFilter, Registry};

/// The target of the span that carries a call's id. It is let through whatever the filter says:
/// a line without its call's id is of little use.
const CALL_TARGET: &str = "regate::call";
/// How long the end of the process may wait for its last lines to be written.
const FLUSH_MAX: Duration = Duration::from_secs(1);

/// How logs are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// For whom.
    pub format: Format,
    /// Which lines: a level, or directives such as `info,regate::ledger=debug`.
    pub filter: String,
    /// Whether levels are coloured, where people read.
    pub colour: Colour,
}

impl Default for Settings {
    fn default() -> Self {
        Self { format: Format::Human, filter: "info".to_owned(), colour: Colour::Plain }
    }
}

impl Settings {
    /// Whether logs could be set up so.
    ///
    /// # Errors
    /// Where the filter does not parse.
    pub fn check(&self) -> Result<(), Error> {
        filter(&self.filter).map(drop)
    }
}

/// For whom logs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One line of text.
    Human,
    /// One JSON object on a line: `timestamp`, `level`, `target`, and beside them the fields of
    /// the spans that the line stands in and its own.
    Json,
}

/// Whether there is a terminal to show colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// A terminal that shows them.
    Coloured,
    /// A file, a pipe, or a terminal that does not.
    Plain,
}

/// The logs of the process; dropping this waits a little until the last lines are written.
#[derive(Debug)]
#[must_use = "the last lines are lost where this is not kept to the end"]
pub struct Logs(Outlet);

impl Drop for Logs {
    fn drop(&mut self) {
        self.0.flush(FLUSH_MAX);
    }
}

/// Sets up logs for the whole process, panics among them. Nobody waits for a line to be written.
///
/// # Errors
/// Where the filter does not parse, logs were set up before, or no thread can be had.
pub fn init(settings: &Settings) -> Result<Logs, Error> {
    let outlet = Outlet::to(std::io::stderr()).map_err(Error::Thread)?;
    let lines = outlet.clone();
    let subscriber = subscriber(settings, move || lines.clone())?;
    tracing::subscriber::set_global_default(subscriber).map_err(|_| Error::Installed)?;
    std::panic::set_hook(Box::new(log_panic));
    Ok(Logs(outlet))
}

/// A panic is a line like any other. Its message stays out: it may quote what a caller sent.
fn log_panic(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    tracing::error!(place, "a panic");
}

/// The span that a call's lines stand in, so that each carries `call`, whatever the filter is.
pub fn call_span(id: &str) -> tracing::Span {
    tracing::error_span!(target: CALL_TARGET, "call", call = id)
}

fn subscriber<W>(
    settings: &Settings,
    writer: W,
) -> Result<impl Subscriber + Send + Sync + use<W>, Error>
where
    W: for<'writer> MakeWriter<'writer> + Send + Sync + 'static,
{
    let filter = filter(&settings.filter)?;
    let lines: Box<dyn Layer<Registry> + Send + Sync> = match settings.format {
        Format::Human => {
            layer().with_ansi(settings.colour == Colour::Coloured).with_writer(writer).boxed()
        }
        Format::Json => {
            layer().fmt_fields(JsonFields::new()).event_format(JsonLine).with_writer(writer).boxed()
        }
    };
    Ok(tracing_subscriber::registry().with(lines.with_filter(filter)))
}

fn filter(text: &str) -> Result<EnvFilter, Error> {
    let refused = |reason: String| Error::Filter { filter: text.to_owned(), reason };
    let call_spans: Directive = format!("{CALL_TARGET}={}", LevelFilter::ERROR)
        .parse()
        .map_err(|error| refused(format!("{error}")))?;
    EnvFilter::builder()
        .with_regex(false)
        .parse(text)
        .map(|filter| filter.add_directive(call_spans))
        .map_err(|error| refused(error.to_string()))
}
