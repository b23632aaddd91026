//! What reading costs beside what parsing alone costs, in one run, so that the ratios hold on any
//! machine: tree-sitter alone, the whole of `extract`, and CPython's own parser with a walk.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a bench reads the clock, starts Python, prints, and fails where it cannot begin"
)]

#[path = "../tests/bundle/mod.rs"]
mod bundle;

use regate::call::{Language, Source};
use regate::facts::{Catalogue, Limits, extract};
use regate::policy::{Policy, Settings};
use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

const SNIPPET: &str = include_str!("../fixtures/benches/ordinary.py");
const FUNCTIONS: &str = include_str!("../fixtures/benches/functions.py");

/// Bytes of the sources that are made of functions.
const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// Bytes that one measurement reads in all, so that small and large sources take as long.
const MEASURED_BYTES: usize = 4_000_000;

fn main() {
    let policy = Policy::load(&bundle::shipped(), &Settings::default()).unwrap();
    let mut sources = vec![("30 lines".to_owned(), SNIPPET.to_owned())];
    sources.extend(SIZES.map(|bytes| (format!("{} KB", bytes / 1_000), functions(bytes))));
    let python = python(&sources);
    println!(
        "{:<9} {:>9} {:>23} {:>23} {:>23} {:>8} {:>8}",
        "source", "bytes", "tree-sitter", "extract", "CPython ast", "extract/", "extract/"
    );
    println!("{:>92} {:>8}", "parse", "CPython");
    for ((name, text), python) in sources.iter().zip(python) {
        let (parse, read) = measure(text, policy.catalogue());
        println!(
            "{name:<9} {:>9} {} {} {} {:>8.2} {:>8.2}",
            text.len(),
            shown(text, parse),
            shown(text, read),
            shown(text, python),
            ratio(read, parse),
            ratio(read, python),
        );
    }
}

/// Ordinary functions, each time with other names, cut after a whole line.
fn functions(bytes: usize) -> String {
    let mut text = String::new();
    for number in 0_u32.. {
        text.push_str(&FUNCTIONS.replace("_0", &format!("_{number}")));
        if text.len() >= bytes {
            break;
        }
    }
    let end = text.get(..bytes).unwrap().rfind("\n\n\n").unwrap() + 1;
    text.truncate(end);
    text
}

/// The median times of a parse alone and of the whole reading, taken in turn.
fn measure(text: &str, catalogue: &Catalogue) -> (Duration, Duration) {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_python::LANGUAGE.into()).unwrap();
    let source = Source::new(Language::Python, text.as_bytes());
    // The caps stay out of the figures: what grows is what is measured.
    let limits = Limits { nodes_max: u32::MAX, facts_max: u32::MAX, ..Limits::default() };
    let rounds = (MEASURED_BYTES / text.len()).clamp(5, 2_000);
    let (mut parses, mut reads) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        parses.push(timed(|| parser.parse(text, None)));
        reads.push(timed(|| extract(&source, catalogue, &limits)));
    }
    (median(parses), median(reads))
}

/// What it gives is dropped within the time.
fn timed<Given>(run: impl FnOnce() -> Given) -> Duration {
    let start = Instant::now();
    drop(black_box(run()));
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.swap_remove(times.len() / 2)
}

/// CPython's medians for the same texts; it times itself, so its start costs nothing here.
fn python(sources: &[(String, String)]) -> Vec<Duration> {
    let folder = tempfile::tempdir().unwrap();
    let paths = sources.iter().zip(0..).map(|((_, text), number)| {
        let path = folder.path().join(format!("{number}.py"));
        std::fs::write(&path, text).unwrap();
        path
    });
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/ast_walk.py");
    let output = Command::new("python3").arg(script).args(paths).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| Duration::from_nanos(line.parse().unwrap())).collect()
}

fn shown(text: &str, time: Duration) -> String {
    let rate = text.len() as f64 / 1_000.0 / time.as_secs_f64();
    format!("{:>9.0} us {rate:>5.0} KB/s", time.as_secs_f64() * 1e6)
}

fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}
