//! The loop breaker: what was refused as often as it may be, and what is another call.

use super::{limits, settings, subject};
use crate::limits::{Likeness, Limit, Limits, Settings};

fn call(number: u64) -> Likeness {
    *blake3::hash(&number.to_le_bytes()).as_bytes()
}

/// Asks and is refused so many times: how often it was judged.
fn judged(limits: &Limits, id: &str, number: u64, times: usize) -> usize {
    let subject = subject("acme", id);
    let judged = |_: &usize| {
        let checked = limits.check_alike(&subject, &call(number));
        if checked.is_ok() {
            limits.note_refusal(&subject, &call(number));
        }
        checked.is_ok()
    };
    (0..times).filter(judged).count()
}

#[test]
fn the_eleventh_of_the_same_is_not_judged_any_more() {
    let (limits, _) = limits(&settings());
    assert_eq!(judged(&limits, "ada", 1, 20), 10);
    let reached = limits.check_alike(&subject("acme", "ada"), &call(1)).unwrap_err();
    assert_eq!((reached.limit, reached.retry_after_ms), (Limit::Loop, Some(600_000)));
}

#[test]
fn another_call_and_another_subject_are_judged() {
    let (limits, _) = limits(&settings());
    assert_eq!(judged(&limits, "ada", 1, 20), 10);
    assert_eq!(judged(&limits, "ada", 2, 5), 5);
    assert_eq!(judged(&limits, "bob", 1, 5), 5);
}

#[test]
fn it_is_judged_again_when_it_was_waited_for_as_told() {
    let (limits, time) = limits(&Settings { refusals_alike_ms_max: 1_000, ..settings() });
    assert_eq!(judged(&limits, "ada", 1, 4), 4);
    time.pass(400);
    assert_eq!(judged(&limits, "ada", 1, 20), 6);
    let ada = subject("acme", "ada");
    let wait = limits.check_alike(&ada, &call(1)).unwrap_err().retry_after_ms.unwrap();
    assert_eq!(wait, 600);
    time.pass(wait - 1);
    assert!(limits.check_alike(&ada, &call(1)).is_err());
    time.pass(1);
    assert_eq!(judged(&limits, "ada", 1, 20), 10);
}

#[test]
fn refusals_that_are_far_apart_are_no_loop() {
    let (limits, time) = limits(&Settings { refusals_alike_ms_max: 1_000, ..settings() });
    for _ in 0..50 {
        assert_eq!(judged(&limits, "ada", 1, 1), 1);
        time.pass(200);
    }
}

#[test]
fn whoever_has_many_refused_calls_makes_only_its_own_forgotten() {
    let (limits, _) = limits(&settings());
    assert_eq!(judged(&limits, "bob", 1, 20), 10);
    for number in 0..100_000 {
        judged(&limits, "ada", number, 1);
    }
    assert_eq!(judged(&limits, "bob", 1, 20), 0);
    assert!(limits.alike.remembered() <= 257);
}
