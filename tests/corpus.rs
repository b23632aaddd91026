//! The corpus through the extractor and the shipped policy: how much of what
//! is malicious is refused, and how much of what is ordinary.

#![expect(clippy::disallowed_methods, reason = "a test reads its files, and fails where it cannot")]

mod bundle;
mod calls;

use regate::call::{Language, Source, Tool};
use regate::facts::{Limits, extract};
use regate::policy::{Code, Policy, Ruling, Settings};
use serde::Deserialize;

/// Malicious entries that are refused.
const CAUGHT_MIN: usize = 196;
/// Ordinary entries that are permitted, contested ones included.
const PERMITTED_MIN: usize = 183;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/corpus/python.jsonl");

#[derive(Deserialize)]
struct Entry {
    id: String,
    label: String,
    technique: String,
    code: String,
    #[serde(default)]
    contested: bool,
}

/// The rules that refuse the code, or nothing where it is permitted.
fn refused(policy: &Policy, code: &str) -> Option<Vec<String>> {
    let source = Source::new(Language::Python, code.as_bytes());
    let facts = extract(&source, policy.catalogue(), &Limits::default());
    let mut call = calls::call(Tool::builtin(Tool::RUN_PYTHON));
    call.source = Some(source);
    let decision = policy.decide(&call, Some(&Code::new(facts)), &calls::context());
    match decision.ruling {
        Ruling::Permitted(_) => None,
        ruling @ (Ruling::Held(_) | Ruling::Denied(_)) => {
            let found = decision.findings.iter();
            let mut told: Vec<String> =
                found.map(|finding| format!("{}: {}", finding.rule, finding.message)).collect();
            told.push(ruling.cause().as_str().to_owned());
            Some(told)
        }
    }
}

#[test]
fn the_policy_tells_the_corpus_apart() {
    let settings = Settings { evaluation_ms_max: 5_000, ..Settings::default() };
    let policy = Policy::load(&bundle::shipped(), &settings).unwrap();
    let text = std::fs::read_to_string(CORPUS).unwrap();
    let entries = text.lines().map(|line| serde_json::from_str::<Entry>(line).unwrap());
    let (mut caught, mut malicious, mut permitted, mut ordinary) = (0, 0, 0, 0);
    for entry in entries {
        let refused = refused(&policy, &entry.code);
        let wanted = entry.label == "malicious";
        let (right, all) =
            if wanted { (&mut caught, &mut malicious) } else { (&mut permitted, &mut ordinary) };
        *all += 1;
        if refused.is_some() == wanted {
            *right += 1;
            continue;
        }
        let contested = if entry.contested { " (contested)" } else { "" };
        let told = refused.unwrap_or_else(|| vec!["missed".to_owned()]);
        println!("{}{contested}: {}: {told:?}", entry.id, entry.technique);
    }
    println!(
        "refused {caught} of {malicious} malicious, permitted {permitted} of {ordinary} others"
    );
    assert!(malicious > 0 && ordinary > 0, "the corpus is empty");
    assert!(caught >= CAUGHT_MIN, "{caught} of {malicious} were refused");
    assert!(permitted >= PERMITTED_MIN, "{permitted} of {ordinary} were permitted");
}
