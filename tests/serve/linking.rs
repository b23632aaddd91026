//! The official Python SDK as a client that shows people links: MCP's elicitation by URL, in both
//! eras. `tests/mcp/setup` makes its environment; without it these tests fail.

use crate::approving::{AGENT, EVE, House, PAYS};
use crate::served::root;
use serde_json::{Value, json};
use std::process::{Command, Stdio};

const PAGE: &str = "page = \"https://console.example.com/{id}\"\n";

async fn talk(house: &House, words: &[&str]) -> Value {
    let python = root("target/venv/bin/python");
    assert!(python.exists(), "{} is missing: run tests/mcp/setup", python.display());
    let program = house.data.path().join("pays.py");
    std::fs::write(&program, PAYS).unwrap();
    let mut command = Command::new(python);
    command
        .arg(root("tests/mcp/link_client.py"))
        .arg(format!("{}/mcp", house.served.url))
        .args(["--key", AGENT, "--approver", EVE])
        .args(words)
        .arg(program)
        .stdin(Stdio::null());
    let ended = tokio::task::spawn_blocking(move || command.output());
    let output = ended.await.unwrap().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {complaint}"))
}

/// The link is shown; the agent's own key does not approve, an approver's does, and then the same
/// call is had.
async fn is_shown_the_link_and_goes_on(mode: &str, protocol: &str) {
    let house = House::open_with(PAGE);
    let told = talk(&house, &["--mode", mode]).await;
    assert_eq!(told["protocol"], protocol);
    let shown = &told["shown"][0];
    let id = shown["id"].as_str().unwrap();
    assert!(id.starts_with("apr-") && shown["message"].as_str().unwrap().contains(id), "{told}");
    assert_eq!(
        (&shown["mode"], &shown["url"]),
        (&"url".into(), &format!("https://console.example.com/{id}").into()),
    );
    assert_eq!(told["shown"].as_array().unwrap().len(), 1, "{told}");
    assert_eq!(told["answers"], json!([403, 200]));
    assert_eq!(told["structured"]["result"]["stdout"], "3\n", "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_the_new_era_is_asked_for_input() {
    is_shown_the_link_and_goes_on("auto", "2026-07-28").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_the_old_era_is_told_by_an_error() {
    is_shown_the_link_and_goes_on("legacy", "2025-11-25").await;
}

/// It is no answer, and the call is told to wait as any other.
#[tokio::test(flavor = "multi_thread")]
async fn that_a_person_looked_away_is_no_answer() {
    let house = House::open_with(PAGE);
    let told = talk(&house, &["--decline"]).await;
    assert_eq!(told["shown"].as_array().unwrap().len(), 1, "{told}");
    assert_eq!(told["structured"]["decision"], "held", "{told}");
    assert_eq!(house.approvals(&["list"]).stdout.split(|byte| *byte == b'\n').count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_page_or_a_client_that_shows_links_none_is_offered() {
    let pageless = House::open_with("");
    for mode in ["auto", "legacy"] {
        let told = talk(&pageless, &["--mode", mode]).await;
        assert_eq!((&told["shown"], &told["structured"]["decision"]), (&json!([]), &"held".into()));
        assert_eq!(told["structured"]["approval_page"], Value::Null);
    }
    let house = House::open_with(PAGE);
    for mode in ["auto", "legacy"] {
        let told = talk(&house, &["--mode", mode, "--blind"]).await;
        assert_eq!((&told["shown"], &told["structured"]["decision"]), (&json!([]), &"held".into()));
        let page = told["structured"]["approval_page"].as_str().unwrap();
        assert!(told["text"].as_str().unwrap().contains(page), "{told}");
    }
}
