//! Files as they are handed about.

use super::kind;
use super::names::Name;
use crate::call::{CallId, Subject, Text};

/// Whose files are meant: a session is its subject's, and a subject its tenant's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The tenant.
    pub tenant: Text,
    /// The subject within it.
    pub subject: Text,
    /// The session within that.
    pub session: Text,
}

impl Owner {
    /// A session of a subject.
    pub fn of(subject: &Subject, session: &Text) -> Self {
        let Subject { id, tenant, .. } = subject;
        Self { tenant: tenant.clone(), subject: id.clone(), session: session.clone() }
    }
}

/// A file with its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: Name,
    /// Its bytes.
    pub content: Vec<u8>,
    /// blake3 of them, in hex.
    pub digest: Text,
    /// What it is, by its bytes where they tell, else by its name.
    pub media_type: &'static str,
}

impl File {
    /// A file of these bytes.
    pub fn new(name: Name, content: Vec<u8>) -> Self {
        let digest = blake3::hash(&content).to_hex().as_str().into();
        let media_type = kind::media_type(name.as_str(), &content);
        Self { name, content, digest, media_type }
    }

    /// How long it is.
    pub fn bytes(&self) -> u64 {
        u64::try_from(self.content.len()).unwrap_or(u64::MAX)
    }

    /// Whether it is an image, by its bytes.
    pub fn is_image(&self) -> bool {
        kind::image(&self.content).is_some()
    }
}

/// A file that is kept, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: Name,
    /// blake3 of its bytes, in hex.
    pub digest: Text,
    /// How long it is.
    pub bytes: u64,
    /// What it is.
    pub media_type: &'static str,
    /// When it was put there, in milliseconds since 1970.
    pub changed_ms: i64,
}

/// A file that a run begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// Its name.
    pub name: Name,
    /// Its bytes.
    pub content: Vec<u8>,
    /// blake3 of them, in hex.
    pub digest: Text,
}

/// What a run left in its workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Files {
    /// The files that it made or changed, sorted by name.
    pub changed: Vec<File>,
    /// The files that it began with and that are gone, with the digests that they had.
    pub gone: Vec<(Name, Text)>,
    /// How many things are not handed out: links, pipes, what is too long or too much, names that
    /// are none.
    pub left: u64,
    /// How many files are not handed out for what stands in them.
    pub barred: u64,
    /// Where they are kept; `None` where nothing is.
    pub kept: Option<Kept>,
}

/// Where the files of a run are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// In the session that its call named: the next call of it finds them.
    Session(Text),
    /// By themselves, under the call's own id.
    Call(Text),
}

impl Kept {
    /// Where those of a call are kept.
    pub fn of(session: Option<&Text>, call: &CallId) -> Self {
        session.map_or_else(|| Self::Call(call.as_str().into()), |name| Self::Session(name.clone()))
    }

    /// The session that they are found in.
    pub const fn session(&self) -> &Text {
        match self {
            Self::Session(session) | Self::Call(session) => session,
        }
    }
}

impl Files {
    /// Takes those at these places out, as though the run had not made them.
    pub fn bar(&mut self, places: &[usize]) {
        let mut place = 0..;
        self.changed.retain(|_| !place.next().is_some_and(|place| places.contains(&place)));
        self.barred = self.barred.saturating_add(u64::try_from(places.len()).unwrap_or(u64::MAX));
    }
}

/// What becomes of a session's workspace.
#[derive(Debug, Clone, Copy)]
pub struct Changes<'a> {
    /// These files are there from now on, whatever was there by their names.
    pub put: &'a [File],
    /// These are not, where they are still what they were.
    pub gone: &'a [(Name, Text)],
}
