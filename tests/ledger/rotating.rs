//! A ledger goes on over files: nothing is lost where it is sealed, moved or cut off in between.
#![expect(clippy::disallowed_methods, reason = "files are taken away, laid back and broken")]

use crate::{START_MS, decision, execute, moment, moved, open, outcome, records, restless};
use crate::{settings, shown, subject, verify};
use regate::ledger::reader::{Fault, Flaw, Order, Reader, Selection, Start};
use regate::ledger::{Error, Ledger, OutcomeRecord, Settings};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn sealed_file(directory: &Path, first: u64, last: u64) -> PathBuf {
    directory.join(format!("ledger-{first:012}-{last:012}.db"))
}

/// A decision in each of so many files, and one file more: records 1 and 2, 3 to 5, 6 to 8, …
async fn rotated(directory: &Path, files: u64) {
    let ledger = Ledger::open(&restless(directory)).await.unwrap();
    for number in 1..=files {
        ledger.decision(decision(usize::try_from(number).unwrap())).await.unwrap();
        moved(&ledger, number).await;
    }
    ledger.close().await;
}

#[tokio::test]
async fn the_chain_and_the_sessions_go_on() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = Ledger::open(&restless(directory.path())).await.unwrap();
    for number in 0..4 {
        ledger.decision(decision(number)).await.unwrap();
        moved(&ledger, 1 + 2 * u64::try_from(number).unwrap()).await;
        // The decision is in a file of its own by now.
        let labels = vec![format!("label-{number}").into()];
        ledger.outcome(OutcomeRecord { labels, ..outcome(number) }).await.unwrap();
        moved(&ledger, 2 + 2 * u64::try_from(number).unwrap()).await;
    }
    ledger.close().await;

    let ledger = open(directory.path()).await;
    let session = ledger.session(&subject("agent-7"), &"s".into(), moment(9)).await.unwrap();
    assert_eq!((session.step, session.started.unix_ms()), (5, START_MS));
    let steps = session.history.iter().map(|step| (step.step, step.outcome.as_deref()));
    assert_eq!(
        steps.collect::<Vec<_>>(),
        (1..=4).map(|step| (step, Some("ok"))).collect::<Vec<_>>()
    );
    let labels = session.labels.iter().map(|label| (&*label.name, label.step));
    let expected = [("label-0", 1), ("label-1", 2), ("label-2", 3), ("label-3", 4)];
    assert_eq!(labels.collect::<Vec<_>>(), expected);
    ledger.decision(decision(4)).await.unwrap();
    ledger.close().await;

    let verification = verify(directory.path()).await;
    let records = records(directory.path()).await;
    assert_eq!((verification.flaw, verification.count), (None, 25));
    assert_eq!(
        records.iter().map(|record| record.seq).collect::<Vec<_>>(),
        (1..=25).collect::<Vec<_>>()
    );
    assert_eq!(verification.head, records[24].hash);
    let kinds = records.iter().take(4).map(|record| record.kind.as_str());
    assert_eq!(kinds.collect::<Vec<_>>(), ["decision", "seal", "continues", "outcome"]);
    assert!(records[2].body.contains(&records[1].hash), "it does not say what it goes on from");
}

#[tokio::test]
async fn old_records_are_sealed_for_their_age() {
    let directory = tempfile::tempdir().unwrap();
    let aging = Settings { rotate_ms_max: 5_000, ..settings(directory.path()) };
    let ledger = Ledger::open(&aging).await.unwrap();
    for number in 0..=5 {
        ledger.decision(decision(number)).await.unwrap();
    }
    assert_eq!(ledger.sealed(), 0);
    ledger.decision(decision(6)).await.unwrap();
    moved(&ledger, 1).await;
    ledger.close().await;
    assert!(sealed_file(directory.path(), 1, 8).exists());
    assert_eq!(verify(directory.path()).await.flaw, None);
}

/// A file of this name cannot be made; what is sealed stays where it is, and calls go on.
async fn sealed_and_not_moved(directory: &Path) {
    let in_the_way = sealed_file(directory, 1, 2);
    std::fs::create_dir(&in_the_way).unwrap();
    let ledger = Ledger::open(&restless(directory)).await.unwrap();
    for number in 1..=5 {
        ledger.decision(decision(number)).await.unwrap();
    }
    assert_eq!(ledger.sealed(), 0);
    ledger.close().await;
    assert_eq!(verify(directory).await.flaw, None);
    std::fs::remove_dir(in_the_way).unwrap();
}

/// Opens it again, so that it finishes what was cut off, and holds that all is there.
async fn finished(directory: &Path) {
    let ledger = open(directory).await;
    moved(&ledger, 1).await;
    let session = ledger.session(&subject("agent-7"), &"s".into(), moment(9)).await.unwrap();
    assert_eq!((session.step, session.history.len()), (6, 5));
    ledger.close().await;
    let verification = verify(directory).await;
    assert_eq!((verification.count, verification.flaw), (7, None));
    // Whoever only reads leaves the log of the database behind.
    for suffix in ["db-wal", "db-shm"] {
        let _ = std::fs::remove_file(settings(directory).file.with_extension(suffix));
    }
    let mode = std::fs::metadata(sealed_file(directory, 1, 2)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o400);
    let names = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    let expected = ["ledger-000000000001-000000000002.db", "ledger.db", "ledger.db.lock"];
    assert_eq!(names, expected);
}

#[tokio::test]
async fn cut_off_before_the_copy_it_is_copied() {
    let directory = tempfile::tempdir().unwrap();
    sealed_and_not_moved(directory.path()).await;
    finished(directory.path()).await;
}

#[tokio::test]
async fn cut_off_in_the_copy_it_is_copied_anew() {
    let directory = tempfile::tempdir().unwrap();
    sealed_and_not_moved(directory.path()).await;
    let file = sealed_file(directory.path(), 1, 2);
    for suffix in [".part", ".part-journal"] {
        let mut name = file.as_os_str().to_owned();
        name.push(suffix);
        std::fs::write(name, "half of something").unwrap();
    }
    finished(directory.path()).await;
}

#[tokio::test]
async fn cut_off_before_the_removal_it_is_only_removed() {
    let directory = tempfile::tempdir().unwrap();
    sealed_and_not_moved(directory.path()).await;
    let live = settings(directory.path()).file;
    let before = std::fs::read(&live).unwrap();
    finished(directory.path()).await;
    let copied = std::fs::read(sealed_file(directory.path(), 1, 2)).unwrap();
    std::fs::write(&live, before).unwrap();
    finished(directory.path()).await;
    assert_eq!(std::fs::read(sealed_file(directory.path(), 1, 2)).unwrap(), copied);
}

#[tokio::test]
async fn cut_off_in_the_removal_the_rest_is_removed() {
    let directory = tempfile::tempdir().unwrap();
    sealed_and_not_moved(directory.path()).await;
    let live = settings(directory.path()).file;
    let before = std::fs::read(&live).unwrap();
    finished(directory.path()).await;
    std::fs::write(&live, before).unwrap();
    execute(directory.path(), "DELETE FROM records WHERE seq = 1").await;
    assert_eq!(verify(directory.path()).await.flaw, None);
    finished(directory.path()).await;
}

/// What has the name of a sealed file and is none is not taken for it, and nothing is removed.
#[tokio::test]
async fn something_elses_file_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    sealed_and_not_moved(directory.path()).await;
    let other = tempfile::tempdir().unwrap();
    rotated(other.path(), 1).await;
    let file = sealed_file(directory.path(), 1, 2);
    std::fs::copy(sealed_file(other.path(), 1, 2), &file).unwrap();
    let ledger = open(directory.path()).await;
    ledger.decision(decision(6)).await.unwrap();
    ledger.close().await;
    assert_eq!(ledger.sealed(), 0);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(verify(directory.path()).await.count, 8);
}

#[tokio::test]
async fn a_sealed_file_that_is_gone_is_found() {
    let directory = tempfile::tempdir().unwrap();
    rotated(directory.path(), 3).await;
    assert_eq!(verify(directory.path()).await.count, 9);
    let aside = directory.path().join("aside");
    for (first, last) in [(1, 2), (3, 5), (6, 8)] {
        let file = sealed_file(directory.path(), first, last);
        std::fs::rename(&file, &aside).unwrap();
        let verification = verify(directory.path()).await;
        let flaw = Flaw { seq: first, fault: Fault::File { last } };
        assert_eq!((verification.count, verification.flaw), (first - 1, Some(flaw)));
        std::fs::rename(&aside, &file).unwrap();
    }
    std::fs::remove_file(sealed_file(directory.path(), 1, 2)).unwrap();
    let mut reader = Reader::open(&settings(directory.path()).file).await.unwrap();
    let rest = reader.verify(Start::Oldest, |_, _| {}).await.unwrap();
    assert_eq!((rest.after, rest.count, rest.flaw), (2, 7, None));
}

#[tokio::test]
async fn a_sealed_file_that_was_changed_is_found() {
    let changes = [
        ("UPDATE records SET body = replace(body, 'denied', 'permitted')", 4, Fault::Unchained),
        ("DELETE FROM records WHERE seq = 4", 4, Fault::Missing),
        ("DELETE FROM records WHERE seq = 5", 5, Fault::Missing),
        ("UPDATE records SET step = 7 WHERE seq = 4", 4, Fault::Step),
        ("UPDATE records SET session = 'x' WHERE seq = 4", 4, Fault::Column("session")),
        ("UPDATE meta SET head_hash = zeroblob(32)", 5, Fault::Head),
    ];
    for (sql, seq, fault) in changes {
        let directory = tempfile::tempdir().unwrap();
        rotated(directory.path(), 3).await;
        let file = sealed_file(directory.path(), 3, 5);
        let as_live = tempfile::tempdir().unwrap();
        std::fs::copy(&file, settings(as_live.path()).file).unwrap();
        execute(as_live.path(), sql).await;
        std::fs::remove_file(&file).unwrap();
        std::fs::copy(settings(as_live.path()).file, &file).unwrap();
        assert_eq!(verify(directory.path()).await.flaw, Some(Flaw { seq, fault }), "{sql}");
    }
}

#[tokio::test]
async fn a_sealed_file_that_is_no_ledger_or_anothers_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    rotated(directory.path(), 3).await;
    rotated(other.path(), 3).await;
    let file = sealed_file(directory.path(), 3, 5);
    std::fs::remove_file(&file).unwrap();
    std::fs::copy(sealed_file(other.path(), 3, 5), &file).unwrap();
    let flaw = verify(directory.path()).await.flaw.unwrap();
    assert!(matches!(flaw, Flaw { seq: 3, fault: Fault::Foreign(_) }), "{flaw}");
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, "no database").unwrap();
    let flaw = verify(directory.path()).await.flaw.unwrap();
    assert!(matches!(flaw, Flaw { seq: 3, fault: Fault::Foreign(_) }), "{flaw}");
}

/// What is noted to judge further calls by is held against the records of all files.
#[tokio::test]
async fn changed_steps_and_labels_are_found() {
    let changes = [
        ("SELECT 1", None),
        ("DELETE FROM steps WHERE step = 1", Some(Fault::Noted("steps"))),
        ("UPDATE steps SET decision = 'permitted' WHERE step = 2", Some(Fault::Noted("steps"))),
        ("UPDATE steps SET started_ms = 0", Some(Fault::Noted("steps"))),
        (
            "INSERT INTO labels VALUES ('acme', 'agent-7', 'x', 's', 1, 'call-1', 0)",
            Some(Fault::Noted("labels")),
        ),
    ];
    for (sql, fault) in changes {
        let directory = tempfile::tempdir().unwrap();
        rotated(directory.path(), 2).await;
        execute(directory.path(), sql).await;
        let found = verify(directory.path()).await.flaw.map(|flaw| flaw.fault);
        assert_eq!(found, fault, "{sql}");
    }
}

/// Decisions are refused where the ledger has its size; what was begun is recorded all the same;
/// and to take something away is enough to go on.
#[tokio::test]
async fn a_ledger_has_its_size() {
    const BYTES_MAX: u64 = 64 << 20;
    let directory = tempfile::tempdir().unwrap();
    rotated(directory.path(), 2).await;
    let small = Settings { total_bytes_max: BYTES_MAX, ..restless(directory.path()) };
    let ballast = directory.path().join("ledger-ballast");
    let fill = || std::fs::File::create(&ballast).unwrap().set_len(BYTES_MAX).unwrap();
    fill();
    assert_eq!(Ledger::open(&small).await.err(), Some(Error::NoRoom));
    std::fs::remove_file(&ballast).unwrap();
    let ledger = Ledger::open(&small).await.unwrap();
    ledger.decision(decision(20)).await.unwrap();
    fill();
    while ledger.decision(decision(21)).await != Err(Error::NoRoom) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(ledger.check().await, Err(Error::NoRoom));
    ledger.outcome(outcome(20)).await.unwrap();
    std::fs::remove_file(&ballast).unwrap();
    while ledger.decision(decision(22)).await == Err(Error::NoRoom) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    ledger.close().await;
    assert_eq!(verify(directory.path()).await.flaw, None);
}

#[tokio::test]
async fn pages_go_over_files_both_ways() {
    let directory = tempfile::tempdir().unwrap();
    rotated(directory.path(), 3).await;
    let mut reader = Reader::open(&settings(directory.path()).file).await.unwrap();
    for (order, expected) in [
        (Order::OldestFirst, (1..=9).collect::<Vec<u64>>()),
        (Order::NewestFirst, (1..=9).rev().collect()),
    ] {
        let (mut all, mut after) = (Vec::new(), None);
        loop {
            let selection = Selection { order, after, limit: 2, ..Selection::default() };
            let (seqs, next) = shown(&mut reader, &selection).await;
            assert!(seqs.len() <= 2);
            all.extend(seqs);
            after = next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(all, expected);
    }
}

/// Whoever reads while records are sealed and moved sees each of them, once, and no flaw.
#[tokio::test(flavor = "multi_thread")]
async fn readers_go_on_while_records_are_moved() {
    let directory = tempfile::tempdir().unwrap();
    let restless = Settings { rotate_bytes_max: 20_000, ..settings(directory.path()) };
    let ledger = Ledger::open(&restless).await.unwrap();
    let writing = tokio::spawn(async move {
        for number in 0..1_500 {
            ledger.decision(decision(number)).await.unwrap();
        }
        ledger.close().await;
        assert!(ledger.sealed() > 10, "{}", ledger.sealed());
    });
    let mut reader = Reader::open(&settings(directory.path()).file).await.unwrap();
    let mut looks = 0;
    while !writing.is_finished() {
        let verification = reader.verify(Start::Beginning, |_, _| {}).await.unwrap();
        assert_eq!(verification.flaw, None);
        for order in [Order::OldestFirst, Order::NewestFirst] {
            let selection = Selection { order, limit: u64::MAX, ..Selection::default() };
            let (mut seqs, _) = shown(&mut reader, &selection).await;
            seqs.sort_unstable();
            assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>(), "{order:?}");
        }
        looks += 1;
    }
    writing.await.unwrap();
    assert!(looks > 0);
    assert_eq!(verify(directory.path()).await.flaw, None);
}
