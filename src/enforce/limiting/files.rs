//! Changes of a session's files that no call makes: what a client puts there or removes.
//!
//! Must never let one be seen that is not recorded.

use crate::call::{CallId, Subject, Text};
use crate::enforce::Guard;
use crate::ledger::{FileAct, FileRecord};
use crate::limits::Reached;
use std::sync::Arc;

/// What a client asks for.
#[derive(Debug, Clone)]
pub struct FileChange {
    /// Who asks.
    pub subject: Subject,
    /// The session's id within the subject.
    pub session: Text,
    /// The file's name.
    pub name: Text,
    /// What becomes of it.
    pub act: FileAct,
}

/// Why nothing was changed.
#[derive(Debug)]
pub enum Unchanged<E> {
    /// The subject asks too often.
    Limit(Reached),
    /// It cannot be recorded.
    Unrecorded,
    /// It was recorded, and could not be done.
    Undone(E),
}

impl Guard {
    /// Records a change and then makes it. Runs to its end even where the caller goes away.
    ///
    /// # Errors
    /// Where it is not recorded or not made.
    pub async fn change_file<T: Send + 'static, E: Send + 'static>(
        self: &Arc<Self>,
        change: FileChange,
        make: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<(CallId, T), Unchanged<E>> {
        let guard = Arc::clone(self);
        let story = async move {
            let (id, _ticket) = guard.record_change(change).await?;
            make.await.map(|made| (id, made)).map_err(Unchanged::Undone)
        };
        self.stories.spawn(story).await.unwrap_or(Err(Unchanged::Unrecorded))
    }

    async fn record_change<E>(
        &self,
        change: FileChange,
    ) -> Result<(CallId, impl Sized + use<E>), Unchanged<E>> {
        let FileChange { subject, session, name, act } = change;
        let ticket = self.limits.admit(&subject).map_err(|reached| {
            self.metrics.limit(reached.limit.as_str());
            Unchanged::Limit(reached)
        })?;
        let (id, received) = (self.call_id(), self.now());
        let record = FileRecord { id: id.clone(), received, subject, session, name, act };
        self.ledger.file(record).await.map_err(|error| {
            tracing::error!(%error, "a change of files cannot be recorded");
            self.metrics.ledger_error(error.as_str());
            Unchanged::Unrecorded
        })?;
        Ok((id, ticket))
    }
}
