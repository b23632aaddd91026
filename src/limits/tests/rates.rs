//! Rates and their bursts, and when to try again.

use super::{limits, rate, settings, subject};
use crate::limits::{Limit, Limits, Reached, Settings, Whose};

fn admitted(limits: &Limits, who: (&str, &str), times: usize) -> usize {
    (0..times).filter(|_| limits.admit(&subject(who.0, who.1)).is_ok()).count()
}

fn refused(limits: &Limits, who: (&str, &str)) -> Reached {
    limits.admit(&subject(who.0, who.1)).unwrap_err()
}

#[test]
fn a_burst_is_admitted_and_then_the_rate() {
    let (limits, time) = limits(&Settings { subject: rate(10, 5), ..settings() });
    assert_eq!(admitted(&limits, ("acme", "ada"), 20), 5);
    assert_eq!(refused(&limits, ("acme", "ada")).limit, Limit::Rate(Whose::Subject));
    let mut total = 0;
    for _ in 0..100 {
        time.pass(50);
        total += admitted(&limits, ("acme", "ada"), 20);
    }
    assert_eq!(total, 50, "five seconds at ten a second");
    time.pass(60_000);
    assert_eq!(admitted(&limits, ("acme", "ada"), 20), 5, "a pause saves up no more than a burst");
}

#[test]
fn whoever_waits_as_told_is_admitted_and_not_before() {
    let (limits, time) = limits(&Settings { subject: rate(3, 1), ..settings() });
    for _ in 0..20 {
        assert_eq!(admitted(&limits, ("acme", "ada"), 1), 1);
        let wait = refused(&limits, ("acme", "ada")).retry_after_ms.unwrap();
        time.pass(wait - 1);
        assert_eq!(admitted(&limits, ("acme", "ada"), 1), 0);
        time.pass(1);
    }
}

#[test]
fn a_subject_takes_nothing_from_another_and_one_id_in_two_tenants_is_two_subjects() {
    let (limits, _) = limits(&Settings { subject: rate(1, 2), ..settings() });
    for who in [("acme", "ada"), ("acme", "bob"), ("umbrella", "ada")] {
        assert_eq!(admitted(&limits, who, 10), 2, "{who:?}");
    }
}

#[test]
fn a_tenant_is_counted_as_a_whole() {
    let (limits, time) = limits(&Settings { tenant: rate(2, 4), ..settings() });
    assert_eq!(admitted(&limits, ("acme", "ada"), 3), 3);
    assert_eq!(admitted(&limits, ("acme", "bob"), 3), 1);
    assert_eq!(refused(&limits, ("acme", "cyd")).limit, Limit::Rate(Whose::Tenant));
    assert_eq!(admitted(&limits, ("umbrella", "ada"), 3), 3);
    time.pass(1_000);
    assert_eq!(admitted(&limits, ("acme", "cyd"), 10), 2);
}

#[test]
fn a_subject_that_asks_too_often_takes_nothing_from_its_tenant() {
    let settings = Settings { subject: rate(1, 2), tenant: rate(1, 4), ..settings() };
    let (limits, _) = limits(&settings);
    assert_eq!(admitted(&limits, ("acme", "ada"), 100), 2);
    assert_eq!(admitted(&limits, ("acme", "bob"), 100), 2);
}

#[test]
fn a_call_that_is_refused_for_its_rate_is_not_in_flight() {
    let settings = Settings { subject: rate(1, 1), calls_at_once_max: 1, ..settings() };
    let (limits, time) = limits(&settings);
    assert_eq!(admitted(&limits, ("acme", "ada"), 3), 1);
    time.pass(1_000);
    assert_eq!(admitted(&limits, ("acme", "ada"), 1), 1);
}
