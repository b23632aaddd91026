//! The one task that writes: it takes what waits, writes it in one transaction with one sync,
//! and then answers all of it. Between that it moves what is sealed out of the way.
//!
//! Must never answer before the transaction is on disk, and must never go on from what it
//! remembers of the chain after a write failed.

mod end;
mod moving;
mod room;

pub(super) use end::Rotation;

use super::Error;
use super::body::DECISION;
use super::columns::Reading;
use super::file::{LedgerFile, Lock};
use crate::call::Text;
use end::End;
use moving::Moving;
use room::Room;
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
    /// What people are shown of it for as long as it waits.
    pub(super) shown: Option<Text>,
    /// The record's share of the bytes that may wait.
    pub(super) _bytes: OwnedSemaphorePermit,
}

/// What the writer has done so far.
#[derive(Debug, Default)]
pub(super) struct Deeds {
    /// Transactions that appended records.
    pub(super) commits: AtomicU64,
    /// Parts of the chain that were sealed and moved to files of their own.
    pub(super) sealed: AtomicU64,
}

pub(super) struct Writer {
    file: LedgerFile,
    rotation: Rotation,
    end: Option<End>,
    moving: Moving,
    room: Room,
    health: Option<Health>,
    commands: mpsc::Receiver<Command>,
    deeds: Arc<Deeds>,
    _lock: Lock,
}

/// How the last write went.
struct Health {
    at: Instant,
    result: Result<(), Error>,
}

impl Writer {
    pub(super) fn new(
        (file, lock): (LedgerFile, Lock),
        rotation: Rotation,
        commands: mpsc::Receiver<Command>,
        deeds: Arc<Deeds>,
    ) -> Self {
        let room = Room::new(file.path().to_owned(), rotation.total_bytes_max);
        let moving = Moving::Idle;
        Self { file, rotation, end: None, moving, room, health: None, commands, deeds, _lock: lock }
    }

    /// Writes until the ledger is closed and nothing waits any more.
    pub(super) async fn run(mut self) {
        let mut waiting = Vec::new();
        let mut closing = Vec::new();
        loop {
            tokio::select! {
                count = self.commands.recv_many(&mut waiting, BATCH_MAX) => {
                    if count == 0 {
                        break;
                    }
                    self.obey(&mut waiting, &mut closing).await;
                }
                turn = self.moving.next() => self.go_on(turn).await,
            }
            self.begin_moving();
        }
        self.moving.stop().await;
        self.disconnect().await;
        // The lock is given back before anyone is told that the ledger is closed.
        drop(self);
        drop(closing);
    }

    async fn obey(&mut self, waiting: &mut Vec<Command>, closing: &mut Vec<oneshot::Sender<()>>) {
        let (mut entries, mut answers, mut checks) = (Vec::new(), Vec::new(), Vec::new());
        for command in waiting.drain(..) {
            match command {
                Command::Append(entry, answer) if !self.takes(&entry) => {
                    tell(vec![answer], &Err(Error::NoRoom));
                }
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
            for (answer, result) in answers.into_iter().zip(results) {
                // Whoever waited may have gone.
                let _ = answer.send(result);
            }
            self.seal_where_due(&entries).await;
        }
        if !checks.is_empty() {
            let result = self.health().await;
            tell(checks, &result);
        }
    }

    /// A ledger that has its size takes no decisions, so that no further effects begin. What
    /// came of those that were begun is recorded all the same.
    fn takes(&mut self, entry: &Entry) -> bool {
        entry.reading.columns.kind != DECISION || self.room.is_left()
    }

    /// Appends to the chain, all or nothing, but for those that others were before; says for each
    /// whether it is on disk.
    async fn write(&mut self, entries: &[Box<Entry>]) -> Vec<Result<(), Error>> {
        let result = match self.end().await {
            Ok(end) => end.append(entries).await,
            Err(error) => Err(error),
        };
        if result.is_ok() {
            self.deeds.commits.fetch_add(1, Ordering::Relaxed);
        }
        // It is kept as the state of health.
        let _ = self.note(result.as_ref().map(|_| ()).map_err(Error::clone)).await;
        match result {
            Ok(results) => results,
            Err(error) => entries.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    /// Whether a record could be written: as the last write went where that is recent, else by
    /// writing.
    async fn health(&mut self) -> Result<(), Error> {
        if !self.room.is_left() {
            return Err(Error::NoRoom);
        }
        match &self.health {
            Some(health) if health.at.elapsed() < HEALTH_MAX => health.result.clone(),
            Some(_) | None => {
                let result = match self.end().await {
                    Ok(end) => end.beat().await,
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

    async fn end(&mut self) -> Result<&mut End, Error> {
        let end = match self.end.take() {
            Some(end) => end,
            None => End::connect(&self.file).await?,
        };
        Ok(self.end.insert(end))
    }

    async fn disconnect(&mut self) {
        if let Some(end) = self.end.take()
            && let Err(error) = end.close().await
        {
            tracing::warn!(%error, "the ledger's database was not closed in order");
        }
    }
}

fn tell(answers: Vec<Answer>, result: &Result<(), Error>) {
    for answer in answers {
        // Whoever no longer waits has refused the call already.
        let _ = answer.send(result.clone());
    }
}
