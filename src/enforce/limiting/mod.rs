//! Limits in the story of a call: step 2, what a session may still do, and what was used.
//!
//! Must never take a failure to count for room.

mod files;
mod usage;

pub use files::{FileChange, Unchanged};
pub use usage::Unreported;

use super::case::Case;
use super::{Guard, Purpose, findings};
use crate::call::{Session, Timestamp};
use crate::limits::quotas::{self, Used};
use crate::limits::{Reached, Ticket};
use crate::policy::{Cause, Decision, Ruling};

/// Why a call is not admitted.
#[derive(Debug, Clone, Copy)]
pub(super) enum Refusal {
    /// A limit was reached.
    Limit(Reached),
    /// What is used cannot be counted.
    Uncounted,
}

impl Refusal {
    pub(super) fn denial(&self, case: &Case) -> Decision {
        match self {
            Self::Limit(reached) => case.deny(Cause::Limit, findings::limit(*reached)),
            Self::Uncounted => case.deny(Cause::Quotas, findings::uncounted()),
        }
    }

    /// When to try again, where that is known.
    pub(super) const fn retry_after_ms(&self) -> Option<u64> {
        match self {
            Self::Limit(reached) => reached.retry_after_ms,
            Self::Uncounted => None,
        }
    }
}

impl Guard {
    /// Step 2: a ticket, or the limit that was reached. What was refused again and again is not
    /// counted as a call of the day.
    pub(super) async fn admit(&self, case: &Case) -> Result<Ticket, Refusal> {
        let admitted = self.admit_counted(case).await;
        if let Err(Refusal::Limit(reached)) = &admitted {
            self.metrics.limit(reached.limit.as_str());
        }
        admitted
    }

    async fn admit_counted(&self, case: &Case) -> Result<Ticket, Refusal> {
        let subject = &case.call.subject;
        let ticket = self.limits.admit(subject).map_err(Refusal::Limit)?;
        if let Some(likeness) = &case.likeness {
            self.limits.check_alike(subject, likeness).map_err(Refusal::Limit)?;
        }
        match self.quotas.admit(subject, self.now()).await {
            Ok(Ok(())) => Ok(ticket),
            Ok(Err(reached)) => Err(Refusal::Limit(reached)),
            Err(error) => {
                self.count_failed(&error);
                Err(Refusal::Uncounted)
            }
        }
    }

    /// Whether the session has room for the call as its next step.
    pub(super) fn fits_session(&self, session: &Session, now: Timestamp) -> Result<(), Refusal> {
        self.limits.check_session(session, now).map_err(|reached| {
            self.metrics.limit(reached.limit.as_str());
            Refusal::Limit(reached)
        })
    }

    /// Remembers a call that was judged and refused, so that the same one is not judged without
    /// end. To ask for the decision alone is no attempt.
    pub(super) fn note_refusal(&self, case: &Case, ruling: &Ruling, purpose: Purpose) {
        let refused = match (purpose, ruling) {
            (Purpose::Act, Ruling::Denied(cause)) => is_of_the_call(*cause),
            (Purpose::Act, Ruling::Permitted(_) | Ruling::Held(_)) | (Purpose::Advise, _) => false,
        };
        if let (true, Some(likeness)) = (refused, &case.likeness) {
            self.limits.note_refusal(&case.call.subject, likeness);
        }
    }

    /// Counts what an effect used. It was had, so that a failure refuses only what comes later.
    pub(super) async fn note_use(&self, case: &Case, cpu_ms: u64) {
        let used = Used { sandbox_cpu_ms: cpu_ms, ..Used::default() };
        if let Err(error) = self.quotas.add(&case.call.subject, self.now(), &used).await {
            self.count_failed(&error);
        }
    }

    fn count_failed(&self, error: &quotas::Error) {
        tracing::error!(%error, "what is used cannot be counted");
        self.metrics.quotas_error(error.as_str());
    }
}

/// Whether a cause lies in the call itself, so that the same call would be refused again.
const fn is_of_the_call(cause: Cause) -> bool {
    match cause {
        Cause::Rule
        | Cause::NoMatch
        | Cause::Coverage
        | Cause::Indeterminate(_)
        | Cause::Obligation
        | Cause::Approval
        | Cause::Arguments => true,
        Cause::Limit
        | Cause::Quotas
        | Cause::Ledger
        | Cause::Sandbox
        | Cause::Interrupted
        | Cause::Files => false,
    }
}
