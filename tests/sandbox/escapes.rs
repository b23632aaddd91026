//! Every abuse that is known, as a program: each ends in the way that it names itself, and its
//! harmless twin does what it wants to.

#![expect(clippy::disallowed_methods, reason = "a test reads programs from files")]

use super::bench::{Bench, unique};
use crate::abuses::abuses;
use regate::policy::Runtime;
use regate::sandbox::{End, Run};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A time limit for those that never end, which leaves them the time to do their worst; and for
/// all others.
const SHORT_MS: u64 = 6_000;
const LONG_MS: u64 = 120_000;

/// Before what gVisor's own kernel grants, and the host's would not.
const GRANTED: &str = ", but for what its own kernel grants: ";

/// A program that tries to get out, and what it says of itself.
struct Escape {
    path: PathBuf,
    program: String,
    /// The ways in which it may end under a runtime, in words.
    ends: [String; 2],
}

impl Escape {
    fn read(path: PathBuf) -> Self {
        let program = std::fs::read_to_string(&path).unwrap();
        let ends = program.lines().nth(1).unwrap().strip_prefix("# Ends under runc: ").unwrap();
        let (runc, runsc) = ends.strip_suffix('.').unwrap().split_once(". Under runsc: ").unwrap();
        let ends = [runc.to_owned(), runsc.to_owned()];
        Self { path, program, ends }
    }

    fn twin(&self) -> String {
        let name = self.path.file_stem().unwrap().to_string_lossy();
        std::fs::read_to_string(self.path.with_file_name(format!("{name}_twin.py"))).unwrap()
    }

    fn ends(&self, runtime: Runtime) -> &str {
        let [runc, runsc] = &self.ends;
        match runtime {
            Runtime::Runc => runc,
            Runtime::Runsc => runsc,
        }
    }

    /// The ways in which it may end, and what it may be granted.
    fn allowed(&self, runtime: Runtime) -> (Vec<&str>, BTreeSet<&str>) {
        let ends = self.ends(runtime);
        let (ends, granted) = ends.split_once(GRANTED).unwrap_or((ends, ""));
        let granted = granted.split(", ").filter(|name| !name.is_empty());
        (ends.split(" or ").collect(), granted.collect())
    }

    fn wall_ms(&self, runtime: Runtime) -> u64 {
        if self.ends(runtime).contains("timed out") { SHORT_MS } else { LONG_MS }
    }

    /// What is wrong with how it ended.
    fn complaint(&self, runtime: Runtime, run: &Run) -> Option<String> {
        let ended = ended(run);
        let (ends, granted) = self.allowed(runtime);
        let escaped = run.stdout.lines().filter_map(|line| line.strip_prefix("ESCAPED "));
        let escaped: BTreeSet<&str> = escaped.collect();
        let as_it_says = ends.contains(&ended) && escaped == granted;
        let tail = |text: &str| text.lines().rev().take(40).collect::<Vec<_>>().join("\n");
        (!as_it_says).then(|| {
            let (path, end) = (self.path.display(), run.end);
            let told = format!("{}\n{}", tail(&run.stdout), tail(&run.stderr));
            format!("{path} under {runtime:?}: {ended} ({end:?}) {escaped:?}\n{told}")
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

async fn assert_contained(area: &str) {
    let escapes: Vec<Escape> = abuses(area).into_iter().map(Escape::read).collect();
    assert!(!escapes.is_empty(), "{area} is empty");
    let mut complaints = Vec::new();
    for (escape, runtime) in escapes.iter().flat_map(|each| Runtime::ALL.map(|of| (each, of))) {
        let bench = Bench::of(runtime).wall_ms(escape.wall_ms(runtime));
        let program = escape.program.replace("regate-NAME", &unique("e"));
        complaints.extend(escape.complaint(runtime, &bench.run(&program).await));
        let twin = bench.run(&escape.twin()).await;
        if !(twin.end == End::Exited(0) && twin.stdout.contains("works")) {
            let path = escape.path.display();
            complaints.push(format!("the twin of {path} under {runtime:?}: {twin:?}"));
        }
        bench.leaves_nothing().await;
    }
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
