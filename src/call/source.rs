//! Code as it was proposed. The bytes that run are the bytes that were read.

use std::sync::Arc;

/// A language that Regate can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// Python 3.
    Python,
}

impl Language {
    /// The language's name in facts, commands and replies.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Python => "python",
        }
    }
}

/// A piece of proposed code: the very bytes, never decoded, trimmed or normalised.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Source {
    /// The language that the tool takes.
    pub language: Language,
    bytes: Arc<[u8]>,
}

impl Source {
    /// Keeps the bytes as they are.
    pub fn new(language: Language, bytes: impl Into<Arc<[u8]>>) -> Self {
        Self { language, bytes: bytes.into() }
    }

    /// The bytes, for the analysis and for the sandbox alike.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same bytes, shared.
    pub fn shared(&self) -> Arc<[u8]> {
        Arc::clone(&self.bytes)
    }
}
