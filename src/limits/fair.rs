//! Whose turn is next among those that wait: tenants by their weights, and in a tenant its
//! subjects alike.
//!
//! Start-time fair queueing, each turn of one size. While tenants wait, each has its share of
//! the turns, however much more another asks for. Who asked for less than its share has some
//! turns before those who ask for more, so that it need not take its turn with them for each of a
//! few that it asks for at once. Must never hold what nobody waits for.

use crate::call::{Subject, Text};
use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroU32;
use std::sync::Arc;

/// The virtual time of one turn of a lane of weight one.
const TURN: u64 = 1 << 20;

/// How much more than one share tenants have; one for those that are not named.
pub type Weights = BTreeMap<Text, NonZeroU32>;

/// Those that wait.
#[derive(Debug)]
pub struct FairQueue<T> {
    weights: Weights,
    /// The virtual time that may be saved up.
    saved: u64,
    tenants: Lanes<Lanes<VecDeque<T>>>,
}

impl<T> FairQueue<T> {
    /// Begins with nobody waiting. Who did not wait has up to so many turns before others, times
    /// its weight.
    pub fn new(weights: Weights, saved_max: u32) -> Self {
        Self { weights, saved: TURN.saturating_mul(saved_max.into()), tenants: Lanes::default() }
    }

    /// Puts one at the end of its subject's line.
    pub fn push(&mut self, subject: &Subject, waiting: T) {
        let weight = self.weights.get(&subject.tenant).copied().unwrap_or(NonZeroU32::MIN);
        let saved = self.saved;
        let join = Join { name: &subject.tenant, weight, saved };
        self.tenants.join(&join, |subjects| {
            let join = Join { name: &subject.id, weight: NonZeroU32::MIN, saved };
            subjects.join(&join, |line| line.push_back(waiting));
        });
    }

    /// Takes out the one whose turn it is.
    pub fn pop(&mut self) -> Option<T> {
        self.pop_fitting(&|_| true)
    }

    /// Takes out the one whose turn it is of those that fit; the others keep their places.
    pub fn pop_fitting(&mut self, fits: &dyn Fn(&T) -> bool) -> Option<T> {
        self.tenants.next(fits)
    }

    /// Keeps only those that still wait; the others had no turn.
    pub fn retain(&mut self, mut waits: impl FnMut(&T) -> bool) {
        for lane in self.tenants.lanes.values_mut() {
            for line in lane.waiting.lanes.values_mut() {
                line.waiting.retain(&mut waits);
            }
            lane.waiting.tidy();
        }
        self.tenants.tidy();
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        let lines = self.tenants.lanes.values().flat_map(|lane| lane.waiting.lanes.values());
        lines.map(|line| line.waiting.len()).sum()
    }

    /// Whether nobody waits.
    pub fn is_empty(&self) -> bool {
        self.tenants.is_empty()
    }
}

/// What turns are taken from.
trait Line: Default {
    type Waiting;
    /// Takes out the next of those that fit.
    fn next(&mut self, fits: &dyn Fn(&Self::Waiting) -> bool) -> Option<Self::Waiting>;
    /// Whether one of them fits.
    fn has(&self, fits: &dyn Fn(&Self::Waiting) -> bool) -> bool;
    fn is_empty(&self) -> bool;
}

impl<T> Line for VecDeque<T> {
    type Waiting = T;

    fn next(&mut self, fits: &dyn Fn(&T) -> bool) -> Option<T> {
        let place = self.iter().position(fits)?;
        self.remove(place)
    }

    fn has(&self, fits: &dyn Fn(&T) -> bool) -> bool {
        self.iter().any(fits)
    }

    fn is_empty(&self) -> bool {
        Self::is_empty(self)
    }
}

/// Lines that share the turns. A lane that is empty stays for as long as it has saved up less than
/// a new one has and others wait, so that to come back at once gains nothing.
#[derive(Debug)]
struct Lanes<L> {
    /// The latest virtual time of a turn.
    now: u64,
    lanes: BTreeMap<Text, Lane<L>>,
}

/// Who joins, and as what.
struct Join<'a> {
    name: &'a Text,
    weight: NonZeroU32,
    saved: u64,
}

#[derive(Debug)]
struct Lane<L> {
    /// The virtual time of its next turn.
    due: u64,
    /// What a turn costs it.
    cost: u64,
    /// What it may save up.
    saved: u64,
    waiting: L,
}

impl<L> Default for Lanes<L> {
    fn default() -> Self {
        // Late enough for whatever was saved up.
        Self { now: 1 << 63, lanes: BTreeMap::new() }
    }
}

impl<L: Line> Lanes<L> {
    fn join(&mut self, joining: &Join<'_>, join: impl FnOnce(&mut L)) {
        let earliest = self.now.saturating_sub(joining.saved);
        let lane = self.lanes.entry(Arc::clone(joining.name)).or_insert_with(|| Lane {
            due: earliest,
            cost: (TURN / u64::from(joining.weight.get())).max(1),
            saved: joining.saved,
            waiting: L::default(),
        });
        if lane.waiting.is_empty() {
            lane.due = lane.due.max(earliest);
        }
        join(&mut lane.waiting);
    }

    /// Forgets those that have saved up all they may. Where nobody waits there is no share to be
    /// ahead of.
    fn tidy(&mut self) {
        if self.is_empty() {
            self.lanes.clear();
        }
        let now = self.now;
        self.lanes.retain(|_, lane| {
            !lane.waiting.is_empty() || lane.due > now.saturating_sub(lane.saved)
        });
    }
}

impl<L: Line> Line for Lanes<L> {
    type Waiting = L::Waiting;

    fn next(&mut self, fits: &dyn Fn(&L::Waiting) -> bool) -> Option<L::Waiting> {
        let waiting = self.lanes.values_mut().filter(|lane| lane.waiting.has(fits));
        // Of several that are due at once it is the first by name.
        let lane = waiting.min_by_key(|lane| lane.due)?;
        // Who waited because it did not fit saved up no more by that than who did not wait.
        lane.due = lane.due.max(self.now.saturating_sub(lane.saved));
        self.now = self.now.max(lane.due);
        lane.due = lane.due.saturating_add(lane.cost);
        let next = lane.waiting.next(fits);
        self.tidy();
        next
    }

    fn has(&self, fits: &dyn Fn(&L::Waiting) -> bool) -> bool {
        self.lanes.values().any(|lane| lane.waiting.has(fits))
    }

    fn is_empty(&self) -> bool {
        self.lanes.values().all(|lane| lane.waiting.is_empty())
    }
}

#[cfg(test)]
impl<T> FairQueue<T> {
    pub(super) fn lanes(&self) -> usize {
        self.tenants.lanes.len()
    }
}
