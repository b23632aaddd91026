//! Paths as text: joined, normalised, and placed inside the workspace or outside.
//!
//! Must never look at a file system: what a link points to is the sandbox's to settle.

use super::patterns::{is_wild, splits};
use crate::facts::Place;

/// Where the workspace lies in the sandbox.
const WORKSPACE: &str = "/workspace";

/// A path with the place where it lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::facts::python) struct Location {
    pub(in crate::facts::python) norm: String,
    pub(in crate::facts::python) place: Place,
}

/// Places a path. What a shell, a user's home or another scheme would change is outside.
pub(in crate::facts::python) fn locate(path: &str) -> Location {
    let expands = path.starts_with('~') || path.contains('$');
    let scheme = path.contains("://") || path.starts_with("file:");
    if scheme {
        return Location { norm: path.to_owned(), place: Place::Outside };
    }
    let norm = normalise(path);
    let inside = !expands
        && !path.contains(['\0', '\\'])
        && !path.split('/').any(|part| part == "..")
        && relative(&norm).is_some();
    Location {
        place: if inside { Place::Workspace } else { Place::Outside },
        norm: relative(&norm).filter(|_| inside).map_or(norm.clone(), str::to_owned),
    }
}

/// The path below the workspace.
fn relative(norm: &str) -> Option<&str> {
    if !norm.starts_with('/') {
        return Some(norm);
    }
    match norm.strip_prefix(WORKSPACE)? {
        "" => Some("."),
        below => below.strip_prefix('/'),
    }
}

pub(super) fn normalise(path: &str) -> String {
    let parts: Vec<&str> =
        path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let joined = parts.join("/");
    match (path.starts_with('/'), joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

/// `left / right` as path objects join.
pub(in crate::facts::python::values) fn join(left: &str, right: &str) -> String {
    if right.starts_with('/') || left == "." || left.is_empty() {
        return right.to_owned();
    }
    format!("{}/{right}", left.trim_end_matches('/'))
}

/// The path that holds this one. Of the workspace itself it lies outside.
pub(in crate::facts::python::values) fn parent(path: &str) -> String {
    let norm = normalise(path);
    match norm.rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((parent, _)) => parent.to_owned(),
        None => ".".to_owned(),
    }
}

/// The path as `resolve` and `absolute` give it.
pub(in crate::facts::python::values) fn absolute(path: &str) -> String {
    join(WORKSPACE, path)
}

/// The path with another suffix.
pub(in crate::facts::python::values) fn with_suffix(path: &str, suffix: &str) -> String {
    let path = &normalise(path);
    let name_start = path.rfind('/').map_or(0, |at| at + 1);
    let stem_end = path.rfind('.').filter(|at| *at > name_start).unwrap_or(path.len());
    format!("{}{suffix}", path.get(..stem_end).unwrap_or(path))
}

/// The last name of a path, or its stem or suffix. Of what a glob gives nothing is known.
pub(super) fn part(path: &str, which: &str) -> Option<String> {
    let norm = normalise(path);
    let name = norm.rsplit('/').next().filter(|name| !matches!(*name, "" | "." | ".."))?;
    if path.contains(['*', '?', '[']) || name.ends_with('.') {
        return None;
    }
    if which != "name"
        && !(splits(name) && (which == "stem" || name.contains('.') || !is_wild(name)))
    {
        return None;
    }
    let dot = name.rfind('.').filter(|at| *at > 0).unwrap_or(name.len());
    match which {
        "name" => Some(name.to_owned()),
        "stem" => name.get(..dot).map(str::to_owned),
        "suffix" => name.get(dot..).map(str::to_owned),
        _ => None,
    }
}

/// The path below another one that it begins with.
pub(super) fn below(path: &str, start: &str) -> Option<String> {
    let (path, start) = (normalise(path), normalise(start));
    if start == "." && !path.starts_with('/') {
        return Some(path);
    }
    match path.strip_prefix(&start)? {
        "" => Some(".".to_owned()),
        below => below.strip_prefix('/').map(str::to_owned),
    }
}

/// `left` and `right` as `os.path` joins them.
pub(super) fn join_texts(left: &str, right: &str) -> String {
    match (right.starts_with('/'), left.is_empty() || left.ends_with('/')) {
        (true, _) => right.to_owned(),
        (false, true) => format!("{left}{right}"),
        (false, false) => format!("{left}/{right}"),
    }
}
