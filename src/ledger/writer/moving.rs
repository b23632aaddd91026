//! How sealed records come into a file of their own while others are written: copied by a task
//! beside the writer, then removed by the writer, a few at a time.
//!
//! Each step may be cut off anywhere and is taken again from its beginning. Must never remove
//! what was not copied.

use super::end::Cleared;
use super::{Entry, Writer};
use crate::call::Timestamp;
use crate::ledger::{Error, parts};
use std::future::pending;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// How long to wait before what failed is tried again.
const PAUSE: Duration = Duration::from_secs(5);

/// What is being moved.
#[derive(Debug)]
pub(super) enum Moving {
    /// Nothing.
    Idle,
    /// Sealed records are being copied.
    Copying(JoinHandle<Result<(), Error>>),
    /// They were copied and are being removed.
    Clearing,
    /// It failed, and is tried again at this moment.
    Resting(Instant),
}

/// What is to be done next.
#[derive(Debug)]
pub(super) enum Turn {
    Copied(Result<(), Error>),
    Clear,
    Again,
}

impl Moving {
    /// Waits until there is something to do. Nothing is lost where the wait is given up.
    pub(super) async fn next(&mut self) -> Turn {
        match self {
            Self::Idle => pending().await,
            Self::Copying(copying) => Turn::Copied(copying.await.unwrap_or(Err(Error::Closed))),
            Self::Clearing => Turn::Clear,
            Self::Resting(until) => {
                tokio::time::sleep_until(*until).await;
                Turn::Again
            }
        }
    }

    /// Gives up what is being copied; the next writer begins it again.
    pub(super) async fn stop(&mut self) {
        if let Self::Copying(copying) = self {
            copying.abort();
            // It was given up or is done; either is well.
            let _ = copying.await;
        }
        *self = Self::Idle;
    }

    fn rest() -> Self {
        Self::Resting(Instant::now() + PAUSE)
    }
}

impl Writer {
    /// Seals what is to be sealed after these were written. They stand whether or not it can be.
    pub(super) async fn seal_where_due(&mut self, entries: &[Box<Entry>]) {
        let now = entries.iter().map(|entry| entry.reading.columns.at_ms).max();
        let (Some(now), Some(end)) = (now, &mut self.end) else { return };
        let sealed = end.seal_where_due(&self.rotation, Timestamp::from_unix_ms(now)).await;
        if sealed.is_err() {
            // It is kept as the state of health.
            let _ = self.note(sealed).await;
        }
    }

    /// Begins to copy what is sealed, where it is not under way.
    pub(super) fn begin_moving(&mut self) {
        let Some(meta) = self.end.as_ref().map(super::End::meta) else { return };
        if let (Moving::Idle, Some(last)) = (&self.moving, meta.sealed_seq) {
            let copying = parts::copy(self.file.clone(), meta.base, last);
            self.moving = Moving::Copying(tokio::spawn(copying));
        }
    }

    pub(super) async fn go_on(&mut self, turn: Turn) {
        self.moving = match turn {
            Turn::Copied(Ok(())) => Moving::Clearing,
            Turn::Copied(Err(error)) => {
                tracing::error!(%error, "sealed records could not be moved; they stay where they are");
                Moving::rest()
            }
            Turn::Clear => self.clear().await,
            Turn::Again => Moving::Idle,
        };
    }

    async fn clear(&mut self) -> Moving {
        let cleared = match self.end().await {
            Ok(end) => end.clear().await,
            Err(error) => Err(error),
        };
        match cleared {
            Ok(Cleared::Partly) => Moving::Clearing,
            Ok(Cleared::Wholly) => {
                self.deeds.sealed.fetch_add(1, Ordering::Relaxed);
                Moving::Idle
            }
            Err(error) => {
                // It is kept as the state of health.
                let _ = self.note(Err(error)).await;
                Moving::rest()
            }
        }
    }
}
