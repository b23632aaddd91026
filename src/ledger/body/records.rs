//! What is recorded, as others hand it in.

use crate::call::{CallId, Door, Json, Subject, Text, Timestamp, Tool, Usage};
use crate::ledger::Concern;
use crate::policy::{Cause, Finding};

/// A decision, as it is recorded before its effect.
#[derive(Debug, Clone)]
pub struct DecisionRecord {
    /// The call.
    pub call: CallId,
    /// When the call was received.
    pub received: Timestamp,
    /// How it came in.
    pub door: Door,
    /// Who asked.
    pub subject: Subject,
    /// The session's id within the subject.
    pub session: Text,
    /// The tool.
    pub tool: Tool,
    /// The arguments.
    pub arguments: Json,
    /// blake3 of the code, in hex, where there is code.
    pub code: Option<Text>,
    /// Whether the facts tell the whole story, where there is code.
    pub coverage_complete: Option<bool>,
    /// `permitted`, `held` or `denied`.
    pub decision: &'static str,
    /// Why.
    pub cause: Cause,
    /// What the rules said.
    pub findings: Vec<Finding>,
    /// The digest of the bundle that was in force.
    pub policy: Text,
    /// Whether only the decision was asked for, so that no effect will follow.
    pub advisory: bool,
    /// What it has to do with an approval.
    pub approval: Option<Concern>,
}

/// Whose something is: a subject by its names alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The subject's id.
    pub subject: Text,
    /// The tenant that it belongs to.
    pub tenant: Text,
}

/// A connection that a running program asked for, as it is recorded before it is opened.
#[derive(Debug, Clone)]
pub struct ConnectionRecord {
    /// The call.
    pub call: CallId,
    /// When it was asked for.
    pub asked: Timestamp,
    /// Whose call it is.
    pub owner: Owner,
    /// The session that the call is a step of.
    pub session: Text,
    /// The tool.
    pub tool: Tool,
    /// The how many of its call it is, from 1 on.
    pub number: u32,
    /// The host.
    pub host: Text,
    /// The port.
    pub port: u16,
    /// How it is spoken to: `tunnel` or `plain`.
    pub way: &'static str,
    /// `permitted` or `denied`.
    pub decision: &'static str,
    /// Why: as a decision's, or what the sandbox refuses it for.
    pub cause: &'static str,
    /// What the rules said.
    pub findings: Vec<Finding>,
    /// The digest of the bundle that was asked.
    pub policy: Text,
}

/// How a call's effect ended, as it is recorded after it.
#[derive(Debug, Clone)]
pub struct OutcomeRecord {
    /// The call.
    pub call: CallId,
    /// When the effect ended.
    pub ended: Timestamp,
    /// Whose call it was.
    pub owner: Owner,
    /// The session that it was a step of.
    pub session: Text,
    /// The tool.
    pub tool: Tool,
    /// `ok`, `failed`, `timed_out`, `out_of_memory`, `unavailable` or `interrupted`.
    pub outcome: &'static str,
    /// The labels that it put on its subject, sorted.
    pub labels: Vec<Text>,
    /// What is worth keeping of the result: exit code, sizes, durations, digests. An object.
    pub summary: Json,
}

/// What a subject reports to have used in a session.
#[derive(Debug, Clone)]
pub struct UsageRecord {
    /// The report's own id, which stands where other records name their call.
    pub report: CallId,
    /// When it was received.
    pub received: Timestamp,
    /// Who reports.
    pub subject: Subject,
    /// The session's id within the subject.
    pub session: Text,
    /// How much; at most [`Usage::REPORT_MAX`] of each.
    pub usage: Usage,
}

/// A change of a session's files that no call made, as it is recorded before it is seen.
#[derive(Debug, Clone)]
pub struct FileRecord {
    /// Its own id, which stands where other records name their call.
    pub id: CallId,
    /// When it was received.
    pub received: Timestamp,
    /// Who asks for it.
    pub subject: Subject,
    /// The session's id within the subject.
    pub session: Text,
    /// The file's name.
    pub name: Text,
    /// What becomes of it.
    pub act: FileAct,
}

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileAct {
    /// It is there from now on, with these bytes.
    Put {
        /// blake3 of them, in hex.
        digest: Text,
        /// How many they are.
        bytes: u64,
    },
    /// It is there no more.
    Remove,
}
