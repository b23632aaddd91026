//! What the settings say of the files of sessions.
//!
//! Must never take bounds that nothing could keep within.

use super::Error;
use super::raw::RawFiles;
use super::settings::value;
use crate::sandbox::workspace::Settings;
use std::path::Path;

/// The settings of workspaces, in a data directory.
pub(super) fn files(raw: &RawFiles, data: &Path) -> Result<Settings, Error> {
    let default = Settings::in_directory(data);
    let settings = Settings {
        file_bytes_max: raw.file_bytes_max.unwrap_or(default.file_bytes_max),
        session_bytes_max: raw.session_bytes_max.unwrap_or(default.session_bytes_max),
        session_files_max: raw.session_files_max.unwrap_or(default.session_files_max),
        tenant_bytes_max: raw.tenant_bytes_max.unwrap_or(default.tenant_bytes_max),
        kept_ms_max: raw.kept_ms_max.unwrap_or(default.kept_ms_max),
        transfers_at_once_max: raw.transfers_at_once_max.unwrap_or(default.transfers_at_once_max),
        transfers_at_once_per_tenant_max: raw
            .transfers_at_once_per_tenant_max
            .unwrap_or(default.transfers_at_once_per_tenant_max),
        image_bytes_max: raw.image_bytes_max.unwrap_or(default.image_bytes_max),
        ..default
    };
    if settings.file_bytes_max > settings.session_bytes_max {
        return Err(value("files.file_bytes_max", "at most files.session_bytes_max"));
    }
    Ok(settings)
}
