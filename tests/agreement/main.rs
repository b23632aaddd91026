//! The facts of real files against what CPython's own parser sees in them: imports, called names
//! and string constants, each by its place.
//!
//! The files are the standard library's; `AGREEMENT` names folders to read instead. A file that
//! CPython accepts and we do not read whole has to say so with a gap.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads its files, and fails where it cannot"
)]

#[path = "../bundle/mod.rs"]
mod bundle;
mod compare;

mod interpreter;
mod mutations;

use compare::{Verdict, compare};
use interpreter::{Interpreter, python};
use regate::call::{Language, Source};
use regate::facts::{Catalogue, Limits, extract};
use regate::policy::{Policy, Settings};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use walkdir::WalkDir;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// No cap may hide a file.
const LIMITS: Limits = Limits {
    source_bytes_max: u32::MAX,
    nodes_max: u32::MAX,
    depth_max: 10_000,
    facts_max: u32::MAX,
    parse_steps_max: u32::MAX,
};

fn standard_library() -> PathBuf {
    let script = "import sysconfig; print(sysconfig.get_path('stdlib'))";
    let output = Command::new(python()).args(["-c", script]).output().unwrap();
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
}

/// The Python files of a folder, without the packages that are installed below it.
fn files(folder: &Path) -> Vec<PathBuf> {
    WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || entry.file_name() != "site-packages")
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .collect()
}

/// The files of the folders that are named, or else of the standard library.
fn sample() -> Vec<PathBuf> {
    match std::env::var_os("AGREEMENT") {
        Some(folders) => std::env::split_paths(&folders).flat_map(|path| files(&path)).collect(),
        None => files(&standard_library()),
    }
}

fn catalogue(version: &str) -> Catalogue {
    let policy = Policy::load(&bundle::shipped(), &Settings::default()).unwrap();
    let mut catalogue = policy.catalogue().clone();
    catalogue.runtime.version = version.into();
    catalogue
}

fn judge(path: &Path, interpreter: &mut Interpreter, catalogue: &Catalogue) -> Verdict {
    let marks = interpreter.read_file(path);
    let bytes = std::fs::read(path).unwrap();
    let facts = extract(&Source::new(Language::Python, bytes.as_slice()), catalogue, &LIMITS);
    compare(&marks, &facts)
}

/// Two interpreters and two threads share the files.
fn judged(paths: Vec<PathBuf>) -> Vec<(PathBuf, Verdict)> {
    let paths = Mutex::new(paths.into_iter());
    let verdicts = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut interpreter = Interpreter::start();
                let catalogue = catalogue(&interpreter.version);
                loop {
                    let Some(path) = paths.lock().unwrap().next() else { break };
                    let verdict = judge(&path, &mut interpreter, &catalogue);
                    verdicts.lock().unwrap().push((path, verdict));
                }
                interpreter.stop();
            });
        }
    });
    let mut verdicts = verdicts.into_inner().unwrap();
    verdicts.sort_by(|(one, _), (other, _)| one.cmp(other));
    verdicts
}

#[test]
fn facts_agree_with_the_interpreters_own_parser() {
    let (mut agreed, mut refused, mut told, mut differ) = (0, 0, 0, Vec::new());
    for (path, verdict) in judged(sample()) {
        match verdict {
            Verdict::Agreed => agreed += 1,
            Verdict::Refused => refused += 1,
            Verdict::Lenient => differ.push(format!("{}: does not compile", path.display())),
            Verdict::Told(why) => {
                println!("{}: {why}", path.display());
                told += 1;
            }
            Verdict::Differs(how) => differ.push(format!("{}: {how}", path.display())),
        }
    }
    println!("{agreed} agree, {told} say that they were not read whole, CPython refuses {refused}");
    assert!(differ.is_empty(), "{} differ:\n{}", differ.len(), differ.join("\n"));
    assert!(agreed > 100, "{agreed} files were compared");
    assert!(told * 50 < agreed, "{told} files that CPython accepts were not read whole");
}
