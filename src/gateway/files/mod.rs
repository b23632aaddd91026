//! What both doors do with the files of sessions.
//!
//! A session's files are its subject's alone. Must never answer otherwise for what is another's
//! than for what there is not.

pub(super) mod address;
#[cfg(test)]
mod tests;

use super::Gateway;
use crate::call::{CallId, Subject, Text};
use crate::enforce::{FileChange, Unchanged};
use crate::ledger::FileAct;
use crate::sandbox::workspace::{Changes, Entry, Error, File, Name, Owner, Transfer};
use std::sync::Arc;

/// A session of the subject that asks.
#[derive(Debug, Clone)]
pub(super) struct Drawer {
    gateway: Gateway,
    subject: Subject,
    session: Text,
}

/// Why nothing is handed out or changed.
#[derive(Debug)]
pub(super) enum Refused {
    /// There is no such file.
    Missing,
    /// A bound is reached: the setting's name.
    Full(&'static str),
    /// The subject asks too often; when to ask again, in milliseconds, where that is known.
    TooOften(Option<u64>),
    /// Too many files are on their way.
    Busy,
    /// It cannot be read, written or recorded.
    Unavailable,
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        if let Some(limit) = error.limit() {
            return Self::Full(limit.as_str());
        }
        tracing::error!(%error, "files cannot be had");
        Self::Unavailable
    }
}

impl From<Unchanged<Error>> for Refused {
    fn from(unchanged: Unchanged<Error>) -> Self {
        match unchanged {
            Unchanged::Limit(reached) => Self::TooOften(reached.retry_after_ms),
            Unchanged::Unrecorded => Self::Unavailable,
            Unchanged::Undone(error) => error.into(),
        }
    }
}

impl Drawer {
    pub(super) fn new(gateway: Gateway, subject: Subject, session: Text) -> Self {
        Self { gateway, subject, session }
    }

    fn owner(&self) -> Owner {
        Owner::of(&self.subject, &self.session)
    }

    /// Leave to hold a file's bytes.
    pub(super) fn transfer(&self) -> Result<Transfer, Refused> {
        self.gateway.workspaces.transfer(&self.subject.tenant).ok_or(Refused::Busy)
    }

    pub(super) async fn list(&self) -> Result<Vec<Entry>, Refused> {
        let (workspaces, now) = (&self.gateway.workspaces, self.gateway.guard.now());
        Ok(workspaces.list(&self.owner(), now).await?)
    }

    pub(super) async fn read(&self, name: &Name) -> Result<(Entry, Vec<u8>), Refused> {
        let (workspaces, now) = (&self.gateway.workspaces, self.gateway.guard.now());
        workspaces.read(&self.owner(), name, now).await?.ok_or(Refused::Missing)
    }

    /// Records that a file is put there, and puts it.
    pub(super) async fn put(&self, file: File) -> Result<CallId, Refused> {
        let act = FileAct::Put { digest: file.digest.clone(), bytes: file.bytes() };
        let change = self.change(&file.name, act);
        let (workspaces, owner) = (Arc::clone(&self.gateway.workspaces), self.owner());
        let now = self.gateway.guard.now();
        let put = async move {
            let changes = Changes { put: std::slice::from_ref(&file), gone: &[] };
            workspaces.keep(&owner, &changes, now).await
        };
        let (id, ()) = self.gateway.guard.change_file(change, put).await?;
        Ok(id)
    }

    /// Records that a file is removed, and removes it.
    pub(super) async fn remove(&self, name: Name) -> Result<CallId, Refused> {
        let change = self.change(&name, FileAct::Remove);
        let (workspaces, owner) = (Arc::clone(&self.gateway.workspaces), self.owner());
        let remove = async move { workspaces.remove(&owner, &name).await };
        let (id, was_there) = self.gateway.guard.change_file(change, remove).await?;
        if was_there { Ok(id) } else { Err(Refused::Missing) }
    }

    fn change(&self, name: &Name, act: FileAct) -> FileChange {
        let (subject, session) = (self.subject.clone(), self.session.clone());
        FileChange { subject, session, name: name.as_str().into(), act }
    }
}

/// The files of all sessions of a subject that follow one of them, sorted.
pub(super) async fn list_all(
    gateway: &Gateway,
    subject: &Subject,
    (behind, count): (Option<(Text, Name)>, u32),
) -> Result<Vec<(Text, Entry)>, Refused> {
    let (session, name) = behind.unzip();
    let owner = Owner::of(subject, &session.unwrap_or_else(|| "".into()));
    let (workspaces, now) = (&gateway.workspaces, gateway.guard.now());
    Ok(workspaces.list_all(&owner, (name.as_ref(), count), now).await?)
}
