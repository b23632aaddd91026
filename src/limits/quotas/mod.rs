//! What may be used in a day, counted exactly: in a file that replicas on one host share.
//!
//! A day is one of UTC. Must never admit a call that it could not count.

mod caps;
mod counter;
mod file;
#[cfg(test)]
mod tests;

pub use caps::{Caps, Used};

use super::limit::{Limit, Reached, Whose};
use crate::call::{Subject, Timestamp};
use counter::{Counter, until_midnight};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// What is used and may be, and where it is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The database file, `quotas.db` in the data directory unless replicas share another.
    pub file: PathBuf,
    /// How long counting may take before its call is refused.
    pub count_ms_max: u64,
    /// What one subject may use.
    pub subject: Caps,
    /// What all subjects of one tenant together may use.
    pub tenant: Caps,
}

impl Settings {
    /// No quotas, in a data directory.
    pub fn in_directory(directory: &Path) -> Self {
        Self {
            file: directory.join("quotas.db"),
            count_ms_max: 2_000,
            subject: Caps::default(),
            tenant: Caps::default(),
        }
    }

    const fn patience(&self) -> Duration {
        Duration::from_millis(self.count_ms_max)
    }

    /// The first quota that leaves no room for one call more.
    fn reached(&self, subject: &Used, tenant: &Used) -> Option<Limit> {
        let of_tenant = || self.tenant.reached(Whose::Tenant, tenant);
        self.subject.reached(Whose::Subject, subject).or_else(of_tenant)
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
pub struct Quotas {
    counter: Option<Arc<Counter>>,
}

impl Quotas {
    /// Caps nothing and counts nothing.
    pub const fn none() -> Self {
        Self { counter: None }
    }

    /// Opens or makes the database, where the settings cap anything.
    ///
    /// # Errors
    /// Where the file cannot be had or is something else.
    pub async fn open(settings: &Settings) -> Result<Self, Error> {
        if !settings.subject.any() && !settings.tenant.any() {
            return Ok(Self::none());
        }
        let options = file::options(&settings.file, settings.patience());
        timeout(settings.patience(), file::prepare(&settings.file, &options))
            .await
            .unwrap_or(Err(Error::Timeout))?;
        Ok(Self { counter: Some(Arc::new(Counter::new(settings.clone(), options))) })
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
        let Some(counter) = &self.counter else { return Ok(Ok(())) };
        if let Some(limit) = counter.settings.reached(&Used::default(), &Used::default()) {
            return Ok(Err(until_midnight(limit, now)));
        }
        counter.in_time(counter.admit(subject, now)).await
    }

    /// Whether a use could be counted now: tried by writing what changes nothing.
    ///
    /// # Errors
    /// Where it could not.
    pub async fn check(&self) -> Result<(), Error> {
        match &self.counter {
            Some(counter) => counter.in_time(counter.check()).await,
            None => Ok(()),
        }
    }

    /// Adds to what was used. What is used up is refused from the next call on.
    ///
    /// # Errors
    /// Where it cannot be counted.
    pub async fn add(&self, subject: &Subject, now: Timestamp, used: &Used) -> Result<(), Error> {
        match &self.counter {
            Some(counter) if *used != Used::default() => {
                counter.in_time(counter.add(subject, now, used)).await
            }
            Some(_) | None => Ok(()),
        }
    }
}
