//! What was used and how much of it there may be.

use crate::call::{Allowances, DayCaps};
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

/// What may be used in a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Quota {
    /// What one subject may.
    pub(super) subject: DayCaps,
    /// What all subjects of one tenant together may.
    pub(super) tenant: DayCaps,
}

impl Quota {
    pub(super) fn within(self, allowed: &Allowances) -> Self {
        Self {
            subject: self.subject.within(allowed.subject.day),
            tenant: self.tenant.within(allowed.tenant.day),
        }
    }

    /// Whether there is a cap at all.
    pub(super) fn caps_anything(&self) -> bool {
        self.numbers().iter().any(Option::is_some)
    }

    /// The caps in the order of the database's columns, the subject's first.
    pub(super) fn numbers(&self) -> Vec<Option<u64>> {
        let caps = [self.subject, self.tenant].map(by_unit);
        caps.concat().into_iter().map(|(_, cap)| cap).collect()
    }

    /// The first cap that leaves no room for one call more.
    pub(super) fn reached(&self, subject: &Used, tenant: &Used) -> Option<Limit> {
        let of_tenant = || reached(self.tenant, Whose::Tenant, tenant);
        reached(self.subject, Whose::Subject, subject).or_else(of_tenant)
    }
}

const fn by_unit(caps: DayCaps) -> [(Unit, Option<u64>); 4] {
    [
        (Unit::Calls, caps.calls_per_day_max),
        (Unit::Tokens, caps.tokens_per_day_max),
        (Unit::Cost, caps.cost_microusd_per_day_max),
        (Unit::SandboxCpu, caps.sandbox_cpu_ms_per_day_max),
    ]
}

fn reached(caps: DayCaps, whose: Whose, used: &Used) -> Option<Limit> {
    let used = [used.calls, used.tokens, used.cost_microusd, used.sandbox_cpu_ms];
    by_unit(caps).into_iter().zip(used).find_map(|((unit, cap), used)| {
        cap.is_some_and(|cap| used >= cap).then_some(Limit::Day(whose, unit))
    })
}
