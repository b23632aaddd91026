//! Rates, sessions that end, and the agent that does not listen.

use crate::served::{Asked, Served, With};
use crate::settings::keys;
use serde_json::Value;
use std::sync::Arc;

const ALICE: &str = "rgt_alice";
const BOB: &str = "rgt_bob";
const CAROL: &str = "rgt_carol";

const HARMLESS: &str = "print(1)";
const REFUSED: &str = "import subprocess; subprocess.run(['id'])";
const CHANGED: &str = "import subprocess; subprocess.run(['ls'])";

/// Alice and Bob are of one tenant, Carol is of another.
fn start(settings: &str) -> Served {
    let keys =
        keys(&[[ALICE, "alice", "acme"], [BOB, "bob", "acme"], [CAROL, "carol", "umbrella"]]);
    // What stands in no table comes first.
    Served::start(&With { settings: &[settings, &keys].concat(), ..With::default() })
}

fn asked<'a>(key: &'a str, code: &'a str) -> Asked<'a> {
    Asked { key, session: Some("run"), code }
}

/// The limit for which a call was denied, from its finding.
fn limit(reply: &Value) -> Option<&str> {
    if reply["cause"] != "limit" {
        return None;
    }
    assert_eq!(reply["decision"], "denied", "{reply}");
    assert_eq!(reply["findings"][0]["rule"], "regate/limit", "{reply}");
    reply["findings"][0]["message"].as_str().unwrap().split('`').nth(1)
}

/// Twenty times the same refused call, at both doors in turn, and then a changed one.
#[tokio::test(flavor = "multi_thread")]
async fn the_stubborn_agent_meets_the_loop_limit() {
    let served = start("");
    let mut replies = Vec::new();
    for number in 0..20 {
        let call = asked(ALICE, REFUSED);
        replies.push(if number % 2 == 0 {
            served.rest(&call).await
        } else {
            served.mcp(&call).await
        });
    }
    let causes: Vec<&str> = replies.iter().map(|reply| reply["cause"].as_str().unwrap()).collect();
    assert_eq!(causes, [vec!["rule"; 10], vec!["limit"; 10]].concat());
    for reply in &replies[10..] {
        assert_eq!(limit(reply), Some("loop"));
        assert!((1..=600_000).contains(&reply["retry_after_ms"].as_u64().unwrap()), "{reply}");
        assert!(reply["findings"][0]["remedy"].as_str().unwrap().contains("Change"), "{reply}");
    }
    // A new session is no way round it; a changed call is judged, and another subject's too.
    let elsewhere = Asked { session: Some("another"), ..asked(ALICE, REFUSED) };
    assert_eq!(limit(&served.rest(&elsewhere).await), Some("loop"));
    assert_eq!(served.rest(&asked(ALICE, CHANGED)).await["cause"], "rule");
    assert_eq!(served.mcp(&asked(BOB, REFUSED)).await["cause"], "rule");
    assert_eq!(served.rest(&asked(ALICE, HARMLESS)).await["result"]["stdout"], "1\n");
    assert_eq!(served.metric("regate_limits_total", &["limit=\"loop\""]).await, 11.0);
    let denials = served.ledger().into_iter().filter(|record| record["body"]["cause"] == "limit");
    assert_eq!(denials.count(), 11);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_permitted_or_only_asked_about_is_no_loop() {
    let served = start("");
    for _ in 0..12 {
        assert_eq!(served.rest(&asked(ALICE, HARMLESS)).await["decision"], "permitted");
        assert_eq!(served.decide_as(&asked(ALICE, REFUSED)).await["cause"], "rule");
    }
}

/// Two hundred calls in a row take two hundred seconds at this rate.
async fn refused_for_its_rate(served: &Served, key: &str) -> Option<Value> {
    for _ in 0..200 {
        let reply = served.decide_as(&asked(key, HARMLESS)).await;
        if reply["decision"] == "denied" {
            return Some(reply);
        }
    }
    None
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subject_that_calls_too_often_is_told_when_to_try_again() {
    let served = start("[limits.subject]\ncalls_per_second_max = 1\nburst_max = 2\n");
    let reply = refused_for_its_rate(&served, ALICE).await.unwrap();
    assert_eq!(limit(&reply), Some("calls_per_second_per_subject"));
    assert_eq!(reply["retryable"], true);
    let wait = reply["retry_after_ms"].as_u64().unwrap();
    assert!((1..=1_000).contains(&wait), "{reply}");
    assert_eq!(served.decide_as(&asked(BOB, HARMLESS)).await["decision"], "permitted");
    tokio::time::sleep(std::time::Duration::from_millis(wait)).await;
    assert_eq!(served.mcp(&asked(ALICE, REFUSED)).await["cause"], "rule");
    let refused = &["calls_per_second_per_subject"];
    assert!(served.metric("regate_limits_total", refused).await >= 1.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_that_calls_too_often_leaves_the_others_alone() {
    let served = start("[limits.tenant]\ncalls_per_second_max = 1\nburst_max = 2\n");
    let reply = refused_for_its_rate(&served, ALICE).await.unwrap();
    assert_eq!(limit(&reply), Some("calls_per_second_per_tenant"));
    let carol = served.decide_as(&asked(CAROL, HARMLESS)).await;
    assert_eq!(carol["decision"], "permitted", "{carol}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_ends_after_its_steps() {
    let served = start("[limits]\nsession_steps_max = 3\n");
    let other = Asked { session: Some("other"), ..asked(ALICE, REFUSED) };
    for _ in 0..3 {
        assert_eq!(served.rest(&asked(ALICE, REFUSED)).await["cause"], "rule");
    }
    for reply in
        [served.rest(&asked(ALICE, CHANGED)).await, served.mcp(&asked(ALICE, CHANGED)).await]
    {
        assert_eq!(limit(&reply), Some("session_steps"));
        // Waiting does not help.
        assert_eq!((&reply["retryable"], &reply["retry_after_ms"]), (&false.into(), &Value::Null));
    }
    assert_eq!(served.mcp(&other).await["cause"], "rule");
    assert_eq!(served.rest(&asked(BOB, REFUSED)).await["cause"], "rule");
    assert_eq!(served.metric("regate_limits_total", &["session_steps"]).await, 2.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_ends_after_its_time() {
    let served = start("[limits]\nsession_ms_max = 0\n");
    let fresh = Asked { session: Some("fresh"), ..asked(ALICE, CHANGED) };
    assert_eq!(served.rest(&asked(ALICE, REFUSED)).await["cause"], "rule");
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    for reply in
        [served.rest(&asked(ALICE, CHANGED)).await, served.mcp(&asked(ALICE, CHANGED)).await]
    {
        assert_eq!(limit(&reply), Some("session_time"));
    }
    assert_eq!(served.mcp(&fresh).await["cause"], "rule");
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_that_the_tool_does_not_take_are_a_loop_and_faulty_messages_are_none() {
    let served = start("");
    let wrong = serde_json::json!({"tool": "run_python", "arguments": {"script": HARMLESS}});
    let unread = serde_json::json!({"tool": "run_python", "arguments": 7});
    for number in 0..12 {
        let (status, reply) = served.rest_body(ALICE, &wrong).await;
        assert_eq!(status, 200);
        assert_eq!(reply["cause"], if number < 10 { "arguments" } else { "limit" }, "{reply}");
        assert_eq!(served.rest_body(ALICE, &unread).await.0, 400);
    }
    let records = served.ledger();
    let unread = records.iter().filter(|record| record["body"]["tool"]["name"] == "unread");
    assert_eq!(unread.filter(|record| record["body"]["cause"] == "arguments").count(), 12);
}

/// One place to run, for which twelve of a tenant's calls wait when another tenant's comes.
#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_does_not_wait_behind_the_burst_of_another() {
    let served = Arc::new(start("[sandbox]\nruns_at_once_max = 1\nwait_ms_max = 120000\n"));
    let burst: Vec<_> = (0..12)
        .map(|_| {
            let served = Arc::clone(&served);
            tokio::spawn(async move { served.rest(&asked(ALICE, HARMLESS)).await })
        })
        .collect();
    while served.metric("regate_sandbox_waiting", &[]).await < 8.0 {
        tokio::task::yield_now().await;
    }
    let carol = served.rest(&asked(CAROL, HARMLESS)).await;
    assert_eq!(carol["result"]["stdout"], "1\n", "{carol}");
    for call in burst {
        assert_eq!(call.await.unwrap()["result"]["stdout"], "1\n");
    }
    let records = served.ledger();
    let of_carol = |record: &&Value| record["call"] == carol["id"];
    let waited = records.iter().skip_while(|record| !of_carol(record)).skip(1);
    let before = waited.take_while(|record| !of_carol(record));
    let ended = before.filter(|record| record["kind"] == "outcome").count();
    // The one that ran, the next one, and one more where the machine is busy.
    assert!(ended <= 3, "{ended} calls of the burst went first");
}
