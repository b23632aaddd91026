//! How sessions and subjects stand after each record: the tables of `standing.sql`.
//!
//! The writer keeps them, and the verifier makes them anew from the records with the same
//! statements. Must never depend on anything but the records, in their order.

use super::approvals::{self, At};
use super::body::OUTCOME;
use super::columns::{Columns, Place, Reading};
use super::{Error, usage};
use crate::call::Session;
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Row};

/// The last step of a session.
struct Last {
    step: i64,
    started_ms: i64,
    at_ms: i64,
}

/// Takes a record into account; answers its number in its session, where it is a step.
///
/// # Errors
/// `Contested` where somebody else was first, so that nothing is changed; where the database does
/// not take it, or the record lacks what a step needs.
pub(super) async fn apply(
    connection: &mut SqliteConnection,
    reading: &Reading,
    forgotten_before_ms: i64,
) -> Result<Option<i64>, Error> {
    if let Some(change) = &reading.change {
        approvals::apply(connection, &At::from(reading), change).await?;
    }
    if let Some(used) = &reading.usage {
        usage::add(connection, &reading.columns, used, forgotten_before_ms).await?;
    }
    match reading.place {
        Place::Step => step(connection, reading, forgotten_before_ms).await.map(Some),
        Place::Aside if reading.columns.kind == OUTCOME => {
            end(connection, &reading.columns).await?;
            Ok(None)
        }
        Place::Aside => Ok(None),
    }
}

/// Adds a step. Of earlier ones that many stay as are shown, and those that have no end yet.
async fn step(
    connection: &mut SqliteConnection,
    reading: &Reading,
    forgotten_before_ms: i64,
) -> Result<i64, Error> {
    let Reading { columns, server, .. } = reading;
    let last = last(connection, columns).await?;
    let last = match last {
        Some(last) if last.at_ms < forgotten_before_ms => {
            forget(connection, columns).await?;
            None
        }
        last => last,
    };
    usage::keep(connection, columns, forgotten_before_ms).await?;
    let number = last.as_ref().map_or(0, |last| last.step).saturating_add(1);
    let started_ms = last.map_or(columns.at_ms, |last| last.started_ms);
    sqlx::query(
        "INSERT INTO steps (tenant, subject, session, step, call, at_ms, started_ms, server, \
         tool, decision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(&columns.tenant)
    .bind(&columns.subject)
    .bind(&columns.session)
    .bind(number)
    .bind(&columns.call)
    .bind(columns.at_ms)
    .bind(started_ms)
    .bind(server)
    .bind(&columns.tool)
    .bind(&columns.decision)
    .execute(&mut *connection)
    .await?;
    let shown = i64::try_from(Session::HISTORY_MAX).unwrap_or(i64::MAX);
    if number > shown {
        trim(connection, columns, number.saturating_sub(shown)).await?;
    }
    Ok(number)
}

/// Removes the steps up to this one that have come to their end.
async fn trim(
    connection: &mut SqliteConnection,
    columns: &Columns,
    step: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "DELETE FROM steps WHERE tenant = ? AND subject = ? AND session = ? AND step <= ? \
         AND (outcome IS NOT NULL OR decision <> 'permitted')",
    )
    .bind(&columns.tenant)
    .bind(&columns.subject)
    .bind(&columns.session)
    .bind(step)
    .execute(connection)
    .await
    .map(drop)
}

async fn last(
    connection: &mut SqliteConnection,
    columns: &Columns,
) -> Result<Option<Last>, sqlx::Error> {
    let row = sqlx::query(
        "SELECT step, started_ms, at_ms FROM steps \
         WHERE tenant = ? AND subject = ? AND session = ? ORDER BY step DESC LIMIT 1",
    )
    .bind(&columns.tenant)
    .bind(&columns.subject)
    .bind(&columns.session)
    .fetch_optional(connection)
    .await?;
    row.map(|row| {
        Ok(Last {
            step: row.try_get("step")?,
            started_ms: row.try_get("started_ms")?,
            at_ms: row.try_get("at_ms")?,
        })
    })
    .transpose()
}

async fn forget(connection: &mut SqliteConnection, columns: &Columns) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM steps WHERE tenant = ? AND subject = ? AND session = ?")
        .bind(&columns.tenant)
        .bind(&columns.subject)
        .bind(&columns.session)
        .execute(connection)
        .await
        .map(drop)
}

/// The end of an effect: the first outcome of its call counts, and its labels are put on the
/// subject whose call it is.
async fn end(connection: &mut SqliteConnection, columns: &Columns) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE steps SET outcome = ?, labels = ? WHERE call = ? AND outcome IS NULL")
        .bind(&columns.outcome)
        .bind(&columns.labels)
        .bind(&columns.call)
        .execute(&mut *connection)
        .await?;
    let Some(labels) = &columns.labels else { return Ok(()) };
    sqlx::query(
        "INSERT INTO labels (tenant, subject, label, session, step, call, at_ms) \
         SELECT s.tenant, s.subject, l.value, s.session, s.step, s.call, ?1 \
         FROM steps s, json_each(?2) l WHERE s.call = ?3 \
         ON CONFLICT (tenant, subject, label) DO UPDATE SET session = excluded.session, \
         step = excluded.step, call = excluded.call, at_ms = excluded.at_ms",
    )
    .bind(columns.at_ms)
    .bind(labels)
    .bind(&columns.call)
    .execute(connection)
    .await
    .map(drop)
}

/// Removes what nobody asks for any more: sessions that begin anew when they are heard of again,
/// what was reported of them, and approvals that are over. That they were there is recorded.
pub(super) async fn sweep(
    connection: &mut SqliteConnection,
    forgotten_before_ms: i64,
) -> Result<(), sqlx::Error> {
    for (table, forgotten) in FORGOTTEN {
        let remove = format!("DELETE FROM {table} WHERE {forgotten}");
        sqlx::query(AssertSqlSafe(remove))
            .bind(forgotten_before_ms)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// What is removed by and by, by its table: true of rows that no later record changes or needs.
pub(super) const FORGOTTEN: [(&str, &str); 3] = [
    (
        "steps",
        "(tenant, subject, session) IN (SELECT tenant, subject, session FROM steps \
         GROUP BY tenant, subject, session HAVING max(at_ms) < ?1)",
    ),
    ("approvals", "state NOT IN ('pending', 'approved') AND expires_ms < ?1"),
    ("usage", "at_ms < ?1"),
];
