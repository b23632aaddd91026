//! How much may go on: at once, in a second, in a day, in a session, and again and again.
//!
//! A [`Ticket`] gives itself back when dropped. Must never know policy or read a clock: time is
//! handed in. All is pure but [`quotas`], which counts in a file that replicas share.

mod alike;
pub mod fair;
mod flight;
mod in_force;
mod limit;
pub mod quotas;
mod rates;
mod session;
#[cfg(test)]
mod tests;
mod ticks;

pub use flight::Ticket;
pub(crate) use flight::give_one_back;
pub use limit::{Limit, Reached, Unit, Whose};
pub use ticks::Ticks;

use crate::call::{Allowances, Session, SessionCaps, Subject, Text, Timestamp};
use alike::Alike;
use flight::Flight;
use in_force::InForce;
use std::num::NonZeroU32;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

/// What a call is recognised by when it comes again: a digest of its tool and its arguments.
pub type Likeness = [u8; 32];

/// The bounds of admission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Calls in flight at once, over all subjects.
    pub calls_at_once_max: usize,
    /// Calls in flight at once for one subject.
    pub calls_at_once_per_subject_max: usize,
    /// Calls in flight at once for all subjects of one tenant: less than for all tenants, so that
    /// none can take every place.
    pub calls_at_once_per_tenant_max: usize,
    /// How often one subject may call.
    pub subject: Rate,
    /// How often all subjects of one tenant together may call.
    pub tenant: Rate,
    /// How much one session may use.
    pub session: SessionCaps,
    /// How often the same call of a subject is judged and refused.
    pub refusals_alike_max: u32,
    /// The time, from the first of them, within which they are counted.
    pub refusals_alike_ms_max: u64,
}

/// How often there may be a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Calls in a second, in the long run.
    pub calls_per_second_max: NonZeroU32,
    /// Calls that may come all at once after a pause.
    pub burst_max: NonZeroU32,
}

impl Rate {
    const fn new(calls_per_second_max: u32, burst_max: u32) -> Self {
        Self {
            calls_per_second_max: at_least_one(calls_per_second_max),
            burst_max: at_least_one(burst_max),
        }
    }
}

const fn at_least_one(number: u32) -> NonZeroU32 {
    match NonZeroU32::new(number) {
        Some(number) => number,
        None => NonZeroU32::MIN,
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            calls_at_once_max: 64,
            calls_at_once_per_subject_max: 32,
            calls_at_once_per_tenant_max: 48,
            subject: Rate::new(1_000, 2_000),
            tenant: Rate::new(2_000, 4_000),
            session: SessionCaps::default(),
            refusals_alike_max: 10,
            refusals_alike_ms_max: 600_000,
        }
    }
}

impl Settings {
    fn alike_window(&self) -> Duration {
        Duration::from_millis(self.refusals_alike_ms_max)
    }
}

/// Admits calls.
#[derive(Debug)]
pub struct Limits {
    /// What no bundle may raise.
    ceilings: Settings,
    in_force: RwLock<Arc<InForce>>,
    ticks: Ticks,
    flight: Flight,
    alike: Alike,
}

/// Who is counted. Two tenants may use one id for two subjects.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Holder {
    tenant: Text,
    id: Text,
}

impl From<&Subject> for Holder {
    fn from(subject: &Subject) -> Self {
        Self { tenant: Arc::clone(&subject.tenant), id: Arc::clone(&subject.id) }
    }
}

impl Limits {
    /// Begins with nothing in flight and nothing remembered.
    pub fn new(settings: &Settings, ticks: Ticks) -> Arc<Self> {
        Arc::new(Self {
            ceilings: settings.clone(),
            in_force: RwLock::new(Arc::new(InForce::new(settings.clone(), &ticks))),
            flight: Flight::default(),
            alike: Alike::default(),
            ticks,
        })
    }

    /// Puts in force what a bundle allows, as far as the settings do.
    pub fn put_in_force(&self, allowed: &Allowances) {
        let settings = self.ceilings.within(allowed);
        let mut in_force = self.in_force.write().unwrap_or_else(PoisonError::into_inner);
        *in_force = Arc::new(in_force.next(settings, &self.ticks));
    }

    /// It is replaced as a whole, so a panic elsewhere leaves it as good as it was.
    fn in_force(&self) -> Arc<InForce> {
        Arc::clone(&self.in_force.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Admits a call, or says which limit was reached.
    ///
    /// # Errors
    /// Where the subject, its tenant or all tenants together have too many calls in flight, or the
    /// subject or its tenant calls too often.
    pub fn admit(&self, subject: &Subject) -> Result<Ticket, Reached> {
        let (holder, in_force) = (Holder::from(subject), self.in_force());
        let ticket = self.flight.admit(&holder, &in_force.settings)?;
        in_force.rates.take(&holder)?;
        Ok(ticket)
    }

    /// Whether a call may be judged, or was refused too often already.
    ///
    /// # Errors
    /// [`Limit::Loop`] where it was.
    pub fn check_alike(&self, subject: &Subject, likeness: &Likeness) -> Result<(), Reached> {
        let call = (&Holder::from(subject), likeness);
        self.alike.check(call, &self.ceilings, self.ticks.now())
    }

    /// Remembers that a call was judged and refused.
    pub fn note_refusal(&self, subject: &Subject, likeness: &Likeness) {
        let call = (&Holder::from(subject), likeness);
        self.alike.note(call, &self.ceilings, self.ticks.now());
    }

    /// Whether one more call, the session's next step, fits into the session.
    ///
    /// # Errors
    /// Where it does not: the limit of the session that was reached.
    pub fn check_session(&self, session: &Session, now: Timestamp) -> Result<(), Reached> {
        session::check(&self.in_force().settings.session, session, now)
    }
}
