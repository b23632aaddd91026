//! The ledger as it is read from outside, while a gateway writes it or none does.
//!
//! Must never write, and must never hold more than a few records at once.

mod verify;

pub use verify::{Fault, Flaw, Verification};

use super::Error;
use super::columns::Columns;
use super::file::{self, LedgerFile, hex};
use crate::call::{CallId, Timestamp};
use futures_util::TryStreamExt;
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{ConnectOptions, Row};
use std::path::Path;
use std::time::Duration;

/// How long to wait where a writer holds the whole database, which is seldom and short.
const BUSY_MAX: Duration = Duration::from_secs(5);
/// Rows that wait to be looked at: few, since bodies may be large.
const ROWS_MAX: usize = 4;

/// A ledger that is read.
#[derive(Debug)]
pub struct Reader {
    file: LedgerFile,
    connection: SqliteConnection,
}

/// Which records to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Only records after this number; 0 for all.
    pub after_seq: u64,
    /// Only records of this call.
    pub call: Option<CallId>,
    /// At most so many.
    pub limit: u64,
}

/// A record as it stands in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its number, from 1 without gaps.
    pub seq: u64,
    /// `decision`, `outcome` or `usage`.
    pub kind: String,
    /// When the call was received or its effect ended.
    pub at: Timestamp,
    /// Its hash, in hex, which covers the body and all records before it.
    pub hash: String,
    /// What was recorded: canonical JSON on one line.
    pub body: String,
}

impl Reader {
    /// Opens a ledger to read it.
    ///
    /// # Errors
    /// Where the file is not a ledger of this version or cannot be had.
    pub async fn open(path: &Path) -> Result<Self, Error> {
        let file = file::inspect(path, BUSY_MAX).await?;
        let connection = file.read_options(ROWS_MAX).connect().await?;
        Ok(Self { file, connection })
    }

    /// Shows each selected record, in order, and says how many there were.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn show(
        &mut self,
        selection: &Selection,
        mut each: impl FnMut(Record),
    ) -> Result<u64, Error> {
        const ALL: &str = "SELECT seq, kind, at_ms, hash, body FROM records \
             WHERE seq > ?1 ORDER BY seq LIMIT ?2";
        const OF_CALL: &str = "SELECT seq, kind, at_ms, hash, body FROM records \
             WHERE seq > ?1 AND call = ?3 ORDER BY seq LIMIT ?2";
        let query = sqlx::query(if selection.call.is_some() { OF_CALL } else { ALL })
            .bind(whole(selection.after_seq))
            .bind(whole(selection.limit));
        let query = match &selection.call {
            Some(call) => query.bind(call.as_str()),
            None => query,
        };
        let mut rows = query.fetch(&mut self.connection);
        let mut count = 0;
        while let Some(row) = rows.try_next().await? {
            each(record(&row)?);
            count += 1;
        }
        Ok(count)
    }

    /// Shows the last records, oldest first, and says how many there were.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn tail(&mut self, limit: u64, each: impl FnMut(Record)) -> Result<u64, Error> {
        let last: Option<i64> = sqlx::query_scalar("SELECT max(seq) FROM records")
            .fetch_one(&mut self.connection)
            .await?;
        let selection = Selection {
            after_seq: last.unwrap_or(0).unsigned_abs().saturating_sub(limit),
            call: None,
            limit,
        };
        self.show(&selection, each).await
    }
}

fn record(row: &SqliteRow) -> Result<Record, Error> {
    Ok(Record {
        seq: row.try_get::<i64, _>("seq")?.unsigned_abs(),
        kind: row.try_get("kind")?,
        at: Timestamp::from_unix_ms(row.try_get("at_ms")?),
        hash: hex(row.try_get("hash")?),
        body: row.try_get("body")?,
    })
}

fn columns(row: &SqliteRow) -> Result<Columns, sqlx::Error> {
    Ok(Columns {
        kind: row.try_get("kind")?,
        call: row.try_get("call")?,
        at_ms: row.try_get("at_ms")?,
        tenant: row.try_get("tenant")?,
        subject: row.try_get("subject")?,
        session: row.try_get("session")?,
        tool: row.try_get("tool")?,
        decision: row.try_get("decision")?,
        cause: row.try_get("cause")?,
        outcome: row.try_get("outcome")?,
        labels: row.try_get("labels")?,
        approval: row.try_get("approval")?,
    })
}

/// SQLite's numbers end sooner than ours.
fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
