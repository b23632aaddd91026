//! The real program, serving on a port of its own for a benchmark.

#![expect(clippy::disallowed_methods, reason = "a benchmark starts the gateway")]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// The program, serving until this is dropped.
pub(crate) struct Gateway {
    pub(crate) child: Child,
    pub(crate) url: String,
    _folder: tempfile::TempDir,
}

impl Gateway {
    /// With these settings and the shipped bundle.
    pub(crate) fn start(written: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = folder.path().join("regate.toml");
        std::fs::write(&settings, written).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_regate"))
            .args(["serve", "--listen", "127.0.0.1:0", "--policies"])
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/policies"))
            .arg("--config")
            .arg(settings)
            .arg("--data")
            .arg(folder.path().join("data"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("regate listens on ").unwrap().to_owned();
        Self { child, url, _folder: folder }
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // It ends as an operator would end it, so that no container is left.
        let id = self.child.id().to_string();
        let _ = Command::new("kill").args(["-s", "TERM", &id]).status();
        let _ = self.child.wait();
    }
}
