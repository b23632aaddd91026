//! Findings and facts shown to a person, under the lines of the source that they are about.
//!
//! Must never print a byte of a source, a name or a message as it is, nor more than a bounded
//! part of it.

mod evidence;
mod findings;
mod overview;
mod report;
mod safe;
mod source;

pub(super) use evidence::Evidence;
pub(super) use findings::{Judgement, findings};
pub(super) use overview::overview;
pub(super) use report::{Page, Paint};
pub(super) use safe::plain;
