//! Disks that are small or read-only, and files that are, so that what they do is really done.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test mounts its disks, and fails where it cannot"
)]

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A mount that ends with the test.
pub(crate) struct Mount {
    at: PathBuf,
}

impl Mount {
    /// Mounts something at this path; only root may.
    pub(crate) fn new(arguments: &[&str], at: &Path) -> Self {
        let status = as_root("mount").args(arguments).arg(at).status();
        assert!(status.unwrap().success(), "mounting needs root or sudo");
        Self { at: at.to_owned() }
    }

    /// A disk of so many MiB.
    pub(crate) fn small(at: &Path, size_mib: u32) -> Self {
        Self::new(&["-t", "tmpfs", "-o", &format!("size={size_mib}m"), "tmpfs"], at)
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // Lazily, since a database may not be closed where a test failed.
        let _ = as_root("umount").arg("--lazy").arg(&self.at).status();
    }
}

/// A file that nobody can change until the test ends.
pub(crate) struct Immutable {
    at: PathBuf,
}

impl Immutable {
    pub(crate) fn new(at: PathBuf) -> Self {
        let status = as_root("chattr").arg("+i").arg(&at).status();
        assert!(status.unwrap().success(), "a file system that knows what is immutable is needed");
        Self { at }
    }
}

impl Drop for Immutable {
    fn drop(&mut self) {
        let _ = as_root("chattr").arg("-i").arg(&self.at).status();
    }
}

/// What only root may do.
pub(crate) fn as_root(program: &str) -> Command {
    if std::fs::metadata("/proc/self").unwrap().uid() == 0 {
        return Command::new(program);
    }
    let mut command = Command::new("sudo");
    command.arg(program);
    command
}

/// Writes to a file until the disk has no room left.
pub(crate) fn fill(path: &Path) {
    use std::io::Write;
    let mut file = std::fs::File::create(path).unwrap();
    while file.write(&[0; 512]).is_ok_and(|written| written > 0) {}
}
