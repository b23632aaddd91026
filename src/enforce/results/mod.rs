//! Step 9, of results: policy is asked what becomes of one, and secrets are taken out of it.
//!
//! Must never hand out what no rule lets go, and must never tell a secret to the ledger or a log.

mod files;

use super::Guard;
use super::case::Case;
use super::effect::{Done, Effect, Shown, ShownText};
use super::findings;
use crate::call::{Json, Number, Text};
use crate::facts::drift::Drift;
use crate::policy::{
    Cause, Context, Fault, Finding, Obligations, Release, Review, Yielded, YieldedText,
};
use crate::redact::{Counts, Detectors, Ending, Hit, find, redact};
use files::Searched;
use std::borrow::Cow;
use std::time::Instant;

/// What the permit of a call obliges once the effect was had.
#[derive(Debug)]
pub(super) struct Obliged {
    labels: Vec<Text>,
    redact: Detectors,
}

impl Obliged {
    pub(super) fn by(obligations: &Obligations) -> Self {
        let names = obligations.redact.iter().map(|name| &**name);
        Self {
            labels: obligations.labels.clone(),
            // A name that is not known was refused before; it must not become no redaction.
            redact: Detectors::named(names).unwrap_or_else(|_| Detectors::all()),
        }
    }

    fn and(mut self, redact: Detectors, labels: Vec<Text>) -> Self {
        self.labels.extend(labels);
        self.labels.sort();
        self.labels.dedup();
        Self { redact: self.redact.and(redact), ..self }
    }
}

/// What became of a result.
#[derive(Debug)]
pub(super) struct Reviewed<T> {
    /// The output without what had to be taken out of it, or why there is none for the caller.
    pub(super) released: Result<T, Withheld>,
    /// What the call puts on its subject, where it succeeded.
    pub(super) labels: Vec<Text>,
    /// What was taken out.
    pub(super) redactions: Counts,
    /// What there is to say of files that are not handed out.
    pub(super) barred: Vec<Finding>,
    /// What the ledger keeps.
    pub(super) summary: Json,
}

/// Why a result is not handed out.
#[derive(Debug)]
pub(super) struct Withheld {
    pub(super) cause: Cause,
    pub(super) findings: Vec<Finding>,
}

impl Withheld {
    fn new(cause: Cause, findings: Vec<Finding>) -> Self {
        let mut findings: Vec<Finding> = findings.into_iter().map(without_secrets).collect();
        findings.push(findings::unreleased());
        Self { cause, findings }
    }
}

impl Guard {
    /// Asks policy of a result, and does what the answer and the call's permit oblige.
    pub(super) async fn review<E: Effect>(
        &self,
        case: &Case,
        done: Done<E::Output>,
        obliged: Obliged,
    ) -> Reviewed<E::Output> {
        let started = Instant::now();
        let (case, labels) = (case.clone(), obliged.labels.clone());
        let now = self.now();
        let span = tracing::Span::current();
        // Looking through a megabyte and evaluating are pure computation, as judging is.
        let reviewed = tokio::task::spawn_blocking(move || {
            let _entered = span.entered();
            let context = case.context.as_ref().map(|told| Context { now, ..(**told).clone() });
            reviewed::<E>(&case, context, done, obliged)
        });
        let reviewed = reviewed.await.unwrap_or_else(|error| {
            tracing::error!(%error, "the review of a result broke off");
            broken_off(labels)
        });
        self.metrics.decision_stage("result", started.elapsed());
        reviewed
    }

    /// Counts what was taken out of a result that is handed out.
    pub(super) fn count_redactions(&self, redactions: &Counts) {
        for (detector, count) in redactions.found() {
            self.metrics.redactions(detector.as_str(), count);
        }
    }
}

/// A finding about a result may quote it.
fn without_secrets(finding: Finding) -> Finding {
    let whole = |text: Text| {
        let hits = find(&text, Ending::Cut);
        match redact(&text, &hits, Detectors::all()).text {
            Cow::Borrowed(_) => text,
            Cow::Owned(redacted) => redacted.into(),
        }
    };
    Finding { message: whole(finding.message), remedy: whole(finding.remedy), ..finding }
}

/// A result of which nothing is known any more.
fn broken_off<T>(labels: Vec<Text>) -> Reviewed<T> {
    let withheld = Withheld::new(Cause::Indeterminate(Fault::Panic), Vec::new());
    Reviewed {
        summary: told(Json::Object(Vec::new()), Some(&withheld), &Counts::default()),
        released: Err(withheld),
        labels,
        redactions: Counts::default(),
        barred: Vec::new(),
    }
}

fn reviewed<E: Effect>(
    case: &Case,
    context: Option<Context>,
    done: Done<E::Output>,
    obliged: Obliged,
) -> Reviewed<E::Output> {
    let mut output = done.output;
    let mut shown = E::show(&mut output);
    let hits: Vec<Vec<Hit>> = shown.texts.iter().map(|each| find(each.text, each.ending)).collect();
    let searched: Vec<Searched> = shown.files.iter().map(Searched::through).collect();
    let review = context.map(|context| {
        let mut detected: Counts = hits.iter().flatten().collect();
        searched.iter().for_each(|file| detected.add_all(&file.found));
        let told = yielded(&shown, done.outcome.as_str(), detected);
        let files = files::yielded(&shown.files, &searched);
        let yielded = Yielded { drift: &done.drift, files, ..told };
        case.policy.review(&case.call, case.code.as_ref(), &context, &yielded)
    });
    let (withheld, obliged) = match review {
        Some(Review { ruling: Release::Released { redact, labels }, .. }) => {
            (None, obliged.and(redact, labels))
        }
        Some(Review { ruling: Release::Withheld(cause), findings }) => {
            (Some(Withheld::new(cause, findings)), whole(obliged))
        }
        // Nothing has an effect that was not judged.
        None => {
            let cause = Cause::Indeterminate(Fault::Error);
            (Some(Withheld::new(cause, Vec::new())), whole(obliged))
        }
    };
    let redactions = take_out(&mut shown.texts, &hits, obliged.redact);
    let (places, barred) = files::barred(&shown.files, &searched, obliged.redact);
    drop(shown);
    E::bar(&mut output, &places);
    let summary = told(E::summary(&output), withheld.as_ref(), &redactions);
    let summary = with_drift(summary, &done.drift);
    let released = match withheld {
        None => Ok(output),
        Some(withheld) => Err(withheld),
    };
    Reviewed { released, labels: obliged.labels, redactions, barred, summary }
}

/// What is withheld is summed up without any of its secrets: a digest of few digits would tell
/// them.
fn whole(obliged: Obliged) -> Obliged {
    obliged.and(Detectors::all(), Vec::new())
}

fn yielded<'a>(shown: &'a Shown<'_>, outcome: &'static str, detected: Counts) -> Yielded<'a> {
    let text = |each: &'a ShownText<'_>| YieldedText { name: each.name, text: each.text };
    Yielded {
        outcome,
        exit_code: shown.exit_code,
        truncated: shown.truncated,
        texts: shown.texts.iter().map(text).collect(),
        files: Vec::new(),
        detected,
        drift: &[],
    }
}

/// Takes out of the texts what these detectors found in them.
fn take_out(texts: &mut [ShownText<'_>], hits: &[Vec<Hit>], detectors: Detectors) -> Counts {
    let mut counts = Counts::default();
    for (each, hits) in texts.iter_mut().zip(hits) {
        let redacted = redact(each.text, hits, detectors);
        counts.add_all(&redacted.counts);
        if let Cow::Owned(text) = redacted.text {
            *each.text = text;
        }
    }
    counts
}

/// The summary with what was not foretold.
fn with_drift(summary: Json, drift: &[Drift]) -> Json {
    let Json::Object(mut members) = summary else { return summary };
    let strayed = |one: &Drift| {
        let line = Json::Number(Number::new(one.line.to_string()));
        let texts = [("capability", one.capability), ("event", &one.event)];
        let texts = texts.map(|(key, text)| (key.into(), Json::String(text.into())));
        Json::Object(texts.into_iter().chain([("line".into(), line)]).collect())
    };
    members.push(("drift".into(), Json::Array(drift.iter().map(strayed).collect())));
    Json::Object(members)
}

/// The summary with what was taken out, and why the caller got nothing where that is so.
fn told(summary: Json, withheld: Option<&Withheld>, redactions: &Counts) -> Json {
    let Json::Object(mut members) = summary else { return summary };
    let counts = redactions.found().map(|(detector, count)| {
        (detector.as_str().into(), Json::Number(Number::new(count.to_string())))
    });
    members.push(("redactions".into(), Json::Object(counts.collect())));
    members.push(("withheld".into(), withheld.map_or(Json::Null, reason)));
    Json::Object(members)
}

/// The rules are told and not what they said: they read the result.
fn reason(withheld: &Withheld) -> Json {
    let fault = match withheld.cause {
        Cause::Indeterminate(fault) => Json::String(fault.as_str().into()),
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
    };
    let mut rules: Vec<Text> =
        withheld.findings.iter().map(|finding| finding.rule.clone()).collect();
    rules.dedup();
    Json::Object(vec![
        ("cause".into(), Json::String(withheld.cause.as_str().into())),
        ("fault".into(), fault),
        ("rules".into(), Json::Array(rules.into_iter().map(Json::String).collect())),
    ])
}
