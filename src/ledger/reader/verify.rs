//! Whether the ledger still says what was recorded.
//!
//! Must never call a ledger sound that it did not read to its end. What it cannot see is a
//! ledger that was written anew as a whole: for that, keep the head's hash elsewhere.

use super::{Reader, columns};
use crate::ledger::chain::Head;
use crate::ledger::columns::{self as expected, Place};
use crate::ledger::file::hex;
use crate::ledger::{Error, usage};
use futures_util::TryStreamExt;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;
use std::fmt;

/// Records that are read at once. A read that lasts would keep the writer's log from being
/// cleared.
const CHUNK: i64 = 1_024;

/// What came of reading a ledger from its beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// Records that are sound, from the first.
    pub count: u64,
    /// The hash of the last sound record, in hex.
    pub head: String,
    /// The first record that is not sound; `None` where all are.
    pub flaw: Option<Flaw>,
}

/// A place where the ledger does not say what was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The number of the record.
    pub seq: u64,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It is not there.
    Missing,
    /// Its hash does not follow from its body and the record before it.
    Unchained,
    /// It cannot be read as a record.
    Unreadable(String),
    /// A column does not say what the body says.
    Column(&'static str),
    /// Its number in its session is not the next one.
    Step,
    /// The labels that are noted of a subject are not those that the records put on.
    Labels,
    /// What is noted to have been used in a session is not the sum of what the records say.
    Usage,
    /// The end of the chain that was noted is not the end that is there.
    Head,
}

impl fmt::Display for Flaw {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seq = self.seq;
        match &self.fault {
            Fault::Missing => write!(formatter, "record {seq} was removed"),
            Fault::Unchained => write!(
                formatter,
                "record {seq} was changed or put in another's place, or one before it was removed"
            ),
            Fault::Unreadable(reason) => {
                write!(formatter, "record {seq} cannot be read: {reason}")
            }
            Fault::Column(column) => write!(
                formatter,
                "record {seq} has a column `{column}` that does not say what its body says"
            ),
            Fault::Step => write!(
                formatter,
                "record {seq} has a number in its session that is not the next one"
            ),
            Fault::Labels => write!(
                formatter,
                "the labels that are noted of a subject are not those that the records up to \
                 {seq} put on"
            ),
            Fault::Usage => write!(
                formatter,
                "what is noted to have been used is not the sum of what the records up to {seq} say"
            ),
            Fault::Head => write!(
                formatter,
                "record {seq} is the last one, and not the one that was noted as the last"
            ),
        }
    }
}

/// The end of the ledger at one moment: what is there, and what was noted.
struct End {
    last_seq: i64,
    noted_seq: i64,
    noted_hash: Vec<u8>,
}

impl Reader {
    /// Reads the whole ledger and holds each record against the chain. `progress` is told how
    /// many records were read and how many there are. Records that are appended meanwhile are
    /// read as well.
    ///
    /// # Errors
    /// Where the database does not answer. A flaw is no error.
    pub async fn verify(
        &mut self,
        mut progress: impl FnMut(u64, u64),
    ) -> Result<Verification, Error> {
        let mut head = self.file.genesis();
        loop {
            let end = self.end().await?;
            let total = end.last_seq.max(end.noted_seq).unsigned_abs();
            while head.seq < end.last_seq {
                if let Some(flaw) = self.chunk(&mut head, end.last_seq).await? {
                    return Ok(verification(head, Some(flaw)));
                }
                progress(head.seq.unsigned_abs(), total);
            }
            if let Some(flaw) = end.flaw(head) {
                return Ok(verification(head, Some(flaw)));
            }
            if self.end().await?.last_seq == head.seq {
                if let Some(flaw) = self.misnumbered().await? {
                    return Ok(verification(head, Some(flaw)));
                }
                match self.noted(head).await? {
                    Noted::Sound => return Ok(verification(head, None)),
                    Noted::Unsound(fault) => {
                        return Ok(verification(head, Some(flaw(head.seq, fault))));
                    }
                    // What was appended meanwhile has to be read first.
                    Noted::Grown => {}
                }
            }
        }
    }

    /// Follows the chain a little further, to `last` at most.
    async fn chunk(&mut self, head: &mut Head, last: i64) -> Result<Option<Flaw>, Error> {
        let mut rows = sqlx::query(
            "SELECT seq, hash, kind, call, at_ms, tenant, subject, session, step, tool, \
             decision, cause, outcome, labels, approval, body FROM records \
             WHERE seq > ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3",
        )
        .bind(head.seq)
        .bind(last)
        .bind(CHUNK)
        .fetch(&mut self.connection);
        let before = head.seq;
        while let Some(row) = rows.try_next().await? {
            match follow(head, &row) {
                Ok(next) => *head = next,
                Err(fault) => return Ok(Some(flaw(head.seq.saturating_add(1), fault))),
            }
        }
        // Where the rest was taken away since its end was read, reading on would never end.
        Ok((head.seq == before).then(|| flaw(head.seq.saturating_add(1), Fault::Missing)))
    }

    async fn end(&mut self) -> Result<End, Error> {
        let row = sqlx::query(
            "SELECT head_seq, head_hash, \
             (SELECT coalesce(max(seq), 0) FROM records) AS last_seq FROM meta",
        )
        .fetch_one(&mut self.connection)
        .await?;
        Ok(End {
            last_seq: row.try_get("last_seq")?,
            noted_seq: row.try_get("head_seq")?,
            noted_hash: row.try_get("head_hash")?,
        })
    }

    /// Whether what is noted beside the records is what those up to here say.
    async fn noted(&mut self, head: Head) -> Result<Noted, Error> {
        for (query, fault) in [(LABELS, Fault::Labels), (usage::DIFFERENCES, Fault::Usage)] {
            let row = sqlx::query(query).fetch_one(&mut self.connection).await?;
            let (last_seq, differences): (i64, i64) =
                (row.try_get("last_seq")?, row.try_get("differences")?);
            match (last_seq == head.seq, differences) {
                (true, 0) => {}
                (true, _) => return Ok(Noted::Unsound(fault)),
                (false, _) => return Ok(Noted::Grown),
            }
        }
        Ok(Noted::Sound)
    }

    /// The first record whose number in its session is not the next one.
    async fn misnumbered(&mut self) -> Result<Option<Flaw>, Error> {
        let seq: Option<i64> = sqlx::query_scalar(
            "SELECT min(seq) FROM (SELECT seq, step, row_number() OVER \
             (PARTITION BY tenant, subject, session ORDER BY seq) AS number \
             FROM records WHERE step IS NOT NULL) WHERE step <> number",
        )
        .fetch_one(&mut self.connection)
        .await?;
        Ok(seq.map(|seq| flaw(seq, Fault::Step)))
    }
}

/// What is noted beside the records.
enum Noted {
    Sound,
    Unsound(Fault),
    /// More records are there than were read.
    Grown,
}

/// What the outcomes put on, for each label the last call, against what is noted: how much only
/// one of the two says. One statement, so that it sees one moment.
const LABELS: &str = "WITH told AS (SELECT d.tenant, d.subject, l.value AS label, d.session, \
     d.step, d.call, o.at_ms, row_number() OVER \
     (PARTITION BY d.tenant, d.subject, l.value ORDER BY o.seq DESC) AS nth \
     FROM records o JOIN records d ON d.call = o.call AND d.kind = 'decision' \
     AND d.step IS NOT NULL, json_each(o.labels) l WHERE o.labels IS NOT NULL), \
     last AS (SELECT tenant, subject, label, session, step, call, at_ms FROM told WHERE nth = 1), \
     noted AS (SELECT tenant, subject, label, session, step, call, at_ms FROM labels) \
     SELECT (SELECT coalesce(max(seq), 0) FROM records) AS last_seq, \
     (SELECT count(*) FROM (SELECT * FROM last EXCEPT SELECT * FROM noted)) \
     + (SELECT count(*) FROM (SELECT * FROM noted EXCEPT SELECT * FROM last)) AS differences";

impl End {
    fn flaw(&self, head: Head) -> Option<Flaw> {
        if head.seq < self.noted_seq {
            Some(flaw(head.seq.saturating_add(1), Fault::Missing))
        } else if head.seq > self.noted_seq || self.noted_hash != head.hash.as_bytes() {
            Some(flaw(head.seq, Fault::Head))
        } else {
            None
        }
    }
}

/// The head after this row, where the row is the record that follows.
fn follow(head: &Head, row: &SqliteRow) -> Result<Head, Fault> {
    let unreadable = |error: sqlx::Error| Fault::Unreadable(error.to_string());
    let seq: i64 = row.try_get("seq").map_err(unreadable)?;
    if seq != head.seq.saturating_add(1) {
        return Err(Fault::Missing);
    }
    let body: &str = row.try_get("body").map_err(unreadable)?;
    let hash: &[u8] = row.try_get("hash").map_err(unreadable)?;
    let next = head.next(body);
    if hash != next.hash.as_bytes() {
        return Err(Fault::Unchained);
    }
    let step: Option<i64> = row.try_get("step").map_err(unreadable)?;
    let reading = expected::read(body).map_err(|error| Fault::Unreadable(error.to_string()))?;
    if let Some(column) = reading.columns.difference(&columns(row).map_err(unreadable)?) {
        return Err(Fault::Column(column));
    }
    match (reading.place, step) {
        (Place::Step, Some(_)) | (Place::Aside, None) => Ok(next),
        (Place::Step, None) | (Place::Aside, Some(_)) => Err(Fault::Column("step")),
    }
}

fn flaw(seq: i64, fault: Fault) -> Flaw {
    Flaw { seq: seq.unsigned_abs(), fault }
}

fn verification(head: Head, flaw: Option<Flaw>) -> Verification {
    Verification { count: head.seq.unsigned_abs(), head: hex(head.hash.as_bytes()), flaw }
}
