use super::{HEAD_BYTES_MAX, Message, NotSent, read};
use crate::sandbox::egress::Target;
use proptest::collection::vec;
use proptest::prelude::{any, proptest};

fn of(text: &str) -> Result<Option<Message>, NotSent> {
    read(text.as_bytes(), &Target::read("api.example.com:80").unwrap())
}

fn head(text: &str) -> String {
    String::from_utf8(of(text).unwrap().unwrap().head).unwrap()
}

const USUAL: &str = "GET http://api.example.com/a?b=c HTTP/1.1\r\nHost: api.example.com\r\n";

#[test]
fn a_message_is_written_anew_and_says_that_it_is_the_last() {
    let said = format!("{USUAL}Connection: keep-alive, X-Own\r\nX-Own: 1\r\nAccept: */*\r\n\r\n");
    let sent =
        "GET /a?b=c HTTP/1.1\r\nHost: api.example.com\r\nAccept: */*\r\nConnection: close\r\n\r\n";
    assert_eq!(head(&said), sent);
    assert_eq!(of(&said).unwrap().unwrap().read_bytes, said.len());
}

#[test]
fn a_body_is_as_long_as_it_says() {
    let said = "POST http://api.example.com HTTP/1.0\r\nHost: api.example.com:80\r\n\
                Connection: Content-Length\r\nContent-Length: 12\r\n\r\n";
    assert_eq!(of(said).unwrap().unwrap().body_bytes, 12);
    assert!(
        head(said)
            .starts_with("POST / HTTP/1.1\r\nHost: api.example.com:80\r\nContent-Length: 12\r\n")
    );
    assert_eq!(of(&format!("{USUAL}\r\n")).unwrap().unwrap().body_bytes, 0);
}

#[test]
fn a_port_that_is_not_that_of_http_is_named() {
    let target = Target::read("api.example.com:8080").unwrap();
    let said = b"GET http://api.example.com:8080/ HTTP/1.1\r\nHost: api.example.com:8080\r\n\r\n";
    assert!(read(said, &target).unwrap().is_some());
    let unnamed = b"GET http://api.example.com:8080/ HTTP/1.1\r\nHost: api.example.com\r\n\r\n";
    assert_eq!(read(unnamed, &target), Err(NotSent));
}

#[test]
fn what_is_not_plainly_one_message_to_the_host_is_refused() {
    let line = "GET http://api.example.com/ HTTP/1.1\r\n";
    let host = "Host: api.example.com\r\n";
    let refused = [
        format!("{line}\r\n"),
        format!("{line}Host: other.example.com\r\n\r\n"),
        format!("{line}{host}{host}\r\n"),
        format!("{line}{host}Host: other.example.com\r\n\r\n"),
        format!("{line}Host: 93.184.216.34\r\n\r\n"),
        format!("{line}{host}Transfer-Encoding: chunked\r\n\r\n"),
        format!("{line}{host}Content-Length: 1\r\nContent-Length: 2\r\n\r\n"),
        format!("{line}{host}Content-Length: 1, 1\r\n\r\n"),
        format!("{line}{host}Content-Length: +1\r\n\r\n"),
        format!("{line}{host}Content-Length: 0x1\r\n\r\n"),
        format!("{line}{host}Content-Length: \r\n\r\n"),
        format!("{line}{host}Upgrade: websocket\r\n\r\n"),
        format!("{line}{host}X: a\r\n b\r\n\r\n"),
        format!("{line}{host}X : a\r\n\r\n"),
        format!("GET / HTTP/1.1\r\n{host}\r\n"),
        format!("GET http://other.example.com/ HTTP/1.1\r\n{host}\r\n"),
        format!("GET http://a@api.example.com/ HTTP/1.1\r\n{host}\r\n"),
        format!("GET http://api.example.com:81/ HTTP/1.1\r\n{host}\r\n"),
        format!("GET https://api.example.com/ HTTP/1.1\r\n{host}\r\n"),
        format!("GET http://api.example.com/#a HTTP/1.1\r\n{host}\r\n"),
        format!("CONNECT http://api.example.com/ HTTP/1.1\r\n{host}\r\n"),
        format!("GET http://api.example.com/ HTTP/2.0\r\n{host}\r\n"),
        "no message\r\n\r\n".to_owned(),
    ];
    for said in refused {
        assert_eq!(of(&said), Err(NotSent), "{said}");
    }
}

#[test]
fn a_head_that_never_ends_is_refused_at_its_cap() {
    let endless = format!("{USUAL}X: {}", "a".repeat(HEAD_BYTES_MAX));
    let target = Target::read("api.example.com:80").unwrap();
    let read_of = |count: usize| read(&endless.as_bytes()[..count], &target);
    assert_eq!(read_of(HEAD_BYTES_MAX - 1), Ok(None));
    assert_eq!(read_of(HEAD_BYTES_MAX), Err(NotSent));
}

proptest! {
    /// Whatever a program adds: what is sent on ends where its head says, and once.
    #[test]
    fn what_is_sent_on_is_one_head(added in "[ -~\r\n\t]{0,60}", bytes in vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes, &Target::read("api.example.com:80").unwrap());
        if let Ok(Some(message)) = of(&format!("{USUAL}{added}\r\n\r\n")) {
            let head = String::from_utf8(message.head).unwrap();
            assert_eq!(head.matches("\r\n\r\n").count(), 1);
            assert!(head.ends_with("\r\nConnection: close\r\n\r\n"));
            assert_eq!(head.replace("\r\n", "").matches(['\r', '\n']).count(), 0);
        }
    }
}
