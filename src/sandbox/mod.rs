//! The effect of running a program: one fresh container for each call.
//!
//! Must never run anything without a permit, and must never leave a container behind.

mod container;
mod conversation;
mod engine;
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

pub use pool::Stock;
pub use probing::Standing;
pub use settings::{IMAGE_DEFAULT, Preload, Settings};
pub use turns::{Turn, Turns};

use crate::call::{Source, Subject, Text};
use crate::facts::drift::Event;
use crate::policy::{Caps, Permit, Profile, Unfit};
use container::Shape;
use life::Loaded;
use pool::Pool;
use probing::Probes;
use regate_agent::FilesMax;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use workspace::{Files, Given};

/// How many containers may break one after the other before their program runs.
const LOADS_MAX: u32 = 3;

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
}

impl<'a> Program<'a> {
    /// A program of which nothing is known, that is not observed, and has no files.
    pub fn alone(source: &'a Source) -> Self {
        let files_max = FilesMax::default();
        Self { source, imported: &[], watch: "", files: &[], files_max }
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
    #[error("not a Docker endpoint: {0} (it begins with unix:///)")]
    Endpoint(Text),
    /// The engine could not be reached or refused.
    #[error("the Docker engine refused: {0}")]
    Engine(String),
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
    turns: Turns,
    pool: Pool,
    probes: Probes,
}

impl Sandbox {
    /// Takes the settings; does not fail where the engine is down, since it may come back.
    ///
    /// # Errors
    /// Where the settings name no endpoint that can be understood.
    pub fn new(settings: &Settings) -> Result<Self, Error> {
        if !settings.docker.starts_with("unix:///") {
            return Err(Error::Endpoint(Arc::clone(&settings.docker)));
        }
        let turns = Turns::new(settings.runs_at_once_max, settings.weights.clone());
        let pool = Pool::new(settings, turns.clone());
        Ok(Self { settings: settings.clone(), turns, pool, probes: Probes::default() })
    }

    /// Whether the engine answers and the images are there.
    ///
    /// # Errors
    /// Where it does not, or is not.
    pub async fn check(&self) -> Result<(), Error> {
        let engine = self.pool.engine().await?;
        for image in self.settings.images.values() {
            engine.find_image(image).await?;
        }
        Ok(())
    }

    /// Removes the containers that an earlier life of this instance left; answers how many.
    /// Its own are left alone.
    ///
    /// # Errors
    /// Where the engine does not answer.
    pub async fn sweep(&self) -> Result<usize, Error> {
        let engine = self.pool.engine().await?;
        let mut swept = 0;
        for name in engine.containers(&self.settings.instance).await? {
            if !self.pool.register().holds(&name) {
                engine.remove(&name).await?;
                swept += 1;
            }
        }
        Ok(swept)
    }

    /// Keeps containers for this profile ready, one kind for each list of modules to import
    /// beforehand.
    pub fn prepare(&self, profile: &Profile) {
        let Ok(profile) = self.effective(profile, &Caps::new()) else { return };
        let preload = self.settings.preload.iter().map(|preload| &*preload.modules);
        for modules in preload.chain([&[][..]]) {
            if let Ok(shape) = self.settings.shape(&profile, modules) {
                self.pool.prepare(&shape);
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

    /// Asks whether the engine is still the one that is known, and has these profiles looked at
    /// that are not known, where containers are made before they are asked for at all.
    pub async fn look_at(&self, profiles: &BTreeMap<Text, Profile>) {
        let now = async { self.pool.engine().await?.abilities().await };
        let held =
            profiles.values().filter_map(|profile| self.effective(profile, &Caps::new()).ok());
        self.probes.keep(now.await.ok(), &held.collect::<Vec<_>>());
        if self.settings.stock_max > 0 {
            // One after the other, so that those who run programs are hardly disturbed.
            for profile in profiles.values() {
                if let Err(error) = self.find_out(profile).await {
                    tracing::warn!(%error, "it is not known whether a sandbox profile holds");
                }
            }
        }
    }

    /// Whether runs under a profile are possible, as far as that is known.
    pub fn standing(&self, profile: &Profile) -> Standing {
        match self.effective(profile, &Caps::new()) {
            Ok(held) => self.probes.standing(&held),
            Err(error) => Standing::Refused(vec![error.to_string()]),
        }
    }

    /// The same; where it is not known it is found out, and waited for.
    async fn find_out(&self, profile: &Profile) -> Result<Standing, Error> {
        match self.effective(profile, &Caps::new()) {
            Ok(held) => self.probes.find_out(&held, &self.pool, &self.settings).await,
            Err(error) => Ok(Standing::Refused(vec![error.to_string()])),
        }
    }

    /// Keeps the stock of containers as large as it should be, for as long as it is polled.
    pub async fn tend(&self) {
        self.pool.tend().await;
    }

    /// Spends a permit on one run of a program, under the profile that the permit names: its
    /// limits are no more than permit and ceilings say.
    ///
    /// A run whose future is dropped is killed, and its container removed all the same.
    ///
    /// # Errors
    /// Where the engine could not run it.
    pub async fn run(
        &self,
        permit: Permit,
        profile: &Profile,
        program: Program<'_>,
    ) -> Result<Run, Error> {
        let asked = Instant::now();
        if let Standing::Refused(reasons) = self.find_out(profile).await? {
            return Err(Error::Refused(reasons.join("; ")));
        }
        let profile = &self.effective(profile, permit.caps())?;
        fits(program.files, profile)?;
        let _turn = self.turn(permit.subject()).await?;
        let shape = self.settings.shape(profile, self.settings.preloaded(program.imported))?;
        let loaded = self.load(&shape, profile, program).await?;
        let waited_us = u64::try_from(asked.elapsed().as_micros()).unwrap_or(u64::MAX);
        tracing::debug!(call = %permit.call(), container = loaded.name(), waited_us, "runs");
        loaded.run(program.files).await
    }

    /// Waits until every run that is under way has ended, and removes all containers. Nothing may
    /// be run, and nobody may tend the stock, until then.
    pub async fn drain(&self) {
        self.turns.all_back().await;
        self.pool.empty().await;
    }

    /// How many runs wait for their turn.
    pub fn waiting(&self) -> usize {
        self.turns.waiting()
    }

    /// The containers that wait for a program, by what they have imported.
    pub fn stock(&self) -> Vec<Stock> {
        self.pool.stock()
    }

    /// A container that has the program. One that breaks before anything was run is replaced: a
    /// container may die while it waits.
    async fn load(
        &self,
        shape: &Shape,
        profile: &Profile,
        program: Program<'_>,
    ) -> Result<Loaded, Error> {
        let mut again = 0..LOADS_MAX;
        loop {
            match self.pool.take(shape).await?.load(profile, program).await {
                Err(Error::Agent(reason)) if again.next().is_some() => {
                    tracing::warn!(reason, "a container broke before its program ran");
                }
                loaded => return loaded,
            }
        }
    }

    async fn turn(&self, subject: &Subject) -> Result<Turn, Error> {
        let wait_ms_max = self.settings.wait_ms_max;
        let turn = self.turns.take(subject);
        tokio::time::timeout(Duration::from_millis(wait_ms_max), turn)
            .await
            .map_err(|_| Error::Busy(wait_ms_max))
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
