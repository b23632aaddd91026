//! Who may come in, and as whom.

use crate::house::{House, key};
use crate::wire;
use regate::gateway::{Key, Settings};

async fn house(texts: &[(&str, &str)]) -> House {
    let keys = texts.iter().map(|(text, subject)| key(text, subject)).collect();
    House::with(&Settings { keys, ..Settings::default() }).await
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_known_key_nothing_is_read_and_nothing_recorded() {
    let house = house(&[("rgt_one", "alice"), ("rgt_two", "bob")]).await;
    let presented = [
        "",
        "Authorization: Bearer rgt_three\n",
        "Authorization: Bearer\n",
        "Authorization: Basic rgt_one\n",
        "Authorization: rgt_one\n",
        "Authorization: Bearer rgt_one\nAuthorization: Bearer rgt_two\n",
        "Authorization: Bearer rgt_one\nAuthorization: Bearer rgt_one\n",
        "Authorization: Bearer rgt_one\nX-Api-Key: rgt_one\n",
        "X-Api-Key: rgt_one\nX-Api-Key: rgt_two\n",
        "X-Api-Key: \n",
        "X-Api-Key: Bearer rgt_one\n",
        "Cookie: key=rgt_one\n",
    ];
    for headers in presented {
        for path in ["/v1/calls", "/v1/decisions", "/mcp"] {
            let reply = wire::send(house.address, &wire::rest_head(path, headers), b"{").await;
            assert_eq!(reply.status, 401, "{path} {headers}: {reply:?}");
            assert_eq!(reply.header("www-authenticate"), Some("Bearer realm=\"regate\""));
            assert_eq!(reply.header("content-type"), Some("application/problem+json"));
        }
    }
    assert!(house.ledger().await.is_empty());
    let shown = house.metrics.render(std::time::Duration::ZERO);
    assert!(shown.contains("regate_messages_refused_total{reason=\"key\"} 36"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_key_is_its_own_subject() {
    let house = house(&[("rgt_one", "alice"), ("rgt_two", "bob"), ("rgt_three", "carol")]).await;
    let presented = [
        ("Authorization: Bearer rgt_one\n", "alice"),
        ("authorization: bearer  rgt_two\n", "bob"),
        ("X-API-KEY: rgt_three\n", "carol"),
    ];
    for (headers, subject) in presented {
        let reply = wire::call(house.address, headers, "print(1)").await;
        assert_eq!(reply.json()["decision"], "permitted", "{reply:?}");
        let records = house.ledger().await;
        let (_, decision) = records.iter().rfind(|(kind, _)| kind == "decision").unwrap();
        assert_eq!(decision["subject"]["id"], subject, "{decision}");
        assert_eq!(decision["subject"]["tenant"], "acme", "{decision}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_operators_look_at_is_open() {
    let house = house(&[("rgt_one", "alice")]).await;
    for path in ["/healthz", "/readyz", "/metrics", "/openapi.json"] {
        assert_eq!(wire::get(house.address, path).await.status, 200, "{path}");
    }
}

#[test]
fn keys_are_made_of_256_random_bits_and_kept_by_their_hash() {
    let (text, hash) = Key::generate().unwrap();
    let (other, _) = Key::generate().unwrap();
    assert_ne!(text, other);
    let bits = text.strip_prefix(Key::PREFIX).unwrap();
    assert_eq!(bits.len(), 64);
    assert!(bits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert_eq!(*hash.as_bytes(), Key::hash(&text));
}
