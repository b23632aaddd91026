//! What is taken out of arguments that people are shown, and that nothing else is.

use super::shown;
use crate::call::{Json, Number, Text};

/// Put together here, so that no scanner takes it for a leak.
fn token(letter: &str) -> String {
    format!("postgres://joe:{}@db.example.com/x", letter.repeat(12))
}

fn object(members: &[(&str, Json)]) -> Json {
    Json::Object(members.iter().map(|(key, value)| (Text::from(*key), value.clone())).collect())
}

fn text(text: &str) -> Json {
    Json::String(text.into())
}

#[test]
fn secrets_are_named_and_all_else_stays() {
    let told = shown(&object(&[
        ("code", text(&format!("connect('{}')\nprint(\"é\")", token("s")))),
        ("more", Json::Array(vec![Json::Number(Number::new("1.50e2")), Json::Bool(true)])),
        ("none", Json::Null),
    ]));
    let canonical = told.canonical();
    assert!(!canonical.contains(&"s".repeat(12)), "{canonical}");
    assert_eq!(
        canonical,
        r#"{"code":"connect('postgres://joe:[redacted: url_password]@db.example.com/x')\nprint(\"é\")","more":[1.50e2,true],"none":null}"#
    );
}

#[test]
fn no_member_hides_another() {
    let told = shown(&object(&[(&token("s"), text("one")), (&token("t"), text("two"))]));
    let Json::Object(members) = &told else { panic!("{told:?}") };
    assert_eq!(members.len(), 2);
    assert_ne!(members[0].0, members[1].0);
    assert!(!told.canonical().contains(&"s".repeat(12)), "{told:?}");
}
