//! What is read, what is refused, and that both agree with the usual reader where it is strict.

use super::{Reason, parse, to_value};
use crate::call::Json;
use proptest::prelude::*;

const DEPTH_MAX: usize = 64;

fn reason(text: &str) -> Reason {
    parse(text.as_bytes(), DEPTH_MAX).expect_err(text).reason
}

#[test]
fn keeps_order_and_numbers_as_written() {
    let tree =
        parse(br#" {"b": 1.50, "a": [true, null, "x\u00e9\ud83d\ude00"], "c": -0} "#, DEPTH_MAX)
            .unwrap();
    assert_eq!(tree.canonical(), r#"{"a":[true,null,"xé😀"],"b":1.50,"c":-0}"#);
    assert_eq!(to_value(&tree).to_string(), r#"{"b":1.50,"a":[true,null,"xé😀"],"c":-0}"#);
}

#[test]
fn refuses_what_two_readers_may_understand_differently() {
    assert_eq!(reason(r#"{"a":1,"a":1}"#), Reason::DuplicateKey);
    assert_eq!(reason(r#"{"a":1,"\u0061":1}"#), Reason::DuplicateKey);
    assert_eq!(reason(r#"{"code":1,"Code":1}"#), Reason::CaseEqualKey);
    assert_eq!(reason("{\"K\":1,\"\u{212a}\":1}"), Reason::CaseEqualKey);
    assert_eq!(reason(r#"{"$serde_json::private::Number":"1"}"#), Reason::ReservedKey);
    assert_eq!(reason(r#"{"\u0024serde_json::private::Number":"1"}"#), Reason::ReservedKey);
    assert_eq!(reason(r#""\ud800""#), Reason::Surrogate);
    assert_eq!(reason(r#""\ud800\ud800""#), Reason::Surrogate);
    assert_eq!(reason(r#""\udc00\ud800""#), Reason::Surrogate);
    assert_eq!(reason("1e400"), Reason::Number);
    assert_eq!(reason("-1e999999999999"), Reason::Number);
    assert_eq!(reason(&"1".repeat(65)), Reason::Number);
}

#[test]
fn refuses_what_is_not_json() {
    for text in ["{", "[1,", "\"", "\"\\u12", "-", "1.", "1e", "tru"] {
        assert_eq!(reason(text), Reason::End, "{text}");
    }
    for text in [
        "NaN",
        "Infinity",
        "+1",
        "-x",
        "[1,]",
        "{,}",
        "{a:1}",
        "'a'",
        "\"\n\"",
        "\"\\x\"",
        "\u{feff}1",
        "/**/1",
    ] {
        assert_eq!(reason(text), Reason::Syntax, "{text}");
    }
    for text in ["1 2", "{}{}", "01", "[] x"] {
        assert_eq!(reason(text), Reason::Trailing, "{text}");
    }
    assert_eq!(reason(""), Reason::End);
    assert_eq!(parse(b"{\"a\": \"\xff\"}", DEPTH_MAX).unwrap_err().reason, Reason::Encoding);
}

#[test]
fn stops_at_the_depth_cap_and_not_before() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(parse(nested(DEPTH_MAX).as_bytes(), DEPTH_MAX).is_ok());
    assert_eq!(reason(&nested(DEPTH_MAX + 1)), Reason::Depth);
    assert_eq!(reason(&"[".repeat(1_000_000)), Reason::Depth);
    assert!(parse(b"[[],[],[]]", 2).is_ok());
}

#[test]
fn names_the_place_and_never_the_content() {
    let malformed = parse("{\n  \"é\": secret}".as_bytes(), DEPTH_MAX).unwrap_err();
    assert_eq!(malformed.to_string(), "the text is not JSON at line 2, column 8");
    let malformed = parse(b"[\n \xff]", DEPTH_MAX).unwrap_err();
    assert_eq!((malformed.line, malformed.column), (2, 2));
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            // Keys of lower-case letters cannot differ in case alone.
            prop::collection::btree_map("[a-z]{1,6}", inner, 0..6)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn reads_what_the_usual_writer_writes(value in value()) {
        let text = serde_json::to_string_pretty(&value).unwrap();
        let tree = parse(text.as_bytes(), DEPTH_MAX).unwrap();
        prop_assert_eq!(to_value(&tree), value);
    }

    #[test]
    fn reads_nothing_that_the_usual_reader_refuses(text in r#"[\[\]{}",:0-9eE+.\\untrlsfa \-]{0,24}"#) {
        if let Ok(tree) = parse(text.as_bytes(), DEPTH_MAX) {
            let usual: serde_json::Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(to_value(&tree), usual);
        }
    }

    #[test]
    fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _: Result<Json, _> = parse(&bytes, DEPTH_MAX);
    }
}
