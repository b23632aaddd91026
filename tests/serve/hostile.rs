//! JSON that is meant to be read in two ways, or to be too much, against the real program at both
//! doors: one meaning is judged, recorded and run, or nothing is; and memory stays bounded.
//!
//! Each message of `fixtures/wire` is sent by `tests/gateway`.

use crate::served::{Served, With};
use serde_json::Value;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const DOORS: [&str; 2] = ["/v1/calls", "/mcp"];

fn head(served: &Served, door: &str, lines: &str) -> (String, String) {
    let address = served.url.trim_start_matches("http://").to_owned();
    let head = format!(
        "POST {door} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: tools/call\r\nMcp-Name: run_python\r\nConnection: close\r\n{lines}\r\n"
    );
    (address, head)
}

/// Sends a head and as much of a body as is taken, and answers the status.
async fn status(
    served: &Served,
    door: &str,
    lines: &str,
    body: impl Iterator<Item = Vec<u8>>,
) -> u16 {
    let (address, head) = head(served, door, lines);
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    for piece in body {
        if stream.write_all(&piece).await.is_err() {
            break;
        }
    }
    let mut answer = Vec::new();
    // The rest of a body that is not read may break the connection off after the answer.
    let _ = stream.read_to_end(&mut answer).await;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let word = answer.split(' ').nth(1).unwrap_or_else(|| panic!("{door}: no answer: {answer}"));
    word.parse().unwrap()
}

/// The body of a call with these arguments, as the door wants it.
fn body(door: &str, arguments: &str) -> String {
    if door == "/mcp" {
        return format!(
            "{{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\", \"params\": \
             {{\"name\": \"run_python\", \"arguments\": {arguments}, \"_meta\": \
             {{\"io.modelcontextprotocol/protocolVersion\": \"2026-07-28\", \
             \"io.modelcontextprotocol/clientCapabilities\": {{}}}}}}}}"
        );
    }
    format!("{{\"tool\": \"run_python\", \"arguments\": {arguments}}}")
}

async fn send(served: &Served, door: &str, arguments: &str) -> u16 {
    let body = body(door, arguments).into_bytes();
    let length = format!("Content-Length: {}\r\n", body.len());
    status(served, door, &length, std::iter::once(body)).await
}

/// Spellings of one value are one value: in the record, and in what runs.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_spelt_in_two_ways_is_judged_recorded_and_run_as_one() {
    let served = Served::start(&With::default());
    for door in DOORS {
        for arguments in [
            r#"{"code": "print(1)"}"#,
            r#"{ "\u0063ode" : "pri\u006et(1)" }"#,
            "{\"code\":\"\\u0070rint(1)\"}",
        ] {
            assert_eq!(send(&served, door, arguments).await, 200, "{door} {arguments}");
        }
    }
    let records = served.ledger();
    let decisions: Vec<&Value> =
        records.iter().filter(|record| record["kind"] == "decision").collect();
    assert_eq!(decisions.len(), 6);
    for decision in &decisions {
        assert_eq!(decision["body"]["arguments"], serde_json::json!({"code": "print(1)"}));
        assert_eq!(decision["body"]["code"], decisions[0]["body"]["code"]);
    }
    assert_eq!(served.metric("regate_sandbox_outcomes_total", &["ok"]).await, 6.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_two_meanings_or_none_is_refused_before_policy() {
    let served = Served::start(&With::default());
    let hostile = [
        r#"{"code": "print(1)", "code": "import os"}"#.to_owned(),
        r#"{"code": "print(1)", "\u0063ode": "import os"}"#.to_owned(),
        r#"{"code": "print(1)", "Code": "import os"}"#.to_owned(),
        r#"{"code": "print('\ud83d')"}"#.to_owned(),
        r#"{"code": "print(1)", "n": 1e999999999}"#.to_owned(),
        format!(r#"{{"code": "print(1)", "n": {}}}"#, "9".repeat(100_000)),
        format!(r#"{{"code": "print(1)", "n": {}1{}}}"#, "[".repeat(10_000), "]".repeat(10_000)),
        r#"[{"code": "print(1)"}, {"code": "import os"}]"#.to_owned(),
    ];
    for door in DOORS {
        for arguments in &hostile {
            assert_eq!(send(&served, door, arguments).await, 400, "{door} {arguments:.60}");
        }
        assert_eq!(send(&served, door, r#"{"code": "print(1)"}"#).await, 200);
    }
    let records = served.ledger();
    let refused = records.iter().filter(|record| record["body"]["decision"] == "denied");
    let causes: Vec<_> = refused.map(|record| record["body"]["cause"].clone()).collect();
    assert_eq!(causes, vec![Value::from("arguments"); 2 * hostile.len()]);
    assert_eq!(served.metric("regate_sandbox_outcomes_total", &[]).await, 2.0);
    assert_eq!(served.metric("regate_indeterminate_total", &[]).await, 0.0);
}

/// A body of 50 MB in chunks, which does not say how long it is.
async fn flood(served: &Served, door: &str) -> u16 {
    let mut piece = b"10000\r\n".to_vec();
    piece.extend(std::iter::repeat_n(b' ', 0x10000));
    piece.extend_from_slice(b"\r\n");
    let body = std::iter::repeat_n(piece, 800);
    status(served, door, "Transfer-Encoding: chunked\r\n", body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_megabytes_at_once_from_many_are_not_kept() {
    let served = Arc::new(Served::start(&With::default()));
    assert_eq!(served.call("print(1)").await["result"]["stdout"], "1\n");
    let before_kib = served.memory_kib();
    let floods: Vec<_> = (0..16)
        .map(|number| {
            let served = Arc::clone(&served);
            tokio::spawn(async move { flood(&served, DOORS[number % 2]).await })
        })
        .collect();
    for flood in floods {
        assert_eq!(flood.await.unwrap(), 413);
    }
    let grown_kib = served.memory_kib().saturating_sub(before_kib);
    println!("memory grew by {grown_kib} KiB from {before_kib} KiB");
    // Of 800 MB, each may have had the 2 MiB of a body in memory, and a copy of it.
    assert!(grown_kib < 2 * 16 * 2 * 1_024, "memory grew by {grown_kib} KiB");
    assert_eq!(served.call("print(1)").await["result"]["stdout"], "1\n");
}
