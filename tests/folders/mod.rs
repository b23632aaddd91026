//! Folders of fixtures, each of which is a case.

#![expect(clippy::unwrap_used, reason = "a test reads its fixtures, and fails where it cannot")]

use std::path::Path;
use walkdir::WalkDir;

/// The names of the folders in a folder, sorted.
pub(crate) fn folders(folder: &str) -> Vec<String> {
    WalkDir::new(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))
        .min_depth(1)
        .max_depth(1)
        .sort_by_file_name()
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_dir())
        .map(|entry| entry.file_name().to_str().unwrap().to_owned())
        .collect()
}
