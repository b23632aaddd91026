//! What an engine has to do that nobody waits for: it takes CPU time from programs that run on the
//! same host, so it is put off while they do.
//!
//! Must never be put off for long, nor at all where containers run short.

use super::hosts::Health;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};

/// How long chores are put off at most: longer than a burst of calls takes, and short beside what
/// somebody waits whose calls find no container.
const PUT_OFF_MAX: Duration = Duration::from_secs(1);
/// How often it is seen whether it is time.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// The chores of one host.
#[derive(Debug)]
pub(super) struct Chores {
    health: Arc<Health>,
    /// A permit for each container that may still be made.
    rooms: Arc<Semaphore>,
    /// With fewer of them nothing is put off.
    rooms_min: usize,
    /// A permit for each that may be done at once.
    hands: Semaphore,
}

impl Chores {
    /// So many at once; not put off where less than so much room is left.
    pub(super) fn new(
        health: Arc<Health>,
        at_once_max: usize,
        rooms: Arc<Semaphore>,
        rooms_min: usize,
    ) -> Self {
        Self { health, rooms, rooms_min, hands: Semaphore::new(at_once_max) }
    }

    /// Whether it is time for them.
    pub(super) fn are_due(&self) -> bool {
        are_due(self.health.busy_for()) || self.rooms.available_permits() < self.rooms_min
    }

    /// Waits until few enough are done, and for the time. The right to do one; the semaphore is
    /// never closed.
    pub(super) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        let hand = self.hands.acquire().await.ok()?;
        while !self.are_due() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Some(hand)
    }
}

/// Whether it is time for them where somebody has been busy for so long, or nobody is.
pub(super) fn are_due(busy_for: Option<Duration>) -> bool {
    busy_for.is_none_or(|busy| busy >= PUT_OFF_MAX)
}
