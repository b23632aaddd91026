//! Calls in a second, with bursts: of a subject, and of all subjects of a tenant together.
//!
//! What is kept for each of them is never thrown away: tenants and subjects are those that keys
//! are configured for, so callers cannot make new ones.

use super::limit::{Limit, Reached, Whose};
use super::{Holder, Rate, Settings, Ticks};
use crate::call::Text;
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use std::hash::Hash;
use std::time::Duration;

type Limiter<K> = RateLimiter<K, HashMapStateStore<K>, Ticks, NoOpMiddleware<Duration>>;

#[derive(Debug)]
pub(super) struct Rates {
    ticks: Ticks,
    subjects: Limiter<Holder>,
    tenants: Limiter<Text>,
}

impl Rates {
    pub(super) fn new(settings: &Settings, ticks: &Ticks) -> Self {
        Self {
            ticks: ticks.clone(),
            subjects: limiter(settings.subject, ticks),
            tenants: limiter(settings.tenant, ticks),
        }
    }

    /// Takes one call from what both have left. The subject is asked first, so that a subject
    /// that asks too often takes nothing from the others of its tenant.
    pub(super) fn take(&self, holder: &Holder) -> Result<(), Reached> {
        self.take_from(&self.subjects, holder, Whose::Subject)?;
        self.take_from(&self.tenants, &holder.tenant, Whose::Tenant)
    }

    fn take_from<K: Hash + Eq + Clone>(
        &self,
        limiter: &Limiter<K>,
        key: &K,
        whose: Whose,
    ) -> Result<(), Reached> {
        limiter.check_key(key).map_err(|not_until| {
            let wait = not_until.wait_time_from(self.ticks.now());
            Reached { limit: Limit::Rate(whose), retry_after_ms: Some(ms_rounded_up(wait)) }
        })
    }
}

fn limiter<K: Hash + Eq + Clone>(rate: Rate, ticks: &Ticks) -> Limiter<K> {
    let quota = Quota::per_second(rate.calls_per_second_max).allow_burst(rate.burst_max);
    RateLimiter::new(quota, HashMapStateStore::default(), ticks.clone())
}

/// Whoever waits so long is not too early by a fraction.
fn ms_rounded_up(wait: Duration) -> u64 {
    u64::try_from(wait.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}
