//! How long a session may be, in steps and in time, and what may be used in it.
//!
//! A caller can begin another session at will, so these bound a run that goes round in circles
//! and nobody's total: what counts for that is counted by subject. Calls that are judged at the
//! same time are the same step, so that as many may pass together.

use super::limit::{Limit, Reached};
use crate::call::{Session, SessionCaps, Timestamp};

/// Whether one more call fits into the session. What is reported is known afterwards: what uses
/// it up is the last that is let through.
pub(super) fn check(caps: &SessionCaps, session: &Session, now: Timestamp) -> Result<(), Reached> {
    let lasted = now.since_epoch().saturating_sub(session.started.since_epoch());
    let lasted_ms = u64::try_from(lasted.as_millis()).unwrap_or(u64::MAX);
    let done = session.step.saturating_sub(1);
    let reached = [
        (Limit::SessionSteps, caps.steps_max.is_some_and(|max| done >= max)),
        (Limit::SessionTime, caps.ms_max.is_some_and(|max| lasted_ms > max)),
        (Limit::SessionTokens, caps.tokens_max.is_some_and(|max| session.usage.tokens >= max)),
        (
            Limit::SessionCost,
            caps.cost_microusd_max.is_some_and(|max| session.usage.cost_microusd >= max),
        ),
    ];
    match reached.into_iter().find(|(_, is_reached)| *is_reached) {
        // What is over does not come back by waiting.
        Some((limit, _)) => Err(Reached { limit, retry_after_ms: None }),
        None => Ok(()),
    }
}
