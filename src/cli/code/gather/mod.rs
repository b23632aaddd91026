//! Which pieces of code a command line names: files, folders, standard input.
//!
//! Must never follow a link out of a folder that was named, nor leave out in silence what could
//! not be looked at.

use anyhow::{Context, anyhow};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// A piece of code that was named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Input {
    /// Standard input.
    Standard,
    /// A file.
    File(PathBuf),
}

impl Input {
    /// The name that findings are told under.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Standard => "<stdin>".to_owned(),
            Self::File(path) => path.to_string_lossy().into_owned(),
        }
    }
}

/// A piece of code, or why there is none where one was named.
pub(super) type Found = Result<Input, anyhow::Error>;

/// Each piece once, in the order of the command line, the files of a folder sorted by name.
pub(super) fn gather(named: &[PathBuf]) -> Vec<Found> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for path in named {
        let new = inputs(path).into_iter().filter(|input| match input {
            Ok(Input::File(path)) => seen.insert(path.clone()),
            Ok(Input::Standard) => seen.insert(PathBuf::from("-")),
            Err(_) => true,
        });
        found.extend(new);
    }
    found
}

fn inputs(path: &Path) -> Vec<Found> {
    if path == Path::new("-") {
        return vec![Ok(Input::Standard)];
    }
    if !path.is_dir() {
        return vec![Ok(Input::File(path.to_owned()))];
    }
    let found = walk(path);
    if found.is_empty() {
        // A guard that looked at nothing must not look like one that found nothing.
        return vec![Err(anyhow!("no .py file in {}", path.display()))];
    }
    found
}

fn walk(folder: &Path) -> Vec<Found> {
    let entries = WalkDir::new(folder).sort_by_file_name().into_iter();
    entries
        .filter_entry(|entry| entry.depth() == 0 || !is_skipped(entry))
        .filter_map(|entry| match entry {
            Ok(entry) if is_code(&entry) => Some(Ok(Input::File(entry.into_path()))),
            Ok(_) => None,
            Err(error) => Some(Err(error).context("cannot look into a folder")),
        })
        .collect()
}

/// A link is no file here, so nothing outside the folder is read.
fn is_code(entry: &DirEntry) -> bool {
    entry.file_type().is_file() && entry.path().extension() == Some(OsStr::new("py"))
}

/// Folders that hold what was made or installed, not what was written.
fn is_skipped(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    entry.file_type().is_dir()
        && (name.as_encoded_bytes().starts_with(b".")
            || name == "__pycache__"
            || name == "node_modules"
            || entry.path().join("pyvenv.cfg").exists())
}

#[cfg(test)]
mod tests;
