//! Paths as text: joined, normalised, and placed inside the workspace or outside.
//!
//! Must never look at a file system: what a link points to is the sandbox's to settle.

use super::patterns::{is_wild, splits};
use crate::call::Text;
use crate::facts::Place;

/// Schemes of URLs that libraries open without two slashes too.
const SCHEMES: [&str; 5] = ["data", "file", "ftp", "http", "https"];

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
    if path.contains("://") || has_scheme(path) {
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

/// Whether a library may take it for a URL. Blanks before one and line ends within are skipped.
fn has_scheme(path: &str) -> bool {
    let start = path.trim_start_matches(|letter: char| letter <= ' ');
    let Some((start, _)) = start.split_once(':') else { return false };
    let scheme: String =
        start.chars().filter(|letter| !matches!(letter, '\t' | '\r' | '\n')).collect();
    SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known))
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

/// A pattern for all of these paths: any depth below what all of them begin with, and what all of
/// them end with. `None` where one lies outside, or some are absolute and some are not.
pub(super) fn around(paths: &[Text]) -> Option<String> {
    let norms: Vec<String> = paths.iter().map(|path| normalise(path)).collect();
    let absolute = paths.iter().filter(|path| path.starts_with('/')).count();
    let inside = paths.iter().all(|path| locate(path).place == Place::Workspace);
    if !inside || (absolute > 0 && absolute < paths.len()) {
        return None;
    }
    let mut split: Vec<Vec<&str>> = norms.iter().map(|norm| parts(norm)).collect();
    let end = common_end(&split);
    if end.is_some() {
        split.iter_mut().for_each(|parts| parts.truncate(parts.len().saturating_sub(1)));
    }
    let (first, others) = split.split_first()?;
    let shared = |(depth, part): &(usize, &&str)| {
        **part != ANYWHERE && others.iter().all(|other| other.get(*depth) == Some(*part))
    };
    let start = first.iter().enumerate().take_while(shared).map(|(_, part)| (*part).to_owned());
    Some(start.chain([ANYWHERE.to_owned()]).chain(end).collect::<Vec<_>>().join("/"))
}

fn parts(norm: &str) -> Vec<&str> {
    norm.split('/').filter(|part| *part != ".").collect()
}

/// The name that all of these end with, or any name with the suffix of all of them.
fn common_end(paths: &[Vec<&str>]) -> Option<String> {
    let names: Option<Vec<&str>> = paths.iter().map(|parts| parts.last().copied()).collect();
    let names = names.filter(|names| !names.contains(&ANYWHERE))?;
    let (first, others) = names.split_first()?;
    if others.iter().all(|name| name == first) {
        return Some((*first).to_owned());
    }
    let suffix = first.rfind('.').and_then(|dot| first.get(dot..))?;
    others.iter().all(|name| name.ends_with(suffix)).then(|| format!("*{suffix}"))
}

/// The part of a pattern that stands for a folder itself and for every folder below it.
pub(super) const ANYWHERE: &str = "**";

/// The path that holds this one. Of the workspace itself it lies outside, and so it may of what
/// may be the workspace itself.
pub(in crate::facts::python::values) fn parent(path: &str) -> String {
    let norm = normalise(path);
    let mut start = norm.as_str();
    while let Some(outer) = start.strip_suffix(ANYWHERE) {
        if !(outer.is_empty() || outer.ends_with('/')) {
            break;
        }
        start = outer.trim_end_matches('/');
    }
    if start.len() < norm.len() {
        return join(&folder(start), ANYWHERE);
    }
    folder(&norm)
}

/// The folder of a path in which nothing stands for several folders.
fn folder(norm: &str) -> String {
    match norm.rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((folder, _)) => folder.to_owned(),
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
    if path.get(name_start..).is_some_and(is_pattern) {
        return join(&parent(path), &format!("*{suffix}"));
    }
    let stem_end = path.rfind('.').filter(|at| *at > name_start).unwrap_or(path.len());
    format!("{}{suffix}", path.get(..stem_end).unwrap_or(path))
}

/// The last name of a path, or its stem or suffix. Of what a glob gives nothing is known.
pub(super) fn part(path: &str, which: &str) -> Option<String> {
    let norm = normalise(path);
    let name = norm.rsplit('/').next().filter(|name| !matches!(*name, "" | "." | ".."))?;
    if is_pattern(path) || name.ends_with('.') {
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

/// Whether a path stands for what a glob gives.
pub(super) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

/// The path below another one that it begins with.
pub(super) fn below(path: &str, start: &str) -> Option<String> {
    if is_pattern(start) {
        return None;
    }
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
