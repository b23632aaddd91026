//! The form of what is hashed, and the settings and plans that the promises rest on.

use super::body;
use super::chain::Head;
use super::columns::{self, Place, Reading};
use super::reader::{Order, Range, Selection};
use super::{
    Arguments, DecisionRecord, Error, FileAct, FileRecord, OutcomeRecord, Owner, Settings,
    UsageRecord, file, history, usage,
};
use crate::call::{Authentication, CallId, Door, Json, Number, Subject, Timestamp, Tool, Usage};
use crate::policy::{Cause, Fault, Finding, FindingSpan, Severity};
use sqlx::Row;
use std::time::Duration;

fn decision() -> DecisionRecord {
    let argument = Json::Number(Number::new("1.50e2"));
    DecisionRecord {
        call: CallId::new("call-1"),
        received: Timestamp::from_unix_ms(1_767_225_600_000),
        door: Door::Mcp,
        subject: Subject {
            id: "agent-7".into(),
            tenant: "acme".into(),
            roles: vec!["analyst".into(), "ops".into()],
            authentication: Authentication::ApiKey,
        },
        session: "s".into(),
        tool: Tool::builtin(Tool::RUN_PYTHON),
        arguments: Json::Object(vec![
            ("z".into(), argument),
            ("code".into(), Json::String("print(\"é\")\n\u{0}".into())),
        ]),
        code: Some("c0de".into()),
        coverage_complete: Some(false),
        decision: "denied",
        cause: Cause::Indeterminate(Fault::Timeout),
        findings: vec![Finding {
            rule: "process/spawn".into(),
            span: Some(FindingSpan { line: 1, column: 2, end_line: 3, end_column: 4 }),
            message: "starts a process".into(),
            severity: Severity::High,
            remedy: "do not".into(),
        }],
        policy: "b0b".into(),
        advisory: false,
        approval: None,
    }
}

fn outcome() -> OutcomeRecord {
    OutcomeRecord {
        call: CallId::new("call-1"),
        ended: Timestamp::from_unix_ms(1_767_225_600_250),
        owner: Owner { subject: "agent-7".into(), tenant: "acme".into() },
        session: "s".into(),
        tool: Tool::builtin(Tool::RUN_PYTHON),
        outcome: "timed_out",
        labels: vec!["pii".into(), "secret".into()],
        summary: Json::Object(vec![("exit_code".into(), Json::Null)]),
    }
}

fn report() -> UsageRecord {
    UsageRecord {
        report: CallId::new("report-1"),
        received: Timestamp::from_unix_ms(1_767_225_600_500),
        subject: decision().subject,
        session: "s".into(),
        usage: Usage { tokens: 12, cost_microusd: Usage::REPORT_MAX },
    }
}

fn upload(act: FileAct) -> FileRecord {
    FileRecord {
        id: CallId::new("file-1"),
        received: Timestamp::from_unix_ms(1_767_225_600_500),
        subject: decision().subject,
        session: "s".into(),
        name: "in/a.csv".into(),
        act,
    }
}

/// A change of these bodies is a change of what earlier ledgers are read as.
#[test]
fn bodies_are_canonical_and_whole() {
    insta::assert_snapshot!("decision", body::decision(decision(), Arguments::Whole));
    insta::assert_snapshot!("outcome", body::outcome(outcome()));
    insta::assert_snapshot!("usage", body::usage(report()));
    let put = FileAct::Put { digest: "d".into(), bytes: 7 };
    insta::assert_snapshot!("file", body::file(upload(put)));
}

/// A change of this sum makes every ledger that was written unsound.
#[test]
fn the_chain_is_the_same_sum_for_ever() {
    let head = Head::genesis(&[7; 32]).next("{}").next("{\"a\":1}");
    insta::assert_snapshot!("head", format!("{} {}", head.seq, head.hash));
}

#[test]
fn columns_say_what_the_body_says() {
    let Reading { columns, place, .. } =
        columns::read(&body::decision(decision(), Arguments::Whole)).unwrap();
    assert_eq!(place, Place::Step);
    assert_eq!(columns.kind, "decision");
    assert_eq!(columns.call.as_deref(), Some("call-1"));
    assert_eq!(columns.at_ms, 1_767_225_600_000);
    let words = [
        (&columns.tenant, "acme"),
        (&columns.subject, "agent-7"),
        (&columns.session, "s"),
        (&columns.tool, "run_python"),
        (&columns.decision, "denied"),
        (&columns.cause, "indeterminate"),
    ];
    for (column, word) in words {
        assert_eq!(column.as_deref(), Some(word));
    }
    let Reading { columns, place, .. } = columns::read(&body::outcome(outcome())).unwrap();
    assert_eq!(place, Place::Aside);
    assert_eq!(columns.outcome.as_deref(), Some("timed_out"));
    assert_eq!(columns.labels.as_deref(), Some(r#"["pii","secret"]"#));
    assert_eq!(columns.decision, None);
    let Reading { columns, place, .. } = columns::read(&body::usage(report())).unwrap();
    assert_eq!((place, columns.kind.as_str()), (Place::Aside, "usage"));
    assert_eq!(columns.subject.as_deref(), Some("agent-7"));
    assert_eq!(columns.session.as_deref(), Some("s"));
}

#[test]
fn changes_of_files_stand_beside_the_steps_of_their_session() {
    let removal = body::file(upload(FileAct::Remove));
    let Reading { columns, place, .. } = columns::read(&removal).unwrap();
    assert_eq!((place, columns.kind.as_str()), (Place::Aside, "file"));
    assert_eq!(columns.session.as_deref(), Some("s"));
}

#[test]
fn advice_is_no_step() {
    let advice = DecisionRecord { advisory: true, ..decision() };
    let Reading { place, .. } = columns::read(&body::decision(advice, Arguments::Whole)).unwrap();
    assert_eq!(place, Place::Aside);
}

#[test]
fn deep_arguments_are_read() {
    let mut deep = Json::Null;
    for _ in 0..2_000 {
        deep = Json::Array(vec![deep]);
    }
    let record = DecisionRecord { arguments: deep, ..decision() };
    assert!(columns::read(&body::decision(record, Arguments::Whole)).is_ok());
}

#[test]
fn what_is_no_record_is_refused() {
    let broken = DecisionRecord {
        arguments: Json::Number(Number::new("1,\"advisory\":true")),
        ..decision()
    };
    let bodies = [
        body::decision(broken, Arguments::Whole).as_str(),
        "",
        "[]",
        "{\"kind\":\"decision\"}",
        "{\"kind\":\"seal\",\"call\":\"c\",\"at_ms\":1}",
    ]
    .map(columns::read);
    for result in bodies {
        assert!(matches!(result, Err(Error::Malformed(_))), "{result:?}");
    }
}

#[tokio::test]
async fn each_commit_is_synced_to_a_log_that_others_can_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger.db");
    let (file, _lock) = file::prepare(&path, Duration::from_secs(5)).await.unwrap();
    let (mut connection, _) = file.connect().await.unwrap();
    let synchronous: i64 =
        sqlx::query_scalar("PRAGMA synchronous").fetch_one(&mut connection).await.unwrap();
    let journal: String =
        sqlx::query_scalar("PRAGMA journal_mode").fetch_one(&mut connection).await.unwrap();
    assert_eq!((synchronous, journal.as_str()), (2, "wal"));
}

/// No step of the plan may look at more than the rows that it needs.
#[tokio::test]
async fn a_session_is_looked_up_by_index_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger.db");
    let (file, _lock) = file::prepare(&path, Duration::from_secs(5)).await.unwrap();
    let (mut connection, _) = file.connect().await.unwrap();
    let mut steps: Vec<String> = Vec::new();
    for query in [history::LAST_STEPS, history::LABELS, usage::NOTED] {
        let explain = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {query}"));
        let plan = sqlx::query(explain).fetch_all(&mut connection).await.unwrap();
        steps.extend(plan.iter().map(|row| row.get("detail")));
    }
    let searches = |index: &str| {
        let searches = steps.iter().filter(|step| step.contains(index));
        searches.count()
    };
    assert_eq!(searches("SEARCH steps USING PRIMARY KEY"), 1, "{steps:?}");
    assert_eq!(searches("SEARCH meta USING INTEGER PRIMARY KEY"), 2, "{steps:?}");
    assert_eq!(searches("SEARCH labels USING PRIMARY KEY"), 1, "{steps:?}");
    assert_eq!(searches("SEARCH usage USING PRIMARY KEY"), 1, "{steps:?}");
    assert_eq!(searches("SCAN") + searches("TEMP"), 0, "{steps:?}");
}

/// All records of a call, a session or a subject, its outcomes too, without a look at others.
#[tokio::test]
async fn records_are_found_by_index() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger.db");
    let (file, _lock) = file::prepare(&path, Duration::from_secs(5)).await.unwrap();
    let (mut connection, _) = file.connect().await.unwrap();
    let newest = Selection { order: Order::NewestFirst, ..Selection::default() };
    let selections = [
        (Selection { call: Some(CallId::new("c")), ..newest.clone() }, "INDEX records_by_call"),
        (Selection { session: Some("s".into()), ..newest.clone() }, "INDEX records_by_session"),
        (Selection { tenant: Some("t".into()), ..newest.clone() }, "INDEX records_by_subject"),
        (newest, "INTEGER PRIMARY KEY"),
    ];
    for (selection, index) in selections {
        let range = Range { after: 0, last: i64::MAX };
        let query = selection.query(range, 10).into_sql();
        let explain = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {}", query.as_str()));
        let plan = sqlx::query(explain).fetch_all(&mut connection).await.unwrap();
        let steps: Vec<String> = plan.iter().map(|row| row.get("detail")).collect();
        assert!(steps[0].contains(&format!("SEARCH records USING {index}")), "{steps:?}");
    }
}

#[test]
fn outcomes_say_whose_they_are() {
    let Reading { columns, .. } = columns::read(&body::outcome(outcome())).unwrap();
    assert_eq!(columns.subject.as_deref(), Some("agent-7"));
    assert_eq!(columns.session.as_deref(), Some("s"));
    assert_eq!(columns.tool.as_deref(), Some("run_python"));
}

/// Of texts that are masked nothing is left but what can be computed of them.
#[test]
fn arguments_are_kept_as_the_setting_says() {
    let arguments = |kept| {
        let body = body::decision(decision(), kept);
        let body: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["arguments_kept"], kept.as_str());
        body["arguments"].clone()
    };
    let code = "print(\"é\")\n\u{0}";
    assert_eq!(arguments(Arguments::Whole)["code"], code);
    let masked = arguments(Arguments::Masked);
    let hash = blake3::hash(code.as_bytes()).to_hex().to_string();
    assert_eq!(masked["code"], serde_json::json!({"blake3": hash, "bytes": code.len()}));
    assert_eq!(masked["z"].to_string(), "9.99e+9");
    let canonical = decision().arguments.canonical();
    let hash = blake3::hash(canonical.as_bytes()).to_hex().to_string();
    let digest = serde_json::json!({"blake3": hash, "bytes": canonical.len()});
    assert_eq!(arguments(Arguments::Digest), digest);
}

#[test]
fn each_error_has_a_word_of_its_own() {
    let path = std::path::PathBuf::from("ledger.db");
    let errors = [
        Error::Database(String::new()),
        Error::Full,
        Error::NoRoom,
        Error::Timeout,
        Error::Closed,
        Error::TooLarge { bytes: 1 },
        Error::Malformed(String::new()),
        Error::InUse(path.clone()),
        Error::NotALedger(path.clone()),
        Error::Version { file: path.clone(), found: 2, known: 1 },
        Error::Contested,
        Error::TooManyLabels,
        Error::Broken,
        Error::File { file: path, reason: String::new() },
    ];
    let words: std::collections::BTreeSet<_> = errors.iter().map(Error::as_str).collect();
    assert_eq!(words.len(), errors.len());
}

#[test]
fn the_usual_bounds_are_bounds() {
    let settings = Settings::in_directory(std::path::Path::new("data"));
    assert_eq!(settings.file, std::path::Path::new("data/ledger.db"));
    assert!(settings.queue_max > 0 && settings.append_ms_max > 0);
}
