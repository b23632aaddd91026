//! The files of a bundle, read from a folder of the repository.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads its fixtures, and fails where it cannot"
)]

use regate::policy::BundleFile;
use std::path::Path;
use walkdir::WalkDir;

/// The bundle in `policies/`.
pub(crate) fn shipped() -> Vec<BundleFile> {
    read("policies")
}

/// The bundle in a folder, given from the root of the repository.
pub(crate) fn read(folder: &str) -> Vec<BundleFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    WalkDir::new(&root)
        .sort_by_file_name()
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| BundleFile {
            path: entry.path().strip_prefix(&root).unwrap().to_str().unwrap().to_owned(),
            text: std::fs::read_to_string(entry.path()).unwrap(),
        })
        .collect()
}
