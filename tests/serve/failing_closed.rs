//! The table "Failing closed" of ARCHITECTURE.md, a test a row, through the served door: each
//! cause in the reply, in the ledger and in a metric, and the gateway stays up.

use crate::served::{Served, With, copy, regate, root};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

pub(crate) const HARMLESS: &str = "print(1)";

/// The reply is a denial with this cause, and so say the ledger and the metric.
async fn assert_denied(served: &mut Served, reply: &Value, cause: &str) {
    assert_eq!(reply["decision"], "denied", "{reply}");
    assert_eq!(reply["cause"], cause, "{reply}");
    assert_eq!(reply["result"], Value::Null, "{reply}");
    let records = served.ledger();
    let record = records
        .iter()
        .find(|record| record["kind"] == "decision" && record["call"] == reply["id"])
        .unwrap_or_else(|| panic!("{reply} is not recorded"));
    assert_eq!(record["body"]["cause"], cause);
    assert_counted(served, cause).await;
}

pub(crate) async fn assert_counted(served: &mut Served, cause: &str) {
    let labels = ["decision=\"denied\"", &format!("cause=\"{cause}\"")];
    assert!(served.metric("regate_calls_total", &labels).await >= 1.0, "{cause} is not counted");
    assert!(served.is_up());
}

fn fails_to_start(policies: &Path) -> String {
    let folder = tempfile::TempDir::new().unwrap();
    let ended = regate()
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(folder.path())
        .arg("--policies")
        .arg(policies)
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(2));
    assert!(ended.stdout.is_empty(), "it did open its doors");
    String::from_utf8(ended.stderr).unwrap()
}

#[test]
fn without_a_policy_regate_does_not_start() {
    let empty = tempfile::TempDir::new().unwrap();
    assert!(fails_to_start(empty.path()).contains("without a policy nothing is served"));
}

#[test]
fn with_a_bundle_that_does_not_load_regate_does_not_start() {
    let said = fails_to_start(&root("fixtures/bundles/lint/syntax"));
    assert!(said.contains("shown.rego"), "{said}");
}

#[test]
fn without_a_key_only_loopback_is_served() {
    let ended = regate().args(["serve", "--listen", "0.0.0.0:0"]).output().unwrap();
    assert_eq!(ended.status.code(), Some(2));
    assert!(String::from_utf8(ended.stderr).unwrap().contains("regate key new"));
}

#[tokio::test]
async fn a_bundle_that_does_not_load_on_reload_leaves_the_last_good_one() {
    let folder = tempfile::TempDir::new().unwrap();
    let bundle = folder.path().join("policies");
    copy(&root("policies"), &bundle);
    let with = With { policies: Some(&bundle), ..With::default() };
    let mut served = Served::start(&with);
    let before = served.decide(HARMLESS).await;

    std::fs::write(bundle.join("main.rego"), "package regate.main\nverdict := {").unwrap();
    served.signal("HUP");
    while served.metric("regate_bundle_reload_failures_total", &[]).await < 1.0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let after = served.decide(HARMLESS).await;
    assert_eq!((&after["decision"], &after["policy"]), (&before["decision"], &before["policy"]));
    let ready: Value = serde_json::from_str(&served.get("/readyz").await).unwrap();
    let error = ready["bundle"]["error"].as_str().unwrap();
    assert!(error.contains("main.rego:2:"), "{error}");
    assert!(!error.contains("verdict := {"), "a policy's text is told: {error}");
    assert!(served.is_up());
}

#[tokio::test]
async fn what_policy_does_not_answer_properly_is_indeterminate() {
    let broken = [
        "rule_error",
        "builtin_error",
        "conflict",
        "endless",
        "undefined",
        "effect_true_text",
        "effect_missing",
        "unknown_key",
    ];
    for name in broken {
        let case = format!("failing/{name}");
        let mut served = Served::start(&With { case: Some(&case), ..With::default() });
        let reply = served.trigger().await;
        assert_denied(&mut served, &reply, "indeterminate").await;
        assert!(served.metric("regate_indeterminate_total", &[]).await >= 1.0, "{name}");
    }
}

#[tokio::test]
async fn a_source_that_is_too_large_or_unreadable_is_denied_for_its_coverage() {
    let mut served = Served::start(&With::default());
    let large = "x = 1\n".repeat(200_000);
    let deep = format!("x = {}1{}\n", "(".repeat(200), ")".repeat(200));
    for source in [large.as_str(), deep.as_str(), "def f(:\n"] {
        let reply = served.call(source).await;
        assert_eq!(reply["coverage_complete"], false);
        assert_denied(&mut served, &reply, "coverage").await;
    }
}

#[tokio::test]
async fn an_obligation_that_cannot_be_fulfilled_is_a_denial() {
    let case = Some("failing/unfulfilled_obligation");
    let mut served = Served::start(&With { case, ..With::default() });
    let reply = served.trigger().await;
    assert_denied(&mut served, &reply, "obligation").await;
}

#[tokio::test]
async fn docker_down_denies_what_needs_it_and_nothing_else() {
    let settings = "[sandbox]\ndocker = \"unix:///nonexistent/docker.sock\"\n";
    let mut served = Served::start(&With { settings, ..With::default() });
    let reply = served.call(HARMLESS).await;
    assert_eq!((&reply["decision"], &reply["cause"]), (&"denied".into(), &"sandbox".into()));
    assert_counted(&mut served, "sandbox").await;
    let records = served.ledger();
    let outcome = records.iter().find(|record| record["kind"] == "outcome").unwrap();
    assert_eq!(outcome["body"]["outcome"], "unavailable");
    assert_eq!(served.decide(HARMLESS).await["decision"], "permitted");
    assert!(served.get("/readyz").await.contains("docker"));
}

#[tokio::test]
async fn a_limit_that_is_reached_denies_and_says_when_to_try_again() {
    let settings = "[limits]\ncalls_at_once_max = 0\n";
    let mut served = Served::start(&With { settings, ..With::default() });
    let reply = served.call(HARMLESS).await;
    assert!(reply["retry_after_ms"].as_u64().unwrap() > 0, "{reply}");
    assert_eq!(reply["retryable"], true);
    assert_denied(&mut served, &reply, "limit").await;
    assert!(served.metric("regate_limits_total", &["calls_at_once"]).await >= 1.0);
}
