//! The bundle in force, and what became of the last attempt to replace it.

use super::{Guard, own_rules};
use crate::call::{Text, Timestamp};
use crate::policy::{Policy, Slot};
use crate::telemetry::Metrics;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The slot that holds the bundle, with its history of one.
#[derive(Debug)]
pub(super) struct Bundle {
    slot: Slot,
    status: Mutex<Status>,
}

/// When the bundle in force was loaded, and why a later one is not in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Status {
    pub(super) loaded: Timestamp,
    pub(super) error: Option<String>,
}

impl Bundle {
    pub(super) fn new(policy: Arc<Policy>, now: Timestamp) -> Self {
        Self { slot: Slot::new(policy), status: Mutex::new(Status { loaded: now, error: None }) }
    }

    pub(super) fn load(&self) -> Arc<Policy> {
        self.slot.load()
    }

    pub(super) fn digest(&self) -> Text {
        Arc::clone(self.load().digest())
    }

    pub(super) fn replace(&self, policy: Arc<Policy>, now: Timestamp) {
        self.slot.replace(policy);
        self.set(Status { loaded: now, error: None });
    }

    /// Keeps the bundle in force and remembers why the new one is not.
    pub(super) fn keep(&self, error: String) {
        let loaded = self.status().loaded;
        self.set(Status { loaded, error: Some(error) });
    }

    pub(super) fn status(&self) -> Status {
        self.status.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, status: Status) {
        *self.status.lock().unwrap_or_else(PoisonError::into_inner) = status;
    }
}

/// What a call needs, and whether it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readiness {
    /// The digest of the bundle in force.
    pub bundle: Text,
    /// When it was loaded.
    pub bundle_loaded: Timestamp,
    /// Why the last attempt to replace it failed, where it did. For the operator.
    pub bundle_error: Option<String>,
    /// Whether the ledger takes records.
    pub ledger: bool,
    /// Whether what is used can be counted, where it has to be.
    pub quotas: bool,
}

impl Guard {
    /// The bundle in force.
    pub fn policy(&self) -> Arc<Policy> {
        self.bundle.load()
    }

    /// Puts a newly loaded bundle in force. Calls under way keep the one that they began with.
    pub fn replace_policy(&self, policy: Arc<Policy>) {
        let now = self.now();
        tracing::info!(digest = &**policy.digest(), "a new bundle is in force");
        announce(&self.metrics, &policy, now);
        self.limits.put_in_force(policy.allowances());
        self.quotas.put_in_force(policy.allowances());
        self.bundle.replace(policy, now);
    }

    /// Keeps the bundle in force, since a new one does not load, and says so.
    pub fn keep_policy(&self, error: String) {
        tracing::error!(error, "the new bundle does not load, the last good one stays");
        self.bundle.keep(error);
        self.metrics.bundle_reload_failed();
    }

    /// Whether a call could be decided and recorded now.
    pub async fn check(&self) -> Readiness {
        let status = self.bundle.status();
        let (ledger, quotas) = tokio::join!(self.ledger.check(), self.quotas.check());
        let (ledger, quotas) = (is_fit("ledger", &ledger), is_fit("quotas", &quotas));
        Readiness {
            bundle: self.bundle.digest(),
            bundle_loaded: status.loaded,
            bundle_error: status.error,
            ledger,
            quotas,
        }
    }
}

fn is_fit(component: &'static str, checked: &Result<(), impl fmt::Display>) -> bool {
    if let Err(error) = checked {
        tracing::warn!(component, %error, "nothing can be written");
    }
    checked.is_ok()
}

/// Tells the metrics which bundle is in force.
pub(super) fn announce(metrics: &Metrics, policy: &Policy, now: Timestamp) {
    let rules = policy.rules().iter().map(|rule| &*rule.id);
    metrics.known_rules(&rules.chain(own_rules::ALL).collect::<Vec<_>>());
    metrics.bundle(policy.digest(), now.since_epoch());
}
