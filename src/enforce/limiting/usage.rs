//! What clients report to have used.

use crate::call::{CallId, Subject, Text, Usage};
use crate::enforce::Guard;
use crate::ledger::UsageRecord;
use crate::limits::Reached;
use crate::limits::quotas::Used;
use std::sync::Arc;

/// Why a report was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreported {
    /// The subject reports too often.
    Limit(Reached),
    /// It cannot be recorded or counted.
    Unavailable,
}

impl Guard {
    /// Records what a subject used in a session, and counts it for the day: the record first.
    /// Runs to its end even where the caller goes away.
    ///
    /// # Errors
    /// Where it is not recorded and counted. What cannot be counted may be recorded all the same.
    pub async fn report(
        self: &Arc<Self>,
        subject: Subject,
        session: Text,
        usage: Usage,
    ) -> Result<CallId, Unreported> {
        let guard = Arc::clone(self);
        let story = async move { guard.take_report(subject, session, usage).await };
        self.stories.spawn(story).await.unwrap_or(Err(Unreported::Unavailable))
    }

    async fn take_report(
        &self,
        subject: Subject,
        session: Text,
        usage: Usage,
    ) -> Result<CallId, Unreported> {
        let _ticket = self.limits.admit(&subject).map_err(|reached| {
            self.metrics.limit(reached.limit.as_str());
            Unreported::Limit(reached)
        })?;
        let (report, received) = (self.call_id(), self.now());
        let record = UsageRecord {
            report: report.clone(),
            received,
            subject: subject.clone(),
            session,
            usage,
        };
        self.ledger.usage(record).await.map_err(|error| {
            tracing::error!(%error, "a report of usage cannot be recorded");
            self.metrics.ledger_error(error.as_str());
            Unreported::Unavailable
        })?;
        let Usage { tokens, cost_microusd } = usage;
        let used = Used { tokens, cost_microusd, ..Used::default() };
        self.quotas.add(&subject, received, &used).await.map_err(|error| {
            self.count_failed(&error);
            Unreported::Unavailable
        })?;
        self.metrics.usage(tokens, cost_microusd);
        Ok(report)
    }
}
