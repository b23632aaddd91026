//! What the ledger is told of a call.

use super::Wanted;
use super::case::Case;
use super::effect::Outcome;
use crate::call::{Json, Text, Timestamp};
use crate::ledger::{ConnectionRecord, DecisionRecord, OutcomeRecord, Owner};
use crate::policy::{Decision, Finding};

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
        approval: None,
    }
}

/// A connection, and what was decided of it: the word for it, why, and what the rules said.
pub(super) fn connection(
    case: &Case,
    wanted: &Wanted,
    (decision, cause, findings): (&'static str, &'static str, Vec<Finding>),
    asked: Timestamp,
) -> ConnectionRecord {
    let call = &case.call;
    ConnectionRecord {
        call: call.id.clone(),
        asked,
        owner: owner(case),
        session: case.session(),
        tool: call.tool.clone(),
        number: wanted.number,
        host: wanted.host.clone(),
        port: wanted.port,
        way: wanted.way,
        decision,
        cause,
        findings,
        policy: case.policy.digest().clone(),
    }
}

fn owner(case: &Case) -> Owner {
    let subject = &case.call.subject;
    Owner { subject: subject.id.clone(), tenant: subject.tenant.clone() }
}

/// How an effect ended, and what it put on its subject.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) outcome: Outcome,
    pub(super) labels: Vec<Text>,
    pub(super) summary: Json,
}

impl Ended {
    /// An effect that yielded nothing, for this reason.
    pub(super) fn for_nothing(outcome: Outcome, reason: &str) -> Self {
        let summary = Json::Object(vec![("reason".into(), Json::String(reason.into()))]);
        Self { outcome, labels: Vec::new(), summary }
    }

    pub(super) fn record(self, case: &Case, ended: Timestamp) -> OutcomeRecord {
        let Self { outcome, labels, summary } = self;
        let call = &case.call;
        OutcomeRecord {
            call: call.id.clone(),
            ended,
            owner: owner(case),
            session: case.session(),
            tool: call.tool.clone(),
            outcome: outcome.as_str(),
            labels,
            summary,
        }
    }
}
