//! The life of one container, from its creation to its removal.
//!
//! Must never end before the container is gone, whoever stops waiting for it.

use super::engine::{Attached, Engine};
use super::output::Output;
use super::{End, Error, Run, Turn};
use bollard::models::ContainerCreateBody;
use futures_util::StreamExt;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

/// What `docker wait` answers where SIGKILL ended a program.
const KILLED: i64 = 128 + 9;
/// The greatest signal of Linux.
const SIGNAL_MAX: i64 = 64;
/// An engine that does not remove a container at once is asked again, then left to the sweep.
const REMOVAL_PAUSES: [Duration; 3] =
    [Duration::from_millis(200), Duration::from_secs(1), Duration::from_secs(5)];

/// The names of the containers whose lives are led by this process.
#[derive(Debug, Default, Clone)]
pub(super) struct Register {
    names: Arc<Mutex<BTreeSet<String>>>,
}

/// A name in the register, which it leaves when this is dropped.
#[derive(Debug)]
pub(super) struct Entry {
    name: String,
    register: Register,
}

impl Register {
    /// Enters a name.
    pub(super) fn enter(&self, name: String) -> Entry {
        self.change(|names| names.insert(name.clone()));
        Entry { name, register: self.clone() }
    }

    /// Whether a name is in it.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.change(|names| names.contains(name))
    }

    fn change<T>(&self, change: impl FnOnce(&mut BTreeSet<String>) -> T) -> T {
        // A set of names is whole after any panic.
        change(&mut self.names.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.register.change(|names| names.remove(&self.name));
    }
}

/// One container's life.
#[derive(Debug)]
pub(super) struct Life {
    pub(super) engine: Engine,
    pub(super) entry: Entry,
    pub(super) wall: Duration,
    pub(super) output_bytes_max: u64,
}

/// Why a program's streams are no longer read.
enum Silence {
    /// It ended, and all that it started with it.
    Ended,
    /// Its time is over.
    TimeOver,
    /// It wrote far more than anyone keeps.
    Flood,
}

impl Life {
    /// Leads the life in a task of its own and answers as soon as the program has ended. Where
    /// nobody waits for the answer any more, the program is killed; the container is removed in
    /// every case. The turn is given back once it is, so that removals are bounded too.
    pub(super) async fn lead(
        self,
        body: ContainerCreateBody,
        source: Arc<[u8]>,
        turn: Turn,
    ) -> Result<Run, Error> {
        let abandoned = CancellationToken::new();
        let _abandon_on_drop = abandoned.clone().drop_guard();
        let (answer, answered) = oneshot::channel();
        let whole = async move {
            // Not given up half-way: the engine would make the container after its removal.
            let created = self.engine.create(&self.entry.name, body).await;
            let may_come_late = matches!(created, Err(Error::Timeout(_)));
            let run = async {
                created?;
                self.run(&source).await
            };
            tokio::select! {
                // Nobody may be left to hear it.
                run = run => drop(answer.send(run)),
                () = abandoned.cancelled() => {}
            }
            if may_come_late {
                self.engine.wait_patiently().await;
            }
            self.remove().await;
            drop(turn);
        };
        tokio::spawn(whole.in_current_span());
        answered.await.unwrap_or_else(|_| Err(Error::Engine("the run was given up".to_owned())))
    }

    async fn run(&self, source: &[u8]) -> Result<Run, Error> {
        let name = &self.entry.name;
        let attached = self.engine.attach(name).await?;
        let started = Instant::now();
        self.engine.start(name).await?;
        let mut output = Output::new(self.output_bytes_max);
        let silence = self.talk(attached, source, &mut output).await?;
        let end = self.end(silence).await?;
        Ok(Run {
            stdout: output.stdout(),
            stderr: output.stderr(),
            truncated: output.truncated(),
            end,
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        })
    }

    /// Hands the source in and takes the output out, until there is silence. Both at once: a
    /// program that writes before it has read would wait for a reader, and the writer for it.
    ///
    /// The streams are closed when this returns, and must be before the engine is asked for
    /// anything: it does not answer while an attached stream waits for its reader (moby 41827).
    async fn talk(
        &self,
        attached: Attached,
        source: &[u8],
        output: &mut Output,
    ) -> Result<Silence, Error> {
        let Attached { mut stdin, output: mut chunks } = attached;
        let hand_in = async {
            // A program that ends before it has read all of its source breaks the pipe; what
            // became of it is told by its end.
            let _ = stdin.write_all(source).await;
            let _ = stdin.shutdown().await;
        };
        let take_out = async {
            while let Some(chunk) = chunks.next().await {
                let (stream, bytes) = chunk?;
                if let ControlFlow::Break(()) = output.take(stream, &bytes) {
                    return Ok(Silence::Flood);
                }
            }
            Ok(Silence::Ended)
        };
        let both = async {
            tokio::pin!(take_out);
            tokio::select! {
                silence = &mut take_out => silence,
                () = hand_in => take_out.await,
            }
        };
        tokio::time::timeout(self.wall, both).await.unwrap_or(Ok(Silence::TimeOver))
    }

    /// How the program ended, or is made to end.
    async fn end(&self, silence: Silence) -> Result<End, Error> {
        match silence {
            Silence::Ended => self.natural_end().await,
            Silence::TimeOver => {
                self.kill().await;
                Ok(End::TimedOut)
            }
            Silence::Flood => {
                self.kill().await;
                self.natural_end().await
            }
        }
    }

    async fn natural_end(&self) -> Result<End, Error> {
        let name = &self.entry.name;
        let code = self.engine.exit_code(name).await?;
        if code == KILLED && self.engine.ran_out_of_memory(name).await? {
            return Ok(End::OutOfMemory);
        }
        Ok(match code - 128 {
            signal @ 1..=SIGNAL_MAX => End::Signalled(signal),
            _ => End::Exited(code),
        })
    }

    /// A program that could not be killed now is killed with its container, or by its deadline.
    async fn kill(&self) {
        if let Err(error) = self.engine.kill(&self.entry.name).await {
            tracing::warn!(container = self.entry.name, %error, "a program was not killed");
        }
    }

    async fn remove(self) {
        for pause in REMOVAL_PAUSES {
            if self.is_removed().await {
                return;
            }
            tokio::time::sleep(pause).await;
        }
        tracing::error!(container = self.entry.name, "a container is left for the next sweep");
    }

    async fn is_removed(&self) -> bool {
        let removed = self.engine.remove(&self.entry.name).await;
        if let Err(error) = &removed {
            tracing::warn!(container = self.entry.name, %error, "a container is not removed yet");
        }
        removed.is_ok()
    }
}
