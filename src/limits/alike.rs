//! Calls that were refused, so that the same one is not judged again and again.

use super::limit::{Limit, Reached};
use super::{Holder, Likeness, Settings};
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Refused calls of one subject that are remembered. Whoever has more of them at once pushes out
/// its own and nobody else's.
const REMEMBERED_MAX: usize = 256;

/// INVARIANT: the last of each list was refused last. Subjects are those that keys are
/// configured for, so the map does not grow by what callers send.
#[derive(Debug, Default)]
pub(super) struct Alike {
    by_holder: Mutex<HashMap<Holder, VecDeque<Refused>>>,
}

/// One call, and how often it was refused since when.
#[derive(Debug, Clone, Copy)]
struct Refused {
    likeness: Likeness,
    times: u32,
    since: Duration,
}

impl Alike {
    /// Whether a call may be judged: not where it was refused as often as it may be.
    pub(super) fn check(
        &self,
        (holder, likeness): (&Holder, &Likeness),
        settings: &Settings,
        now: Duration,
    ) -> Result<(), Reached> {
        let window = settings.alike_window();
        let left = self.lock().get(holder).and_then(|list| {
            let known = list.iter().find(|refused| refused.likeness == *likeness)?;
            let left = window.checked_sub(now.saturating_sub(known.since))?;
            (known.times >= settings.refusals_alike_max && !left.is_zero()).then_some(left)
        });
        left.map_or(Ok(()), |left| {
            let ms = u64::try_from(left.as_millis()).unwrap_or(u64::MAX).max(1);
            Err(Reached { limit: Limit::Loop, retry_after_ms: Some(ms) })
        })
    }

    /// Remembers that a call was refused.
    pub(super) fn note(
        &self,
        (holder, likeness): (&Holder, &Likeness),
        settings: &Settings,
        now: Duration,
    ) {
        let mut by_holder = self.lock();
        let list = by_holder.entry(holder.clone()).or_default();
        let known = list.iter().position(|refused| refused.likeness == *likeness);
        let fresh = Refused { likeness: *likeness, times: 0, since: now };
        let mut refused = known.and_then(|index| list.remove(index)).unwrap_or(fresh);
        if now.saturating_sub(refused.since) >= settings.alike_window() {
            refused = fresh;
        }
        refused.times = refused.times.saturating_add(1);
        list.push_back(refused);
        if list.len() > REMEMBERED_MAX {
            list.pop_front();
        }
    }

    /// A list that lacks its last entry after a panic only counts less.
    fn lock(&self) -> MutexGuard<'_, HashMap<Holder, VecDeque<Refused>>> {
        self.by_holder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl Alike {
    pub(super) fn remembered(&self) -> usize {
        self.lock().values().map(VecDeque::len).sum()
    }
}
