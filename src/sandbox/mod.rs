//! The effect of running a program: one fresh container for each call.
//!
//! Must never run anything without a permit, and must never leave a container behind.

mod container;
mod conversation;
mod engine;
mod hosts;
mod life;
mod output;
mod pool;
mod register;
mod settings;
#[cfg(test)]
mod tests;
mod turns;

pub use hosts::{HostState, State};
pub use pool::Stock;
pub use settings::{Host, Preload, Settings};

use crate::call::{Source, Text};
use crate::facts::drift::Event;
use crate::policy::{Permit, Profile};
use container::Shape;
use hosts::{Hosts, Seated};
use std::path::PathBuf;
use tokio::time::Instant;

/// What a program did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// What it wrote to stdout, as UTF-8 with replacement characters where it was not.
    pub stdout: String,
    /// What it wrote to stderr, likewise.
    pub stderr: String,
    /// Whether either was cut.
    pub truncated: bool,
    /// How it ended.
    pub end: End,
    /// From the moment it was let go to the end of its last process.
    pub duration_ms: u64,
    /// CPU time of all its processes.
    pub cpu_ms: u64,
    /// The most memory that its container used at once; `None` where the kernel does not say.
    pub memory_peak_bytes: Option<u64>,
    /// What the interpreter saw it do, each thing once.
    pub events: Vec<Event>,
    /// Whether there was more than is told.
    pub events_cut: bool,
}

/// A program, and what is known of it before it runs.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// Its text.
    pub source: &'a Source,
    /// The modules that it imports, by full name: where some of them are imported beforehand in
    /// some containers, it gets one of those.
    pub imported: &'a [&'a str],
    /// What is to be observed of it, as [`crate::facts::drift::Table::watch`] writes it; nothing where
    /// it is empty.
    pub watch: &'a str,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It exited with this code.
    Exited(i64),
    /// A signal ended it.
    Signalled(i64),
    /// It ran out of time and was killed.
    TimedOut,
    /// It ran out of memory and was killed.
    OutOfMemory,
}

/// Why there is no run. For the log, never for callers.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The settings name no endpoint that Regate can speak to.
    #[error("not a Docker endpoint: `{0}` (it is unix:///PATH, or tcp://HOST:PORT)")]
    Endpoint(Text),
    /// An endpoint that anybody on the way could listen on or stand in for.
    #[error(
        "{0} is refused without TLS on which both sides show who they are: `certificates` has to \
         name a folder with ca.pem, cert.pem and key.pem"
    )]
    Clear(Text),
    /// An endpoint for which certificates do nothing.
    #[error("{0} is a socket of this machine, for which `certificates` would do nothing")]
    Needless(Text),
    /// A file of certificates that cannot be used.
    #[error("cannot use {path}: {reason}")]
    Certificates {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The engine answered that it would not.
    #[error("the Docker engine refused: {0}")]
    Engine(String),
    /// The engine could not be spoken to.
    #[error("the Docker engine cannot be reached: {0}")]
    Unreachable(String),
    /// No host takes programs now.
    #[error("no Docker host can run programs now")]
    Away,
    /// It took too long.
    #[error("the Docker engine did not answer in time ({0})")]
    Timeout(&'static str),
    /// The engine cannot enforce a limit that every run is under.
    #[error("the Docker engine cannot limit {0} on its host")]
    Unenforceable(&'static str),
    /// What runs beside the program in its container did not keep to the protocol.
    #[error("the sandbox's agent failed: {0}")]
    Agent(String),
    /// The program was let go, and what became of it is not known.
    #[error("a program was let go and broke off: {0}")]
    BrokenOff(String),
    /// The sandbox is being emptied.
    #[error("the sandbox is shutting down")]
    GivenUp,
    /// As many programs run as may, and none ended in time.
    #[error("no turn to run within {0} ms")]
    Busy(u64),
}

/// Runs permitted programs.
#[derive(Debug)]
pub struct Sandbox {
    settings: Settings,
    hosts: Hosts,
}

impl Sandbox {
    /// Takes the settings; does not fail where an engine is down, since it may come back.
    ///
    /// # Errors
    /// Where the settings name an endpoint that cannot be understood, or certificates that cannot
    /// be used.
    pub fn new(settings: &Settings) -> Result<Self, Error> {
        Ok(Self { settings: settings.clone(), hosts: Hosts::new(settings)? })
    }

    /// Whether programs can be run: whether the engine answers and has the image, or of several
    /// one does.
    ///
    /// # Errors
    /// Where none does.
    pub async fn check(&self) -> Result<(), Error> {
        self.hosts.check().await
    }

    /// Removes the containers that an earlier life of this instance left; answers how many.
    /// Its own are left alone.
    ///
    /// # Errors
    /// Where no engine answers.
    pub async fn sweep(&self) -> Result<usize, Error> {
        self.hosts.sweep().await
    }

    /// Keeps containers for this profile ready, one kind for each list of modules to import
    /// beforehand.
    pub fn prepare(&self, profile: &Profile) {
        self.hosts.prepare(&Shape::new(profile, &[]));
        for preload in &self.settings.preload {
            self.hosts.prepare(&Shape::new(profile, &preload.modules));
        }
    }

    /// Keeps the stock of containers as large as it should be, and asks hosts that are away whether
    /// they are back, for as long as it is polled.
    pub async fn tend(&self) {
        self.hosts.tend().await;
    }

    /// Spends a permit on one run of a program.
    ///
    /// A run whose future is dropped is killed, and its container removed all the same.
    ///
    /// # Errors
    /// Where no engine could run it.
    pub async fn run(
        &self,
        permit: Permit,
        profile: &Profile,
        program: Program<'_>,
    ) -> Result<Run, Error> {
        let asked = Instant::now();
        let shape = Shape::new(profile, self.settings.preloaded(program.imported));
        let seated = self.hosts.load(permit.subject(), &shape, profile, program).await?;
        let Seated { turn, loaded } = seated;
        let waited_us = u64::try_from(asked.elapsed().as_micros()).unwrap_or(u64::MAX);
        tracing::debug!(call = %permit.call(), container = loaded.name(), waited_us, "runs");
        let run = loaded.run().await;
        self.hosts.heard(&turn, &run);
        run
    }

    /// Waits until every run that is under way has ended, and removes all containers. Nothing may
    /// be run, and nobody may tend the stock, until then.
    pub async fn drain(&self) {
        self.hosts.drain().await;
    }

    /// How many runs wait for their turn.
    pub fn waiting(&self) -> usize {
        self.hosts.waiting()
    }

    /// The containers that wait for a program, by host and by what they have imported.
    pub fn stock(&self) -> Vec<Stock> {
        self.hosts.stock()
    }

    /// The hosts, in the order of the settings.
    pub fn hosts(&self) -> Vec<HostState> {
        self.hosts.states()
    }
}
