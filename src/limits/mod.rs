//! How much may be going on at once.
//!
//! A [`Ticket`] gives itself back when dropped. Must never know policy, wait, or read a clock.

#[cfg(test)]
mod tests;

use crate::call::{Subject, Text};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How soon a refused call may try again. Places come free when calls end, which nobody can
/// foresee, so it is a courtesy and not a promise.
const RETRY_AFTER_MS: u64 = 1_000;

/// The bounds of admission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Calls in flight at once, over all subjects.
    pub calls_at_once_max: usize,
    /// Calls in flight at once for one subject.
    pub calls_at_once_per_subject_max: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { calls_at_once_max: 64, calls_at_once_per_subject_max: 32 }
    }
}

/// Counts calls in flight.
#[derive(Debug)]
pub struct Limits {
    settings: Settings,
    in_flight: Mutex<InFlight>,
}

/// One admitted call; dropping it gives its place back.
#[derive(Debug)]
#[must_use = "a ticket that is dropped admits nothing"]
pub struct Ticket {
    limits: Arc<Limits>,
    holder: Holder,
}

/// A limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reached {
    /// The limit's name, from a closed set: a metric label.
    pub limit: &'static str,
    /// When to try again.
    pub retry_after_ms: u64,
}

/// Who holds places. Two tenants may use one id for two subjects.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Holder {
    tenant: Text,
    id: Text,
}

/// INVARIANT: `total` is the sum of `by_holder`, which has no entry that is zero, so that it
/// never has more entries than there are calls in flight.
#[derive(Debug, Default)]
struct InFlight {
    total: usize,
    by_holder: HashMap<Holder, usize>,
}

impl Limits {
    /// Begins with nothing in flight.
    pub fn new(settings: &Settings) -> Arc<Self> {
        Arc::new(Self { settings: settings.clone(), in_flight: Mutex::default() })
    }

    /// Admits a call, or says which limit was reached.
    ///
    /// # Errors
    /// `calls_at_once_per_subject` where the subject has too many calls in flight, and
    /// `calls_at_once` where all subjects together have.
    pub fn admit(self: &Arc<Self>, subject: &Subject) -> Result<Ticket, Reached> {
        let holder = Holder { tenant: Arc::clone(&subject.tenant), id: Arc::clone(&subject.id) };
        self.lock().admit(&holder, &self.settings)?;
        Ok(Ticket { limits: Arc::clone(self), holder })
    }

    /// The counts are whole numbers that are changed together, so a panic elsewhere cannot leave
    /// them half changed and a poisoned lock is still good.
    fn lock(&self) -> MutexGuard<'_, InFlight> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.limits.lock().give_back(&self.holder);
    }
}

impl InFlight {
    fn admit(&mut self, holder: &Holder, settings: &Settings) -> Result<(), Reached> {
        let held = self.by_holder.get(holder).copied().unwrap_or(0);
        if held >= settings.calls_at_once_per_subject_max {
            return Err(reached("calls_at_once_per_subject"));
        }
        if self.total >= settings.calls_at_once_max {
            return Err(reached("calls_at_once"));
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

fn reached(limit: &'static str) -> Reached {
    Reached { limit, retry_after_ms: RETRY_AFTER_MS }
}
