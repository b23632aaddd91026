//! Calls that are in flight, and the tickets that they hold.

use super::limit::{Limit, Reached, Whose};
use super::{Holder, Settings};
use crate::call::Text;
use std::collections::HashMap;
use std::hash::Hash;
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

/// INVARIANT: `total` is the sum of `by_holder` and of `by_tenant`, which have no entry that is
/// zero, so that they never have more entries than there are calls in flight.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) total: usize,
    pub(super) by_holder: HashMap<Holder, usize>,
    pub(super) by_tenant: HashMap<Text, usize>,
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
        let of_subject = self.by_holder.get(holder).copied().unwrap_or(0);
        let of_tenant = self.by_tenant.get(&holder.tenant).copied().unwrap_or(0);
        let bounds = [
            (of_subject, settings.calls_at_once_per_subject_max, Some(Whose::Subject)),
            (of_tenant, settings.calls_at_once_per_tenant_max, Some(Whose::Tenant)),
            (self.total, settings.calls_at_once_max, None),
        ];
        if let Some((_, _, whose)) = bounds.into_iter().find(|(held, max, _)| held >= max) {
            let limit = Limit::CallsAtOnce(whose);
            return Err(Reached { limit, retry_after_ms: Some(RETRY_AFTER_MS) });
        }
        self.total += 1;
        self.by_holder.insert(holder.clone(), of_subject + 1);
        self.by_tenant.insert(Text::clone(&holder.tenant), of_tenant + 1);
        Ok(())
    }

    fn give_back(&mut self, holder: &Holder) {
        self.total = self.total.saturating_sub(1);
        give_one_back(&mut self.by_holder, holder);
        give_one_back(&mut self.by_tenant, &holder.tenant);
    }
}

/// One less of what is counted by a key; none leaves no entry.
pub(crate) fn give_one_back<K: Hash + Eq>(counts: &mut HashMap<K, usize>, key: &K) {
    match counts.get_mut(key) {
        Some(held) if *held > 1 => *held -= 1,
        Some(_) | None => {
            counts.remove(key);
        }
    }
}
