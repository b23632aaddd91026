//! What waits for a person: how long, who may answer, and what the caller is told.
//!
//! Must never turn a hold into a permit: an approval is an input to a second decision, never a
//! way round one.

mod bell;
mod notices;
mod page;
mod told;

pub use bell::Bell;
pub use notices::{Address, Notice, Notices, Secret, Unsendable, Webhook};
pub use page::Page;
pub use told::{RULE, expired, held, refused, spent, unanswerable, would_be_held};

use crate::call::{Authentication, Subject, Text, ToolCall};

/// How questions are put, and to whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// How long a call waits for an answer before its caller is told to come again. Some clients
    /// give up after 5 s.
    pub wait_ms_max: u64,
    /// How long a question stays open.
    pub pending_ms_max: u64,
    /// How long an answer holds.
    pub grant_ms_max: u64,
    /// Questions of one subject that may be open at once.
    pub pending_per_subject_max: u32,
    /// The role that answers where policy names none.
    pub role: Text,
    /// The page where people answer, where the team has one.
    pub page: Option<Page>,
    /// Where questions and answers are told.
    pub webhook: Option<Webhook>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            wait_ms_max: 4_000,
            pending_ms_max: 3_600_000,
            grant_ms_max: 900_000,
            pending_per_subject_max: 100,
            role: "approver".into(),
            page: None,
            webhook: None,
        }
    }
}

/// Why somebody may not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Barred {
    /// It is the one who asks.
    Requester,
    /// None of the roles that may answer is among theirs.
    Role,
}

/// Whether a subject may answer what another of its tenant asks. The operator may, whoever asks.
///
/// # Errors
/// Why not.
pub fn may_answer(
    subject: &Subject,
    asks: &Text,
    approvers: &[Text],
    settings: &Settings,
) -> Result<(), Barred> {
    if subject.authentication == Authentication::Operator {
        return Ok(());
    }
    if subject.id == *asks {
        return Err(Barred::Requester);
    }
    let default = std::slice::from_ref(&settings.role);
    let roles = if approvers.is_empty() { default } else { approvers };
    let has = roles.iter().any(|role| subject.roles.contains(role));
    if has { Ok(()) } else { Err(Barred::Role) }
}

/// blake3 of the canonical arguments, in hex: two spellings of one call have one digest.
pub fn digest(call: &ToolCall) -> Text {
    blake3::hash(call.arguments.canonical().as_bytes()).to_hex().as_str().into()
}

#[cfg(test)]
mod tests;
