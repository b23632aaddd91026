//! Source to facts: each fixture by snapshot, every fact by the schema, and what holds of any
//! input at all.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads its fixtures, and fails where it cannot"
)]

mod bundle;

use proptest::prelude::*;
use regate::call::{Language, Source};
use regate::facts::{AnomalyKind, Catalogue, Facts, GapKind, Limits, ParseStatus, Span, extract};
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
            assert!(facts.dynamic.is_empty() && facts.reflection.is_empty(), "{path:?}");
            assert!(facts.references.is_empty(), "{path:?}: {:?}", facts.references);
        } else {
            let quiet = facts.complete()
                && facts.dynamic.is_empty()
                && facts.reflection.is_empty()
                && facts.capabilities.is_empty();
            assert!(!quiet, "{path:?} shows nothing");
        }
    }
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

/// What holds of the facts of any bytes.
fn sound(bytes: &[u8]) {
    let facts = read(bytes);
    assert_eq!(facts, read(bytes), "reading twice gives two answers");
    for span in spans(&facts) {
        let (start, end) = span.byte;
        assert!(start <= end, "{span:?}");
        assert!(end as usize <= bytes.len().max(1), "{span:?}");
        assert!(span.line >= 1 && span.line <= span.end_line, "{span:?}");
    }
    if facts.parse.status != ParseStatus::Ok || facts.parse.truncated {
        assert!(!facts.gaps.is_empty(), "something was not read, and no gap says so");
    }
}

fn spans(facts: &Facts) -> Vec<Span> {
    let calls = facts.calls.iter().map(|fact| fact.span);
    let gaps = facts.gaps.iter().map(|fact| fact.span);
    let anomalies = facts.parse.anomalies.iter().map(|fact| fact.span);
    let references = facts.references.iter().map(|fact| fact.span);
    let strings = facts.strings.iter().map(|fact| fact.span);
    let resources = facts.resources.iter().map(|fact| fact.span);
    let modules = facts.modules.iter().map(|fact| fact.span);
    let reflection = facts.reflection.iter().map(|fact| fact.span);
    calls
        .chain(gaps)
        .chain(anomalies)
        .chain(references)
        .chain(strings)
        .chain(resources)
        .chain(modules)
        .chain(reflection)
        .collect()
}

fn has_gap(facts: &Facts, kind: GapKind) -> bool {
    facts.gaps.iter().any(|gap| gap.kind == kind)
}

#[test]
fn sources_past_the_limits_are_gaps() {
    let megabyte = 1 << 20;
    for (name, source) in [
        ("larger than the cap", "x".repeat(megabyte + 1)),
        ("operators", format!("x = {}1", "-".repeat(100_000))),
        ("sums", format!("x = 1{}", "+1".repeat(100_000))),
        ("attributes", format!("x{}", ".a".repeat(50_000))),
        ("calls", format!("x{}", "()".repeat(50_000))),
        ("brackets", "[".repeat(32 << 10)),
        ("closed brackets", format!("{}{}", "[".repeat(16 << 10), "]".repeat(16 << 10))),
        ("continuations", "\\\n".repeat(16 << 10)),
        ("continued", format!("x = 1{}", " \\\n + 1".repeat(20_000))),
        ("continued errors", "x\\\n".repeat(300_000)),
        ("indentation", indented(511)),
        ("strings in strings", format!("{}1{}", "f'{".repeat(255), "}'".repeat(255))),
    ] {
        let facts = read(source.as_bytes());
        assert!(
            has_gap(&facts, GapKind::Limit) || has_gap(&facts, GapKind::Syntax),
            "{name}: {:?}",
            facts.gaps
        );
    }
}

/// Blocks within blocks, each one column further in, and a string that never ends.
fn indented(levels: usize) -> String {
    let lines = (0..levels).map(|level| format!("{}if x:\n", " ".repeat(level)));
    format!("{}{}'''", lines.collect::<String>(), " ".repeat(levels))
}

#[test]
fn a_megabyte_of_anything_is_read_or_refused() {
    let size = 1 << 20;
    for unit in
        ["a = b\n", "f(x)\n", "'", "\"\"\"", "(", "{", "\t", " ", "\n", "é", "#", "x;", "\\", "@"]
    {
        let source = unit.repeat(size / unit.len());
        let facts = read(source.as_bytes());
        assert_eq!(facts.parse.bytes, source.len() as u64);
    }
    read(&vec![0_u8; size]);
    read(&vec![0xFF_u8; size]);
}

#[test]
fn values_that_grow_are_bounded() {
    let doubling = format!("x = 'a'\n{}", "x = x + x\n".repeat(5_000));
    let growing = format!("x = y\n{}", "x = x.a\n".repeat(5_000));
    let passing: String =
        (0..2_000).map(|n| format!("def f{n}():\n global a{n}\n a{n} = a{}\n", n + 1)).collect();
    for source in [doubling, growing, passing] {
        sound(source.as_bytes());
    }
}

#[test]
fn differences_between_the_parsers_are_never_silent() {
    for (name, kind) in [
        ("bare_cr", AnomalyKind::BareCr),
        ("cookie", AnomalyKind::EncodingCookie),
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
