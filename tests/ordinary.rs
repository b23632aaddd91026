//! Ordinary programs, as an agent writes them for its user: the shipped policy permits them,
//! hardly any is only partly understood, and each really runs in the sandbox.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test reads its fixtures, and fails where it cannot"
)]

mod bundle;
mod calls;
mod overlay;

use regate::call::{CallId, Language, Source, Tool, ToolCall};
use regate::facts::{Facts, Limits, Span, extract};
use regate::policy::{Code, Finding, Permit, Policy, Profile, Ruling, Runtime, Settings};
use regate::sandbox::{End, Program, Sandbox};
use serde::Deserialize;
use std::path::Path;
use walkdir::WalkDir;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const SCRIPTS: &str = "fixtures/code/python/ordinary";
const CORPUS: &str = "fixtures/corpus/python.jsonl";
/// What the programs find in their folder.
const WORKSPACE: &str = "fixtures/reality/workspace";

/// The scripts that there are at least.
const SCRIPTS_MIN: usize = 120;
/// Of a hundred programs, those that are wholly understood.
const COMPLETE_PERCENT_MIN: usize = 97;
/// How many programs one container runs, one after the other.
const BATCH: usize = 50;

/// A name and a text.
type Named = (String, String);

/// The files below a folder of the repository, by their path in it.
fn files(folder: &str) -> Vec<Named> {
    let root = Path::new(ROOT).join(folder);
    WalkDir::new(&root)
        .sort_by_file_name()
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let name = entry.path().strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read_to_string(entry.path()).unwrap())
        })
        .collect()
}

/// The entries of the corpus that do nothing that the policy refuses.
fn benign() -> Vec<Named> {
    #[derive(Deserialize)]
    struct Entry {
        id: String,
        label: String,
        code: String,
    }
    let text = std::fs::read_to_string(Path::new(ROOT).join(CORPUS)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str::<Entry>(line).unwrap())
        .filter(|entry| entry.label == "benign")
        .map(|entry| (entry.id, entry.code))
        .collect()
}

/// What the shipped policy makes of programs.
#[derive(Default)]
struct Tally {
    permitted: usize,
    complete: usize,
    /// What stands in the way of the others, one line each.
    told: Vec<String>,
}

fn tally(programs: &[Named]) -> Tally {
    let settings = Settings { evaluation_ms_max: 5_000, ..Settings::default() };
    let policy = Policy::load(&bundle::shipped(), &settings).unwrap();
    let mut tally = Tally::default();
    for (name, text) in programs {
        let source = Source::new(Language::Python, text.as_bytes());
        let facts = extract(&source, policy.catalogue(), &Limits::default());
        tally.complete += usize::from(facts.complete());
        tally.told.extend(gaps(name, &facts));
        let call = ToolCall { source: Some(source), ..proposal() };
        let decision = policy.decide(&call, Some(&Code::new(facts)), &calls::context());
        match decision.ruling {
            Ruling::Permitted(_) => tally.permitted += 1,
            Ruling::Held(_) | Ruling::Denied(_) => {
                tally.told.extend(decision.findings.iter().map(|finding| refusal(name, finding)));
            }
        }
    }
    tally
}

fn proposal() -> ToolCall {
    calls::call(Tool::builtin(Tool::RUN_PYTHON))
}

/// Each gap of a program, with its place.
fn gaps(name: &str, facts: &Facts) -> Vec<String> {
    let told = |kind: &dyn std::fmt::Debug, span: &Span, why: &str| {
        format!("{name}:{}: gap {kind:?}: {why}", span.line)
    };
    facts.gaps.iter().map(|gap| told(&gap.kind, &gap.span, &gap.why)).collect()
}

fn refusal(name: &str, finding: &Finding) -> String {
    let line = finding.span.map_or(0, |span| span.line);
    format!("{name}:{line}: {}: {}", finding.rule, finding.message)
}

/// Whether at least so many of a hundred are wholly understood.
fn understood(tally: &Tally, of: usize) -> bool {
    tally.complete * 100 >= of * COMPLETE_PERCENT_MIN
}

#[test]
fn ordinary_scripts_are_permitted_and_understood() {
    let scripts = files(SCRIPTS);
    assert!(scripts.len() >= SCRIPTS_MIN, "{} scripts", scripts.len());
    let tally = tally(&scripts);
    for line in &tally.told {
        println!("{line}");
    }
    let of = scripts.len();
    println!("{} of {of} scripts permitted, {} understood whole", tally.permitted, tally.complete);
    assert_eq!(tally.permitted, of, "ordinary scripts are refused");
    assert!(understood(&tally, of), "{} of {of} scripts were understood whole", tally.complete);
}

#[test]
fn what_is_harmless_in_the_corpus_is_understood() {
    let entries = benign();
    let tally = tally(&entries);
    for line in tally.told.iter().filter(|line| line.contains(": gap ")) {
        println!("{line}");
    }
    let of = entries.len();
    println!("{} of {of} entries understood whole", tally.complete);
    assert!(of > 0 && understood(&tally, of), "{} of {of} entries", tally.complete);
}

/// The program that runs others, with what it runs.
fn batch(scripts: &[Named], workspace: &[Named]) -> String {
    let driver = Path::new(ROOT).join("fixtures/sandbox/batch/batch.py");
    let driver = std::fs::read_to_string(driver).unwrap();
    // A JSON text of arrays and strings is a Python expression of the same value.
    let literal = |files: &[Named]| serde_json::to_string(files).unwrap();
    format!("PROGRAMS = {}\nFILES = {}\n{driver}", literal(scripts), literal(workspace))
}

/// A permit, got as every permit is: from policy, which here permits everything. Containers are
/// called after their calls, so that each needs a name of its own.
fn permit(name: &str) -> Permit {
    let files = overlay::over_the_smallest("permit_all");
    let policy = Policy::load(&files, &Settings::default()).unwrap();
    let call = ToolCall { id: CallId::new(name), ..proposal() };
    match policy.decide(&call, None, &calls::context()).ruling {
        Ruling::Permitted(permit) => permit,
        Ruling::Held(_) | Ruling::Denied(_) => panic!("the bundle permits every call"),
    }
}

/// The machine may be busy with the rest of the tests: only the room is that of a call.
fn profile() -> Profile {
    Profile {
        memory_bytes: 512 << 20,
        cpu_milli: 1000,
        pids_max: 64,
        wall_ms: 120_000,
        output_bytes_max: 1 << 20,
        writable_bytes_max: 64 << 20,
        files_max: Some(4096),
        runtime: Runtime::Runc,
        image: "python".into(),
    }
}

#[tokio::test]
async fn ordinary_scripts_run_in_the_sandbox() {
    let instance = format!("ordinary-{}", std::process::id());
    let settings = regate::sandbox::Settings {
        instance: instance.clone().into(),
        engine_ms_max: 60_000,
        wait_ms_max: 120_000,
        ..regate::sandbox::Settings::default().without_stock()
    };
    let sandbox = Sandbox::new(&settings).unwrap();
    let (scripts, workspace, profile) = (files(SCRIPTS), files(WORKSPACE), profile());
    let runs = scripts.chunks(BATCH).enumerate().map(async |(index, part)| {
        let permit = permit(&format!("{instance}-{index}"));
        let source = Source::new(Language::Python, batch(part, &workspace).into_bytes());
        let program = Program::alone(&source);
        let run = sandbox.run(permit, &profile, program).await.unwrap();
        assert_eq!(run.end, End::Exited(0), "{}{}", run.stdout, run.stderr);
        assert_eq!(run.stdout, format!("{} programs\n", part.len()), "{}", run.stderr);
    });
    futures_util::future::join_all(runs).await;
    sandbox.drain().await;
}
