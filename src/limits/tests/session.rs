//! Sessions end after so many steps, and after so long.

use super::{limits, settings};
use crate::call::{Session, SessionCaps, Timestamp, Usage};
use crate::limits::{Limit, Settings};

fn reached(settings: &Settings, step: u64, after_ms: i64) -> Option<Limit> {
    reached_with(settings, Usage::default(), step, after_ms)
}

fn reached_with(settings: &Settings, usage: Usage, step: u64, after_ms: i64) -> Option<Limit> {
    let (limits, _) = limits(settings);
    let started = Timestamp::from_unix_ms(1_000_000);
    let session = Session { step, usage, ..Session::beginning("run", started) };
    let now = Timestamp::from_unix_ms(1_000_000 + after_ms);
    let reached = limits.check_session(&session, now).err()?;
    assert_eq!(reached.retry_after_ms, None, "what is over does not come back");
    Some(reached.limit)
}

#[test]
fn steps_and_time_are_bounded() {
    let settings = Settings {
        session: SessionCaps { steps_max: Some(3), ms_max: Some(5_000), ..SessionCaps::default() },
        ..settings()
    };
    assert_eq!(reached(&settings, 3, 5_000), None);
    assert_eq!(reached(&settings, 4, 0), Some(Limit::SessionSteps));
    assert_eq!(reached(&settings, 1, 5_001), Some(Limit::SessionTime));
    assert_eq!(reached(&settings, 1, -7), None, "a clock that was set back");
}

#[test]
fn what_is_reported_is_bounded() {
    let capped = |tokens_max, cost_microusd_max| {
        let session = SessionCaps { tokens_max, cost_microusd_max, ..SessionCaps::default() };
        Settings { session, ..settings() }
    };
    let used = |tokens, cost_microusd| Usage { tokens, cost_microusd };
    let (tokens, cost) = (capped(Some(100), None), capped(None, Some(100)));
    assert_eq!(reached_with(&tokens, used(99, 1_000), 1, 0), None);
    assert_eq!(reached_with(&tokens, used(100, 0), 1, 0), Some(Limit::SessionTokens));
    assert_eq!(reached_with(&cost, used(1_000, 99), 1, 0), None);
    assert_eq!(reached_with(&cost, used(0, 100), 1, 0), Some(Limit::SessionCost));
}

#[test]
fn without_a_limit_a_session_goes_on() {
    assert_eq!(reached(&settings(), u64::MAX, i64::MAX / 2), None);
}
