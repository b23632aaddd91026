use super::read;
use crate::facts::drift::{Kind, Listed};

const SHIPPED: &str = include_str!("../../../../policies/image/python_events.json");

#[test]
fn the_shipped_table_is_read() {
    let table = read(SHIPPED).unwrap();
    assert_eq!(table.events["os.rename"], Listed { kind: Some(Kind::Write), paths: vec![1] });
    assert_eq!(table.events["time.sleep"], Listed { kind: None, paths: vec![] });
    assert!(!table.own.is_empty());
}

#[test]
fn what_is_not_understood_is_refused() {
    let table = |kinds: &str, own: &str| {
        format!(r#"{{"reason": "r", "kinds": {kinds}, "environment": [], "own": {own}}}"#)
    };
    assert!(read(&table(r#"{"read": {"open": [0]}}"#, "[]")).is_ok());
    for (kinds, own, why) in [
        (r#"{"reed": {"open": [0]}}"#, "[]", "`reed` is no kind of event"),
        (r#"{"read": {"open": [7]}}"#, "[]", "`open`: no argument beyond 2 is looked at"),
        (r#"{"read": {"o pen": []}}"#, "[]", "`o pen` is no event"),
        (r#"{"read": {"open": []}, "write": {"open": []}}"#, "[]", "`open` is told twice"),
        ("{}", r#"[{"reason": "", "events": ["open"], "file": "x.py"}]"#, "has no reason"),
        ("{}", r#"[{"reason": "r", "events": ["open"]}]"#, "by themselves has a limit"),
        ("{}", r#"[{"reason": "r", "events": [], "flie": "x.py"}]"#, "unknown field"),
    ] {
        let error = read(&table(kinds, own)).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
}
