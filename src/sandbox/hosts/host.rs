//! One host: its containers, and whether it is well.
//!
//! Must never let a program go: it is handed in here, and nothing of it was run when that fails.

use super::health::{Health, State};
use super::{HostState, Wanted};
use crate::call::Text;
use crate::policy::Profile;
use crate::sandbox::container::Shape;
use crate::sandbox::life::Loaded;
use crate::sandbox::pool::{Pool, Stock};
use crate::sandbox::probing::Probes;
use crate::sandbox::{Error, Settings, Standing};
use futures_util::FutureExt;
use std::sync::Arc;
use std::time::Duration;

/// How many containers may break one after the other before their program runs.
const LOADS_MAX: u32 = 3;

/// How often a host among others is asked whether it is there: a host that hangs says so by
/// nothing else.
const ASK_EVERY: Duration = Duration::from_secs(2);

/// A host.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) settings: Settings,
    pub(super) pool: Pool,
    pub(super) health: Arc<Health>,
    pub(super) probes: Probes,
}

impl Host {
    /// How it is now.
    pub(super) fn now(&self) -> HostState {
        let (state, lasted) = self.health.state();
        HostState {
            name: Text::clone(self.health.name()),
            state,
            lasted,
            running: self.health.running(),
            containers: self.pool.containers(),
        }
    }

    /// How many containers of a shape wait there; `None` where it cannot hold their profile.
    pub(super) fn suits(&self, held: &Profile, shape: &Shape) -> Option<usize> {
        match self.probes.standing(held) {
            Standing::Refused(_) => None,
            Standing::Ready | Standing::Unknown => Some(self.pool.ready(shape)),
        }
    }

    /// Asks whether the engine is still the one that is known, and has these profiles looked at
    /// where containers are made before they are asked for. Of a host that is away nothing is
    /// known.
    pub(super) async fn look_at(&self, held: &[Profile]) {
        let looked = async {
            let now = async { self.pool.engine().await?.abilities().await };
            self.probes.keep(now.await.ok(), held);
            if self.settings.stock_max > 0 {
                self.find_out_all(held).await;
            }
        };
        tokio::select! {
            biased;
            () = self.health.until_shut() => self.probes.keep(None, held),
            () = looked => {}
        }
    }

    /// One after the other, so that those who run programs are hardly disturbed.
    async fn find_out_all(&self, held: &[Profile]) {
        for profile in held {
            if let Err(error) = self.find_out(profile).await {
                tracing::warn!(%error, "it is not known whether a sandbox profile holds");
            }
        }
    }

    async fn find_out(&self, held: &Profile) -> Result<Standing, Error> {
        self.probes.find_out(held, &self.pool, &self.settings).await
    }

    /// A container that has the program. It is given up where the host is, before it runs.
    pub(super) async fn load(&self, wanted: &Wanted<'_>) -> Result<Loaded, Error> {
        let loaded = tokio::select! {
            biased;
            loaded = self.load_here(wanted) => loaded,
            () = self.health.until_shut() => Err(Error::Away),
        };
        if let Err(error) = &loaded {
            self.health.blame(error);
        }
        loaded
    }

    /// One that breaks before anything was run is replaced: a container may die while it waits.
    async fn load_here(&self, wanted: &Wanted<'_>) -> Result<Loaded, Error> {
        let Wanted { held, profile, shape, program, egress } = *wanted;
        if let Standing::Refused(reasons) = self.find_out(held).await? {
            return Err(Error::Refused(reasons.join("; ")));
        }
        let mut again = 0..LOADS_MAX;
        loop {
            match self.pool.take(shape).await?.load(profile, program, egress).await {
                Err(Error::Agent(reason)) if again.next().is_some() => {
                    tracing::warn!(reason, "a container broke before its program ran");
                }
                loaded => return loaded,
            }
        }
    }

    /// Whether the engine answers and the image is there.
    pub(super) async fn check(&self, image: Option<&str>) -> Result<(), Error> {
        let checked = tokio::select! {
            checked = self.pool.check(image) => checked,
            () = self.health.until_shut() => return Err(Error::Away),
        };
        match &checked {
            Ok(()) if !self.health.is_shut() => self.health.is_well(),
            Ok(()) => {}
            Err(error) => self.health.failed(error),
        }
        checked
    }

    /// Removes what an earlier life left there.
    pub(super) async fn sweep(&self) -> Result<usize, Error> {
        let swept = tokio::select! {
            swept = self.pool.sweep() => swept,
            () = self.health.until_shut() => return Err(Error::Away),
        };
        if let Err(error) = &swept {
            self.health.blame(error);
        }
        swept
    }

    /// Removes all containers and waits until they are gone, but not for a host that is away: what
    /// it has is left for a sweep.
    pub(super) async fn empty(&self) {
        let mut emptied = std::pin::pin!(self.pool.empty());
        if emptied.as_mut().now_or_never().is_some() {
            return;
        }
        tokio::select! {
            () = emptied => {}
            () = self.health.until_shut() => {}
        }
    }

    /// Asks a host among others now and then whether it is well, for as long as it is polled.
    pub(super) async fn ask(&self) {
        loop {
            match self.health.state().0 {
                State::Healthy => self.ask_whether_well().await,
                State::Away => self.ask_back().await,
            }
        }
    }

    pub(super) fn stock(&self) -> Vec<Stock> {
        self.pool.stock(self.health.name())
    }

    async fn ask_whether_well(&self) {
        let doubted = tokio::time::timeout(ASK_EVERY, self.health.doubted()).await.is_ok();
        let asked = if doubted { self.pool.prove().await } else { self.pool.ping().await };
        if let Err(error) = asked {
            self.health.failed(&error);
        }
    }

    async fn ask_back(&self) {
        tokio::time::sleep(self.health.pause()).await;
        self.pool.forget_engine().await;
        match self.pool.prove().await {
            Ok(()) => {
                self.health.is_well();
                // What it kept while it was away. An error is heard of by whoever asks next.
                drop(self.sweep().await);
            }
            Err(error) => self.health.still_away(&error),
        }
    }
}
