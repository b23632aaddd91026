//! Turns to run: so many at once, and where runs wait for them, each tenant has its share.
//!
//! Must never lose a turn: whoever no longer waits has none, and whoever has one gives it back.

#[cfg(test)]
mod tests;

use crate::call::Subject;
use crate::limits::fair::{FairQueue, Weights};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, oneshot};

/// The turns of one sandbox; clones share them.
#[derive(Debug, Clone)]
pub struct Turns {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    at_once_max: u32,
    all_back: Notify,
}

/// INVARIANT: where turns are free, nobody waits.
#[derive(Debug)]
struct State {
    free: u32,
    queue: FairQueue<oneshot::Sender<Turn>>,
}

/// The right to run; dropping it gives it to whoever is next.
#[derive(Debug)]
#[must_use = "a turn that is dropped is somebody else's"]
pub struct Turn {
    /// `None` in one whose turn was passed on.
    shared: Option<Arc<Shared>>,
}

impl Turns {
    /// So many turns at once, shared by these weights. Whoever did not wait may have as many
    /// before others.
    pub fn new(at_once_max: u32, weights: Weights) -> Self {
        let queue = FairQueue::new(weights, at_once_max);
        let state = Mutex::new(State { free: at_once_max, queue });
        Self { shared: Arc::new(Shared { state, at_once_max, all_back: Notify::new() }) }
    }

    /// Waits for a turn. Whoever stops waiting leaves the queue.
    pub async fn take(&self, subject: &Subject) -> Turn {
        loop {
            let (sender, turn) = oneshot::channel();
            self.shared.join(subject, sender);
            // A sender is dropped without a turn by a panic at most; then the wait begins anew.
            if let Ok(turn) = turn.await {
                return turn;
            }
        }
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        let mut state = self.shared.lock();
        state.queue.retain(|sender| !sender.is_closed());
        state.queue.len()
    }

    /// Whether nobody has a turn.
    pub fn are_all_back(&self) -> bool {
        self.shared.lock().free == self.shared.at_once_max
    }

    /// Waits until nobody has a turn or waits for one.
    pub async fn all_back(&self) {
        loop {
            let mut back = std::pin::pin!(self.shared.all_back.notified());
            back.as_mut().enable();
            if self.are_all_back() {
                return;
            }
            back.await;
        }
    }
}

impl Shared {
    /// There is one way to a turn, even where one is free.
    fn join(self: &Arc<Self>, subject: &Subject, sender: oneshot::Sender<Turn>) {
        let mut state = self.lock();
        state.queue.retain(|sender| !sender.is_closed());
        state.queue.push(subject, sender);
        self.pass_on(state);
    }

    fn give_back(self: &Arc<Self>) {
        let mut state = self.lock();
        state.free = state.free.saturating_add(1);
        state.queue.retain(|sender| !sender.is_closed());
        self.pass_on(state);
    }

    /// Gives what is free to those who wait.
    fn pass_on(self: &Arc<Self>, mut state: MutexGuard<'_, State>) {
        while state.free > 0
            && let Some(sender) = state.queue.pop()
        {
            state.free -= 1;
            let turn = Turn { shared: Some(Arc::clone(self)) };
            if let Err(mut unwanted) = sender.send(turn) {
                // Given back here, since to drop it would lock again.
                unwanted.shared = None;
                state.free += 1;
            }
        }
        if state.free == self.at_once_max {
            self.all_back.notify_waiters();
        }
    }

    /// The state is whole between any two of its changes.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.take() {
            shared.give_back();
        }
    }
}
