//! How sessions and subjects must stand after the records, told from these alone.
//!
//! The tables are made anew, by the writer's own statements, as temporary ones: they hide those
//! of the ledger from everything that does not say `main`. Must never write to the ledger.

use crate::ledger::Error;
use crate::ledger::columns::Reading;
use crate::ledger::file::LedgerFile;
use crate::ledger::standing::{self, FORGOTTEN};
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Connection, Row};

pub(super) struct Replay {
    connection: SqliteConnection,
    forgotten_before_ms: i64,
}

/// What the ledger has noted, against what the records tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Noted {
    Sound,
    /// This table says something else.
    Differs(&'static str),
    /// More records are there than were told.
    Grown,
}

/// Every table that follows from the records.
const TABLES: [&str; 4] = ["steps", "labels", "approvals", "usage"];

impl Replay {
    pub(super) async fn begin(file: &LedgerFile) -> Result<Self, Error> {
        let (mut connection, _) = file.connect_to_read().await?;
        let tables = include_str!("../standing.sql")
            .replace("CREATE TABLE ", "CREATE TABLE temp.")
            .replace("INDEX ", "INDEX temp.");
        sqlx::raw_sql(AssertSqlSafe(tables)).execute(&mut connection).await?;
        Ok(Self { connection, forgotten_before_ms: 0 })
    }

    /// Takes records into account; answers their numbers in their sessions.
    pub(super) async fn take(&mut self, readings: &[Reading]) -> Result<Vec<Option<i64>>, Error> {
        let mut steps = Vec::with_capacity(readings.len());
        let mut transaction = self.connection.begin().await?;
        for reading in readings {
            if let Some(moment) = reading.forgotten_before_ms {
                self.forgotten_before_ms = moment;
            }
            let step = standing::apply(&mut transaction, reading, self.forgotten_before_ms);
            steps.push(match step.await {
                // It was never written: what is noted will differ.
                Err(Error::Contested) => None,
                step => step?,
            });
        }
        transaction.commit().await?;
        Ok(steps)
    }

    /// Holds what is noted against what was told, at one moment: that of record `last`.
    pub(super) async fn compare(&mut self, last: i64) -> Result<Noted, Error> {
        let forgotten = self.forgotten_before_ms;
        standing::sweep(&mut self.connection, forgotten).await?;
        let comparison = sqlx::query(AssertSqlSafe(comparison())).bind(forgotten);
        let row = comparison.fetch_one(&mut self.connection).await?;
        if row.try_get::<i64, _>("last_seq")? != last {
            return Ok(Noted::Grown);
        }
        for table in TABLES {
            if row.try_get::<i64, _>(table)? != 0 {
                return Ok(Noted::Differs(table));
            }
        }
        Ok(Noted::Sound)
    }
}

/// One statement, so that it sees one moment: for each table how much only one of the two says.
/// What is forgotten is removed by and by, so what is left of it is not looked at.
fn comparison() -> String {
    let known = FORGOTTEN.map(|(table, forgotten)| {
        let forgotten = forgotten.replace("FROM ", "FROM main.");
        format!("known_{table} AS (SELECT * FROM main.{table} WHERE NOT ({forgotten}))")
    });
    let differences = TABLES.map(|table| {
        let is_forgotten = FORGOTTEN.iter().any(|(name, _)| *name == table);
        let noted = if is_forgotten { format!("known_{table}") } else { format!("main.{table}") };
        format!(
            ", (SELECT count(*) FROM (SELECT * FROM {noted} EXCEPT SELECT * FROM temp.{table})) \
             + (SELECT count(*) FROM (SELECT * FROM temp.{table} EXCEPT SELECT * FROM {noted})) \
             AS {table}"
        )
    });
    format!(
        "WITH {} SELECT (SELECT coalesce(max(seq), 0) FROM main.records) AS last_seq{}",
        known.join(", "),
        differences.concat()
    )
}
