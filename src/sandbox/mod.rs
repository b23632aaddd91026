//! The effect of running a program: one fresh container for each call.
//!
//! Must never run anything without a permit, and must never leave a container behind.

mod chores;
mod container;
mod conversation;
pub mod egress;
mod engine;
mod hosts;
mod life;
mod output;
mod pool;
mod probing;
mod register;
mod settings;
#[cfg(test)]
mod tests;
mod turns;
pub mod workspace;

pub use hosts::{HostState, State};
pub use pool::Stock;
pub use probing::Standing;
pub use settings::{Host, IMAGE_DEFAULT, Preload, Settings};

use crate::call::{Source, Text};
use crate::facts::drift::Event;
use crate::policy::{Caps, Permit, Profile, Unfit};
use egress::{Egress, Gate};
use hosts::{Hosts, Seated, Wanted};
use regate_agent::FilesMax;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::time::Instant;
use workspace::{Files, Given};

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
    /// What became of the connections that it asked for, as its gate was told.
    pub connections: Vec<egress::Ended>,
    /// What it left in `/workspace`.
    pub files: Files,
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
    /// What it finds in `/workspace`.
    pub files: &'a [Given],
    /// How much is taken out of that afterwards.
    pub files_max: FilesMax,
    /// Who is asked for the connections that its permit opens; without it, none is.
    pub gate: Option<&'a Arc<dyn Gate>>,
}

impl<'a> Program<'a> {
    /// A program of which nothing is known, that is not observed, and has no files.
    pub fn alone(source: &'a Source) -> Self {
        let files_max = FilesMax::default();
        Self { source, imported: &[], watch: "", files: &[], files_max, gate: None }
    }
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
    /// The settings name no such image.
    #[error("the settings name no image `{0}`")]
    Image(Text),
    /// Profile, decision and ceilings yield no limits to run under.
    #[error("no run is possible within these limits: {0}")]
    Unfit(#[from] Unfit),
    /// The engine cannot hold the profile on its host.
    #[error("the profile is refused: {0}")]
    Refused(String),
    /// What runs beside the program in its container did not keep to the protocol.
    #[error("the sandbox's agent failed: {0}")]
    Agent(String),
    /// The program was let go, and what became of it is not known.
    #[error("a program was let go and broke off: {0}")]
    BrokenOff(String),
    /// The sandbox is being emptied.
    #[error("the sandbox is shutting down")]
    GivenUp,
    /// The files that a program begins with do not fit into its container.
    #[error("a workspace of {0} is too large for its container")]
    TooManyFiles(String),
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

    /// Whether programs can be run under this profile: whether the engine answers and has its
    /// image, where there is one to ask for; of several engines, whether one does.
    ///
    /// # Errors
    /// Where none does.
    pub async fn check(&self, profile: Option<&Profile>) -> Result<(), Error> {
        let known = |name: &Text| {
            self.settings.images.get(name).ok_or_else(|| Error::Image(Text::clone(name)))
        };
        let image = profile.map(|profile| known(&profile.image)).transpose()?;
        self.hosts.check(image.map(|image| &**image)).await
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
        let Ok(profile) = self.effective(profile, &Caps::new()) else { return };
        let preload = self.settings.preload.iter().map(|preload| &*preload.modules);
        for modules in preload.chain([&[][..]]) {
            if let Ok(shape) = self.settings.shape(&profile, modules) {
                self.hosts.prepare(&shape);
            }
        }
    }

    /// What a run would be under: this profile, tightened, within the operator's ceilings.
    ///
    /// # Errors
    /// Where nothing can be run so.
    pub fn effective(&self, profile: &Profile, tightening: &Caps) -> Result<Profile, Error> {
        Ok(profile.effective(tightening, &self.settings.ceilings)?)
    }

    /// Asks whether the engines are still those that are known, and has these profiles looked at
    /// that are not known, where containers are made before they are asked for at all.
    pub async fn look_at(&self, profiles: &BTreeMap<Text, Profile>) {
        let held = profiles.values().filter_map(|profile| self.held(profile).ok());
        self.hosts.look_at(&held.collect::<Vec<_>>()).await;
    }

    /// Whether runs under a profile are possible, as far as that is known: with several hosts, on
    /// one of them.
    pub fn standing(&self, profile: &Profile) -> Standing {
        match self.held(profile) {
            Ok(held) => self.hosts.standing(&held),
            Err(error) => Standing::Refused(vec![error.to_string()]),
        }
    }

    /// A profile within the ceilings, which is what is found out of it.
    fn held(&self, profile: &Profile) -> Result<Profile, Error> {
        self.effective(profile, &Caps::new())
    }

    /// Keeps the stock of containers as large as it should be, and asks hosts that are away whether
    /// they are back, for as long as it is polled.
    pub async fn tend(&self) {
        self.hosts.tend().await;
    }

    /// Spends a permit on one run of a program, under the profile that the permit names: its
    /// limits are no more than permit and ceilings say.
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
        let held = self.held(profile)?;
        let profile = &self.effective(profile, permit.caps())?;
        fits(program.files, profile)?;
        let shape = self.settings.shape(profile, self.settings.preloaded(program.imported))?;
        let limits = &self.settings.connections;
        let egress = Egress::new(permit.obligations(), program.gate, limits);
        let wanted =
            Wanted { held: &held, profile, shape: &shape, program, egress: egress.as_ref() };
        let Seated { turn, loaded } = self.hosts.load(permit.subject(), &wanted).await?;
        let waited_us = u64::try_from(asked.elapsed().as_micros()).unwrap_or(u64::MAX);
        tracing::debug!(call = %permit.call(), container = loaded.name(), waited_us, "runs");
        let run = loaded.run(program.files, egress.as_ref()).await;
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

/// Whether files leave their program some room: a container that cannot take them would be
/// replaced by another that cannot.
fn fits(files: &[Given], profile: &Profile) -> Result<(), Error> {
    let bytes: usize = files.iter().map(|file| file.content.len()).sum();
    let folders = files.iter().flat_map(|file| file.name.folders()).collect::<BTreeSet<_>>();
    let names = folders.len().saturating_add(files.len());
    let fits = |used: usize, most: u64| u64::try_from(used).is_ok_and(|used| used <= most / 2);
    if fits(bytes, profile.writable_bytes_max)
        && fits(names, profile.files_max.map_or(u64::MAX, u64::from))
    {
        return Ok(());
    }
    Err(Error::TooManyFiles(format!("{bytes} bytes, {names} names")))
}
