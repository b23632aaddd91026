//! What a record says of an approval, read from its body.

use crate::ledger::Error;
use serde::Deserialize;

/// What a record changes about approvals, read from its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ledger) enum Change {
    Ask {
        id: String,
        approvers: String,
        arguments: String,
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
            Self::Asks { id, approvers, arguments, expires_ms } => {
                Some(Change::Ask { id, approvers: list(&approvers)?, arguments, expires_ms })
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
