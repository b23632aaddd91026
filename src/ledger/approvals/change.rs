//! What a record says of an approval, read from its body, and what that changes.
//!
//! Must never let one approval be spent twice.

use crate::ledger::Error;
use crate::ledger::columns::Reading;
use serde::Deserialize;
use sqlx::sqlite::SqliteConnection;

/// What a record changes about approvals, read from its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ledger) enum Change {
    Ask {
        id: String,
        approvers: String,
        arguments: String,
        shown: String,
        expires_ms: i64,
    },
    Answer {
        id: String,
        said: String,
        by: Option<String>,
        roles: String,
        note: String,
        expires_ms: i64,
    },
    Spend {
        id: String,
    },
}

/// The member `approval` of a body.
#[derive(Deserialize)]
#[serde(tag = "does", rename_all = "snake_case", deny_unknown_fields)]
pub(in crate::ledger) enum BodyConcern {
    Asks {
        id: String,
        approvers: Vec<String>,
        arguments: String,
        shown: String,
        expires_ms: i64,
    },
    Waits {
        id: String,
    },
    Spends {
        id: String,
    },
    Answers {
        id: String,
        said: String,
        by: Option<String>,
        roles: Vec<String>,
        note: String,
        expires_ms: i64,
    },
}

impl BodyConcern {
    /// The approval that it is about.
    pub(in crate::ledger) fn id(&self) -> &str {
        match self {
            Self::Asks { id, .. }
            | Self::Waits { id }
            | Self::Spends { id }
            | Self::Answers { id, .. } => id,
        }
    }

    /// What it changes.
    pub(in crate::ledger) fn change(self) -> Result<Option<Change>, Error> {
        let list = |texts: &[String]| {
            serde_json::to_string(texts).map_err(|error| Error::Malformed(error.to_string()))
        };
        Ok(match self {
            Self::Asks { id, approvers, arguments, shown, expires_ms } => {
                let approvers = list(&approvers)?;
                Some(Change::Ask { id, approvers, arguments, shown, expires_ms })
            }
            Self::Waits { .. } => None,
            Self::Spends { id } => Some(Change::Spend { id }),
            Self::Answers { id, said, by, roles, note, expires_ms } => {
                let roles = list(&roles)?;
                Some(Change::Answer { id, said, by, roles, note, expires_ms })
            }
        })
    }
}

/// Makes the change of a record.
///
/// # Errors
/// `Contested` where the approval does not stand as the record has it: somebody else was first.
pub(in crate::ledger) async fn apply(
    connection: &mut SqliteConnection,
    at: &At<'_>,
    change: &Change,
) -> Result<(), Error> {
    let done = match change {
        Change::Ask { id, approvers, arguments, shown, expires_ms } => {
            sqlx::query(
                "INSERT INTO approvals (id, call, tenant, subject, session, server, tool, \
                 arguments, policy, approvers, asked_ms, expires_ms, shown, state) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 'pending') \
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
            .bind(shown)
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
pub(in crate::ledger) struct At<'a> {
    call: Option<&'a str>,
    at_ms: i64,
    tenant: Option<&'a str>,
    subject: Option<&'a str>,
    session: Option<&'a str>,
    server: Option<&'a str>,
    tool: Option<&'a str>,
    policy: Option<&'a str>,
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
