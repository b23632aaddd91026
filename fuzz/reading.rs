//! One reading of a source, held to what is true of every reading.

#[path = "../tests/sound/mod.rs"]
mod sound;

use regate::call::{Language, Source};
use regate::config;
use regate::facts::{Catalogue, Facts, Limits, extract};
use regate::policy::{Policy, Settings};
use std::sync::LazyLock;

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let shipped = config::bundle(None).expect("the shipped bundle is read");
    let policy = Policy::load(&shipped, &Settings::default()).expect("the shipped bundle loads");
    policy.catalogue().clone()
});

/// The facts of these bytes, once they are known to be sound.
pub(crate) fn sound(bytes: &[u8]) -> Facts {
    let source = Source::new(Language::Python, bytes);
    let limits = Limits::default();
    let facts = extract(&source, &CATALOGUE, &limits);
    assert_eq!(facts, extract(&source, &CATALOGUE, &limits), "reading twice gives two answers");
    sound::check(bytes, &facts, &limits);
    facts
}
