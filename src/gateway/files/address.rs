//! Where files are to be had: a path at the REST door, a URI at the MCP door.
//!
//! Must never take a URI for an address that it would not itself have written.

use crate::call::Text;
use crate::gateway::propose;
use crate::sandbox::workspace::Name;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What stands in a part of a path by itself: what RFC 3986 calls unreserved.
const PART: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The same, with what parts a name.
const NAME: &AsciiSet = &PART.remove(b'/');

const SCHEME: &str = "regate://sessions/";
const FILES: &str = "/files/";

/// The path at the REST door.
pub(in crate::gateway) fn path(session: &str, name: &Name) -> String {
    format!("/v1/sessions/{}", tail(session, name))
}

/// The URI at the MCP door.
pub(in crate::gateway) fn uri(session: &str, name: &Name) -> String {
    format!("{SCHEME}{}", tail(session, name))
}

fn tail(session: &str, name: &Name) -> String {
    let session = utf8_percent_encode(session, PART);
    format!("{session}{FILES}{}", utf8_percent_encode(name.as_str(), NAME))
}

/// What a URI stands for. Each file has one: another spelling of it is none.
pub(in crate::gateway) fn of_uri(text: &str) -> Option<(Text, Name)> {
    let (session, name) = text.strip_prefix(SCHEME)?.split_once(FILES)?;
    let decoded = |text| percent_decode_str(text).decode_utf8().ok();
    let session = propose::name(&decoded(session)?)?;
    let name = Name::new(&decoded(name)?)?;
    (uri(&session, &name) == text).then_some((session, name))
}
