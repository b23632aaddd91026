//! Admission never exceeds its bounds and every place comes back.

use super::{settings, subject};
use crate::limits::{Limit, Limits, Settings, Ticket, Whose};
use proptest::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn limits(total: usize, per_subject: usize) -> Arc<Limits> {
    let settings = Settings {
        calls_at_once_max: total,
        calls_at_once_per_subject_max: per_subject,
        ..settings()
    };
    super::limits(&settings).0
}

#[test]
fn each_limit_is_named() {
    let limits = limits(3, 2);
    let (ada, bob) = (subject("acme", "ada"), subject("acme", "bob"));
    let _first = limits.admit(&ada).unwrap();
    let _second = limits.admit(&ada).unwrap();
    let refused = limits.admit(&ada).unwrap_err();
    assert_eq!(refused.limit, Limit::CallsAtOnce(Some(Whose::Subject)));
    assert!(refused.retry_after_ms > Some(0));
    let _third = limits.admit(&bob).unwrap();
    assert_eq!(limits.admit(&bob).unwrap_err().limit, Limit::CallsAtOnce(None));
}

#[test]
fn a_tenant_leaves_places_to_the_others() {
    let settings = Settings { calls_at_once_max: 3, calls_at_once_per_tenant_max: 2, ..settings() };
    let (limits, _) = super::limits(&settings);
    let _held = ["ada", "bob"].map(|id| limits.admit(&subject("acme", id)).unwrap());
    let refused = limits.admit(&subject("acme", "cyd")).unwrap_err();
    assert_eq!(refused.limit, Limit::CallsAtOnce(Some(Whose::Tenant)));
    assert!(limits.admit(&subject("umbrella", "ada")).is_ok());
}

#[test]
fn one_id_in_two_tenants_is_two_subjects() {
    let limits = limits(8, 1);
    let _first = limits.admit(&subject("acme", "ada")).unwrap();
    let _second = limits.admit(&subject("umbrella", "ada")).unwrap();
    assert!(limits.admit(&subject("acme", "ada")).is_err());
}

#[test]
fn nothing_is_admitted_where_nothing_may_be_in_flight() {
    assert!(limits(0, 8).admit(&subject("acme", "ada")).is_err());
    assert!(limits(8, 0).admit(&subject("acme", "ada")).is_err());
}

#[test]
fn a_panic_gives_the_place_back() {
    let limits = limits(1, 1);
    let ada = subject("acme", "ada");
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _ticket = limits.admit(&ada).unwrap();
        panic!("the call fails");
    }));
    assert!(panicked.is_err());
    assert_eq!(limits.flight.lock().total, 0);
    assert!(limits.admit(&ada).is_ok());
}

#[test]
fn a_poisoned_lock_still_admits_and_gives_back() {
    let limits = limits(1, 1);
    let ada = subject("acme", "ada");
    let ticket = limits.admit(&ada).unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _held = limits.flight.lock();
        panic!("while the lock is held");
    }));
    assert!(panicked.is_err());
    assert!(limits.admit(&ada).is_err());
    drop(ticket);
    assert!(limits.admit(&ada).is_ok());
}

#[test]
fn no_subject_is_remembered_when_its_calls_have_ended() {
    let limits = limits(4, 4);
    for number in 0..10_000 {
        let ticket = limits.admit(&subject("acme", &format!("agent-{number}")));
        assert!(ticket.is_ok());
    }
    assert!(limits.flight.lock().by_holder.is_empty());
    assert!(limits.flight.lock().by_tenant.is_empty());
}

#[test]
fn threads_together_never_exceed_the_limit() {
    let limits = limits(3, 3);
    let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..2_000 {
                    if let Ok(_ticket) = limits.admit(&subject("acme", "ada")) {
                        let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                        most.fetch_max(now, Ordering::SeqCst);
                        running.fetch_sub(1, Ordering::SeqCst);
                    }
                }
            });
        }
    });
    assert!((1..=3).contains(&most.load(Ordering::SeqCst)));
    assert_eq!(limits.flight.lock().total, 0);
}

/// One thing that happens: a subject's call begins, or the n-th running call ends.
#[derive(Debug, Clone)]
enum Event {
    Begin(usize),
    End(usize),
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event =
        prop_oneof![(0..4_usize).prop_map(Event::Begin), (0..16_usize).prop_map(Event::End),];
    proptest::collection::vec(event, 0..200)
}

proptest! {
    #[test]
    fn any_order_of_events_keeps_the_bounds(
        events in events(),
        total in 0..6_usize,
        per_subject in 0..4_usize,
    ) {
        let limits = limits(total, per_subject);
        let mut running: Vec<(usize, Ticket)> = Vec::new();
        for event in events {
            match event {
                Event::Begin(who) => {
                    let held = running.iter().filter(|(holder, _)| *holder == who).count();
                    let room = held < per_subject && running.len() < total;
                    let admitted = limits.admit(&subject("acme", &who.to_string()));
                    prop_assert_eq!(admitted.is_ok(), room);
                    running.extend(admitted.ok().map(|ticket| (who, ticket)));
                }
                Event::End(index) if index < running.len() => {
                    drop(running.swap_remove(index));
                }
                Event::End(_) => {}
            }
            prop_assert_eq!(limits.flight.lock().total, running.len());
        }
        drop(running);
        prop_assert_eq!(limits.flight.lock().total, 0);
        prop_assert!(limits.flight.lock().by_holder.is_empty());
    }
}
