//! The rows of approvals, read.
//!
//! Must never change one.

use super::model::{Purview, Standing, State};
use crate::call::{Approval, CallId, Subject, Text, Timestamp, Tool};
use crate::ledger::Error;
use sqlx::Row;
use sqlx::sqlite::{SqlitePool, SqliteRow};

const COLUMNS: &str = "id, call, tenant, subject, session, server, tool, arguments, policy, \
     approvers, asked_ms, expires_ms, state, answered_by, answered_roles, answered_ms, note, shown";

/// The approval that was asked for last for a call.
pub(super) async fn latest(
    pool: &SqlitePool,
    purview: &Purview,
) -> Result<Option<Standing>, Error> {
    let query = format!(
        "SELECT {COLUMNS} FROM approvals WHERE tenant = ?1 AND subject = ?2 AND server = ?3 \
         AND tool = ?4 AND arguments = ?5 AND policy = ?6 ORDER BY asked_ms DESC, id DESC LIMIT 1"
    );
    let row = sqlx::query(sqlx::AssertSqlSafe(query))
        .bind(&*purview.tenant)
        .bind(&*purview.subject)
        .bind(&*purview.tool.server)
        .bind(&*purview.tool.name)
        .bind(&*purview.arguments)
        .bind(&*purview.policy)
        .fetch_optional(pool)
        .await?;
    row.as_ref().map(standing).transpose()
}

/// An approval by its id.
pub(super) async fn by_id(pool: &SqlitePool, id: &str) -> Result<Option<Standing>, Error> {
    let query = format!("SELECT {COLUMNS} FROM approvals WHERE id = ?1");
    let row = sqlx::query(sqlx::AssertSqlSafe(query)).bind(id).fetch_optional(pool).await?;
    row.as_ref().map(standing).transpose()
}

/// The approvals that wait, of a tenant or of all, the oldest first, at most so many.
pub(super) async fn pending(
    pool: &SqlitePool,
    tenant: Option<&str>,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<Standing>, Error> {
    let of_tenant = if tenant.is_some() { "AND tenant = ?3" } else { "" };
    let query = format!(
        "SELECT {COLUMNS} FROM approvals WHERE state = 'pending' AND expires_ms > ?1 {of_tenant} \
         ORDER BY asked_ms, id LIMIT ?2"
    );
    let query = sqlx::query(sqlx::AssertSqlSafe(query)).bind(now.unix_ms()).bind(limit);
    let query = match tenant {
        Some(tenant) => query.bind(tenant),
        None => query,
    };
    let rows = query.fetch_all(pool).await?;
    rows.iter().map(standing).collect()
}

/// The approvals that waited, or held, too long, the oldest first, at most so many.
pub(super) async fn lapsed(
    pool: &SqlitePool,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<Standing>, Error> {
    let query = format!(
        "SELECT {COLUMNS} FROM approvals WHERE state IN ('pending', 'approved') \
         AND expires_ms <= ?1 ORDER BY expires_ms, id LIMIT ?2"
    );
    let rows = sqlx::query(sqlx::AssertSqlSafe(query))
        .bind(now.unix_ms())
        .bind(limit)
        .fetch_all(pool)
        .await?;
    rows.iter().map(standing).collect()
}

/// How many questions are open, of a subject or of all.
pub(super) async fn count(
    pool: &SqlitePool,
    subject: Option<&Subject>,
    now: Timestamp,
) -> Result<u64, Error> {
    const OF_ALL: &str = "SELECT count(*) FROM approvals WHERE state = 'pending' \
         AND expires_ms > ?1";
    const OF_ONE: &str = "SELECT count(*) FROM approvals WHERE state = 'pending' \
         AND expires_ms > ?1 AND tenant = ?2 AND subject = ?3";
    let query = sqlx::query_scalar(if subject.is_some() { OF_ONE } else { OF_ALL });
    let query = query.bind(now.unix_ms());
    let query = match subject {
        Some(subject) => query.bind(&*subject.tenant).bind(&*subject.id),
        None => query,
    };
    let count: i64 = query.fetch_one(pool).await?;
    Ok(count.unsigned_abs())
}

fn standing(row: &SqliteRow) -> Result<Standing, Error> {
    let text = |column| row.try_get::<&str, _>(column).map(Text::from);
    let moment = |column| row.try_get::<i64, _>(column).map(Timestamp::from_unix_ms);
    let word: &str = row.try_get("state")?;
    let state = State::ALL.into_iter().find(|state| state.as_str() == word);
    let answer = match row.try_get::<Option<&str>, _>("answered_by")? {
        Some(by) => Some(Approval {
            id: text("id")?,
            by: by.into(),
            roles: list(row.try_get("answered_roles")?)?,
            at: moment("answered_ms")?,
            note: text("note")?,
        }),
        None => None,
    };
    Ok(Standing {
        id: text("id")?,
        call: CallId::new(text("call")?),
        purview: Purview {
            tenant: text("tenant")?,
            subject: text("subject")?,
            tool: Tool { server: text("server")?, name: text("tool")? },
            arguments: text("arguments")?,
            policy: text("policy")?,
        },
        session: text("session")?,
        approvers: list(row.try_get("approvers")?)?,
        asked: moment("asked_ms")?,
        expires: moment("expires_ms")?,
        shown: text("shown")?,
        state: state.ok_or_else(|| Error::Malformed(format!("the state `{word}`")))?,
        answer,
    })
}

fn list(text: &str) -> Result<Vec<Text>, Error> {
    let texts: Vec<String> =
        serde_json::from_str(text).map_err(|error| Error::Malformed(error.to_string()))?;
    Ok(texts.into_iter().map(Text::from).collect())
}
