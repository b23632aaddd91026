use super::Form;
use crate::call::Timestamp;
use crate::cli::args::LedgerFormat;
use crate::cli::show::Page;
use crate::ledger::reader::Record;
use crate::telemetry::Colour;
use serde_json::Value;

const DECISION: &str = include_str!("../../../../fixtures/ledger/decision.json");
const HOSTILE: &str = include_str!("../../../../fixtures/ledger/hostile.json");
const MASKED: &str = include_str!("../../../../fixtures/ledger/masked.json");

fn record(kind: &str, body: &str) -> Record {
    Record {
        seq: 7,
        kind: kind.to_owned(),
        at: Timestamp::from_unix_ms(1_767_225_600_000),
        hash: "5ea1".to_owned(),
        body: body.trim_end().to_owned(),
    }
}

fn line(format: LedgerFormat, record: &Record) -> Option<String> {
    let page = Page::new(Colour::Plain, None);
    Form { page: &page, format, ledger: "1ed6e5" }.line(record)
}

#[test]
fn a_record_is_a_line_for_people() {
    let outcome = r#"{"call":"c","labels":["pii"],"outcome":"ok","session":"s","subject":{"id":"a","tenant":"t"},"tool":{"name":"run_python"}}"#;
    let records = [
        record("decision", DECISION),
        record("outcome", outcome),
        record("seal", r#"{"after_seq":0}"#),
        record("continues", r#"{"after_seq":7}"#),
        record("decision", "no JSON"),
    ];
    let lines: Vec<_> =
        records.iter().filter_map(|record| line(LedgerFormat::Text, record)).collect();
    insta::assert_snapshot!("text", lines.join("\n"));
}

/// Nothing of a stranger's text is obeyed by a terminal, nor ends the line.
#[test]
fn hostile_text_is_shown_safely() {
    let hostile = record("decision", HOSTILE);
    let shown = line(LedgerFormat::Text, &hostile).unwrap();
    assert!(!shown.contains(['\n', '\r', '\u{1b}', '\u{202e}', '\u{7}']), "{shown:?}");
    assert!(shown.contains("agent␛[2J"), "{shown}");
    for format in [LedgerFormat::Json, LedgerFormat::Opa] {
        let shown = line(format, &hostile).unwrap();
        assert!(!shown.contains(['\n', '\r', '\u{1b}']), "{shown:?}");
        assert!(serde_json::from_str::<Value>(&shown).is_ok());
    }
}

#[test]
fn a_decision_is_an_event_of_opa() {
    let shown = line(LedgerFormat::Opa, &record("decision", DECISION)).unwrap();
    let event: Value = serde_json::from_str(&shown).unwrap();
    let mut shown = event.clone();
    assert_eq!(shown["labels"]["version"].take(), env!("CARGO_PKG_VERSION"));
    insta::assert_snapshot!("opa", serde_json::to_string_pretty(&shown).unwrap());
    for absent in ["metrics", "nd_builtin_cache", "masked"] {
        assert_eq!(event.get(absent), None, "{absent}");
    }
    let masked = line(LedgerFormat::Opa, &record("decision", MASKED)).unwrap();
    let event: Value = serde_json::from_str(&masked).unwrap();
    assert_eq!(event["masked"], serde_json::json!(["/input/resource/arguments"]));
    assert_eq!(line(LedgerFormat::Opa, &record("outcome", "{}")), None);
}

#[test]
fn colour_is_for_the_decision_alone() {
    let page = Page::new(Colour::Coloured, None);
    let form = Form { page: &page, format: LedgerFormat::Text, ledger: "" };
    let shown = form.line(&record("decision", DECISION)).unwrap();
    assert!(shown.contains("\u{1b}[1;31mdenied (rule)\u{1b}[0m"), "{shown:?}");
}
