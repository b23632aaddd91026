//! Runs programs under the audit hook of `observer.py`, many in one container of the real
//! sandbox, each in a process of its own.

use crate::bundle;
use crate::calls;
use regate::call::{CallId, Language, Source, Text, Tool};
use regate::facts::drift::{Event, Table};
use regate::policy::{Permit, Policy, Profile, Ruling, Runtime, Settings as PolicySettings};
use regate::sandbox::{End, Program, Sandbox, Settings};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// The observer of the product, and what runs many programs under it.
const OBSERVER: &str =
    concat!(include_str!("../../sandbox/observer.py"), "\n\n", include_str!("observer.py"));
/// Where a program starts.
const WORKSPACE: &str = "/workspace";
const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/reality/workspace");
/// Programs of one container.
const BATCH: usize = 150;
/// What one program may take before it is ended; what it did until then counts.
const SECONDS_MAX: u32 = 20;

/// What was seen of one program.
#[derive(Debug, Deserialize)]
pub(crate) struct Seen {
    /// The wait status: 0 where it ended well.
    pub(crate) status: i64,
    /// The last line that it wrote to stderr.
    pub(crate) complaint: String,
    #[serde(deserialize_with = "events")]
    pub(crate) events: Vec<Event>,
}

/// An event as the observer writes it.
#[derive(Deserialize)]
struct Line {
    event: Text,
    arguments: Vec<Text>,
    places: Vec<Text>,
    chain: Vec<Text>,
    line: u32,
}

fn events<'de, D: Deserializer<'de>>(lines: D) -> Result<Vec<Event>, D::Error> {
    let event = |Line { event: name, arguments, places, chain, line }| Event {
        name,
        arguments,
        places,
        chain,
        line,
    };
    Ok(Vec::<Line>::deserialize(lines)?.into_iter().map(event).collect())
}

/// Runs every program, and answers what was seen of each, in their order.
pub(crate) async fn observe(table: &Table, programs: &[String]) -> Vec<Seen> {
    let settings = Settings {
        instance: format!("reality-{}", unique()).into(),
        engine_ms_max: 60_000,
        // The machine has other tests to run as well.
        runs_at_once_max: 2,
        wait_ms_max: 1_800_000,
        ..Settings::default().without_stock()
    };
    let sandbox = Sandbox::new(&settings).unwrap();
    let batches = programs.chunks(BATCH).map(|batch| run(&sandbox, table, batch));
    let seen = futures_util::future::join_all(batches).await;
    sandbox.drain().await;
    seen.into_iter().flatten().collect()
}

async fn run(sandbox: &Sandbox, table: &Table, programs: &[String]) -> Vec<Seen> {
    let profile = Profile {
        memory_bytes: 512 * 1024 * 1024,
        cpu_milli: 1000,
        pids_max: 64,
        wall_ms: 1_200_000,
        output_bytes_max: 256 * 1024 * 1024,
        writable_bytes_max: 64 * 1024 * 1024,
        files_max: Some(4096),
        runtime: Runtime::Runc,
        image: "python".into(),
    };
    let source = Source::new(Language::Python, text(table, programs).into_bytes());
    let program = Program::alone(&source);
    let run = sandbox.run(permit(), &profile, program).await.unwrap();
    assert_eq!(run.end, End::Exited(0), "the observer failed: {}", run.stderr);
    let lines = run.stdout.lines();
    let seen: Vec<Seen> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(seen.len(), programs.len(), "the observer tells of every program");
    seen
}

/// The observer with its programs. Arrays, objects and texts of JSON mean the same in Python.
fn text(table: &Table, programs: &[String]) -> String {
    let json = |value: serde_json::Result<String>| value.unwrap();
    format!(
        "{OBSERVER}\nrun_all({}, {}, {}, {SECONDS_MAX})\n",
        json(serde_json::to_string(programs)),
        json(serde_json::to_string(&workspace())),
        json(serde_json::to_string(&table.watch())),
    )
}

/// The files that every program finds in its workspace.
fn workspace() -> BTreeMap<String, String> {
    let files = std::fs::read_dir(Path::new(FILES)).unwrap().map(Result::unwrap);
    let name = |file: &std::fs::DirEntry| file.file_name().into_string().unwrap();
    files.map(|file| (name(&file), std::fs::read_to_string(file.path()).unwrap())).collect()
}

/// A permit, got as every permit is: from policy, which here permits everything.
fn permit() -> Permit {
    let data = bundle::shipped().into_iter().filter(|file| {
        file.path == "main.rego"
            || file.path == "data/capabilities.json"
            || file.path == "data/sandbox.json"
            || file.path == "image/python.json"
    });
    let files: Vec<_> = data.chain(bundle::read("fixtures/bundles/permit_all")).collect();
    let policy = Policy::load(&files, &PolicySettings::default()).unwrap();
    let mut call = calls::call(Tool::builtin(Tool::RUN_PYTHON));
    call.id = CallId::new(format!("reality-{}", unique()));
    match policy.decide(&call, None, &calls::context()).ruling {
        Ruling::Permitted(permit) => permit,
        Ruling::Held(_) | Ruling::Denied(_) => panic!("the bundle permits every call"),
    }
}

/// A name that no other test has, on this machine or in this process.
fn unique() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Whether a place is in the workspace.
pub(crate) fn in_workspace(place: &str) -> bool {
    Path::new(place).starts_with(WORKSPACE)
}
