//! `regate ledger show` while a gateway writes.

use crate::served::{Served, With, regate};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const REFUSED: &str = "import os";

fn show(data: &Path, words: &[&str]) -> Command {
    let mut command = regate();
    command.args(["ledger", "show"]).args(words).arg("--data").arg(data);
    command
}

fn lines(data: &Path, words: &[&str]) -> Vec<String> {
    let shown = show(data, words).output().unwrap();
    assert!(shown.status.success(), "{shown:?}");
    String::from_utf8(shown.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn records_are_selected_and_printed_in_three_forms() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(&With { data: Some(data.path()), ..With::default() });
    let permitted = served.call("print(1)").await;
    let denied = served.call(REFUSED).await;
    served.decide(REFUSED).await;

    let text = lines(data.path(), &["--decision", "denied", "--since", "1h"]);
    assert_eq!(text.len(), 2, "{text:?}");
    assert!(
        text[0].contains("denied (rule)  local@local  session default  run_python"),
        "{text:?}"
    );
    assert!(text[0].contains(denied["id"].as_str().unwrap()), "{text:?}");
    assert!(text[1].ends_with("(advice)"), "{text:?}");
    let of_call = lines(data.path(), &["--call", permitted["id"].as_str().unwrap()]);
    assert_eq!(of_call.len(), 2, "{of_call:?}");
    let outcomes = lines(data.path(), &["--session", "default", "--kind", "outcome"]);
    assert_eq!(outcomes.len(), 1, "{outcomes:?}");
    assert_eq!(lines(data.path(), &["--until", "1d"]), [""; 0]);
    assert_eq!(lines(data.path(), &["-n", "1"]).len(), 1);
    let events = lines(data.path(), &["--format", "opa"]);
    assert_eq!(events.len(), 3, "an outcome is no decision: {events:?}");
    let event: Value = serde_json::from_str(&events[1]).unwrap();
    assert_eq!(event["decision_id"], denied["id"]);
    assert_eq!(event["result"]["findings"], denied["findings"]);
    let wrong = show(data.path(), &["--since", "yesterday"]).output().unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8(wrong.stderr).unwrap().contains("--since"));
}

#[tokio::test]
async fn what_comes_is_shown_until_interrupted_or_unread() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(&With { data: Some(data.path()), ..With::default() });
    served.decide("print(1)").await;
    let follow = || {
        let words = ["--follow", "--decision", "denied", "--format", "json"];
        let child = show(data.path(), &words).stdout(Stdio::piped()).spawn();
        let mut child = child.unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        (child, lines)
    };
    let (mut interrupted, mut shown) = follow();
    let (mut unread, closed) = follow();
    drop(closed);
    for _ in 0..2 {
        let denied = served.call(REFUSED).await;
        let record: Value = serde_json::from_str(&shown.next().unwrap().unwrap()).unwrap();
        assert_eq!(record["call"], denied["id"]);
    }
    let id = interrupted.id().to_string();
    assert!(Command::new("kill").args(["-s", "INT", &id]).status().unwrap().success());
    assert_eq!(interrupted.wait().unwrap().code(), Some(0));
    assert_eq!(unread.wait().unwrap().code(), Some(0));
    assert!(shown.next().is_none());
}

/// What is masked is nowhere on disk, and can be recognised by whoever has it.
#[tokio::test]
async fn masked_arguments_are_not_on_disk() {
    const SECRET: &str = "text = 'hunter2 hunter2'";
    for (kept, on_disk) in [("whole", true), ("masked", false), ("digest", false)] {
        let data = tempfile::tempdir().unwrap();
        let settings = format!("[ledger]\narguments = '{kept}'\n");
        let with = With { data: Some(data.path()), settings: &settings, ..With::default() };
        let served = Served::start(&with);
        served.call(SECRET).await;
        let entries = walkdir::WalkDir::new(data.path()).into_iter().map(Result::unwrap);
        let found = entries
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| std::fs::read(entry.path()).unwrap())
            .any(|bytes| bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes()));
        assert_eq!(found, on_disk, "{kept}");
        assert!(served.verify());
        let records = served.ledger();
        assert_eq!(records[0]["body"]["arguments_kept"], kept);
        let masked = &records[0]["body"]["arguments"]["code"]["blake3"];
        let hash = blake3::hash(SECRET.as_bytes()).to_hex().to_string();
        assert_eq!(masked.as_str() == Some(hash.as_str()), kept == "masked", "{masked}");
    }
}

/// The chain is verified over files, and from the oldest one where older ones were moved away.
#[tokio::test]
async fn sealed_files_may_be_moved_away() {
    let data = tempfile::tempdir().unwrap();
    let settings = "[ledger]\nrotate_bytes_max = 1\n";
    let served = Served::start(&With { data: Some(data.path()), settings, ..With::default() });
    served.decide(REFUSED).await;
    while served.metric("regate_ledger_sealed_files", &[]).await < 1.0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(lines(data.path(), &["--kind", "decision"]).len(), 1);
    let verify = |words: &[&str]| {
        let mut command = regate();
        command.args(["ledger", "verify"]).args(words).arg("--data").arg(data.path());
        let ended = command.output().unwrap();
        (ended.status.code(), String::from_utf8(ended.stdout).unwrap())
    };
    assert_eq!(verify(&[]).0, Some(0));
    std::fs::remove_file(data.path().join("ledger-000000000001-000000000002.db")).unwrap();
    // What was copied is removed from the live file by and by.
    let (mut exit, mut said) = verify(&[]);
    while exit == Some(0) {
        tokio::time::sleep(Duration::from_millis(20)).await;
        (exit, said) = verify(&[]);
    }
    assert_eq!(exit, Some(1));
    assert!(
        said.contains("the sealed file or files with the records 1 to 2 are not there"),
        "{said}"
    );
    let (exit, said) = verify(&["--archived"]);
    assert_eq!(exit, Some(0));
    assert!(said.contains("1 records after record 2"), "{said}");
}
