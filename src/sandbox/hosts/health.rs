//! Whether programs are taken to a host: one that fails is away for a while, is asked again after
//! growing pauses, and comes back.
//!
//! A host that is alone is never shut: there is no other, and whoever wants to run there is told at
//! once what is wrong. Must never shut a host for what a program or a profile did.

use crate::call::Text;
use crate::sandbox::Error;
use crate::sandbox::turns::Turns;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

/// The first pause before a host that is away is asked again; each after it is twice as long.
const PAUSE_FIRST: Duration = Duration::from_millis(500);

/// Whether programs are taken to a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// They are, as far as is known.
    Healthy,
    /// They are not: it failed, and did not yet show that it is well again.
    Away,
}

impl State {
    /// All there are.
    pub const ALL: [Self; 2] = [Self::Healthy, Self::Away];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Away => "away",
        }
    }
}

/// Whether there are others to take a program to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sandbox) enum Company {
    Alone,
    Others,
}

/// What a failure says of the host that it was at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blame {
    /// It cannot be used.
    Host,
    /// It may be the host, or else what was asked of it.
    Perhaps,
    /// Nothing.
    Nobody,
}

/// The health of one host.
#[derive(Debug)]
pub(in crate::sandbox) struct Health {
    name: Text,
    place: usize,
    turns: Turns,
    company: Company,
    pause_max: Duration,
    spell: watch::Sender<Spell>,
    doubted: Notify,
}

/// How it has been lately.
#[derive(Debug, Clone, Copy)]
struct Spell {
    state: State,
    since: Instant,
    /// How many pauses there were since it was last well for long.
    pauses: u32,
}

/// Where the host's turns are.
#[derive(Debug)]
pub(in crate::sandbox) struct Place {
    pub(in crate::sandbox) turns: Turns,
    pub(in crate::sandbox) number: usize,
    pub(in crate::sandbox) company: Company,
}

impl Health {
    /// That of a host of which nothing bad is known.
    pub(in crate::sandbox) fn new(name: &Text, place: Place, pause_max: Duration) -> Self {
        let Place { turns, number, company } = place;
        let spell = Spell { state: State::Healthy, since: Instant::now(), pauses: 0 };
        Self {
            name: Text::clone(name),
            place: number,
            turns,
            company,
            pause_max,
            spell: watch::Sender::new(spell),
            doubted: Notify::new(),
        }
    }

    /// The host's name.
    pub(in crate::sandbox) fn name(&self) -> &Text {
        &self.name
    }

    /// Whether it is away, and for how long it has been so or not.
    pub(in crate::sandbox) fn state(&self) -> (State, Duration) {
        let spell = *self.spell.borrow();
        (spell.state, spell.since.elapsed())
    }

    /// How many have a turn there.
    pub(in crate::sandbox) fn running(&self) -> u32 {
        self.turns.taken(self.place)
    }

    /// For how long somebody has had a turn there without a break; nothing where there is one now.
    pub(in crate::sandbox) fn busy_for(&self) -> Option<Duration> {
        self.turns.busy_for(self.place)
    }

    /// Whether nothing is taken there.
    pub(in crate::sandbox) fn is_shut(&self) -> bool {
        self.company == Company::Others && self.spell.borrow().state == State::Away
    }

    /// Waits until nothing is taken there.
    pub(super) async fn until_shut(&self) {
        if self.company == Company::Alone {
            return std::future::pending().await;
        }
        let mut spell = self.spell.subscribe();
        // It ends only with this.
        drop(spell.wait_for(|spell| spell.state == State::Away).await);
    }

    /// Something failed there, which may have been another's fault.
    pub(in crate::sandbox) fn blame(&self, error: &Error) {
        match blame(error) {
            Blame::Host => self.failed(error),
            Blame::Perhaps => self.doubted.notify_one(),
            Blame::Nobody => {}
        }
    }

    /// Waits until something failed there that may have been the host's fault.
    pub(super) async fn doubted(&self) {
        self.doubted.notified().await;
    }

    /// It cannot be used.
    pub(in crate::sandbox) fn failed(&self, error: &Error) {
        let shut = self.spell.send_if_modified(|spell| {
            if spell.state == State::Away {
                return false;
            }
            let relapsed = spell.pauses.saturating_add(1);
            let pauses = if spell.since.elapsed() < self.pause_max { relapsed } else { 0 };
            *spell = Spell { state: State::Away, since: Instant::now(), pauses };
            if self.company == Company::Others {
                self.turns.shut(self.place);
            }
            true
        });
        if shut {
            tracing::warn!(host = &*self.name, %error, "a Docker host failed and is away");
        }
    }

    /// It was asked again, and is not well.
    pub(super) fn still_away(&self, error: &Error) {
        self.spell.send_modify(|spell| spell.pauses = spell.pauses.saturating_add(1));
        tracing::debug!(host = &*self.name, %error, "a Docker host is still away");
    }

    /// It can be used.
    pub(in crate::sandbox) fn is_well(&self) {
        let back = self.spell.send_if_modified(|spell| {
            if spell.state == State::Healthy {
                return false;
            }
            *spell = Spell { state: State::Healthy, since: Instant::now(), ..*spell };
            self.turns.open(self.place);
            true
        });
        if back {
            tracing::info!(host = &*self.name, "a Docker host is back");
        }
    }

    /// How long to wait before it is asked again.
    pub(super) fn pause(&self) -> Duration {
        let pauses = self.spell.borrow().pauses;
        pause(pauses, self.pause_max, RandomState::new().hash_one(&*self.name))
    }
}

/// Half of it is at random, so that gateways that lost a host together do not all ask at once.
pub(super) fn pause(pauses: u32, most: Duration, chance: u64) -> Duration {
    let whole = PAUSE_FIRST.saturating_mul(1_u32.checked_shl(pauses).unwrap_or(u32::MAX)).min(most);
    let part = u32::try_from(chance % 1_000).unwrap_or_default();
    let half = whole / 2;
    half.saturating_add(half.saturating_mul(part) / 1_000)
}

fn blame(error: &Error) -> Blame {
    match error {
        Error::Unreachable(_) | Error::Unenforceable(_) => Blame::Host,
        // An agent that says nothing is a matter of its container.
        Error::Timeout("ready" | "load" | "probe")
        | Error::Engine(_)
        | Error::Agent(_)
        | Error::BrokenOff(_) => Blame::Perhaps,
        Error::Timeout(_) => Blame::Host,
        Error::Image(_)
        | Error::TooManyFiles(_)
        | Error::Unfit(_)
        | Error::Refused(_)
        | Error::Endpoint(_)
        | Error::Clear(_)
        | Error::Needless(_)
        | Error::Certificates { .. }
        | Error::Away
        | Error::GivenUp
        | Error::Busy(_) => Blame::Nobody,
    }
}
