//! Where lies what a text names.
//!
//! Must never place what a library may take for something else.

use super::sql::reaches_files;
use crate::call::Text;
use crate::facts::python::values::{as_statement, begins_found, is_wild, leads, locate, shown};
use crate::facts::{Place, ResourceKind};

/// Libraries that open URLs and expand home folders where a file is named.
const EXPANDING: [&str; 3] = ["numpy.", "pandas.", "sqlite3."];

/// The same as a function of this name takes it: a name that was found may look like a home
/// folder, or like a URL.
pub(super) fn placed_by(function: &str, kind: ResourceKind, text: &str) -> Option<(Place, Text)> {
    placed(kind, text).filter(|_| !(expands(function) && begins_found(text)))
}

/// The host that a function of this name connects to, where a file is named by the URL of one.
pub(super) fn connected_by(function: &str, kind: ResourceKind, text: &str) -> Option<Text> {
    let (scheme, _) = text.split_once("://")?;
    let local = ["file", "data"].iter().any(|known| scheme.trim().eq_ignore_ascii_case(known));
    let remote = kind == ResourceKind::File && expands(function) && !local;
    remote.then(|| host(text).into())
}

fn expands(function: &str) -> bool {
    EXPANDING.iter().any(|library| function.starts_with(library))
}

/// The host of an address or a URL, without user, port and path.
fn host(text: &str) -> &str {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let address = authority.rsplit_once('@').map_or(authority, |(_, address)| address);
    if let Some(end) = address.strip_prefix('[').and_then(|inner| inner.find(']')) {
        return address.get(1..=end).unwrap_or(address);
    }
    match address.split_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => address,
    }
}

/// Where what a text names lies, and its normalised name.
pub(super) fn placed(kind: ResourceKind, text: &str) -> Option<(Place, Text)> {
    if is_wild(text) { placed_in_part(kind, text) } else { Some(placed_whole(kind, text)) }
}

/// The same of a text that is known in part, where that is enough.
fn placed_in_part(kind: ResourceKind, pattern: &str) -> Option<(Place, Text)> {
    match kind {
        ResourceKind::File => leads(pattern).then(|| {
            let location = locate(pattern);
            (location.place, shown(&location.norm).into())
        }),
        ResourceKind::Statement => as_statement(pattern)
            .map(|statement| (placed_whole(kind, &statement).0, shown(pattern).into())),
        ResourceKind::Host | ResourceKind::Process | ResourceKind::Env | ResourceKind::Table => {
            None
        }
    }
}

fn placed_whole(kind: ResourceKind, text: &str) -> (Place, Text) {
    match kind {
        ResourceKind::File if text == ":memory:" => (Place::Memory, text.into()),
        ResourceKind::File => {
            let location = locate(text);
            (location.place, location.norm.into())
        }
        ResourceKind::Host => (Place::Remote, host(text).into()),
        ResourceKind::Process | ResourceKind::Env => (Place::Host, text.into()),
        ResourceKind::Table => (Place::Memory, text.into()),
        ResourceKind::Statement if reaches_files(text) => (Place::Outside, text.into()),
        ResourceKind::Statement => (Place::Memory, text.into()),
    }
}
