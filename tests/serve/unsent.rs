//! A message whose body is announced and does not come.

use crate::served::Served;
use std::io::{Read, Write};
use std::net::TcpStream;

/// Sends the head of one, such as `POST /v1/calls`, and waits until the gateway waits for its body.
pub(crate) fn send_head(served: &Served, key: &str, line: &str) -> TcpStream {
    let address = served.url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!(
        "{line} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut told = [0; 12];
    stream.read_exact(&mut told).unwrap();
    assert_eq!(&told, b"HTTP/1.1 100");
    stream
}
