//! The story of one call: ten steps, in order.
//!
//! Must never know how a call came in or what its effect is made of: a door hands in the call and
//! the effect, and gets an answer. No path leads to an effect but through a permit.

mod answer;
mod bundle;
mod case;
mod connecting;
mod effect;
mod findings;
mod hold;
mod limiting;
pub mod own_rules;
mod reading;
mod record;
mod results;
mod steps;

pub use answer::{Answer, Conclusion};
pub use bundle::Readiness;
pub use connecting::{Connecting, Unopened, Wanted};
pub use effect::{
    Done, Effect, Grounds, Keeper, Lost, Nothing, Outcome, Shown, ShownFile, ShownText, Unkept,
};
pub use hold::{Asked, Unanswered};
pub use limiting::{FileChange, Unchanged, Unreported};
pub use record::Purpose;

use crate::approval;
use crate::call::{CallId, Text, Timestamp, ToolCall};
use crate::facts;
use crate::ledger::Ledger;
use crate::limits::Limits;
use crate::limits::quotas::Quotas;
use crate::policy::{Cause, Decision, Finding, Hold, Policy, Ruling};
use crate::telemetry::{self, Metrics};
use bundle::{Bundle, announce};
use case::Case;
use limiting::Refusal;
use reading::Readings;
use std::sync::Arc;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

/// Where the moment comes from.
pub type Clock = fn() -> Timestamp;

/// The bounds of reading code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The caps of one extraction.
    pub facts: facts::Limits,
    /// Bytes of facts that are kept for programs that come again.
    pub readings_bytes_max: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { facts: facts::Limits::default(), readings_bytes_max: 64 << 20 }
    }
}

/// What a guard works with.
#[derive(Debug)]
pub struct Parts {
    /// The bundle to begin with.
    pub policy: Arc<Policy>,
    /// Admission.
    pub limits: Arc<Limits>,
    /// What may be used in a day.
    pub quotas: Quotas,
    /// The record.
    pub ledger: Ledger,
    /// Counters and histograms.
    pub metrics: Arc<Metrics>,
    /// How people are asked.
    pub approvals: approval::Settings,
    /// How people are told.
    pub notices: approval::Notices,
    /// Where the moment comes from.
    pub clock: Clock,
}

/// Decides calls, and lets the permitted ones have their effect.
#[derive(Debug)]
pub struct Guard {
    bundle: Bundle,
    limits: Arc<Limits>,
    quotas: Quotas,
    ledger: Ledger,
    metrics: Arc<Metrics>,
    readings: Readings,
    approvals: approval::Settings,
    notices: approval::Notices,
    bell: approval::Bell,
    clock: Clock,
    stories: TaskTracker,
}

impl Guard {
    /// Begins with a loaded bundle: there is no guard without one.
    pub fn new(parts: Parts, settings: &Settings) -> Arc<Self> {
        let Parts { policy, limits, quotas, ledger, metrics, approvals, notices, clock } = parts;
        let now = clock();
        announce(&metrics, &policy, now);
        limits.put_in_force(policy.allowances());
        quotas.put_in_force(policy.allowances());
        Arc::new(Self {
            bundle: Bundle::new(policy, now),
            limits,
            quotas,
            ledger,
            metrics,
            readings: Readings::new(settings.facts.clone(), settings.readings_bytes_max),
            approvals,
            notices,
            bell: approval::Bell::default(),
            clock,
            stories: TaskTracker::new(),
        })
    }

    /// Decides a call and, where it is permitted, has its effect.
    ///
    /// Runs to its end even where the caller goes away: what was begun is recorded.
    pub async fn guard<E: Effect>(
        self: &Arc<Self>,
        call: ToolCall,
        effect: E,
    ) -> Answer<E::Output> {
        self.tell(call, effect, Purpose::Act).await
    }

    /// Decides a call, and records that only the decision was asked for.
    pub async fn advise<E: Effect>(
        self: &Arc<Self>,
        call: ToolCall,
        effect: E,
    ) -> Answer<E::Output> {
        self.tell(call, effect, Purpose::Advise).await
    }

    /// Records and refuses a call that cannot be put to policy: it is malformed, or its tool does
    /// not take these arguments.
    pub async fn refuse<T: Send + 'static>(
        self: &Arc<Self>,
        call: ToolCall,
        finding: Finding,
        purpose: Purpose,
    ) -> Answer<T> {
        let case = Case::refused(call, self.bundle.load(), &finding);
        let story = Arc::clone(self).refusal(case.clone(), finding, purpose);
        self.see_through(&case, story).await
    }

    /// Waits until every call that was begun is closed, whether or not its caller still waits.
    pub async fn settle(&self) {
        self.stories.close();
        self.stories.wait().await;
    }

    /// The record, to be read.
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// A new id, ordered by time.
    pub fn call_id(&self) -> CallId {
        CallId::new(uuid::Uuid::now_v7().to_string())
    }

    /// The moment, by the gateway's clock.
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    async fn tell<E: Effect>(
        self: &Arc<Self>,
        call: ToolCall,
        effect: E,
        purpose: Purpose,
    ) -> Answer<E::Output> {
        let case = Case::open(call, self.bundle.load());
        let story = Arc::clone(self).story(case.clone(), effect, purpose);
        self.see_through(&case, story).await
    }

    /// Tells a story in a task of its own, so that neither a caller that goes away nor a panic
    /// leaves it half told.
    async fn see_through<T: Send + 'static>(
        &self,
        case: &Case,
        story: impl Future<Output = Answer<T>> + Send + 'static,
    ) -> Answer<T> {
        let span = telemetry::call_span(case.call.id.as_str());
        match self.stories.spawn(story.instrument(span)).await {
            Ok(answer) => answer,
            Err(error) => {
                tracing::error!(call = %case.call.id, %error, "the story of a call broke off");
                self.closed(case, case.broken_off())
            }
        }
    }

    /// The story of a call that is refused unread.
    async fn refusal<T>(
        self: Arc<Self>,
        case: Case,
        finding: Finding,
        purpose: Purpose,
    ) -> Answer<T> {
        let admitted = self.admit(&case).await;
        let denial = match &admitted {
            Ok(_ticket) => case.deny(Cause::Arguments, finding),
            Err(refusal) => refusal.denial(&case),
        };
        let denial = self.record(&case, denial, purpose).await;
        self.note_refusal(&case, &denial.ruling, purpose);
        let mut answer = self.closed(&case, denial);
        answer.retry_after_ms = admitted.err().and_then(|refusal| refusal.retry_after_ms());
        answer
    }

    fn closed<T>(&self, case: &Case, denial: Decision) -> Answer<T> {
        let answer = case.answer(Conclusion::Denied, denial.ruling.cause(), denial.findings);
        self.close(case, &answer);
        answer
    }

    /// The ten steps. The first, receiving, is the door's: it authenticated and parsed the call.
    async fn story<E: Effect>(
        self: Arc<Self>,
        mut case: Case,
        effect: E,
        purpose: Purpose,
    ) -> Answer<E::Output> {
        let _in_flight = self.metrics.call_begins();
        // 2. Admit. The ticket is held to the end.
        let admitted = self.admit(&case).await;
        // 3. Read the code. 4. Ask. 5. Decide.
        let decision = match &admitted {
            Ok(_ticket) => self.judge(&mut case).await,
            Err(refusal) => refusal.denial(&case),
        };
        let decision = case.check_obligations(decision, &effect);
        // 6. Record the decision. Where a person has to see the call, it may be decided again.
        let decision = match (&decision.ruling, purpose) {
            (Ruling::Held(_), Purpose::Act) => self.hold(&mut case, decision, &effect).await,
            _ => self.record(&case, decision, purpose).await,
        };
        let Decision { ruling, findings, .. } = decision;
        self.note_refusal(&case, &ruling, purpose);
        // 7. Branch. 8. Act. 9. Fulfil.
        let mut answer = match (ruling, purpose) {
            (Ruling::Permitted(permit), Purpose::Act) => {
                self.act(&case, permit, effect, findings).await
            }
            (Ruling::Permitted(_), Purpose::Advise) => {
                case.answer(Conclusion::Permitted(None), Cause::Rule, findings)
            }
            (Ruling::Held(hold), _) => {
                let findings = held(&hold, case.waits_as.as_ref(), findings);
                case.answer(Conclusion::Held, Cause::Rule, findings)
            }
            (Ruling::Denied(cause), _) => case.answer(Conclusion::Denied, cause, findings),
        };
        answer.retry_after_ms = admitted.as_ref().err().and_then(Refusal::retry_after_ms);
        answer.approval_page = answer.approval.as_ref().and_then(|id| self.page_of(id));
        // 10. Close.
        self.close(&case, &answer);
        answer
    }
}

/// What the rules said, and what a person has to do.
fn held(hold: &Hold, waits_as: Option<&Text>, mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.push(match waits_as {
        Some(id) => approval::held(hold, id),
        None => approval::would_be_held(hold),
    });
    findings
}
