//! The hosts that programs run on, and which of them a program is taken to.
//!
//! Must never run a program twice: it is taken to another host only where nothing of it was run.

mod health;
mod host;
#[cfg(test)]
mod tests;

pub use health::State;
pub(super) use health::{Company, Health, Place};

use super::container::Shape;
use super::egress::Egress;
use super::engine::Endpoint;
use super::life::Loaded;
use super::pool::{Pool, Stock};
use super::probing::Probes;
use super::turns::{Suits, Turn, Turns};
use super::{Error, Program, Settings, Standing};
use crate::call::{Subject, Text};
use crate::policy::Profile;
use futures_util::future::join_all;
use host::Host;
use std::sync::Arc;
use std::time::Duration;

/// All hosts of one sandbox.
#[derive(Debug)]
pub(super) struct Hosts {
    hosts: Arc<[Host]>,
    turns: Turns,
    wait_ms_max: u64,
}

/// What is known of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostState {
    /// Its name in the settings.
    pub name: Text,
    /// Whether programs are taken to it.
    pub state: State,
    /// For how long that has been so.
    pub lasted: Duration,
    /// How many programs run there, or are about to.
    pub running: u32,
    /// How many containers there are, from when one is ordered until it is gone.
    pub containers: usize,
}

/// A program, and what it is to run in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// The profile as it was looked at: within the ceilings, and not tightened.
    pub(super) held: &'a Profile,
    /// What holds for this run.
    pub(super) profile: &'a Profile,
    /// Its container's.
    pub(super) shape: &'a Shape,
    /// The program.
    pub(super) program: Program<'a>,
    /// Its connections, where it may have any.
    pub(super) egress: Option<&'a Egress>,
}

/// A program that is in its container, and the turn that it runs in.
#[derive(Debug)]
pub(super) struct Seated {
    pub(super) turn: Turn,
    pub(super) loaded: Loaded,
}

impl Hosts {
    /// Takes the settings of each. Nothing is said to any of them yet.
    ///
    /// # Errors
    /// Where one of them cannot be meant, or its certificates cannot be read.
    pub(super) fn new(settings: &Settings) -> Result<Self, Error> {
        let each = || settings.hosts.iter().map(|host| settings.at(host));
        let turns = each().map(|settings| settings.runs_at_once_max);
        let turns = Turns::new(turns, settings.weights.clone());
        let company = if settings.hosts.len() > 1 { Company::Others } else { Company::Alone };
        let host = |(number, host)| {
            let place = Place { turns: turns.clone(), number, company };
            new_host(settings, host, place)
        };
        let hosts = settings.hosts.iter().enumerate().map(host).collect::<Result<_, Error>>()?;
        Ok(Self { hosts, turns, wait_ms_max: settings.wait_ms_max })
    }

    /// Waits for a turn, and puts the program into a container: of the hosts that are well and can
    /// hold it, at the one where most containers of its shape wait. A host that cannot begin with
    /// it is passed over.
    pub(super) async fn load(
        &self,
        subject: &Subject,
        wanted: &Wanted<'_>,
    ) -> Result<Seated, Error> {
        if let Standing::Refused(reasons) = self.standing(wanted.held) {
            return Err(Error::Refused(reasons.join("; ")));
        }
        let (mut passed_over, mut last) = (Vec::new(), Error::Away);
        while let Some(turn) = self.turn(subject, self.suits(wanted, &passed_over)).await? {
            let Some(host) = self.hosts.get(turn.place()) else { break };
            match host.load(wanted).await {
                Ok(loaded) => return Ok(Seated { turn, loaded }),
                Err(Error::GivenUp) => return Err(Error::GivenUp),
                Err(error) => {
                    tracing::debug!(host = &**host.health.name(), %error, "nothing was begun");
                    passed_over.push(turn.place());
                    last = error;
                }
            }
        }
        Err(last)
    }

    /// What became of a run there.
    pub(super) fn heard<T>(&self, turn: &Turn, run: &Result<T, Error>) {
        if let (Some(host), Err(error)) = (self.hosts.get(turn.place()), run) {
            host.health.blame(error);
        }
    }

    /// Whether programs can be run: with one host, whether it answers and has the image, and with
    /// several, whether any does.
    pub(super) async fn check(&self, image: Option<&str>) -> Result<(), Error> {
        any(self.each(|host| host.check(image)).await).map(drop)
    }

    /// Sweeps all of them; how many containers were removed.
    pub(super) async fn sweep(&self) -> Result<usize, Error> {
        any(self.each(Host::sweep).await).map(|swept| swept.into_iter().sum())
    }

    /// Has profiles, within the ceilings, looked at on each of them.
    pub(super) async fn look_at(&self, held: &[Profile]) {
        self.each(|host| host.look_at(held)).await;
    }

    /// What is known of a profile: it is ready where one can hold it, and refused where none can.
    pub(super) fn standing(&self, held: &Profile) -> Standing {
        let mut all = Vec::new();
        let mut unknown = false;
        for host in self.hosts.iter() {
            match host.probes.standing(held) {
                Standing::Ready => return Standing::Ready,
                Standing::Unknown => unknown = true,
                Standing::Refused(reasons) => all.extend(reasons),
            }
        }
        all.sort_unstable();
        all.dedup();
        if unknown { Standing::Unknown } else { Standing::Refused(all) }
    }

    pub(super) fn prepare(&self, shape: &Shape) {
        self.hosts.iter().for_each(|host| host.pool.prepare(shape));
    }

    /// Looks after the stock of each, and with several, after the hosts themselves.
    pub(super) async fn tend(&self) {
        let asks = async {
            if self.hosts.len() > 1 {
                self.each(Host::ask).await;
            }
        };
        let tends = join_all(self.hosts.iter().map(|host| host.pool.tend()));
        tokio::join!(tends, asks);
    }

    pub(super) async fn drain(&self) {
        self.turns.all_back().await;
        self.each(Host::empty).await;
    }

    pub(super) fn waiting(&self) -> usize {
        self.turns.waiting()
    }

    pub(super) fn stock(&self) -> Vec<Stock> {
        self.hosts.iter().flat_map(Host::stock).collect()
    }

    pub(super) fn states(&self) -> Vec<HostState> {
        self.hosts.iter().map(Host::now).collect()
    }

    async fn each<'a, Asked: Future>(
        &'a self,
        ask: impl Fn(&'a Host) -> Asked,
    ) -> Vec<Asked::Output> {
        join_all(self.hosts.iter().map(ask)).await
    }

    fn suits(&self, wanted: &Wanted<'_>, passed_over: &[usize]) -> Arc<Suits> {
        let (held, shape) = (wanted.held.clone(), wanted.shape.clone());
        let (hosts, passed_over) = (Arc::clone(&self.hosts), passed_over.to_vec());
        Arc::new(move |place| {
            let passed_over = passed_over.contains(&place);
            if passed_over { None } else { hosts.get(place)?.suits(&held, &shape) }
        })
    }

    async fn turn(&self, subject: &Subject, suits: Arc<Suits>) -> Result<Option<Turn>, Error> {
        let turn = self.turns.take(subject, suits);
        tokio::time::timeout(Duration::from_millis(self.wait_ms_max), turn)
            .await
            .map_err(|_| Error::Busy(self.wait_ms_max))
    }
}

fn new_host(
    settings: &Settings,
    host: &super::settings::Host,
    place: Place,
) -> Result<Host, Error> {
    let endpoint = Endpoint::new(&host.endpoint, host.certificates.as_deref())?;
    let pause_max = Duration::from_millis(settings.away_ms_max);
    let health = Arc::new(Health::new(&host.name, place, pause_max));
    let settings = settings.at(host);
    let pool = Pool::new(settings.clone(), endpoint, Arc::clone(&health));
    Ok(Host { settings, pool, health, probes: Probes::default() })
}

/// The answers that there are, or where there is none, why the first did not come.
fn any<T>(answers: Vec<Result<T, Error>>) -> Result<Vec<T>, Error> {
    let (mut there, mut missing) = (Vec::new(), None);
    for answer in answers {
        match answer {
            Ok(answer) => there.push(answer),
            Err(error) => missing = missing.or(Some(error)),
        }
    }
    match missing {
        Some(error) if there.is_empty() => Err(error),
        _ => Ok(there),
    }
}
