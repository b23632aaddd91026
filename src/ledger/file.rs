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
/// Rows that wait to be looked at: few, since bodies may be large.
const ROWS_MAX: usize = 4;

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

/// Where the chain stands in a file, and what is known of its part that is not sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meta {
    /// The end of the chain before the file's first record.
    pub(super) base: Head,
    /// The end of the chain.
    pub(super) head: Head,
    /// The bytes of the bodies that are not sealed yet.
    pub(super) bytes: i64,
    /// The moment of the first record that is not sealed yet.
    pub(super) began_ms: Option<i64>,
    /// The last seal, where what it seals is still to be moved.
    pub(super) sealed_seq: Option<i64>,
    /// Sessions whose last step was received before this begin anew.
    pub(super) forgotten_before_ms: i64,
}

impl Meta {
    const fn beginning(base: Head) -> Self {
        Self {
            base,
            head: base,
            bytes: 0,
            began_ms: None,
            sealed_seq: None,
            forgotten_before_ms: 0,
        }
    }
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
    pub(super) async fn connect(&self) -> Result<(SqliteConnection, Meta), Error> {
        let mut connection = connect(&self.path, options(&self.path, self.busy_max)).await?;
        match identity(&mut connection, &self.path).await? {
            Identity::Ledger(id) if id == self.id => {}
            Identity::Ledger(_) | Identity::Empty => {
                return Err(Error::NotALedger(self.path.clone()));
            }
        }
        let meta = meta(&mut connection).await?;
        self.check_end(&mut connection, &meta).await?;
        Ok((connection, meta))
    }

    /// Connects to read, with few rows that wait to be looked at, and reads where the chain ends.
    pub(super) async fn connect_to_read(&self) -> Result<(SqliteConnection, Meta), Error> {
        let mut connection = self.read_options(ROWS_MAX).connect().await?;
        let meta = meta(&mut connection).await?;
        Ok((connection, meta))
    }

    /// How long to wait for others who use the file.
    pub(super) const fn busy_max(&self) -> Duration {
        self.busy_max
    }

    /// Begins a file of this ledger that holds the records after `base`, and connects to it. What
    /// is written to it is safe only once it is synced as a whole.
    pub(super) async fn begin_part(
        &self,
        path: &Path,
        base: Head,
    ) -> Result<SqliteConnection, Error> {
        create_private(path)?;
        let options = options(path, self.busy_max).synchronous(SqliteSynchronous::Off);
        let mut connection = connect(path, options).await?;
        make(&mut connection, &self.id, base, include_str!("schema.sql")).await?;
        Ok(connection)
    }

    /// Whether a file is of the same ledger.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        self.id == other.id
    }

    /// Where the file is.
    pub(super) fn path(&self) -> &Path {
        &self.path
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

    /// Whether the last record and the head that was noted with it agree.
    async fn check_end(&self, connection: &mut SqliteConnection, meta: &Meta) -> Result<(), Error> {
        let last = sqlx::query("SELECT seq, hash FROM records ORDER BY seq DESC LIMIT 1")
            .fetch_optional(connection)
            .await?;
        let last = match last {
            Some(row) => Head { seq: row.try_get("seq")?, hash: hash(row.try_get("hash")?)? },
            None => self.genesis(),
        };
        if last == meta.head { Ok(()) } else { Err(Error::Broken) }
    }
}

/// Reads where the chain stands in a file.
pub(super) async fn meta(connection: &mut SqliteConnection) -> Result<Meta, Error> {
    let row = sqlx::query(
        "SELECT base_seq, base_hash, head_seq, head_hash, bytes, began_ms, sealed_seq, \
         forgotten_before_ms FROM meta",
    )
    .fetch_one(connection)
    .await?;
    let head = |seq: &str, bytes: &str| -> Result<Head, Error> {
        Ok(Head { seq: row.try_get(seq)?, hash: hash(row.try_get(bytes)?)? })
    };
    Ok(Meta {
        base: head("base_seq", "base_hash")?,
        head: head("head_seq", "head_hash")?,
        bytes: row.try_get("bytes")?,
        began_ms: row.try_get("began_ms")?,
        sealed_seq: row.try_get("sealed_seq")?,
        forgotten_before_ms: row.try_get("forgotten_before_ms")?,
    })
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn hash(bytes: &[u8]) -> Result<blake3::Hash, Error> {
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
    let tables = concat!(
        include_str!("schema.sql"),
        include_str!("standing.sql"),
        include_str!("approvals/shown.sql"),
    );
    make(connection, &id, Head::genesis(&id), tables).await?;
    Ok(id)
}

/// Makes the tables of a file that holds the records after `base`, all or nothing.
async fn make(
    connection: &mut SqliteConnection,
    id: &[u8],
    base: Head,
    tables: &'static str,
) -> Result<(), Error> {
    let meta = Meta::beginning(base);
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    sqlx::raw_sql(tables).execute(&mut *transaction).await?;
    sqlx::query(
        "INSERT INTO meta (one, id, base_seq, base_hash, head_seq, head_hash, beats, bytes, \
         forgotten_before_ms) VALUES (1, ?1, ?2, ?3, ?2, ?3, 0, ?4, ?5)",
    )
    .bind(id)
    .bind(base.seq)
    .bind(base.hash.as_bytes().as_slice())
    .bind(meta.bytes)
    .bind(meta.forgotten_before_ms)
    .execute(&mut *transaction)
    .await?;
    sqlx::raw_sql("PRAGMA application_id = 0x52474c47; PRAGMA user_version = 2;")
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(())
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

pub(super) fn refused(path: &Path, error: &io::Error) -> Error {
    Error::File { file: path.to_owned(), reason: error.to_string() }
}
