//! What a session did before is told from the ledger.

use crate::{START_MS, decision, moment, open, outcome, subject};
use regate::call::{Session, Text};

#[tokio::test]
async fn a_new_session_begins_now() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path()).await;
    let session = ledger.session(&subject("agent-7"), &"s".into(), moment(9)).await;
    let expected = Session { id: "s".into(), step: 1, started: moment(9), history: Vec::new() };
    assert_eq!(session, Ok(expected));
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
