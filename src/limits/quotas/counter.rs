//! The database of what was used, and the statements that count in it.
//!
//! Each count is one statement, so that no two calls can both take what is left for one.

use super::Error;
use super::caps::{Quota, Used};
use crate::call::{Subject, Timestamp};
use crate::limits::limit::{Limit, Reached};
use sqlx::query::Query;
use sqlx::sqlite::{
    SqliteArguments, SqliteConnectOptions, SqliteConnection, SqlitePool, SqlitePoolOptions,
    SqliteRow,
};
use sqlx::{Row, Sqlite};
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio::time::timeout;

pub(super) const DAY_MS: i64 = 86_400_000;

/// How many days are kept, this one among them: the clocks of replicas may differ.
const DAYS_KEPT: i64 = 2;

#[derive(Debug)]
pub(super) struct Counter {
    /// How long counting may take.
    patience: Duration,
    pub(super) pool: SqlitePool,
    /// The last day of which rows were removed.
    tidied: AtomicI64,
}

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
    pub(super) fn new(patience: Duration, options: SqliteConnectOptions) -> Self {
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .acquire_timeout(patience)
            .test_before_acquire(false)
            .connect_lazy_with(options);
        Self { patience, pool, tidied: AtomicI64::new(0) }
    }

    pub(super) async fn admit(
        &self,
        quota: &Quota,
        subject: &Subject,
        now: Timestamp,
    ) -> Result<Result<(), Reached>, Error> {
        let mut connection = self.pool.acquire().await?;
        let admitted = self.admit_on(&mut connection, quota, subject, now).await;
        if admitted.is_err() {
            // Nothing of a connection is trusted after a failure: the next one is had anew.
            let _ = connection.close().await;
        }
        admitted
    }

    async fn admit_on(
        &self,
        connection: &mut SqliteConnection,
        quota: &Quota,
        subject: &Subject,
        now: Timestamp,
    ) -> Result<Result<(), Reached>, Error> {
        self.tidy(connection, day(now)).await?;
        let mut query = sqlx::query(ADMIT).bind(day(now)).bind(&*subject.tenant).bind(&*subject.id);
        for cap in quota.numbers() {
            query = query.bind(cap.map_or(i64::MAX, whole));
        }
        if query.execute(&mut *connection).await?.rows_affected() > 0 {
            return Ok(Ok(()));
        }
        let (of_subject, of_tenant) = read(connection, subject, now).await?;
        let limit = quota.reached(&of_subject, &of_tenant).ok_or(Error::Uncounted)?;
        Ok(Err(until_midnight(limit, now)))
    }

    pub(super) async fn add(
        &self,
        subject: &Subject,
        now: Timestamp,
        used: &Used,
    ) -> Result<(), Error> {
        let mut query = sqlx::query(ADD).bind(day(now)).bind(&*subject.tenant).bind(&*subject.id);
        for amount in [used.calls, used.tokens, used.cost_microusd, used.sandbox_cpu_ms] {
            query = query.bind(whole(amount).min(SUM_MAX));
        }
        self.write(query).await
    }

    pub(super) async fn check(&self) -> Result<(), Error> {
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

    pub(super) async fn in_time<T>(
        &self,
        answer: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        timeout(self.patience, answer).await.unwrap_or(Err(Error::Timeout))
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

pub(super) fn until_midnight(limit: Limit, now: Timestamp) -> Reached {
    let left = DAY_MS.saturating_sub(now.unix_ms().rem_euclid(DAY_MS));
    Reached { limit, retry_after_ms: Some(left.unsigned_abs()) }
}

/// SQLite's numbers end sooner than ours.
fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
