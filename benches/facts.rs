//! What reading costs beside what parsing alone costs, in one run, so that the ratio holds on any
//! machine.

#![expect(clippy::unwrap_used, reason = "a bench fails where it cannot begin")]

#[path = "../tests/bundle/mod.rs"]
mod bundle;

use divan::Bencher;
use divan::counter::BytesCount;
use regate::call::{Language, Source};
use regate::facts::{Catalogue, Limits, extract};
use regate::policy::{Policy, Settings};
use std::sync::LazyLock;

const SNIPPET: &str = include_str!("snippet.py");

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let policy = Policy::load(&bundle::shipped(), &Settings::default()).unwrap();
    policy.catalogue().clone()
});

fn main() {
    divan::main();
}

/// How often the snippet stands in a source: about 1, 10, 100 KB and nearly the cap.
const TIMES: [usize; 4] = [1, 10, 100, 800];

#[divan::bench(args = TIMES)]
fn parse_alone(bencher: Bencher<'_, '_>, times: usize) {
    let text = SNIPPET.repeat(times);
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_python::LANGUAGE.into()).unwrap();
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| parser.parse(&text, None));
}

#[divan::bench(args = TIMES)]
fn parse_and_extract(bencher: Bencher<'_, '_>, times: usize) {
    let text = SNIPPET.repeat(times);
    let source = Source::new(Language::Python, text.as_bytes());
    let catalogue = &*CATALOGUE;
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| extract(&source, catalogue, &Limits::default()));
}

/// The same without the second parser, which knows no such version.
#[divan::bench(args = TIMES)]
fn parse_and_extract_unrefereed(bencher: Bencher<'_, '_>, times: usize) {
    let text = SNIPPET.repeat(times);
    let source = Source::new(Language::Python, text.as_bytes());
    let mut catalogue = CATALOGUE.clone();
    catalogue.runtime.version = "0".into();
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| extract(&source, &catalogue, &Limits::default()));
}
