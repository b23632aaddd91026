//! What of the world outside a program reaches, and how: connections that it asks for one by one.
//!
//! A connection is refused unless its permit obliges it, whoever is asked permits it, and the
//! host has nothing but public addresses. Must never resolve a name twice for one connection, nor
//! send a byte before what it belongs to was read.

mod address;
mod budget;
mod destination;
mod dial;
mod hello;
mod line;
mod passage;
mod plain;
mod switchboard;

pub use budget::Limits;
pub use destination::Target;
pub use regate_agent::{Refused, Way};

pub(super) use switchboard::Switchboard;

use crate::call::Text;
use crate::policy::Obligations;
use budget::Budget;
use futures_util::future::BoxFuture;
use regate_agent::Connections;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Who says whether a connection may be opened, and is told of each.
pub trait Gate: Debug + Send + Sync {
    /// Asks of one, before anything is done for it; one that the sandbox itself refuses is told
    /// as well. Only where this answers with `Ok` is it opened.
    fn decide<'a>(&'a self, asked: &'a Asked) -> BoxFuture<'a, Result<(), Refused>>;

    /// Tells how one has ended that was asked for, whatever the answer was. Each is told once.
    fn ended(&self, ended: Ended);
}

/// A connection that a program asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The how many of its run it is, from 1 on.
    pub number: u32,
    /// The host: in its one spelling, or as the program wrote it where that is no plain name.
    pub host: Text,
    /// The port.
    pub port: u16,
    /// What it is for.
    pub way: Way,
    /// Why the sandbox refuses it, if it does.
    pub refused: Option<Refused>,
}

/// What became of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Which it was.
    pub asked: Asked,
    /// How it ended.
    pub how: How,
    /// Bytes that were sent to the host.
    pub sent_bytes: u64,
    /// Bytes that came from it.
    pub received_bytes: u64,
}

/// How a connection ended. A closed set: it stands in the ledger and in metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Both ends had said all.
    Closed,
    /// It was refused, before anything was sent.
    Refused(Refused),
    /// More was sent or received than may be.
    Bytes,
    /// It took longer than it may.
    Time,
    /// One of the two ends broke off.
    Broken,
    /// It was open when its program ended.
    Run,
}

impl How {
    /// The word in the ledger and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Refused(refused) => refused.as_str(),
            Self::Bytes => "bytes",
            Self::Time => "time",
            Self::Broken => "broken",
            Self::Run => "run",
        }
    }
}

/// The connections of one run.
#[derive(Debug)]
pub(super) struct Egress {
    targets: BTreeSet<Target>,
    gate: Arc<dyn Gate>,
    limits: Limits,
    budget: Budget,
    at_once: Semaphore,
}

impl Egress {
    /// What these obligations open; nothing where they open nothing.
    pub(super) fn new(
        obligations: &Obligations,
        gate: Option<&Arc<dyn Gate>>,
        limits: &Limits,
    ) -> Option<Self> {
        let targets: BTreeSet<Target> =
            obligations.connect.iter().filter_map(|target| Target::read(target)).collect();
        let gate = gate.filter(|_| !targets.is_empty())?;
        Some(Self {
            targets,
            gate: Arc::clone(gate),
            limits: limits.clone(),
            budget: Budget::of_run(limits),
            at_once: Semaphore::new(usize::try_from(limits.at_once_max).unwrap_or(1)),
        })
    }

    /// What the agent is told.
    pub(super) const fn bounds(&self) -> Connections {
        Connections { at_once_max: self.limits.at_once_max, total_max: self.limits.total_max }
    }
}
