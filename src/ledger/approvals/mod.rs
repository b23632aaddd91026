//! What waits for a person, and what was said of it.
//!
//! Each change follows from a record, in the record's own transaction: what was asked, answered or
//! spent stands in the chain. Must never let one approval be spent twice.

mod change;
mod model;
mod rows;
mod shown;

pub use model::{AnswerRecord, Concern, Purview, Question, Said, Standing, State};

pub(super) use change::{At, BodyConcern, Change, apply};
pub(super) use shown::keep;

use super::reader::Selection;
use super::{Error, Ledger, body};
use crate::call::{Subject, Text, Timestamp};

impl Ledger {
    /// The approval that was asked for last for a call.
    ///
    /// # Errors
    /// Where the database does not answer in time.
    pub async fn approval_of(&self, purview: &Purview) -> Result<Option<Standing>, Error> {
        self.in_time(rows::latest(&self.readers, purview)).await
    }

    /// An approval by its id.
    ///
    /// # Errors
    /// Where the database does not answer in time.
    pub async fn approval(&self, id: &str) -> Result<Option<Standing>, Error> {
        self.in_time(rows::by_id(&self.readers, id)).await
    }

    /// The approvals that wait at this moment, of a tenant or of all, the oldest first, at most so
    /// many: what others ask hides nothing of a tenant's.
    ///
    /// # Errors
    /// Where the database does not answer in time.
    pub async fn pending_approvals(
        &self,
        tenant: Option<&str>,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<Standing>, Error> {
        self.in_time(rows::pending(&self.readers, tenant, now, limit)).await
    }

    /// The approvals that waited, or held, for too long by now, at most so many.
    ///
    /// # Errors
    /// Where the database does not answer in time.
    pub async fn lapsed_questions(
        &self,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<Standing>, Error> {
        self.in_time(rows::lapsed(&self.readers, now, limit)).await
    }

    /// How many questions of a subject are open.
    ///
    /// # Errors
    /// Where the database does not answer in time.
    pub async fn open_questions(&self, subject: &Subject, now: Timestamp) -> Result<u64, Error> {
        self.in_time(rows::count(&self.readers, Some(subject), now)).await
    }

    /// How many questions are open.
    ///
    /// # Errors
    /// Where the database does not answer in time.
    pub async fn count_questions(&self, now: Timestamp) -> Result<u64, Error> {
        self.in_time(rows::count(&self.readers, None, now)).await
    }

    /// What was recorded of the call that asks for an approval: the body of its decision.
    ///
    /// # Errors
    /// Where the database does not answer in time.
    pub async fn recorded_question(&self, standing: &Standing) -> Result<Option<String>, Error> {
        // It may have been moved to a file of its own by now.
        let selection = Selection {
            call: Some(standing.call.clone()),
            kind: Some(body::DECISION.into()),
            limit: 1,
            ..Selection::default()
        };
        let page = self.page(&selection).await?;
        Ok(page.records.into_iter().next().map(|record| record.body))
    }

    /// What people are shown of a call that waits, or may go ahead: canonical JSON. None once that is over, and none where it is not what was recorded.
    ///
    /// # Errors
    /// Where the database does not answer in time.
    pub async fn shown(&self, standing: &Standing) -> Result<Option<Text>, Error> {
        self.in_time(shown::read(&self.readers, standing)).await
    }
}
