//! What the caller is told, before a door gives it the form of its protocol.

use crate::call::{CallId, Text};
use crate::policy::{Cause, Finding};
use crate::redact::Counts;

/// The answer to one call.
#[derive(Debug)]
pub struct Answer<T> {
    /// The call.
    pub call: CallId,
    /// What became of it.
    pub conclusion: Conclusion<T>,
    /// Why.
    pub cause: Cause,
    /// What the rules said; sorted.
    pub findings: Vec<Finding>,
    /// The digest of the bundle that was in force.
    pub policy: Text,
    /// Whether the facts tell the whole story; `None` for a call without code.
    pub coverage_complete: Option<bool>,
    /// When to try again, where that is known.
    pub retry_after_ms: Option<u64>,
    /// What was taken out of the result.
    pub redactions: Counts,
    /// The approval that it waits for.
    pub approval: Option<Text>,
    /// The page where a person answers that.
    pub approval_page: Option<Text>,
}

/// What became of a call.
#[derive(Debug)]
pub enum Conclusion<T> {
    /// It was permitted; `None` where only the decision was asked for.
    Permitted(Option<T>),
    /// It was permitted and had its effect, and what came of that is not handed out.
    Withheld,
    /// It waits for a person.
    Held,
    /// It had no effect.
    Denied,
}

impl<T> Conclusion<T> {
    /// The word in replies and metrics.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Permitted(_) | Self::Withheld => "permitted",
            Self::Held => "held",
            Self::Denied => "denied",
        }
    }
}

impl<T> Answer<T> {
    /// Whether the same call could be answered otherwise later, with nothing about it changed.
    pub const fn retryable(&self) -> bool {
        match self.cause {
            Cause::Rule => self.approval.is_some(),
            // A session that is over is not to be waited for.
            Cause::Limit => self.retry_after_ms.is_some(),
            Cause::Quotas | Cause::Ledger | Cause::Sandbox => true,
            // It may have been done, or was and would be again.
            Cause::Interrupted | Cause::Files => false,
            Cause::NoMatch
            | Cause::Approval
            | Cause::Coverage
            | Cause::Indeterminate(_)
            | Cause::Obligation
            | Cause::Arguments => false,
        }
    }
}
