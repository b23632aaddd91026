//! Calls that are in flight, and the tickets that they hold.

use super::limit::{Limit, Reached};
use super::{Holder, Settings};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How soon a refused call may try again. Places come free when calls end, which nobody can
/// foresee, so it is a courtesy and not a promise.
const RETRY_AFTER_MS: u64 = 1_000;

/// Counts calls in flight.
#[derive(Debug, Default, Clone)]
pub(super) struct Flight {
    counts: Arc<Mutex<Counts>>,
}

/// One admitted call; dropping it gives its place back.
#[derive(Debug)]
#[must_use = "a ticket that is dropped admits nothing"]
pub struct Ticket {
    flight: Flight,
    holder: Holder,
}

/// INVARIANT: `total` is the sum of `by_holder`, which has no entry that is zero, so that it
/// never has more entries than there are calls in flight.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) total: usize,
    pub(super) by_holder: HashMap<Holder, usize>,
}

impl Flight {
    pub(super) fn admit(&self, holder: &Holder, settings: &Settings) -> Result<Ticket, Reached> {
        self.lock().admit(holder, settings)?;
        Ok(Ticket { flight: self.clone(), holder: holder.clone() })
    }

    /// The counts are whole numbers that are changed together, so a panic elsewhere cannot leave
    /// them half changed and a poisoned lock is still good.
    pub(super) fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.flight.lock().give_back(&self.holder);
    }
}

impl Counts {
    fn admit(&mut self, holder: &Holder, settings: &Settings) -> Result<(), Reached> {
        let held = self.by_holder.get(holder).copied().unwrap_or(0);
        if held >= settings.calls_at_once_per_subject_max {
            return Err(reached(Limit::CallsAtOncePerSubject));
        }
        if self.total >= settings.calls_at_once_max {
            return Err(reached(Limit::CallsAtOnce));
        }
        self.total += 1;
        self.by_holder.insert(holder.clone(), held + 1);
        Ok(())
    }

    fn give_back(&mut self, holder: &Holder) {
        self.total = self.total.saturating_sub(1);
        match self.by_holder.get_mut(holder) {
            Some(held) if *held > 1 => *held -= 1,
            Some(_) | None => {
                self.by_holder.remove(holder);
            }
        }
    }
}

fn reached(limit: Limit) -> Reached {
    Reached { limit, retry_after_ms: Some(RETRY_AFTER_MS) }
}
