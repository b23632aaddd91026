//! What Regate itself has to say of a call, in the form of a rule's finding.
//!
//! Must never carry an error's own text: these are for callers.

use super::own_rules;
use crate::limits::{Limit, Reached};
use crate::policy::{Cause, Finding, Severity};

/// What there is to say of a denial of which no rule said anything: no caller is left without a
/// reason. Where nothing permits a call, the cause alone says all.
pub(super) fn unexplained(cause: Cause) -> Option<Finding> {
    match cause {
        Cause::Indeterminate(_) => Some(broken()),
        Cause::Arguments => Some(unreadable()),
        Cause::Obligation => Some(obligation("sandbox")),
        Cause::Sandbox => Some(unavailable()),
        Cause::Interrupted => Some(interrupted()),
        Cause::Rule
        | Cause::NoMatch
        | Cause::Coverage
        | Cause::Limit
        | Cause::Quotas
        | Cause::Ledger
        | Cause::Files
        | Cause::Approval => None,
    }
}

pub(super) fn limit(reached: Reached) -> Finding {
    let wait = reached.retry_after_ms.unwrap_or_default();
    let remedy = match reached.limit {
        Limit::CallsAtOnce(_) | Limit::Rate(_) | Limit::Day(..) => {
            format!("Try again in {wait} ms.")
        }
        Limit::SessionSteps | Limit::SessionTime | Limit::SessionTokens | Limit::SessionCost => {
            "Call no more: end this run, and report what is done and what is not.".to_owned()
        }
        Limit::Loop => "The same call was refused again and again. Change what it was refused \
                        for, do something else, or stop and say what is refused."
            .to_owned(),
    };
    own(own_rules::LIMIT, format!("the limit `{}` is reached", reached.limit.as_str()), remedy)
}

pub(super) fn uncounted() -> Finding {
    own(
        own_rules::QUOTAS,
        "the call cannot be counted, and what cannot be counted does not run".to_owned(),
        "Try again later; the operator is told.".to_owned(),
    )
}

pub(super) fn ledger() -> Finding {
    own(
        own_rules::LEDGER,
        "the call cannot be recorded, and what cannot be recorded does not run".to_owned(),
        "Try again later; the operator is told.".to_owned(),
    )
}

fn unavailable() -> Finding {
    own(
        own_rules::EFFECT,
        "what would carry out the call is not available".to_owned(),
        "Try again later; the operator is told.".to_owned(),
    )
}

fn interrupted() -> Finding {
    own(
        own_rules::EFFECT,
        "the call was begun and broke off; what became of it is not known".to_owned(),
        "It may have had its effect: look before you try again. The operator is told.".to_owned(),
    )
}

pub(super) fn unlabelled() -> Finding {
    own(
        own_rules::WITHHELD,
        "the call ran, its labels cannot be recorded, and so its result is withheld".to_owned(),
        "Try again later; the operator is told.".to_owned(),
    )
}

pub(super) fn unrecorded() -> Finding {
    own(
        own_rules::WITHHELD,
        "the call ran, its files cannot be recorded, and so its result is withheld".to_owned(),
        "Try again later; the operator is told.".to_owned(),
    )
}

pub(super) fn withheld() -> Finding {
    own(
        own_rules::WITHHELD,
        "the call failed; what it read is to be labelled, so nothing of its output is shown"
            .to_owned(),
        "Mend the call so that it ends without an error, and it is shown what it printed."
            .to_owned(),
    )
}

pub(super) fn unreleased() -> Finding {
    own(
        own_rules::WITHHELD,
        "the call ran, and policy does not let its result be handed out".to_owned(),
        "Do not send the same call again, it would run again; change what it yields.".to_owned(),
    )
}

/// A file that is not handed out for what stands in it; its name where that may be told.
pub(super) fn barred(name: Option<&str>, detectors: &str) -> Finding {
    let file = name.map_or_else(|| "a file".to_owned(), |name| format!("the file `{name}`"));
    own(
        own_rules::FILES,
        format!(
            "{file} is neither handed out nor kept, since it holds what is not for you: {detectors}"
        ),
        "Leave that out of what is written, names included; do not write it otherwise.".to_owned(),
    )
}

pub(super) fn unkept(limit: Option<&str>) -> Finding {
    let (why, remedy) = match limit {
        Some(limit) => (
            format!("the limit `{limit}` is reached"),
            "Write fewer or smaller files, or remove some of the session's.",
        ),
        None => (
            "they cannot be stored".to_owned(),
            "Try again later, where running it twice does no harm; the operator is told.",
        ),
    };
    let message =
        format!("the call ran, and its files are not kept, so its result is not handed out: {why}");
    own(own_rules::FILES, message, remedy.to_owned())
}

pub(super) fn obligation(name: &str) -> Finding {
    own(
        own_rules::OBLIGATION,
        format!("policy asks for `{name}`, which this tool cannot fulfil"),
        "Do not try the same call again; the policy's authors have to change it.".to_owned(),
    )
}

pub(super) fn broken() -> Finding {
    own(
        own_rules::INTERNAL,
        "the call could not be judged".to_owned(),
        "Do not try the same call again; the operator is told.".to_owned(),
    )
}

fn unreadable() -> Finding {
    own(
        own_rules::ARGUMENTS,
        "the arguments hold a number that policy cannot read".to_owned(),
        "Send numbers of a usual size.".to_owned(),
    )
}

fn own(rule: &str, message: String, remedy: String) -> Finding {
    Finding {
        rule: rule.into(),
        span: None,
        message: message.into(),
        severity: Severity::Medium,
        remedy: remedy.into(),
    }
}
