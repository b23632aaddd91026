//! What is counted and timed of the sandbox.
//!
//! Must never make a call fail, nor show of the pool, a host or a profile what is there no more.

use super::super::Error;
use super::super::names;
use super::super::registering::{counters, gauges, histograms, whole_gauge};
use super::{count, observe, whole};
use prometheus::{HistogramVec, IntCounterVec, IntGauge, IntGaugeVec, Registry};
use std::time::Duration;

/// From 5 ms to 60 s: from a warm container's small program to the longest wall time.
const BUCKETS: &[f64] =
    &[0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];

/// Every metric of the sandbox.
#[derive(Debug)]
pub struct Sandbox {
    seconds: HistogramVec,
    outcomes: IntCounterVec,
    waiting: IntGauge,
    pool: IntGaugeVec,
    hosts: IntGaugeVec,
    containers: IntGaugeVec,
    runs: IntGaugeVec,
    profiles: IntGaugeVec,
}

/// What there is on a Docker host now.
#[derive(Debug, Clone, Copy)]
pub struct OnHost {
    /// Programs that run, or are about to.
    pub runs: u32,
    /// Containers, from when one is ordered until it is gone.
    pub containers: usize,
}

impl Sandbox {
    pub(super) fn new(on: &Registry) -> Result<Self, Error> {
        Ok(Self {
            seconds: histograms(on, &names::SANDBOX_SECONDS, BUCKETS)?,
            outcomes: counters(on, &names::SANDBOX_OUTCOMES)?,
            waiting: whole_gauge(on, &names::SANDBOX_WAITING)?,
            pool: gauges(on, &names::SANDBOX_POOL)?,
            hosts: gauges(on, &names::SANDBOX_HOSTS)?,
            containers: gauges(on, &names::SANDBOX_CONTAINERS)?,
            runs: gauges(on, &names::SANDBOX_RUNS)?,
            profiles: gauges(on, &names::SANDBOX_PROFILES)?,
        })
    }

    /// `regate_sandbox_seconds{stage}`: `wait`, `run`.
    pub fn stage(&self, stage: &'static str, took: Duration) {
        observe(&self.seconds, stage, took);
    }

    /// `regate_sandbox_outcomes_total{outcome}`
    pub fn outcome(&self, outcome: &'static str) {
        count(&self.outcomes, &[outcome]);
    }

    /// `regate_sandbox_waiting`
    pub fn waiting(&self, waiting: usize) {
        self.waiting.set(whole(waiting));
    }

    /// `regate_sandbox_pool`: how many containers there are, by host, by what they have imported and
    /// by state. What is not named any more is no longer shown.
    pub fn pool<'a>(&self, counts: impl IntoIterator<Item = ([&'a str; 3], usize)>) {
        self.pool.reset();
        for (labels, count) in counts {
            self.pool.with_label_values(&labels).add(whole(count));
        }
    }

    /// `regate_sandbox_hosts`, which of the states a host is in, `regate_sandbox_containers` and
    /// `regate_sandbox_runs`.
    pub fn host(&self, host: &str, states: &[(&'static str, bool)], now: OnHost) {
        let gauge = |state| self.hosts.with_label_values(&[host, state]);
        states.iter().for_each(|(state, holds)| gauge(state).set(i64::from(*holds)));
        self.containers.with_label_values(&[host]).set(whole(now.containers));
        self.runs.with_label_values(&[host]).set(now.runs.into());
    }

    /// `regate_sandbox_profiles`: each one's state. What is not named any more is not shown.
    pub fn profiles<'a>(&self, states: impl IntoIterator<Item = (&'a str, &'static str)>) {
        self.profiles.reset();
        for (profile, state) in states {
            self.profiles.with_label_values(&[profile, state]).set(1);
        }
    }
}
