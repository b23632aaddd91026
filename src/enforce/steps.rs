//! The steps of the story, one function each.

use super::answer::{Answer, Conclusion};
use super::case::Case;
use super::effect::{Done, Effect, Keeper, Lost, Outcome, Unkept};
use super::record::{self, Ended, Purpose};
use super::results::{Obliged, Reviewed};
use super::{Connecting, Guard, findings};
use crate::call::Text;
use crate::facts::drift::Drift;
use crate::ledger;
use crate::policy::{Cause, Context, Decision, Finding, Permit};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

/// What a session bears in which something was not foretold.
const DRIFT_LABEL: &str = "drift";

impl Guard {
    /// Steps 3 to 5: read the code, ask, decide.
    pub(super) async fn judge(self: &Arc<Self>, case: &mut Case) -> Decision {
        let context = match self.context(case).await {
            Ok(context) => Arc::new(context),
            Err(denial) => return denial,
        };
        if let Err(refusal) = self.fits_session(&context.session, context.now) {
            return refusal.denial(case);
        }
        case.context = Some(Arc::clone(&context));
        let guard = Arc::clone(self);
        let mut reading = case.clone();
        let span = tracing::Span::current();
        // Reading and evaluating are pure computation: off the threads that serve sockets.
        let judged = tokio::task::spawn_blocking(move || {
            let _entered = span.entered();
            guard.read(&mut reading);
            let decision = guard.decide(&reading, &context);
            (reading.code, decision)
        });
        match judged.await {
            Ok((code, decision)) => {
                case.code = code;
                decision
            }
            Err(error) => {
                tracing::error!(%error, "judging a call broke off");
                case.broken_off()
            }
        }
    }

    /// Step 3: facts for the code, where there is code. Cannot fail.
    fn read(&self, case: &mut Case) {
        let Some(source) = &case.call.source else {
            return;
        };
        let started = Instant::now();
        let code = self.readings.read(source, &case.policy);
        self.metrics.decision_stage("facts", started.elapsed());
        self.metrics.coverage(if code.facts().complete() { "true" } else { "false" });
        case.code = Some(code);
    }

    /// Step 4: what policy is told beside the call.
    pub(super) async fn context(&self, case: &Case) -> Result<Context, Decision> {
        let (subject, now) = (&case.call.subject, self.now());
        match self.ledger.session(subject, &case.session(), now).await {
            Ok(session) => Ok(Context { now, session, approval: case.approval.clone() }),
            Err(error) => {
                tracing::error!(%error, "the session's history cannot be read");
                self.metrics.ledger_error(error.as_str());
                Err(case.deny(Cause::Ledger, findings::ledger()))
            }
        }
    }

    /// Step 5: one query, one answer.
    fn decide(&self, case: &Case, context: &Context) -> Decision {
        let started = Instant::now();
        let mut decision = case.policy.decide(&case.call, case.code.as_ref(), context);
        self.metrics.decision_stage("policy", started.elapsed());
        if decision.findings.is_empty() {
            decision.findings.extend(findings::unexplained(decision.ruling.cause()));
        }
        decision
    }

    /// Step 6: what cannot be recorded does not run.
    pub(super) async fn record(
        &self,
        case: &Case,
        decision: Decision,
        purpose: Purpose,
    ) -> Decision {
        let started = Instant::now();
        let recorded = self.ledger.decision(record::decision(case, &decision, purpose)).await;
        self.metrics.decision_stage("ledger", started.elapsed());
        match recorded {
            Ok(()) => decision,
            Err(error) => {
                tracing::error!(%error, "a decision cannot be recorded");
                self.metrics.ledger_error(error.as_str());
                case.deny(Cause::Ledger, findings::ledger())
            }
        }
    }

    /// Step 8: spend the permit.
    pub(super) async fn act<E: Effect>(
        self: &Arc<Self>,
        case: &Case,
        permit: Permit,
        effect: E,
        findings: Vec<Finding>,
    ) -> Answer<E::Output> {
        let (obliged, keeper) = (Obliged::by(permit.obligations()), effect.keeper());
        let connecting = Connecting::new(self, case, permit.obligations());
        let had = effect.run(permit, case.grounds(&connecting));
        let had = AssertUnwindSafe(had).catch_unwind().await;
        match had {
            Ok(Ok(done)) => {
                self.note_use(case, done.cpu_ms).await;
                self.fulfil::<E>(case, (keeper, done), obliged, findings).await
            }
            Ok(Err(lost)) => self.is_lost(case, lost).await,
            Err(_panic) => self.broke_off(case).await,
        }
    }

    /// Step 9: what policy says of the result, the obligations that come after the effect, and
    /// the record of what came of it.
    ///
    /// What is to be labelled is not handed out without its labels: neither where they cannot be
    /// recorded, nor where the effect failed and so puts none on.
    async fn fulfil<E: Effect>(
        &self,
        case: &Case,
        (keeper, done): (impl Keeper<E::Output>, Done<E::Output>),
        obliged: Obliged,
        mut findings: Vec<Finding>,
    ) -> Answer<E::Output> {
        let outcome = done.outcome;
        let strayed = self.count_drift(case, &done.drift);
        let Reviewed { released, mut labels, redactions, barred, summary } =
            self.review::<E>(case, done, obliged).await;
        let unlabelled = outcome != Outcome::Ok && !labels.is_empty();
        if outcome != Outcome::Ok {
            labels.clear();
        }
        // Whatever became of the call, later ones are to know.
        labels.extend(strayed);
        let labelled = unlabelled || !labels.is_empty();
        let put_on = labels.len();
        let recorded = self.record_outcome(case, Ended { outcome, labels, summary }).await;
        let keeps = released.as_ref().is_ok_and(|output| keeper.keeps(output));
        if recorded.is_err() && (labelled || keeps) {
            let finding = if labelled { findings::unlabelled() } else { findings::unrecorded() };
            return case.answer(Conclusion::Denied, Cause::Ledger, vec![finding]);
        }
        self.metrics.labels(put_on);
        match released {
            Err(withheld) => {
                findings.extend(withheld.findings);
                case.answer(Conclusion::Withheld, withheld.cause, findings)
            }
            Ok(output) if unlabelled => {
                findings.push(findings::withheld());
                let output = E::withhold(output);
                case.answer(Conclusion::Permitted(Some(output)), Cause::Rule, findings)
            }
            // The effect was had whether or not its outcome is recorded: the caller is told.
            Ok(output) => {
                if let Err(unkept) = keeper.keep(&case.call, &output).await {
                    return self.was_not_kept(case, &unkept);
                }
                self.count_redactions(&redactions);
                findings.extend(barred);
                let conclusion = Conclusion::Permitted(Some(output));
                Answer { redactions, ..case.answer(conclusion, Cause::Rule, findings) }
            }
        }
    }

    /// What a result tells of files would not be so.
    fn was_not_kept<T>(&self, case: &Case, unkept: &Unkept) -> Answer<T> {
        let limit = match unkept {
            Unkept::Full(limit) => Some(*limit),
            Unkept::Failed(_) => None,
        };
        tracing::error!(?unkept, "files are not kept");
        if let Some(limit) = limit {
            self.metrics.limit(limit);
        }
        case.answer(Conclusion::Denied, Cause::Files, vec![findings::unkept(limit)])
    }

    /// Counts what was not foretold; the label that it puts on the session.
    fn count_drift(&self, case: &Case, drift: &[Drift]) -> Option<Text> {
        for one in drift {
            self.metrics.drift(one.capability);
            let Drift { capability, event, arguments: _, line } = one;
            tracing::warn!(call = %case.call.id, capability, %event, line, "was not foretold");
        }
        (!drift.is_empty()).then(|| DRIFT_LABEL.into())
    }

    async fn is_lost<T>(&self, case: &Case, lost: Lost) -> Answer<T> {
        let (outcome, cause, reason) = match lost {
            Lost::Unavailable(reason) => (Outcome::Unavailable, Cause::Sandbox, reason),
            Lost::Interrupted(reason) => (Outcome::Interrupted, Cause::Interrupted, reason),
        };
        tracing::error!(%reason, outcome = outcome.as_str(), "an effect yields nothing");
        let ended = Ended::for_nothing(outcome, &reason);
        // A failure to record it is logged, and the call is refused in any case.
        let _ = self.record_outcome(case, ended).await;
        case.answer(Conclusion::Denied, cause, findings::unexplained(cause).into_iter().collect())
    }

    /// An effect that panicked may have been had, so its outcome is recorded too.
    async fn broke_off<T>(&self, case: &Case) -> Answer<T> {
        tracing::error!("an effect broke off");
        let ended = Ended::for_nothing(Outcome::Failed, "it broke off");
        // A failure to record it is logged, and the call is refused in any case.
        let _ = self.record_outcome(case, ended).await;
        let Decision { ruling, findings, .. } = case.broken_off();
        case.answer(Conclusion::Denied, ruling.cause(), findings)
    }

    /// Where the outcome cannot be recorded, the operator is told that the record lacks it.
    async fn record_outcome(&self, case: &Case, ended: Ended) -> Result<(), ledger::Error> {
        let outcome = ended.outcome.as_str();
        let recorded = self.ledger.outcome(ended.record(case, self.now())).await;
        if let Err(error) = &recorded {
            tracing::error!(%error, outcome, "an outcome cannot be recorded");
            self.metrics.ledger_error(error.as_str());
        }
        recorded
    }

    /// Step 10: counters, and one line in the log.
    pub(super) fn close<T>(&self, case: &Case, answer: &Answer<T>) {
        let (decision, cause) = (answer.conclusion.as_str(), answer.cause.as_str());
        let call = &case.call;
        self.metrics.call(call.door.as_str(), call.tool.label(), decision, cause);
        if let Cause::Indeterminate(fault) = answer.cause {
            self.metrics.indeterminate(fault.as_str());
        }
        for finding in &answer.findings {
            self.metrics.finding(&finding.rule);
        }
        tracing::info!(
            call = %call.id,
            subject = &*call.subject.id,
            tool = call.tool.label(),
            decision,
            cause,
            "call closed"
        );
    }
}
