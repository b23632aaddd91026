//! The time that rates and windows are counted by, handed in from outside.

use governor::clock::Clock;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A clock that only goes forward: the time since a moment that does not matter. The wall clock
/// would not do, since it may be set back, and would then refuse calls until it has caught up.
#[derive(Clone)]
pub struct Ticks(Arc<dyn Fn() -> Duration + Send + Sync>);

impl Ticks {
    /// Takes a function that never answers less than it did before.
    pub fn new(since: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self(Arc::new(since))
    }

    pub(super) fn now(&self) -> Duration {
        (self.0)()
    }
}

impl Clock for Ticks {
    type Instant = Duration;

    fn now(&self) -> Duration {
        Self::now(self)
    }
}

impl fmt::Debug for Ticks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Ticks")
    }
}
