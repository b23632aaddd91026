//! What can go wrong with workspaces. For the log, never for callers.

use super::settings::Limit;
use std::path::{Path, PathBuf};

/// Why files could not be read or kept.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The index refused.
    #[error("the index of files refused: {0}")]
    Index(#[from] sqlx::Error),
    /// The index is something else.
    #[error("`{}` does not hold an index of files of this version", .0.display())]
    Foreign(PathBuf),
    /// The disk refused.
    #[error("`{}`: {reason}", .path.display())]
    Disk {
        /// Where.
        path: PathBuf,
        /// What the operating system says.
        reason: String,
    },
    /// What is stored is not what was stored.
    #[error("the bytes of {0} are not those that were stored")]
    Damaged(String),
    /// A bound would be passed.
    #[error("the limit `{}` is reached", .0.as_str())]
    Full(Limit),
    /// A task of this module broke off.
    #[error("storing broke off")]
    BrokeOff,
}

impl Error {
    /// The bound that would be passed, where that is why.
    pub const fn limit(&self) -> Option<Limit> {
        match self {
            Self::Full(limit) => Some(*limit),
            Self::Index(_)
            | Self::Foreign(_)
            | Self::Disk { .. }
            | Self::Damaged(_)
            | Self::BrokeOff => None,
        }
    }

    pub(super) fn disk(path: &Path, error: &std::io::Error) -> Self {
        Self::Disk { path: path.to_owned(), reason: error.to_string() }
    }
}
