//! The documents that policy reads: complete, valid, and cut where they must be.

use super::super::engine::Document;
use super::{code, specimen};
use crate::call::{Json, Number};
use crate::policy::{Yielded, YieldedText};
use crate::redact::{Counts, Detector};

fn json(document: &Document) -> serde_json::Value {
    serde_json::from_str(&document.to_json()).unwrap()
}

fn schema() -> serde_json::Value {
    serde_json::from_str(include_str!("../../../fixtures/schema/facts.schema.json")).unwrap()
}

#[test]
fn facts_are_of_the_published_schema() {
    let request = json(&specimen());
    let facts = request.pointer("/context/code").unwrap();
    let errors: Vec<String> = jsonschema::validator_for(&schema())
        .unwrap()
        .iter_errors(facts)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert_eq!(errors, Vec::<String>::new());
}

/// The keys of the request document, as ARCHITECTURE.md states them.
#[test]
fn every_key_of_a_request_is_there() {
    let request = json(&specimen());
    let keys = |pointer: &str| -> String {
        let object = request.pointer(pointer).unwrap().as_object().unwrap();
        object.keys().cloned().collect::<Vec<_>>().join(" ")
    };
    for (pointer, expected) in [
        ("", "action api context point resource subject"),
        ("/subject", "authentication id roles tenant"),
        ("/resource", "annotations arguments name schema_digest server type"),
        ("/context", "approval code connection needs now result session"),
        ("/context/session", "cost_microusd history id labelled labels started step tokens"),
        ("/context/session/labelled/0", "call name session step"),
        ("/context/session/history/0", "decision labels outcome step tool"),
        ("/context/approval", "at by id note roles"),
        ("/context/connection", "host number obliged port target tls way"),
        ("/context/result", "detected drift exit_code files outcome texts truncated"),
        ("/context/result/drift/0", "arguments capability event line"),
        ("/context/result/files/0", "bytes detected digest media_type name"),
        ("/context/result/texts/0", "bytes name text whole"),
    ] {
        assert_eq!(keys(pointer), expected, "{pointer}");
    }
    for pointer in ["/context/result/detected", "/context/result/files/0/detected"] {
        assert_eq!(keys(pointer).split(' ').count(), Detector::COUNT, "{pointer}");
    }
}

#[test]
fn code_that_stands_too_deep_is_a_gap_and_no_silence() {
    let mut facts = super::specimen::facts_with(None);
    facts.parse.status = crate::facts::ParseStatus::Ok;
    facts.gaps.clear();
    for _ in 0..6 {
        let mut outer = facts.clone();
        for dynamic in &mut outer.dynamic {
            dynamic.nested = Some(Box::new(facts.clone()));
        }
        facts = outer;
    }
    let mut document = json(&code(&facts));
    let mut depth = 0;
    while let Some(nested) = document.pointer("/dynamic/0/nested") {
        assert_eq!(document.pointer("/coverage/complete"), Some(&true.into()));
        depth += 1;
        document = nested.clone();
    }
    assert_eq!(depth, 4);
    assert_eq!(document.pointer("/coverage/complete"), Some(&false.into()));
    assert_eq!(document.pointer("/coverage/gaps/0/kind"), Some(&"limit".into()));
}

#[test]
fn whole_numbers_are_kept_as_they_were_written() {
    for text in ["0", "-7", "123456789012345678901234567890", "9007199254740993"] {
        let tree = Json::Number(Number::new(text));
        assert_eq!(Document::from_tree(&tree).unwrap().to_json(), text);
    }
}

#[test]
fn policy_sees_the_beginning_of_a_text_and_is_told_so() {
    let text = "é".repeat(10);
    let told = |bytes_max: usize| {
        let yielded = Yielded {
            outcome: "failed",
            exit_code: Some(-1),
            truncated: true,
            texts: vec![YieldedText { name: "stdout", text: &text }],
            files: Vec::new(),
            detected: Counts::default(),
            drift: &[],
        };
        json(&super::result::result(&yielded, bytes_max))
    };
    let cut = told(5);
    let [seen, bytes, whole] =
        ["text", "bytes", "whole"].map(|key| cut.pointer(&format!("/texts/0/{key}")).unwrap());
    assert_eq!((seen, bytes, whole), (&"éé".into(), &20.into(), &false.into()));
    assert_eq!(cut.pointer("/exit_code"), Some(&(-1).into()));
    assert_eq!(told(20).pointer("/texts/0/whole"), Some(&true.into()));
}
