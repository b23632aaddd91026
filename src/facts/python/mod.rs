//! Python: text to facts.
//!
//! Four passes, each close to linear in the source: `syntax` makes steps of the text, `referee`
//! holds them against another parser, `values` finds what each step may give, `report` tells the
//! facts. Between them `setters` and `stars` write out what some steps stand for. Must never
//! recurse on the depth of the input.

mod program;
mod referee;
mod report;
mod setters;
mod stars;
mod syntax;
mod values;

use super::draft::Draft;
use super::{Catalogue, Facts, Limits, ParseStatus, bytes};
use crate::call::{Language, Source};
use report::Depth;

/// Levels of code inside constant text that are read.
const NESTING_MAX: u32 = 2;

/// Reads a source as CPython will.
pub(super) fn read(source: &Source, catalogue: &Catalogue, limits: &Limits) -> Facts {
    let left = NESTING_MAX;
    read_source(source, Depth { catalogue, limits, left })
}

/// Reads code that stood inside a constant text.
fn read_text(text: &[u8], depth: Depth<'_>) -> Facts {
    read_source(&Source::new(Language::Python, text), depth)
}

fn read_source(source: &Source, depth: Depth<'_>) -> Facts {
    let mut draft = Draft::new(source, depth.catalogue, depth.limits);
    let Some(text) = bytes::check(source.bytes(), depth.limits, &mut draft) else {
        draft.parsed(ParseStatus::Failed, 0, 0);
        return draft.finish();
    };
    if let Some(mut program) = syntax::read(text, depth.limits, &mut draft) {
        referee::judge(text, &program, &depth.catalogue.runtime, &mut draft);
        setters::assign(&mut program);
        stars::bind(&mut program, depth.catalogue);
        report::tell(&mut program, text, depth, &mut draft);
    }
    draft.finish()
}
