//! Signatures, and what is no secret or no address.

use super::{Address, Notice, Secret};
use crate::call::{Json, Timestamp};

/// The example that libraries of Standard Webhooks are tested with.
const KNOWN: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

#[test]
fn it_is_signed_as_others_sign() {
    let secret = Secret::new(KNOWN).unwrap();
    let signature =
        secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, "{\"test\": 2432232314}");
    assert_eq!(signature.unwrap(), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    assert!(!format!("{secret:?}").contains("MfKQ"));
}

#[test]
fn what_is_short_or_of_another_form_is_no_secret() {
    assert_eq!(Secret::new(&format!("{KNOWN}\n")), Secret::new(KNOWN));
    for text in ["", "hunter2", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_aGk=", "whsec_%%"] {
        assert_eq!(Secret::new(text), None, "{text}");
    }
}

#[test]
fn what_leaves_this_machine_is_encrypted() {
    let good = ["https://chat.example.com/in/x", "http://127.0.0.1:1/", "http://[::1]:80/a"];
    for text in good.into_iter().chain(["http://localhost/"]) {
        assert!(Address::new(text).is_some(), "{text}");
    }
    for text in ["http://chat.example.com/", "ftp://127.0.0.1/", "http://127.0.0.1.x.org/", "x"] {
        assert!(Address::new(text).is_none(), "{text}");
    }
    let address = Address::new("https://chat.example.com/in/x").unwrap();
    assert!(!format!("{address:?}").contains("chat"));
}

#[test]
fn an_id_is_one_thing_that_happened() {
    let notice = |state| Notice {
        approval: "apr-1".into(),
        state,
        at: Timestamp::from_unix_ms(0),
        data: Json::Null,
    };
    assert_eq!(notice("pending").id(), notice("pending").id());
    assert_ne!(notice("pending").id(), notice("approved").id());
    assert_eq!(
        notice("pending").body(),
        r#"{"data":null,"timestamp":"1970-01-01T00:00:00.000Z","type":"approval.pending"}"#
    );
}
