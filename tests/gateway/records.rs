//! `GET /v1/ledger`: who sees which records, a page at a time.

use crate::house::{House, key};
use crate::wire;
use regate::gateway::{Key, Settings};
use serde_json::Value;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

const DENIED: &str = "import os";

fn bearing(text: &str, tenant: &str, role: &str) -> Key {
    Key { tenant: tenant.into(), roles: vec![role.into()], ..key(text, text) }
}

/// Two agents of two tenants, with a refused call each, and those who may look.
async fn house() -> House {
    let keys = vec![
        bearing("rgt_acme", "acme", "analyst"),
        bearing("rgt_umbrella", "umbrella", "analyst"),
        bearing("rgt_auditor", "acme", "auditor"),
        bearing("rgt_all", "acme", "global-auditor"),
    ];
    let house = House::with(&Settings { keys, ..Settings::default() }).await;
    for (key, session) in [("rgt_acme", "one"), ("rgt_umbrella", "two"), ("rgt_acme", "three")] {
        let headers = format!("X-Api-Key: {key}\nRegate-Session: {session}\n");
        let reply = wire::call(house.address, &headers, DENIED).await.json();
        assert_eq!(reply["decision"], "denied", "{reply}");
    }
    house
}

async fn ask(address: SocketAddr, key: &str, query: &str) -> wire::Reply {
    let head = format!("GET /v1/ledger?{query} HTTP/1.1\nHost: {{host}}\nX-Api-Key: {key}\n");
    wire::send(address, &head, b"").await
}

/// The sessions of the records that are shown, in their order.
async fn sessions(house: &House, key: &str, query: &str) -> Vec<String> {
    let reply = ask(house.address, key, query).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let page = reply.json();
    let records = page["records"].as_array().unwrap().iter();
    records.map(|record| record["body"]["session"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_no_role_sees_nothing() {
    let house = house().await;
    let reply = ask(house.address, "rgt_acme", "").await;
    assert_eq!(reply.status, 403, "{reply:?}");
    assert_eq!(reply.header("content-type"), Some("application/problem+json"));
    assert_eq!(reply.json()["call"], Value::Null);
    // What is malformed is not told to whoever may not ask.
    assert_eq!(ask(house.address, "rgt_acme", "limit=0").await.status, 403);
    assert_eq!(ask(house.address, "rgt_unknown", "").await.status, 401);
    let text = house.metrics.render(Duration::ZERO);
    assert!(text.contains("regate_messages_refused_total{reason=\"role\"} 2"), "{text}");
    assert_eq!(house.ledger().await.len(), 3, "it was recorded");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_auditor_sees_its_tenant_and_another_sees_all() {
    let house = house().await;
    assert_eq!(sessions(&house, "rgt_auditor", "").await, ["three", "one"]);
    assert_eq!(sessions(&house, "rgt_auditor", "tenant=acme").await, ["three", "one"]);
    assert_eq!(sessions(&house, "rgt_auditor", "tenant=umbrella").await, [""; 0]);
    assert_eq!(sessions(&house, "rgt_auditor", "session=two").await, [""; 0]);
    assert_eq!(sessions(&house, "rgt_all", "order=oldest").await, ["one", "two", "three"]);
    assert_eq!(sessions(&house, "rgt_all", "tenant=umbrella").await, ["two"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_and_pages() {
    let house = house().await;
    let filtered = [
        ("subject=rgt_umbrella", 1),
        ("decision=denied&cause=rule", 3),
        ("decision=permitted", 0),
        ("kind=outcome", 0),
        ("tool=run_python&since=1h", 3),
        ("until=1h", 0),
        ("since=2020-01-01T00:00:00%2B01:00", 3),
    ];
    for (query, count) in filtered {
        assert_eq!(sessions(&house, "rgt_all", query).await.len(), count, "{query}");
    }
    let (mut all, mut after) = (Vec::new(), String::new());
    for _ in 0..4 {
        let page = ask(house.address, "rgt_all", &format!("limit=1{after}")).await.json();
        for record in page["records"].as_array().unwrap() {
            all.push(record["seq"].as_u64().unwrap());
        }
        match page["next"].as_u64() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    assert_eq!(all, [3, 2, 1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_question_is_refused() {
    let house = house().await;
    let queries = [
        "limit=0",
        "limit=1001",
        "limit=-1",
        "after=x",
        "order=random",
        "since=yesterday",
        "until=",
        "unknown=1",
        "session=a&session=b",
    ];
    for query in queries {
        let reply = ask(house.address, "rgt_all", query).await;
        assert_eq!(reply.status, 400, "{query}: {reply:?}");
        assert_eq!(reply.header("content-type"), Some("application/problem+json"), "{query}");
    }
    let head = wire::rest_head("/v1/ledger", "X-Api-Key: rgt_all\n");
    assert_eq!(wire::send(house.address, &head, b"{}").await.status, 405);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_keys_whoever_is_on_the_machine_may_look() {
    let house = House::open().await;
    wire::call(house.address, "", DENIED).await;
    let reply = wire::get(house.address, "/v1/ledger").await;
    assert_eq!(reply.json()["records"][0]["kind"], "decision");
    assert_eq!(reply.header("cache-control"), Some("no-store"));
}

/// Readers that ask and take nothing of their answers hold up neither calls nor other readers.
#[tokio::test(flavor = "multi_thread")]
async fn slow_readers_hold_up_nobody() {
    let house = House::open().await;
    // More than what the system keeps for a reader that does not read.
    let large = format!("x = '{}'", "x".repeat(900_000));
    for _ in 0..4 {
        wire::call(house.address, "", &large).await;
    }
    let mut slow = Vec::new();
    for _ in 0..16 {
        let mut stream = TcpStream::connect(house.address).await.unwrap();
        let head = format!("GET /v1/ledger HTTP/1.1\r\nHost: {}\r\n\r\n", house.address);
        stream.write_all(head.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    for _ in 0..10 {
        let reply = wire::call(house.address, "", DENIED).await.json();
        assert_eq!(reply["cause"], "rule", "{reply}");
    }
    let page = wire::get(house.address, "/v1/ledger?limit=1&kind=decision").await.json();
    assert_eq!(page["records"][0]["body"]["cause"], "rule");
    drop(slow);
}
