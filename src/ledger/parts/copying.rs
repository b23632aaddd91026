//! Sealed records put into a file of their own.
//!
//! The file has its name only once it is whole and on disk. Must never change the ledger that it
//! reads from: what was copied is removed there by the writer, afterwards.

use super::{folder, path_of};
use crate::ledger::Error;
use crate::ledger::chain::Head;
use crate::ledger::file::{LedgerFile, hash, inspect, meta, refused};
use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection, Row};
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Records that are copied at once. A read that lasts would keep the writer's log from being
/// cleared.
const CHUNK: i64 = 512;

/// Copies the records after `base` up to the seal `last` into their file, where it is not there
/// yet.
///
/// # Errors
/// Where the file cannot be made, something else has its name, or the records are not there.
pub(in crate::ledger) async fn copy(live: LedgerFile, base: Head, last: i64) -> Result<(), Error> {
    let path = path_of(live.path(), base.seq.saturating_add(1), last);
    if path.exists() {
        return recognise(&live, &path, last).await;
    }
    let part = unfinished(&path);
    for leftover in [part.clone(), with_suffix(&part, "-journal")] {
        remove(&leftover)?;
    }
    let mut connection = live.begin_part(&part, base).await?;
    let filled = fill(&mut connection, &live, base, last).await;
    connection.close().await?;
    filled?;
    finish(&part, &path).map_err(|error| refused(&path, &error))
}

/// What was finished before the writer could be told is finished.
async fn recognise(live: &LedgerFile, path: &Path, last: i64) -> Result<(), Error> {
    let found = inspect(path, live.busy_max()).await?;
    let (connection, meta) = found.connect_to_read().await?;
    connection.close().await?;
    if found.is_of(live) && meta.head.seq == last {
        Ok(())
    } else {
        Err(Error::NotALedger(path.to_owned()))
    }
}

async fn fill(
    connection: &mut SqliteConnection,
    live: &LedgerFile,
    base: Head,
    last: i64,
) -> Result<(), Error> {
    let path = live.path().to_str().ok_or_else(|| Error::File {
        file: live.path().to_owned(),
        reason: "its name is no text".to_owned(),
    })?;
    sqlx::query("ATTACH DATABASE ? AS live").bind(path).execute(&mut *connection).await?;
    let mut after = base.seq;
    while after < last {
        let copied: u64 = sqlx::query(
            "INSERT INTO main.records SELECT * FROM live.records \
             WHERE seq > ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3",
        )
        .bind(after)
        .bind(last)
        .bind(CHUNK)
        .execute(&mut *connection)
        .await?
        .rows_affected();
        let reached = after.saturating_add_unsigned(copied);
        if copied == 0 {
            return Err(Error::Broken);
        }
        after = reached;
    }
    note_end(connection, last).await
}

/// Notes the end of the chain, as the writer does.
async fn note_end(connection: &mut SqliteConnection, last: i64) -> Result<(), Error> {
    let row = sqlx::query("SELECT seq, hash FROM main.records ORDER BY seq DESC LIMIT 1")
        .fetch_one(&mut *connection)
        .await?;
    let head = Head { seq: row.try_get("seq")?, hash: hash(row.try_get("hash")?)? };
    if head.seq != last {
        return Err(Error::Broken);
    }
    sqlx::query("UPDATE main.meta SET head_seq = ?, head_hash = ?")
        .bind(head.seq)
        .bind(head.hash.as_bytes().as_slice())
        .execute(&mut *connection)
        .await?;
    let noted = meta(connection).await?;
    if noted.head == head { Ok(()) } else { Err(Error::Broken) }
}

/// Puts the file on disk, and only then under its name.
fn finish(part: &Path, path: &Path) -> io::Result<()> {
    let file = File::options().read(true).write(true).open(part)?;
    file.set_permissions(Permissions::from_mode(0o400))?;
    file.sync_all()?;
    std::fs::rename(part, path)?;
    File::options().read(true).open(folder(path))?.sync_all()
}

fn remove(path: &Path) -> Result<(), Error> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(refused(path, &error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn unfinished(path: &Path) -> PathBuf {
    with_suffix(path, ".part")
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
