//! What may be used in a day, counted exactly: in a file that replicas on one host share.
//!
//! A day is one of UTC. Must never admit a call that it could not count.

mod caps;
mod file;
#[cfg(test)]
mod tests;

pub use caps::{Caps, Used};

use super::limit::{Limit, Reached, Whose};
use crate::call::{Subject, Timestamp};
use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqliteConnection, SqlitePool, SqlitePoolOptions, SqliteRow};
use sqlx::{Row, Sqlite};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio::time::timeout;

const DAY_MS: i64 = 86_400_000;

/// How many days are kept, this one among them: the clocks of replicas may differ.
const DAYS_KEPT: i64 = 2;

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

#[derive(Debug)]
struct Counter {
    settings: Settings,
    pool: SqlitePool,
    /// The last day of which rows were removed.
    tidied: AtomicI64,
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
        let patience = Duration::from_millis(settings.count_ms_max);
        let options = file::options(&settings.file, patience);
        timeout(patience, file::prepare(&settings.file, &options))
            .await
            .unwrap_or(Err(Error::Timeout))?;
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .acquire_timeout(patience)
            .test_before_acquire(false)
            .connect_lazy_with(options);
        let settings = settings.clone();
        let tidied = AtomicI64::new(0);
        Ok(Self { counter: Some(Arc::new(Counter { settings, pool, tidied })) })
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

impl Settings {
    fn reached(&self, subject: &Used, tenant: &Used) -> Option<Limit> {
        let of_tenant = || self.tenant.reached(Whose::Tenant, tenant);
        self.subject.reached(Whose::Subject, subject).or_else(of_tenant)
    }
}

/// One statement, so that no two calls can both take what is left for one.
const ADMIT: &str = "INSERT INTO used \
     SELECT ?1, ?2, who.subject, 1, 0, 0, 0 \
     FROM (SELECT ?3 AS subject UNION ALL SELECT '') who \
     WHERE NOT EXISTS (SELECT 1 FROM used WHERE day = ?1 AND tenant = ?2 AND (\
     (subject = ?3 AND (calls >= ?4 OR tokens >= ?5 OR cost_microusd >= ?6 \
     OR sandbox_cpu_ms >= ?7)) \
     OR (subject = '' AND (calls >= ?8 OR tokens >= ?9 OR cost_microusd >= ?10 \
     OR sandbox_cpu_ms >= ?11)))) \
     ON CONFLICT (day, tenant, subject) DO UPDATE SET calls = calls + 1";

/// Sums end at a number that every later addition to still fits into.
const ADD: &str = "INSERT INTO used \
     SELECT ?1, ?2, who.subject, ?4, ?5, ?6, ?7 \
     FROM (SELECT ?3 AS subject UNION ALL SELECT '') who WHERE true \
     ON CONFLICT (day, tenant, subject) DO UPDATE SET \
     calls = min(calls + excluded.calls, 1000000000000000000), \
     tokens = min(tokens + excluded.tokens, 1000000000000000000), \
     cost_microusd = min(cost_microusd + excluded.cost_microusd, 1000000000000000000), \
     sandbox_cpu_ms = min(sandbox_cpu_ms + excluded.sandbox_cpu_ms, 1000000000000000000)";
const SUM_MAX: i64 = 1_000_000_000_000_000_000;

const READ: &str = "SELECT subject, calls, tokens, cost_microusd, sandbox_cpu_ms FROM used \
     WHERE day = ?1 AND tenant = ?2 AND subject IN (?3, '')";

impl Counter {
    async fn admit(&self, subject: &Subject, now: Timestamp) -> Result<Result<(), Reached>, Error> {
        let mut connection = self.pool.acquire().await?;
        let admitted = self.admit_on(&mut connection, subject, now).await;
        if admitted.is_err() {
            // Nothing of a connection is trusted after a failure: the next one is had anew.
            let _ = connection.close().await;
        }
        admitted
    }

    async fn admit_on(
        &self,
        connection: &mut SqliteConnection,
        subject: &Subject,
        now: Timestamp,
    ) -> Result<Result<(), Reached>, Error> {
        self.tidy(connection, day(now)).await?;
        let mut query = sqlx::query(ADMIT).bind(day(now)).bind(&*subject.tenant).bind(&*subject.id);
        for (_, cap) in [self.settings.subject.by_unit(), self.settings.tenant.by_unit()].concat() {
            query = query.bind(cap.map_or(i64::MAX, whole));
        }
        if query.execute(&mut *connection).await?.rows_affected() > 0 {
            return Ok(Ok(()));
        }
        let (of_subject, of_tenant) = read(connection, subject, now).await?;
        let limit = self.settings.reached(&of_subject, &of_tenant).ok_or(Error::Uncounted)?;
        Ok(Err(until_midnight(limit, now)))
    }

    async fn add(&self, subject: &Subject, now: Timestamp, used: &Used) -> Result<(), Error> {
        let mut query = sqlx::query(ADD).bind(day(now)).bind(&*subject.tenant).bind(&*subject.id);
        for amount in [used.calls, used.tokens, used.cost_microusd, used.sandbox_cpu_ms] {
            query = query.bind(whole(amount).min(SUM_MAX));
        }
        self.write(query).await
    }

    async fn check(&self) -> Result<(), Error> {
        self.write(sqlx::query("UPDATE used SET calls = calls WHERE day < 0")).await
    }

    async fn write(&self, query: Query<'_, Sqlite, SqliteArguments>) -> Result<(), Error> {
        let mut connection = self.pool.acquire().await?;
        let written = query.execute(&mut *connection).await;
        if written.is_err() {
            // As above.
            let _ = connection.close().await;
        }
        written?;
        Ok(())
    }

    /// Removes the rows of days that are over, once a day.
    async fn tidy(&self, connection: &mut SqliteConnection, day: i64) -> Result<(), Error> {
        if self.tidied.load(Ordering::Relaxed) >= day {
            return Ok(());
        }
        let oldest = day.saturating_sub(DAYS_KEPT).saturating_add(1);
        sqlx::query("DELETE FROM used WHERE day < ?1").bind(oldest).execute(connection).await?;
        self.tidied.store(day, Ordering::Relaxed);
        Ok(())
    }

    async fn in_time<T>(&self, answer: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let patience = Duration::from_millis(self.settings.count_ms_max);
        timeout(patience, answer).await.unwrap_or(Err(Error::Timeout))
    }
}

/// What the subject and its tenant used on this day.
async fn read(
    connection: &mut SqliteConnection,
    subject: &Subject,
    now: Timestamp,
) -> Result<(Used, Used), Error> {
    let rows = sqlx::query(READ)
        .bind(day(now))
        .bind(&*subject.tenant)
        .bind(&*subject.id)
        .fetch_all(connection)
        .await?;
    let (mut of_subject, mut of_tenant) = (Used::default(), Used::default());
    for row in &rows {
        match row.try_get("subject")? {
            "" => of_tenant = used(row)?,
            _ => of_subject = used(row)?,
        }
    }
    Ok((of_subject, of_tenant))
}

fn used(row: &SqliteRow) -> Result<Used, Error> {
    let amount = |column| row.try_get::<i64, _>(column).map(i64::unsigned_abs);
    Ok(Used {
        calls: amount("calls")?,
        tokens: amount("tokens")?,
        cost_microusd: amount("cost_microusd")?,
        sandbox_cpu_ms: amount("sandbox_cpu_ms")?,
    })
}

/// Days since 1970-01-01, in UTC.
const fn day(now: Timestamp) -> i64 {
    now.unix_ms().div_euclid(DAY_MS)
}

fn until_midnight(limit: Limit, now: Timestamp) -> Reached {
    let left = DAY_MS.saturating_sub(now.unix_ms().rem_euclid(DAY_MS));
    Reached { limit, retry_after_ms: Some(left.unsigned_abs()) }
}

/// SQLite's numbers end sooner than ours.
fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
