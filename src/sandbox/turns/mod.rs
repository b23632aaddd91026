//! Turns to run, each at a place: so many at once at each of them, and where runs wait, each
//! tenant has its share of all.
//!
//! Must never lose a turn: whoever no longer waits has none, and whoever has one gives it back.
//! Must never let anyone wait for a place that is shut while another would do.

mod busy;
#[cfg(test)]
mod tests;

use crate::call::Subject;
use crate::limits::fair::{FairQueue, Weights};
use busy::Busy;
use std::cmp::Reverse;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

/// The turns of one sandbox; clones share them.
#[derive(Debug, Clone)]
pub(super) struct Turns {
    shared: Arc<Shared>,
}

/// How well the place of this number suits a run, more being better; `None` where it does not.
pub(super) type Suits = dyn Fn(usize) -> Option<usize> + Send + Sync;

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    all_back: Notify,
}

/// INVARIANT: where a turn is free at an open place that suits, nobody waits.
#[derive(Debug)]
struct State {
    places: Vec<Place>,
    queue: FairQueue<Waiting>,
}

#[derive(Debug)]
struct Place {
    at_once_max: u32,
    /// Those who have a turn.
    taken: Busy,
    entry: Entry,
}

/// Whether turns are given at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    Open,
    Shut,
}

struct Waiting {
    suits: Arc<Suits>,
    sender: oneshot::Sender<Turn>,
}

/// The right to run at a place; dropping it gives it to whoever is next.
#[derive(Debug)]
#[must_use = "a turn that is dropped is somebody else's"]
pub(super) struct Turn {
    /// `None` in one whose turn was passed on.
    shared: Option<Arc<Shared>>,
    place: usize,
}

impl std::fmt::Debug for Waiting {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Waiting")
    }
}

impl Turns {
    /// So many turns at once at each of the places, which are open, shared by these weights.
    /// Whoever did not wait may have as many as there are before others.
    pub(super) fn new(places: impl IntoIterator<Item = u32>, weights: Weights) -> Self {
        let place = |at_once_max| Place {
            at_once_max,
            taken: Busy::nobody(Instant::now()),
            entry: Entry::Open,
        };
        let places: Vec<Place> = places.into_iter().map(place).collect();
        let all = places.iter().fold(0_u32, |all, place| all.saturating_add(place.at_once_max));
        let state = Mutex::new(State { places, queue: FairQueue::new(weights, all) });
        Self { shared: Arc::new(Shared { state, all_back: Notify::new() }) }
    }

    /// Waits for a turn at a place that suits. Whoever stops waiting leaves the queue. `None` where
    /// no place that suits is open.
    pub(super) async fn take(&self, subject: &Subject, suits: Arc<Suits>) -> Option<Turn> {
        loop {
            let (sender, turn) = oneshot::channel();
            let waiting = Waiting { suits: Arc::clone(&suits), sender };
            if !self.shared.join(subject, waiting) {
                return None;
            }
            // A sender is dropped without a turn where the last place that suits is shut; then the
            // wait begins anew.
            if let Ok(turn) = turn.await {
                return Some(turn);
            }
        }
    }

    /// Gives turns at a place again.
    pub(super) fn open(&self, place: usize) {
        self.shared.turn(place, Entry::Open);
    }

    /// Gives no more turns at a place. Those that are had there go on.
    pub(super) fn shut(&self, place: usize) {
        self.shared.turn(place, Entry::Shut);
    }

    /// How many wait.
    pub(super) fn waiting(&self) -> usize {
        let mut state = self.shared.lock();
        state.forget_those_who_left();
        state.queue.len()
    }

    /// How many have a turn at a place.
    pub(super) fn taken(&self, place: usize) -> u32 {
        self.shared.lock().places.get(place).map_or(0, |place| place.taken.count())
    }

    /// For how long somebody has had a turn at a place, short breaks included; nothing where there
    /// is a longer one now.
    pub(super) fn busy_for(&self, place: usize) -> Option<Duration> {
        self.shared.lock().places.get(place)?.taken.lasts(Instant::now())
    }

    /// Waits until nobody has a turn.
    pub(super) async fn all_back(&self) {
        loop {
            let mut back = std::pin::pin!(self.shared.all_back.notified());
            back.as_mut().enable();
            if self.shared.lock().are_all_back() {
                return;
            }
            back.await;
        }
    }
}

impl Turn {
    /// The number of the place that it is at.
    pub(super) fn place(&self) -> usize {
        self.place
    }
}

impl Shared {
    /// There is one way to a turn, even where one is free. Whether there is any.
    fn join(self: &Arc<Self>, subject: &Subject, waiting: Waiting) -> bool {
        let mut state = self.lock();
        state.forget_those_who_left();
        if !suits_any(&state.places, &waiting.suits) {
            return false;
        }
        state.queue.push(subject, waiting);
        self.pass_on(state);
        true
    }

    fn turn(self: &Arc<Self>, place: usize, entry: Entry) {
        let mut state = self.lock();
        if let Some(place) = state.places.get_mut(place) {
            place.entry = entry;
        }
        state.send_away();
        self.pass_on(state);
    }

    fn give_back(self: &Arc<Self>, place: usize) {
        let mut state = self.lock();
        state.change(place, Busy::end);
        state.forget_those_who_left();
        self.pass_on(state);
    }

    /// Gives what is free to those who wait.
    fn pass_on(self: &Arc<Self>, mut state: MutexGuard<'_, State>) {
        while let Some((waiting, place)) = state.next() {
            state.change(place, Busy::begin);
            let turn = Turn { shared: Some(Arc::clone(self)), place };
            if let Err(mut unwanted) = waiting.sender.send(turn) {
                // Given back here, since to drop it would lock again.
                unwanted.shared = None;
                state.change(place, Busy::end);
            }
        }
        if state.are_all_back() {
            self.all_back.notify_waiters();
        }
    }

    /// The state is whole between any two of its changes.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Who is next, and where.
    fn next(&mut self) -> Option<(Waiting, usize)> {
        let Self { places, queue } = self;
        if !places.iter().any(Place::has_room) {
            return None;
        }
        let waiting = queue.pop_fitting(&|waiting| best(places, &waiting.suits).is_some())?;
        let place = best(places, &waiting.suits)?;
        Some((waiting, place))
    }

    fn forget_those_who_left(&mut self) {
        self.queue.retain(|waiting| !waiting.sender.is_closed());
    }

    /// Sends away those who would wait for what does not come.
    fn send_away(&mut self) {
        let Self { places, queue } = self;
        queue.retain(|waiting| suits_any(places, &waiting.suits));
    }

    fn change(&mut self, place: usize, change: impl FnOnce(&mut Busy, Instant)) {
        if let Some(place) = self.places.get_mut(place) {
            change(&mut place.taken, Instant::now());
        }
    }

    fn are_all_back(&self) -> bool {
        self.places.iter().all(|place| place.taken.count() == 0)
    }
}

impl Place {
    fn is_open(&self) -> bool {
        self.entry == Entry::Open
    }

    fn free(&self) -> u32 {
        self.at_once_max.saturating_sub(self.taken.count())
    }

    fn has_room(&self) -> bool {
        self.is_open() && self.free() > 0
    }
}

/// Where there is room, the place that suits best; of several the one with the most room, and then
/// the first.
fn best(places: &[Place], suits: &Arc<Suits>) -> Option<usize> {
    let roomy = places.iter().enumerate().filter(|(_, place)| place.has_room());
    roomy
        .filter_map(|(number, place)| Some((suits(number)?, place.free(), Reverse(number))))
        .max()
        .map(|(.., Reverse(number))| number)
}

fn suits_any(places: &[Place], suits: &Arc<Suits>) -> bool {
    let mut open = places.iter().enumerate().filter(|(_, place)| place.is_open());
    open.any(|(number, _)| suits(number).is_some())
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.take() {
            shared.give_back(self.place);
        }
    }
}
