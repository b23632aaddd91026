//! Limits hold, are named, and give back what they took.

mod alike;
mod fair;
mod flight;
mod flood;
mod rates;
mod session;
mod stricter;

use super::{Limits, Rate, Settings, Ticks};
use crate::call::{Authentication, Subject};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

fn subject(tenant: &str, id: &str) -> Subject {
    Subject {
        id: id.into(),
        tenant: tenant.into(),
        roles: Vec::new(),
        authentication: Authentication::ApiKey,
    }
}

fn rate(calls_per_second_max: u32, burst_max: u32) -> Rate {
    let number = |number| NonZeroU32::new(number).unwrap();
    Rate { calls_per_second_max: number(calls_per_second_max), burst_max: number(burst_max) }
}

/// Rates that no test reaches by chance.
fn settings() -> Settings {
    let plenty = rate(1_000_000, 1_000_000);
    Settings {
        calls_at_once_max: 1_000,
        calls_at_once_per_subject_max: 1_000,
        calls_at_once_per_tenant_max: 1_000,
        subject: plenty,
        tenant: plenty,
        ..Settings::default()
    }
}

/// Time that passes when it is told to.
#[derive(Clone, Default)]
struct Time(Arc<AtomicU64>);

impl Time {
    fn ticks(&self) -> Ticks {
        let ms = Arc::clone(&self.0);
        Ticks::new(move || Duration::from_millis(ms.load(Ordering::SeqCst)))
    }

    fn pass(&self, ms: u64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }
}

fn limits(settings: &Settings) -> (Arc<Limits>, Time) {
    let time = Time::default();
    (Limits::new(settings, time.ticks()), time)
}
