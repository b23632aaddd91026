//! Sources that are made to do harm: each ends as facts or as gaps, and what it ends as is sound.
//!
//! Nothing here looks at a clock: a test that ends has shown that the reading ends.

#![expect(clippy::unwrap_used, reason = "a test fails where it cannot begin")]

mod bundle;
#[path = "robust/shapes.rs"]
mod shapes;
mod sound;

use regate::call::{Language, Source};
use regate::facts::{Catalogue, Facts, Limits, ParseStatus, extract};
use regate::policy::{Policy, Settings};
use std::sync::LazyLock;

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let policy = Policy::load(&bundle::shipped(), &Settings::default()).unwrap();
    policy.catalogue().clone()
});

fn read(bytes: &[u8]) -> Facts {
    let source = Source::new(Language::Python, bytes);
    let limits = Limits::default();
    let facts = extract(&source, &CATALOGUE, &limits);
    sound::check(bytes, &facts, &limits);
    facts
}

#[test]
fn sources_that_exhaust_a_cap_are_gaps() {
    for (name, source) in shapes::past_the_caps() {
        assert!(!read(&source).complete(), "{name} is claimed to be understood");
    }
}

#[test]
fn large_sources_of_ordinary_shape_are_read() {
    for (name, source) in shapes::large() {
        let facts = read(&source);
        assert_eq!(facts.parse.status, ParseStatus::Ok, "{name}: {:?}", facts.gaps);
    }
}

#[test]
fn values_that_grow_come_to_an_end() {
    for (_, source) in shapes::growing() {
        read(&source);
    }
}

#[test]
fn a_repeated_token_of_any_kind_is_read_or_refused() {
    for unit in shapes::UNITS {
        read(unit.repeat(shapes::REPEATED_BYTES / unit.len()).as_bytes());
    }
}

#[test]
fn a_megabyte_is_read_or_refused() {
    for unit in shapes::MEGABYTES {
        read(unit.repeat((1 << 20) / unit.len()).as_bytes());
    }
    read(&vec![0; 1 << 20]);
    read(&vec![0xFF; 1 << 20]);
    read(&shapes::noise(1 << 20));
}

#[test]
fn text_that_is_code_again_and_again_is_read_within_a_budget() {
    let text = "a = b\n".repeat(2_000);
    let source = format!("x = '''{text}'''\n{}", "exec(x)\n".repeat(2_000));
    let facts = read(source.as_bytes());
    let nested = facts.dynamic.iter().filter_map(|fact| fact.nested.as_ref());
    let bytes: u64 = nested.map(|facts| facts.parse.bytes).sum();
    assert!(bytes <= source.len() as u64, "{bytes} bytes of code were read");
    assert!(!facts.complete());
}
