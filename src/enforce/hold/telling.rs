//! What people are told of questions where they do not look: notices.
//!
//! Must never tell of arguments: who may see those, asks for them.

use crate::approval::Notice;
use crate::call::{Json, Text};
use crate::enforce::Guard;
use crate::ledger::{self, Purview, Standing};

/// Questions that are told of at once.
const TOLD_MAX: u32 = 1_000;

impl Guard {
    /// The page where people answer a question, where the team has one.
    pub fn page_of(&self, id: &str) -> Option<Text> {
        self.approvals.page.as_ref().map(|page| page.of(id))
    }

    /// Tells of every question that is open: an earlier life of the gateway may have been cut off
    /// before it did. Whoever was told already knows each by its id.
    ///
    /// # Errors
    /// Where the ledger cannot be read.
    pub async fn tell_open_questions(&self) -> Result<(), ledger::Error> {
        if self.notices.are_sent() {
            for standing in self.ledger.pending_approvals(None, self.now(), TOLD_MAX).await? {
                self.tell_of(&standing);
            }
        }
        Ok(())
    }

    /// Tells of a question that has come to stand so.
    pub(super) fn tell_of(&self, standing: &Standing) {
        if self.notices.are_sent() {
            self.notices.tell(Notice {
                approval: Text::clone(&standing.id),
                state: standing.state.as_str(),
                at: self.now(),
                data: data(standing, self.page_of(&standing.id)),
            });
        }
    }
}

/// The approval as lists tell it.
fn data(standing: &Standing, page: Option<Text>) -> Json {
    let Standing { id, call, purview, session, approvers, asked, expires, state, answer, shown: _ } =
        standing;
    let Purview { tenant, subject, tool, arguments, policy } = purview;
    let text = |text: &Text| Json::String(Text::clone(text));
    let said = |said: String| Json::String(said.into());
    let answered = |told: Option<Json>| told.unwrap_or(Json::Null);
    let answer = answer.as_ref();
    let members = [
        ("id", text(id)),
        ("state", Json::String(state.as_str().into())),
        ("call", said(call.to_string())),
        ("tenant", text(tenant)),
        ("subject", text(subject)),
        ("session", text(session)),
        ("server", text(&tool.server)),
        ("tool", text(&tool.name)),
        ("arguments_blake3", text(arguments)),
        ("policy", text(policy)),
        ("approvers", Json::Array(approvers.iter().map(text).collect())),
        ("asked", said(asked.to_string())),
        ("expires", said(expires.to_string())),
        ("page", answered(page.map(Json::String))),
        ("answered_by", answered(answer.map(|answer| text(&answer.by)))),
        ("answered", answered(answer.map(|answer| said(answer.at.to_string())))),
        ("note", answered(answer.map(|answer| text(&answer.note)))),
    ];
    Json::Object(members.into_iter().map(|(key, value)| (key.into(), value)).collect())
}
