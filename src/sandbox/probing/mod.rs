//! Which profiles hold on this engine: a container of each is looked at from inside before any
//! program of a caller runs in one.
//!
//! Must never call a profile ready of which nothing is known.

mod seen;
mod shortfall;
#[cfg(test)]
mod tests;

pub(super) use shortfall::Swap;

use super::container;
use super::engine::Abilities;
use super::pool::Pool;
use super::{End, Error, Program, Run, Settings};
use crate::call::{Language, Source};
use crate::policy::{Limit, Profile, Runtime};
use seen::Seen;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;

/// What looks around in a container.
const LOOK: &str = include_str!("look.py");
/// What starts processes until there are `COUNT`, or no more can be.
const CROWD: &str = include_str!("crowd.py");

/// What these programs may use, whatever the profile says: they are Regate's own.
const LOOK_MS_MAX: u64 = 30_000;
const LOOK_BYTES_MAX: u64 = 64 << 10;

/// What is known of a profile on this engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// All of its limits hold.
    Ready,
    /// Something of it does not hold, or it cannot be had. For the operator.
    Refused(Vec<String>),
    /// The engine did not answer, or was not asked yet.
    Unknown,
}

/// What was found out; a cell for each profile, within the ceilings.
#[derive(Debug, Default)]
pub(super) struct Probes {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    abilities: Option<Abilities>,
    cells: BTreeMap<Profile, Arc<OnceCell<Standing>>>,
}

impl Standing {
    /// Its name in replies and metrics.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Refused(_) => "refused",
            Self::Unknown => "unknown",
        }
    }
}

impl Probes {
    /// What is known already.
    pub(super) fn standing(&self, profile: &Profile) -> Standing {
        let known = self.lock();
        let found = known.cells.get(profile).and_then(|cell| cell.get().cloned());
        found.unwrap_or(Standing::Unknown)
    }

    /// What is known, or else is found out now: by one of those who ask, while the others wait.
    ///
    /// # Errors
    /// Where it cannot be found out. Who asks next tries again.
    pub(super) async fn find_out(
        &self,
        profile: &Profile,
        pool: &Pool,
        settings: &Settings,
    ) -> Result<Standing, Error> {
        let cell = Arc::clone(self.lock().cells.entry(profile.clone()).or_default());
        // A container is made, runs a program, and is made anew where one broke.
        let patience = settings.engine_ms_max.saturating_mul(2).saturating_add(LOOK_MS_MAX);
        let found = cell.get_or_try_init(|| probe(profile, pool, settings));
        match tokio::time::timeout(Duration::from_millis(patience), found).await {
            Ok(found) => found.cloned(),
            Err(_) => Err(Error::Timeout("probe")),
        }
    }

    /// Forgets what was found out of other engines than the one that is there now, and profiles
    /// that are not asked for any more. Where none is there, nothing is known.
    pub(super) fn keep(&self, now: Option<Abilities>, wanted: &[Profile]) {
        let mut known = self.lock();
        let another = known.abilities.is_some() && known.abilities != now;
        if now.is_none() || another {
            known.cells.clear();
        }
        known.cells.retain(|profile, _| wanted.contains(profile));
        known.abilities = now;
    }

    /// What is known is whole between any two of its changes.
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn probe(profile: &Profile, pool: &Pool, settings: &Settings) -> Result<Standing, Error> {
    let abilities = pool.engine().await?.abilities().await?;
    let runtime = profile.runtime.as_str();
    let standing = if abilities.has_runtime(runtime) {
        of_containers(profile, pool, settings, abilities.swap).await?
    } else {
        Standing::Refused(vec![format!("the engine has no runtime `{runtime}`")])
    };
    tell(profile, &standing);
    Ok(standing)
}

async fn of_containers(
    profile: &Profile,
    pool: &Pool,
    settings: &Settings,
    swap: Swap,
) -> Result<Standing, Error> {
    let run = run(profile, pool, settings, LOOK.to_owned()).await?;
    let mut shortfalls = match Seen::read(&run.stdout) {
        Ok(seen) => shortfall::shortfalls(profile, &seen, swap),
        Err(_) => vec![format!("what looks around in it ended without a word: {:?}", run.end)],
    };
    if profile.runtime == Runtime::Runsc && shortfalls.is_empty() {
        shortfalls.extend(of_a_crowd(profile, pool, settings).await?);
    }
    Ok(if shortfalls.is_empty() { Standing::Ready } else { Standing::Refused(shortfalls) })
}

/// gVisor shows no control group: as few processes as may be are allowed, and more are started. Its
/// own kernel refuses them, or in a user namespace of theirs, where it does not count, the host ends
/// all.
async fn of_a_crowd(
    profile: &Profile,
    pool: &Pool,
    settings: &Settings,
) -> Result<Option<String>, Error> {
    let pids_max = u32::try_from(profile.runtime.least(Limit::PidsMax)).unwrap_or(u32::MAX);
    let few = Profile { pids_max, ..profile.clone() };
    let unseen = container::host_threads_max(few.runtime, pids_max);
    let crowd = format!("SEEN, UNSEEN = {pids_max}, {unseen}\n{CROWD}");
    let Run { end, stdout, .. } = run(&few, pool, settings, crowd).await?;
    let held = match end {
        End::Exited(_) => stdout.trim() == "refused",
        End::Signalled(_) => true,
        End::TimedOut | End::OutOfMemory => false,
    };
    Ok((!held).then(|| format!("pids_max: more processes than {pids_max} can be started")))
}

/// Runs a program of Regate's own, as any other is run, in a container that is nobody else's.
async fn run(
    profile: &Profile,
    pool: &Pool,
    settings: &Settings,
    program: String,
) -> Result<Run, Error> {
    let shape = settings.shape(profile, &[])?;
    let roomy =
        Profile { wall_ms: LOOK_MS_MAX, output_bytes_max: LOOK_BYTES_MAX, ..profile.clone() };
    let source = Source::new(Language::Python, program.into_bytes());
    let program = Program::alone(&source);
    pool.make(&shape).await?.load(&roomy, program, None).await?.run(program.files, None).await
}

fn tell(profile: &Profile, standing: &Standing) {
    match standing {
        Standing::Ready => note(profile),
        Standing::Refused(reasons) => warn(profile, &reasons.join("; ")),
        Standing::Unknown => {}
    }
}

fn note(profile: &Profile) {
    let (runtime, image) = (profile.runtime.as_str(), &*profile.image);
    tracing::info!(runtime, image, "a sandbox profile holds");
}

fn warn(profile: &Profile, reasons: &str) {
    let (runtime, image) = (profile.runtime.as_str(), &*profile.image);
    tracing::warn!(runtime, image, reasons, "a sandbox profile is refused");
}
