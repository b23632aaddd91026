//! The database file of the index: how it is made, recognised and connected to.
//!
//! Must never change a file that is something else.

use super::super::error::Error;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions, Connection, Row};
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

/// `RGFL` in the header of the file, by which it is known.
const APPLICATION_ID: i64 = 0x5247_464c;
/// The version of its tables.
const VERSION: i64 = 1;
/// How long one statement may wait for its turn.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) async fn open(path: &Path) -> Result<SqlitePool, Error> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            return Err(Error::disk(path, &error));
        }
        Ok(_) | Err(_) => {}
    }
    // Every change is synced: what was told to be kept is kept.
    let options = SqliteConnectOptions::new()
        .filename(path)
        .foreign_keys(true)
        .busy_timeout(PATIENCE)
        .disable_statement_logging();
    let mut connection = options.connect().await?;
    recognise(&mut connection, path).await?;
    connection.close().await?;
    let options = options.journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Full);
    let pool = SqlitePoolOptions::new().max_connections(1).acquire_timeout(PATIENCE);
    Ok(pool.test_before_acquire(false).connect_with(options).await?)
}

async fn recognise(connection: &mut SqliteConnection, path: &Path) -> Result<(), Error> {
    let header = sqlx::query(
        "SELECT (SELECT application_id FROM pragma_application_id) AS application, \
                (SELECT user_version FROM pragma_user_version) AS version, \
                (SELECT count(*) FROM sqlite_schema) AS parts",
    )
    .fetch_one(&mut *connection)
    .await?;
    match (header.try_get("application")?, header.try_get("version")?, header.try_get("parts")?) {
        (APPLICATION_ID, VERSION, 1_i64..) => Ok(()),
        (0_i64, 0_i64, 0_i64) => {
            let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
            sqlx::raw_sql(include_str!("schema.sql")).execute(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(())
        }
        _ => Err(Error::Foreign(path.to_owned())),
    }
}
