//! The ledger on real files: what it promises, what breaks it, and what is found out.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../disk/mod.rs"]
mod disk;

mod appending;
mod asking;
mod failing;
mod forgetting;
mod rotating;
mod selecting;
mod sessions;
mod tampering;

use regate::call::{Authentication, CallId, Door, Json, Subject, Text, Timestamp, Tool, Usage};
use regate::ledger::reader::{Reader, Record, Selection, Start, Verification};
use regate::ledger::{DecisionRecord, Ledger, OutcomeRecord, Owner, Settings, UsageRecord};
use regate::policy::{Cause, Finding, FindingSpan, Severity};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

/// When the first call of these tests was received.
const START_MS: i64 = 1_767_225_600_000;

fn subject(id: &str) -> Subject {
    Subject {
        id: id.into(),
        tenant: "acme".into(),
        roles: vec!["analyst".into()],
        authentication: Authentication::ApiKey,
    }
}

/// The n-th decision: a denial in the subject's session `s`.
fn decision(number: usize) -> DecisionRecord {
    DecisionRecord {
        call: CallId::new(format!("call-{number}")),
        received: moment(number),
        door: Door::Rest,
        subject: subject("agent-7"),
        session: "s".into(),
        tool: Tool::builtin(Tool::RUN_PYTHON),
        arguments: Json::Object(vec![("code".into(), Json::String("print(1)\n".into()))]),
        code: Some("c0de".into()),
        coverage_complete: Some(true),
        decision: "denied",
        cause: Cause::Rule,
        findings: vec![Finding {
            rule: "process/spawn".into(),
            span: Some(FindingSpan { line: 1, column: 0, end_line: 1, end_column: 8 }),
            message: "starts a \"process\"".into(),
            severity: Severity::High,
            remedy: Text::from(""),
        }],
        policy: "b0b".into(),
        advisory: false,
        approval: None,
    }
}

fn outcome(number: usize) -> OutcomeRecord {
    OutcomeRecord {
        call: CallId::new(format!("call-{number}")),
        ended: moment(number),
        owner: Owner { subject: "agent-7".into(), tenant: "acme".into() },
        session: "s".into(),
        tool: Tool::builtin(Tool::RUN_PYTHON),
        outcome: "ok",
        labels: Vec::new(),
        summary: Json::Object(vec![("exit_code".into(), Json::Null)]),
    }
}

/// The n-th report, of n tokens, in the subject's session `s`.
fn report(number: usize) -> UsageRecord {
    let tokens = u64::try_from(number).unwrap();
    UsageRecord {
        report: CallId::new(format!("report-{number}")),
        received: moment(number),
        subject: subject("agent-7"),
        session: "s".into(),
        usage: Usage { tokens, cost_microusd: 10 * tokens },
    }
}

fn moment(number: usize) -> Timestamp {
    Timestamp::from_unix_ms(START_MS + i64::try_from(number).unwrap() * 1_000)
}

fn settings(directory: &Path) -> Settings {
    Settings { append_ms_max: 60_000, ..Settings::in_directory(directory) }
}

/// Whatever is written is sealed.
fn restless(directory: &Path) -> Settings {
    Settings { rotate_bytes_max: 1, ..settings(directory) }
}

/// Waits until so many parts were moved to files of their own.
async fn moved(ledger: &Ledger, parts: u64) {
    while ledger.sealed() < parts {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn open(directory: &Path) -> Ledger {
    Ledger::open(&settings(directory)).await.unwrap()
}

/// A ledger of so many decisions, which was closed in order.
async fn written(directory: &Path, decisions: usize) {
    let ledger = open(directory).await;
    for number in 1..=decisions {
        ledger.decision(decision(number)).await.unwrap();
    }
    ledger.close().await;
}

async fn records(directory: &Path) -> Vec<Record> {
    let all = Selection { limit: u64::MAX, ..Selection::default() };
    let mut records = Vec::new();
    let mut reader = Reader::open(&settings(directory).file).await.unwrap();
    let each = |record| {
        records.push(record);
        ControlFlow::Continue(())
    };
    reader.show(&all, each).await.unwrap();
    records
}

/// The numbers of the records that are selected, and where there may be more.
async fn shown(reader: &mut Reader, selection: &Selection) -> (Vec<u64>, Option<u64>) {
    let mut seqs = Vec::new();
    let each = |record: Record| {
        seqs.push(record.seq);
        ControlFlow::Continue(())
    };
    let more = reader.show(selection, each).await.unwrap();
    (seqs, more)
}

async fn verify(directory: &Path) -> Verification {
    let mut reader = Reader::open(&settings(directory).file).await.unwrap();
    reader.verify(Start::Beginning, |_, _| {}).await.unwrap()
}

/// The database as anyone who has the file can open it.
async fn database(directory: &Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(settings(directory).file).connect().await.unwrap()
}

async fn execute(directory: &Path, sql: &'static str) {
    let mut connection = database(directory).await;
    sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}
