//! What waits for a person, and what was said of it.
//!
//! Each change follows from a record, in the record's own transaction: what was asked, answered or
//! spent stands in the chain. Must never let one approval be spent twice.

mod change;

pub(super) use change::{BodyConcern, Change};

use super::columns::Reading;
use super::{Error, Owner};
use crate::call::{Approval, CallId, Subject, Text, Timestamp, Tool};
use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};

/// What an approval is good for: this call and no other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Purview {
    /// The tenant of the subject.
    pub tenant: Text,
    /// The subject's id.
    pub subject: Text,
    /// The tool.
    pub tool: Tool,
    /// blake3 of the canonical arguments, in hex.
    pub arguments: Text,
    /// The digest of the bundle that asks for a person.
    pub policy: Text,
}

/// A question to a person, as it is recorded with the decision that holds the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The id of the approval.
    pub id: Text,
    /// The roles that may answer, sorted.
    pub approvers: Vec<Text>,
    /// blake3 of the canonical arguments, in hex.
    pub arguments: Text,
    /// Until when an answer is waited for.
    pub expires: Timestamp,
}

/// What a decision has to do with an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Concern {
    /// It asks for one.
    Asks(Question),
    /// It waits for one that was asked for before.
    Waits(Text),
    /// It spends one.
    Spends(Text),
}

/// What was said of a call that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Said {
    /// It may happen, once.
    Approved,
    /// It may not.
    Refused,
    /// Nobody said anything in time.
    Expired,
}

impl Said {
    /// The word in the ledger, replies and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Refused => "refused",
            Self::Expired => "expired",
        }
    }
}

/// An answer, as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerRecord {
    /// The approval.
    pub approval: Text,
    /// The call that was held.
    pub call: CallId,
    /// Whose it was.
    pub owner: Owner,
    /// The session of the call.
    pub session: Text,
    /// The tool.
    pub tool: Tool,
    /// When it was given.
    pub answered: Timestamp,
    /// What was said.
    pub said: Said,
    /// The id of the subject who answered; none where nobody did.
    pub by: Option<Text>,
    /// That subject's roles, sorted.
    pub roles: Vec<Text>,
    /// What was noted with it; may be empty.
    pub note: Text,
    /// How long the answer holds.
    pub expires: Timestamp,
}

/// Where an approval stands. A closed set: it is a metric label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// It waits for a person.
    Pending,
    /// A person approved, and it was not spent.
    Approved,
    /// A person refused.
    Refused,
    /// Nobody answered, or nobody used the answer, in time.
    Expired,
    /// The call went ahead.
    Spent,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Pending, Self::Approved, Self::Refused, Self::Expired, Self::Spent];

    /// The word in the ledger, replies and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Refused => "refused",
            Self::Expired => "expired",
            Self::Spent => "spent",
        }
    }
}

/// An approval as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Its id.
    pub id: Text,
    /// The call that asked for it.
    pub call: CallId,
    /// What it is good for.
    pub purview: Purview,
    /// The session of the call.
    pub session: Text,
    /// The roles that may answer, sorted.
    pub approvers: Vec<Text>,
    /// When it was asked for.
    pub asked: Timestamp,
    /// Until when it waits, or what was said holds.
    pub expires: Timestamp,
    /// Where it stands.
    pub state: State,
    /// Who answered, with which roles, when and what was noted.
    pub answer: Option<Approval>,
}

impl Standing {
    /// Whose call it is.
    pub fn owner(&self) -> Owner {
        let Purview { subject, tenant, .. } = &self.purview;
        Owner { subject: Text::clone(subject), tenant: Text::clone(tenant) }
    }
}

const COLUMNS: &str = "id, call, tenant, subject, session, server, tool, arguments, policy, \
     approvers, asked_ms, expires_ms, state, answered_by, answered_roles, answered_ms, note";

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

/// The approvals that wait, the oldest first, at most so many.
pub(super) async fn pending(
    pool: &SqlitePool,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<Standing>, Error> {
    let query = format!(
        "SELECT {COLUMNS} FROM approvals WHERE state = 'pending' AND expires_ms > ?1 \
         ORDER BY asked_ms, id LIMIT ?2"
    );
    let rows = sqlx::query(sqlx::AssertSqlSafe(query))
        .bind(now.unix_ms())
        .bind(limit)
        .fetch_all(pool)
        .await?;
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
        state: state.ok_or_else(|| Error::Malformed(format!("the state `{word}`")))?,
        answer,
    })
}

fn list(text: &str) -> Result<Vec<Text>, Error> {
    let texts: Vec<String> =
        serde_json::from_str(text).map_err(|error| Error::Malformed(error.to_string()))?;
    Ok(texts.into_iter().map(Text::from).collect())
}

/// Makes the change of a record.
///
/// # Errors
/// `Contested` where the approval does not stand as the record has it: somebody else was first.
pub(super) async fn apply(
    connection: &mut SqliteConnection,
    at: &At<'_>,
    change: &Change,
) -> Result<(), Error> {
    let done = match change {
        Change::Ask { id, approvers, arguments, expires_ms } => {
            sqlx::query(
                "INSERT INTO approvals (id, call, tenant, subject, session, server, tool, \
                 arguments, policy, approvers, asked_ms, expires_ms, state) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 'pending') \
                 ON CONFLICT DO NOTHING",
            )
            .bind(id)
            .bind(at.call)
            .bind(at.tenant)
            .bind(at.subject)
            .bind(at.session)
            .bind(at.server)
            .bind(at.tool)
            .bind(arguments)
            .bind(at.policy)
            .bind(approvers)
            .bind(at.at_ms)
            .bind(expires_ms)
            .execute(connection)
            .await?
        }
        Change::Answer { id, said, by, roles, note, expires_ms } => {
            sqlx::query(
                "UPDATE approvals SET state = ?2, answered_by = ?3, answered_roles = ?4, \
                 note = ?5, answered_ms = ?6, expires_ms = ?7 WHERE id = ?1 AND \
                 (state = 'pending' OR (state = 'approved' AND ?2 = 'expired'))",
            )
            .bind(id)
            .bind(said)
            .bind(by)
            .bind(roles)
            .bind(note)
            .bind(at.at_ms)
            .bind(expires_ms)
            .execute(connection)
            .await?
        }
        Change::Spend { id } => {
            sqlx::query(
                "UPDATE approvals SET state = 'spent', spent_by = ?2 \
                 WHERE id = ?1 AND state = 'approved'",
            )
            .bind(id)
            .bind(at.call)
            .execute(connection)
            .await?
        }
    };
    if done.rows_affected() == 1 { Ok(()) } else { Err(Error::Contested) }
}

/// What a change needs of its record.
pub(super) struct At<'a> {
    pub(super) call: Option<&'a str>,
    pub(super) at_ms: i64,
    pub(super) tenant: Option<&'a str>,
    pub(super) subject: Option<&'a str>,
    pub(super) session: Option<&'a str>,
    pub(super) server: Option<&'a str>,
    pub(super) tool: Option<&'a str>,
    pub(super) policy: Option<&'a str>,
}

impl<'a> From<&'a Reading> for At<'a> {
    fn from(reading: &'a Reading) -> Self {
        let columns = &reading.columns;
        Self {
            call: columns.call.as_deref(),
            at_ms: columns.at_ms,
            tenant: columns.tenant.as_deref(),
            subject: columns.subject.as_deref(),
            session: columns.session.as_deref(),
            server: reading.server.as_deref(),
            tool: columns.tool.as_deref(),
            policy: reading.policy.as_deref(),
        }
    }
}
