//! What is answered is on disk, in order, and a sync is shared by all that wait.

use crate::{database, decision, open, outcome, records, settings, shown, verify, written};
use futures_util::future::join_all;
use regate::call::{CallId, Json};
use regate::ledger::reader::{Reader, Record, Selection};
use regate::ledger::{Error, Ledger, Settings};
use std::io::{BufRead, BufReader};
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

#[tokio::test]
async fn what_is_answered_is_there_for_others_to_read() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path()).await;
    for number in 1..=5 {
        ledger.decision(decision(number)).await.unwrap();
        assert_eq!(records(directory.path()).await.len(), number * 2 - 1);
        ledger.outcome(outcome(number)).await.unwrap();
        let records = records(directory.path()).await;
        let last = records.last().unwrap();
        assert_eq!((last.seq, last.kind.as_str()), (number as u64 * 2, "outcome"));
    }
    ledger.close().await;
    let verification = verify(directory.path()).await;
    assert_eq!((verification.count, verification.flaw), (10, None));
}

#[tokio::test]
async fn the_chain_goes_on_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    written(directory.path(), 3).await;
    let before = verify(directory.path()).await;
    written(directory.path(), 2).await;
    let after = verify(directory.path()).await;
    assert_eq!((before.count, after.count, after.flaw), (3, 5, None));
    assert_eq!(before.head, records(directory.path()).await[2].hash);
    assert_ne!(before.head, after.head);
}

#[tokio::test]
async fn two_ledgers_of_the_same_records_have_two_chains() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    written(one.path(), 1).await;
    written(other.path(), 1).await;
    let (one, other) = (records(one.path()).await, records(other.path()).await);
    assert_eq!(one[0].body, other[0].body);
    assert_ne!(one[0].hash, other[0].hash);
}

/// The writer is kept from writing until all wait, so that the count is exact: one transaction
/// for those that it had taken already, and one for all others.
#[tokio::test]
async fn all_that_wait_share_one_transaction() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path()).await;
    let mut other = database(directory.path()).await;
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let appends = join_all((1..=200).map(|number| ledger.decision(decision(number))));
    let release = async {
        sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    };
    let (results, ()) = tokio::join!(appends, release);
    assert!(results.iter().all(Result::is_ok));
    assert!((1..=2).contains(&ledger.commits()), "{}", ledger.commits());
    ledger.close().await;
    assert_eq!(verify(directory.path()).await.count, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_tasks_append_to_one_chain() {
    const TASKS: usize = 64;
    const RECORDS: usize = 1_000;
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path()).await;
    let tasks = (0..TASKS).map(|task| {
        let ledger = ledger.clone();
        tokio::spawn(async move {
            for number in (0..RECORDS).filter(|number| number % TASKS == task) {
                ledger.decision(decision(number)).await.unwrap();
            }
        })
    });
    for task in join_all(tasks).await {
        task.unwrap();
    }
    let commits = ledger.commits();
    assert!(commits <= RECORDS as u64 / 4, "{commits} commits");
    ledger.close().await;
    let verification = verify(directory.path()).await;
    assert_eq!((verification.count, verification.flaw), (RECORDS as u64, None));
}

#[tokio::test]
async fn closing_writes_what_waits_and_refuses_what_comes_later() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path()).await;
    let appends = join_all((1..=50).map(|number| ledger.decision(decision(number))));
    let (results, ()) = tokio::join!(appends, ledger.close());
    assert!(results.iter().all(Result::is_ok));
    assert_eq!(ledger.decision(decision(51)).await, Err(Error::Closed));
    assert_eq!(ledger.check().await, Err(Error::Closed));
    assert_eq!(verify(directory.path()).await.count, 50);
    ledger.close().await;
}

#[tokio::test]
async fn a_record_has_its_bounds() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path()).await;
    let with_code = |bytes: usize| {
        let mut record = decision(1);
        let code = Json::String("x".repeat(bytes).into());
        record.arguments = Json::Object(vec![("code".into(), code)]);
        record
    };
    ledger.decision(with_code(7 << 20)).await.unwrap();
    let refused = ledger.decision(with_code(8 << 20)).await;
    assert!(matches!(refused, Err(Error::TooLarge { .. })));
    ledger.close().await;
    assert_eq!(verify(directory.path()).await.count, 1);
}

#[tokio::test]
async fn only_the_owner_may_read_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let inner = directory.path().join("a/b");
    let ledger = open(&inner).await;
    ledger.decision(decision(1)).await.unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&inner), 0o700);
    for entry in std::fs::read_dir(&inner).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    ledger.close().await;
}

#[tokio::test]
async fn a_reader_selects() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path()).await;
    for number in 1..=4 {
        ledger.decision(decision(number)).await.unwrap();
        ledger.outcome(outcome(number)).await.unwrap();
    }
    // The gateway is still running.
    let mut reader = Reader::open(&settings(directory.path()).file).await.unwrap();
    let some = Selection { after: Some(2), limit: 3, ..Selection::default() };
    assert_eq!(shown(&mut reader, &some).await, ([3, 4, 5].into(), Some(5)));
    let call = Some(CallId::new("call-3"));
    let of_call = Selection { call, limit: 10, ..Selection::default() };
    assert_eq!(shown(&mut reader, &of_call).await, ([5, 6].into(), None));
    let mut seqs = Vec::new();
    let last = Selection { limit: 2, ..Selection::default() };
    let each = |record: Record| {
        seqs.push(record.seq);
        ControlFlow::Continue(())
    };
    assert_eq!(reader.tail(&last, each).await, Ok(8));
    assert_eq!(seqs, [7, 8]);
    ledger.close().await;
}

/// The child of the test below, which writes until it is killed; by itself, a short run of it.
#[tokio::test]
async fn a_writer_says_what_is_recorded() {
    let told = std::env::var_os("REGATE_TEST_LEDGER").map(PathBuf::from);
    let count = if told.is_some() { usize::MAX } else { 10 };
    // A killed process would leave a directory of its own behind.
    let own = told.is_none().then(|| tempfile::tempdir().unwrap());
    let directory = told.as_deref().or(own.as_ref().map(|own| own.path())).unwrap();
    // Killed while it seals and moves as well.
    let restless = Settings { rotate_bytes_max: 3_000, ..settings(directory) };
    let ledger = Ledger::open(&restless).await.unwrap();
    for number in 1..=count {
        ledger.decision(decision(number)).await.unwrap();
        println!("recorded {number}");
    }
    ledger.close().await;
    let verification = verify(directory).await;
    assert!(verification.count > 10, "nothing was sealed");
    assert_eq!(verification.flaw, None);
}

#[expect(clippy::disallowed_methods, reason = "a process is started in order to be killed")]
fn kill_after(directory: &Path, records: usize) -> usize {
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "appending::a_writer_says_what_is_recorded", "--nocapture"])
        .env("REGATE_TEST_LEDGER", directory)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut recorded = || {
        lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| line.split_once("recorded ")?.1.parse().ok())
    };
    while recorded().is_some_and(|number: usize| number < records) {}
    child.kill().unwrap();
    child.wait().unwrap();
    std::iter::from_fn(recorded).last().unwrap_or(records)
}

#[tokio::test]
async fn a_killed_writer_loses_nothing_that_it_answered() {
    let directory = tempfile::tempdir().unwrap();
    let mut kept = 0;
    for round in 1..=3 {
        let answered = kill_after(directory.path(), 20 * round);
        let count = records(directory.path()).await.len();
        assert!(count >= kept + answered, "{count} of {}", kept + answered);
        kept = count;
        let verification = verify(directory.path()).await;
        assert_eq!((verification.count, verification.flaw), (kept as u64, None));
    }
    // The lock died with its holder.
    let ledger = open(directory.path()).await;
    ledger.decision(decision(1)).await.unwrap();
    ledger.close().await;
}

#[tokio::test]
async fn a_second_writer_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path()).await;
    let file = settings(directory.path()).file;
    let second = Ledger::open(&settings(directory.path())).await;
    assert_eq!(second.err(), Some(Error::InUse(file)));
    ledger.decision(decision(1)).await.unwrap();
    ledger.close().await;
    written(directory.path(), 1).await;
}
