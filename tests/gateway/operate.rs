//! What operators look at, what the description says, and how a gateway ends.

use crate::house::House;
use crate::wire;
use regate::gateway::Settings;
use serde_json::Value;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::test(flavor = "multi_thread")]
async fn readiness_names_each_component() {
    let house = House::open().await;
    let reply = wire::get(house.address, "/readyz").await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let readyz = reply.json();
    assert_eq!(readyz["ready"], true);
    for component in ["bundle", "docker", "ledger", "quotas"] {
        assert_eq!(readyz[component]["ok"], true, "{readyz}");
    }
    assert!(readyz["bundle"]["digest"].as_str().is_some_and(|digest| !digest.is_empty()));
    assert_eq!(readyz["bundle"]["error"], Value::Null);
    let metrics = wire::get(house.address, "/metrics").await;
    assert!(metrics.header("content-type").unwrap().starts_with("text/plain; version=0.0.4"));
    assert!(metrics.text().contains("regate_ready{component=\"docker\"} 1"), "{metrics:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_counted_and_a_run_timed() {
    let house = House::open().await;
    assert_eq!(wire::call(house.address, "", "print(1)").await.json()["decision"], "permitted");
    let text = wire::get(house.address, "/metrics").await.text();
    let counted = "regate_calls_total{cause=\"rule\",decision=\"permitted\",door=\"rest\",\
                   tool=\"run_python\"} 1";
    assert!(text.contains(counted), "{text}");
    assert!(text.contains("regate_sandbox_seconds_count{stage=\"run\"} 1"), "{text}");
    assert!(text.contains("regate_sandbox_seconds_count{stage=\"wait\"} 1"), "{text}");
    assert!(text.contains("regate_sandbox_outcomes_total{outcome=\"ok\"} 1"), "{text}");
}

/// Each address of the description answers, and each reply has the members it says.
#[tokio::test(flavor = "multi_thread")]
async fn the_description_is_true() {
    let house = House::open().await;
    let description = wire::get(house.address, "/openapi.json").await.json();
    assert!(description["openapi"].as_str().unwrap().starts_with("3."));
    let paths = description["paths"].as_object().unwrap();
    assert_eq!(paths.len(), 11, "{paths:?}");
    for (path, operations) in paths {
        if operations["get"].is_object() {
            // Nothing has the id that stands there; of a session without files there are none.
            let of_nothing = path.contains('{') && !path.ends_with("/files");
            let status = if of_nothing { 404 } else { 200 };
            let path = path.replace(['{', '}'], "");
            assert_eq!(wire::get(house.address, &path).await.status, status, "{path}");
        } else {
            let head = wire::rest_head(path, "");
            assert_eq!(wire::send(house.address, &head, b"{}").await.status, 400, "{path}");
        }
    }
    let reply = wire::call(house.address, "", "print(1)").await.json();
    assert_described(&description, "Reply", &reply);
    assert_described(&description, "RunReply", &reply["result"]);
    let refused = wire::call(house.address, "", "import os\nos.system('id')").await.json();
    assert_described(&description, "FindingReply", &refused["findings"][0]);
    let problem = wire::send(house.address, &wire::rest_head("/v1/calls", ""), b"{}").await.json();
    assert_described(&description, "ProblemReply", &problem);
    let page = wire::get(house.address, "/v1/ledger").await.json();
    assert_described(&description, "PageReply", &page);
    assert_described(&description, "RecordReply", &page["records"][0]);
}

fn assert_described(description: &Value, schema: &str, object: &Value) {
    let described = description["components"]["schemas"][schema]["properties"].as_object();
    let described: Vec<_> = described.unwrap_or_else(|| panic!("{schema}")).keys().collect();
    let mut sent: Vec<_> = object.as_object().unwrap().keys().collect();
    sent.sort();
    assert_eq!(sent, described, "{schema}");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_in_flight_are_finished_and_streams_ended() {
    let house = House::open().await;
    let address = house.address;
    let mut stream = listen(&house).await;
    let call = tokio::spawn(async move {
        wire::call(address, "", "import time\ntime.sleep(1)\nprint('done')").await
    });
    while house.ledger().await.is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let ended = house.stop();
    assert_eq!(call.await.unwrap().json()["result"]["stdout"], "done\n");
    ended.await.unwrap().unwrap();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.unwrap();
    // The last chunk: the stream was ended, not cut off.
    assert!(rest.ends_with(b"0\r\n\r\n"), "{:?}", String::from_utf8_lossy(&rest));
    assert!(TcpStream::connect(address).await.is_err(), "the doors are still open");
}

/// What was begun is recorded, though nobody waits for the answer any more.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_caller_went_away_is_waited_for() {
    let house = House::open().await;
    let body = br#"{"tool": "run_python", "arguments": {"code": "import time\ntime.sleep(1)"}}"#;
    let head = format!(
        "POST /v1/calls HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n",
        house.address,
        body.len()
    );
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    stream.write_all(&[head.as_bytes(), body].concat()).await.unwrap();
    while house.ledger().await.is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    drop(stream);
    let records = house.stop_and_read().await;
    assert_eq!(records.len(), 2, "{records:?}");
    assert_eq!(records[1].1["outcome"], "ok");
}

/// Opens the stream of an MCP session of the old era, which nobody ends.
async fn listen(house: &House) -> TcpStream {
    let initialize = br#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "wire", "version": "1"}}}"#;
    let opened = wire::send(house.address, &wire::mcp_head(""), initialize).await;
    let session = opened.header("mcp-session-id").unwrap();
    let head = format!(
        "GET /mcp HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\n\
         Mcp-Session-Id: {session}\r\n\r\n",
        house.address
    );
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut status = [0; 15];
    stream.read_exact(&mut status).await.unwrap();
    assert_eq!(&status, b"HTTP/1.1 200 OK");
    stream
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configured_host_and_origin_are_served() {
    let settings = Settings {
        hosts: vec!["regate.example".into()],
        origins: vec!["https://app.example".into()],
        ..Settings::default()
    };
    let house = House::with(&settings).await;
    let get = |host: &str, origin: &str| {
        let head = format!("GET /healthz HTTP/1.1\nHost: {host}\n{origin}");
        let address = house.address;
        async move { wire::send(address, &head, b"").await.status }
    };
    assert_eq!(get("regate.example:8181", "").await, 200);
    assert_eq!(get("REGATE.example", "Origin: https://app.example").await, 200);
    assert_eq!(get("regate.example", "Origin: https://app.example:8443").await, 403);
    assert_eq!(get("regate.example", "Origin: http://app.example").await, 403);
    assert_eq!(get("regate.example.evil.example", "").await, 403);
    assert_eq!(get("sub.regate.example", "").await, 403);
}
