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
     VALUES (?1, ?2, ?3, json_extract(?4, '$.tokens'), json_extract(?4, '$.cost_microusd')) \
     ON CONFLICT (tenant, subject, session) DO UPDATE SET tokens = tokens + excluded.tokens, \
     cost_microusd = cost_microusd + excluded.cost_microusd";

/// What was noted of a session.
pub(super) const NOTED: &str = "SELECT tokens, cost_microusd FROM usage \
     WHERE tenant = ?1 AND subject = ?2 AND session = ?3";

/// How many sums are not those of the records. One statement, so that it sees one moment.
pub(super) const DIFFERENCES: &str = "WITH told AS (SELECT tenant, subject, session, \
     sum(json_extract(body, '$.tokens')) AS tokens, \
     sum(json_extract(body, '$.cost_microusd')) AS cost_microusd \
     FROM records WHERE kind = 'usage' GROUP BY tenant, subject, session), \
     noted AS (SELECT tenant, subject, session, tokens, cost_microusd FROM usage) \
     SELECT (SELECT coalesce(max(seq), 0) FROM records) AS last_seq, \
     (SELECT count(*) FROM (SELECT * FROM told EXCEPT SELECT * FROM noted)) \
     + (SELECT count(*) FROM (SELECT * FROM noted EXCEPT SELECT * FROM told)) AS differences";

pub(super) async fn add(
    connection: &mut SqliteConnection,
    columns: &Columns,
    body: &str,
) -> Result<(), Error> {
    sqlx::query(ADD)
        .bind(&columns.tenant)
        .bind(&columns.subject)
        .bind(&columns.session)
        .bind(body)
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
