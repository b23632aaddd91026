//! When what goes on now has to be over, whatever the gateway or the program do.
//!
//! Must never be put off by either.

use nix::poll::PollTimeout;
use std::time::{Duration, Instant};

/// A moment; none, where it is further off than clocks count.
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    /// So long from now.
    pub(crate) fn after(time: Duration) -> Self {
        Self(Instant::now().checked_add(time))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.0.is_some_and(|until| Instant::now() >= until)
    }

    /// How long nothing may happen.
    pub(crate) fn patience(&self) -> PollTimeout {
        let Some(until) = self.0 else { return PollTimeout::NONE };
        // A millisecond more: a wait that is cut short would be repeated for nothing.
        let left = until.saturating_duration_since(Instant::now()) + Duration::from_millis(1);
        PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)
    }
}
