//! The limits in force: of what settings and a bundle say, the stricter.
//!
//! Must never let a bundle have more than settings do.

use super::rates::Rates;
use super::{Rate, Settings, Ticks};
use crate::call::{Allowance, Allowances};
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct InForce {
    pub(super) settings: Settings,
    pub(super) rates: Arc<Rates>,
}

impl InForce {
    pub(super) fn new(settings: Settings, ticks: &Ticks) -> Self {
        Self { rates: Arc::new(Rates::new(&settings, ticks)), settings }
    }

    /// What comes after it. Rates that stay the same go on counting; others begin anew.
    pub(super) fn next(&self, settings: Settings, ticks: &Ticks) -> Self {
        let rates = |settings: &Settings| (settings.subject, settings.tenant);
        if rates(&settings) == rates(&self.settings) {
            Self { settings, rates: Arc::clone(&self.rates) }
        } else {
            Self::new(settings, ticks)
        }
    }
}

impl Settings {
    /// These, but no more than is allowed.
    pub(super) fn within(&self, allowed: &Allowances) -> Self {
        let Allowances { subject, tenant, session } = allowed;
        Self {
            calls_at_once_per_subject_max: at_once(self.calls_at_once_per_subject_max, subject),
            calls_at_once_per_tenant_max: at_once(self.calls_at_once_per_tenant_max, tenant),
            subject: self.subject.within(subject),
            tenant: self.tenant.within(tenant),
            session: self.session.within(*session),
            ..self.clone()
        }
    }
}

fn at_once(max: usize, allowed: &Allowance) -> usize {
    let allowed = allowed.calls_at_once_max.map(|max| usize::try_from(max).unwrap_or(usize::MAX));
    allowed.map_or(max, |allowed| allowed.min(max))
}

impl Rate {
    fn within(self, allowed: &Allowance) -> Self {
        let Allowance { calls_per_second_max, burst_max, .. } = *allowed;
        Self {
            calls_per_second_max: calls_per_second_max
                .map_or(self.calls_per_second_max, |max| max.min(self.calls_per_second_max)),
            burst_max: burst_max.map_or(self.burst_max, |max| max.min(self.burst_max)),
        }
    }
}
