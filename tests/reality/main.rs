//! Reality against the facts: programs are run in the real sandbox, an audit hook tells what they
//! did, and nothing that they did may be missing from facts that claim to be complete; nor may a
//! program that policy permits do any harm.
//!
//! Three sources of programs: the corpus; routes written by hand, which also hold that the hook
//! sees what there is to see; and a grammar, whose pieces are tried one by one and in random
//! company: three programs of four are made of pieces that leave nothing unknown by themselves,
//! since a gap would forgive what stands beside it. `REGATE_REALITY_SEED` and `REGATE_REALITY_PROGRAMS` try other company and more of it.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test reads its fixtures, and ends where what it needs is missing"
)]

#[path = "../bundle/mod.rs"]
mod bundle;
#[path = "../calls/mod.rs"]
mod calls;
mod generate;
mod grammar;
mod judge;
mod routes;
mod sandbox;

use generate::Program;
use grammar::Grammar;
use judge::{Judge, Judged};
use regate::facts::drift::Kind;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::env;

/// Malicious entries of the corpus whose doing is observed. The others lack a library, are cut
/// off by the sandbox, or do not parse.
const OBSERVED_MIN: usize = 188;
/// Random programs of one run.
const PROGRAMS: usize = 250;
const SEED: u64 = 1;
/// Random programs that reach what they were made to reach, of a hundred.
const REACHED_PERCENT_MIN: usize = 70;
/// Random programs whose facts are complete, of a hundred: the others hold nothing.
const COMPLETE_PERCENT_MIN: usize = 50;

#[derive(Deserialize)]
struct Entry {
    id: String,
    label: String,
    code: String,
}

fn setting(name: &str) -> Option<u64> {
    env::var(name).ok().map(|value| value.parse().unwrap())
}

/// Fails where reality was not foretold, smallest program first.
fn hold(judged: &[Judged]) {
    let complete = judged.iter().filter(|one| one.complete).count();
    let events: usize = judged.iter().map(|one| one.events).sum();
    let mut wrong: Vec<&Judged> =
        judged.iter().filter(|one| !one.unforetold.is_empty() || !one.harm.is_empty()).collect();
    println!(
        "{} programs, {events} events, {complete} complete, {} mismatches",
        judged.len(),
        wrong.len()
    );
    wrong.sort_by_key(|one| one.code.len());
    for one in &wrong {
        println!("--- {}\n{}", one.name, one.code.trim_end());
        println!("not foretold: {:#?}\npermitted harm: {:#?}", one.unforetold, one.harm);
    }
    assert!(wrong.is_empty(), "{} programs did what their facts do not tell", wrong.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_in_the_corpus_does_more_than_its_facts_tell() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/corpus/python.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let entries: Vec<Entry> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let programs = entries.iter().map(|entry| (entry.id.clone(), entry.code.clone())).collect();
    let judged = Judge::new().judge(programs).await;
    let observed = entries.iter().zip(&judged).filter(|(entry, one)| {
        entry.label == "malicious" && one.kinds.iter().any(|kind| *kind != Kind::Module)
    });
    let observed = observed.count();
    println!("{observed} malicious entries are seen at it");
    hold(&judged);
    assert!(observed >= OBSERVED_MIN, "only {observed} malicious entries are seen at it");
}

#[tokio::test(flavor = "multi_thread")]
async fn routes_written_by_hand_are_seen_and_foretold() {
    let routes = routes::all();
    let programs = routes.iter().map(|route| (route.name.clone(), route.code.clone())).collect();
    let judged = Judge::new().judge(programs).await;
    hold(&judged);
    let unseen = |route: &routes::Route, one: &Judged| match route.kind {
        Some(kind) => !one.kinds.contains(&kind),
        None => !one.permitted || !one.ended_well,
    };
    let mut complaints = Vec::new();
    for (route, one) in routes.iter().zip(&judged).filter(|(route, one)| unseen(route, one)) {
        complaints.push(format!("{}: {:?}, {}", route.name, one.kinds, one.complaint));
    }
    assert!(complaints.is_empty(), "not seen, or refused for nothing:\n{}", complaints.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn ordinary_scripts_do_what_their_facts_tell() {
    let judged = Judge::new().judge(ordinary()).await;
    hold(&judged);
    let broken: Vec<&str> =
        judged.iter().filter(|one| !one.ended_well).map(|one| &*one.name).collect();
    assert!(broken.is_empty(), "{broken:?}");
}

/// The scripts that have to be permitted.
fn ordinary() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/code/python/ordinary");
    let files = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().map(Result::unwrap);
    let files = files.filter(|entry| entry.file_type().is_file());
    files
        .map(|entry| {
            let name = entry.path().strip_prefix(folder).unwrap().display().to_string();
            (name, std::fs::read_to_string(entry.path()).unwrap())
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_piece_of_the_grammar_is_foretold() {
    let programs = generate::one_by_one(&Grammar::read());
    let judged = Judge::new().judge(named(&programs)).await;
    tell_refusals(&programs, &judged);
    hold(&judged);
    assert_reached(&programs, &judged);
}

#[tokio::test(flavor = "multi_thread")]
async fn random_programs_do_no_more_than_their_facts_tell() {
    let seed = setting("REGATE_REALITY_SEED").unwrap_or(SEED);
    let count = setting("REGATE_REALITY_PROGRAMS");
    let count = count.map_or(PROGRAMS, |count| usize::try_from(count).unwrap());
    println!("seed {seed}");
    let (grammar, judge) = (Grammar::read(), Judge::new());
    let understood = generate::understood(&grammar, |code| judge.understands(code));
    let mut programs = generate::random(&grammar, seed, count / 4);
    programs.extend(generate::random(&understood, seed, count - count / 4));
    let judged = judge.judge(named(&programs)).await;
    tell_refusals(&programs, &judged);
    hold(&judged);
    assert_reached(&programs, &judged);
    let complete = judged.iter().filter(|one| one.complete).count();
    assert!(complete * 100 >= count * COMPLETE_PERCENT_MIN, "only {complete} are complete");
}

fn named(programs: &[Program]) -> Vec<(String, String)> {
    programs.iter().map(|one| (one.shape.clone(), one.code.clone())).collect()
}

/// A program that fails before it reaches what it is about shows nothing.
fn assert_reached(programs: &[Program], judged: &[Judged]) {
    let harmful = programs.iter().zip(judged).filter(|(program, _)| program.kind.is_some());
    let (mut reached, mut all) = (0, 0);
    for (program, one) in harmful {
        all += 1;
        if one.kinds.contains(&program.kind.unwrap()) {
            reached += 1;
        } else {
            println!("not reached: {}: {}", program.shape, one.complaint);
        }
    }
    println!("{reached} of {all} reach what they were made to reach");
    assert!(reached * 100 >= all * REACHED_PERCENT_MIN, "{reached} of {all} reach it");
}

/// Harmless programs that are refused, by shape: what the facts could still learn.
fn tell_refusals(programs: &[Program], judged: &[Judged]) {
    let harmless = programs.iter().zip(judged).filter(|(program, _)| program.kind.is_none());
    let (mut all, mut shapes) = (0, BTreeMap::new());
    for (program, one) in harmless.filter(|(_, one)| one.ended_well) {
        all += 1;
        if !one.permitted {
            shapes.insert(program.shape.clone(), one.refusal.clone());
        }
    }
    println!("{} of {all} harmless programs are refused", shapes.len());
    for (shape, refusal) in shapes {
        println!("refused: {shape}: {refusal}");
    }
}
