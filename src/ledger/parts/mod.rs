//! The files of a ledger: the one that is written, and beside it the sealed ones, each with a
//! part of the chain that is at its end.
//!
//! Must never take a file that was not finished for a sealed one: those are made under another
//! name.

mod copying;

pub(super) use copying::copy;

use super::Error;
use super::file::refused;
use std::ffi::{OsStr, OsString};
use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};

/// A file that holds the records from `first` to `last`, the latter a seal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sealed {
    pub(super) path: PathBuf,
    pub(super) first: i64,
    pub(super) last: i64,
}

/// Where the records from `first` to `last` are kept once they are sealed:
/// `ledger-000000000001-000000000512.db` beside `ledger.db`.
pub(super) fn path_of(live: &Path, first: i64, last: i64) -> PathBuf {
    let mut name = prefix(live);
    name.push(format!("{first:012}-{last:012}.db"));
    live.with_file_name(name)
}

/// The sealed files that are there, in the order of their records.
///
/// # Errors
/// Where the folder cannot be read.
pub(super) fn list(live: &Path) -> Result<Vec<Sealed>, Error> {
    let prefix = prefix(live);
    let mut sealed: Vec<Sealed> = entries(live)?
        .iter()
        .filter_map(|entry| named(&entry.file_name(), &prefix, entry.path()))
        .collect();
    sealed.sort_by_key(|sealed| (sealed.first, sealed.last));
    Ok(sealed)
}

/// The bytes of all files of the ledger: sealed, written, and the log of what is written.
///
/// # Errors
/// Where the folder cannot be read.
pub(super) fn bytes_on_disk(live: &Path) -> Result<u64, Error> {
    let (prefix, own) = (prefix(live), live.file_name().unwrap_or_default());
    let belongs = |name: &OsStr| {
        let name = name.as_encoded_bytes();
        name.starts_with(prefix.as_encoded_bytes()) || name.starts_with(own.as_encoded_bytes())
    };
    let entries = entries(live)?;
    let sizes = entries
        .iter()
        .filter(|entry| belongs(&entry.file_name()))
        // A file that is gone by now takes no room.
        .map(|entry| entry.metadata().map_or(0, |metadata| metadata.len()));
    Ok(sizes.fold(0, u64::saturating_add))
}

fn entries(live: &Path) -> Result<Vec<DirEntry>, Error> {
    let folder = folder(live);
    let listed = folder.read_dir().and_then(Iterator::collect::<io::Result<Vec<_>>>);
    listed.map_err(|error| refused(folder, &error))
}

fn folder(live: &Path) -> &Path {
    live.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

fn prefix(live: &Path) -> OsString {
    let mut prefix = live.file_stem().unwrap_or_default().to_owned();
    prefix.push("-");
    prefix
}

fn named(name: &OsStr, prefix: &OsStr, path: PathBuf) -> Option<Sealed> {
    let numbers = name.to_str()?.strip_prefix(prefix.to_str()?)?.strip_suffix(".db")?;
    let (first, last) = numbers.split_once('-')?;
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (1 <= first && first <= last).then_some(Sealed { path, first, last })
}

#[cfg(test)]
mod tests;
