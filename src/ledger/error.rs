//! What can go wrong with the ledger.

use std::path::PathBuf;

/// What went wrong with the ledger. For the log, never for callers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The database refused.
    #[error("the ledger's database refused: {0}")]
    Database(String),
    /// Too many records wait.
    #[error("the ledger's queue is full")]
    Full,
    /// The files of the ledger are as large as they may be.
    #[error("the ledger has the size that it may have: move sealed files away")]
    NoRoom,
    /// The write took too long.
    #[error("the ledger did not answer in time")]
    Timeout,
    /// The ledger was closed.
    #[error("the ledger is closed")]
    Closed,
    /// A record is larger than any may be.
    #[error("a record of {bytes} bytes is larger than the ledger takes")]
    TooLarge {
        /// The size of its body.
        bytes: usize,
    },
    /// A record is not what a reader of the ledger could read.
    #[error("a record is not well formed: {0}")]
    Malformed(String),
    /// An approval does not stand as the record has it: somebody else was first.
    #[error("an approval was asked for, answered or spent by somebody else")]
    Contested,
    /// A subject bears more labels than policy is shown.
    #[error("a subject bears too many labels")]
    TooManyLabels,
    /// Another gateway writes to this ledger.
    #[error("`{}` is in use by another writer", .0.display())]
    InUse(PathBuf),
    /// The file is something else.
    #[error("`{}` is not a ledger", .0.display())]
    NotALedger(PathBuf),
    /// The file is a ledger of another version.
    #[error("`{}` is a ledger of version {found}, and this is for version {known}", .file.display())]
    Version {
        /// The file.
        file: PathBuf,
        /// Its version.
        found: i64,
        /// The version that is written and read here.
        known: i64,
    },
    /// The last record is not the one that was written last.
    #[error("the ledger is broken at its end: verify it, and begin a new one")]
    Broken,
    /// The file or its directory cannot be had.
    #[error("`{}`: {reason}", .file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What the operating system says.
        reason: String,
    },
}

impl Error {
    /// The word for it in metrics: a closed set.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Database(_) => "database",
            Self::Full => "full",
            Self::NoRoom => "no_room",
            Self::Timeout => "timeout",
            Self::Closed => "closed",
            Self::TooLarge { .. } => "too_large",
            Self::Malformed(_) => "malformed",
            Self::InUse(_) => "in_use",
            Self::NotALedger(_) => "not_a_ledger",
            Self::Version { .. } => "version",
            Self::Contested => "contested",
            Self::TooManyLabels => "too_many_labels",
            Self::Broken => "broken",
            Self::File { .. } => "file",
        }
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        if matches!(error, sqlx::Error::PoolClosed) {
            Self::Closed
        } else if matches!(error, sqlx::Error::PoolTimedOut) {
            Self::Timeout
        } else {
            Self::Database(error.to_string())
        }
    }
}
