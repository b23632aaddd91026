//! The corpus through the extractor: whether the facts tell what each entry says an ideal reader
//! would find, or say by a gap of the right kind that they do not.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads its files, and fails where it cannot"
)]

mod bundle;
#[path = "expected/told.rs"]
mod told;

use regate::call::{Language, Source};
use regate::facts::{Catalogue, Limits, extract};
use regate::policy::{Code, Policy, Settings};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use told::Told;

/// Of a hundred entries, those whose every expected fact is told.
const ANSWERED_PERCENT_MIN: usize = 95;
/// Of a hundred entries, those that the facts of another entry may seem to answer: a mapping that
/// takes anything for an answer is no test.
const MISTAKEN_PERCENT_MAX: usize = 10;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/corpus/python.jsonl");

#[derive(Deserialize)]
struct Entry {
    id: String,
    code: String,
    expected_facts: Vec<String>,
}

impl Entry {
    fn told(&self, catalogue: &Catalogue) -> Told {
        let source = Source::new(Language::Python, self.code.as_bytes());
        let facts = Code::new(extract(&source, catalogue, &Limits::default()));
        Told::new(serde_json::from_str::<Value>(&facts.to_json()).unwrap())
    }

    fn missing(&self, told: &Told) -> Vec<&str> {
        let facts = self.expected_facts.iter().map(String::as_str);
        facts.filter(|fact| !told.answers(fact)).collect()
    }
}

fn corpus() -> Vec<Entry> {
    let text = std::fs::read_to_string(CORPUS).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_facts_tell_what_an_ideal_reader_would() {
    let policy = Policy::load(&bundle::shipped(), &Settings::default()).unwrap();
    let entries = corpus();
    let told: Vec<Told> = entries.iter().map(|entry| entry.told(policy.catalogue())).collect();
    let mut missing: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut answered = 0;
    for (entry, told) in entries.iter().zip(&told) {
        let lacking = entry.missing(told);
        answered += usize::from(lacking.is_empty());
        for fact in lacking {
            let kind = fact.split(':').next().unwrap_or_default();
            missing.entry(kind).or_default().push(format!("{} {fact}", entry.id));
        }
    }
    for (kind, facts) in &missing {
        println!("{kind}: {} missing: {facts:?}", facts.len());
    }
    let all = entries.len();
    println!("{answered} of {all} entries have all expected facts");
    assert!(all > 0, "the corpus is empty");
    assert!(answered * 100 >= all * ANSWERED_PERCENT_MIN, "{answered} of {all} are answered");

    let others = told.iter().cycle().skip(1);
    let mistaken = entries.iter().zip(others).filter(|(entry, other)| {
        !entry.expected_facts.is_empty() && entry.missing(other).is_empty()
    });
    let mistaken = mistaken.count();
    println!("{mistaken} of {all} entries seem to be answered by the facts of the next one");
    assert!(mistaken * 100 <= all * MISTAKEN_PERCENT_MAX, "{mistaken} of {all} are mistaken");
}
