//! Which records are shown, and in which order, over all files of a ledger.
//!
//! Must never show a record that was not selected: whoever sees a tenant sees no other.

use super::{Reader, Record, connect, record, whole};
use crate::call::{CallId, Text, Timestamp};
use crate::ledger::{Error, parts};
use futures_util::TryStreamExt;
use sqlx::sqlite::{Sqlite, SqliteConnection};
use sqlx::{Connection, QueryBuilder, Row};
use std::ops::ControlFlow;

/// Which records to show. What is `None` selects nothing away; a record without such a field is
/// selected away by a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// Only records after this one in the order asked for.
    pub after: Option<u64>,
    /// In which order.
    pub order: Order,
    /// At most so many.
    pub limit: u64,
    /// Only records of this call.
    pub call: Option<CallId>,
    /// Only records of this tenant's subjects.
    pub tenant: Option<Text>,
    /// Only records of subjects with this id.
    pub subject: Option<Text>,
    /// Only records of sessions with this id.
    pub session: Option<Text>,
    /// Only records of calls of tools with this name.
    pub tool: Option<Text>,
    /// Only decisions of this kind: `permitted`, `held`, `denied`.
    pub decision: Option<Text>,
    /// Only decisions for this cause.
    pub cause: Option<Text>,
    /// Only records of this kind: `decision`, `connection`, `outcome`, `answer`, `usage`, `file`, `seal`,
    /// `continues`.
    pub kind: Option<Text>,
    /// Only records of this moment and later ones.
    pub since: Option<Timestamp>,
    /// Only records from before this moment.
    pub until: Option<Timestamp>,
}

/// The order of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// As they were written.
    #[default]
    OldestFirst,
    /// The other way round.
    NewestFirst,
}

/// Records that a file holds: those after `after` and up to `last`.
#[derive(Debug, Clone, Copy)]
pub(in crate::ledger) struct Range {
    pub(in crate::ledger) after: i64,
    pub(in crate::ledger) last: i64,
}

/// How a file was read.
enum Read {
    ToItsEnd,
    /// Enough was shown.
    Enough,
}

impl Selection {
    /// The query for the records of one file, at most so many.
    pub(in crate::ledger) fn query(&self, range: Range, limit: u64) -> QueryBuilder<Sqlite> {
        let mut query = QueryBuilder::new("SELECT seq, kind, at_ms, hash, body FROM records");
        query.push(" WHERE seq > ").push_bind(range.after);
        query.push(" AND seq <= ").push_bind(range.last);
        let texts = [
            (" AND call = ", self.call.as_ref().map(CallId::as_str)),
            (" AND tenant = ", self.tenant.as_deref()),
            (" AND subject = ", self.subject.as_deref()),
            (" AND session = ", self.session.as_deref()),
            (" AND tool = ", self.tool.as_deref()),
            (" AND decision = ", self.decision.as_deref()),
            (" AND cause = ", self.cause.as_deref()),
            (" AND kind = ", self.kind.as_deref()),
        ];
        for (condition, value) in texts {
            if let Some(value) = value {
                query.push(condition).push_bind(value.to_owned());
            }
        }
        let moments = [(" AND at_ms >= ", self.since), (" AND at_ms < ", self.until)];
        for (condition, moment) in moments {
            if let Some(moment) = moment {
                query.push(condition).push_bind(moment.unix_ms());
            }
        }
        query.push(match self.order {
            Order::OldestFirst => " ORDER BY seq LIMIT ",
            Order::NewestFirst => " ORDER BY seq DESC LIMIT ",
        });
        query.push_bind(whole(limit));
        query
    }
}

impl Reader {
    /// Shows each selected record, in order, until there is no more, or enough, or `each` breaks
    /// off.
    ///
    /// Answers the last record that was looked at, after which there may be more; `None` where
    /// there is none.
    ///
    /// # Errors
    /// Where a database does not answer.
    pub async fn show(
        &mut self,
        selection: &Selection,
        each: impl FnMut(Record) -> ControlFlow<()>,
    ) -> Result<Option<u64>, Error> {
        self.show_while(selection, each, || ControlFlow::Continue(())).await
    }

    /// The same; between files, `rest` is asked whether to go on.
    pub(in crate::ledger) async fn show_while(
        &mut self,
        selection: &Selection,
        mut each: impl FnMut(Record) -> ControlFlow<()>,
        rest: impl Fn() -> ControlFlow<()>,
    ) -> Result<Option<u64>, Error> {
        let mut shown = Shown { left: selection.limit, last: None };
        match selection.order {
            Order::OldestFirst => {
                let after = whole(selection.after.unwrap_or(0));
                self.forth(selection, after, &mut shown, (&mut each, &rest)).await
            }
            Order::NewestFirst => {
                let before = selection.after.map_or(i64::MAX, whole);
                self.back(selection, before, &mut shown, (&mut each, &rest)).await
            }
        }
    }

    /// The last records that are selected, oldest first; answers the last record there is.
    ///
    /// # Errors
    /// Where a database does not answer.
    pub async fn tail(
        &mut self,
        selection: &Selection,
        mut each: impl FnMut(Record) -> ControlFlow<()>,
    ) -> Result<u64, Error> {
        let end = self.last_seq().await?;
        let newest = Selection {
            order: Order::NewestFirst,
            after: Some(end.saturating_add(1)),
            ..selection.clone()
        };
        // To show them the other way round, all would have to be held.
        let mut first = None;
        let note = |record: Record| {
            first = Some(record.seq);
            ControlFlow::Continue(())
        };
        self.show(&newest, note).await?;
        let Some(first) = first else { return Ok(end) };
        let after = Some(first.saturating_sub(1));
        let again = Selection { order: Order::OldestFirst, after, ..selection.clone() };
        let until_end = |record: Record| {
            if record.seq > end { ControlFlow::Break(()) } else { each(record) }
        };
        self.show(&again, until_end).await?;
        Ok(end)
    }

    /// One moment of the live file is looked at; whatever is not in it was in a file of its own by
    /// then.
    async fn forth(
        &mut self,
        selection: &Selection,
        mut after: i64,
        shown: &mut Shown,
        (each, rest): (&mut impl FnMut(Record) -> ControlFlow<()>, &impl Fn() -> ControlFlow<()>),
    ) -> Result<Option<u64>, Error> {
        loop {
            let mut moment = self.connection.begin().await?;
            let first = first_of(&mut moment).await?;
            let sealed = parts::list(self.file.path())?;
            let next = sealed.into_iter().find(|part| after < part.last);
            let Some(part) = next.filter(|_| after.saturating_add(1) < first) else {
                let range = Range { after, last: i64::MAX };
                let read = shown.read(&mut moment, selection, range, each).await?;
                moment.rollback().await?;
                return Ok(match read {
                    Read::ToItsEnd => None,
                    Read::Enough => shown.last,
                });
            };
            moment.rollback().await?;
            let range = Range { after, last: part.last };
            if let Read::Enough = read_sealed(&part, selection, range, shown, each).await? {
                return Ok(shown.last);
            }
            after = part.last;
            if rest().is_break() {
                return Ok(Some(after.unsigned_abs()));
            }
        }
    }

    /// The same, the other way round.
    async fn back(
        &mut self,
        selection: &Selection,
        before: i64,
        shown: &mut Shown,
        (each, rest): (&mut impl FnMut(Record) -> ControlFlow<()>, &impl Fn() -> ControlFlow<()>),
    ) -> Result<Option<u64>, Error> {
        let mut moment = self.connection.begin().await?;
        let first = first_of(&mut moment).await?;
        let range = Range { after: 0, last: before.saturating_sub(1) };
        let read = shown.read(&mut moment, selection, range, each).await?;
        moment.rollback().await?;
        if let Read::Enough = read {
            return Ok(shown.last);
        }
        let mut first = first.min(before);
        let sealed = parts::list(self.file.path())?;
        for part in sealed.iter().rev() {
            if part.first >= first {
                continue;
            }
            if rest().is_break() {
                return Ok(Some(first.unsigned_abs()));
            }
            let range = Range { after: 0, last: part.last.min(first.saturating_sub(1)) };
            if let Read::Enough = read_sealed(part, selection, range, shown, each).await? {
                return Ok(shown.last);
            }
            first = part.first;
        }
        Ok(None)
    }
}

async fn first_of(connection: &mut SqliteConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("SELECT coalesce(min(seq), 1) FROM records").fetch_one(connection).await
}

/// How much was shown.
struct Shown {
    /// How many records may still be shown.
    left: u64,
    /// The last one that was.
    last: Option<u64>,
}

impl Shown {
    async fn read(
        &mut self,
        connection: &mut SqliteConnection,
        selection: &Selection,
        range: Range,
        each: &mut impl FnMut(Record) -> ControlFlow<()>,
    ) -> Result<Read, Error> {
        if self.left == 0 {
            return Ok(Read::Enough);
        }
        let mut query = selection.query(range, self.left);
        let mut rows = query.build().fetch(connection);
        while let Some(row) = rows.try_next().await? {
            let record = record(&row)?;
            self.left -= 1;
            self.last = Some(record.seq);
            if each(record).is_break() || self.left == 0 {
                return Ok(Read::Enough);
            }
        }
        Ok(Read::ToItsEnd)
    }
}

async fn read_sealed(
    part: &parts::Sealed,
    selection: &Selection,
    range: Range,
    shown: &mut Shown,
    each: &mut impl FnMut(Record) -> ControlFlow<()>,
) -> Result<Read, Error> {
    let (_, mut connection, _) = connect(part).await?;
    let read = if is_over(&mut connection, selection).await? {
        Read::ToItsEnd
    } else {
        shown.read(&mut connection, selection, range, each).await?
    };
    connection.close().await?;
    Ok(read)
}

/// Whether a file was sealed before what is asked for: then none of it needs to be looked at.
async fn is_over(connection: &mut SqliteConnection, selection: &Selection) -> Result<bool, Error> {
    let Some(since) = selection.since else { return Ok(false) };
    let sealed = sqlx::query("SELECT at_ms FROM records ORDER BY seq DESC LIMIT 1")
        .fetch_optional(connection)
        .await?;
    let sealed_ms = sealed.map(|row| row.try_get::<i64, _>("at_ms")).transpose()?;
    Ok(sealed_ms.is_some_and(|sealed_ms| sealed_ms < since.unix_ms()))
}
