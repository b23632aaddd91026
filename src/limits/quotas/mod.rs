//! What may be used in a day, counted exactly: in a file that replicas on one host share.
//!
//! A day is one of UTC. Must never admit a call that it could not count.

mod caps;
mod counter;
mod file;
#[cfg(test)]
mod tests;

pub use caps::Used;

use super::limit::Reached;
use crate::call::{Allowances, DayCaps, Subject, Timestamp};
use caps::Quota;
use counter::{Counter, until_midnight};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::timeout;

/// What is used and may be, and where it is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The database file, `quotas.db` in the data directory unless replicas share another.
    pub file: PathBuf,
    /// How long counting may take before its call is refused.
    pub count_ms_max: u64,
    /// What one subject may use.
    pub subject: DayCaps,
    /// What all subjects of one tenant together may use.
    pub tenant: DayCaps,
}

impl Settings {
    /// No quotas, in a data directory.
    pub fn in_directory(directory: &Path) -> Self {
        Self {
            file: directory.join("quotas.db"),
            count_ms_max: 2_000,
            subject: DayCaps::default(),
            tenant: DayCaps::default(),
        }
    }

    const fn patience(&self) -> Duration {
        Duration::from_millis(self.count_ms_max)
    }

    const fn quota(&self) -> Quota {
        Quota { subject: self.subject, tenant: self.tenant }
    }
}

/// What went wrong with counting. For the log, never for callers.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database refused.
    #[error("the quotas' database refused: {0}")]
    Database(#[from] sqlx::Error),
    /// Counting took too long.
    #[error("the quotas' database did not answer in time")]
    Timeout,
    /// A call was not counted, and no quota is the reason.
    #[error("the quotas' database does not count")]
    Uncounted,
    /// The file is something else.
    #[error("`{}` does not hold quotas of this version", .0.display())]
    Foreign(PathBuf),
    /// The file or its directory cannot be had.
    #[error("`{}`: {reason}", .file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What the operating system says.
        reason: String,
    },
}

impl Error {
    /// The word for it in metrics: a closed set.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Database(_) => "database",
            Self::Timeout => "timeout",
            Self::Uncounted => "uncounted",
            Self::Foreign(_) => "foreign",
            Self::File { .. } => "file",
        }
    }
}

/// Counts what is used, where anything is capped.
#[derive(Debug, Clone)]
pub struct Quotas(Arc<Counting>);

#[derive(Debug)]
struct Counting {
    /// Where to count, and what no bundle may raise; `None` where there is nowhere to.
    settings: Option<Settings>,
    in_force: RwLock<Quota>,
    counter: OnceCell<Counter>,
}

impl Quotas {
    /// Has nowhere to count: admits as long as nothing is capped.
    pub fn none() -> Self {
        Self::new(None)
    }

    /// Opens or makes the database, where the settings cap anything.
    ///
    /// # Errors
    /// Where the file cannot be had or is something else.
    pub async fn open(settings: &Settings) -> Result<Self, Error> {
        let quotas = Self::new(Some(settings.clone()));
        quotas.counter_for(&quotas.in_force()).await?;
        Ok(quotas)
    }

    fn new(settings: Option<Settings>) -> Self {
        let in_force = settings.as_ref().map_or_else(Quota::default, Settings::quota);
        let counter = OnceCell::new();
        Self(Arc::new(Counting { settings, in_force: RwLock::new(in_force), counter }))
    }

    /// Puts in force what a bundle allows, as far as the settings do. Where that caps something
    /// for the first time, the database is opened or made with the next use: what was used before
    /// is not counted.
    pub fn put_in_force(&self, allowed: &Allowances) {
        let ceilings = self.0.settings.as_ref().map_or_else(Quota::default, Settings::quota);
        let mut in_force = self.0.in_force.write().unwrap_or_else(PoisonError::into_inner);
        *in_force = ceilings.within(allowed);
    }

    /// It is replaced as a whole, so a panic elsewhere leaves it as good as it was.
    fn in_force(&self) -> Quota {
        *self.0.in_force.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The database, where anything is capped. What could not be had is tried again.
    async fn counter_for(&self, quota: &Quota) -> Result<Option<&Counter>, Error> {
        if !quota.caps_anything() {
            return Ok(None);
        }
        let settings = self.0.settings.as_ref().ok_or(Error::Uncounted)?;
        // Those that wait for another's attempt wait no longer than one that counts.
        let opening = self.0.counter.get_or_try_init(|| opened(settings));
        timeout(settings.patience(), opening).await.unwrap_or(Err(Error::Timeout)).map(Some)
    }

    /// Counts one call, where the quotas of its subject and its tenant have room for it. Both
    /// are counted or none.
    ///
    /// # Errors
    /// Where it cannot be counted, and so must not be admitted.
    pub async fn admit(
        &self,
        subject: &Subject,
        now: Timestamp,
    ) -> Result<Result<(), Reached>, Error> {
        let quota = self.in_force();
        let Some(counter) = self.counter_for(&quota).await? else { return Ok(Ok(())) };
        if let Some(limit) = quota.reached(&Used::default(), &Used::default()) {
            return Ok(Err(until_midnight(limit, now)));
        }
        counter.in_time(counter.admit(&quota, subject, now)).await
    }

    /// Whether a use could be counted now, where it has to be: tried by writing what changes
    /// nothing.
    ///
    /// # Errors
    /// Where it could not.
    pub async fn check(&self) -> Result<(), Error> {
        match self.counter_for(&self.in_force()).await? {
            Some(counter) => counter.in_time(counter.check()).await,
            None => Ok(()),
        }
    }

    /// Adds to what was used. What is used up is refused from the next call on.
    ///
    /// # Errors
    /// Where it cannot be counted.
    pub async fn add(&self, subject: &Subject, now: Timestamp, used: &Used) -> Result<(), Error> {
        if *used == Used::default() {
            return Ok(());
        }
        match self.counter_for(&self.in_force()).await? {
            Some(counter) => counter.in_time(counter.add(subject, now, used)).await,
            None => Ok(()),
        }
    }
}

async fn opened(settings: &Settings) -> Result<Counter, Error> {
    let options = file::options(&settings.file, settings.patience());
    file::prepare(&settings.file, &options).await?;
    Ok(Counter::new(settings.patience(), options))
}
