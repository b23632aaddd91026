//! Whoever changes the file is found out, at the right record and for the right reason.

use crate::{decision, execute, open, outcome, records, report, settings, verify, written};
use futures_util::future::join_all;
use regate::ledger::reader::{Fault, Flaw, Reader, Start};
use regate::ledger::{Error, Ledger, OutcomeRecord};

/// What verification says after this was done to a ledger of nine decisions.
async fn after(sql: &'static str) -> (u64, Option<Flaw>) {
    let directory = tempfile::tempdir().unwrap();
    written(directory.path(), 9).await;
    execute(directory.path(), sql).await;
    let verification = verify(directory.path()).await;
    (verification.count, verification.flaw)
}

/// Verification stops at this record.
fn at(seq: u64, fault: Fault) -> (u64, Option<Flaw>) {
    (seq - 1, Some(Flaw { seq, fault }))
}

#[tokio::test]
async fn nothing_done_is_nothing_found() {
    assert_eq!(after("SELECT 1").await, (9, None));
}

#[tokio::test]
async fn a_changed_body_is_found() {
    let found = after(
        "UPDATE records SET body = replace(body, '\"denied\"', '\"permitted\"') WHERE seq = 4",
    );
    assert_eq!(found.await, at(4, Fault::Unchained));
}

#[tokio::test]
async fn a_changed_hash_is_found() {
    let found = after("UPDATE records SET hash = zeroblob(32) WHERE seq = 4");
    assert_eq!(found.await, at(4, Fault::Unchained));
}

#[tokio::test]
async fn a_removed_record_is_found() {
    let found = after("DELETE FROM records WHERE seq = 5");
    assert_eq!(found.await, at(5, Fault::Missing));
    let found = after("DELETE FROM records WHERE seq = 1");
    assert_eq!(found.await, at(1, Fault::Missing));
}

#[tokio::test]
async fn a_gap_that_was_closed_is_found() {
    let found = after(
        "DELETE FROM records WHERE seq = 5; \
         UPDATE records SET seq = seq - 1, step = step - 1 WHERE seq > 5; \
         UPDATE meta SET head_seq = 8;",
    );
    assert_eq!(found.await, at(5, Fault::Unchained));
}

#[tokio::test]
async fn two_records_in_each_others_place_are_found() {
    let found = after(
        "UPDATE records SET seq = -3, step = -3 WHERE seq = 3; \
         UPDATE records SET seq = 3, step = 3 WHERE seq = 6; \
         UPDATE records SET seq = 6, step = 6 WHERE seq = -3;",
    );
    assert_eq!(found.await, at(3, Fault::Unchained));
}

#[tokio::test]
async fn removed_last_records_are_found() {
    let found = after("DELETE FROM records WHERE seq >= 8");
    assert_eq!(found.await, at(8, Fault::Missing));
    let found = after("DELETE FROM records");
    assert_eq!(found.await, at(1, Fault::Missing));
}

#[tokio::test]
async fn a_broken_head_is_found() {
    let head = |seq| (9, Some(Flaw { seq, fault: Fault::Head }));
    let found = after("UPDATE meta SET head_hash = zeroblob(32)");
    assert_eq!(found.await, head(9));
    let found = after("UPDATE meta SET head_seq = 3");
    assert_eq!(found.await, head(9));
    let found = after("UPDATE meta SET id = zeroblob(32)");
    assert_eq!(found.await, at(1, Fault::Unchained));
}

#[tokio::test]
async fn each_changed_column_is_found() {
    let changes = [
        ("kind", "UPDATE records SET kind = 'outcome' WHERE seq = 2"),
        ("call", "UPDATE records SET call = 'x' WHERE seq = 2"),
        ("at_ms", "UPDATE records SET at_ms = 0 WHERE seq = 2"),
        ("tenant", "UPDATE records SET tenant = 'x' WHERE seq = 2"),
        ("subject", "UPDATE records SET subject = 'x' WHERE seq = 2"),
        ("session", "UPDATE records SET session = 'x' WHERE seq = 2"),
        ("tool", "UPDATE records SET tool = NULL WHERE seq = 2"),
        ("decision", "UPDATE records SET decision = 'permitted' WHERE seq = 2"),
        ("cause", "UPDATE records SET cause = 'no_match' WHERE seq = 2"),
        ("outcome", "UPDATE records SET outcome = 'ok' WHERE seq = 2"),
        ("labels", "UPDATE records SET labels = '[\"secret\"]' WHERE seq = 2"),
        ("step", "UPDATE records SET step = NULL WHERE seq = 2"),
    ];
    for (column, sql) in changes {
        assert_eq!(after(sql).await, at(2, Fault::Column(column)), "{column}");
    }
}

#[tokio::test]
async fn a_changed_step_is_found() {
    let found = after("UPDATE records SET step = 70 WHERE seq = 4");
    assert_eq!(found.await, at(4, Fault::Step));
}

/// A subject that loses a label, bears one that nothing put on, or bears it for another call.
#[tokio::test]
async fn changed_labels_are_found() {
    let changes = [
        "SELECT 1",
        "DELETE FROM labels",
        "UPDATE labels SET at_ms = 0",
        "UPDATE labels SET step = 2",
        "INSERT INTO labels SELECT tenant, 'other', label, session, step, call, at_ms FROM labels",
    ];
    for (change, sql) in changes.into_iter().enumerate() {
        let directory = tempfile::tempdir().unwrap();
        let ledger = open(directory.path()).await;
        ledger.decision(decision(1)).await.unwrap();
        let labels = vec!["secret".into()];
        ledger.outcome(OutcomeRecord { labels, ..outcome(1) }).await.unwrap();
        ledger.close().await;
        execute(directory.path(), sql).await;
        let expected = Some(Flaw { seq: 2, fault: Fault::Noted("labels") }).filter(|_| change > 0);
        assert_eq!(verify(directory.path()).await.flaw, expected, "{sql}");
    }
}

/// A session that used less than was reported, or that used what nothing reported.
#[tokio::test]
async fn changed_sums_of_usage_are_found() {
    let changes = [
        "SELECT 1",
        "DELETE FROM usage",
        "UPDATE usage SET tokens = 2",
        "UPDATE usage SET cost_microusd = 29",
        "INSERT INTO usage SELECT tenant, 'other', session, tokens, cost_microusd, at_ms \
         FROM usage",
    ];
    for (change, sql) in changes.into_iter().enumerate() {
        let directory = tempfile::tempdir().unwrap();
        let ledger = open(directory.path()).await;
        for number in [1, 2] {
            ledger.usage(report(number)).await.unwrap();
        }
        ledger.close().await;
        execute(directory.path(), sql).await;
        let expected = Some(Flaw { seq: 2, fault: Fault::Noted("usage") }).filter(|_| change > 0);
        assert_eq!(verify(directory.path()).await.flaw, expected, "{sql}");
    }
}

#[tokio::test]
async fn an_added_record_is_found() {
    let found = after(
        "INSERT INTO records (seq, hash, kind, call, at_ms, outcome, body) \
         SELECT 10, hash, 'outcome', call, at_ms, 'ok', body FROM records WHERE seq = 9",
    );
    assert_eq!(found.await, at(10, Fault::Unchained));
}

#[tokio::test]
async fn what_is_no_text_is_found() {
    let directory = tempfile::tempdir().unwrap();
    written(directory.path(), 3).await;
    execute(directory.path(), "UPDATE records SET body = CAST(x'ff' AS TEXT) WHERE seq = 2").await;
    let flaw = verify(directory.path()).await.flaw.unwrap();
    assert_eq!(flaw.seq, 2);
    assert!(matches!(flaw.fault, Fault::Unreadable(_)));
}

#[tokio::test]
async fn a_flaw_says_which_record_and_why() {
    let flaw = |fault| Flaw { seq: 7, fault }.to_string();
    assert_eq!(flaw(Fault::Missing), "record 7 was removed");
    let faults = [
        Fault::Unchained,
        Fault::Unreadable("why".to_owned()),
        Fault::Column("tool"),
        Fault::Step,
        Fault::Head,
    ];
    for fault in faults {
        assert!(flaw(fault).starts_with("record 7 "));
    }
    assert!(flaw(Fault::Noted("labels")).contains(" 7 "));
}

#[tokio::test]
async fn nothing_is_appended_to_an_end_that_is_not_the_end() {
    let directory = tempfile::tempdir().unwrap();
    written(directory.path(), 3).await;
    execute(directory.path(), "DELETE FROM records WHERE seq = 3").await;
    let opened = Ledger::open(&settings(directory.path())).await;
    assert_eq!(opened.err(), Some(Error::Broken));
}

#[tokio::test]
async fn verification_tells_its_progress_and_follows_a_running_writer() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path()).await;
    for batch in 0..5 {
        let numbers = batch * 500..(batch + 1) * 500;
        let appends = join_all(numbers.map(|number| ledger.decision(decision(number))));
        assert!(appends.await.iter().all(Result::is_ok));
    }
    let mut told = Vec::new();
    let mut reader = Reader::open(&settings(directory.path()).file).await.unwrap();
    let writing = async {
        for number in 0..20 {
            ledger.outcome(outcome(number)).await.unwrap();
        }
    };
    let reading = reader.verify(Start::Beginning, |done, total| told.push((done, total)));
    let (verification, ()) = tokio::join!(reading, writing);
    let verification = verification.unwrap();
    assert_eq!(verification.flaw, None);
    assert!((2_500..=2_520).contains(&verification.count));
    assert!(told.len() >= 3 && told.iter().all(|(done, total)| done <= total));
    ledger.close().await;
    let last = records(directory.path()).await.pop().unwrap();
    assert_eq!(verify(directory.path()).await.head, last.hash);
}
