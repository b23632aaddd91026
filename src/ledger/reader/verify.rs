//! Whether the ledger still says what was recorded.
//!
//! Must never call a ledger sound that it did not read to its end. What it cannot see is a
//! ledger that was written anew as a whole: for that, keep the head's hash elsewhere.

use super::flaw::{Fault, Flaw};
use super::replay::{Noted, Replay};
use super::{Part, Reader, columns, connect};
use crate::ledger::Error;
use crate::ledger::chain::Head;
use crate::ledger::columns::{self as expected, Place, Reading};
use crate::ledger::file::{LedgerFile, Meta, hex, meta};
use crate::ledger::parts::{self, Sealed};
use futures_util::TryStreamExt;
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{Connection, Row};

/// Records that are read at once. A read that lasts would keep the writer's log from being
/// cleared.
const CHUNK: i64 = 1_024;

/// Where to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// With the first record there ever was.
    Beginning,
    /// With the first record that is there. What that goes on from is taken at its word, and
    /// what is noted of sessions and subjects is not held against records that are elsewhere.
    Oldest,
}

/// What came of reading a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// The record after which reading began: 0 for the beginning.
    pub after: u64,
    /// Records that are sound, from there.
    pub count: u64,
    /// The hash of the last sound record, in hex.
    pub head: String,
    /// The first record that is not sound; `None` where all are.
    pub flaw: Option<Flaw>,
}

/// A verification under way.
struct Walk {
    head: Head,
    replay: Option<Replay>,
}

/// Nothing, or what is wrong.
type Found = Result<(), Flaw>;

impl Reader {
    /// Reads the whole ledger, file by file, and holds each record against the chain. `progress`
    /// is told how many records were read and how many there are. Records that are appended
    /// meanwhile are read as well.
    ///
    /// # Errors
    /// Where the database does not answer. A flaw is no error.
    pub async fn verify(
        &mut self,
        start: Start,
        mut progress: impl FnMut(u64, u64),
    ) -> Result<Verification, Error> {
        let (head, replay) = match start {
            Start::Beginning => (self.file.genesis(), Some(Replay::begin(&self.file).await?)),
            Start::Oldest => (self.oldest().await?, None),
        };
        let mut walk = Walk { head, replay };
        let found = self.walk(&mut walk, &mut progress).await?;
        Ok(Verification {
            after: head.seq.unsigned_abs(),
            count: walk.head.seq.saturating_sub(head.seq).unsigned_abs(),
            head: hex(walk.head.hash.as_bytes()),
            flaw: found.err(),
        })
    }

    /// What the first record that is there goes on from.
    async fn oldest(&mut self) -> Result<Head, Error> {
        match parts::list(self.file.path())?.first() {
            Some(part) => Ok(connect(part).await?.2.base),
            None => Ok(meta(&mut self.connection).await?.base),
        }
    }

    async fn walk(
        &mut self,
        walk: &mut Walk,
        progress: &mut impl FnMut(u64, u64),
    ) -> Result<Found, Error> {
        loop {
            let part = self.part_holding(walk.next()).await?;
            let end = meta(&mut self.connection).await?;
            let before = walk.head;
            let found = match part {
                Part::Sealed(part) => self.sealed(walk, &part).await?.map_err(Some),
                Part::Live => match walk.follow(&mut self.connection, i64::MAX).await? {
                    Ok(()) => Ok(()),
                    Err(flaw) => Err(self.unless_moved(flaw, walk.next()).await?),
                },
            };
            let total = walk.head.seq.max(end.head.seq).unsigned_abs();
            progress(walk.head.seq.unsigned_abs(), total);
            match found {
                Ok(()) => {}
                Err(Some(flaw)) => return Ok(Err(flaw)),
                Err(None) => continue,
            }
            if (walk.head == before || walk.head.seq >= end.head.seq)
                && let Some(found) = self.end(walk).await?
            {
                return Ok(found);
            }
        }
    }

    /// What is missing in the live file may have been moved to a file of its own since it was
    /// looked for: then it is not missing. Where the live file begins later, a file is.
    async fn unless_moved(&mut self, flaw: Flaw, seq: i64) -> Result<Option<Flaw>, Error> {
        if flaw.fault != Fault::Missing {
            return Ok(Some(flaw));
        }
        if let Part::Sealed(part) = self.part_holding(seq).await?
            && part.first <= seq
        {
            return Ok(None);
        }
        let base = meta(&mut self.connection).await?.base.seq;
        let gone = Fault::File { last: base.unsigned_abs() };
        Ok(Some(if base < seq { flaw } else { Flaw { fault: gone, ..flaw } }))
    }

    /// Follows the chain through a sealed file.
    async fn sealed(&self, walk: &mut Walk, part: &Sealed) -> Result<Found, Error> {
        if part.first > walk.next() {
            let last = part.first.saturating_sub(1).unsigned_abs();
            return Ok(Err(walk.flaw(Fault::File { last })));
        }
        let (mut connection, noted) = match self.opened(part).await {
            Ok(opened) => opened,
            Err(error) => return Ok(Err(walk.flaw(Fault::Foreign(error.to_string())))),
        };
        while walk.head.seq < part.last {
            let before = walk.head;
            if let Err(flaw) = walk.follow(&mut connection, part.last).await? {
                return Ok(Err(flaw));
            }
            if walk.head == before {
                return Ok(Err(walk.flaw(Fault::Missing)));
            }
        }
        connection.close().await?;
        if noted.head == walk.head { Ok(Ok(())) } else { Ok(Err(walk.end_flaw())) }
    }

    async fn opened(&self, part: &Sealed) -> Result<(SqliteConnection, Meta), Error> {
        let (file, connection, noted): (LedgerFile, _, _) = connect(part).await?;
        if file.is_of(&self.file) {
            Ok((connection, noted))
        } else {
            Err(Error::NotALedger(part.path.clone()))
        }
    }

    /// What is wrong at the end of the chain; `None` where more was written meanwhile.
    async fn end(&mut self, walk: &mut Walk) -> Result<Option<Found>, Error> {
        let mut moment = self.connection.begin().await?;
        let noted = meta(&mut moment).await?;
        let last: i64 = sqlx::query_scalar("SELECT coalesce(max(seq), 0) FROM records")
            .fetch_one(&mut *moment)
            .await?;
        moment.rollback().await?;
        if walk.head.seq < last {
            return Ok(None);
        }
        if walk.head.seq < noted.head.seq {
            return Ok(Some(Err(walk.flaw(Fault::Missing))));
        }
        if walk.head != noted.head {
            return Ok(Some(Err(walk.end_flaw())));
        }
        let Some(replay) = &mut walk.replay else { return Ok(Some(Ok(()))) };
        let fault = match replay.compare(last).await? {
            Noted::Grown => return Ok(None),
            Noted::Sound => return Ok(Some(Ok(()))),
            Noted::Differs(table) => Fault::Noted(table),
        };
        Ok(Some(Err(Flaw { seq: walk.head.seq.unsigned_abs(), fault })))
    }
}

impl Walk {
    /// The number of the next record.
    const fn next(&self) -> i64 {
        self.head.seq.saturating_add(1)
    }

    /// Something is wrong with the next record.
    const fn flaw(&self, fault: Fault) -> Flaw {
        Flaw { seq: self.next().unsigned_abs(), fault }
    }

    /// The last record is not the one that was noted as the last.
    const fn end_flaw(&self) -> Flaw {
        Flaw { seq: self.head.seq.unsigned_abs(), fault: Fault::Head }
    }

    /// Follows the chain a little further, to `last` at most.
    async fn follow(
        &mut self,
        connection: &mut SqliteConnection,
        last: i64,
    ) -> Result<Found, Error> {
        let mut rows = sqlx::query(
            "SELECT seq, hash, kind, call, at_ms, tenant, subject, session, step, tool, \
             decision, cause, outcome, labels, approval, body FROM records \
             WHERE seq > ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3",
        )
        .bind(self.head.seq)
        .bind(last)
        .bind(CHUNK)
        .fetch(connection);
        let mut heads = vec![self.head];
        let mut readings = Vec::new();
        let mut found = Ok(());
        while let Some(row) = rows.try_next().await? {
            match follow(&self.head, &row) {
                Ok((next, reading, step)) => {
                    self.head = next;
                    heads.push(next);
                    readings.push((reading, step));
                }
                Err(fault) => {
                    found = Err(self.flaw(fault));
                    break;
                }
            }
        }
        drop(rows);
        Ok(self.number(&heads, readings).await?.and(found))
    }

    /// Whether these records, each after the head at its place, have the numbers in their
    /// sessions that they must have.
    async fn number(
        &mut self,
        heads: &[Head],
        records: Vec<(Reading, Option<i64>)>,
    ) -> Result<Found, Error> {
        let Some(replay) = &mut self.replay else { return Ok(Ok(())) };
        let (readings, steps): (Vec<_>, Vec<_>) = records.into_iter().unzip();
        let told = replay.take(&readings).await?;
        let wrong = told.iter().zip(&steps).zip(heads).find(|((told, step), _)| told != step);
        match wrong {
            Some((_, before)) => {
                self.head = *before;
                Ok(Err(self.flaw(Fault::Step)))
            }
            None => Ok(Ok(())),
        }
    }
}

/// The head after this row, where the row is the record that follows, and what it says.
fn follow(head: &Head, row: &SqliteRow) -> Result<(Head, Reading, Option<i64>), Fault> {
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
    let found = columns(row).map_err(unreadable)?;
    if let Some(column) = reading.columns.difference(&found) {
        return Err(Fault::Column(column));
    }
    match (reading.place, step) {
        (Place::Step, Some(_)) | (Place::Aside, None) => Ok((next, reading, step)),
        (Place::Step, None) | (Place::Aside, Some(_)) => Err(Fault::Column("step")),
    }
}
