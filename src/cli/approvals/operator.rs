//! The operator's key: whoever can read the gateway's folder of state answers what waits.
//!
//! Made anew at each start, and readable for its owner alone. Must never be printed.

use crate::gateway::Key;
use anyhow::Context;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

fn file(data: &Path) -> PathBuf {
    data.join("operator.key")
}

/// Makes the key of this life of the gateway; gives its hash.
pub(in crate::cli) fn make(data: &Path) -> anyhow::Result<[u8; 32]> {
    let (text, hash) = Key::generate()?;
    let path = file(data);
    // One that is there may be open for others: it is taken away rather than written to.
    match fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot replace `{}`", path.display()));
        }
        Ok(()) | Err(_) => {}
    }
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(*hash.as_bytes())
}

/// The key that a gateway left.
pub(super) fn read(data: &Path) -> anyhow::Result<String> {
    let path = file(data);
    fs::read_to_string(&path).with_context(|| {
        format!(
            "cannot read `{}`: is this the folder of a gateway that runs? Else set REGATE_KEY",
            path.display()
        )
    })
}
