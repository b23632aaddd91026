//! Values that are known, in whole or in part, against what CPython gives: each program of a
//! table is read, and all of them are run by one interpreter.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads its fixtures, and fails where it cannot"
)]

mod bundle;

use regate::call::{Language, Source};
use regate::facts::{Facts, Level, Limits, Resource, extract};
use regate::policy::{Policy, Settings};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A program's title and text.
struct Program {
    title: String,
    code: String,
}

fn table(file: &str) -> Vec<Program> {
    let text = std::fs::read_to_string(Path::new(ROOT).join("fixtures/folding").join(file));
    let text = text.unwrap();
    let programs = text.split("#% ").skip(1).map(|part| part.split_once('\n').unwrap());
    programs.map(|(title, code)| Program { title: title.into(), code: code.into() }).collect()
}

/// What `value` is at the end of each program.
fn run(programs: &[Program]) -> Vec<String> {
    let mut child = Command::new(Path::new(ROOT).join("target/venv/bin/python"))
        .args(["-X", "utf8", "-I"])
        .arg(Path::new(ROOT).join("tests/folding/values.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let codes: Vec<&str> = programs.iter().map(|program| program.code.as_str()).collect();
    let asked = serde_json::to_vec(&codes).unwrap();
    child.stdin.take().unwrap().write_all(&asked).unwrap();
    let values: Vec<String> =
        serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(values.len(), programs.len(), "a value for each program");
    values
}

/// What the facts say of a file that is named by `value`.
fn told(programs: &[Program]) -> Vec<Vec<Resource>> {
    let policy = Policy::load(&bundle::shipped(), &Settings::default()).unwrap();
    let read = |program: &Program| {
        let code = format!("{}open(value)\n", program.code);
        let source = Source::new(Language::Python, code.as_bytes());
        let facts: Facts = extract(&source, policy.catalogue(), &Limits::default());
        let opened = facts.resources.into_iter().filter(|resource| &*resource.call == "open");
        opened.collect()
    };
    programs.iter().map(read).collect()
}

#[test]
fn what_is_known_whole_is_what_the_interpreter_gives() {
    let programs = table("known.py");
    let mut wrong = Vec::new();
    for ((program, resources), value) in programs.iter().zip(told(&programs)).zip(run(&programs)) {
        let texts: Vec<_> =
            resources.iter().map(|resource| resource.value.text.as_deref()).collect();
        if texts != [Some(value.as_str())] {
            wrong.push(format!("{}: {texts:?}, and is {value:?}", program.title));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a resource says of a value what is so.
fn holds(resource: &Resource, value: &str) -> bool {
    let told = &resource.value;
    match told.level {
        Level::Literal | Level::Folded => told.text.as_deref() == Some(value),
        Level::Partial => {
            value.starts_with(told.prefix.as_deref().unwrap_or_default())
                && value.ends_with(told.suffix.as_deref().unwrap_or_default())
        }
        Level::Object | Level::Opaque => true,
    }
}

#[test]
fn what_is_known_in_part_is_so_of_what_the_interpreter_gives() {
    let programs = table("unknown.py");
    let mut wrong = Vec::new();
    for ((program, resources), value) in programs.iter().zip(told(&programs)).zip(run(&programs)) {
        let parts: Vec<_> = resources.iter().map(|resource| &resource.value).collect();
        if !resources.iter().any(|resource| holds(resource, &value)) {
            wrong.push(format!("{}: {parts:?}, and is {value:?}", program.title));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
