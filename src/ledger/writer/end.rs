//! The end of the chain, where records are appended: the open database and what is noted in it.
//!
//! Must never change what it remembers before the transaction is on disk.

use super::Entry;
use crate::call::Timestamp;
use crate::ledger::Error;
use crate::ledger::approvals;
use crate::ledger::body;
use crate::ledger::columns::{self, Reading};
use crate::ledger::file::{LedgerFile, Meta};
use crate::ledger::standing;
use sqlx::Connection;
use sqlx::sqlite::SqliteConnection;

/// Records that are removed at once after they were moved.
const CHUNK: i64 = 256;

/// When a part of the chain is at its end, and how much of the ledger there may be.
#[derive(Debug, Clone, Copy)]
pub(in crate::ledger) struct Rotation {
    /// Bytes of the bodies of a part.
    pub(in crate::ledger) bytes_max: u64,
    /// The age of its first record.
    pub(in crate::ledger) ms_max: u64,
    /// For how long a session is known after its last step; longer only by the age of a part.
    pub(in crate::ledger) history_ms_max: u64,
    /// Bytes of all files.
    pub(in crate::ledger) total_bytes_max: u64,
}

impl Rotation {
    /// Whether a part that is not sealed yet should be, at this moment.
    fn is_due(&self, meta: &Meta, now: Timestamp) -> bool {
        let began = meta.began_ms.map_or(now, Timestamp::from_unix_ms);
        meta.sealed_seq.is_none()
            && meta.bytes > 0
            && (meta.bytes.unsigned_abs() >= self.bytes_max || began < now.before(self.ms_max))
    }
}

pub(super) struct End {
    connection: SqliteConnection,
    meta: Meta,
}

/// Whether all that was moved is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cleared {
    Partly,
    Wholly,
}

impl End {
    pub(super) async fn connect(file: &LedgerFile) -> Result<Self, Error> {
        let (connection, meta) = file.connect().await?;
        Ok(Self { connection, meta })
    }

    pub(super) async fn close(self) -> Result<(), sqlx::Error> {
        self.connection.close().await
    }

    pub(super) const fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Appends all or nothing, but for those that others were before; says for each whether it is
    /// on disk.
    pub(super) async fn append(
        &mut self,
        entries: &[Box<Entry>],
    ) -> Result<Vec<Result<(), Error>>, Error> {
        let mut meta = self.meta;
        let mut results = Vec::with_capacity(entries.len());
        // To begin by reading could find the database changed when it comes to writing.
        let mut transaction = self.connection.begin_with("BEGIN IMMEDIATE").await?;
        for entry in entries {
            results.push(match put_entry(&mut transaction, &mut meta, entry).await {
                // Nothing was changed, and the record is left out.
                Err(Error::Contested) => Err(Error::Contested),
                put => Ok(put?),
            });
        }
        note(&mut transaction, &meta).await?;
        transaction.commit().await?;
        self.meta = meta;
        Ok(results)
    }

    /// Ends a part of the chain where that is due, and begins the next: both or neither.
    pub(super) async fn seal_where_due(
        &mut self,
        rotation: &Rotation,
        now: Timestamp,
    ) -> Result<(), Error> {
        if !rotation.is_due(&self.meta, now) {
            return Ok(());
        }
        let mut meta = self.meta;
        let mut transaction = self.connection.begin_with("BEGIN IMMEDIATE").await?;
        let seal = body::seal(now, meta.base.seq);
        put(&mut transaction, &mut meta, &seal, &columns::read(&seal)?).await?;
        let sealed = meta.head;
        meta.sealed_seq = Some(sealed.seq);
        meta.forgotten_before_ms = now.before(rotation.history_ms_max).unix_ms();
        let next = body::continues(now, sealed, meta.forgotten_before_ms);
        put(&mut transaction, &mut meta, &next, &columns::read(&next)?).await?;
        // What only goes on is nothing that is to be sealed.
        (meta.bytes, meta.began_ms) = (0, None);
        note(&mut transaction, &meta).await?;
        transaction.commit().await?;
        self.meta = meta;
        Ok(())
    }

    /// Writes something of no meaning, the way a record is written.
    pub(super) async fn beat(&mut self) -> Result<(), Error> {
        let mut transaction = self.connection.begin_with("BEGIN IMMEDIATE").await?;
        sqlx::query("UPDATE meta SET beats = beats + 1").execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Removes a few of the records that were moved to a file of their own, the first ones first;
    /// with the last of them the file begins after them.
    pub(super) async fn clear(&mut self) -> Result<Cleared, Error> {
        let Some(last) = self.meta.sealed_seq else { return Ok(Cleared::Wholly) };
        let mut transaction = self.connection.begin_with("BEGIN IMMEDIATE").await?;
        let removed = sqlx::query(
            "DELETE FROM records WHERE seq IN \
             (SELECT seq FROM records WHERE seq < ?1 ORDER BY seq LIMIT ?2)",
        )
        .bind(last)
        .bind(CHUNK)
        .execute(&mut *transaction)
        .await?
        .rows_affected();
        if removed > 0 {
            transaction.commit().await?;
            return Ok(Cleared::Partly);
        }
        sqlx::query(
            "UPDATE meta SET base_seq = ?1, sealed_seq = NULL, \
             base_hash = (SELECT hash FROM records WHERE seq = ?1)",
        )
        .bind(last)
        .execute(&mut *transaction)
        .await?;
        sqlx::query("DELETE FROM records WHERE seq = ?")
            .bind(last)
            .execute(&mut *transaction)
            .await?;
        standing::sweep(&mut transaction, self.meta.forgotten_before_ms).await?;
        let meta = crate::ledger::file::meta(&mut transaction).await?;
        transaction.commit().await?;
        self.meta = meta;
        Ok(Cleared::Wholly)
    }
}

/// Puts one record at the end of the chain, and keeps what people are shown beside it.
async fn put_entry(
    connection: &mut SqliteConnection,
    meta: &mut Meta,
    entry: &Entry,
) -> Result<(), Error> {
    put(connection, meta, &entry.body, &entry.reading).await?;
    match &entry.reading.change {
        Some(change) => approvals::keep(connection, change, entry.shown.as_deref()).await,
        None => Ok(()),
    }
}

/// Puts one record at the end of the chain.
async fn put(
    connection: &mut SqliteConnection,
    meta: &mut Meta,
    body: &str,
    reading: &Reading,
) -> Result<(), Error> {
    let step = standing::apply(connection, reading, meta.forgotten_before_ms).await?;
    meta.head = meta.head.next(body);
    meta.bytes = meta.bytes.saturating_add_unsigned(body.len() as u64);
    meta.began_ms.get_or_insert(reading.columns.at_ms);
    let columns = &reading.columns;
    sqlx::query(
        "INSERT INTO records (seq, hash, kind, call, at_ms, tenant, subject, session, step, \
         tool, decision, cause, outcome, labels, approval, body) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(meta.head.seq)
    .bind(meta.head.hash.as_bytes().as_slice())
    .bind(&columns.kind)
    .bind(&columns.call)
    .bind(columns.at_ms)
    .bind(&columns.tenant)
    .bind(&columns.subject)
    .bind(&columns.session)
    .bind(step)
    .bind(&columns.tool)
    .bind(&columns.decision)
    .bind(&columns.cause)
    .bind(&columns.outcome)
    .bind(&columns.labels)
    .bind(&columns.approval)
    .bind(body)
    .execute(connection)
    .await?;
    Ok(())
}

/// Notes where the chain stands, in the transaction that brought it there.
async fn note(connection: &mut SqliteConnection, meta: &Meta) -> Result<(), Error> {
    sqlx::query(
        "UPDATE meta SET head_seq = ?, head_hash = ?, bytes = ?, began_ms = ?, sealed_seq = ?, \
         forgotten_before_ms = ?",
    )
    .bind(meta.head.seq)
    .bind(meta.head.hash.as_bytes().as_slice())
    .bind(meta.bytes)
    .bind(meta.began_ms)
    .bind(meta.sealed_seq)
    .bind(meta.forgotten_before_ms)
    .execute(connection)
    .await?;
    Ok(())
}
