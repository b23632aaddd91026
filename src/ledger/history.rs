//! What a session did before, and what its subject bears: the number of steps, the beginning, the
//! last steps, the labels.
//!
//! Must never take longer for a long session than for a short one.

use super::{Error, Owner, usage};
use crate::call::{CallId, Label, Session, Step, Subject, Text, Timestamp, Tool};
use sqlx::Row;
use sqlx::sqlite::{SqlitePool, SqliteRow};

/// Which session is asked for, and when.
pub(super) struct Asked<'a> {
    pub(super) subject: &'a Subject,
    pub(super) session: &'a Text,
    pub(super) now: Timestamp,
    /// Labels that were last put on before this are no longer there.
    pub(super) labels_since: Timestamp,
}

/// The last steps, the latest first, each with what tells whether the session is forgotten.
pub(super) const LAST_STEPS: &str = "SELECT step, tool, decision, outcome, labels, at_ms, \
     started_ms, (SELECT forgotten_before_ms FROM meta WHERE one = 1) AS forgotten_before_ms FROM steps \
     WHERE tenant = ?1 AND subject = ?2 AND session = ?3 ORDER BY step DESC LIMIT ?4";

/// Steps without an end, by index.
pub(super) const OPEN: &str = "SELECT call, tenant, subject, session, server, tool \
     FROM steps INDEXED BY steps_open \
     WHERE decision = 'permitted' AND outcome IS NULL ORDER BY call LIMIT ?1";

/// A step whose effect has no end.
pub(super) struct Open {
    pub(super) call: CallId,
    pub(super) owner: Owner,
    pub(super) session: Text,
    pub(super) tool: Tool,
}

/// The labels of a subject, by name, and one more than it may bear.
pub(super) const LABELS: &str = "SELECT label, session, step, call FROM labels \
     WHERE tenant = ?1 AND subject = ?2 AND at_ms >= ?3 ORDER BY label LIMIT ?4";

/// The session as it stands before a call.
pub(super) async fn session(pool: &SqlitePool, asked: &Asked<'_>) -> Result<Session, Error> {
    let Asked { subject, session: id, now, .. } = asked;
    let mut rows = sqlx::query(LAST_STEPS)
        .bind(&*subject.tenant)
        .bind(&*subject.id)
        .bind(&***id)
        .bind(count(Session::HISTORY_MAX))
        .fetch_all(pool)
        .await?;
    if let Some(last) = rows.first()
        && last.try_get::<i64, _>("at_ms")? < last.try_get::<i64, _>("forgotten_before_ms")?
    {
        rows.clear();
    }
    let started = match rows.first() {
        Some(row) => Timestamp::from_unix_ms(row.try_get("started_ms")?),
        None => *now,
    };
    let history = rows.iter().rev().map(step).collect::<Result<Vec<_>, _>>()?;
    Ok(Session {
        id: Text::clone(id),
        step: history.last().map_or(0, |step| step.step).saturating_add(1),
        started,
        usage: usage::read(pool, subject, id).await?,
        labels: labels(pool, asked).await?,
        history,
    })
}

/// Steps whose effect may have been had and has no end, at most so many.
pub(super) async fn open(pool: &SqlitePool, limit: usize) -> Result<Vec<Open>, Error> {
    let rows = sqlx::query(OPEN).bind(count(limit)).fetch_all(pool).await?;
    let text = |row: &SqliteRow, name: &str| row.try_get::<&str, _>(name).map(Text::from);
    let open = |row: &SqliteRow| -> Result<Open, Error> {
        Ok(Open {
            call: CallId::new(text(row, "call")?),
            owner: Owner { subject: text(row, "subject")?, tenant: text(row, "tenant")? },
            session: text(row, "session")?,
            tool: Tool { server: text(row, "server")?, name: text(row, "tool")? },
        })
    };
    rows.iter().map(open).collect()
}

/// A subject that bears more labels than can be shown cannot be judged.
async fn labels(pool: &SqlitePool, asked: &Asked<'_>) -> Result<Vec<Label>, Error> {
    let rows = sqlx::query(LABELS)
        .bind(&*asked.subject.tenant)
        .bind(&*asked.subject.id)
        .bind(asked.labels_since.unix_ms())
        .bind(count(Session::LABELS_MAX).saturating_add(1))
        .fetch_all(pool)
        .await?;
    if rows.len() > Session::LABELS_MAX {
        return Err(Error::TooManyLabels);
    }
    rows.iter().map(label).collect()
}

fn step(row: &SqliteRow) -> Result<Step, Error> {
    let step: i64 = row.try_get("step")?;
    let labels = match row.try_get::<Option<&str>, _>("labels")? {
        Some(list) => serde_json::from_str::<Vec<String>>(list)
            .map_err(|error| Error::Malformed(error.to_string()))?,
        None => Vec::new(),
    };
    Ok(Step {
        step: step.unsigned_abs(),
        tool: row.try_get::<&str, _>("tool")?.into(),
        decision: row.try_get::<&str, _>("decision")?.into(),
        outcome: row.try_get::<Option<&str>, _>("outcome")?.map(Text::from),
        labels: labels.into_iter().map(Text::from).collect(),
    })
}

fn label(row: &SqliteRow) -> Result<Label, Error> {
    Ok(Label {
        name: row.try_get::<&str, _>("label")?.into(),
        session: row.try_get::<&str, _>("session")?.into(),
        step: row.try_get::<i64, _>("step")?.unsigned_abs(),
        call: CallId::new(row.try_get::<&str, _>("call")?),
    })
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
