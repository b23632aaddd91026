//! The database file: how it is made, recognised, locked and connected to.
//!
//! Must never change a file that is not a ledger of this version, and must never let two writers
//! have one ledger.

use super::Error;
use super::chain::Head;
use crate::call::Text;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, Row};
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `RGLG` in the header of the file, by which it is known.
const APPLICATION_ID: i64 = 0x5247_4c47;
/// The version of the tables and of the chain.
const VERSION: i64 = 2;

/// The right to write to a ledger; the operating system takes it back from a process that dies.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

/// A ledger file that was recognised, and how long to wait for others who use it.
#[derive(Debug, Clone)]
pub(super) struct LedgerFile {
    path: PathBuf,
    id: Vec<u8>,
    busy_max: Duration,
}

/// What a file is.
enum Identity {
    /// A ledger of this version, with this id.
    Ledger(Vec<u8>),
    /// A database in which nothing was made yet.
    Empty,
}

/// Locks the ledger, makes it where there is none, and leaves other files as they are.
///
/// # Errors
/// Where the file is in use by another writer, is not a ledger of this version, or cannot be had.
pub(super) async fn prepare(path: &Path, busy_max: Duration) -> Result<(LedgerFile, Lock), Error> {
    let lock = lock(path)?;
    create_private(path)?;
    let mut connection = connect(path, options(path, busy_max)).await?;
    let id = match identity(&mut connection, path).await? {
        Identity::Ledger(id) => id,
        Identity::Empty => create(&mut connection, path).await?,
    };
    connection.close().await?;
    let file = LedgerFile { path: path.to_owned(), id, busy_max };
    Ok((file, lock))
}

/// Recognises a ledger that is there, and changes nothing.
///
/// # Errors
/// Where the file is not a ledger of this version or cannot be had.
pub(super) async fn inspect(path: &Path, busy_max: Duration) -> Result<LedgerFile, Error> {
    // SQLite's own words for an absent file name neither the file nor the reason.
    std::fs::metadata(path).map_err(|error| refused(path, &error))?;
    let mut connection = connect(path, options(path, busy_max).read_only(true)).await?;
    let identity = identity(&mut connection, path).await?;
    connection.close().await?;
    match identity {
        Identity::Ledger(id) => Ok(LedgerFile { path: path.to_owned(), id, busy_max }),
        Identity::Empty => Err(Error::NotALedger(path.to_owned())),
    }
}

impl LedgerFile {
    /// Connects to write, and reads where the chain ends.
    pub(super) async fn connect(&self) -> Result<(SqliteConnection, Head), Error> {
        let mut connection = connect(&self.path, options(&self.path, self.busy_max)).await?;
        match identity(&mut connection, &self.path).await? {
            Identity::Ledger(id) if id == self.id => {}
            Identity::Ledger(_) | Identity::Empty => {
                return Err(Error::NotALedger(self.path.clone()));
            }
        }
        let head = self.head(&mut connection).await?;
        Ok((connection, head))
    }

    /// How to connect to read, with so many rows that wait to be looked at.
    pub(super) fn read_options(&self, rows_max: usize) -> SqliteConnectOptions {
        options(&self.path, self.busy_max).read_only(true).row_buffer_size(rows_max)
    }

    /// The random id that tells this ledger from every other, in hex.
    pub(super) fn id(&self) -> Text {
        hex(&self.id).into()
    }

    /// The head of the chain before its first record.
    pub(super) fn genesis(&self) -> Head {
        Head::genesis(&self.id)
    }

    /// The end of the chain, where the last record and the head that was noted with it agree.
    async fn head(&self, connection: &mut SqliteConnection) -> Result<Head, Error> {
        let row = sqlx::query(
            "SELECT head_seq, head_hash, seq, hash FROM meta \
             LEFT JOIN (SELECT seq, hash FROM records ORDER BY seq DESC LIMIT 1)",
        )
        .fetch_one(connection)
        .await?;
        let last = match row.try_get("seq")? {
            Some(seq) => Head { seq, hash: hash(row.try_get("hash")?)? },
            None => self.genesis(),
        };
        let noted = Head { seq: row.try_get("head_seq")?, hash: hash(row.try_get("head_hash")?)? };
        if last == noted { Ok(last) } else { Err(Error::Broken) }
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn hash(bytes: &[u8]) -> Result<blake3::Hash, Error> {
    blake3::Hash::from_slice(bytes).map_err(|_| Error::Broken)
}

/// WAL lets others read while the gateway writes; FULL syncs the WAL at each commit, so that
/// what was answered survives a loss of power.
fn options(path: &Path, busy_max: Duration) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(false)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(busy_max)
        .disable_statement_logging()
}

async fn connect(path: &Path, options: SqliteConnectOptions) -> Result<SqliteConnection, Error> {
    let connection = options.connect().await;
    connection.map_err(|error| unless_foreign(path, error))
}

async fn identity(connection: &mut SqliteConnection, path: &Path) -> Result<Identity, Error> {
    let header = sqlx::query(
        "SELECT (SELECT application_id FROM pragma_application_id) AS application, \
                (SELECT user_version FROM pragma_user_version) AS version, \
                (SELECT count(*) FROM sqlite_schema) AS tables",
    )
    .fetch_one(&mut *connection)
    .await
    .map_err(|error| unless_foreign(path, error))?;
    let (application, found): (i64, i64) =
        (header.try_get("application")?, header.try_get("version")?);
    match (application, found, header.try_get("tables")?) {
        (0, 0, 0_i64) => Ok(Identity::Empty),
        (APPLICATION_ID, VERSION, _) => sqlx::query_scalar("SELECT id FROM meta")
            .fetch_one(connection)
            .await
            .map(Identity::Ledger)
            .map_err(Error::from),
        (APPLICATION_ID, _, _) => {
            Err(Error::Version { file: path.to_owned(), found, known: VERSION })
        }
        _ => Err(Error::NotALedger(path.to_owned())),
    }
}

/// Whatever SQLite cannot read as a database is not a ledger.
fn unless_foreign(path: &Path, error: sqlx::Error) -> Error {
    const NOT_A_DATABASE: &str = "26";
    let code =
        error.as_database_error().and_then(|error| error.code().map(|code| code.into_owned()));
    if code.as_deref() == Some(NOT_A_DATABASE) {
        Error::NotALedger(path.to_owned())
    } else {
        error.into()
    }
}

async fn create(connection: &mut SqliteConnection, path: &Path) -> Result<Vec<u8>, Error> {
    let mode: String =
        sqlx::query_scalar("PRAGMA journal_mode = WAL").fetch_one(&mut *connection).await?;
    if mode != "wal" {
        let reason = format!("its file system does not do for a ledger: the journal is `{mode}`");
        let file = path.to_owned();
        return Err(Error::File { file, reason });
    }
    let mut id = vec![0_u8; 32];
    getrandom::fill(&mut id)
        .map_err(|error| Error::File { file: path.to_owned(), reason: error.to_string() })?;
    let genesis = Head::genesis(&id);
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    sqlx::raw_sql(include_str!("schema.sql")).execute(&mut *transaction).await?;
    sqlx::query("INSERT INTO meta (one, id, head_seq, head_hash, beats) VALUES (1, ?, ?, ?, 0)")
        .bind(&id)
        .bind(genesis.seq)
        .bind(genesis.hash.as_bytes().as_slice())
        .execute(&mut *transaction)
        .await?;
    sqlx::raw_sql("PRAGMA application_id = 0x52474c47; PRAGMA user_version = 2;")
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(id)
}

/// The lock is on a file of its own: to open and close the database's own file would take
/// SQLite's locks away.
fn lock(path: &Path) -> Result<Lock, Error> {
    if let Some(directory) = path.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .map_err(|error| refused(directory, &error))?;
    }
    let mut lock_path = path.as_os_str().to_owned();
    lock_path.push(".lock");
    let file = private().create(true).open(&lock_path).map_err(|error| refused(path, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(Lock { _file: file }),
        Err(TryLockError::WouldBlock) => Err(Error::InUse(path.to_owned())),
        Err(TryLockError::Error(error)) => Err(refused(path, &error)),
    }
}

/// Makes the file where there is none. One that is there is not even opened: to close it again
/// would take away the locks that a reader in this process holds.
fn create_private(path: &Path) -> Result<(), Error> {
    match private().create_new(true).open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(refused(path, &error)),
    }
}

/// Only the owner may read what agents sent.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    options
}

fn refused(path: &Path, error: &io::Error) -> Error {
    Error::File { file: path.to_owned(), reason: error.to_string() }
}
