//! The trace that a message is a part of, as W3C Trace Context has it: where a message names no
//! session, the calls of one trace are one.
//!
//! Must never refuse a message for its trace: one that cannot be read is none.

use crate::call::Text;
use http::{HeaderMap, HeaderName};

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// `00-`, 32 hexadecimal digits, `-`, 16, `-`, 2; later versions may go on behind that.
const TRACEPARENT_BYTES: usize = 55;

/// The session of the trace that the header names.
pub(super) fn session_of_header(headers: &HeaderMap) -> Option<Text> {
    let mut values = headers.get_all(TRACEPARENT).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => session_of(value.to_str().ok()?),
        (Some(_) | None, _) => None,
    }
}

/// The session of a trace.
pub(super) fn session_of(traceparent: &str) -> Option<Text> {
    let (known, later) = traceparent.split_at_checked(TRACEPARENT_BYTES)?;
    let mut parts = known.split('-');
    let [version, trace, parent, flags] =
        [parts.next()?, parts.next()?, parts.next()?, parts.next()?];
    let of_version = match version {
        "ff" => false,
        "00" => later.is_empty(),
        _ => later.is_empty() || later.starts_with('-'),
    };
    let formed = is_hex(version, 2) && is_hex(parent, 16) && is_hex(flags, 2) && is_hex(trace, 32);
    let given = |id: &str| id.bytes().any(|byte| byte != b'0');
    (of_version && formed && given(trace) && given(parent)).then(|| format!("trace-{trace}").into())
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests;
