//! The official Python SDK as a client, in both major versions: it lists, calls, is refused.
//!
//! `tests/mcp/setup` makes the environments; without them these tests fail.

use crate::house::{House, key, root};
use regate::gateway::Settings;
use serde_json::{Value, json};
use std::process::{Command, Stdio};

async fn talk(house: &House, venv: &str, script: &str, words: &[&str]) -> Value {
    let python = root("target").join(venv).join("bin/python");
    assert!(python.exists(), "{} is missing: run tests/mcp/setup", python.display());
    let mut command = Command::new(python);
    command
        .arg(root("tests/mcp").join(script))
        .arg(house.url())
        .args(words)
        .arg(root("fixtures/wire/programs/harmless.py"))
        .arg(root("fixtures/wire/programs/spawn.py"))
        .stdin(Stdio::null());
    let ended = tokio::task::spawn_blocking(move || command.output());
    let output = ended.await.unwrap().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {complaint}"))
}

fn check(told: &Value, protocol: &str) {
    assert_eq!(told["protocol"], protocol, "{told}");
    assert_eq!(told["tools"], json!(["run_python"]), "{told}");
    let (ran, refused) = (&told["results"][0], &told["results"][1]);
    assert_eq!(ran["is_error"], false, "{told}");
    assert_eq!(ran["structured"]["result"]["stdout"], "42\n", "{told}");
    assert_eq!(refused["is_error"], true, "{told}");
    assert_eq!(refused["structured"]["decision"], "denied", "{told}");
    assert!(refused["text"].as_str().unwrap().starts_with("Refused: "), "{told}");
    assert_eq!(refused["meta"]["regate/decision"]["decision"], "denied", "{told}");
}

async fn check_ledger(house: &House) {
    let records = house.ledger().await;
    let decisions: Vec<_> = records.iter().filter(|(kind, _)| kind == "decision").collect();
    assert_eq!((decisions.len(), records.len()), (2, 3), "{records:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sdk_2_in_the_new_era() {
    let house = House::open().await;
    let told = talk(&house, "venv", "demo_client.py", &["--json"]).await;
    check(&told, "2026-07-28");
    check_ledger(&house).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sdk_2_in_the_old_era() {
    let house = House::open().await;
    let told = talk(&house, "venv", "demo_client.py", &["--json", "--mode", "legacy"]).await;
    check(&told, "2025-11-25");
    check_ledger(&house).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sdk_1() {
    let house = House::open().await;
    let told = talk(&house, "venv-mcp1", "client_v1.py", &[]).await;
    check(&told, "2025-11-25");
    check_ledger(&house).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_key_and_a_tool_that_is_not_served() {
    let keys = vec![key("rgt_a", "alice")];
    let house = House::with(&Settings { keys, ..Settings::default() }).await;
    let words = ["--json", "--key", "rgt_a", "--tool", "delete_everything"];
    let told = talk(&house, "venv", "demo_client.py", &words).await;
    for result in told["results"].as_array().unwrap() {
        assert_eq!(result["is_error"], true, "{told}");
        assert_eq!(result["structured"]["cause"], "no_match", "{told}");
    }
    let words = ["--key", "rgt_a", "--tool", "delete_everything"];
    let told = talk(&house, "venv-mcp1", "client_v1.py", &words).await;
    assert_eq!(told["results"][0]["structured"]["cause"], "no_match", "{told}");
}
