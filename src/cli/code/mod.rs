//! `regate check` and `regate facts`: pieces of code judged or read, never run.

mod check;
mod facts;
mod forms;
mod gather;
mod judge;
mod work;

pub(super) use check::check;
pub(super) use facts::facts;

use super::args::Format;
use super::output::Output;
use serde_json::json;

/// What came of one input: text for whoever asked, or why there is none.
struct Told<O> {
    name: String,
    shown: Result<String, anyhow::Error>,
    outcome: O,
}

impl<O> Told<O> {
    /// Prints it: what was asked for on standard output, an error on standard error, and for a
    /// program in the place of the answer too.
    fn print(&self, format: Format, output: &mut Output) {
        match &self.shown {
            Ok(text) if text.is_empty() => {}
            Ok(text) => output.line(text),
            Err(error) => {
                Output::error(error);
                if format == Format::Json {
                    let error = format!("{error:#}");
                    output.line(json!({"file": self.name, "error": error}).to_string());
                }
            }
        }
    }
}
