//! What cannot be done with a call: its obligations, its run, its turn.

use super::{HARMLESS, assert_denied};
use crate::served::{Served, With};

#[tokio::test]
async fn an_obligation_that_cannot_be_fulfilled_is_a_denial() {
    let cases =
        ["unfulfilled_obligation", "unknown_profile", "sandbox_wider", "sandbox_too_little"];
    for case in cases.map(|case| format!("failing/{case}")) {
        let mut served = Served::start(&With { case: Some(&case), ..With::default() });
        let replies = served.both("trigger", HARMLESS).await;
        assert_denied(&mut served, &replies, "obligation").await;
    }
}

#[tokio::test]
async fn docker_down_denies_what_needs_it_and_nothing_else() {
    let settings = "[sandbox]\ndocker = \"unix:///nonexistent/docker.sock\"\n";
    let mut served = Served::start(&With { settings, ..With::default() });
    for reply in served.both("run_python", HARMLESS).await {
        assert_eq!((&reply["decision"], &reply["cause"]), (&"denied".into(), &"sandbox".into()));
        let records = served.ledger();
        let of_call = |record: &&serde_json::Value| {
            record["kind"] == "outcome" && record["call"] == reply["id"]
        };
        let outcome = records.iter().find(of_call).unwrap();
        assert_eq!(outcome["body"]["outcome"], "unavailable");
    }
    for door in ["door=\"rest\"", "door=\"mcp\""] {
        let labels = [door, "denied", "cause=\"sandbox\""];
        assert_eq!(served.metric("regate_calls_total", &labels).await, 1.0, "{door}");
    }
    assert_eq!(served.decide(HARMLESS).await["decision"], "permitted");
    let refused = served.both("run_python", "import os").await;
    assert_denied(&mut served, &refused, "rule").await;
    assert!(served.get("/readyz").await.contains("docker"));
}

#[tokio::test]
async fn a_limit_that_is_reached_denies_and_says_when_to_try_again() {
    let settings = "[limits]\ncalls_at_once_max = 0\n";
    let mut served = Served::start(&With { settings, ..With::default() });
    let replies = served.both("run_python", HARMLESS).await;
    for reply in &replies {
        assert!(reply["retry_after_ms"].as_u64().unwrap() > 0, "{reply}");
        assert_eq!(reply["retryable"], true);
    }
    assert_denied(&mut served, &replies, "limit").await;
    assert_eq!(served.metric("regate_limits_total", &["calls_at_once"]).await, 2.0);
}
