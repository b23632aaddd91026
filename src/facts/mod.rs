//! Source text in, facts out.
//!
//! Pure, total and deterministic: it cannot fail, and what it could not prove it says. Must never
//! know policy, serde, files, clocks or a runtime.

mod bytes;
mod catalogue;
mod confusable;
mod draft;
pub mod drift;
mod handling;
mod limits;
mod model;
mod python;
mod spans;

pub use catalogue::*;
pub use handling::{Collects, Handled, Handling};
pub use limits::Limits;
pub use model::*;

use crate::call::{Language, Source};

/// The version of what `extract` derives: raised with every change to it, so that no cache
/// answers with the facts of an earlier one.
pub const VERSION: u32 = 7;

/// Reads a source as its interpreter will.
pub fn extract(source: &Source, catalogue: &Catalogue, limits: &Limits) -> Facts {
    match source.language {
        Language::Python => python::read(source, catalogue, limits),
    }
}
