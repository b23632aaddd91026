//! What an approval is: what it is asked for, how it stands, what was said of it.
//!
//! Must never decide who may answer.

use crate::call::{Approval, CallId, Text, Timestamp, Tool};
use crate::ledger::Owner;

/// What an approval is good for: this call and no other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Purview {
    /// The tenant of the subject.
    pub tenant: Text,
    /// The subject's id.
    pub subject: Text,
    /// The tool.
    pub tool: Tool,
    /// blake3 of the canonical arguments, in hex.
    pub arguments: Text,
    /// The digest of the bundle that asks for a person.
    pub policy: Text,
}

/// A question to a person, as it is recorded with the decision that holds the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The id of the approval.
    pub id: Text,
    /// The roles that may answer, sorted.
    pub approvers: Vec<Text>,
    /// blake3 of the canonical arguments, in hex.
    pub arguments: Text,
    /// What people are shown of the call: canonical JSON. The record holds its blake3, and
    /// the text stays beside the records for as long as it matters.
    pub shown: Text,
    /// Until when an answer is waited for.
    pub expires: Timestamp,
}

/// What a decision has to do with an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Concern {
    /// It asks for one.
    Asks(Question),
    /// It waits for one that was asked for before.
    Waits(Text),
    /// It spends one.
    Spends(Text),
}

impl Concern {
    /// What people are shown.
    pub(in crate::ledger) const fn shown(&self) -> Option<&Text> {
        match self {
            Self::Asks(question) => Some(&question.shown),
            Self::Waits(_) | Self::Spends(_) => None,
        }
    }
}

/// What was said of a call that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Said {
    /// It may happen, once.
    Approved,
    /// It may not.
    Refused,
    /// Nobody said anything in time.
    Expired,
}

impl Said {
    /// The word in the ledger, replies and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Refused => "refused",
            Self::Expired => "expired",
        }
    }
}

/// An answer, as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerRecord {
    /// The approval.
    pub approval: Text,
    /// The call that was held.
    pub call: CallId,
    /// Whose it was.
    pub owner: Owner,
    /// The session of the call.
    pub session: Text,
    /// The tool.
    pub tool: Tool,
    /// When it was given.
    pub answered: Timestamp,
    /// What was said.
    pub said: Said,
    /// The id of the subject who answered; none where nobody did.
    pub by: Option<Text>,
    /// That subject's roles, sorted.
    pub roles: Vec<Text>,
    /// What was noted with it; may be empty.
    pub note: Text,
    /// How long the answer holds.
    pub expires: Timestamp,
}

/// Where an approval stands. A closed set: it is a metric label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// It waits for a person.
    Pending,
    /// A person approved, and it was not spent.
    Approved,
    /// A person refused.
    Refused,
    /// Nobody answered, or nobody used the answer, in time.
    Expired,
    /// The call went ahead.
    Spent,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Pending, Self::Approved, Self::Refused, Self::Expired, Self::Spent];

    /// The word in the ledger, replies and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Refused => "refused",
            Self::Expired => "expired",
            Self::Spent => "spent",
        }
    }
}

/// An approval as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Its id.
    pub id: Text,
    /// The call that asked for it.
    pub call: CallId,
    /// What it is good for.
    pub purview: Purview,
    /// The session of the call.
    pub session: Text,
    /// The roles that may answer, sorted.
    pub approvers: Vec<Text>,
    /// When it was asked for.
    pub asked: Timestamp,
    /// Until when it waits, or what was said holds.
    pub expires: Timestamp,
    /// blake3 of what people are shown of the call, in hex.
    pub shown: Text,
    /// Where it stands.
    pub state: State,
    /// Who answered, with which roles, when and what was noted.
    pub answer: Option<Approval>,
}

impl Standing {
    /// Whose call it is.
    pub fn owner(&self) -> Owner {
        let Purview { subject, tenant, .. } = &self.purview;
        Owner { subject: Text::clone(subject), tenant: Text::clone(tenant) }
    }
}
