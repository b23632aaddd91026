//! A call that a person has to see: somebody is asked, it waits a little, and is decided again
//! where that person approved.
//!
//! Must never have an effect that was not decided with the approval in sight, nor spend one
//! approval twice: that it is spent stands in the record of the decision.

mod desk;
mod showing;
mod telling;

pub use desk::{Asked, Unanswered};

use super::case::Case;
use super::effect::Effect;
use super::record::{self, Purpose};
use super::{Guard, findings};
use crate::approval;
use crate::call::{Approval, Text, Timestamp};
use crate::ledger::{self, AnswerRecord, Concern, Purview, Question, Said, Standing, State};
use crate::policy::{Cause, Code, Decision, Hold, Ruling};
use std::sync::Arc;

/// How an approval stands for a call that comes now.
enum Stands {
    /// Nobody was asked, or what was said is over.
    Unasked,
    /// It waits.
    Waits(Text),
    /// It may be spent.
    Approved(Approval),
    /// A person said no.
    Refused(Option<Text>),
    /// It waited, or held, too long, and that is not recorded yet.
    Lapsed(Box<Standing>),
    /// Another call had it.
    Spent,
}

fn stands(standing: Option<Standing>, now: Timestamp) -> Stands {
    let Some(standing) = standing else { return Stands::Unasked };
    let over = standing.expires <= now;
    match (standing.state, over) {
        (State::Pending | State::Approved, true) => Stands::Lapsed(Box::new(standing)),
        (State::Pending, false) => Stands::Waits(standing.id),
        (State::Approved, false) => match standing.answer {
            Some(answer) => Stands::Approved(answer),
            None => Stands::Unasked,
        },
        (State::Refused, false) => Stands::Refused(standing.answer.map(|answer| answer.note)),
        (State::Refused, true) | (State::Expired, _) => Stands::Unasked,
        (State::Spent, _) => Stands::Spent,
    }
}

impl Guard {
    /// Steps 6 and 7 of a call that policy holds. What is answered is recorded.
    pub(super) async fn hold<E: Effect>(
        self: &Arc<Self>,
        case: &mut Case,
        held: Decision,
        effect: &E,
    ) -> Decision {
        match self.ask_and_wait(case, held, effect).await {
            Ok(decision) => decision,
            Err(error) => {
                tracing::error!(%error, "the approvals cannot be read or written");
                self.metrics.ledger_error(error.as_str());
                case.deny(Cause::Ledger, findings::ledger())
            }
        }
    }

    async fn ask_and_wait<E: Effect>(
        self: &Arc<Self>,
        case: &mut Case,
        held: Decision,
        effect: &E,
    ) -> Result<Decision, ledger::Error> {
        let purview = purview(case);
        // Whoever listens from here on misses no answer.
        let mut ear = self.bell.listen();
        let id = match self.stand(&purview).await? {
            Stands::Unasked | Stands::Spent => match self.ask(case, &held, &purview).await? {
                Some(id) => id,
                None => return Ok(self.too_many(case).await),
            },
            Stands::Waits(id) => {
                self.note(case, &held, Concern::Waits(Text::clone(&id))).await?;
                id
            }
            said @ (Stands::Approved(_) | Stands::Refused(_) | Stands::Lapsed(_)) => {
                return self.conclude(case, said, effect).await;
            }
        };
        case.waits_as = Some(Text::clone(&id));
        ear.wait(&id, self.approvals.wait_ms_max).await;
        match self.stand(&purview).await? {
            // The record says already that it waits.
            Stands::Waits(_) => Ok(held),
            // Where nobody is asked any more, its time was over while it waited.
            said @ (Stands::Approved(_)
            | Stands::Refused(_)
            | Stands::Lapsed(_)
            | Stands::Unasked
            | Stands::Spent) => {
                case.waits_as = None;
                self.conclude(case, said, effect).await
            }
        }
    }

    async fn stand(&self, purview: &Purview) -> Result<Stands, ledger::Error> {
        Ok(stands(self.ledger.approval_of(purview).await?, self.now()))
    }

    /// Asks; where another call of the same asked at the same moment, waits with that. Gives the
    /// id, or nothing where too much waits already.
    async fn ask(
        &self,
        case: &Case,
        held: &Decision,
        purview: &Purview,
    ) -> Result<Option<Text>, ledger::Error> {
        let now = self.now();
        let open = self.ledger.open_questions(&case.call.subject, now).await?;
        if open >= u64::from(self.approvals.pending_per_subject_max) {
            return Ok(None);
        }
        let id: Text = format!("apr-{}", uuid::Uuid::now_v7()).into();
        let question = Question {
            id: Text::clone(&id),
            approvers: approvers(held),
            arguments: Text::clone(&purview.arguments),
            shown: showing::call(&case.call, case.code.as_ref().map(Code::facts)),
            expires: now.after(self.approvals.pending_ms_max),
        };
        let asked = asked(case, purview, &question);
        match self.note(case, held, Concern::Asks(question)).await {
            Ok(()) => {
                self.metrics.hold(State::Pending.as_str());
                self.tell_of(&asked);
                Ok(Some(id))
            }
            Err(ledger::Error::Contested) => match self.stand(purview).await? {
                Stands::Waits(id) => {
                    self.note(case, held, Concern::Waits(Text::clone(&id))).await?;
                    Ok(Some(id))
                }
                Stands::Unasked
                | Stands::Approved(_)
                | Stands::Refused(_)
                | Stands::Lapsed(_)
                | Stands::Spent => Err(ledger::Error::Contested),
            },
            Err(error) => Err(error),
        }
    }

    async fn note(
        &self,
        case: &Case,
        held: &Decision,
        concern: Concern,
    ) -> Result<(), ledger::Error> {
        let record = record::decision(case, held, Purpose::Act);
        self.ledger.decision(ledger::DecisionRecord { approval: Some(concern), ..record }).await
    }

    async fn too_many(&self, case: &Case) -> Decision {
        self.metrics.limit("questions");
        let denial = case.deny(Cause::Limit, approval::unanswerable());
        self.record(case, denial, Purpose::Act).await
    }

    async fn conclude<E: Effect>(
        self: &Arc<Self>,
        case: &mut Case,
        stands: Stands,
        effect: &E,
    ) -> Result<Decision, ledger::Error> {
        let finding = match stands {
            Stands::Approved(approval) => return self.decide_again(case, approval, effect).await,
            Stands::Refused(note) => approval::refused(note.as_ref()),
            Stands::Lapsed(standing) => {
                self.lapse(&standing).await?;
                approval::expired()
            }
            Stands::Unasked | Stands::Waits(_) => approval::expired(),
            Stands::Spent => approval::spent(),
        };
        let denial = case.deny(Cause::Approval, finding);
        Ok(self.record(case, denial, Purpose::Act).await)
    }

    /// Steps 4 to 6 once more, with the approval in sight.
    async fn decide_again<E: Effect>(
        self: &Arc<Self>,
        case: &mut Case,
        approval: Approval,
        effect: &E,
    ) -> Result<Decision, ledger::Error> {
        let id = Text::clone(&approval.id);
        case.approval = Some(approval);
        let decision = self.judge(case).await;
        let decision = case.check_obligations(decision, effect);
        let decision = match decision.ruling {
            Ruling::Permitted(_) => match self.note(case, &decision, Concern::Spends(id)).await {
                Ok(()) => {
                    self.metrics.hold(State::Spent.as_str());
                    return Ok(decision);
                }
                Err(ledger::Error::Contested) => case.deny(Cause::Approval, approval::spent()),
                Err(error) => return Err(error),
            },
            // Whoever approved is none of those whom policy now asks for.
            Ruling::Held(_) => case.deny(Cause::Approval, approval::refused(None)),
            Ruling::Denied(_) => decision,
        };
        Ok(self.record(case, decision, Purpose::Act).await)
    }

    /// Records that nobody answered, or came for the answer, in time.
    async fn lapse(&self, standing: &Standing) -> Result<(), ledger::Error> {
        let record = AnswerRecord {
            approval: Text::clone(&standing.id),
            call: standing.call.clone(),
            owner: standing.owner(),
            session: Text::clone(&standing.session),
            tool: standing.purview.tool.clone(),
            answered: self.now(),
            said: Said::Expired,
            by: None,
            roles: Vec::new(),
            note: "".into(),
            expires: self.now(),
        };
        let expires = record.expires;
        match self.ledger.answer(record).await {
            Ok(()) => {
                self.metrics.hold(State::Expired.as_str());
                let state = State::Expired;
                self.tell_of(&Standing { state, expires, answer: None, ..standing.clone() });
            }
            // Somebody else was first to say so.
            Err(ledger::Error::Contested) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

fn purview(case: &Case) -> Purview {
    let call = &case.call;
    Purview {
        tenant: Text::clone(&call.subject.tenant),
        subject: Text::clone(&call.subject.id),
        tool: call.tool.clone(),
        arguments: approval::digest(call),
        policy: Text::clone(case.policy.digest()),
    }
}

/// The question as it stands once it is asked.
fn asked(case: &Case, purview: &Purview, question: &Question) -> Standing {
    Standing {
        id: Text::clone(&question.id),
        call: case.call.id.clone(),
        purview: purview.clone(),
        session: case.session(),
        approvers: question.approvers.clone(),
        asked: case.call.received,
        expires: question.expires,
        shown: Text::clone(&question.shown),
        state: State::Pending,
        answer: None,
    }
}

fn approvers(held: &Decision) -> Vec<Text> {
    match &held.ruling {
        Ruling::Held(Hold { approvers }) => approvers.clone(),
        Ruling::Permitted(_) | Ruling::Denied(_) => Vec::new(),
    }
}
