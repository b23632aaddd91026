//! The way of lines to where they are read: a thread of its own writes them.
//!
//! Must never make whoever logs wait. Where nobody reads and what waits is as much as may wait,
//! further lines are lost, and counted.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The bytes of all lines that may wait to be written.
const WAITING_BYTES_MAX: usize = 4 << 20;

/// Lines that were lost and not told yet.
static LOST: AtomicU64 = AtomicU64::new(0);

/// How many lines were lost since this was last asked.
pub(in crate::telemetry) fn lost() -> u64 {
    LOST.swap(0, Ordering::Relaxed)
}

/// What lines are put into; clones share it.
#[derive(Debug, Clone)]
pub(super) struct Outlet(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    lines: VecDeque<Vec<u8>>,
    /// Of all lines, and of the one that is being written.
    bytes: usize,
}

impl Outlet {
    /// One that leads here.
    pub(super) fn to(sink: impl Write + Send + 'static) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let writer = Arc::clone(&shared);
        thread::Builder::new().name("log".to_owned()).spawn(move || writer.write_all_to(sink))?;
        Ok(Self(shared))
    }

    /// Waits until all lines are written, but no longer than this.
    pub(super) fn flush(&self, at_most: Duration) {
        let waiting = self.0.lock();
        // Too late is as good as not at all.
        let _ = self.0.changed.wait_timeout_while(waiting, at_most, |waiting| waiting.bytes > 0);
    }
}

impl Write for Outlet {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.put(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Shared {
    fn put(&self, line: &[u8]) {
        let mut waiting = self.lock();
        let bytes = waiting.bytes.saturating_add(line.len());
        if bytes > WAITING_BYTES_MAX {
            LOST.fetch_add(1, Ordering::Relaxed);
            return;
        }
        waiting.bytes = bytes;
        waiting.lines.push_back(line.to_vec());
        self.changed.notify_all();
    }

    /// Writes for as long as the process lives.
    fn write_all_to(&self, mut sink: impl Write) {
        loop {
            let line = self.next();
            // A reader that went away, or a full disk: there is nowhere to say so but the metric.
            if sink.write_all(&line).is_err() {
                LOST.fetch_add(1, Ordering::Relaxed);
            }
            let mut waiting = self.lock();
            waiting.bytes = waiting.bytes.saturating_sub(line.len());
            self.changed.notify_all();
        }
    }

    fn next(&self) -> Vec<u8> {
        let mut waiting = self.lock();
        loop {
            match waiting.lines.pop_front() {
                Some(line) => return line,
                None => {
                    waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// The state is whole between any two of its changes.
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
