//! Whose turn is next among those that wait: tenants by their weights, and in a tenant its
//! subjects alike.
//!
//! Start-time fair queueing, each turn of one size. While tenants wait, each has its share of
//! the turns, however much more another asks for. Must never hold what nobody waits for.

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
    tenants: Lanes<Lanes<VecDeque<T>>>,
}

impl<T> FairQueue<T> {
    /// Begins with nobody waiting.
    pub fn new(weights: Weights) -> Self {
        Self { weights, tenants: Lanes::default() }
    }

    /// Puts one at the end of its subject's line.
    pub fn push(&mut self, subject: &Subject, waiting: T) {
        let weight = self.weights.get(&subject.tenant).copied().unwrap_or(NonZeroU32::MIN);
        self.tenants.join(&subject.tenant, weight, |subjects| {
            subjects.join(&subject.id, NonZeroU32::MIN, |line| line.push_back(waiting));
        });
    }

    /// Takes out the one whose turn it is.
    pub fn pop(&mut self) -> Option<T> {
        self.tenants.next()
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
    fn next(&mut self) -> Option<Self::Waiting>;
    fn is_empty(&self) -> bool;
}

impl<T> Line for VecDeque<T> {
    type Waiting = T;

    fn next(&mut self) -> Option<T> {
        self.pop_front()
    }

    fn is_empty(&self) -> bool {
        Self::is_empty(self)
    }
}

/// Lines that share the turns. A lane that is empty stays for as long as it is ahead of its share
/// and others wait, so that to come back at once gains nothing.
#[derive(Debug)]
struct Lanes<L> {
    /// The virtual time of the last turn.
    now: u64,
    lanes: BTreeMap<Text, Lane<L>>,
}

#[derive(Debug)]
struct Lane<L> {
    /// The virtual time of its next turn.
    due: u64,
    /// What a turn costs it.
    cost: u64,
    waiting: L,
}

impl<L> Default for Lanes<L> {
    fn default() -> Self {
        Self { now: 0, lanes: BTreeMap::new() }
    }
}

impl<L: Line> Lanes<L> {
    fn join(&mut self, name: &Text, weight: NonZeroU32, join: impl FnOnce(&mut L)) {
        let now = self.now;
        let lane = self.lanes.entry(Arc::clone(name)).or_insert_with(|| Lane {
            due: now,
            cost: (TURN / u64::from(weight.get())).max(1),
            waiting: L::default(),
        });
        // Who did not wait saves nothing up.
        lane.due = lane.due.max(if lane.waiting.is_empty() { now } else { 0 });
        join(&mut lane.waiting);
    }

    /// Forgets those that are not ahead of their share. Where nobody waits there is no share to be
    /// ahead of.
    fn tidy(&mut self) {
        if self.is_empty() {
            self.lanes.clear();
        }
        let now = self.now;
        self.lanes.retain(|_, lane| !lane.waiting.is_empty() || lane.due > now);
    }
}

impl<L: Line> Line for Lanes<L> {
    type Waiting = L::Waiting;

    fn next(&mut self) -> Option<L::Waiting> {
        let waiting = self.lanes.values_mut().filter(|lane| !lane.waiting.is_empty());
        // Of several that are due at once it is the first by name.
        let lane = waiting.min_by_key(|lane| lane.due)?;
        self.now = lane.due;
        lane.due = lane.due.saturating_add(lane.cost);
        let next = lane.waiting.next();
        self.tidy();
        next
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
