//! Every abuse that is known, as a program of `fixtures/escapes`.

#![expect(clippy::unwrap_used, reason = "a test ends where what it needs is missing")]

use std::path::{Path, PathBuf};

/// All of one area, sorted, without their harmless twins.
pub(crate) fn abuses(area: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/escapes").join(area);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| !path.to_string_lossy().ends_with("_twin.py"));
    paths.sort();
    paths
}
