//! MCP sessions of the old era: whose they are, and how many there may be.

use crate::house::{House, key};
use crate::wire::{self, Reply};
use futures_util::future::join_all;
use regate::gateway::Settings;

const INITIALIZE: &str = r#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "wire", "version": "1"}}}"#;
const CALL: &str = r#"{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "run_python", "arguments": {"code": "print(1)"}}}"#;

async fn house() -> House {
    let keys = vec![key("rgt_a", "alice"), key("rgt_b", "bob")];
    House::with(&Settings { keys, mcp_sessions_max: 3, ..Settings::default() }).await
}

async fn post(house: &House, key: &str, session: &str, body: &str) -> Reply {
    let mut headers = format!("X-Api-Key: {key}\n");
    if !session.is_empty() {
        headers.push_str(&format!("Mcp-Session-Id: {session}\n"));
    }
    wire::send(house.address, &wire::mcp_head(&headers), body.as_bytes()).await
}

async fn open(house: &House, key: &str) -> String {
    let reply = post(house, key, "", INITIALIZE).await;
    let id = reply.header("mcp-session-id").unwrap_or_else(|| panic!("{reply:?}")).to_owned();
    let initialized = r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#;
    assert_eq!(post(house, key, &id, initialized).await.status, 202);
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_of_no_use_to_another_subject() {
    let house = house().await;
    let session = open(&house, "rgt_a").await;
    let stolen = post(&house, "rgt_b", &session, CALL).await;
    let absent = post(&house, "rgt_b", "no-such-session", CALL).await;
    assert_eq!((stolen.status, absent.status), (404, 404), "{stolen:?}");
    assert_eq!(stolen.json()["error"]["message"], absent.json()["error"]["message"]);
    for method in ["GET", "DELETE"] {
        let head = format!(
            "{method} /mcp HTTP/1.1\nHost: {{host}}\nAccept: text/event-stream\n\
             X-Api-Key: rgt_b\nMcp-Session-Id: {session}"
        );
        assert_eq!(wire::send(house.address, &head, b"").await.status, 404, "{method}");
    }
    let own = post(&house, "rgt_a", &session, CALL).await;
    assert_eq!(own.json()["result"]["isError"], false, "{own:?}");

    let records = house.ledger().await;
    let bob: Vec<_> = records.iter().filter(|(_, body)| body["subject"]["id"] == "bob").collect();
    assert_eq!(bob.len(), 2, "{records:?}");
    assert!(bob.iter().all(|(_, body)| body["decision"] == "denied"), "{records:?}");
}

/// Each message is of the subject that sent it, not of the one that opened the session.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_carries_no_identity() {
    let house = house().await;
    let session = open(&house, "rgt_a").await;
    let nobody = wire::mcp_head(&format!("Mcp-Session-Id: {session}\n"));
    let reply = wire::send(house.address, &nobody, CALL.as_bytes()).await;
    assert_eq!(reply.status, 401, "{reply:?}");
    assert!(house.ledger().await.is_empty());
}

/// Whoever is entered while others are counted is not taken for one who has ended.
#[tokio::test(flavor = "multi_thread")]
async fn sessions_that_are_opened_at_once_are_all_kept() {
    let keys = vec![key("rgt_a", "alice")];
    let house = House::with(&Settings { keys, ..Settings::default() }).await;
    let opened = join_all((0..32).map(|_| open(&house, "rgt_a"))).await;
    let list = r#"{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}"#;
    for session in opened {
        assert_eq!(post(&house, "rgt_a", &session, list).await.status, 200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subject_has_no_more_sessions_than_its_share() {
    let house = house().await;
    let bob = open(&house, "rgt_b").await;
    let first = open(&house, "rgt_a").await;
    let second = open(&house, "rgt_a").await;
    let third = open(&house, "rgt_a").await;
    // The first is used again, so the second is the one unused for longest.
    assert_eq!(post(&house, "rgt_a", &first, CALL).await.status, 200);
    let fourth = open(&house, "rgt_a").await;
    assert_eq!(post(&house, "rgt_a", &second, CALL).await.status, 404);
    for session in [&first, &third, &fourth] {
        assert_eq!(post(&house, "rgt_a", session, CALL).await.status, 200);
    }
    assert_eq!(post(&house, "rgt_b", &bob, CALL).await.status, 200);
}
