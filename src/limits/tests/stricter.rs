//! Of what settings and a bundle say the stricter holds, and what comes later holds at once.

use super::{limits, rate, settings, subject};
use crate::call::{Allowance, Allowances, Session, SessionCaps, Timestamp};
use crate::limits::{Limit, Limits, Settings, Whose};
use std::num::NonZeroU32;

fn of_subjects(subject: Allowance) -> Allowances {
    Allowances { subject, ..Allowances::default() }
}

/// How many calls of a subject are admitted before one is refused, and by which limit.
fn admitted(limits: &std::sync::Arc<Limits>) -> (usize, Option<Limit>) {
    let mut tickets = Vec::new();
    for _ in 0..100 {
        match limits.admit(&subject("acme", "ada")) {
            Ok(ticket) => tickets.push(ticket),
            Err(reached) => return (tickets.len(), Some(reached.limit)),
        }
    }
    (tickets.len(), None)
}

#[test]
fn the_stricter_holds_whoever_says_it() {
    let at_once = Limit::CallsAtOnce(Some(Whose::Subject));
    for (of_settings, of_bundle, held) in [(5, Some(3), 3), (3, Some(5), 3), (4, None, 4)] {
        let (limits, _) =
            limits(&Settings { calls_at_once_per_subject_max: of_settings, ..settings() });
        limits.put_in_force(&of_subjects(Allowance {
            calls_at_once_max: of_bundle,
            ..Allowance::default()
        }));
        assert_eq!(admitted(&limits), (held, Some(at_once)));
    }
    let session = |steps_max| SessionCaps { steps_max, ..SessionCaps::default() };
    let now = Timestamp::from_unix_ms(0);
    for (of_settings, of_bundle) in [(Some(5), Some(3)), (Some(3), Some(5)), (None, Some(3))] {
        let (limits, _) = limits(&Settings { session: session(of_settings), ..settings() });
        let allowed = Allowances { session: session(of_bundle), ..Allowances::default() };
        limits.put_in_force(&allowed);
        let check = |step| {
            limits.check_session(&Session { step, ..Session::beginning("run", now) }, now).is_ok()
        };
        assert_eq!((check(3), check(4)), (true, false));
    }
}

#[test]
fn rates_change_with_the_bundle_and_stay_with_the_same() {
    let allowed = |number| {
        let rate = NonZeroU32::new(number);
        of_subjects(Allowance {
            calls_per_second_max: rate,
            burst_max: rate,
            ..Allowance::default()
        })
    };
    let often = Some(Limit::Rate(Whose::Subject));
    let (limits, time) = limits(&Settings { subject: rate(8, 8), ..settings() });
    limits.put_in_force(&allowed(3));
    assert_eq!(admitted(&limits), (3, often));
    // The same again gives nothing back.
    limits.put_in_force(&allowed(3));
    assert_eq!(admitted(&limits), (0, often));
    limits.put_in_force(&allowed(20));
    assert_eq!(admitted(&limits), (8, often), "no more than the settings allow");
    limits.put_in_force(&Allowances::default());
    assert_eq!(admitted(&limits), (0, often), "which is the rate that was in force");
    time.pass(1_000);
    assert_eq!(admitted(&limits), (8, often));
}
