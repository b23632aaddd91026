//! The database file of quotas: how it is made, recognised and connected to.
//!
//! Must never change a file that is something else.

use super::Error;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, Row};
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

/// `RGQT` in the header of the file, by which it is known.
const APPLICATION_ID: i64 = 0x5247_5154;
/// The version of its table.
const VERSION: i64 = 1;
/// How soon to look again whether another replica has made the file.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// Makes the file for its owner alone where there is none, and leaves other files as they are.
///
/// Replicas may start at once: they do it one after another.
pub(super) async fn prepare(path: &Path, options: &SqliteConnectOptions) -> Result<(), Error> {
    if let Some(directory) = path.parent() {
        let mut builder = DirBuilder::new();
        let made = builder.recursive(true).mode(0o700).create(directory);
        made.map_err(|error| refused(directory, &error))?;
    }
    let _lock = lock(path).await?;
    match private().create_new(true).open(path) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(refused(path, &error)),
    }
    let mut connection = options.connect().await?;
    recognise(&mut connection, path).await?;
    connection.close().await?;
    Ok(())
}

/// WAL lets replicas count without waiting for a sync each time. What was counted survives the
/// end of every process; a loss of power may forget the last counts.
pub(super) fn options(path: &Path, busy_max: Duration) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(false)
        .synchronous(SqliteSynchronous::Normal)
        .busy_timeout(busy_max)
        .disable_statement_logging()
}

async fn recognise(connection: &mut SqliteConnection, path: &Path) -> Result<(), Error> {
    let header = sqlx::query(
        "SELECT (SELECT application_id FROM pragma_application_id) AS application, \
                (SELECT user_version FROM pragma_user_version) AS version, \
                (SELECT count(*) FROM sqlite_schema) AS tables",
    )
    .fetch_one(&mut *connection)
    .await?;
    match (header.try_get("application")?, header.try_get("version")?, header.try_get("tables")?) {
        (APPLICATION_ID, VERSION, 1_i64) => Ok(()),
        (0_i64, 0_i64, 0_i64) => create(connection, path).await,
        _ => Err(Error::Foreign(path.to_owned())),
    }
}

async fn create(connection: &mut SqliteConnection, path: &Path) -> Result<(), Error> {
    let mode: String =
        sqlx::query_scalar("PRAGMA journal_mode = WAL").fetch_one(&mut *connection).await?;
    if mode != "wal" {
        let reason = format!("its file system does not do for quotas: the journal is `{mode}`");
        return Err(Error::File { file: path.to_owned(), reason });
    }
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    sqlx::raw_sql(include_str!("schema.sql")).execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(())
}

/// Whoever holds it is done in a moment; the bound on all of this is the caller's.
async fn lock(path: &Path) -> Result<File, Error> {
    let mut lock_path = path.as_os_str().to_owned();
    lock_path.push(".lock");
    let file = private().create(true).open(&lock_path).map_err(|error| refused(path, &error))?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => tokio::time::sleep(LOOK_AGAIN).await,
            Err(TryLockError::Error(error)) => return Err(refused(path, &error)),
        }
    }
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    options
}

fn refused(path: &Path, error: &io::Error) -> Error {
    Error::File { file: path.to_owned(), reason: error.to_string() }
}
