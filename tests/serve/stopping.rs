//! How the program ends when it is told to.

use crate::served::{Served, With};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Announces a body and sends none of it, once the gateway waits for it.
fn message_under_way(served: &Served) -> TcpStream {
    let address = served.url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!(
        "POST /v1/calls HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Content-Length: 100\r\nExpect: 100-continue\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut told = [0; 12];
    stream.read_exact(&mut told).unwrap();
    assert_eq!(&told, b"HTTP/1.1 100");
    stream
}

/// Far longer than any test takes: what ends sooner was not waited for.
const PATIENT: &str = "[gateway]\nbody_ms_max = 600000\nshutdown_ms_max = 600000\n";

#[test]
fn one_signal_waits_for_messages_under_way_and_a_second_does_not() {
    let mut served = Served::start(&With { settings: PATIENT, ..With::default() });
    let _stream = message_under_way(&served);
    served.signal("TERM");
    while !served.log().contains("stopping") {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(served.is_up());
    served.signal("TERM");
    assert_eq!(served.exit_code(), Some(2));
    assert!(served.log().contains("stopped at once"), "{}", served.log());
}

#[test]
fn one_signal_is_enough_where_nothing_is_under_way() {
    let mut served = Served::start(&With { settings: PATIENT, ..With::default() });
    served.signal("INT");
    assert_eq!(served.exit_code(), Some(0));
}
