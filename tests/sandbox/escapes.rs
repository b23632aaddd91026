//! Every abuse that is known, as a program: each ends in the way that it names itself, and its
//! harmless twin does what it wants to.

#![expect(clippy::disallowed_methods, reason = "a test reads programs from files")]

use super::bench::{Bench, unique};
use regate::sandbox::{End, Run};
use std::path::{Path, PathBuf};

/// A time limit that leaves each of them the time to do its worst.
const SHORT_MS: u64 = 6_000;

/// A program that tries to get out, and what it says of itself.
struct Escape {
    path: PathBuf,
    program: String,
    /// The ways in which it may end.
    ends: Vec<String>,
}

impl Escape {
    fn read(path: PathBuf) -> Self {
        let program = std::fs::read_to_string(&path).unwrap();
        let ends = program.lines().nth(1).unwrap();
        let ends = ends.strip_prefix("# Ends under runc: ").unwrap().split('.').next().unwrap();
        let ends = ends.split(" or ").map(str::to_owned).collect();
        Self { path, program, ends }
    }

    fn twin(&self) -> String {
        let name = self.path.file_stem().unwrap().to_string_lossy();
        std::fs::read_to_string(self.path.with_file_name(format!("{name}_twin.py"))).unwrap()
    }

    /// What is wrong with how it ended.
    fn complaint(&self, run: &Run) -> Option<String> {
        let ended = ended(run);
        let escaped = run.stdout.lines().any(|line| line.starts_with("ESCAPED"));
        let as_it_says = self.ends.iter().any(|end| end == ended);
        let tail = |text: &str| text.lines().rev().take(40).collect::<Vec<_>>().join("\n");
        (escaped || !as_it_says).then(|| {
            let (path, end) = (self.path.display(), run.end);
            format!("{path}: {ended} ({end:?})\n{}\n{}", tail(&run.stdout), tail(&run.stderr))
        })
    }
}

/// The word for how a program ended.
fn ended(run: &Run) -> &'static str {
    match run.end {
        End::Exited(0) if run.stdout.ends_with("contained\n") => "contained",
        End::Exited(_) => "broken",
        End::Signalled(_) => "killed",
        End::TimedOut => "timed out",
        End::OutOfMemory => "out of memory",
    }
}

/// All of one folder, each with its twin beside it.
fn escapes(area: &str) -> Vec<Escape> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/escapes").join(area);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| !path.to_string_lossy().ends_with("_twin.py"));
    paths.sort();
    paths.into_iter().map(Escape::read).collect()
}

async fn assert_contained(area: &str) {
    let bench = Bench::new().wall_ms(SHORT_MS);
    let escapes = escapes(area);
    assert!(!escapes.is_empty(), "{area} is empty");
    let mut complaints = Vec::new();
    for escape in escapes {
        let name = unique("e");
        let run = bench.run(&escape.program.replace("regate-NAME", &name)).await;
        complaints.extend(escape.complaint(&run));
        let twin = bench.run(&escape.twin()).await;
        if !(twin.end == End::Exited(0) && twin.stdout.contains("works")) {
            complaints.push(format!("the twin of {}: {twin:?}", escape.path.display()));
        }
    }
    bench.leaves_nothing().await;
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[tokio::test]
async fn what_is_used_up_is_the_programs_own() {
    assert_contained("exhaust").await;
}

#[tokio::test]
async fn nothing_outlives_its_call() {
    assert_contained("outlive").await;
}

#[tokio::test]
async fn the_agent_is_not_to_be_had() {
    assert_contained("agent").await;
}

#[tokio::test]
async fn the_host_is_not_to_be_had() {
    assert_contained("host").await;
}

#[tokio::test]
async fn the_kernel_does_what_a_program_needs_and_no_more() {
    assert_contained("kernel").await;
}

#[tokio::test]
async fn no_network_leads_out() {
    assert_contained("network").await;
}
