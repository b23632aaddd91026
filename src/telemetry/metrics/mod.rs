//! What is counted and timed, in a registry of the gateway's own.
//!
//! Must never make a call fail: a metric that cannot be had is left out. Must never read a
//! clock: moments are handed in as the time since 1970-01-01T00:00:00Z.

mod sandbox;

use super::names;
use super::registering::{counter, counters, gauge, gauges, histograms, whole_gauge};
use super::{Error, logs};
use prometheus::{
    Gauge, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Registry, TextEncoder,
};
pub use sandbox::{OnHost, Sandbox};
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

/// From 50 µs to 1 s: a decision takes well under a millisecond, and its limit is 500 ms.
const DECISION_BUCKETS: &[f64] = &[
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
    1.0,
];

/// The label of a finding whose rule is not one of the loaded bundle's.
const OTHER_RULE: &str = "other";

/// Every metric of the gateway. Labels come from closed sets or configured names only.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    /// Of the sandbox.
    pub sandbox: Sandbox,
    calls: IntCounterVec,
    messages_refused: IntCounterVec,
    calls_in_flight: IntGauge,
    findings: IntCounterVec,
    decision_seconds: HistogramVec,
    facts_coverage: IntCounterVec,
    limits: IntCounterVec,
    files: IntCounterVec,
    quotas_errors: IntCounterVec,
    drift: IntCounterVec,
    connections: IntCounterVec,
    usage_tokens: IntCounter,
    usage_cost: IntCounter,
    labels: IntCounter,
    redactions: IntCounterVec,
    holds: IntGauge,
    holds_total: IntCounterVec,
    notices: IntCounterVec,
    indeterminate: IntCounterVec,
    ledger_errors: IntCounterVec,
    ledger_bytes: Gauge,
    ledger_sealed_files: IntGauge,
    interrupted: IntCounter,
    bundle_info: IntGaugeVec,
    bundle_age_seconds: Gauge,
    bundle_reload_failures: IntCounter,
    log_lines_lost: IntCounter,
    ready: IntGaugeVec,
    start_time_seconds: Gauge,
    rules: RwLock<BTreeSet<String>>,
    bundle_loaded: RwLock<Option<Duration>>,
}

/// Whether a component is fit for calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is.
    Ready,
    /// It is not.
    Unready,
}

/// One call that is counted as in flight until this is dropped.
#[derive(Debug)]
#[must_use = "a call is in flight for as long as this is kept"]
pub struct InFlight(IntGauge);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Metrics {
    /// Registers every metric.
    ///
    /// # Errors
    /// Where two metrics have one name.
    pub fn new() -> Result<Arc<Self>, Error> {
        let registry = Registry::new();
        let on = &registry;
        Ok(Arc::new(Self {
            sandbox: Sandbox::new(on)?,
            calls: counters(on, &names::CALLS)?,
            messages_refused: counters(on, &names::MESSAGES_REFUSED)?,
            calls_in_flight: whole_gauge(on, &names::CALLS_IN_FLIGHT)?,
            findings: counters(on, &names::FINDINGS)?,
            decision_seconds: histograms(on, &names::DECISION_SECONDS, DECISION_BUCKETS)?,
            facts_coverage: counters(on, &names::FACTS_COVERAGE)?,
            limits: counters(on, &names::LIMITS)?,
            files: counters(on, &names::FILES)?,
            quotas_errors: counters(on, &names::QUOTAS_ERRORS)?,
            drift: counters(on, &names::DRIFT)?,
            connections: counters(on, &names::CONNECTIONS)?,
            usage_tokens: counter(on, &names::USAGE_TOKENS)?,
            usage_cost: counter(on, &names::USAGE_COST)?,
            labels: counter(on, &names::LABELS)?,
            redactions: counters(on, &names::REDACTIONS)?,
            holds: whole_gauge(on, &names::HOLDS)?,
            holds_total: counters(on, &names::HOLDS_TOTAL)?,
            notices: counters(on, &names::NOTICES)?,
            indeterminate: counters(on, &names::INDETERMINATE)?,
            ledger_errors: counters(on, &names::LEDGER_ERRORS)?,
            ledger_bytes: gauge(on, &names::LEDGER_BYTES)?,
            ledger_sealed_files: whole_gauge(on, &names::LEDGER_SEALED_FILES)?,
            interrupted: counter(on, &names::INTERRUPTED)?,
            bundle_info: gauges(on, &names::BUNDLE_INFO)?,
            bundle_age_seconds: gauge(on, &names::BUNDLE_AGE_SECONDS)?,
            bundle_reload_failures: counter(on, &names::BUNDLE_RELOAD_FAILURES)?,
            log_lines_lost: counter(on, &names::LOG_LINES_LOST)?,
            ready: gauges(on, &names::READY)?,
            start_time_seconds: gauge(on, &names::START_TIME_SECONDS)?,
            rules: RwLock::default(),
            bundle_loaded: RwLock::default(),
            registry,
        }))
    }

    /// The Prometheus text format, version 0.0.4, as it stands `now`.
    pub fn render(&self, now: Duration) -> String {
        let loaded = *self.bundle_loaded.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = loaded {
            let age = now.saturating_sub(loaded);
            self.bundle_age_seconds.set(age.as_secs_f64());
        }
        self.log_lines_lost.inc_by(logs::lost());
        let mut text = String::new();
        if let Err(error) = TextEncoder::new().encode_utf8(&self.registry.gather(), &mut text) {
            tracing::warn!(%error, "metrics are incomplete");
        }
        text
    }

    /// `regate_calls_total{door,tool,decision,cause}`
    pub fn call(
        &self,
        door: &'static str,
        tool: &'static str,
        decision: &'static str,
        cause: &'static str,
    ) {
        count(&self.calls, &[door, tool, decision, cause]);
    }

    /// `regate_messages_refused_total{reason}`: `key`, `host`, `origin`, `role`.
    pub fn message_refused(&self, reason: &'static str) {
        count(&self.messages_refused, &[reason]);
    }

    /// `regate_calls_in_flight`, which counts the call until what is answered here is dropped.
    pub fn call_begins(&self) -> InFlight {
        self.calls_in_flight.inc();
        InFlight(self.calls_in_flight.clone())
    }

    /// The rules of the bundle in force, which are the only labels that a finding may have.
    /// Each is shown from zero; those of an earlier bundle that are gone are no longer shown.
    pub fn known_rules(&self, rules: &[&str]) {
        let mut known = self.rules.write().unwrap_or_else(PoisonError::into_inner);
        let told: BTreeSet<String> = rules.iter().map(|rule| (*rule).to_owned()).collect();
        for gone in known.difference(&told).filter(|rule| *rule != OTHER_RULE) {
            // A rule without a finding may have no series to remove.
            let _ = self.findings.remove_label_values(&[gone.as_str()]);
        }
        for rule in told.iter().map(String::as_str).chain([OTHER_RULE]) {
            // To ask for a counter is what makes it show.
            let _ = self.findings.get_metric_with_label_values(&[rule]);
        }
        *known = told;
    }

    /// `regate_findings_total{rule}`; a rule that is not among the known ones counts as `other`.
    pub fn finding(&self, rule: &str) {
        let known = self.rules.read().unwrap_or_else(PoisonError::into_inner);
        let label = if known.contains(rule) { rule } else { OTHER_RULE };
        count(&self.findings, &[label]);
    }

    /// `regate_decision_seconds{stage}`: `facts`, `policy`, `ledger`, `result`.
    pub fn decision_stage(&self, stage: &'static str, took: Duration) {
        observe(&self.decision_seconds, stage, took);
    }

    /// `regate_facts_coverage_total{complete}`
    pub fn coverage(&self, complete: &'static str) {
        count(&self.facts_coverage, &[complete]);
    }

    /// `regate_limits_total{limit}`
    pub fn limit(&self, limit: &'static str) {
        count(&self.limits, &[limit]);
    }

    /// `regate_files_total{state}`
    pub fn files(&self, state: &'static str, count: u64) {
        if let Ok(files) = self.files.get_metric_with_label_values(&[state]) {
            files.inc_by(count);
        }
    }

    /// `regate_quotas_errors_total{error}`
    pub fn quotas_error(&self, error: &'static str) {
        count(&self.quotas_errors, &[error]);
    }

    /// `regate_drift_total`
    pub fn drift(&self, capability: &'static str) {
        self.drift.with_label_values(&[capability]).inc();
    }

    /// `regate_connections_total`
    pub fn connection(&self, decision: &'static str, cause: &'static str) {
        self.connections.with_label_values(&[decision, cause]).inc();
    }

    /// `regate_usage_tokens_total` and `regate_usage_cost_microusd_total`, which grow by so many.
    pub fn usage(&self, tokens: u64, cost_microusd: u64) {
        self.usage_tokens.inc_by(tokens);
        self.usage_cost.inc_by(cost_microusd);
    }

    /// `regate_labels_total`, which grows by so many.
    pub fn labels(&self, put_on: usize) {
        self.labels.inc_by(u64::try_from(put_on).unwrap_or(u64::MAX));
    }

    /// `regate_redactions_total{detector}`, which grows by so many.
    pub fn redactions(&self, detector: &'static str, count: u32) {
        if let Ok(redactions) = self.redactions.get_metric_with_label_values(&[detector]) {
            redactions.inc_by(u64::from(count));
        }
    }

    /// `regate_holds_total{state}`
    pub fn hold(&self, state: &'static str) {
        count(&self.holds_total, &[state]);
    }

    /// `regate_holds`: how many questions are open.
    pub fn holds_open(&self, open: u64) {
        self.holds.set(whole(open));
    }

    /// `regate_notices_total{outcome}`
    pub fn notice(&self, outcome: &'static str) {
        count(&self.notices, &[outcome]);
    }

    /// `regate_indeterminate_total{fault}`
    pub fn indeterminate(&self, fault: &'static str) {
        count(&self.indeterminate, &[fault]);
    }

    /// `regate_ledger_errors_total{error}`
    pub fn ledger_error(&self, error: &'static str) {
        count(&self.ledger_errors, &[error]);
    }

    /// `regate_ledger_bytes` and `regate_ledger_sealed_files`
    pub fn ledger_size(&self, bytes: u64, sealed_files: usize) {
        self.ledger_bytes.set(bytes as f64);
        self.ledger_sealed_files.set(whole(sealed_files));
    }

    /// `regate_outcomes_interrupted_total`, which grows by so many.
    pub fn interrupted(&self, count: u64) {
        self.interrupted.inc_by(count);
    }

    /// `regate_bundle_info{digest}` is 1 for the bundle in force, and no other is shown;
    /// `regate_bundle_age_seconds` counts from `loaded`.
    pub fn bundle(&self, digest: &str, loaded: Duration) {
        let mut bundle_loaded = self.bundle_loaded.write().unwrap_or_else(PoisonError::into_inner);
        self.bundle_info.reset();
        if let Ok(info) = self.bundle_info.get_metric_with_label_values(&[digest]) {
            info.set(1);
        }
        *bundle_loaded = Some(loaded);
    }

    /// `regate_bundle_reload_failures_total`
    pub fn bundle_reload_failed(&self) {
        self.bundle_reload_failures.inc();
    }

    /// `regate_ready{component}`
    pub fn ready(&self, component: &'static str, state: State) {
        if let Ok(ready) = self.ready.get_metric_with_label_values(&[component]) {
            ready.set(match state {
                State::Ready => 1,
                State::Unready => 0,
            });
        }
    }

    /// `regate_start_time_seconds`
    pub fn started(&self, at: Duration) {
        self.start_time_seconds.set(at.as_secs_f64());
    }
}

/// As a gauge holds it.
fn whole(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

fn count(counters: &IntCounterVec, labels: &[&str]) {
    if let Ok(counter) = counters.get_metric_with_label_values(labels) {
        counter.inc();
    }
}

fn observe(histograms: &HistogramVec, stage: &'static str, took: Duration) {
    if let Ok(histogram) = histograms.get_metric_with_label_values(&[stage]) {
        histogram.observe(took.as_secs_f64());
    }
}
