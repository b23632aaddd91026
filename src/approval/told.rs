//! What the caller of a held call is told, in the form of a rule's finding.

use crate::call::Text;
use crate::policy::{Finding, Hold, Severity};

/// The id of these findings.
pub const RULE: &str = "regate/hold";

/// It waits, and the same call will find the answer.
pub fn held(hold: &Hold, id: &Text) -> Finding {
    finding(
        format!("the call has to be approved by {}, and waits as `{id}`", whom(hold)),
        "Send the same call with the same arguments again later, and it is answered. Do not \
         change it: that would be another question.",
    )
}

/// It would wait, were more asked for than advice.
pub fn would_be_held(hold: &Hold) -> Finding {
    finding(
        format!("the call has to be approved by {}", whom(hold)),
        "Send it to be carried out, and somebody is asked.",
    )
}

/// Too much waits already.
pub fn unanswerable() -> Finding {
    finding(
        "the limit `questions` is reached: too many calls wait to be approved already".to_owned(),
        "Wait until those are answered.",
    )
}

/// A person said no; what was noted with it is for the caller.
pub fn refused(note: Option<&Text>) -> Finding {
    let said = note.filter(|note| !note.is_empty());
    let said = said.map_or_else(String::new, |note| format!(": {note}"));
    finding(
        format!("a person refused the call{said}"),
        "Do not try the same call again; tell the person you work for.",
    )
}

/// Nobody answered, or nobody came for the answer, in time.
pub fn expired() -> Finding {
    finding(
        "the time for which an approval was waited for, or held, is over".to_owned(),
        "Send the call again, and somebody is asked anew.",
    )
}

/// Another call was first.
pub fn spent() -> Finding {
    finding(
        "the approval was for one call, and another was first".to_owned(),
        "Send the call again only where it has to happen twice, and somebody is asked anew.",
    )
}

fn whom(hold: &Hold) -> String {
    match hold.approvers.as_slice() {
        [] => "a person".to_owned(),
        roles => format!("a person with one of the roles {}", roles.join(", ")),
    }
}

fn finding(message: String, remedy: &str) -> Finding {
    Finding {
        rule: RULE.into(),
        span: None,
        message: message.into(),
        severity: Severity::Medium,
        remedy: remedy.into(),
    }
}
