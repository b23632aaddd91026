//! Settings: from what the file says to what it means.
//!
//! One TOML file, every key with a default, an unknown key an error with its place. Also reads a
//! bundle's files for `policy`, which never touches a disk. Must never log a key's text or hash.

mod approvals;
mod bundle;
mod files;
mod hosts;
mod limits;
mod raw;
mod sandbox;
mod settings;

pub use bundle::bundle;
pub use settings::Settings;

use std::path::{Path, PathBuf};

/// The longest name of a subject or a tenant, in bytes.
pub const NAME_BYTES_MAX: usize = 128;

/// Where state lives unless something else is said: below the current folder.
pub const DATA_DEFAULT: &str = "regate-data";

/// Why there are no settings, or no bundle. The texts are for the operator.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder cannot be read.
    #[error("cannot use {path}: {reason}")]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The file is not of the form that is read; says line and column.
    #[error("{path}: {reason}")]
    Malformed {
        /// Which.
        path: PathBuf,
        /// Where and why.
        reason: String,
    },
    /// A value that cannot be meant.
    #[error("`{key}`: {reason}")]
    Value {
        /// The key.
        key: String,
        /// What is wrong with its value.
        reason: String,
    },
}

/// Reads the settings file, or takes the defaults where there is none.
///
/// # Errors
/// Where the file cannot be read, is not TOML, has an unknown key or a value that cannot be meant.
pub fn load(file: Option<&Path>) -> Result<Settings, Error> {
    let raw = match file {
        None => raw::Raw::default(),
        Some(path) => parse(path, &read(path)?)?,
    };
    let folder = file.and_then(Path::parent).unwrap_or_else(|| Path::new(""));
    Settings::from_raw(raw, folder)
}

fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path)
        .map_err(|error| Error::Unreadable { path: path.to_owned(), reason: error.to_string() })
}

fn parse(path: &Path, text: &str) -> Result<raw::Raw, Error> {
    toml::from_str(text)
        .map_err(|error| Error::Malformed { path: path.to_owned(), reason: place(text, &error) })
}

/// Where and why; not the line itself, as the error would have it, since that may hold a key.
fn place(text: &str, error: &toml::de::Error) -> String {
    let read = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = read.matches('\n').count().saturating_add(1);
    let column = read.rsplit('\n').next().unwrap_or_default().chars().count().saturating_add(1);
    format!("line {line}, column {column}: {}", error.message())
}

#[cfg(test)]
mod tests;
