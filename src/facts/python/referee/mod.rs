//! A second opinion: another parser, of the sandbox's own Python version, reads the source too.
//!
//! Both have to accept it, and both have to see the same imports, calls, attributes, names
//! that are read, and string constants. Whatever they do not agree on is a gap at its place. The only place that names ruff.
//! Must never run on a source that the first parser did not read whole, and never recurse deeper
//! than `nesting` allows.

mod marks;
mod nesting;
mod own;
mod semantics;
#[cfg(test)]
mod tests;

use super::program::Program;
use crate::facts::draft::Draft;
use crate::facts::{AnomalyKind, GapKind, ParseStatus, Runtime};
use marks::Marks;
use ruff_python_ast::{Mod, PythonVersion};
use ruff_python_parser::{Mode, ParseOptions, Parsed, parse_unchecked};
use ruff_text_size::{Ranged, TextRange};

/// Errors and disagreements that are told, each; the first ones say enough.
const TOLD_MAX: usize = 16;

/// Holds the program against what the second parser sees in its text.
pub(super) fn judge(text: &str, program: &Program, runtime: &Runtime, draft: &mut Draft<'_>) {
    if !draft.read_whole() {
        return;
    }
    let Some(version) = version(runtime) else {
        draft.gap(GapKind::Language, "no second parser knows the sandbox's interpreter", 0, 0);
        return;
    };
    if !nesting::is_bounded(text) {
        draft.truncate();
        draft.gap(GapKind::Limit, "the code is nested deeper than the second parser may go", 0, 0);
        return;
    }
    let options = ParseOptions::from(Mode::Module).with_target_version(version);
    let parsed = parse_unchecked(text, options);
    let accepted = tell_refusals(&parsed, draft);
    let Mod::Module(module) = parsed.syntax() else {
        return;
    };
    if accepted {
        let marks = Marks::of(module, text, version);
        for range in marks.refused.iter().take(TOLD_MAX) {
            refuse(*range, "the interpreter does not compile this", draft);
        }
        for (start, end) in own::disputes(program, &marks).into_iter().take(TOLD_MAX) {
            draft.gap(GapKind::Syntax, "two parsers read this in different ways", start, end);
        }
    }
}

/// The version that the second parser is set to; one that it does not know is none.
fn version(runtime: &Runtime) -> Option<PythonVersion> {
    let mut parts = runtime.version.split('.').map(str::parse::<u8>);
    let (Some(Ok(major)), Some(Ok(minor))) = (parts.next(), parts.next()) else {
        return None;
    };
    let rest = parts.next().is_none_or(|patch| patch.is_ok()) && parts.next().is_none();
    let asked = PythonVersion { major, minor };
    let known = PythonVersion::iter().any(|version| version == asked);
    (&*runtime.name == "cpython" && rest && known).then_some(asked)
}

/// Tells what the second parser does not accept; whether it accepts the source.
fn tell_refusals(parsed: &Parsed<Mod>, draft: &mut Draft<'_>) -> bool {
    for error in parsed.errors().iter().take(TOLD_MAX) {
        refuse(error.range(), "the second parser does not accept this", draft);
    }
    for error in parsed.unsupported_syntax_errors().iter().take(TOLD_MAX) {
        let why = "the interpreter of the sandbox is of a version that does not know this syntax";
        let (start, end) = bytes(error.range());
        draft.anomaly(AnomalyKind::RuntimeSyntax, why, start, end);
        draft.gap(GapKind::Syntax, why, start, end);
    }
    parsed.errors().is_empty()
}

fn refuse(range: TextRange, why: &str, draft: &mut Draft<'_>) {
    let (start, end) = bytes(range);
    draft.status(ParseStatus::Recovered);
    draft.error(start, end);
    draft.gap(GapKind::Syntax, why, start, end);
}

fn bytes(range: TextRange) -> (u32, u32) {
    (range.start().to_u32(), range.end().to_u32())
}
