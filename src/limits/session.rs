//! How long a session may be, in steps and in time.
//!
//! A caller can begin another session at will, so these bound a run that goes round in circles
//! and nobody's total: what counts for that is counted by subject. Calls that are judged at the
//! same time are the same step, so that as many may pass together.

use super::Settings;
use super::limit::{Limit, Reached};
use crate::call::{Session, Timestamp};

/// Whether one more call fits into the session.
pub(super) fn check(settings: &Settings, session: &Session, now: Timestamp) -> Result<(), Reached> {
    let lasted = now.since_epoch().saturating_sub(session.started.since_epoch());
    let too_many = settings.session_steps_max.is_some_and(|max| session.step > max);
    let too_long = settings.session_ms_max.is_some_and(|max| lasted.as_millis() > max.into());
    // What is over does not come back by waiting.
    match (too_many, too_long) {
        (true, _) => Err(Reached { limit: Limit::SessionSteps, retry_after_ms: None }),
        (false, true) => Err(Reached { limit: Limit::SessionTime, retry_after_ms: None }),
        (false, false) => Ok(()),
    }
}
