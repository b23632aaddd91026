//! How many are busy at a place, and for how long without a break.

use std::time::Duration;
use tokio::time::Instant;

/// What is no break: the time between one call and the next of somebody who does not wait, the
/// decision on it and on its result included.
const BREAK_MIN: Duration = Duration::from_millis(20);

/// Those who are busy.
#[derive(Debug)]
pub(super) struct Busy {
    count: u32,
    /// When the first of them began after the last break.
    since: Instant,
    /// When the last of them ended.
    until: Instant,
}

impl Busy {
    /// Nobody, as of now.
    pub(super) fn nobody(now: Instant) -> Self {
        Self { count: 0, since: now, until: now }
    }

    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// One more.
    pub(super) fn begin(&mut self, now: Instant) {
        if self.lasts(now).is_none() {
            self.since = now;
        }
        self.count = self.count.saturating_add(1);
    }

    /// One less.
    pub(super) fn end(&mut self, now: Instant) {
        self.count = self.count.saturating_sub(1);
        self.until = now;
    }

    /// For how long there was no break; nothing where there is one now.
    pub(super) fn lasts(&self, now: Instant) -> Option<Duration> {
        let goes_on = self.count > 0 || now.saturating_duration_since(self.until) < BREAK_MIN;
        goes_on.then(|| now.saturating_duration_since(self.since))
    }
}
