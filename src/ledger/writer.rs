//! The one task that writes: it takes what waits, writes it in one transaction with one sync,
//! and then answers all of it.
//!
//! Must never answer before the transaction is on disk, and must never go on from what it
//! remembers of the chain after a write failed.

use super::approvals::{self, At};
use super::body::USAGE;
use super::chain::Head;
use super::columns::{Columns, Place, Reading};
use super::file::{LedgerFile, Lock};
use super::{Error, usage};
use sqlx::Connection;
use sqlx::sqlite::SqliteConnection;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};
use tokio::time::Instant;

/// Records that are written in one transaction.
const BATCH_MAX: usize = 256;
/// How long the last write tells whether the next one would succeed.
const HEALTH_MAX: Duration = Duration::from_secs(1);

/// Where the answer to a command goes; whoever waited may have gone.
pub(super) type Answer = oneshot::Sender<Result<(), Error>>;

/// What the writer is asked to do.
pub(super) enum Command {
    Append(Box<Entry>, Answer),
    Check(Answer),
    Close(oneshot::Sender<()>),
}

/// A record that waits to be written.
pub(super) struct Entry {
    pub(super) body: String,
    pub(super) reading: Reading,
    /// The record's share of the bytes that may wait.
    pub(super) _bytes: OwnedSemaphorePermit,
}

pub(super) struct Writer {
    file: LedgerFile,
    chain: Option<Chain>,
    health: Option<Health>,
    commands: mpsc::Receiver<Command>,
    commits: Arc<AtomicU64>,
    _lock: Lock,
}

/// How the last write went.
struct Health {
    at: Instant,
    result: Result<(), Error>,
}

/// An open database and the end of the chain in it.
struct Chain {
    connection: SqliteConnection,
    head: Head,
}

impl Writer {
    pub(super) fn new(
        (file, lock): (LedgerFile, Lock),
        commands: mpsc::Receiver<Command>,
        commits: Arc<AtomicU64>,
    ) -> Self {
        Self { file, chain: None, health: None, commands, commits, _lock: lock }
    }

    /// Writes until the ledger is closed and nothing waits any more.
    pub(super) async fn run(mut self) {
        let mut waiting = Vec::new();
        let mut closing = Vec::new();
        while self.commands.recv_many(&mut waiting, BATCH_MAX).await > 0 {
            let (mut entries, mut answers, mut checks) = (Vec::new(), Vec::new(), Vec::new());
            for command in waiting.drain(..) {
                match command {
                    Command::Append(entry, answer) => {
                        entries.push(entry);
                        answers.push(answer);
                    }
                    Command::Check(answer) => checks.push(answer),
                    Command::Close(closed) => {
                        self.commands.close();
                        closing.push(closed);
                    }
                }
            }
            if !entries.is_empty() {
                let results = self.write(&entries).await;
                drop(entries);
                for (answer, result) in answers.into_iter().zip(results) {
                    // Whoever waited may have gone.
                    let _ = answer.send(result);
                }
            }
            if !checks.is_empty() {
                let result = self.health().await;
                tell(checks, &result);
            }
        }
        self.disconnect().await;
        // The lock is given back before anyone is told that the ledger is closed.
        drop(self);
        drop(closing);
    }

    /// Appends to the chain, all or nothing, but for those that others were before; says for each
    /// whether it is on disk.
    async fn write(&mut self, entries: &[Box<Entry>]) -> Vec<Result<(), Error>> {
        let result = match self.chain().await {
            Ok(chain) => chain.append(entries).await,
            Err(error) => Err(error),
        };
        if result.is_ok() {
            self.commits.fetch_add(1, Ordering::Relaxed);
        }
        let noted = self.note(result.as_ref().map(|_| ()).map_err(Error::clone)).await;
        match (result, noted) {
            (Ok(results), _) => results,
            (Err(error), _) => entries.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    /// Whether a record could be written: as the last write went where that is recent, else by
    /// writing.
    async fn health(&mut self) -> Result<(), Error> {
        match &self.health {
            Some(health) if health.at.elapsed() < HEALTH_MAX => health.result.clone(),
            Some(_) | None => {
                let result = match self.chain().await {
                    Ok(chain) => chain.beat().await,
                    Err(error) => Err(error),
                };
                self.note(result).await
            }
        }
    }

    /// Keeps how a write went. After a failure nothing of the connection or the chain is
    /// trusted: both are had anew from the disk.
    async fn note(&mut self, result: Result<(), Error>) -> Result<(), Error> {
        if let Err(error) = &result {
            tracing::error!(%error, "the ledger could not be written");
            self.disconnect().await;
        }
        self.health = Some(Health { at: Instant::now(), result: result.clone() });
        result
    }

    async fn chain(&mut self) -> Result<&mut Chain, Error> {
        let chain = match self.chain.take() {
            Some(chain) => chain,
            None => {
                let (connection, head) = self.file.connect().await?;
                Chain { connection, head }
            }
        };
        Ok(self.chain.insert(chain))
    }

    async fn disconnect(&mut self) {
        if let Some(chain) = self.chain.take()
            && let Err(error) = chain.connection.close().await
        {
            tracing::warn!(%error, "the ledger's database was not closed in order");
        }
    }
}

impl Chain {
    async fn append(&mut self, entries: &[Box<Entry>]) -> Result<Vec<Result<(), Error>>, Error> {
        let mut head = self.head;
        let mut results = Vec::with_capacity(entries.len());
        // To begin by reading could find the database changed when it comes to writing.
        let mut transaction = self.connection.begin_with("BEGIN IMMEDIATE").await?;
        for entry in entries {
            match change(&mut transaction, &entry.reading).await {
                Ok(()) => {}
                // Nothing was changed, and the record is left out.
                Err(Error::Contested) => {
                    results.push(Err(Error::Contested));
                    continue;
                }
                Err(error) => return Err(error),
            }
            head = head.next(&entry.body);
            insert(&mut transaction, head, entry).await?;
            results.push(Ok(()));
        }
        sqlx::query("UPDATE meta SET head_seq = ?, head_hash = ?")
            .bind(head.seq)
            .bind(head.hash.as_bytes().as_slice())
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        self.head = head;
        Ok(results)
    }

    /// Writes something of no meaning, the way a record is written.
    async fn beat(&mut self) -> Result<(), Error> {
        let mut transaction = self.connection.begin_with("BEGIN IMMEDIATE").await?;
        sqlx::query("UPDATE meta SET beats = beats + 1").execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(())
    }
}

async fn change(connection: &mut SqliteConnection, reading: &Reading) -> Result<(), Error> {
    let Some(change) = &reading.change else { return Ok(()) };
    let columns = &reading.columns;
    let at = At {
        call: &columns.call,
        at_ms: columns.at_ms,
        tenant: columns.tenant.as_deref(),
        subject: columns.subject.as_deref(),
        session: columns.session.as_deref(),
        server: reading.server.as_deref(),
        tool: columns.tool.as_deref(),
        policy: reading.policy.as_deref(),
    };
    approvals::apply(connection, &at, change).await
}

async fn insert(connection: &mut SqliteConnection, head: Head, entry: &Entry) -> Result<(), Error> {
    const STEP: &str = "INSERT INTO records (seq, hash, kind, call, at_ms, tenant, subject, \
         session, tool, decision, cause, outcome, labels, approval, body, step) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, \
         (SELECT coalesce(max(step), 0) + 1 FROM records \
          WHERE tenant = ?6 AND subject = ?7 AND session = ?8 AND step IS NOT NULL))";
    const ASIDE: &str = "INSERT INTO records (seq, hash, kind, call, at_ms, tenant, subject, \
         session, tool, decision, cause, outcome, labels, approval, body) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
    let columns = &entry.reading.columns;
    sqlx::query(match entry.reading.place {
        Place::Step => STEP,
        Place::Aside => ASIDE,
    })
    .bind(head.seq)
    .bind(head.hash.as_bytes().as_slice())
    .bind(&columns.kind)
    .bind(&columns.call)
    .bind(columns.at_ms)
    .bind(&columns.tenant)
    .bind(&columns.subject)
    .bind(&columns.session)
    .bind(&columns.tool)
    .bind(&columns.decision)
    .bind(&columns.cause)
    .bind(&columns.outcome)
    .bind(&columns.labels)
    .bind(&columns.approval)
    .bind(&entry.body)
    .execute(&mut *connection)
    .await?;
    if columns.kind == USAGE {
        usage::add(connection, columns, &entry.body).await?;
    }
    put_on(connection, columns).await
}

/// Puts the labels of an outcome on the subject whose call it is.
async fn put_on(connection: &mut SqliteConnection, columns: &Columns) -> Result<(), Error> {
    let Some(labels) = &columns.labels else { return Ok(()) };
    sqlx::query(
        "INSERT INTO labels (tenant, subject, label, session, step, call, at_ms) \
         SELECT d.tenant, d.subject, l.value, d.session, d.step, d.call, ?1 \
         FROM records d, json_each(?2) l \
         WHERE d.call = ?3 AND d.kind = 'decision' AND d.step IS NOT NULL \
         ON CONFLICT (tenant, subject, label) DO UPDATE SET session = excluded.session, \
         step = excluded.step, call = excluded.call, at_ms = excluded.at_ms",
    )
    .bind(columns.at_ms)
    .bind(labels)
    .bind(&columns.call)
    .execute(connection)
    .await?;
    Ok(())
}

fn tell(answers: Vec<Answer>, result: &Result<(), Error>) {
    for answer in answers {
        // Whoever no longer waits has refused the call already.
        let _ = answer.send(result.clone());
    }
}
