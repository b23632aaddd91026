//! What look-ups need of a record, read from its body.
//!
//! One reading for the writer and for the verifier, so that a column can never rightly say
//! anything but what the hashed body says.

use super::Error;
use super::approvals::{BodyConcern, Change};
use super::body::{ANSWER, CONNECTION, CONTINUES, DECISION, FILE, OUTCOME, SEAL, USAGE};
use crate::call::Usage;
use serde::Deserialize;

/// The columns of a record that its body determines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) kind: String,
    pub(super) call: Option<String>,
    pub(super) at_ms: i64,
    pub(super) tenant: Option<String>,
    pub(super) subject: Option<String>,
    pub(super) session: Option<String>,
    pub(super) tool: Option<String>,
    pub(super) decision: Option<String>,
    pub(super) cause: Option<String>,
    pub(super) outcome: Option<String>,
    pub(super) labels: Option<String>,
    pub(super) approval: Option<String>,
}

/// What a body says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) columns: Columns,
    pub(super) place: Place,
    /// What it changes about approvals, and what the change needs beside the columns.
    pub(super) change: Option<Change>,
    /// What it reports to have been used.
    pub(super) usage: Option<Usage>,
    /// The server of the tool.
    pub(super) server: Option<String>,
    /// The digest of the bundle.
    pub(super) policy: Option<String>,
    /// Sessions whose last step was received before this begin anew; said where a file begins.
    pub(super) forgotten_before_ms: Option<i64>,
}

/// Whether a record is a step of its session: only decisions that an effect may follow are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Step,
    Aside,
}

#[derive(Deserialize)]
struct Body {
    kind: String,
    call: Option<String>,
    at_ms: i64,
    subject: Option<BodySubject>,
    session: Option<String>,
    tool: Option<BodyTool>,
    decision: Option<String>,
    cause: Option<String>,
    advisory: Option<bool>,
    outcome: Option<String>,
    #[serde(default)]
    labels: Vec<String>,
    forgotten_before_ms: Option<i64>,
    policy: Option<String>,
    approval: Option<BodyConcern>,
    tokens: Option<u64>,
    cost_microusd: Option<u64>,
}

#[derive(Deserialize)]
struct BodySubject {
    id: String,
    tenant: String,
}

#[derive(Deserialize)]
struct BodyTool {
    name: String,
    server: String,
}

/// Reads a body.
///
/// # Errors
/// Where it is not the body of a record.
pub(super) fn read(body: &str) -> Result<Reading, Error> {
    let body: Body =
        serde_json::from_str(body).map_err(|error| Error::Malformed(error.to_string()))?;
    let place = match (body.kind.as_str(), body.advisory, &body.call) {
        (DECISION, Some(false), Some(_)) => Place::Step,
        (DECISION, Some(true), Some(_))
        | (CONNECTION | OUTCOME | ANSWER | USAGE | FILE, None, Some(_)) => Place::Aside,
        (SEAL | CONTINUES, None, None) => Place::Aside,
        _ => return Err(Error::Malformed(format!("the kind `{}`", body.kind))),
    };
    let (subject, tenant) = body.subject.map(|subject| (subject.id, subject.tenant)).unzip();
    let (tool, server) = body.tool.map(|tool| (tool.name, tool.server)).unzip();
    let columns = Columns {
        kind: body.kind,
        call: body.call,
        at_ms: body.at_ms,
        tenant,
        subject,
        session: body.session,
        tool,
        decision: body.decision,
        cause: body.cause,
        outcome: body.outcome,
        labels: list(&body.labels)?,
        approval: body.approval.as_ref().map(|concern| concern.id().to_owned()),
    };
    let change = body.approval.map(BodyConcern::change).transpose()?.flatten();
    let usage = body.tokens.zip(body.cost_microusd);
    let usage = usage.map(|(tokens, cost_microusd)| Usage { tokens, cost_microusd });
    Ok(Reading {
        columns,
        place,
        change,
        usage,
        server,
        policy: body.policy,
        forgotten_before_ms: body.forgotten_before_ms,
    })
}

/// A JSON list, where there is something in it.
fn list(texts: &[String]) -> Result<Option<String>, Error> {
    if texts.is_empty() {
        return Ok(None);
    }
    let list = serde_json::to_string(texts);
    list.map(Some).map_err(|error| Error::Malformed(error.to_string()))
}

impl Columns {
    /// The first column in which the two differ.
    pub(super) fn difference(&self, other: &Self) -> Option<&'static str> {
        [
            ("kind", self.kind == other.kind),
            ("call", self.call == other.call),
            ("at_ms", self.at_ms == other.at_ms),
            ("tenant", self.tenant == other.tenant),
            ("subject", self.subject == other.subject),
            ("session", self.session == other.session),
            ("tool", self.tool == other.tool),
            ("decision", self.decision == other.decision),
            ("cause", self.cause == other.cause),
            ("outcome", self.outcome == other.outcome),
            ("labels", self.labels == other.labels),
            ("approval", self.approval == other.approval),
        ]
        .into_iter()
        .find_map(|(name, same)| (!same).then_some(name))
    }
}
