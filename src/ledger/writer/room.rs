//! Whether the files of the ledger are as large as they may be.
//!
//! Must never take a size that could not be read for a small one.

use crate::ledger::parts;
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::Instant;

/// How long one look is good for. What is written in between is little beside the whole.
const LOOK_MAX: Duration = Duration::from_secs(1);

pub(super) struct Room {
    live: PathBuf,
    bytes_max: u64,
    looked: Option<Instant>,
    is_left: bool,
}

impl Room {
    pub(super) const fn new(live: PathBuf, bytes_max: u64) -> Self {
        Self { live, bytes_max, looked: None, is_left: false }
    }

    /// Whether there may be more.
    pub(super) fn is_left(&mut self) -> bool {
        if self.looked.is_none_or(|looked| looked.elapsed() >= LOOK_MAX) {
            self.is_left = match parts::bytes_on_disk(&self.live) {
                Ok(bytes) => bytes < self.bytes_max,
                Err(error) => {
                    tracing::error!(%error, "the size of the ledger cannot be read");
                    false
                }
            };
            self.looked = Some(Instant::now());
        }
        self.is_left
    }
}
