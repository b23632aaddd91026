//! What the ledger is told of a call.

use super::case::Case;
use super::effect::Outcome;
use crate::call::{CallId, Json, Timestamp};
use crate::ledger::{DecisionRecord, OutcomeRecord};
use crate::policy::Decision;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The decision, and its effect where it is permitted.
    Act,
    /// The decision alone: the record says so, and it is no step of its session.
    Advise,
}

pub(super) fn decision(case: &Case, decision: &Decision, purpose: Purpose) -> DecisionRecord {
    let call = &case.call;
    DecisionRecord {
        call: call.id.clone(),
        received: call.received,
        door: call.door,
        subject: call.subject.clone(),
        session: case.session(),
        tool: call.tool.clone(),
        arguments: call.arguments.clone(),
        code: case.code.as_ref().map(|code| code.facts().digest.clone()),
        coverage_complete: case.coverage_complete(),
        decision: decision.ruling.as_str(),
        cause: decision.ruling.cause(),
        findings: decision.findings.clone(),
        policy: decision.policy.clone(),
        advisory: purpose == Purpose::Advise,
    }
}

pub(super) fn outcome(
    call: CallId,
    ended: Timestamp,
    outcome: Outcome,
    summary: Json,
) -> OutcomeRecord {
    OutcomeRecord { call, ended, outcome: outcome.as_str(), summary }
}

/// The summary of an effect that has nothing to show but why.
pub(super) fn reason(reason: &str) -> Json {
    Json::Object(vec![("reason".into(), Json::String(reason.into()))])
}
