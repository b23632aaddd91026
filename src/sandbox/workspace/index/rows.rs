//! What is asked of the index, and what it answers.

use super::super::error::Error;
use super::super::files::{Entry, Owner};
use super::super::kind;
use super::super::names::Name;
use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Row, Sqlite};
use std::sync::Arc;

/// A statement whose first three parameters are an owner.
pub(super) trait Owned {
    fn of(self, owner: &Owner) -> Self;
}

impl Owned for Query<'_, Sqlite, SqliteArguments> {
    fn of(self, owner: &Owner) -> Self {
        let Owner { tenant, subject, session } = owner;
        self.bind(tenant.to_string()).bind(subject.to_string()).bind(session.to_string())
    }
}

pub(super) fn session_of(row: &SqliteRow) -> Result<Arc<str>, Error> {
    Ok(row.try_get::<&str, _>("session")?.into())
}

/// A row that is no file is damage, whoever did it.
pub(super) fn entry(row: &SqliteRow) -> Result<Entry, Error> {
    let damaged = || Error::Damaged("a row of the index".to_owned());
    Ok(Entry {
        name: Name::new(row.try_get("name")?).ok_or_else(damaged)?,
        digest: digest(row.try_get("digest")?).ok_or_else(damaged)?.into(),
        bytes: u64::try_from(row.try_get::<i64, _>("bytes")?).map_err(|_| damaged())?,
        media_type: kind::known(row.try_get("media_type")?),
        changed_ms: row.try_get("changed_ms")?,
    })
}

/// It becomes a part of a path.
fn digest(text: &str) -> Option<&str> {
    blake3::Hash::from_hex(text).ok().map(|_| text)
}
