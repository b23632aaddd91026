//! The effect of running a program: one fresh container for each call.
//!
//! Must never run anything without a permit, and must never leave a container behind.

mod container;
mod engine;
mod life;
mod output;
#[cfg(test)]
mod tests;
mod turns;

pub use turns::{Turn, Turns};

use crate::call::{Source, Subject, Text};
use crate::limits::fair::Weights;
use crate::policy::{Permit, Profile};
use engine::Engine;
use life::{Life, Register};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;

/// Where the engine is and what it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The Docker endpoint: `unix:///var/run/docker.sock`.
    pub docker: Text,
    /// The image.
    pub image: Text,
    /// The name that tells this gateway's containers from another's.
    pub instance: Text,
    /// How long one request to the engine may take.
    pub engine_ms_max: u64,
    /// How many containers there may be at once, those that are being removed included.
    pub runs_at_once_max: u32,
    /// How long a run may wait for its turn.
    pub wait_ms_max: u64,
    /// How many shares of the turns tenants have while runs wait; one where a tenant is not named.
    pub weights: Weights,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            docker: "unix:///var/run/docker.sock".into(),
            image: "regate-sandbox:latest".into(),
            instance: "regate".into(),
            engine_ms_max: 10_000,
            runs_at_once_max: 8,
            wait_ms_max: 10_000,
            weights: Weights::new(),
        }
    }
}

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
    /// From start to end.
    pub duration_ms: u64,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It exited with this code.
    Exited(i64),
    /// A signal ended it. A program that exits with 128 and a signal's number looks the same.
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
    /// As many programs run as may, and none ended in time.
    #[error("no turn to run within {0} ms")]
    Busy(u64),
}

/// Runs permitted programs.
#[derive(Debug)]
pub struct Sandbox {
    settings: Settings,
    engine: OnceCell<Engine>,
    turns: Turns,
    register: Register,
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
        Ok(Self {
            settings: settings.clone(),
            engine: OnceCell::new(),
            turns: Turns::new(settings.runs_at_once_max, settings.weights.clone()),
            register: Register::default(),
        })
    }

    /// Whether the engine answers and the image is there.
    ///
    /// # Errors
    /// Where it does not, or is not.
    pub async fn check(&self) -> Result<(), Error> {
        self.engine().await?.find_image(&self.settings.image).await
    }

    /// Removes the containers that an earlier life of this instance left; answers how many.
    /// Those of runs that are under way are left alone.
    ///
    /// # Errors
    /// Where the engine does not answer.
    pub async fn sweep(&self) -> Result<usize, Error> {
        let engine = self.engine().await?;
        let mut swept = 0;
        for name in engine.containers(&self.settings.instance).await? {
            if !self.register.holds(&name) {
                engine.remove(&name).await?;
                swept += 1;
            }
        }
        Ok(swept)
    }

    /// Spends a permit on one run of a program.
    ///
    /// A run whose future is dropped is killed and removed all the same.
    ///
    /// # Errors
    /// Where the engine could not run it.
    pub async fn run(
        &self,
        permit: Permit,
        profile: &Profile,
        source: &Source,
    ) -> Result<Run, Error> {
        let call = permit.call();
        let turn = self.turn(permit.subject()).await?;
        let engine = self.engine().await?.clone();
        let body = container::body(&self.settings, call, profile);
        let life = Life {
            engine,
            entry: self.register.enter(container::name(call)),
            wall: Duration::from_millis(profile.wall_ms),
            output_bytes_max: profile.output_bytes_max,
        };
        life.lead(body, source.shared(), turn).await
    }

    /// Waits until every run that is under way has ended and its container is gone.
    pub async fn drain(&self) {
        self.turns.all_back().await;
    }

    /// How many runs wait for their turn.
    pub fn waiting(&self) -> usize {
        self.turns.waiting()
    }

    async fn turn(&self, subject: &Subject) -> Result<Turn, Error> {
        let wait_ms_max = self.settings.wait_ms_max;
        let turn = self.turns.take(subject);
        tokio::time::timeout(Duration::from_millis(wait_ms_max), turn)
            .await
            .map_err(|_| Error::Busy(wait_ms_max))
    }

    /// The engine, greeted at first use: it may have been down when Regate started.
    async fn engine(&self) -> Result<&Engine, Error> {
        let patience = Duration::from_millis(self.settings.engine_ms_max);
        self.engine.get_or_try_init(|| Engine::connect(&self.settings.docker, patience)).await
    }
}
