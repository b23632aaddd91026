//! Secrets in texts: where they are, and the text without them.
//!
//! Pure: text in, places with the names of their detectors out, in time linear in the text. Must
//! never hold on to a secret, and must never take for one what machines print all day: hashes,
//! ids, images.

mod alphabet;
mod cards;
mod detector;
mod marks;
mod places;
mod proof;
mod scan;
mod shapes;

pub use detector::{Counts, Detector, Detectors, UnknownDetector};
pub use marks::{Redacted, redact};

use std::ops::Range;

/// How a text ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Where its author ended it.
    Whole,
    /// Where it was cut: what begins as a secret and reaches the end is taken for one.
    Cut,
}

/// A secret, by its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// What found it.
    pub detector: Detector,
    /// Its bytes in the text; both ends lie between characters.
    pub bytes: Range<usize>,
}

/// Every secret of a text, whichever detector finds it, sorted by place. A password may hold a
/// token that is a hit by itself. Allocates nothing where nothing is found.
pub fn find(text: &str, ending: Ending) -> Vec<Hit> {
    let mut hits = scan::Scan::new(text, ending).hits();
    hits.sort_by_key(|hit| (hit.bytes.start, std::cmp::Reverse(hit.bytes.end)));
    hits
}

#[cfg(test)]
mod tests;
