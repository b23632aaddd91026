//! The durable, hash-chained record of every decision and every outcome.
//!
//! Append-only. Must never answer that something is recorded before it is on disk.

mod approvals;
mod body;
mod chain;
mod columns;
mod error;
mod file;
mod history;
mod parts;
pub mod reader;
mod standing;
#[cfg(test)]
mod tests;
mod usage;
mod writer;

pub use approvals::{AnswerRecord, Concern, Purview, Question, Said, Standing, State};
pub use body::{
    Arguments, ConnectionRecord, DecisionRecord, FileAct, FileRecord, OutcomeRecord, Owner,
    UsageRecord,
};
pub use error::Error;
pub use reader::Page;

use crate::call::{Json, Session, Subject, Text, Timestamp};
use sqlx::sqlite::{SqlitePool, SqlitePoolOptions};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::timeout;
use writer::{Answer, Command, Deeds, Entry, Rotation, Writer};

/// The largest body that a record may have. The doors' own cap is far below.
const BODY_BYTES_MAX: usize = 8 * 1024 * 1024;
/// The bytes of all bodies that may wait to be written.
const QUEUE_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Connections that read sessions. A read takes far less time than a decision.
const READERS_MAX: u32 = 4;
/// Interrupted effects that are recorded at once.
const INTERRUPTED_AT_ONCE_MAX: usize = 128;

/// Where the ledger lives and how it is bounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The database file, `ledger.db` in the data directory.
    pub file: PathBuf,
    /// Records that may wait to be written before new ones are refused.
    pub queue_max: usize,
    /// How long a record may take to be written before its call is refused.
    pub append_ms_max: u64,
    /// How long a label stays on its subject after the last call that put it on.
    pub label_ms_max: u64,
    /// For how long a session is known after its last step, at least.
    pub history_ms_max: u64,
    /// Bytes of records after which they are sealed and moved to a file of their own.
    pub rotate_bytes_max: u64,
    /// The age of the first record at which the same is done.
    pub rotate_ms_max: u64,
    /// Bytes of all files of the ledger at which decisions are refused.
    pub total_bytes_max: u64,
    /// What is kept of arguments.
    pub arguments: Arguments,
}

impl Settings {
    /// The ledger of a data directory, with the usual bounds.
    pub fn in_directory(directory: &Path) -> Self {
        Self {
            file: directory.join("ledger.db"),
            queue_max: 1_024,
            append_ms_max: 2_000,
            label_ms_max: 86_400_000,
            history_ms_max: 2_592_000_000,
            rotate_bytes_max: 256 << 20,
            rotate_ms_max: 2_592_000_000,
            total_bytes_max: 64 << 30,
            arguments: Arguments::Whole,
        }
    }

    const fn rotation(&self) -> Rotation {
        Rotation {
            bytes_max: self.rotate_bytes_max,
            ms_max: self.rotate_ms_max,
            history_ms_max: self.history_ms_max,
            total_bytes_max: self.total_bytes_max,
        }
    }

    fn append_max(&self) -> Duration {
        Duration::from_millis(self.append_ms_max)
    }
}

/// How large the ledger is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// The bytes of all its files.
    pub bytes: u64,
    /// Files that are sealed.
    pub sealed_files: usize,
}

/// A handle on the ledger; clones share one writer.
#[derive(Debug, Clone)]
pub struct Ledger {
    commands: mpsc::Sender<Command>,
    bytes: Arc<Semaphore>,
    readers: SqlitePool,
    deeds: Arc<Deeds>,
    file: PathBuf,
    arguments: Arguments,
    append_max: Duration,
    label_ms_max: u64,
    pages: Arc<Semaphore>,
    id: Text,
}

impl Ledger {
    /// Opens or creates the database and starts the writer. The file and, where it is missing,
    /// its directory are made for their owner alone.
    ///
    /// # Errors
    /// Where the file cannot be had, is not a ledger of this version, cannot be written, or has
    /// another writer.
    pub async fn open(settings: &Settings) -> Result<Self, Error> {
        let append_max = settings.append_max();
        let (file, lock) = file::prepare(&settings.file, append_max).await?;
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS_MAX)
            .acquire_timeout(append_max)
            .test_before_acquire(false)
            .connect_lazy_with(file.read_options(Session::HISTORY_MAX));
        let id = file.id();
        let (sender, commands) = mpsc::channel(settings.queue_max.clamp(1, Semaphore::MAX_PERMITS));
        let deeds = Arc::new(Deeds::default());
        let writer = Writer::new((file, lock), settings.rotation(), commands, Arc::clone(&deeds));
        tokio::spawn(writer.run());
        let ledger = Self {
            commands: sender,
            bytes: Arc::new(Semaphore::new(QUEUE_BYTES_MAX)),
            readers,
            deeds,
            file: settings.file.clone(),
            arguments: settings.arguments,
            append_max,
            pages: Arc::new(Semaphore::new(reader::AT_ONCE_MAX)),
            label_ms_max: settings.label_ms_max,
            id,
        };
        if let Err(error) = ledger.check().await {
            ledger.close().await;
            return Err(error);
        }
        Ok(ledger)
    }

    /// The random id that tells this ledger from every other, in hex.
    pub fn id(&self) -> &Text {
        &self.id
    }

    /// Records a decision; returns when it is on disk.
    ///
    /// # Errors
    /// Where it is not on disk in time. A record that came too late may be written all the same:
    /// it is then a decision without an outcome.
    pub async fn decision(&self, record: DecisionRecord) -> Result<(), Error> {
        let shown = record.approval.as_ref().and_then(Concern::shown).cloned();
        self.append_with(body::decision(record, self.arguments), shown).await
    }

    /// Records a connection; returns when it is on disk.
    ///
    /// # Errors
    /// Where it is not on disk in time.
    pub async fn connection(&self, record: ConnectionRecord) -> Result<(), Error> {
        self.append(body::connection(record)).await
    }

    /// Records an outcome; returns when it is on disk.
    ///
    /// # Errors
    /// Where it is not on disk in time.
    pub async fn outcome(&self, record: OutcomeRecord) -> Result<(), Error> {
        self.append(body::outcome(record)).await
    }

    /// Records of every effect that may have been had and whose end was not recorded that it was
    /// interrupted, and answers how many there were. To be done before calls are taken: an effect
    /// that is under way would be one of them.
    ///
    /// # Errors
    /// Where it is not on disk in time; those that are there by then stay.
    pub async fn interrupt(&self, now: Timestamp) -> Result<u64, Error> {
        let mut count = 0;
        loop {
            let open = history::open(&self.readers, INTERRUPTED_AT_ONCE_MAX).await?;
            if open.is_empty() {
                return Ok(count);
            }
            count += open.len() as u64;
            let records = open.into_iter().map(|open| self.outcome(interrupted(open, now)));
            futures_util::future::try_join_all(records).await?;
        }
    }

    /// Records an answer to a question; returns when it is on disk.
    ///
    /// # Errors
    /// `Contested` where the question is not open any more, and where it is not on disk in time.
    pub async fn answer(&self, record: AnswerRecord) -> Result<(), Error> {
        self.append(body::answer(record)).await
    }

    /// Records what was used; returns when it is on disk.
    ///
    /// # Errors
    /// Where it is not on disk in time.
    pub async fn usage(&self, record: UsageRecord) -> Result<(), Error> {
        self.append(body::usage(record)).await
    }

    /// Records that files are put or removed, before they are.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub async fn file(&self, record: FileRecord) -> Result<(), Error> {
        self.append(body::file(record)).await
    }

    /// The session as it stands before this call: step, start, history, usage, and the labels of
    /// the subject, in whatever session they were put on.
    ///
    /// # Errors
    /// Where the database does not answer in time.
    pub async fn session(
        &self,
        subject: &Subject,
        id: &Text,
        now: Timestamp,
    ) -> Result<Session, Error> {
        let labels_since = now.before(self.label_ms_max);
        let asked = history::Asked { subject, session: id, now, labels_since };
        self.in_time(history::session(&self.readers, &asked)).await
    }

    /// Whether a record could be written now: tried by writing, at most once a second.
    ///
    /// # Errors
    /// Where it could not.
    pub async fn check(&self) -> Result<(), Error> {
        self.command(Command::Check).await
    }

    /// How many transactions have appended records. Each took one sync, however many records it
    /// appended.
    pub fn commits(&self) -> u64 {
        self.deeds.commits.load(Ordering::Relaxed)
    }

    /// How many parts of the chain were sealed and moved to files of their own.
    pub fn sealed(&self) -> u64 {
        self.deeds.sealed.load(Ordering::Relaxed)
    }

    /// How large the ledger is on disk.
    ///
    /// # Errors
    /// Where its folder cannot be read.
    pub fn size(&self) -> Result<Size, Error> {
        Ok(Size {
            bytes: parts::bytes_on_disk(&self.file)?,
            sealed_files: parts::list(&self.file)?.len(),
        })
    }

    /// Writes what waits and closes the database. Whatever comes later is refused.
    pub async fn close(&self) {
        // The last connection clears the log away, which one that only reads could not.
        self.readers.close().await;
        let (answer, closed) = oneshot::channel();
        if self.commands.send(Command::Close(answer)).await.is_ok() {
            // The writer answers by ending.
            let _ = closed.await;
        }
    }

    async fn append(&self, body: String) -> Result<(), Error> {
        self.append_with(body, None).await
    }

    /// The same with what people are shown of it for as long as it waits.
    async fn append_with(&self, body: String, shown: Option<Text>) -> Result<(), Error> {
        let bytes = body.len().saturating_add(shown.as_ref().map_or(0, |shown| shown.len()));
        let share = u32::try_from(bytes)
            .ok()
            .filter(|_| body.len() <= BODY_BYTES_MAX)
            .ok_or(Error::TooLarge { bytes })?;
        let reading = columns::read(&body)?;
        let entry = Box::new(Entry {
            body,
            reading,
            shown,
            _bytes: Arc::clone(&self.bytes)
                .try_acquire_many_owned(share)
                .map_err(|_| Error::Full)?,
        });
        self.command(|answer| Command::Append(entry, answer)).await
    }

    async fn command(&self, command: impl FnOnce(Answer) -> Command) -> Result<(), Error> {
        let (answer, answered) = oneshot::channel();
        self.commands.try_send(command(answer)).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => Error::Full,
            mpsc::error::TrySendError::Closed(_) => Error::Closed,
        })?;
        self.in_time(async { answered.await.unwrap_or(Err(Error::Closed)) }).await
    }

    async fn in_time<T>(&self, answer: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        timeout(self.append_max, answer).await.unwrap_or(Err(Error::Timeout))
    }
}

fn interrupted(open: history::Open, now: Timestamp) -> OutcomeRecord {
    let history::Open { call, owner, session, tool } = open;
    OutcomeRecord {
        call,
        ended: now,
        owner,
        session,
        tool,
        outcome: "interrupted",
        labels: Vec::new(),
        summary: Json::Object(Vec::new()),
    }
}
