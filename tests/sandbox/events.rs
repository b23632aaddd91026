//! What the observer in the sandbox tells of a program.

use super::bench::{Bench, policy, program};
use regate::call::{Language, Source};
use regate::facts::drift::{Event, Kind, drift};
use regate::facts::{Limits, extract};
use regate::sandbox::{End, Run};
use std::collections::BTreeSet;

/// What each event is, and what it was given first.
fn done(run: &Run) -> BTreeSet<(Option<Kind>, &str)> {
    let table = policy().events().unwrap();
    let first = |event: &'_ Event| table.doing(event);
    let told = run.events.iter().map(|event| {
        (first(event), event.arguments.first().map(|argument| &**argument).unwrap_or_default())
    });
    told.filter(|(kind, _)| kind.is_some_and(|kind| kind != Kind::Module)).collect()
}

#[tokio::test]
async fn what_a_program_does_is_told() {
    let bench = Bench::new();
    let run = bench.run_observed(program!("events/done")).await;
    assert_eq!(run.end, End::Exited(0), "{}", run.stderr);
    let expected = [
        (Some(Kind::Process), ""),
        (Some(Kind::Network), "<socket>"),
        (Some(Kind::Read), "/etc/hostname"),
        (Some(Kind::Read), "/usr"),
        (Some(Kind::Write), "a.txt"),
        (Some(Kind::Dynamic), "1 + 1"),
        (Some(Kind::Dynamic), "<string>"),
        (Some(Kind::Environment), "HOME"),
    ];
    assert_eq!(done(&run), BTreeSet::from(expected));
    assert!(!run.events_cut);
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn what_the_interpreter_does_by_itself_is_not_told() {
    let bench = Bench::new();
    let run = bench.run_observed(program!("events/done_twin")).await;
    assert_eq!(run.end, End::Exited(1));
    assert_eq!(run.stdout, "[1, 2]\n");
    assert!(run.stderr.ends_with("JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)\n"));
    assert_eq!(done(&run), BTreeSet::new());
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn who_asks_for_nothing_is_told_nothing() {
    let bench = Bench::new();
    assert_eq!(bench.run(program!("events/done")).await.events, []);
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn more_than_is_told_does_no_harm() {
    let bench = Bench::new();
    let run = bench.run_observed(program!("events/many")).await;
    assert_eq!((run.end, &*run.stdout), (End::Exited(0), "done\n"), "{}", run.stderr);
    assert!(run.events_cut || run.events.len() >= 3_000);
    let source = Source::new(Language::Python, b"print(1)".as_slice());
    let facts = extract(&source, policy().catalogue(), &Limits::default());
    let strayed = drift(&run.events, &facts, policy().events().unwrap());
    assert_eq!(strayed.len(), 100);
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn what_a_program_writes_in_the_observer_s_place_is_told_as_such() {
    let bench = Bench::new();
    let run = bench.run_observed(program!("events/forged")).await;
    assert_eq!(run.stdout, "done\n");
    let last = run.events.last().unwrap();
    assert_eq!(&*last.name, "observer.unreadable");
    bench.leaves_nothing().await;
}
