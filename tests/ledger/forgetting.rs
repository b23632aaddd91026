//! What nobody asks for any more is removed by and by; that it was there stays recorded.

use crate::{
    decision, execute, moment, moved, records, report, restless, settings, subject, verify,
};
use regate::call::{Text, Usage};
use regate::ledger::reader::Fault;
use regate::ledger::{
    AnswerRecord, Concern, DecisionRecord, Ledger, Owner, Question, Said, Settings, UsageRecord,
};
use regate::policy::Cause;
use std::path::Path;

/// Everything is forgotten two seconds after it was heard of.
fn forgetful(directory: &Path) -> Settings {
    Settings { history_ms_max: 2_000, ..restless(directory) }
}

fn of(session: &str, number: usize) -> DecisionRecord {
    DecisionRecord { session: session.into(), ..decision(number) }
}

/// A question about a call of its own, open until this moment.
fn asking(id: &str, number: usize, until: usize) -> DecisionRecord {
    let question = Question {
        id: id.into(),
        approvers: vec!["security".into()],
        arguments: id.into(),
        shown: "{}".into(),
        expires: moment(until),
    };
    let approval = Some(Concern::Asks(question));
    DecisionRecord { decision: "held", cause: Cause::Rule, approval, ..decision(number) }
}

fn spending(id: &str, number: usize) -> DecisionRecord {
    let approval = Some(Concern::Spends(id.into()));
    DecisionRecord { approval, ..decision(number) }
}

fn answer(id: &str, said: Said, number: usize) -> AnswerRecord {
    let asked = decision(number);
    AnswerRecord {
        approval: id.into(),
        call: asked.call,
        owner: Owner { subject: "agent-7".into(), tenant: "acme".into() },
        session: asked.session,
        tool: asked.tool,
        answered: moment(number),
        said,
        by: Some("sue".into()),
        roles: Vec::new(),
        note: Text::from("fine"),
        expires: moment(number + 1),
    }
}

#[tokio::test]
async fn a_session_that_was_long_silent_begins_anew() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = Ledger::open(&forgetful(directory.path())).await.unwrap();
    ledger.decision(of("quiet", 0)).await.unwrap();
    moved(&ledger, 1).await;
    ledger.decision(of("busy", 1)).await.unwrap();
    moved(&ledger, 2).await;
    ledger.decision(of("busy", 3)).await.unwrap();
    moved(&ledger, 3).await;
    let step = async |session: &str| {
        ledger.session(&subject("agent-7"), &session.into(), moment(4)).await.unwrap().step
    };
    assert_eq!((step("quiet").await, step("busy").await), (1, 3));
    ledger.decision(of("quiet", 4)).await.unwrap();
    assert_eq!(step("quiet").await, 2);
    ledger.close().await;
    assert_eq!(verify(directory.path()).await.flaw, None);
}

#[tokio::test]
async fn approvals_that_are_over_go_and_open_ones_stay() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = Ledger::open(&settings(directory.path())).await.unwrap();
    for id in ["refused", "expired", "spent", "approved", "pending"] {
        ledger.decision(asking(id, 1, 2)).await.unwrap();
    }
    ledger.answer(answer("refused", Said::Refused, 2)).await.unwrap();
    ledger.answer(answer("expired", Said::Expired, 2)).await.unwrap();
    ledger.answer(answer("approved", Said::Approved, 2)).await.unwrap();
    ledger.answer(answer("spent", Said::Approved, 2)).await.unwrap();
    ledger.decision(spending("spent", 3)).await.unwrap();
    ledger.close().await;
    let recorded = records(directory.path()).await.len();

    let left = async |ledger: &Ledger| {
        let mut left = Vec::new();
        for id in ["refused", "expired", "spent", "approved", "pending"] {
            if ledger.approval(id).await.unwrap().is_some() {
                left.push(id);
            }
        }
        left
    };
    let ledger = Ledger::open(&forgetful(directory.path())).await.unwrap();
    ledger.decision(decision(4)).await.unwrap();
    moved(&ledger, 1).await;
    assert_eq!(left(&ledger).await.len(), 5, "it is not long ago");
    ledger.decision(decision(9)).await.unwrap();
    moved(&ledger, 2).await;
    assert_eq!(left(&ledger).await, ["approved", "pending"]);
    ledger.close().await;

    assert!(records(directory.path()).await.len() > recorded, "the records stay");
    assert_eq!(verify(directory.path()).await.flaw, None);
    execute(directory.path(), "DELETE FROM approvals WHERE id = 'pending'").await;
    let flaw = verify(directory.path()).await.flaw.map(|flaw| flaw.fault);
    assert_eq!(flaw, Some(Fault::Noted("approvals")));
}

#[tokio::test]
async fn what_was_reported_goes_with_its_session() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = Ledger::open(&forgetful(directory.path())).await.unwrap();
    let reported =
        |session: &str, number| UsageRecord { session: session.into(), ..report(number) };
    for (session, parts) in [("quiet", 1), ("busy", 2)] {
        ledger.usage(reported(session, 1)).await.unwrap();
        moved(&ledger, parts).await;
    }
    let used = async |session: &str| {
        let session = ledger.session(&subject("agent-7"), &session.into(), moment(9)).await;
        session.unwrap().usage
    };
    assert_eq!(used("quiet").await, used("busy").await);
    assert_ne!(used("quiet").await, Usage::default());
    for (number, parts) in [(3, 3), (5, 4), (7, 5)] {
        // A step is as good as a report: the session goes on.
        ledger.decision(of("busy", number)).await.unwrap();
        moved(&ledger, parts).await;
    }
    assert_eq!(used("quiet").await, Usage::default());
    assert_ne!(used("busy").await, Usage::default());
    ledger.usage(reported("quiet", 8)).await.unwrap();
    assert_eq!(used("quiet").await, reported("quiet", 8).usage, "it begins anew");
    ledger.close().await;
    assert_eq!(verify(directory.path()).await.flaw, None);
}
