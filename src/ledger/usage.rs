//! What was reported to have been used in a session: a running sum, so that to read it takes no
//! longer for many reports than for one.

use super::Error;
use super::columns::Columns;
use crate::call::{Subject, Usage};
use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqlitePool};

/// Adds a report. What one may say is bounded, so the sum stays a number of SQLite's for nearly a
/// thousand million of them.
const ADD: &str = "INSERT INTO usage (tenant, subject, session, tokens, cost_microusd, at_ms) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
     ON CONFLICT (tenant, subject, session) DO UPDATE SET tokens = tokens + excluded.tokens, \
     cost_microusd = cost_microusd + excluded.cost_microusd, at_ms = max(at_ms, excluded.at_ms)";

/// What was noted of a session, unless it is forgotten.
pub(super) const NOTED: &str = "SELECT tokens, cost_microusd FROM usage \
     WHERE tenant = ?1 AND subject = ?2 AND session = ?3 \
     AND at_ms >= (SELECT forgotten_before_ms FROM meta WHERE one = 1)";

const FORGET: &str =
    "DELETE FROM usage WHERE tenant = ?1 AND subject = ?2 AND session = ?3 AND at_ms < ?4";

const KEEP: &str = "UPDATE usage SET at_ms = max(at_ms, ?4) \
     WHERE tenant = ?1 AND subject = ?2 AND session = ?3";

pub(super) async fn add(
    connection: &mut SqliteConnection,
    columns: &Columns,
    usage: &Usage,
    forgotten_before_ms: i64,
) -> Result<(), Error> {
    of_session(connection, FORGET, columns, forgotten_before_ms).await?;
    sqlx::query(ADD)
        .bind(&columns.tenant)
        .bind(&columns.subject)
        .bind(&columns.session)
        .bind(number(usage.tokens))
        .bind(number(usage.cost_microusd))
        .bind(columns.at_ms)
        .execute(connection)
        .await?;
    Ok(())
}

/// A step of the session keeps what was reported of it from being forgotten before the session
/// is.
pub(super) async fn keep(
    connection: &mut SqliteConnection,
    columns: &Columns,
    forgotten_before_ms: i64,
) -> Result<(), Error> {
    of_session(connection, FORGET, columns, forgotten_before_ms).await?;
    of_session(connection, KEEP, columns, columns.at_ms).await
}

async fn of_session(
    connection: &mut SqliteConnection,
    statement: &'static str,
    columns: &Columns,
    moment_ms: i64,
) -> Result<(), Error> {
    sqlx::query(statement)
        .bind(&columns.tenant)
        .bind(&columns.subject)
        .bind(&columns.session)
        .bind(moment_ms)
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn read(
    pool: &SqlitePool,
    subject: &Subject,
    session: &str,
) -> Result<Usage, Error> {
    let row = sqlx::query(NOTED)
        .bind(&*subject.tenant)
        .bind(&*subject.id)
        .bind(session)
        .fetch_optional(pool)
        .await?;
    let Some(row) = row else { return Ok(Usage::default()) };
    Ok(Usage {
        tokens: row.try_get::<i64, _>("tokens")?.unsigned_abs(),
        cost_microusd: row.try_get::<i64, _>("cost_microusd")?.unsigned_abs(),
    })
}

fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
