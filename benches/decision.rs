//! How long a decision takes: on facts that are prepared, and from the source on.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark reads its fixtures, and ends where it cannot"
)]

#[path = "../tests/bundle/mod.rs"]
mod bundle;
#[path = "../tests/calls/mod.rs"]
mod calls;

use divan::Bencher;
use regate::call::{Language, Source, Tool, ToolCall};
use regate::facts::{Limits, extract};
use regate::policy::{Code, Policy, Settings};

/// Permitted code, and code that several rules refuse.
const SOURCES: &[&str] =
    &["fixtures/benches/ordinary.py", "fixtures/decisions/code.dynamic.deny/code.py"];

fn main() {
    divan::main();
}

fn policy() -> Policy {
    Policy::load(&bundle::shipped(), &Settings::default()).unwrap()
}

fn call(path: &str) -> (ToolCall, Source) {
    let source = Source::new(Language::Python, std::fs::read(path).unwrap());
    let mut call = calls::call(Tool::builtin(Tool::RUN_PYTHON));
    call.source = Some(source.clone());
    (call, source)
}

#[divan::bench(args = SOURCES)]
fn decide_on_prepared_facts(bencher: Bencher<'_, '_>, path: &str) {
    let policy = policy();
    let (call, source) = call(path);
    let facts = extract(&source, policy.catalogue(), &Limits::default());
    let code = Code::new(facts);
    let context = calls::context();
    bencher.bench(|| policy.decide(&call, Some(&code), &context));
}

#[divan::bench(args = SOURCES)]
fn extract_and_decide(bencher: Bencher<'_, '_>, path: &str) {
    let policy = policy();
    let (call, source) = call(path);
    let context = calls::context();
    bencher.bench(|| {
        let facts = extract(&source, policy.catalogue(), &Limits::default());
        policy.decide(&call, Some(&Code::new(facts)), &context)
    });
}

#[divan::bench(args = SOURCES)]
fn prepare_facts(bencher: Bencher<'_, '_>, path: &str) {
    let policy = policy();
    let (_, source) = call(path);
    let facts = extract(&source, policy.catalogue(), &Limits::default());
    bencher.with_inputs(|| facts.clone()).bench_values(Code::new);
}

#[divan::bench(sample_count = 10)]
fn load_the_shipped_bundle(bencher: Bencher<'_, '_>) {
    let files = bundle::shipped();
    bencher.bench(|| Policy::load(&files, &Settings::default()));
}
