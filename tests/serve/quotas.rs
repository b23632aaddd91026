//! What may be used in a day: exactly so much, whoever counts, and nothing where nobody can.

use crate::disk::{Mount, fill};
use crate::served::{Asked, DOORS, Served, With};
use crate::settings::keys;
use serde_json::Value;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use std::path::Path;
use std::sync::Arc;

const ALICE: &str = "rgt_alice";
const BOB: &str = "rgt_bob";
const CAROL: &str = "rgt_carol";

const HARMLESS: &str = "print(1)";

/// Room for all calls of a test at once, and all the time that a busy machine takes.
const ROOM: &str = "[sandbox]\nwait_ms_max = 120000\nengine_ms_max = 60000\n\
    [ledger]\nappend_ms_max = 60000\n\
    [limits]\ncalls_at_once_max = 500\ncalls_at_once_per_subject_max = 500\n\
    calls_at_once_per_tenant_max = 500\ncount_ms_max = 60000\n";

/// Alice and Bob are of one tenant, Carol is of another.
fn start(settings: &str) -> Served {
    start_with(settings, None)
}

fn start_with(settings: &str, case: Option<&str>) -> Served {
    let keys =
        keys(&[[ALICE, "alice", "acme"], [BOB, "bob", "acme"], [CAROL, "carol", "umbrella"]]);
    Served::start(&With { settings: &[settings, &keys].concat(), case, ..With::default() })
}

fn asked(key: &str) -> Asked<'_> {
    Asked { key, session: Some("run"), code: HARMLESS }
}

/// The limit for which a call was denied, from its finding.
fn limit(reply: &Value) -> Option<&str> {
    if reply["cause"] != "limit" {
        return None;
    }
    reply["findings"][0]["message"].as_str().unwrap().split('`').nth(1)
}

fn permitted(replies: &[Value]) -> usize {
    for reply in replies.iter().filter(|reply| reply["decision"] != "permitted") {
        assert_eq!(limit(reply), Some("calls_per_day_per_subject"), "{reply}");
        let wait = reply["retry_after_ms"].as_u64().unwrap();
        assert!((1..=86_400_000).contains(&wait), "{reply}");
    }
    replies.iter().filter(|reply| reply["decision"] == "permitted").count()
}

/// Two hundred at once, half of them at each door.
#[tokio::test(flavor = "multi_thread")]
async fn exactly_fifty_of_two_hundred_calls_run() {
    let served = Arc::new(start(&format!("{ROOM}[limits.subject]\ncalls_per_day_max = 50\n")));
    let calls: Vec<_> = (0..200)
        .map(|number| {
            let served = Arc::clone(&served);
            tokio::spawn(async move { served.through(DOORS[number % 2], &asked(ALICE)).await })
        })
        .collect();
    let mut replies = Vec::new();
    for call in calls {
        replies.push(call.await.unwrap());
    }
    assert_eq!(permitted(&replies), 50);
    let ran = replies.iter().filter(|reply| reply["result"]["stdout"] == "1\n").count();
    assert_eq!(ran, 50, "{:?}", replies.iter().find(|reply| reply["cause"] == "sandbox"));
    let outcomes = served.ledger().into_iter().filter(|record| record["kind"] == "outcome").count();
    assert_eq!(outcomes, 50);
    assert_eq!(served.decide_as(&asked(BOB)).await["decision"], "permitted");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_replicas_that_share_a_database_let_fifty_pass_in_all() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shared").join("quotas.db");
    let quotas =
        format!("quotas = '{}'\n[limits.subject]\ncalls_per_day_max = 50\n", file.display());
    let settings = [ROOM, &quotas].concat();
    let replicas = [Arc::new(start(&settings)), Arc::new(start(&settings))];
    let calls: Vec<_> = (0..200)
        .map(|number| {
            let served = Arc::clone(&replicas[number % 2]);
            let door = DOORS[number / 2 % 2];
            tokio::spawn(async move { served.through(door, &asked(ALICE)).await })
        })
        .collect();
    let mut replies = Vec::new();
    for call in calls {
        replies.push(call.await.unwrap());
    }
    assert_eq!(permitted(&replies), 50);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_gives_nothing_back_and_a_tenant_is_counted_as_a_whole() {
    let data = tempfile::tempdir().unwrap();
    let keys =
        keys(&[[ALICE, "alice", "acme"], [BOB, "bob", "acme"], [CAROL, "carol", "umbrella"]]);
    let settings = format!("[limits.tenant]\ncalls_per_day_max = 3\n{keys}");
    let start =
        || Served::start(&With { settings: &settings, data: Some(data.path()), ..With::default() });
    let served = start();
    for key in [ALICE, BOB] {
        assert_eq!(served.decide_as(&asked(key)).await["decision"], "permitted");
    }
    served.stop();
    let served = start();
    assert_eq!(served.decide_as(&asked(ALICE)).await["decision"], "permitted");
    for reply in [served.decide_as(&asked(BOB)).await, served.mcp(&asked(BOB)).await] {
        assert_eq!(limit(&reply), Some("calls_per_day_per_tenant"), "{reply}");
    }
    assert_eq!(served.decide_as(&asked(CAROL)).await["decision"], "permitted");
}

/// Holds the database so that nobody else can write to it.
async fn hold(file: &Path) -> sqlx::SqliteConnection {
    let mut connection = SqliteConnectOptions::new().filename(file).connect().await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut connection).await.unwrap();
    connection
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_counted_is_denied_and_counts_again_when_it_can() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quotas.db");
    let served = start(&format!(
        "[limits]\nquotas = '{}'\ncount_ms_max = 2000\n[limits.subject]\ncalls_per_day_max = 50\n",
        file.display()
    ));
    assert_eq!(served.decide_as(&asked(ALICE)).await["decision"], "permitted");
    let held = hold(&file).await;
    for reply in [served.rest(&asked(ALICE)).await, served.mcp(&asked(ALICE)).await] {
        assert_eq!(reply["decision"], "denied", "{reply}");
        assert_eq!(reply["cause"], "quotas", "{reply}");
        assert_eq!(reply["findings"][0]["rule"], "regate/quotas", "{reply}");
        assert_eq!(reply["retryable"], true);
    }
    assert_eq!(served.report(ALICE, "run", "{\"tokens\": 1}").await.0, 503);
    let ready: Value = serde_json::from_str(&served.get("/readyz").await).unwrap();
    assert_eq!(
        (&ready["ready"], &ready["quotas"]["ok"]),
        (&false.into(), &false.into()),
        "{ready}"
    );
    held.close().await.unwrap();
    assert_eq!(served.decide_as(&asked(ALICE)).await["decision"], "permitted");
    assert!(served.metric("regate_quotas_errors_total", &[]).await >= 3.0);
    assert_eq!(served.metric("regate_calls_total", &["cause=\"quotas\""]).await, 2.0);
    let denied = served.ledger().into_iter().filter(|record| record["body"]["cause"] == "quotas");
    assert_eq!(denied.count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_reported_counts_for_the_day() {
    for (unit, name) in [("tokens", "tokens"), ("cost_microusd", "cost")] {
        let served = start(&format!(
            "[limits.subject]\n{unit}_per_day_max = 100\n[limits.tenant]\n{unit}_per_day_max = 150\n"
        ));
        let report = async |key: &str, amount: u32| {
            let body = format!("{{\"{unit}\": {amount}}}");
            assert_eq!(served.report(key, "run", &body).await.0, 200);
        };
        report(ALICE, 99).await;
        assert_eq!(served.decide_as(&asked(ALICE)).await["decision"], "permitted");
        report(ALICE, 1).await;
        // Another session is no way round it.
        let elsewhere = Asked { session: Some("another"), ..asked(ALICE) };
        for reply in [served.rest(&elsewhere).await, served.mcp(&elsewhere).await] {
            assert_eq!(limit(&reply), Some(&*format!("{name}_per_day_per_subject")), "{reply}");
        }
        assert_eq!(served.decide_as(&asked(BOB)).await["decision"], "permitted");
        report(BOB, 50).await;
        let reply = served.decide_as(&asked(BOB)).await;
        assert_eq!(limit(&reply), Some(&*format!("{name}_per_day_per_tenant")), "{reply}");
        assert_eq!(served.decide_as(&asked(CAROL)).await["decision"], "permitted");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_reported_is_recorded_and_shown_to_policy() {
    let served = start_with("", Some("spending"));
    let (status, reported) =
        served.report(ALICE, "run", "{\"tokens\": 600, \"cost_microusd\": 7}").await;
    assert_eq!(status, 200);
    assert_eq!(served.decide_as(&asked(ALICE)).await["decision"], "permitted");
    assert_eq!(served.report(ALICE, "run", "{\"tokens\": 600}").await.0, 200);
    let reply = served.decide_as(&asked(ALICE)).await;
    assert_eq!(reply["findings"][0]["message"], "too many tokens", "{reply}");
    // It is the session's own, under its subject.
    let elsewhere = Asked { session: Some("another"), ..asked(ALICE) };
    assert_eq!(served.decide_as(&elsewhere).await["decision"], "permitted");
    assert_eq!(served.decide_as(&asked(BOB)).await["decision"], "permitted");
    assert_eq!(served.report(BOB, "run", "{\"cost_microusd\": 501}").await.0, 200);
    assert_eq!(served.decide_as(&asked(BOB)).await["findings"][0]["message"], "too dear");

    let records = served.ledger();
    let usage: Vec<_> = records.iter().filter(|record| record["kind"] == "usage").collect();
    assert_eq!(usage.len(), 3);
    let body = &usage[0]["body"];
    assert_eq!(body["call"], reported["id"]);
    assert_eq!((&body["tokens"], &body["cost_microusd"]), (&600.into(), &7.into()));
    assert_eq!((&body["subject"]["id"], &body["session"]), (&"alice".into(), &"run".into()));
    assert!(served.verify());
    assert_eq!(served.metric("regate_usage_tokens_total", &[]).await, 1_200.0);
    assert_eq!(served.metric("regate_usage_cost_microusd_total", &[]).await, 508.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_is_read_strictly() {
    let served = start("");
    let wrong = [
        "",
        "{}",
        "[]",
        "7",
        "{\"tokens\": -1}",
        "{\"tokens\": 1.5}",
        "{\"tokens\": 1e3}",
        "{\"tokens\": \"1\"}",
        "{\"tokens\": null}",
        "{\"tokens\": 10000000001}",
        "{\"tokens\": 99999999999999999999999999}",
        "{\"tokens\": 1, \"tokens\": 2}",
        "{\"tokens\": 1, \"dollars\": 2}",
    ];
    for body in wrong {
        let (status, problem) = served.report(ALICE, "run", body).await;
        assert_eq!(status, 400, "{body}: {problem}");
    }
    assert_eq!(served.report(ALICE, "two%20words", "{\"tokens\": 1}").await.0, 400);
    assert_eq!(served.report(ALICE, &"x".repeat(129), "{\"tokens\": 1}").await.0, 400);
    assert_eq!(served.report("rgt_nobody", "run", "{\"tokens\": 1}").await.0, 401);
    assert!(served.ledger().is_empty());
    assert_eq!(served.report(ALICE, "run", "{\"tokens\": 10000000000}").await.0, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn sandbox_time_counts_for_the_day() {
    let served = start("[limits.subject]\nsandbox_cpu_ms_per_day_max = 1\n");
    assert_eq!(served.rest(&asked(ALICE)).await["result"]["stdout"], "1\n");
    for reply in [served.rest(&asked(ALICE)).await, served.mcp(&asked(ALICE)).await] {
        assert_eq!(limit(&reply), Some("sandbox_cpu_per_day_per_subject"), "{reply}");
    }
    assert_eq!(served.rest(&asked(BOB)).await["result"]["stdout"], "1\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_admits_nothing_and_room_on_it_is_enough_to_go_on() {
    let disk = tempfile::tempdir().unwrap();
    let _mount = Mount::small(disk.path(), 1);
    let (file, ballast) = (disk.path().join("quotas.db"), disk.path().join("ballast"));
    let served = start(&format!(
        "[limits]\nquotas = '{}'\n[limits.subject]\ncalls_per_day_max = 5000\n",
        file.display()
    ));
    assert_eq!(served.decide_as(&asked(ALICE)).await["decision"], "permitted");
    fill(&ballast);
    // The database may have some room of its own left; it is used up soon.
    let mut reply = served.decide_as(&asked(ALICE)).await;
    for _ in 0..1_000 {
        if reply["decision"] == "denied" {
            break;
        }
        reply = served.decide_as(&asked(ALICE)).await;
    }
    assert_eq!(reply["cause"], "quotas", "{reply}");
    std::fs::remove_file(ballast).unwrap();
    assert_eq!(served.decide_as(&asked(ALICE)).await["decision"], "permitted");
}
