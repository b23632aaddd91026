//! Sessions of the old era: whose they are, and how many there may be.
//!
//! Must never serve a session to another subject than the one that opened it, nor tell one that
//! is somebody else's from one that there is not.

use super::fault::Fault;
use crate::call::{Subject, Text};
use crate::gateway::Settings;
use http::HeaderMap;
use http::request::Parts;
use rmcp::transport::streamable_http_server::SessionManager;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const HEADER: &str = "mcp-session-id";

/// The sessions that are open.
#[derive(Debug)]
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    per_subject_max: usize,
    book: Mutex<Book>,
}

/// Who opened which session, and in which order they were used.
#[derive(Debug, Default)]
struct Book {
    owners: HashMap<Text, Owner>,
    uses: u64,
}

impl Book {
    fn next_use(&mut self) -> u64 {
        self.uses = self.uses.saturating_add(1);
        self.uses
    }
}

#[derive(Debug)]
struct Owner {
    tenant: Text,
    subject: Text,
    last_use: u64,
}

impl Owner {
    fn is(&self, subject: &Subject) -> bool {
        self.tenant == subject.tenant && self.subject == subject.id
    }
}

impl Sessions {
    pub(super) fn new(settings: &Settings) -> Self {
        let mut config = SessionConfig::default();
        config.keep_alive = Some(Duration::from_millis(settings.mcp_idle_ms_max));
        let mut manager = LocalSessionManager::default();
        manager.session_config = config;
        Self {
            manager: Arc::new(manager),
            per_subject_max: settings.mcp_sessions_max,
            book: Mutex::default(),
        }
    }

    pub(super) fn manager(&self) -> Arc<LocalSessionManager> {
        Arc::clone(&self.manager)
    }

    /// Lets a message pass that names no session, or one of its own subject.
    ///
    /// # Errors
    /// Where it names another.
    pub(super) fn admit(&self, parts: &Parts) -> Result<(), Fault> {
        let Some(id) = parts.headers.get(HEADER) else {
            return Ok(());
        };
        let subject = parts.extensions.get::<Subject>();
        let (Ok(id), Some(subject)) = (id.to_str(), subject) else {
            return Err(Fault::no_session());
        };
        let mut book = self.book();
        let uses = book.next_use();
        match book.owners.get_mut(id) {
            Some(owner) if owner.is(subject) => {
                owner.last_use = uses;
                Ok(())
            }
            Some(_) | None => Err(Fault::no_session()),
        }
    }

    /// Notes the session that a reply opens, and ends the subject's sessions beyond its share.
    pub(super) async fn note(&self, subject: Subject, reply: &HeaderMap) {
        let Some(id) = reply.get(HEADER).and_then(|id| id.to_str().ok()) else {
            return;
        };
        // The book first: whoever stands in it was open before the manager is asked, so that one
        // who is entered meanwhile is not taken for one who has ended.
        let known = self.enter(id.into(), &subject);
        let open = self.manager.sessions.read().await;
        let ended = known.into_iter().filter(|id| !open.contains_key(id)).collect();
        drop(open);
        for surplus in self.leave(&ended, &subject) {
            if let Err(error) = self.manager.close_session(&surplus).await {
                tracing::debug!(%error, "an MCP session could not be ended");
            }
        }
    }

    /// Enters a session into the book; answers all that stand in it.
    fn enter(&self, id: Text, subject: &Subject) -> Vec<Text> {
        let mut book = self.book();
        let owner = Owner {
            tenant: subject.tenant.clone(),
            subject: subject.id.clone(),
            last_use: book.next_use(),
        };
        book.owners.insert(id, owner);
        book.owners.keys().cloned().collect()
    }

    /// Strikes out those that have ended, and those beyond the subject's share; answers the
    /// latter, which must end.
    fn leave(&self, ended: &HashSet<Text>, subject: &Subject) -> Vec<Text> {
        let mut book = self.book();
        book.owners.retain(|id, _| !ended.contains(id));
        let own = book.owners.iter().filter(|(_, owner)| owner.is(subject));
        let mut own: Vec<_> = own.map(|(id, owner)| (owner.last_use, id.clone())).collect();
        own.sort_unstable();
        let surplus = own.len().saturating_sub(self.per_subject_max);
        let surplus: Vec<_> = own.into_iter().take(surplus).map(|(_, id)| id).collect();
        book.owners.retain(|id, _| !surplus.contains(id));
        surplus
    }

    /// A book is whole after any panic.
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
