//! `regate ledger show` while a gateway writes.

use crate::served::{Served, With, regate};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

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
