//! Limits that a bundle sets: each is held and named, never looser than the settings, and another
//! bundle brings others.

use crate::served::{Asked, Served, With, copy, regate, root};
use crate::settings::keys;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

const ALICE: &str = "rgt_alice";
const BOB: &str = "rgt_bob";

const HARMLESS: &str = "print(1)";
const LASTING: &str = "import time; time.sleep(3)";

/// The shipped bundle with limits of its own.
struct Bundle {
    folder: TempDir,
}

impl Bundle {
    fn new(limits: &Value) -> Self {
        let bundle = Self { folder: TempDir::new().unwrap() };
        copy(&root("policies"), &bundle.path());
        bundle.write(limits);
        bundle
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("policies")
    }

    fn write(&self, limits: &Value) {
        std::fs::write(self.path().join("data/limits.json"), limits.to_string()).unwrap();
    }
}

/// One limit of one of those that are counted.
fn limited(whose: &str, name: &str, value: u64) -> Value {
    json!({"reason": "a test", whose: {name: {"value": value, "reason": "a test"}}})
}

/// Alice and Bob are of one tenant.
fn start(bundle: &Path, settings: &str) -> Served {
    let keys = keys(&[[ALICE, "alice", "acme"], [BOB, "bob", "acme"]]);
    let settings = [settings, &keys].concat();
    Served::start(&With { policies: Some(bundle), settings: &settings, ..With::default() })
}

fn asked(key: &str) -> Asked<'_> {
    Asked { key, session: Some("run"), code: HARMLESS }
}

/// The limit for which a call was denied, from its finding, and when to try again.
fn limit(reply: &Value) -> Option<(&str, Option<u64>)> {
    if reply["cause"] != "limit" {
        return None;
    }
    assert_eq!(reply["decision"], "denied", "{reply}");
    assert_eq!(reply["findings"][0]["rule"], "regate/limit", "{reply}");
    let name = reply["findings"][0]["message"].as_str().unwrap().split('`').nth(1).unwrap();
    Some((name, reply["retry_after_ms"].as_u64()))
}

/// How many calls are judged before one meets a limit, and that one. All are refused, and no two
/// are alike.
async fn judged_before_a_limit(served: &Served, key: &str) -> (usize, Value) {
    for number in 0..200 {
        let code = format!("import subprocess; subprocess.run(['{number}'])");
        let reply = served.rest(&Asked { code: &code, ..asked(key) }).await;
        if reply["cause"] != "rule" {
            return (number, reply);
        }
    }
    panic!("no limit was met");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_bounded_by_the_bundle() {
    for (whose, name, limit_name) in [
        ("subject", "calls_per_second_max", "calls_per_second_per_subject"),
        ("tenant", "calls_per_second_max", "calls_per_second_per_tenant"),
        ("subject", "calls_per_day_max", "calls_per_day_per_subject"),
        ("tenant", "calls_per_day_max", "calls_per_day_per_tenant"),
        ("session", "steps_max", "session_steps"),
    ] {
        let bundle = Bundle::new(&limited(whose, name, 2));
        let served = start(&bundle.path(), "");
        let (judged, reply) = judged_before_a_limit(&served, ALICE).await;
        let (found, wait) = limit(&reply).unwrap();
        assert_eq!(found, limit_name, "{reply}");
        if whose == "session" {
            assert_eq!(wait, None, "{reply}");
        } else {
            assert!(wait.is_some_and(|wait| wait > 0), "{reply}");
        }
        if name != "calls_per_second_max" {
            assert_eq!(judged, 2, "{limit_name}");
            let mcp = served.mcp(&asked(ALICE)).await;
            assert_eq!(limit(&mcp).unwrap().0, limit_name, "{mcp}");
            let bob = served.decide_as(&asked(BOB)).await;
            assert_eq!(limit(&bob).is_some(), whose == "tenant", "{bob}");
        }
        assert!(served.metric("regate_limits_total", &[limit_name]).await >= 1.0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_reported_is_bounded_by_the_bundle() {
    for (whose, name, limit_name) in [
        ("subject", "tokens_per_day_max", "tokens_per_day_per_subject"),
        ("tenant", "tokens_per_day_max", "tokens_per_day_per_tenant"),
        ("session", "tokens_max", "session_tokens"),
        ("subject", "cost_microusd_per_day_max", "cost_per_day_per_subject"),
        ("tenant", "cost_microusd_per_day_max", "cost_per_day_per_tenant"),
        ("session", "cost_microusd_max", "session_cost"),
    ] {
        let bundle = Bundle::new(&limited(whose, name, 100));
        let served = start(&bundle.path(), "");
        let unit = if name.starts_with("tokens") { "tokens" } else { "cost_microusd" };
        let report = async |amount: u32| {
            let body = format!("{{\"{unit}\": {amount}}}");
            assert_eq!(served.report(ALICE, "run", &body).await.0, 200);
        };
        report(99).await;
        assert_eq!(served.decide_as(&asked(ALICE)).await["decision"], "permitted");
        report(1).await;
        for reply in [served.decide_as(&asked(ALICE)).await, served.mcp(&asked(ALICE)).await] {
            let (found, wait) = limit(&reply).unwrap();
            assert_eq!((found, wait.is_some()), (limit_name, whose != "session"), "{reply}");
        }
        let elsewhere = Asked { session: Some("another"), ..asked(ALICE) };
        let reply = served.decide_as(&elsewhere).await;
        assert_eq!(limit(&reply).is_some(), whose != "session", "{reply}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn time_and_runs_are_bounded_by_the_bundle() {
    let bundle = Bundle::new(&limited("session", "ms_max", 1));
    let served = start(&bundle.path(), "");
    assert_eq!(served.rest(&asked(ALICE)).await["result"]["stdout"], "1\n");
    tokio::time::sleep(Duration::from_millis(5)).await;
    for reply in [served.rest(&asked(ALICE)).await, served.mcp(&asked(ALICE)).await] {
        assert_eq!(limit(&reply), Some(("session_time", None)));
    }

    for whose in ["subject", "tenant"] {
        let bundle = Bundle::new(&limited(whose, "sandbox_cpu_ms_per_day_max", 1));
        let served = start(&bundle.path(), "");
        assert_eq!(served.rest(&asked(ALICE)).await["result"]["stdout"], "1\n");
        let reply = served.rest(&asked(ALICE)).await;
        let (found, wait) = limit(&reply).unwrap();
        assert_eq!(found, format!("sandbox_cpu_per_day_per_{whose}"));
        assert!((1..=86_400_000).contains(&wait.unwrap()), "{reply}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_at_once_are_bounded_by_the_bundle() {
    for whose in ["subject", "tenant"] {
        let bundle = Bundle::new(&limited(whose, "calls_at_once_max", 1));
        let served = Arc::new(start(&bundle.path(), ""));
        let lasting = Arc::clone(&served);
        let lasting =
            tokio::spawn(
                async move { lasting.rest(&Asked { code: LASTING, ..asked(ALICE) }).await },
            );
        // What is recorded was admitted, and lasts for seconds.
        while served.ledger().is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let reply = served.decide_as(&asked(ALICE)).await;
        let name = format!("calls_at_once_per_{whose}");
        assert_eq!(limit(&reply), Some((&*name, Some(1_000))), "{reply}");
        assert_eq!(lasting.await.unwrap()["decision"], "permitted");
        assert_eq!(served.decide_as(&asked(ALICE)).await["decision"], "permitted");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_settings_and_bundle_the_stricter_holds() {
    for (of_settings, of_bundle) in [(2, 100), (100, 2)] {
        let bundle = Bundle::new(&limited("subject", "calls_per_day_max", of_bundle));
        let settings = format!("[limits.subject]\ncalls_per_day_max = {of_settings}\n");
        let served = start(&bundle.path(), &settings);
        let (judged, reply) = judged_before_a_limit(&served, ALICE).await;
        assert_eq!(judged, 2);
        assert_eq!(limit(&reply).unwrap().0, "calls_per_day_per_subject");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_bundle_brings_other_limits() {
    let bundle = Bundle::new(&limited("session", "steps_max", 2));
    let served = start(&bundle.path(), "");
    assert_eq!(judged_before_a_limit(&served, ALICE).await.0, 2);

    // More steps; and what was never counted before is.
    let mut limits = limited("session", "steps_max", 100);
    limits["subject"] = limited("subject", "calls_per_day_max", 3)["subject"].take();
    bundle.write(&limits);
    served.reloaded().await;
    let (judged, reply) = judged_before_a_limit(&served, ALICE).await;
    assert_eq!((judged, limit(&reply).unwrap().0), (3, "calls_per_day_per_subject"));

    // What is wrong changes nothing, and is told.
    bundle.write(&limited("session", "steps", 2));
    let state = served.reloaded().await;
    let error = state["error"].as_str().unwrap();
    assert!(error.contains("data/limits.json: `session`: `steps` is no limit"), "{error}");
    assert_eq!(served.metric("regate_bundle_reload_failures_total", &[]).await, 1.0);
    let reply = served.decide_as(&asked(ALICE)).await;
    assert_eq!(limit(&reply).unwrap().0, "calls_per_day_per_subject", "{reply}");

    bundle.write(&json!({"reason": "a test"}));
    served.reloaded().await;
    assert_eq!(served.decide_as(&asked(ALICE)).await["decision"], "permitted");
}

#[test]
fn what_is_wrong_with_limits_is_told_before_anything_is_served() {
    let bundle = Bundle::new(&limited("tenant", "calls_per_day_max", 0));
    let run = |arguments: &[&str]| {
        let mut command = regate();
        command.args(arguments).arg("--policies").arg(bundle.path());
        command.output().unwrap()
    };
    let told = "data/limits.json: `tenant`: the value of `calls_per_day_max` is 0";
    for arguments in [&["policy", "check"][..], &["serve", "--listen", "127.0.0.1:0"]] {
        let ended = run(arguments);
        assert_eq!(ended.status.code(), Some(2), "{arguments:?}");
        let error = String::from_utf8(ended.stderr).unwrap();
        assert!(error.contains(told), "{error}");
    }
    bundle.write(&limited("tenant", "calls_per_day_max", 7));
    assert!(run(&["policy", "check"]).status.success());
    let docs = String::from_utf8(run(&["policy", "docs"]).stdout).unwrap();
    assert!(docs.contains("| tenant | `calls_per_day_max` | 7 | a test |"), "{docs}");
}
