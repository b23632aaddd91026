//! How much may be kept, and for how long.
//!
//! The one place of these bounds: what is taken out of a container is bounded by the same.

use regate_agent::FilesMax;
use std::path::{Path, PathBuf};

/// For how long a container is given, after its program, to begin with further files.
const TAKING_MS_MAX: u64 = 5_000;

/// Where files are kept, and how many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The folder: `files` in the data directory.
    pub folder: PathBuf,
    /// Bytes of one file.
    pub file_bytes_max: u64,
    /// Bytes of all files of a session, and of those that one run hands out.
    pub session_bytes_max: u64,
    /// Files of a session, and of one run.
    pub session_files_max: u32,
    /// Bytes of all files of a tenant, each counted as often as it is kept.
    pub tenant_bytes_max: u64,
    /// How long files are kept after the session's last run or upload.
    pub kept_ms_max: u64,
    /// Uploads and downloads at once.
    pub transfers_at_once_max: u32,
    /// Uploads and downloads at once of one tenant: less than of all, so that none can take every
    /// place.
    pub transfers_at_once_per_tenant_max: u32,
    /// Bytes of an image that is shown to a model within its result.
    pub image_bytes_max: u64,
}

/// A bound that was reached. A closed set: it is a metric label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Bytes of one file.
    FileBytes,
    /// Bytes of a session.
    SessionBytes,
    /// Files of a session.
    SessionFiles,
    /// Bytes of a tenant.
    TenantBytes,
}

impl Limit {
    /// The setting that bounds it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FileBytes => "files.file_bytes_max",
            Self::SessionBytes => "files.session_bytes_max",
            Self::SessionFiles => "files.session_files_max",
            Self::TenantBytes => "files.tenant_bytes_max",
        }
    }
}

impl Settings {
    /// The defaults, in a data directory.
    pub fn in_directory(data: &Path) -> Self {
        Self {
            folder: data.join("files"),
            file_bytes_max: 16 << 20,
            session_bytes_max: 32 << 20,
            session_files_max: 256,
            tenant_bytes_max: 1 << 30,
            kept_ms_max: 86_400_000,
            transfers_at_once_max: 8,
            transfers_at_once_per_tenant_max: 6,
            image_bytes_max: 1 << 20,
        }
    }

    /// What is taken out of a container.
    pub const fn of_a_run(&self) -> FilesMax {
        FilesMax {
            files_max: self.session_files_max,
            file_bytes_max: self.file_bytes_max,
            all_bytes_max: self.session_bytes_max,
            ms_max: TAKING_MS_MAX,
        }
    }
}
