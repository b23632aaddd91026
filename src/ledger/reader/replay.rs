//! How sessions and subjects must stand after the records, told from these alone.
//!
//! The tables are made anew, by the writer's own statements, as temporary ones: they hide those
//! of the ledger from everything that does not say `main`. Must never write to the ledger.

use crate::ledger::Error;
use crate::ledger::columns::Reading;
use crate::ledger::file::LedgerFile;
use crate::ledger::standing;
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
    Steps,
    Labels,
    /// More records are there than were told.
    Grown,
}

impl Replay {
    pub(super) async fn begin(file: &LedgerFile) -> Result<Self, Error> {
        let (mut connection, _) = file.connect_to_read().await?;
        let tables = include_str!("../standing.sql")
            .replace("CREATE TABLE ", "CREATE TEMP TABLE ")
            .replace("CREATE INDEX ", "CREATE INDEX temp.");
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
            steps.push(step.await?);
        }
        transaction.commit().await?;
        Ok(steps)
    }

    /// Holds what is noted against what was told, at one moment: that of record `last`.
    pub(super) async fn compare(&mut self, last: i64) -> Result<Noted, Error> {
        let forgotten = self.forgotten_before_ms;
        standing::sweep(&mut self.connection, forgotten).await?;
        let row = sqlx::query(COMPARISON).bind(forgotten).fetch_one(&mut self.connection).await?;
        let count = |name: &str| row.try_get::<i64, _>(name);
        Ok(match (count("last_seq")? == last, count("steps")?, count("labels")?) {
            (false, _, _) => Noted::Grown,
            (true, 0, 0) => Noted::Sound,
            (true, 0, _) => Noted::Labels,
            (true, _, _) => Noted::Steps,
        })
    }
}

/// How much only one of the two says. Steps of forgotten sessions are removed by and by.
const COMPARISON: &str = "WITH known AS (SELECT * FROM main.steps \
     WHERE (tenant, subject, session) NOT IN \
     (SELECT tenant, subject, session FROM main.steps \
      GROUP BY tenant, subject, session HAVING max(at_ms) < ?1)) \
     SELECT (SELECT coalesce(max(seq), 0) FROM main.records) AS last_seq, \
     (SELECT count(*) FROM (SELECT * FROM known EXCEPT SELECT * FROM temp.steps)) \
     + (SELECT count(*) FROM (SELECT * FROM temp.steps EXCEPT SELECT * FROM known)) AS steps, \
     (SELECT count(*) FROM (SELECT * FROM main.labels EXCEPT SELECT * FROM temp.labels)) \
     + (SELECT count(*) FROM (SELECT * FROM temp.labels EXCEPT SELECT * FROM main.labels)) \
     AS labels";
