//! What may not be reached is not, however it is asked for, and nothing of it reaches a host.

use super::{Outside, fixture, program};
use crate::network::{self, Network};
use regate::sandbox::egress::Refused;

/// A program that says these things to the proxy.
fn saying(network: &Network, said: &[&str]) -> String {
    let said: Vec<String> = said.iter().map(|text| format!("b{text:?}")).collect();
    let words = [("SAID", &*format!("[{}]", said.join(", "))), ("PAUSE", "2")];
    program(network, fixture!("said"), &words)
}

fn connect(target: &str) -> String {
    format!("CONNECT {target} HTTP/1.1\r\n\r\n")
}

#[tokio::test]
async fn hosts_that_are_not_open_are_refused_with_a_reason() {
    let name = "egress::refusing::hosts_that_are_not_open_are_refused_with_a_reason";
    let Some(network) = network::enter(name) else { return };
    let outside = Outside::new();
    let rows = [
        ("api.example.com:8443", "unlisted"),
        ("api.example.com:444", "unlisted"),
        ("other.example.com:443", "unlisted"),
        ("example.com:443", "unlisted"),
        ("localhost:443", "unlisted"),
        ("93.184.216.34:443", "name"),
        ("1572395042:443", "name"),
        ("0135.0270.0330.042:443", "name"),
        ("0x5db8d822:443", "name"),
        ("0x5d.0xb8.0xd8.0x22:443", "name"),
        ("93.12113954:443", "name"),
        ("[::ffff:93.184.216.34]:443", "name"),
        ("[::1]:443", "name"),
        ("[fe80::1%25lo]:443", "name"),
        ("::1:443", "name"),
        ("api.example.com%00:443", "name"),
        ("api_example,com:443", "name"),
        ("private.example.com:443", "address"),
        ("mixed.example.com:443", "address"),
        ("unknown.example.com:443", "unresolved"),
        ("api.example.com:9", "unreachable"),
    ];
    for (target, word) in rows {
        let (stdout, ended) = outside.told(&saying(&network, &[&connect(target)])).await;
        let [one] = &*ended else { panic!("{target}: {ended:?}, {stdout}") };
        assert_eq!(one.how.as_str(), word, "{target}");
        assert_eq!((one.sent_bytes, one.received_bytes), (0, 0), "{target}");
        let status = Refused::ALL.into_iter().find(|refused| refused.as_str() == word).unwrap();
        let answer = String::from_utf8(status.response()).unwrap();
        assert_eq!(stdout.lines().next(), answer.lines().next(), "{target}");
    }
    assert_eq!(network.heard(), [""; 0]);
    // No name is asked for that is not open.
    let asked = network.names_asked();
    assert!(asked.iter().all(|name| name.starts_with("unknown.example.com")), "{asked:?}");
    assert!(!asked.is_empty());
    outside.bench.leaves_nothing().await;
}

#[tokio::test]
async fn what_is_no_message_for_a_proxy_is_asked_of_nobody() {
    let name = "egress::refusing::what_is_no_message_for_a_proxy_is_asked_of_nobody";
    let Some(network) = network::enter(name) else { return };
    let outside = Outside::new();
    let long = format!("GET http://api.example.com/ HTTP/1.1\r\nX: {}", "a".repeat(17_000));
    for said in [
        "GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
        "CONNECT api.example.com HTTP/1.1\r\n\r\n",
        "CONNECT :443 HTTP/1.1\r\n\r\n",
        "CONNECT api.example.com:0443x HTTP/1.1\r\n\r\n",
        "GET https://api.example.com/ HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
        "\u{16}\u{3}\u{1} no message\r\n\r\n",
        &long,
    ] {
        let (stdout, ended) = outside.told(&saying(&network, &[said])).await;
        assert_eq!(
            stdout.lines().next(),
            Some("HTTP/1.1 400 Not a message for this proxy"),
            "{said}"
        );
        assert_eq!(ended, []);
    }
    assert_eq!(network.heard(), [""; 0]);
    outside.bench.leaves_nothing().await;
}

#[tokio::test]
async fn a_host_that_moves_to_another_address_is_looked_at_again() {
    let name = "egress::refusing::a_host_that_moves_to_another_address_is_looked_at_again";
    let Some(network) = network::enter(name) else { return };
    let outside = Outside::new();
    let text = saying(&network, &[&connect("moving.example.com:443"), "no TLS"]);
    assert_eq!(outside.words(&text).await.1, ["tls"]);
    network.move_host("moving.example.com", "127.0.0.1");
    assert_eq!(outside.words(&text).await.1, ["address"]);
    assert_eq!(network.heard(), ["443 silent"]);
    outside.bench.leaves_nothing().await;
}

#[tokio::test]
async fn a_tunnel_is_for_tls_to_its_own_host() {
    let Some(network) = network::enter("egress::refusing::a_tunnel_is_for_tls_to_its_own_host")
    else {
        return;
    };
    let outside = Outside::new();
    let established = "HTTP/1.1 200 Connection established\n";
    let hidden = r"b'\xfe\x0d\x00\x04abcd'";
    let rows = [
        ("'api.example.com'", "b''", "HTTP/1.1 200 OK\n", "closed"),
        ("'API.example.com'", "b''", "HTTP/1.1 200 OK\n", "closed"),
        ("'other.example.com'", "b''", "TLSV1_ALERT_ACCESS_DENIED\n", "tls"),
        ("None", "b''", "TLSV1_ALERT_ACCESS_DENIED\n", "tls"),
        ("'api.example.com'", hidden, "TLSV1_ALERT_ACCESS_DENIED\n", "tls"),
    ];
    for (server, added, said, word) in rows {
        let words = [("NAME", server), ("ADDED", added)];
        let (stdout, ended) = outside.words(&program(&network, fixture!("tls"), &words)).await;
        assert_eq!(stdout, format!("{established}{said}"), "{server} {added}");
        assert_eq!(ended, [word], "{server} {added}");
        let heard = network.heard();
        assert_eq!(heard.contains(&"443 spoken".to_owned()), word == "closed", "{heard:?}");
    }
    let plain = "GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n";
    let text = saying(&network, &[&(connect("api.example.com:443") + plain)]);
    assert_eq!(outside.words(&text).await.1, ["tls"]);
    assert!(!network.heard().contains(&"443 spoken".to_owned()));
    outside.bench.leaves_nothing().await;
}

#[tokio::test]
async fn a_connection_without_tls_carries_one_message_to_its_host() {
    let name = "egress::refusing::a_connection_without_tls_carries_one_message_to_its_host";
    let Some(network) = network::enter(name) else { return };
    let outside = Outside::new();
    let line = "GET http://api.example.com/ HTTP/1.1\r\n";
    let rows = [
        format!("{line}Host: other.example.com\r\n\r\n"),
        format!("{line}\r\n"),
        format!("{line}Host: api.example.com\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        format!("{line}Host: api.example.com\r\n\r\n{line}Host: api.example.com\r\n\r\n"),
        format!("{line}Host: api.example.com\r\nContent-Length: 2\r\n\r\nabc"),
    ];
    for said in rows {
        let (stdout, ended) = outside.words(&saying(&network, &[&said])).await;
        assert_eq!(
            stdout.lines().next(),
            Some("HTTP/1.1 400 Not a message for this proxy"),
            "{said}"
        );
        assert_eq!(ended, ["message"], "{said}");
    }
    let heard = network.heard();
    assert!(heard.iter().all(|line| line == "80 silent"), "{heard:?}");

    let whole = format!("{line}Host: api.example.com\r\n\r\n");
    let twice = saying(&network, &[&whole, &whole]).replace("recv(65536)", "recv(20)");
    let (stdout, _) = outside.words(&twice).await;
    assert!(stdout.starts_with("HTTP/1.1 200 OK\n"), "{stdout}");
    let gets = network.heard().iter().filter(|line| line.contains("GET")).count();
    assert_eq!(gets, 1);
    outside.bench.leaves_nothing().await;
}

#[tokio::test]
async fn what_the_gate_refuses_is_not_opened() {
    let Some(network) = network::enter("egress::refusing::what_the_gate_refuses_is_not_opened")
    else {
        return;
    };
    for refused in [Refused::Policy, Refused::Unavailable] {
        let outside = Outside::new().refusing(refused);
        let text =
            program(&network, fixture!("urllib_get"), &[("PAGE", "http://api.example.com/")]);
        let (stdout, ended) = outside.words(&text).await;
        assert_eq!(ended, [refused.as_str()]);
        let answer = String::from_utf8(refused.response()).unwrap();
        assert!(stdout.trim_end().ends_with(answer.lines().last().unwrap()), "{stdout}");
        outside.bench.leaves_nothing().await;
    }
    assert_eq!(network.heard(), [""; 0]);
}
