//! What waits for a person.
//!
//! A held call has no effect. There is no desk yet at which a person could answer it, so the
//! caller is told what would be needed rather than left to wait. Must never turn a hold into a
//! permit: an approval is an input to a second decision, never a way round one.

use crate::policy::{Finding, Hold, Severity};

/// The id of the finding of a held call.
pub const RULE: &str = "regate/hold";

/// What the caller of a held call is told.
pub fn finding(hold: &Hold) -> Finding {
    let by = if hold.approvers.is_empty() {
        "a person".to_owned()
    } else {
        format!("a person with one of the roles {}", hold.approvers.join(", "))
    };
    Finding {
        rule: RULE.into(),
        span: None,
        message: format!("the call has to be approved by {by}, and was not").into(),
        severity: Severity::Medium,
        remedy: "Do not try the same call again; tell the person you work for.".into(),
    }
}
