//! Questions to people and their answers outlast a change of files, and are held against the
//! records.

use crate::{decision, execute, moment, settings, verify};
use regate::call::{CallId, Text, Tool};
use regate::ledger::reader::{Fault, Flaw};
use regate::ledger::{AnswerRecord, Concern, DecisionRecord, Error, Ledger, Owner, Question};
use regate::ledger::{Purview, Said, Settings, State};
use regate::policy::Cause;
use std::path::Path;
use std::time::Duration;

/// What people are shown of the call.
const SHOWN: &str = r#"{"code":"print('shown to people')"}"#;

fn purview() -> Purview {
    Purview {
        tenant: "acme".into(),
        subject: "agent-7".into(),
        tool: Tool::builtin(Tool::RUN_PYTHON),
        arguments: "a1".into(),
        policy: "b0b".into(),
    }
}

fn asking(number: usize) -> DecisionRecord {
    let question = Question {
        id: "question".into(),
        approvers: vec!["security".into()],
        arguments: "a1".into(),
        shown: SHOWN.into(),
        expires: moment(1_000),
    };
    let approval = Some(Concern::Asks(question));
    DecisionRecord { decision: "held", cause: Cause::Rule, approval, ..decision(number) }
}

fn spending(number: usize) -> DecisionRecord {
    let approval = Some(Concern::Spends("question".into()));
    DecisionRecord { decision: "permitted", cause: Cause::Rule, approval, ..decision(number) }
}

fn answer() -> AnswerRecord {
    AnswerRecord {
        approval: "question".into(),
        call: CallId::new("call-1"),
        owner: Owner { subject: "agent-7".into(), tenant: "acme".into() },
        session: "s".into(),
        tool: Tool::builtin(Tool::RUN_PYTHON),
        answered: moment(2),
        said: Said::Approved,
        by: Some("sue".into()),
        roles: vec!["security".into()],
        note: Text::from("fine"),
        expires: moment(2_000),
    }
}

/// Asked, answered and spent, each in a file of its own.
async fn asked_and_spent(directory: &Path) -> Ledger {
    let restless = Settings { rotate_bytes_max: 1, ..settings(directory) };
    let ledger = Ledger::open(&restless).await.unwrap();
    let moved = async |parts| {
        while ledger.sealed() < parts {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    ledger.decision(asking(1)).await.unwrap();
    moved(1).await;
    ledger.answer(answer()).await.unwrap();
    moved(2).await;
    let standing = ledger.approval_of(&purview()).await.unwrap().unwrap();
    assert_eq!(standing.state, State::Approved);
    let question = ledger.recorded_question(&standing).await.unwrap().unwrap();
    assert!(question.contains("\"held\""), "{question}");
    ledger.decision(spending(2)).await.unwrap();
    moved(3).await;
    assert_eq!(ledger.decision(spending(3)).await, Err(Error::Contested));
    ledger
}

#[tokio::test]
async fn an_approval_is_spent_once_over_files() {
    let directory = tempfile::tempdir().unwrap();
    asked_and_spent(directory.path()).await.close().await;
    let ledger = Ledger::open(&settings(directory.path())).await.unwrap();
    let standing = ledger.approval_of(&purview()).await.unwrap().unwrap();
    assert_eq!((standing.state, standing.call.as_str()), (State::Spent, "call-1"));
    assert_eq!(ledger.decision(spending(4)).await, Err(Error::Contested));
    assert_eq!(ledger.interrupt(moment(9)).await, Ok(1));
    ledger.close().await;
    let verification = verify(directory.path()).await;
    assert_eq!((verification.count, verification.flaw), (10, None));
}

#[tokio::test]
async fn a_changed_approval_is_found() {
    let changes = [
        "UPDATE approvals SET state = 'approved'",
        "UPDATE approvals SET answered_by = 'mallory'",
        "DELETE FROM approvals",
    ];
    for sql in changes {
        let directory = tempfile::tempdir().unwrap();
        asked_and_spent(directory.path()).await.close().await;
        execute(directory.path(), sql).await;
        let flaw = Flaw { seq: 9, fault: Fault::Noted("approvals") };
        assert_eq!(verify(directory.path()).await.flaw, Some(flaw), "{sql}");
    }
}

#[tokio::test]
async fn what_others_ask_hides_nothing_of_a_tenants() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = Ledger::open(&settings(directory.path())).await.unwrap();
    for (number, tenant) in ["umbrella", "umbrella", "umbrella", "acme"].into_iter().enumerate() {
        let mut asking = asking(number);
        if let Some(Concern::Asks(question)) = &mut asking.approval {
            question.id = format!("question-{number}").into();
            question.arguments = question.id.clone();
        }
        asking.subject.tenant = tenant.into();
        ledger.decision(asking).await.unwrap();
    }
    let listed = async |tenant| {
        let open = ledger.pending_approvals(tenant, moment(9), 2).await.unwrap();
        open.iter().map(|standing| standing.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(listed(Some("acme")).await, ["question-3"]);
    assert_eq!(listed(None).await, ["question-0", "question-1"]);
    assert_eq!(listed(Some("nobody")).await, Vec::<String>::new());
}

/// Whether a text stands in any file of the ledger.
#[expect(clippy::disallowed_methods, reason = "the files are searched as they are")]
fn is_on_disk(directory: &Path, text: &str) -> bool {
    let files = std::fs::read_dir(directory).unwrap();
    let mut bytes = files.map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
    bytes.any(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
}

async fn shown(ledger: &Ledger) -> Option<Text> {
    let standing = ledger.approval_of(&purview()).await.unwrap().unwrap();
    ledger.shown(&standing).await.unwrap()
}

#[tokio::test]
async fn what_people_are_shown_is_gone_with_its_question() {
    let answered = |said| AnswerRecord { said, ..answer() };
    for end in [Said::Refused, Said::Expired, Said::Approved] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        let ledger = Ledger::open(&settings(path)).await.unwrap();
        ledger.decision(asking(1)).await.unwrap();
        assert_eq!(shown(&ledger).await.as_deref(), Some(SHOWN));
        assert!(is_on_disk(path, SHOWN));
        ledger.close().await;

        let ledger = Ledger::open(&settings(path)).await.unwrap();
        assert_eq!(shown(&ledger).await.as_deref(), Some(SHOWN), "after a restart");
        ledger.answer(answered(end)).await.unwrap();
        if end == Said::Approved {
            assert_eq!(shown(&ledger).await.as_deref(), Some(SHOWN));
            ledger.decision(spending(2)).await.unwrap();
        }
        assert_eq!(shown(&ledger).await, None, "{end:?}");
        ledger.close().await;
        assert!(!is_on_disk(path, "shown to people"), "{end:?}");
        assert_eq!(verify(path).await.flaw, None);
    }
}

#[tokio::test]
async fn what_was_changed_is_not_shown() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = Ledger::open(&settings(directory.path())).await.unwrap();
    ledger.decision(asking(1)).await.unwrap();
    execute(directory.path(), "UPDATE shown SET told = '{\"code\":\"print(1)\"}'").await;
    assert_eq!(shown(&ledger).await, None);
    ledger.close().await;
    // Nor can the recorded digest be changed along with it.
    execute(directory.path(), "UPDATE approvals SET shown = 'd1'").await;
    let flaw = Flaw { seq: 1, fault: Fault::Noted("approvals") };
    assert_eq!(verify(directory.path()).await.flaw, Some(flaw));
}
