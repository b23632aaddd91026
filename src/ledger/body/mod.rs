//! Records as the canonical JSON that is hashed and kept.
//!
//! Must never drop a field: what a record says, its body says.

mod arguments;
mod records;

pub use arguments::Arguments;
pub use records::{
    ConnectionRecord, DecisionRecord, FileAct, FileRecord, OutcomeRecord, Owner, UsageRecord,
};

use super::chain::Head;
use super::{AnswerRecord, Concern};
use crate::call::{Json, Number, Subject, Text, Timestamp, Tool};
use crate::policy::{Cause, Finding, FindingSpan};

/// The `kind` of a decision.
pub(super) const DECISION: &str = "decision";
/// The `kind` of an outcome.
pub(super) const OUTCOME: &str = "outcome";
/// The `kind` of a connection.
pub(super) const CONNECTION: &str = "connection";
/// The `kind` of an answer to a question.
pub(super) const ANSWER: &str = "answer";
/// The `kind` of a report of what was used.
pub(super) const USAGE: &str = "usage";
/// The `kind` of a change of a session's files that no call made.
pub(super) const FILE: &str = "file";

/// The `kind` of the record that ends a part of the chain.
pub(super) const SEAL: &str = "seal";
/// The `kind` of the record that the next part begins with.
pub(super) const CONTINUES: &str = "continues";

pub(super) fn decision(record: DecisionRecord, kept: Arguments) -> String {
    object([
        ("kind", text(DECISION)),
        ("call", text(record.call.as_str())),
        ("at_ms", moment(record.received)),
        ("door", text(record.door.as_str())),
        ("subject", subject(record.subject)),
        ("session", Json::String(record.session)),
        ("tool", tool(record.tool)),
        ("arguments", kept.of(record.arguments)),
        ("arguments_kept", text(kept.as_str())),
        ("code", optional(record.code, Json::String)),
        ("coverage_complete", optional(record.coverage_complete, Json::Bool)),
        ("decision", text(record.decision)),
        ("cause", text(record.cause.as_str())),
        ("fault", fault(record.cause)),
        ("findings", list(record.findings, finding)),
        ("policy", Json::String(record.policy)),
        ("advisory", Json::Bool(record.advisory)),
        ("approval", optional(record.approval, concern)),
    ])
    .canonical()
}

pub(super) fn outcome(record: OutcomeRecord) -> String {
    object([
        ("kind", text(OUTCOME)),
        ("call", text(record.call.as_str())),
        ("at_ms", moment(record.ended)),
        ("subject", owner(record.owner)),
        ("session", Json::String(record.session)),
        ("tool", tool(record.tool)),
        ("outcome", text(record.outcome)),
        ("labels", list(record.labels, Json::String)),
        ("summary", record.summary),
    ])
    .canonical()
}

pub(super) fn connection(record: ConnectionRecord) -> String {
    let wanted = object([
        ("number", number(record.number)),
        ("host", Json::String(record.host)),
        ("port", number(record.port)),
        ("way", text(record.way)),
    ]);
    object([
        ("kind", text(CONNECTION)),
        ("call", text(record.call.as_str())),
        ("at_ms", moment(record.asked)),
        ("subject", owner(record.owner)),
        ("session", Json::String(record.session)),
        ("tool", tool(record.tool)),
        ("connection", wanted),
        ("decision", text(record.decision)),
        ("cause", text(record.cause)),
        ("findings", list(record.findings, finding)),
        ("policy", Json::String(record.policy)),
    ])
    .canonical()
}

/// The end of a part of the chain, which began after record `base_seq`.
pub(super) fn seal(at: Timestamp, base_seq: i64) -> String {
    object([("kind", text(SEAL)), ("at_ms", moment(at)), ("after_seq", number(base_seq))])
        .canonical()
}

/// The beginning of the next part: what it goes on from, so that it says so by itself.
pub(super) fn continues(at: Timestamp, sealed: Head, forgotten_before_ms: i64) -> String {
    object([
        ("kind", text(CONTINUES)),
        ("at_ms", moment(at)),
        ("after_seq", number(sealed.seq)),
        ("after_hash", text(&sealed.hash.to_hex())),
        ("forgotten_before_ms", number(forgotten_before_ms)),
    ])
    .canonical()
}

pub(super) fn answer(record: AnswerRecord) -> String {
    let answers = object([
        ("does", text("answers")),
        ("id", Json::String(record.approval)),
        ("said", text(record.said.as_str())),
        ("by", optional(record.by, Json::String)),
        ("roles", list(record.roles, Json::String)),
        ("note", Json::String(record.note)),
        ("expires_ms", moment(record.expires)),
    ]);
    object([
        ("kind", text(ANSWER)),
        ("call", text(record.call.as_str())),
        ("at_ms", moment(record.answered)),
        ("subject", owner(record.owner)),
        ("session", Json::String(record.session)),
        ("tool", tool(record.tool)),
        ("approval", answers),
    ])
    .canonical()
}

fn owner(owner: Owner) -> Json {
    object([("id", Json::String(owner.subject)), ("tenant", Json::String(owner.tenant))])
}

pub(super) fn usage(record: UsageRecord) -> String {
    object([
        ("kind", text(USAGE)),
        ("call", text(record.report.as_str())),
        ("at_ms", moment(record.received)),
        ("subject", subject(record.subject)),
        ("session", Json::String(record.session)),
        ("tokens", number(record.usage.tokens)),
        ("cost_microusd", number(record.usage.cost_microusd)),
    ])
    .canonical()
}

pub(super) fn file(record: FileRecord) -> String {
    let (does, digest, bytes) = match record.act {
        FileAct::Put { digest, bytes } => ("puts", Json::String(digest), number(bytes)),
        FileAct::Remove => ("removes", Json::Null, Json::Null),
    };
    object([
        ("kind", text(FILE)),
        ("call", text(record.id.as_str())),
        ("at_ms", moment(record.received)),
        ("subject", subject(record.subject)),
        ("session", Json::String(record.session)),
        ("does", text(does)),
        ("name", Json::String(record.name)),
        ("digest", digest),
        ("bytes", bytes),
    ])
    .canonical()
}

fn concern(concern: Concern) -> Json {
    match concern {
        Concern::Asks(question) => object([
            ("does", text("asks")),
            ("id", Json::String(question.id)),
            ("approvers", list(question.approvers, Json::String)),
            ("arguments", Json::String(question.arguments)),
            ("shown", text(&blake3::hash(question.shown.as_bytes()).to_hex())),
            ("expires_ms", moment(question.expires)),
        ]),
        Concern::Waits(id) => object([("does", text("waits")), ("id", Json::String(id))]),
        Concern::Spends(id) => object([("does", text("spends")), ("id", Json::String(id))]),
    }
}

fn subject(subject: Subject) -> Json {
    object([
        ("id", Json::String(subject.id)),
        ("tenant", Json::String(subject.tenant)),
        ("roles", list(subject.roles, Json::String)),
        ("authentication", text(subject.authentication.as_str())),
    ])
}

fn tool(tool: Tool) -> Json {
    object([("server", Json::String(tool.server)), ("name", Json::String(tool.name))])
}

fn fault(cause: Cause) -> Json {
    match cause {
        Cause::Indeterminate(fault) => text(fault.as_str()),
        Cause::Rule
        | Cause::NoMatch
        | Cause::Coverage
        | Cause::Obligation
        | Cause::Limit
        | Cause::Quotas
        | Cause::Ledger
        | Cause::Sandbox
        | Cause::Files
        | Cause::Interrupted
        | Cause::Approval
        | Cause::Arguments => Json::Null,
    }
}

fn finding(finding: Finding) -> Json {
    object([
        ("rule", Json::String(finding.rule)),
        ("message", Json::String(finding.message)),
        ("severity", text(finding.severity.as_str())),
        ("remedy", Json::String(finding.remedy)),
        ("span", optional(finding.span, span)),
    ])
}

fn span(span: FindingSpan) -> Json {
    object([
        ("line", number(span.line)),
        ("column", number(span.column)),
        ("end_line", number(span.end_line)),
        ("end_column", number(span.end_column)),
    ])
}

fn moment(moment: Timestamp) -> Json {
    number(moment.unix_ms())
}

fn number(number: impl ToString) -> Json {
    Json::Number(Number::new(number.to_string()))
}

fn text(text: &str) -> Json {
    Json::String(text.into())
}

fn list<T>(items: Vec<T>, each: impl Fn(T) -> Json) -> Json {
    Json::Array(items.into_iter().map(each).collect())
}

fn optional<T>(value: Option<T>, some: impl Fn(T) -> Json) -> Json {
    value.map_or(Json::Null, some)
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    let member = |(name, value): (&str, Json)| (Text::from(name), value);
    Json::Object(members.into_iter().map(member).collect())
}
