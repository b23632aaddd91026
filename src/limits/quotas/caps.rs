//! What was used and how much of it there may be.

use crate::limits::limit::{Limit, Unit, Whose};

/// What was used in a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Used {
    /// Calls that were admitted.
    pub calls: u64,
    /// Tokens that clients reported.
    pub tokens: u64,
    /// Millionths of a US dollar that clients reported.
    pub cost_microusd: u64,
    /// CPU time of sandbox runs.
    pub sandbox_cpu_ms: u64,
}

/// How much may be used in a day; `None` for any amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Caps {
    /// Calls that are admitted.
    pub calls_per_day_max: Option<u64>,
    /// Tokens that clients report.
    pub tokens_per_day_max: Option<u64>,
    /// Millionths of a US dollar that clients report.
    pub cost_microusd_per_day_max: Option<u64>,
    /// CPU time of sandbox runs.
    pub sandbox_cpu_ms_per_day_max: Option<u64>,
}

impl Caps {
    /// Whether there is a cap at all.
    pub(super) fn any(&self) -> bool {
        self.by_unit().iter().any(|(_, cap)| cap.is_some())
    }

    /// The caps in the order of the database's columns.
    pub(super) const fn by_unit(&self) -> [(Unit, Option<u64>); 4] {
        [
            (Unit::Calls, self.calls_per_day_max),
            (Unit::Tokens, self.tokens_per_day_max),
            (Unit::Cost, self.cost_microusd_per_day_max),
            (Unit::SandboxCpu, self.sandbox_cpu_ms_per_day_max),
        ]
    }

    /// The first cap that leaves no room for one call more.
    pub(super) fn reached(&self, whose: Whose, used: &Used) -> Option<Limit> {
        let used = [used.calls, used.tokens, used.cost_microusd, used.sandbox_cpu_ms];
        let caps = self.by_unit().into_iter().zip(used);
        caps.into_iter().find_map(|((unit, cap), used)| {
            cap.is_some_and(|cap| used >= cap).then_some(Limit::Day(whose, unit))
        })
    }
}
