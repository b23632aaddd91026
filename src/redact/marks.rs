//! The text without its secrets: where one stood, its detector is named.

use super::Hit;
use super::detector::{Counts, Detectors};
use std::borrow::Cow;
use std::ops::Range;

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'t> {
    /// The text; the very one that was handed in where nothing was taken out.
    pub text: Cow<'t, str>,
    /// What was taken out. A token within a password goes with it and counts once.
    pub counts: Counts,
}

/// Takes out of a text what these detectors found in it. `hits` are those that [`super::find`]
/// told of the same text.
pub fn redact<'t>(text: &'t str, hits: &[Hit], detectors: Detectors) -> Redacted<'t> {
    let mut counts = Counts::default();
    let mut places: Vec<(&'static str, Range<usize>)> = Vec::new();
    for hit in hits.iter().filter(|hit| detectors.contains(hit.detector)) {
        match places.last_mut() {
            Some((_, last)) if hit.bytes.start < last.end => {
                last.end = last.end.max(hit.bytes.end);
            }
            Some(_) | None => {
                counts.add(hit.detector);
                places.push((hit.detector.as_str(), hit.bytes.clone()));
            }
        }
    }
    if places.is_empty() {
        return Redacted { text: Cow::Borrowed(text), counts };
    }
    Redacted { text: Cow::Owned(marked(text, &places)), counts }
}

fn marked(text: &str, places: &[(&str, Range<usize>)]) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for (detector, place) in places {
        kept.push_str(text.get(at..place.start).unwrap_or_default());
        kept.push_str("[redacted: ");
        kept.push_str(detector);
        kept.push(']');
        at = place.end;
    }
    kept.push_str(text.get(at..).unwrap_or_default());
    kept
}
