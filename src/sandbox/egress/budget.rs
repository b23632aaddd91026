//! How much a program's connections may carry, and for how long.
//!
//! Must never give back what was taken.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The bounds of the connections of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once.
    pub at_once_max: u32,
    /// Connections in all.
    pub total_max: u32,
    /// How long a name may take to be resolved and its host to answer, and how long the program
    /// may then take for its first message.
    pub open_ms_max: u64,
    /// How long a connection may last from then on.
    pub ms_max: u64,
    /// Bytes that one connection may send.
    pub sent_bytes_max: u64,
    /// Bytes that one connection may receive.
    pub received_bytes_max: u64,
    /// Bytes that all of them together may send.
    pub total_sent_bytes_max: u64,
    /// Bytes that all of them together may receive.
    pub total_received_bytes_max: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            at_once_max: 16,
            total_max: 256,
            open_ms_max: 10_000,
            ms_max: 60_000,
            sent_bytes_max: 4 << 20,
            received_bytes_max: 64 << 20,
            total_sent_bytes_max: 16 << 20,
            total_received_bytes_max: 256 << 20,
        }
    }
}

impl Limits {
    pub(super) const fn open_max(&self) -> Duration {
        Duration::from_millis(self.open_ms_max)
    }

    pub(super) const fn lasting_max(&self) -> Duration {
        Duration::from_millis(self.ms_max)
    }
}

/// More would be carried than may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spent;

/// What is left to be carried in each direction.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) sent: Purse,
    pub(super) received: Purse,
}

/// A number of bytes that only becomes less, and how many were taken of it.
#[derive(Debug)]
pub(super) struct Purse {
    bytes_max: u64,
    taken: AtomicU64,
}

impl Budget {
    pub(super) const fn of_run(limits: &Limits) -> Self {
        Self {
            sent: Purse::new(limits.total_sent_bytes_max),
            received: Purse::new(limits.total_received_bytes_max),
        }
    }

    pub(super) const fn of_connection(limits: &Limits) -> Self {
        Self {
            sent: Purse::new(limits.sent_bytes_max),
            received: Purse::new(limits.received_bytes_max),
        }
    }
}

impl Purse {
    const fn new(bytes_max: u64) -> Self {
        Self { bytes_max, taken: AtomicU64::new(0) }
    }

    /// Takes so many bytes, where they are left.
    pub(super) fn take(&self, bytes: usize) -> Result<(), Spent> {
        let more =
            |taken: u64| taken.checked_add(bytes as u64).filter(|taken| *taken <= self.bytes_max);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).map_err(|_| Spent)?;
        Ok(())
    }

    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }
}
