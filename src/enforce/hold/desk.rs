//! The people's side of a hold: what waits for them, and what they say of it.
//!
//! Must never take an answer from the one who asks.

use crate::approval;
use crate::call::{Authentication, Subject, Text};
use crate::enforce::Guard;
use crate::ledger::{self, AnswerRecord, Purview, Said, Standing, State};

/// Questions that are listed at once.
const LISTED_MAX: u32 = 1_000;
/// Questions that are closed at once for their age.
const LAPSED_AT_ONCE_MAX: u32 = 256;

/// A question, as whoever may see it sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// How it stands.
    pub standing: Standing,
    /// The body of the record of its call.
    pub recorded: Option<String>,
    /// What people are shown, as canonical JSON: `arguments` without secrets, and of the code's
    /// `facts` those that people decide by, or null. None once it is over.
    pub shown: Option<Text>,
}

/// Why an answer was not taken.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// There is no such question, or it is not for this subject to see.
    #[error("there is no such question")]
    Unknown,
    /// The subject may not answer it.
    #[error("the subject may not answer it")]
    Barred(approval::Barred),
    /// It was answered, or its time is over.
    #[error("the question is closed")]
    Closed,
    /// The ledger could not be read or written.
    #[error(transparent)]
    Ledger(ledger::Error),
}

impl From<ledger::Error> for Unanswered {
    fn from(error: ledger::Error) -> Self {
        if error == ledger::Error::Contested { Self::Closed } else { Self::Ledger(error) }
    }
}

impl Guard {
    /// Records of every question that is open for too long that nobody answered. Says how many
    /// are still open.
    ///
    /// # Errors
    /// Where the ledger cannot be read or written.
    pub async fn expire_questions(&self) -> Result<u64, ledger::Error> {
        for standing in self.ledger.lapsed_questions(self.now(), LAPSED_AT_ONCE_MAX).await? {
            self.lapse(&standing).await?;
        }
        let open = self.ledger.count_questions(self.now()).await?;
        self.metrics.holds_open(open);
        Ok(open)
    }

    /// The questions that a subject may answer, and its own, the oldest first.
    ///
    /// # Errors
    /// Where the ledger cannot be read.
    pub async fn questions(&self, subject: &Subject) -> Result<Vec<Standing>, ledger::Error> {
        let sees_all = subject.authentication == Authentication::Operator;
        let tenant = (!sees_all).then_some(&*subject.tenant);
        let mut open = self.ledger.pending_approvals(tenant, self.now(), LISTED_MAX).await?;
        open.retain(|standing| self.may_see(subject, standing));
        Ok(open)
    }

    /// A question with what is known of its call, where the subject may see it.
    ///
    /// # Errors
    /// Where the ledger cannot be read.
    pub async fn question(
        &self,
        subject: &Subject,
        id: &str,
    ) -> Result<Option<Asked>, ledger::Error> {
        let standing = self.ledger.approval(id).await?;
        let Some(standing) = standing.filter(|standing| self.may_see(subject, standing)) else {
            return Ok(None);
        };
        let recorded = self.ledger.recorded_question(&standing).await?;
        let shown = self.ledger.shown(&standing).await?;
        Ok(Some(Asked { standing, recorded, shown }))
    }

    /// Answers a question.
    ///
    /// # Errors
    /// Where there is none of this id that the subject may see, it may not answer it, or it is not
    /// open any more.
    pub async fn answer(
        &self,
        subject: &Subject,
        id: &str,
        said: Said,
        note: Text,
    ) -> Result<Standing, Unanswered> {
        let standing = self.ledger.approval(id).await?;
        let standing = standing.filter(|standing| self.may_see(subject, standing));
        let standing = standing.ok_or(Unanswered::Unknown)?;
        let asks = &standing.purview.subject;
        approval::may_answer(subject, asks, &standing.approvers, &self.approvals)
            .map_err(Unanswered::Barred)?;
        let now = self.now();
        if standing.state != State::Pending || standing.expires <= now {
            return Err(Unanswered::Closed);
        }
        let record = AnswerRecord {
            approval: Text::clone(&standing.id),
            call: standing.call.clone(),
            owner: standing.owner(),
            session: Text::clone(&standing.session),
            tool: standing.purview.tool.clone(),
            answered: now,
            said,
            by: Some(Text::clone(&subject.id)),
            roles: self.answering_roles(subject, &standing),
            note,
            expires: now.after(self.approvals.grant_ms_max),
        };
        self.ledger.answer(record).await?;
        self.metrics.hold(said.as_str());
        self.bell.ring(&standing.id);
        let standing = self.ledger.approval(id).await?.ok_or(Unanswered::Unknown)?;
        self.tell_of(&standing);
        Ok(standing)
    }

    /// The operator answers for whomever the question is.
    fn answering_roles(&self, subject: &Subject, standing: &Standing) -> Vec<Text> {
        if subject.authentication == Authentication::Operator {
            return standing.approvers.clone();
        }
        subject.roles.clone()
    }

    fn may_see(&self, subject: &Subject, standing: &Standing) -> bool {
        let Purview { tenant, subject: asks, .. } = &standing.purview;
        let own = subject.id == *asks;
        let may =
            || approval::may_answer(subject, asks, &standing.approvers, &self.approvals).is_ok();
        subject.authentication == Authentication::Operator
            || (subject.tenant == *tenant && (own || may()))
    }
}
