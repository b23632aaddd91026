//! The ledger as it is read from outside, while a gateway writes it or none does.
//!
//! Must never write, and must never hold more than a few records at once.

mod flaw;
mod page;
mod replay;
mod select;
mod verify;

pub use flaw::{Fault, Flaw};
pub(super) use page::AT_ONCE_MAX;
pub use page::Page;
#[cfg(test)]
pub(super) use select::Range;
pub use select::{Order, Selection};
pub use verify::{Start, Verification};

use super::Error;
use super::columns::Columns;
use super::file::{self, LedgerFile, Meta, hex};
use super::parts::{self, Sealed};
use crate::call::{Text, Timestamp};
use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use std::path::Path;
use std::time::Duration;

/// How long to wait where a writer holds the whole database, which is seldom and short.
const BUSY_MAX: Duration = Duration::from_secs(5);

/// A ledger that is read: the file that is written, and the sealed ones beside it.
#[derive(Debug)]
pub struct Reader {
    file: LedgerFile,
    connection: SqliteConnection,
}

/// A record as it stands in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its number, from 1 without gaps.
    pub seq: u64,
    /// `decision`, `outcome`, `answer`, `usage`, `file`, `seal` or `continues`.
    pub kind: String,
    /// When the call was received or its effect ended.
    pub at: Timestamp,
    /// Its hash, in hex, which covers the body and all records before it.
    pub hash: String,
    /// What was recorded: canonical JSON on one line.
    pub body: String,
}

/// The file that a record is looked for in.
enum Part {
    Sealed(Sealed),
    /// The one that is written.
    Live,
}

impl Reader {
    /// Opens a ledger to read it.
    ///
    /// # Errors
    /// Where the file is not a ledger of this version or cannot be had.
    pub async fn open(path: &Path) -> Result<Self, Error> {
        let file = file::inspect(path, BUSY_MAX).await?;
        let (connection, _) = file.connect_to_read().await?;
        Ok(Self { file, connection })
    }

    /// The random id that tells this ledger from every other, in hex.
    pub fn id(&self) -> Text {
        self.file.id()
    }

    /// The number of the last record.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn last_seq(&mut self) -> Result<u64, Error> {
        Ok(file::meta(&mut self.connection).await?.head.seq.unsigned_abs())
    }

    /// The file that holds this record or, where none does, the next one after it.
    ///
    /// Sealed records are removed from the live file only after their own file is there, so that
    /// whoever misses one there finds it by asking again.
    async fn part_holding(&mut self, seq: i64) -> Result<Part, Error> {
        let first: Option<i64> = sqlx::query_scalar("SELECT min(seq) FROM records")
            .fetch_one(&mut self.connection)
            .await?;
        if first.is_some_and(|first| first <= seq) {
            return Ok(Part::Live);
        }
        let sealed = parts::list(self.file.path())?;
        let next = sealed.into_iter().find(|sealed| seq <= sealed.last);
        Ok(next.map_or(Part::Live, Part::Sealed))
    }
}

/// Connects to a sealed file.
async fn connect(sealed: &Sealed) -> Result<(LedgerFile, SqliteConnection, Meta), Error> {
    let file = file::inspect(&sealed.path, BUSY_MAX).await?;
    let (connection, meta) = file.connect_to_read().await?;
    Ok((file, connection, meta))
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
