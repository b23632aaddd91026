//! Text to steps, by tree-sitter. The only place that names it.
//!
//! The walk over the tree keeps its own stack, so that depth of input is never depth of ours.
//! Must never skip a node in silence: unknown kinds are visited, and what is cut off is a gap.

mod aliases;
mod bodies;
mod comparisons;
mod definitions;
mod expressions;
mod kinds;
mod literal;
mod patterns;
mod statements;
mod walk;

use super::program::Program;
use crate::facts::draft::Draft;
use crate::facts::{GapKind, Limits, ParseStatus};
use kinds::Grammar;
use std::cell::Cell;
use std::ops::ControlFlow;
use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

/// Parses the text and lowers it to steps; `None` where parsing was cancelled.
pub(super) fn read<'source>(
    text: &'source str,
    limits: &Limits,
    draft: &mut Draft<'source>,
) -> Option<Program> {
    let Some(tree) = parse(text, limits) else {
        draft.truncate();
        draft.parsed(ParseStatus::Failed, 0, 0);
        draft.gap(GapKind::Limit, "parsing took more steps than it may", 0, 0);
        return None;
    };
    Some(walk::lower(&tree, text, limits, draft))
}

/// Steps that one step in the middle of errors counts for.
const ERROR_STEPS: u32 = 250;

thread_local! {
    /// A parser that finished what it was given; the memory that it holds is worth keeping.
    static IDLE: Cell<Option<Parser>> = const { Cell::new(None) };
}

/// A parser whose parse was cancelled is dropped, so that its tree cannot leak into the next.
fn parse(text: &str, limits: &Limits) -> Option<Tree> {
    let mut parser = idle()?;
    let mut left = limits.parse_steps_max;
    let mut progress = |state: &ParseState| match left.checked_sub(cost(state)) {
        Some(next) => {
            left = next;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    let tree = parser.parse_with_options(
        &mut |offset, _| bytes.get(offset..).unwrap_or_default(),
        None,
        Some(options),
    )?;
    IDLE.set(Some(parser));
    Some(tree)
}

/// Where every reading of the text is in error, a step takes as long as hundreds of others, and
/// what it gives is refused in any case.
fn cost(state: &ParseState) -> u32 {
    if state.has_error() { ERROR_STEPS } else { 1 }
}

fn idle() -> Option<Parser> {
    if let Some(parser) = IDLE.take() {
        return Some(parser);
    }
    let mut parser = Parser::new();
    parser.set_language(&Grammar::get().language).ok()?;
    Some(parser)
}
