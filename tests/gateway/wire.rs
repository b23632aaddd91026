//! Messages as bytes: what is sent is what stands here, and what comes back is taken apart.

use serde_json::Value;
use std::fmt;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    body: Vec<u8>,
}

impl fmt::Debug for Reply {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}\n\n{}", self.head, self.text())
    }
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The JSON of the body, or of the last event of the stream that the body is.
    pub(crate) fn json(&self) -> Value {
        let text = self.text();
        let json = match self.header("content-type") {
            Some("text/event-stream") => {
                let mut data = text.lines().filter_map(|line| line.strip_prefix("data:"));
                data.next_back().unwrap().to_owned()
            }
            Some(_) | None => text,
        };
        serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Sends a head and a body, with a length and the wish to close, and reads to the end.
pub(crate) async fn send(address: SocketAddr, head: &str, body: &[u8]) -> Reply {
    let head = head.trim_end().replace('\n', "\r\n").replace("{host}", &address.to_string());
    let length = body.len();
    let head = format!("{head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    raw(address, &[head.as_bytes(), body].concat()).await
}

/// Sends bytes and reads to the end.
pub(crate) async fn raw(address: SocketAddr, bytes: &[u8]) -> Reply {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    read(&mut stream).await
}

/// Reads to the end of the connection.
pub(crate) async fn read(stream: &mut TcpStream) -> Reply {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or_else(|| {
        panic!("no head in {:?}", String::from_utf8_lossy(&bytes));
    });
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut reply = Reply { status, head, body: bytes[end + 4..].to_vec() };
    if reply.header("transfer-encoding") == Some("chunked") {
        reply.body = unchunked(&reply.body);
    }
    reply
}

fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            break;
        }
        body.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 2 + size + 2..];
    }
    body
}

/// A REST call.
pub(crate) async fn call(address: SocketAddr, headers: &str, code: &str) -> Reply {
    let body = serde_json::json!({"tool": "run_python", "arguments": {"code": code}}).to_string();
    send(address, &rest_head("/v1/calls", headers), body.as_bytes()).await
}

/// The head of a message to the REST door, with lines of its own.
pub(crate) fn rest_head(path: &str, headers: &str) -> String {
    format!("POST {path} HTTP/1.1\nHost: {{host}}\nContent-Type: application/json\n{headers}")
}

/// The head of a message to the MCP door, with lines of its own.
pub(crate) fn mcp_head(headers: &str) -> String {
    rest_head("/mcp", &format!("Accept: application/json, text/event-stream\n{headers}"))
}

pub(crate) async fn get(address: SocketAddr, path: &str) -> Reply {
    send(address, &format!("GET {path} HTTP/1.1\nHost: {{host}}"), b"").await
}
