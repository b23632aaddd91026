//! What was reported to have been used in a session: a running sum, so that to read it takes no
//! longer for many reports than for one.

use super::Error;
use super::columns::Columns;
use crate::call::{Subject, Usage};
use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqlitePool};

/// Adds a report. What one may say is bounded, so the sum stays a number of SQLite's for nearly a
/// thousand million of them.
const ADD: &str = "INSERT INTO usage (tenant, subject, session, tokens, cost_microusd) \
     VALUES (?1, ?2, ?3, ?4, ?5) \
     ON CONFLICT (tenant, subject, session) DO UPDATE SET tokens = tokens + excluded.tokens, \
     cost_microusd = cost_microusd + excluded.cost_microusd";

/// What was noted of a session.
pub(super) const NOTED: &str = "SELECT tokens, cost_microusd FROM usage \
     WHERE tenant = ?1 AND subject = ?2 AND session = ?3";

pub(super) async fn add(
    connection: &mut SqliteConnection,
    columns: &Columns,
    usage: &Usage,
) -> Result<(), Error> {
    sqlx::query(ADD)
        .bind(&columns.tenant)
        .bind(&columns.subject)
        .bind(&columns.session)
        .bind(number(usage.tokens))
        .bind(number(usage.cost_microusd))
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
