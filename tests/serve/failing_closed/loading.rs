//! Bundles that are not there or do not load.

use super::HARMLESS;
use crate::served::{Served, With, copy, regate, root};
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

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

/// What readiness says of it.
async fn bundle_of(served: &Served) -> Value {
    let ready: Value = serde_json::from_str(&served.get("/readyz").await).unwrap();
    ready["bundle"].clone()
}

#[tokio::test]
async fn a_bundle_that_does_not_load_on_reload_leaves_the_last_good_one() {
    let folder = tempfile::TempDir::new().unwrap();
    let bundle = folder.path().join("policies");
    copy(&root("policies"), &bundle);
    let with = With { policies: Some(&bundle), ..With::default() };
    let mut served = Served::start(&with);
    let before = served.decide(HARMLESS).await;
    let loaded = bundle_of(&served).await["loaded"].clone();
    let waited = Instant::now();

    std::fs::write(bundle.join("main.rego"), "package regate.main\nverdict := {").unwrap();
    served.signal("HUP");
    while served.metric("regate_bundle_reload_failures_total", &[]).await < 1.0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for after in served.both("run_python", HARMLESS).await {
        assert_eq!(
            (&after["decision"], &after["policy"]),
            (&before["decision"], &before["policy"])
        );
        assert_eq!(after["result"]["stdout"], "1\n", "{after}");
    }
    // One look is good for a second.
    let mut ready = bundle_of(&served).await;
    while ready["error"].is_null() {
        tokio::time::sleep(Duration::from_millis(50)).await;
        ready = bundle_of(&served).await;
    }
    assert_eq!(ready["loaded"], loaded);
    let error = ready["error"].as_str().unwrap();
    assert!(error.contains("main.rego:2:"), "{error}");
    assert!(!error.contains("verdict := {"), "a policy's text is told: {error}");
    assert!(
        served.metric("regate_bundle_age_seconds", &[]).await >= waited.elapsed().as_secs_f64()
    );
    let log = served.log();
    assert!(log.contains("main.rego:2:"), "{log}");
    assert!(served.is_up());
}
