//! Whose files there are: a SQLite database that one process writes.
//!
//! Each change is one transaction, synced before it is told. Must never answer with a file of
//! another owner, nor with one whose time is over.

mod file;
mod rows;

use super::blobs::tenant_digest;
use super::error::Error;
use super::files::{Changes, Entry, File, Owner};
use super::names::Name;
use super::settings::{Limit, Settings};
use crate::call::Timestamp;
use rows::{Owned, entry, session_of};
use sqlx::sqlite::{SqliteConnection, SqlitePool};
use sqlx::{Connection, Row};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// How exactly the last use is kept: a use soon after another writes nothing.
const USE_MS: i64 = 60_000;

#[derive(Debug)]
pub(super) struct Index {
    pool: SqlitePool,
}

const LIST: &str = "SELECT f.* FROM files f JOIN workspaces USING (tenant, subject, session) \
     WHERE tenant = ?1 AND subject = ?2 AND session = ?3 AND used_ms >= ?4 ORDER BY name";

const LIST_ALL: &str = "SELECT f.* FROM files f JOIN workspaces USING (tenant, subject, session) \
     WHERE tenant = ?1 AND subject = ?2 AND (session, name) > (?3, ?5) AND used_ms >= ?4 \
     ORDER BY session, name LIMIT ?6";

const FIND: &str = "SELECT f.* FROM files f JOIN workspaces USING (tenant, subject, session) \
     WHERE tenant = ?1 AND subject = ?2 AND session = ?3 AND used_ms >= ?4 AND name = ?5";

const TOUCH: &str = "UPDATE workspaces SET used_ms = ?4 \
     WHERE tenant = ?1 AND subject = ?2 AND session = ?3 AND used_ms < ?5";

const REMOVE: &str = "DELETE FROM files \
     WHERE tenant = ?1 AND subject = ?2 AND session = ?3 AND name = ?4";

const REMOVE_AS_IT_WAS: &str = "DELETE FROM files \
     WHERE tenant = ?1 AND subject = ?2 AND session = ?3 AND name = ?4 AND digest = ?5";

const LAPSE: &str = "DELETE FROM workspaces \
     WHERE tenant = ?1 AND subject = ?2 AND session = ?3 AND used_ms < ?4";

const USE: &str = "INSERT INTO workspaces (tenant, subject, session, used_ms) \
     VALUES (?1, ?2, ?3, ?4) \
     ON CONFLICT (tenant, subject, session) DO UPDATE SET used_ms = max(used_ms, ?4)";

const PUT: &str = "INSERT INTO files \
     (tenant, subject, session, shelf, name, digest, bytes, media_type, changed_ms) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) \
     ON CONFLICT (tenant, subject, session, name) DO UPDATE SET digest = excluded.digest, \
     bytes = excluded.bytes, media_type = excluded.media_type, changed_ms = excluded.changed_ms";

/// What a session holds and what its tenant does: files, bytes, bytes.
const HELD: &str = "SELECT \
     (SELECT count(*) FROM files WHERE tenant = ?1 AND subject = ?2 AND session = ?3) AS files, \
     (SELECT coalesce(sum(bytes), 0) FROM files \
      WHERE tenant = ?1 AND subject = ?2 AND session = ?3) AS bytes, \
     (SELECT coalesce(sum(bytes), 0) FROM files WHERE tenant = ?1) AS tenant_bytes";

impl Index {
    pub(super) async fn open(folder: &Path) -> Result<Self, Error> {
        Ok(Self { pool: file::open(&folder.join("index.db")).await? })
    }

    pub(super) async fn list(&self, owner: &Owner, since_ms: i64) -> Result<Vec<Entry>, Error> {
        let rows = sqlx::query(LIST).of(owner).bind(since_ms).fetch_all(&self.pool).await?;
        rows.iter().map(entry).collect()
    }

    /// From behind the session and the name.
    pub(super) async fn list_all(
        &self,
        owner: &Owner,
        (behind, count): (Option<&Name>, u32),
        since_ms: i64,
    ) -> Result<Vec<(Arc<str>, Entry)>, Error> {
        let rows = sqlx::query(LIST_ALL)
            .of(owner)
            .bind(since_ms)
            .bind(behind.map_or("", Name::as_str))
            .bind(count)
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(|row| Ok((session_of(row)?, entry(row)?))).collect()
    }

    pub(super) async fn find(
        &self,
        owner: &Owner,
        name: &Name,
        since_ms: i64,
    ) -> Result<Option<Entry>, Error> {
        let query = sqlx::query(FIND).of(owner).bind(since_ms).bind(name.as_str());
        query.fetch_optional(&self.pool).await?.as_ref().map(entry).transpose()
    }

    pub(super) async fn touch(&self, owner: &Owner, now: Timestamp) -> Result<(), Error> {
        let now_ms = now.unix_ms();
        let query = sqlx::query(TOUCH).of(owner).bind(now_ms).bind(now_ms.saturating_sub(USE_MS));
        query.execute(&self.pool).await?;
        Ok(())
    }

    pub(super) async fn remove(&self, owner: &Owner, name: &Name) -> Result<bool, Error> {
        let query = sqlx::query(REMOVE).of(owner).bind(name.as_str());
        Ok(query.execute(&self.pool).await?.rows_affected() > 0)
    }

    /// All of it, or nothing where a bound would be passed.
    pub(super) async fn change(
        &self,
        owner: &Owner,
        changes: &Changes<'_>,
        settings: &Settings,
        (now, since_ms): (Timestamp, i64),
    ) -> Result<(), Error> {
        let mut connection = self.pool.acquire().await?;
        let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
        sqlx::query(LAPSE).of(owner).bind(since_ms).execute(&mut *transaction).await?;
        sqlx::query(USE).of(owner).bind(now.unix_ms()).execute(&mut *transaction).await?;
        for (name, digest) in changes.gone {
            let query = sqlx::query(REMOVE_AS_IT_WAS).of(owner).bind(name.as_str());
            query.bind(&**digest).execute(&mut *transaction).await?;
        }
        for file in changes.put {
            put(&mut transaction, owner, file, now).await?;
        }
        if let Some(limit) = passed(&mut transaction, owner, settings).await? {
            transaction.rollback().await?;
            return Err(Error::Full(limit));
        }
        transaction.commit().await?;
        Ok(())
    }

    pub(super) async fn forget(&self, since_ms: i64) -> Result<(), Error> {
        let query = sqlx::query("DELETE FROM workspaces WHERE used_ms < ?1").bind(since_ms);
        query.execute(&self.pool).await?;
        Ok(())
    }

    /// The digests of what a tenant keeps, whose digest this is.
    pub(super) async fn digests(&self, shelf: &str) -> Result<HashSet<String>, Error> {
        let query = sqlx::query_scalar("SELECT DISTINCT digest FROM files WHERE shelf = ?1");
        Ok(query.bind(shelf).fetch_all(&self.pool).await?.into_iter().collect())
    }

    pub(super) async fn check(&self) -> Result<(), Error> {
        sqlx::query("UPDATE workspaces SET used_ms = used_ms WHERE used_ms < 0")
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}

async fn put(
    connection: &mut SqliteConnection,
    owner: &Owner,
    file: &File,
    now: Timestamp,
) -> Result<(), Error> {
    sqlx::query(PUT)
        .of(owner)
        .bind(tenant_digest(&owner.tenant))
        .bind(file.name.as_str())
        .bind(&*file.digest)
        .bind(whole(file.bytes()))
        .bind(file.media_type)
        .bind(now.unix_ms())
        .execute(connection)
        .await?;
    Ok(())
}

async fn passed(
    connection: &mut SqliteConnection,
    owner: &Owner,
    settings: &Settings,
) -> Result<Option<Limit>, Error> {
    let held = sqlx::query(HELD).of(owner).fetch_one(connection).await?;
    let bounds = [
        ("files", i64::from(settings.session_files_max), Limit::SessionFiles),
        ("bytes", whole(settings.session_bytes_max), Limit::SessionBytes),
        ("tenant_bytes", whole(settings.tenant_bytes_max), Limit::TenantBytes),
    ];
    for (column, most, limit) in bounds {
        if held.try_get::<i64, _>(column)? > most {
            return Ok(Some(limit));
        }
    }
    Ok(None)
}

/// SQLite's numbers end sooner than ours.
fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
