//! What a program was seen to do, held against what its facts foretold.
//!
//! Pure. Must never call an event foretold for want of knowing it: what is in no table is drift.

mod event;
mod foretold;
mod table;
#[cfg(test)]
mod tests;

pub use event::{Event, Kind};
pub use foretold::Foretold;
pub use table::{Listed, Own, Table};

use super::Facts;
use crate::call::Text;
use std::collections::BTreeSet;

/// Something that a program did and that its facts, which claim to tell the whole story, do not
/// tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// What it took, such as `process.spawn`: one of a closed set, [`Kind::capability`].
    pub capability: &'static str,
    /// The interpreter's name for it, such as `subprocess.Popen`.
    pub event: Text,
    /// What it was given, cut to bounded lengths.
    pub arguments: Vec<Text>,
    /// The line of the program; 0 where no line of it was at work.
    pub line: u32,
}

/// How many are told of a run, and besides the first of each capability.
const DRIFTS_MAX: usize = 100;

/// What was not foretold, once for each event, as far as it is told. Facts that do not claim to be
/// complete foretell anything.
pub fn drift(events: &[Event], facts: &Facts, table: &Table) -> Vec<Drift> {
    if !facts.complete() {
        return Vec::new();
    }
    let foretold = Foretold::new(facts);
    let done = events.iter().filter_map(|event| Some((table.doing(event)?, event)));
    let mut told = BTreeSet::new();
    done.filter(|(kind, event)| !foretold.tells(*kind, event))
        .enumerate()
        .filter(|(index, (kind, _))| told.insert(kind.capability()) || *index < DRIFTS_MAX)
        .map(|(_, (kind, event))| Drift {
            capability: kind.capability(),
            event: Text::clone(&event.name),
            arguments: event.arguments.clone(),
            line: event.line,
        })
        .collect()
}
