//! What is a trace and what is none.

use super::session_of;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

#[test]
fn the_calls_of_one_trace_are_one_session() {
    let expected = format!("trace-{TRACE}");
    for traceparent in [
        format!("00-{TRACE}-00f067aa0ba902b7-01"),
        format!("00-{TRACE}-ffffffffffffffff-00"),
        format!("01-{TRACE}-00f067aa0ba902b7-01-what-a-later-version-adds"),
    ] {
        assert_eq!(session_of(&traceparent).as_deref(), Some(&*expected), "{traceparent}");
    }
}

#[test]
fn what_is_no_trace_names_no_session() {
    for traceparent in [
        String::new(),
        TRACE.to_owned(),
        format!("00-{TRACE}-00f067aa0ba902b7-0"),
        format!("00-{TRACE}-00f067aa0ba902b7-01-more"),
        format!("ff-{TRACE}-00f067aa0ba902b7-01"),
        format!("00-{}-00f067aa0ba902b7-01", TRACE.to_uppercase()),
        format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)),
        format!("00-{TRACE}-{}-01", "0".repeat(16)),
        format!("00-{TRACE}-00f067aa0ba90-2b7-01"),
        "é".repeat(40),
    ] {
        assert_eq!(session_of(&traceparent), None, "{traceparent}");
    }
}
