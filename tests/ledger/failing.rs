//! What cannot be recorded is told at once, and the ledger recovers without a restart.
#![expect(clippy::disallowed_methods, reason = "files that are no ledgers are made")]

use crate::disk::{Immutable, Mount, fill};
use crate::{database, decision, execute, open, records, settings, verify, written};
use futures_util::future::join_all;
use regate::call::Json;
use regate::ledger::reader::Reader;
use regate::ledger::{Error, Ledger, Settings};
use std::path::Path;

/// What is at this path, read-only.
fn read_only(at: &Path) -> Mount {
    Mount::new(&["-o", "bind,ro", at.to_str().unwrap()], at)
}

#[tokio::test]
async fn a_full_disk_refuses_and_room_again_suffices() {
    let directory = tempfile::tempdir().unwrap();
    let mount = Mount::small(directory.path(), 2);
    let ledger = open(directory.path()).await;
    for number in 1..=3 {
        ledger.decision(decision(number)).await.unwrap();
    }
    let filler = directory.path().join("filler");
    fill(&filler);
    let mut large = decision(4);
    large.arguments = Json::String("x".repeat(200_000).into());
    let refused = join_all((0..8).map(|_| ledger.decision(large.clone()))).await;
    assert!(refused.iter().all(|result| matches!(result, Err(Error::Database(_)))));
    assert!(ledger.check().await.is_err());
    std::fs::remove_file(&filler).unwrap();
    ledger.decision(large).await.unwrap();
    assert_eq!(ledger.check().await, Ok(()));
    ledger.close().await;
    let verification = verify(directory.path()).await;
    assert_eq!((verification.count, verification.flaw), (4, None));
    drop(mount);
}

#[tokio::test]
async fn a_read_only_disk_is_refused_and_can_be_read() {
    let directory = tempfile::tempdir().unwrap();
    written(directory.path(), 2).await;
    let mount = read_only(directory.path());
    let opened = Ledger::open(&settings(directory.path())).await;
    assert!(matches!(opened, Err(Error::File { .. })));
    drop(mount);
    written(directory.path(), 1).await;
    assert_eq!(verify(directory.path()).await.count, 3);
}

#[tokio::test]
async fn a_read_only_file_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    written(directory.path(), 2).await;
    let mount = read_only(&settings(directory.path()).file);
    let opened = Ledger::open(&settings(directory.path())).await;
    let Err(Error::Database(reason)) = opened else {
        panic!("the ledger was opened");
    };
    assert!(reason.contains("readonly"), "{reason}");
    drop(mount);
    written(directory.path(), 1).await;
}

#[tokio::test]
async fn files_that_become_read_only_are_refused_until_they_are_not() {
    // A disk, not memory: there nothing is immutable.
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let ledger = open(directory.path()).await;
    ledger.decision(decision(1)).await.unwrap();
    let file = settings(directory.path()).file;
    let shut = [file.clone(), file.with_extension("db-wal")].map(Immutable::new);
    for _ in 0..2 {
        assert!(matches!(ledger.decision(decision(2)).await, Err(Error::Database(_))));
    }
    drop(shut);
    ledger.decision(decision(3)).await.unwrap();
    ledger.close().await;
    let verification = verify(directory.path()).await;
    assert_eq!((verification.count, verification.flaw), (2, None));
}

#[tokio::test]
async fn a_database_that_others_hold_is_an_error_until_they_let_go() {
    let directory = tempfile::tempdir().unwrap();
    let impatient = Settings { append_ms_max: 100, ..settings(directory.path()) };
    let ledger = Ledger::open(&impatient).await.unwrap();
    let mut other = database(directory.path()).await;
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let refused = ledger.decision(decision(1)).await;
    assert!(matches!(refused, Err(Error::Timeout | Error::Database(_))));
    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    ledger.close().await;
    let ledger = open(directory.path()).await;
    ledger.decision(decision(2)).await.unwrap();
    ledger.close().await;
    assert_eq!(verify(directory.path()).await.flaw, None);
}

/// The test's own thread is the only one, so the writer cannot take anything from the queue
/// before all were offered.
#[tokio::test]
async fn a_full_queue_refuses_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let small = Settings { queue_max: 4, ..settings(directory.path()) };
    let ledger = Ledger::open(&small).await.unwrap();
    let results = join_all((0..20).map(|number| ledger.decision(decision(number)))).await;
    let full = results.iter().filter(|result| **result == Err(Error::Full)).count();
    assert_eq!(full, 16);
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 4);
    ledger.close().await;
    assert_eq!(verify(directory.path()).await.count, 4);
}

#[tokio::test]
async fn a_queue_of_large_records_is_full_sooner() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path()).await;
    let mut large = decision(1);
    large.arguments = Json::String("x".repeat(7 << 20).into());
    let results = join_all((0..12).map(|_| ledger.decision(large.clone()))).await;
    let full = results.iter().filter(|result| **result == Err(Error::Full)).count();
    assert_eq!(full, 3);
    ledger.decision(large).await.unwrap();
    ledger.close().await;
    assert_eq!(verify(directory.path()).await.count, 10);
}

/// After a failure the database is had anew, and it is found to be gone, or another's.
#[tokio::test]
async fn a_ledger_that_was_taken_away_is_not_begun_anew() {
    let (disk, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mount = Mount::small(disk.path(), 2);
    let ledger = open(disk.path()).await;
    let file = settings(disk.path()).file;
    ledger.decision(decision(1)).await.unwrap();
    let filler = disk.path().join("filler");
    fill(&filler);
    let mut large = decision(2);
    large.arguments = Json::String("x".repeat(200_000).into());
    assert!(ledger.decision(large).await.is_err());
    std::fs::remove_file(&filler).unwrap();
    let aside = disk.path().join("aside");
    std::fs::rename(&file, &aside).unwrap();
    assert!(ledger.decision(decision(3)).await.is_err());
    assert!(!file.exists());
    written(elsewhere.path(), 1).await;
    std::fs::copy(settings(elsewhere.path()).file, &file).unwrap();
    let refused = ledger.decision(decision(3)).await;
    assert_eq!(refused, Err(Error::NotALedger(file.clone())));
    std::fs::rename(&aside, &file).unwrap();
    ledger.decision(decision(3)).await.unwrap();
    ledger.close().await;
    let verification = verify(disk.path()).await;
    assert_eq!((verification.count, verification.flaw), (2, None));
    drop(mount);
}

#[tokio::test]
async fn another_version_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    written(directory.path(), 1).await;
    execute(directory.path(), "PRAGMA user_version = 3").await;
    let version = Error::Version { file: settings(directory.path()).file, found: 3, known: 2 };
    assert_eq!(left_as_it_is(directory.path()).await, Err(version));
}

#[tokio::test]
async fn what_is_no_ledger_is_refused_and_left_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let file = settings(directory.path()).file;
    let refused = Err(Error::NotALedger(file.clone()));
    std::fs::write(&file, "a text that is no database, and longer than a header of one".repeat(20))
        .unwrap();
    assert_eq!(left_as_it_is(directory.path()).await, refused);
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, "").unwrap();
    execute(directory.path(), "CREATE TABLE diary (page TEXT)").await;
    assert_eq!(left_as_it_is(directory.path()).await, refused);
}

/// What opening a foreign file gives, to write and to read alike.
async fn left_as_it_is(directory: &Path) -> Result<(), Error> {
    let file = settings(directory).file;
    let before = std::fs::read(&file).unwrap();
    let written = Ledger::open(&settings(directory)).await.map(drop);
    let read = Reader::open(&file).await.map(drop);
    assert_eq!(written, read);
    assert_eq!(std::fs::read(&file).unwrap(), before);
    written
}

#[tokio::test]
async fn a_reader_makes_no_ledger() {
    let directory = tempfile::tempdir().unwrap();
    let opened = Reader::open(&settings(directory.path()).file).await;
    assert!(matches!(opened, Err(Error::File { .. })));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_making_that_was_cut_short_is_made_again() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(settings(directory.path()).file, "").unwrap();
    execute(directory.path(), "PRAGMA journal_mode = WAL").await;
    written(directory.path(), 1).await;
    assert_eq!(records(directory.path()).await.len(), 1);
}
