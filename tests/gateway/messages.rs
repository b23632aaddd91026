//! Every message of fixtures/wire, as it stands there: the reply, that nothing ran which must
//! not, and the line in the ledger.
//!
//! Each file says in its second line what is expected: the status, what was decided, the cause,
//! the JSON-RPC code, and whether it stands in the ledger. Each has a harmless twin beside it.

use crate::house::{House, root};
use crate::wire::{self, Reply};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A file taken apart.
struct Message {
    expect: Vec<String>,
    head: String,
    body: Vec<u8>,
}

impl Message {
    fn read(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        let blank = bytes.windows(2).position(|two| two == b"\n\n").unwrap();
        let head = String::from_utf8(bytes[..blank].to_vec()).unwrap();
        let mut lines = head.lines();
        assert!(lines.next().unwrap().starts_with("# "), "says what it shows: {}", path.display());
        let expect = lines.next().unwrap().strip_prefix("# expect: ").unwrap();
        Self {
            expect: expect.split(' ').map(str::to_owned).collect(),
            head: lines.collect::<Vec<_>>().join("\n"),
            body: bytes[blank + 2..].strip_suffix(b"\n").unwrap_or_default().to_vec(),
        }
    }

    fn expects(&self, word: &str) -> bool {
        self.expect.iter().any(|expected| expected == word)
    }

    fn expected(&self, key: &str) -> Option<&str> {
        self.expect.iter().find_map(|word| word.strip_prefix(key))
    }
}

fn files(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root("fixtures/wire").join(folder)).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 10, "{folder} has few fixtures");
    files
}

/// What Regate decided, wherever the door's protocol has it.
fn decided(json: &Value) -> &Value {
    if json["result"]["structuredContent"].is_object() {
        &json["result"]["structuredContent"]
    } else {
        json
    }
}

fn check_reply(name: &str, message: &Message, reply: &Reply) {
    let status: u16 = message.expect[0].parse().unwrap();
    assert_eq!(reply.status, status, "{name}: {reply:?}");
    if let Some(code) = message.expected("code=") {
        assert_eq!(reply.json()["error"]["code"].to_string(), code, "{name}: {reply:?}");
        assert_eq!(reply.json()["jsonrpc"], "2.0", "{name}: {reply:?}");
    }
    for decision in ["permitted", "denied"] {
        if message.expects(decision) {
            assert_eq!(decided(&reply.json())["decision"], decision, "{name}: {reply:?}");
        }
    }
    if let Some(cause) = message.expected("cause=") {
        assert_eq!(decided(&reply.json())["cause"], cause, "{name}: {reply:?}");
    }
    if status >= 400 && !name.contains("mcp_") {
        assert_eq!(reply.header("content-type"), Some("application/problem+json"), "{name}");
        assert_eq!(reply.json()["status"], status, "{name}: {reply:?}");
    }
}

/// Exactly the records that the message must leave, and an outcome only of what was permitted.
fn check_ledger(name: &str, message: &Message, records: &[(String, Value)]) {
    let decisions: Vec<_> = records.iter().filter(|(kind, _)| kind == "decision").collect();
    let outcomes = records.len() - decisions.len();
    if message.expects("permitted") {
        assert_eq!((decisions.len(), outcomes), (1, 1), "{name}: {records:?}");
    } else if message.expects("recorded") {
        assert_eq!((decisions.len(), outcomes), (1, 0), "{name}: {records:?}");
        assert_eq!(decisions[0].1["decision"], "denied", "{name}: {records:?}");
    } else {
        assert!(records.is_empty(), "{name}: {records:?}");
    }
}

async fn check_all(folder: &str) {
    let house = House::open().await;
    let mut seen = 0;
    for path in files(folder) {
        let name = format!("{folder}/{}", path.file_name().unwrap().to_string_lossy());
        let twin = path.with_extension("twin.http");
        assert!(name.contains(".twin.") || twin.exists(), "{name} has no harmless twin");
        let message = Message::read(&path);
        let reply = wire::send(house.address, &message.head, &message.body).await;
        check_reply(&name, &message, &reply);
        let records = house.ledger().await;
        check_ledger(&name, &message, &records[seen..]);
        seen = records.len();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_message_to_the_rest_door() {
    check_all("rest").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_message_to_the_mcp_door_of_2026_07_28() {
    check_all("mcp_2026").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_message_to_the_mcp_door_of_2025_11_25() {
    check_all("mcp_2025").await;
}

/// Refused advice is advice: no step of a session, whatever it was refused for.
#[tokio::test(flavor = "multi_thread")]
async fn advice_that_is_refused_is_recorded_as_advice() {
    let house = House::open().await;
    let bodies = [&b"{"[..], br#"{"tool": "run_python", "arguments": {"shell": "id"}}"#];
    for (path, advisory) in [("/v1/decisions", true), ("/v1/calls", false)] {
        for body in bodies {
            wire::send(house.address, &wire::rest_head(path, ""), body).await;
            let records = house.ledger().await;
            let (kind, record) = records.last().unwrap();
            assert_eq!((kind.as_str(), &record["advisory"]), ("decision", &advisory.into()));
        }
    }
    assert_eq!(house.ledger().await.len(), 4);
}

/// Nothing of what was sent stands in a reply to what was not understood.
#[tokio::test(flavor = "multi_thread")]
async fn problems_do_not_echo() {
    let house = House::open().await;
    let body = br#"{"tool": "run_python", "arguments": {"code": "hunter2", "code": "hunter2"}}"#;
    for head in [wire::rest_head("/v1/calls", ""), wire::mcp_head("")] {
        let reply = wire::send(house.address, &head, body).await;
        assert_eq!(reply.status, 400);
        assert!(!reply.text().contains("hunter2"), "{reply:?}");
        assert!(reply.text().contains("line 1, column"), "{reply:?}");
    }
}
