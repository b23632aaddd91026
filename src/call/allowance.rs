//! How much may be used, as one of those who may say so says it.
//!
//! Must never stand for less than is written: what is left out bounds nothing.

use std::num::NonZeroU32;

/// How much each subject, each tenant and each session may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Allowances {
    /// One subject.
    pub subject: Allowance,
    /// All subjects of one tenant together.
    pub tenant: Allowance,
    /// One session.
    pub session: SessionCaps,
}

/// How much one of those that are counted may use; `None` for any amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Allowance {
    /// Calls in flight at once.
    pub calls_at_once_max: Option<u64>,
    /// Calls in a second, in the long run.
    pub calls_per_second_max: Option<NonZeroU32>,
    /// Calls that may come all at once after a pause.
    pub burst_max: Option<NonZeroU32>,
    /// In a day.
    pub day: DayCaps,
}

/// How much may be used in a day; `None` for any amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DayCaps {
    /// Calls that are admitted.
    pub calls_per_day_max: Option<u64>,
    /// Tokens that clients report.
    pub tokens_per_day_max: Option<u64>,
    /// Millionths of a US dollar that clients report.
    pub cost_microusd_per_day_max: Option<u64>,
    /// CPU time of sandbox runs.
    pub sandbox_cpu_ms_per_day_max: Option<u64>,
}

/// How much a session may use; `None` for any amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SessionCaps {
    /// Steps.
    pub steps_max: Option<u64>,
    /// The time from the first call to the last.
    pub ms_max: Option<u64>,
    /// Tokens that clients report.
    pub tokens_max: Option<u64>,
    /// Millionths of a US dollar that clients report.
    pub cost_microusd_max: Option<u64>,
}

impl DayCaps {
    /// The stricter of two, each by each.
    #[must_use]
    pub fn within(self, other: Self) -> Self {
        Self {
            calls_per_day_max: stricter(self.calls_per_day_max, other.calls_per_day_max),
            tokens_per_day_max: stricter(self.tokens_per_day_max, other.tokens_per_day_max),
            cost_microusd_per_day_max: stricter(
                self.cost_microusd_per_day_max,
                other.cost_microusd_per_day_max,
            ),
            sandbox_cpu_ms_per_day_max: stricter(
                self.sandbox_cpu_ms_per_day_max,
                other.sandbox_cpu_ms_per_day_max,
            ),
        }
    }
}

impl SessionCaps {
    /// The stricter of two, each by each.
    #[must_use]
    pub fn within(self, other: Self) -> Self {
        Self {
            steps_max: stricter(self.steps_max, other.steps_max),
            ms_max: stricter(self.ms_max, other.ms_max),
            tokens_max: stricter(self.tokens_max, other.tokens_max),
            cost_microusd_max: stricter(self.cost_microusd_max, other.cost_microusd_max),
        }
    }
}

fn stricter(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (some, None) | (None, some) => some,
    }
}
