//! A bundle's files, from a folder or from the binary itself.

use super::Error;
use crate::policy::BundleFile;
use include_dir::{Dir, DirEntry, include_dir};
use std::path::Path;

/// The bundle that ships with Regate, so that it is never without a policy.
static SHIPPED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/policies");

/// Bytes of one bundle; more is taken for a mistake, such as a home directory.
const BUNDLE_BYTES_MAX: usize = 64 << 20;

/// The files of the bundle in this folder, or of the one that ships with Regate.
///
/// # Errors
/// Where something in the folder cannot be read, is not UTF-8, is a link, or is too large.
pub fn bundle(folder: Option<&Path>) -> Result<Vec<BundleFile>, Error> {
    folder.map_or_else(|| Ok(shipped()), read)
}

fn shipped() -> Vec<BundleFile> {
    let mut files = Vec::new();
    let mut folders = vec![&SHIPPED];
    while let Some(folder) = folders.pop() {
        for entry in folder.entries() {
            match entry {
                DirEntry::Dir(inner) => folders.push(inner),
                DirEntry::File(file) => {
                    let path = file.path().to_string_lossy().into_owned();
                    if let (true, Some(text)) = (belongs(&path), file.contents_utf8()) {
                        files.push(BundleFile { path, text: text.to_owned() });
                    }
                }
            }
        }
    }
    sorted(files)
}

/// Reads the `.rego` and `.json` files below a folder. A link is refused rather than left out:
/// it might have been a rule that denies.
fn read(folder: &Path) -> Result<Vec<BundleFile>, Error> {
    let mut files = Vec::new();
    let mut bytes = 0_usize;
    for entry in walkdir::WalkDir::new(folder) {
        let entry = entry.map_err(|error| unreadable(folder, error.to_string()))?;
        let path = entry.path();
        if entry.depth() > 0 && entry.path_is_symlink() {
            let reason = "a bundle holds its files themselves, not links to them".to_owned();
            return Err(unreadable(path, reason));
        }
        let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().replace('\\', "/");
        if !entry.file_type().is_file() || !belongs(&name) {
            continue;
        }
        let text = super::read(path)?;
        bytes = bytes.saturating_add(text.len());
        if bytes > BUNDLE_BYTES_MAX {
            return Err(unreadable(folder, format!("more than {BUNDLE_BYTES_MAX} bytes")));
        }
        files.push(BundleFile { path: name, text });
    }
    Ok(sorted(files))
}

fn belongs(path: &str) -> bool {
    let path = Path::new(path);
    path.extension().is_some_and(|extension| extension == "rego" || extension == "json")
}

fn sorted(mut files: Vec<BundleFile>) -> Vec<BundleFile> {
    files.sort_by(|left, right| left.path.cmp(&right.path));
    files
}

fn unreadable(path: &Path, reason: String) -> Error {
    Error::Unreadable { path: path.to_owned(), reason }
}
