//! What a session did before: its number of steps, its beginning and its last steps.
//!
//! Must never take longer for a long session than for a short one.

use super::Error;
use crate::call::{Session, Step, Subject, Text, Timestamp};
use sqlx::Row;
use sqlx::sqlite::{SqlitePool, SqliteRow};

/// The last steps, the latest first, each with the moment at which the session began.
pub(super) const LAST_STEPS: &str = "SELECT d.step, d.tool, d.decision, \
     (SELECT o.outcome FROM records o WHERE o.call = d.call AND o.kind = 'outcome' \
      ORDER BY o.seq LIMIT 1) AS outcome, \
     (SELECT f.at_ms FROM records f WHERE f.tenant = ?1 AND f.subject = ?2 AND f.session = ?3 \
      AND f.step = 1) AS started_ms \
     FROM records d WHERE d.tenant = ?1 AND d.subject = ?2 AND d.session = ?3 \
     AND d.step IS NOT NULL ORDER BY d.step DESC LIMIT ?4";

/// The session as it stands before a call at `now`.
pub(super) async fn session(
    pool: &SqlitePool,
    subject: &Subject,
    id: &Text,
    now: Timestamp,
) -> Result<Session, Error> {
    let history_max = i64::try_from(Session::HISTORY_MAX).unwrap_or(i64::MAX);
    let rows = sqlx::query(LAST_STEPS)
        .bind(&*subject.tenant)
        .bind(&*subject.id)
        .bind(&**id)
        .bind(history_max)
        .fetch_all(pool)
        .await?;
    let started = match rows.first() {
        Some(row) => Timestamp::from_unix_ms(row.try_get("started_ms")?),
        None => now,
    };
    let history = rows.iter().rev().map(step).collect::<Result<Vec<_>, _>>()?;
    Ok(Session {
        id: Text::clone(id),
        step: history.last().map_or(0, |step| step.step).saturating_add(1),
        started,
        history,
    })
}

fn step(row: &SqliteRow) -> Result<Step, Error> {
    let step: i64 = row.try_get("step")?;
    Ok(Step {
        step: step.unsigned_abs(),
        tool: row.try_get::<&str, _>("tool")?.into(),
        decision: row.try_get::<&str, _>("decision")?.into(),
        outcome: row.try_get::<Option<&str>, _>("outcome")?.map(Text::from),
    })
}
