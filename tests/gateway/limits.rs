//! What comes in is bounded: bytes, depth, time, connections.

use crate::house::House;
use crate::wire;
use regate::gateway::Settings;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// One denial of a message that was not read, and nothing that ran.
async fn assert_recorded_once(house: &House) {
    let records = house.ledger().await;
    assert_eq!(records.len(), 1, "{records:?}");
    let (kind, body) = &records[0];
    assert_eq!((kind.as_str(), &body["decision"]), ("decision", &"denied".into()), "{body}");
    assert_eq!(body["cause"], "arguments", "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_over_the_cap_is_refused_by_its_length_alone() {
    for path in ["/v1/calls", "/mcp"] {
        let house = House::open().await;
        // 50 MB are announced and none are sent: the answer comes all the same.
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Content-Length: 52428800\r\nConnection: close\r\n\r\n",
            house.address
        );
        let reply = wire::raw(house.address, head.as_bytes()).await;
        assert_eq!(reply.status, 413, "{reply:?}");
        assert_recorded_once(&house).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_over_the_cap_is_refused_without_a_length_too() {
    let settings = Settings { body_bytes_max: 1000, ..Settings::default() };
    let house = House::with(&settings).await;
    let head = format!(
        "POST /v1/calls HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
        house.address
    );
    let chunk = format!("1f4\r\n{}\r\n", " ".repeat(500));
    let body = [head, chunk.clone(), chunk.clone(), chunk].concat();
    let reply = wire::raw(house.address, body.as_bytes()).await;
    assert_eq!(reply.status, 413, "{reply:?}");
    assert_recorded_once(&house).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_at_the_cap_is_read() {
    let mut body = br#"{"tool": "run_python", "arguments": {"code": "print(1)"}}"#.to_vec();
    let settings = Settings { body_bytes_max: body.len() + 10, ..Settings::default() };
    let house = House::with(&settings).await;
    body.extend_from_slice(&[b' '; 10]);
    let head = wire::rest_head("/v1/decisions", "");
    assert_eq!(wire::send(house.address, &head, &body).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let settings = Settings { body_ms_max: 100, ..Settings::default() };
    let house = House::with(&settings).await;
    let head = format!(
        "POST /v1/calls HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Content-Length: 100\r\nConnection: close\r\n\r\n{{",
        house.address
    );
    let reply = wire::raw(house.address, head.as_bytes()).await;
    assert_eq!(reply.status, 408, "{reply:?}");
    assert_recorded_once(&house).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn depth_is_bounded() {
    for (depth, status) in [(10_000, 400), (500_000, 400), (50, 200)] {
        let house = House::open().await;
        let nested = "[".repeat(depth) + &"]".repeat(depth);
        let body = format!(r#"{{"tool": "unknown_tool", "arguments": {{"value": {nested}}}}}"#);
        let head = wire::rest_head("/v1/calls", "");
        let reply = wire::send(house.address, &head, body.as_bytes()).await;
        assert_eq!(reply.status, status, "{depth}: {reply:?}");
        let message = format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": {nested}}}"#);
        let reply = wire::send(house.address, &wire::mcp_head(""), message.as_bytes()).await;
        assert_eq!(reply.status, 400, "{depth}: {reply:?}");
        let records = house.ledger().await;
        assert!(records.iter().all(|(_, body)| body["decision"] == "denied"), "{records:?}");
        assert_eq!(records.len(), 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_that_does_not_come_is_not_waited_for() {
    let settings = Settings { header_ms_max: 100, ..Settings::default() };
    let house = House::with(&settings).await;
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    stream.write_all(b"POST /v1/calls HTTP/1.1\r\nHost: ").await.unwrap();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.unwrap();
    assert!(!String::from_utf8_lossy(&rest).contains("200 OK"));
}

/// The one place is held by a client that asks again and again and never reads.
#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_is_not_taken_gives_its_place_back() {
    let settings = Settings { connections_max: 1, write_ms_max: 100, ..Settings::default() };
    let house = House::with(&settings).await;
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    let ask = format!("GET /openapi.json HTTP/1.1\r\nHost: {}\r\n\r\n", house.address);
    // Far more is asked for than the two sockets hold; the end of it is told by an error.
    while stream.write_all(ask.as_bytes()).await.is_ok() {}
    assert_eq!(wire::get(house.address, "/healthz").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_beyond_the_cap_wait_until_there_is_a_place() {
    let settings = Settings { connections_max: 1, ..Settings::default() };
    let house = House::with(&settings).await;
    // One that is served and stays open.
    let mut first = TcpStream::connect(house.address).await.unwrap();
    let head = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", house.address);
    first.write_all(head.as_bytes()).await.unwrap();
    let mut byte = [0];
    first.read_exact(&mut byte).await.unwrap();

    let second = tokio::spawn({
        let address = house.address;
        async move { wire::get(address, "/healthz").await.status }
    });
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    assert!(!second.is_finished(), "the second connection was served beside the first");
    drop(first);
    assert_eq!(second.await.unwrap(), 200);
}
