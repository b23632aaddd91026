//! `regate check` as a whole process, start-up and bundle included, beside a bare process.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a bench starts the program and stops at the first surprise"
)]

use std::process::{Command, Stdio};

fn main() {
    divan::main();
}

fn run(program: &str, words: &[&str]) {
    let status = Command::new(program)
        .args(words)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
}

/// What starting any process costs here.
#[divan::bench(sample_count = 100)]
fn bare_process() {
    run("/bin/true", &[]);
}

/// The program's own start, without a bundle.
#[divan::bench(sample_count = 100)]
fn regate_version() {
    run(env!("CARGO_BIN_EXE_regate"), &["--version"]);
}

/// A 30-line snippet, decided.
#[divan::bench(sample_count = 100)]
fn regate_check() {
    run(env!("CARGO_BIN_EXE_regate"), &["check", "fixtures/benches/ordinary.py"]);
}
