//! Source to facts: each fixture by snapshot, every fact by the schema, and what holds of any
//! input at all.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads its fixtures, and fails where it cannot"
)]

mod bundle;
mod sound;

use proptest::prelude::*;
use regate::call::{Language, Source};
use regate::facts::{AnomalyKind, Catalogue, Dynamic, Facts, GapKind, Limits, Role, extract};
use regate::policy::{Code, Policy, Settings};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use walkdir::WalkDir;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let policy = Policy::load(&bundle::shipped(), &Settings::default()).unwrap();
    policy.catalogue().clone()
});

fn read(bytes: &[u8]) -> Facts {
    let source = Source::new(Language::Python, bytes);
    extract(&source, &CATALOGUE, &Limits::default())
}

/// Whether a file is an ordinary program: those show nothing, and `tests/ordinary.rs` reads them.
fn ordinary(path: &Path) -> bool {
    path.to_string_lossy().contains("fixtures/code/python/ordinary")
}

fn fixtures() -> Vec<PathBuf> {
    WalkDir::new(Path::new(ROOT).join("fixtures/code/python"))
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| !ordinary(entry.path()))
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .collect()
}

fn json(facts: Facts) -> Value {
    serde_json::from_str(&Code::new(facts).to_json()).unwrap()
}

/// The document with each span on one line, for a reader.
fn readable(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let number = |name| object.get(name);
            if let (Some(line), Some(from), Some(end), Some(to)) =
                (number("line"), number("column"), number("end_line"), number("end_column"))
            {
                return Value::String(format!("{line}:{from} to {end}:{to}"));
            }
            let members = object.into_iter().map(|(key, value)| (key, readable(value)));
            Value::Object(members.collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(readable).collect()),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => other,
    }
}

#[test]
fn every_fixture_has_the_facts_of_its_snapshot() {
    insta::glob!("../fixtures/code/python", "**/*.py", |path| {
        if ordinary(path) {
            return;
        }
        let facts = read(&std::fs::read(path).unwrap());
        let text = serde_json::to_string_pretty(&readable(json(facts))).unwrap();
        insta::with_settings!({
            snapshot_path => path.parent().unwrap(),
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, {
            insta::assert_snapshot!("facts", text);
        });
    });
}

#[test]
fn every_fixture_begins_with_a_comment_and_has_its_twin() {
    let fixtures = fixtures();
    assert!(!fixtures.is_empty());
    for path in &fixtures {
        assert!(std::fs::read(path).unwrap().starts_with(b"# "), "{path:?}");
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let twin = match stem.strip_suffix("_harmless") {
            Some(stem) => format!("{stem}.py"),
            None => format!("{stem}_harmless.py"),
        };
        assert!(path.with_file_name(twin).exists(), "{path:?} has no twin");
    }
}

#[test]
fn harmless_twins_are_understood_whole() {
    for path in fixtures() {
        let harmless = path.to_str().unwrap().ends_with("_harmless.py");
        let facts = read(&std::fs::read(&path).unwrap());
        if harmless {
            assert!(facts.complete(), "{path:?}: {:?}", facts.gaps);
            assert!(facts.dynamic.iter().all(is_plain) && facts.reflection.is_empty(), "{path:?}");
            let handed_on = facts.references.iter().find(|fact| fact.role != Role::Assigned);
            assert!(handed_on.is_none(), "{path:?}: {handed_on:?}");
        } else {
            let quiet = facts.complete()
                && facts.dynamic.is_empty()
                && facts.reflection.is_empty()
                && facts.capabilities.is_empty();
            assert!(!quiet, "{path:?} shows nothing");
        }
    }
}

/// Whether code in a text is understood whole, and neither calls nor needs anything.
fn is_plain(made: &Dynamic) -> bool {
    made.nested.as_ref().is_some_and(|nested| {
        nested.complete() && nested.calls.is_empty() && nested.capabilities.is_empty()
    })
}

#[test]
fn all_facts_validate_against_the_schema() {
    let schema = Path::new(ROOT).join("fixtures/schema/facts.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let corpus = Path::new(ROOT).join("fixtures/corpus/python.jsonl");
    let corpus = std::fs::read_to_string(corpus).unwrap();
    let entries = corpus.lines().map(|line| {
        let entry: Value = serde_json::from_str(line).unwrap();
        entry["code"].as_str().unwrap().as_bytes().to_vec()
    });
    let files = fixtures().into_iter().map(|path| std::fs::read(path).unwrap());
    let mut seen = 0;
    for source in files.chain(entries) {
        let document = json(read(&source));
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| format!("{} at {}", error, error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{}: {errors:?}", String::from_utf8_lossy(&source));
        seen += 1;
    }
    assert!(seen > 100, "{seen} sources were read");
}

/// Reads twice, and holds what was read to what is true of any reading.
fn sound(bytes: &[u8]) {
    let facts = read(bytes);
    assert_eq!(facts, read(bytes), "reading twice gives two answers");
    sound::check(bytes, &facts, &Limits::default());
}

#[test]
fn an_interpreter_that_no_parser_knows_is_a_gap() {
    let mut catalogue = CATALOGUE.clone();
    catalogue.runtime.version = "3.99".into();
    let source = Source::new(Language::Python, b"x = 1\n".as_slice());
    let gaps = extract(&source, &catalogue, &Limits::default()).gaps;
    assert!(gaps.iter().any(|gap| gap.kind == GapKind::Language), "{gaps:?}");
    assert!(extract(&source, &CATALOGUE, &Limits::default()).complete());
}

/// However deep an operator lets code be nested, the second parser is not given what it could
/// not walk: threads have four times this stack.
#[test]
fn depth_without_a_limit_overflows_no_stack() {
    let limits = Limits { depth_max: u32::MAX, ..Limits::default() };
    let sources = [
        format!("x = {}1", "-".repeat(20_000)),
        format!("x = 1{}", " + 1".repeat(20_000)),
        format!("x{}", ".a".repeat(20_000)),
        format!("x = {}1{}", "(".repeat(20_000), ")".repeat(20_000)),
        format!("x = {}1{}", "f'{".repeat(120), "}'".repeat(120)),
        format!("x = {}1", "lambda a, b: ".repeat(5_000)),
        (0..190).map(|level| format!("{}if x:\n", " ".repeat(level))).collect::<String>()
            + &format!("{}x", " ".repeat(190)),
    ];
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(move || {
        for source in sources {
            let facts =
                extract(&Source::new(Language::Python, source.as_bytes()), &CATALOGUE, &limits);
            assert_eq!(facts.parse.bytes, source.len() as u64);
        }
    });
    thread.unwrap().join().unwrap();
}

#[test]
fn differences_between_the_parsers_are_never_silent() {
    for (name, kind) in [
        ("bare_cr", AnomalyKind::BareCr),
        ("cookie", AnomalyKind::EncodingCookie),
        ("cookie_again", AnomalyKind::EncodingCookie),
        ("newer", AnomalyKind::RuntimeSyntax),
        ("identifiers", AnomalyKind::NonNfkcIdentifier),
        ("unreadable", AnomalyKind::NonUtf8),
        ("syntax", AnomalyKind::LegacyStatement),
        ("controls", AnomalyKind::BidiControl),
        ("controls", AnomalyKind::Nul),
    ] {
        let folder = Path::new(ROOT).join("fixtures/code/python/bytes");
        let told = |file: String| {
            let facts = read(&std::fs::read(folder.join(file)).unwrap());
            facts.parse.anomalies.iter().any(|anomaly| anomaly.kind == kind)
        };
        assert!(told(format!("{name}.py")), "{name} is read in silence");
        assert!(!told(format!("{name}_harmless.py")), "{name}: the twin is refused");
    }
}

fn python() -> impl Strategy<Value = Vec<u8>> {
    let sources: Vec<Vec<u8>> =
        fixtures().iter().map(|path| std::fs::read(path).unwrap()).collect();
    let edits = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 0..12);
    (prop::sample::select(sources), edits).prop_map(|(mut source, edits)| {
        for (at, byte, edit) in edits {
            let at = at.index(source.len().max(1));
            match edit {
                0 => source.insert(at.min(source.len()), byte),
                1 if at < source.len() => {
                    source.remove(at);
                }
                2 => source.truncate(at),
                _ => source.extend_from_within(at.min(source.len())..),
            }
        }
        source
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        sound(&bytes);
    }

    #[test]
    fn any_text_is_read(text in "\\PC{0,200}") {
        sound(text.as_bytes());
    }

    #[test]
    fn tokens_in_any_order_are_read(tokens in prop::collection::vec(prop::sample::select(vec![
        "def f(", "class A", ":", "\n", "\n ", "\n  ", "x", "=", "(", ")", "[", "]", "{", "}", ",", ".", "*", "**",
        "lambda", "if", "else", "for", "in", "while", "try:", "except", "as", "with", "import os", "from a import b",
        "global x", "del x", "match x:", "case", "f'{", "}'", "'a'", "@", "->", ":=", "await", "yield", "type X =",
        "print ", "exec ", "async ", "not", "1", "...", ";", "\\\n", "#c\n", "return", "raise", "nonlocal x",
    ]), 0..80)) {
        sound(tokens.join(" ").as_bytes());
    }

    #[test]
    fn changed_python_is_read(source in python()) {
        sound(&source);
    }
}
