//! What a session did before is told from the ledger.

use crate::{
    START_MS, decision, moment, open, outcome, records, report, settings, subject, verify,
};
use regate::call::{Label, Session, Text, Timestamp, Usage};
use regate::ledger::{DecisionRecord, Error, Ledger, OutcomeRecord, Settings};
use regate::policy::Cause;

#[tokio::test]
async fn a_new_session_begins_now() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path()).await;
    let session = ledger.session(&subject("agent-7"), &"s".into(), moment(9)).await;
    assert_eq!(session, Ok(Session::beginning("s", moment(9))));
    ledger.close().await;
}

#[tokio::test]
async fn steps_are_told_with_their_outcomes_oldest_first() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path()).await;
    for number in 0..3 {
        ledger.decision(decision(number)).await.unwrap();
    }
    ledger.outcome(outcome(1)).await.unwrap();
    let session = ledger.session(&subject("agent-7"), &"s".into(), moment(9)).await.unwrap();
    assert_eq!((session.step, session.started.unix_ms()), (4, START_MS));
    let told: Vec<_> = session
        .history
        .iter()
        .map(|step| (step.step, &*step.tool, &*step.decision, step.outcome.as_deref()))
        .collect();
    let expected = [
        (1, "run_python", "denied", None),
        (2, "run_python", "denied", Some("ok")),
        (3, "run_python", "denied", None),
    ];
    assert_eq!(told, expected);
    ledger.close().await;
}

#[tokio::test]
async fn a_long_session_shows_its_last_steps() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path()).await;
    let records = (0..70).map(|number| ledger.decision(decision(number)));
    for result in futures_util::future::join_all(records).await {
        result.unwrap();
    }
    let session = ledger.session(&subject("agent-7"), &"s".into(), moment(99)).await.unwrap();
    assert_eq!((session.step, session.started.unix_ms()), (71, START_MS));
    let steps: Vec<_> = session.history.iter().map(|step| step.step).collect();
    assert_eq!(steps, (21..=70).collect::<Vec<_>>());
    ledger.close().await;
}

/// What was permitted and has no outcome may have been done: the record says so, once.
#[tokio::test]
async fn effects_without_an_end_are_interrupted_once() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path()).await;
    let permitted =
        |number| DecisionRecord { decision: "permitted", cause: Cause::Rule, ..decision(number) };
    for number in 0..300 {
        ledger.decision(permitted(number)).await.unwrap();
    }
    ledger.outcome(outcome(7)).await.unwrap();
    ledger.decision(decision(300)).await.unwrap();
    ledger.decision(DecisionRecord { advisory: true, ..permitted(301) }).await.unwrap();
    ledger.close().await;

    let ledger = open(directory.path()).await;
    assert_eq!(ledger.interrupt(moment(400)).await, Ok(299));
    ledger.close().await;
    let ledger = open(directory.path()).await;
    assert_eq!(ledger.interrupt(moment(500)).await, Ok(0));
    let session = ledger.session(&subject("agent-7"), &"s".into(), moment(500)).await.unwrap();
    let outcomes = session.history.iter().rev().take(3).map(|step| step.outcome.as_deref());
    let expected = [None, Some("interrupted"), Some("interrupted")];
    assert_eq!((session.step, outcomes.collect::<Vec<_>>()), (302, expected.into()));
    ledger.close().await;
    let records = records(directory.path()).await;
    let interrupted = records.iter().filter(|record| record.body.contains("\"interrupted\""));
    assert!(interrupted.clone().all(|record| !record.body.contains("\"call-7\"")));
    assert_eq!(interrupted.count(), 299);
    assert_eq!(verify(directory.path()).await.flaw, None);
}

#[tokio::test]
async fn a_session_is_its_subjects_own_and_survives_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path()).await;
    let mut others = [decision(2), decision(3), decision(4), decision(5)];
    others[0].subject.id = "agent-8".into();
    others[1].subject.tenant = "umbrella".into();
    others[2].session = "t".into();
    // Only the decision was asked for: it is no step.
    others[3].advisory = true;
    ledger.decision(decision(1)).await.unwrap();
    for other in others {
        ledger.decision(other).await.unwrap();
    }
    ledger.close().await;
    let ledger = open(directory.path()).await;
    let step = async |id: &str, session: &str| {
        let session: Text = session.into();
        ledger.session(&subject(id), &session, moment(9)).await.unwrap().step
    };
    assert_eq!(step("agent-7", "s").await, 2);
    assert_eq!(step("agent-8", "s").await, 2);
    assert_eq!(step("agent-7", "t").await, 2);
    assert_eq!(step("agent-8", "t").await, 1);
    assert_eq!(step("' OR 1 = 1 --", "s").await, 1);
    ledger.close().await;
}

/// The labels of a subject, each with the session and the step that put it on.
async fn labels(ledger: &Ledger, id: &str, now: Timestamp) -> Vec<(String, String, u64)> {
    let session = ledger.session(&subject(id), &"t".into(), now).await.unwrap();
    let told = |label: &Label| (label.name.to_string(), label.session.to_string(), label.step);
    session.labels.iter().map(told).collect()
}

fn labelling(number: usize, labels: &[&str]) -> OutcomeRecord {
    OutcomeRecord {
        labels: labels.iter().map(|label| Text::from(*label)).collect(),
        ..outcome(number)
    }
}

#[tokio::test]
async fn labels_are_of_the_subject_and_survive_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path()).await;
    for number in 0..3 {
        ledger.decision(decision(number)).await.unwrap();
    }
    ledger.outcome(labelling(0, &["pii", "secret"])).await.unwrap();
    ledger.outcome(labelling(2, &["secret"])).await.unwrap();
    ledger.close().await;
    let ledger = open(directory.path()).await;
    let expected =
        [("pii".to_owned(), "s".to_owned(), 1), ("secret".to_owned(), "s".to_owned(), 3)];
    assert_eq!(labels(&ledger, "agent-7", moment(3)).await, expected);
    assert_eq!(labels(&ledger, "agent-8", moment(3)).await, []);
    let session = ledger.session(&subject("agent-7"), &"s".into(), moment(3)).await.unwrap();
    let steps: Vec<usize> = session.history.iter().map(|step| step.labels.len()).collect();
    assert_eq!(steps, [2, 0, 1]);
    ledger.close().await;
    assert_eq!(verify(directory.path()).await.flaw, None);
}

#[tokio::test]
async fn a_label_wears_off_after_the_last_call_that_put_it_on() {
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings { label_ms_max: 10_000, ..settings(directory.path()) };
    let ledger = Ledger::open(&settings).await.unwrap();
    for number in [0, 5] {
        ledger.decision(decision(number)).await.unwrap();
        ledger.outcome(labelling(number, &["secret"])).await.unwrap();
    }
    assert_eq!(labels(&ledger, "agent-7", moment(15)).await.len(), 1);
    assert_eq!(labels(&ledger, "agent-7", moment(16)).await, []);
    ledger.close().await;
}

/// More would be left out of what policy sees.
#[tokio::test]
async fn a_subject_that_bears_too_many_labels_is_not_told() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path()).await;
    ledger.decision(decision(0)).await.unwrap();
    let names: Vec<String> = (0..=Session::LABELS_MAX).map(|name| format!("l{name}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    ledger.outcome(labelling(0, &names[1..])).await.unwrap();
    assert_eq!(labels(&ledger, "agent-7", moment(1)).await.len(), Session::LABELS_MAX);
    ledger.outcome(labelling(0, &names[..1])).await.unwrap();
    let session = ledger.session(&subject("agent-7"), &"t".into(), moment(1)).await;
    assert_eq!(session, Err(Error::TooManyLabels));
    ledger.close().await;
}

/// Only what a step of a session did is put on.
#[tokio::test]
async fn an_outcome_without_a_step_marks_nobody() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path()).await;
    ledger.outcome(labelling(0, &["secret"])).await.unwrap();
    ledger.decision(DecisionRecord { advisory: true, ..decision(1) }).await.unwrap();
    ledger.outcome(labelling(1, &["secret"])).await.unwrap();
    assert_eq!(labels(&ledger, "agent-7", moment(1)).await, []);
    ledger.close().await;
    assert_eq!(verify(directory.path()).await.flaw, None);
}

#[tokio::test]
async fn what_was_reported_is_summed_in_its_session_and_is_no_step() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path()).await;
    for number in [1, 2, 3] {
        ledger.usage(report(number)).await.unwrap();
    }
    let elsewhere = [("agent-8", "s"), ("agent-7", "t")];
    ledger.close().await;
    let ledger = open(directory.path()).await;
    let told = async |id: &str, session: &str| {
        let session: Text = session.into();
        ledger.session(&subject(id), &session, moment(9)).await.unwrap()
    };
    let session = told("agent-7", "s").await;
    assert_eq!(session.usage, Usage { tokens: 6, cost_microusd: 60 });
    assert_eq!((session.step, session.history.len()), (1, 0));
    for (id, session) in elsewhere {
        assert_eq!(told(id, session).await.usage, Usage::default());
    }
    ledger.close().await;
}
