//! What the settings file says: TOML to plain values, every key with a default.
//!
//! Must never decide what a value means; see `settings`.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;

/// The whole file.
#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Raw {
    pub(super) listen: Option<String>,
    pub(super) data: Option<PathBuf>,
    pub(super) policies: Option<PathBuf>,
    pub(super) gateway: RawGateway,
    pub(super) keys: Vec<RawKey>,
    pub(super) facts: RawFacts,
    pub(super) policy: RawPolicy,
    pub(super) limits: RawLimits,
    pub(super) sessions: RawSessions,
    pub(super) approvals: RawApprovals,
    pub(super) sandbox: RawSandbox,
    pub(super) files: RawFiles,
    pub(super) ledger: RawLedger,
    pub(super) log: RawLog,
}

#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawGateway {
    pub(super) hosts: Vec<String>,
    pub(super) origins: Vec<String>,
    pub(super) body_bytes_max: Option<usize>,
    pub(super) body_ms_max: Option<u64>,
    pub(super) header_ms_max: Option<u64>,
    pub(super) write_ms_max: Option<u64>,
    pub(super) json_depth_max: Option<usize>,
    pub(super) connections_max: Option<usize>,
    pub(super) mcp_sessions_max: Option<usize>,
    pub(super) mcp_idle_ms_max: Option<u64>,
    pub(super) shutdown_ms_max: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawKey {
    pub(super) hash: String,
    pub(super) subject: String,
    pub(super) tenant: String,
    #[serde(default)]
    pub(super) roles: Vec<String>,
}

#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawFacts {
    pub(super) source_bytes_max: Option<u32>,
    pub(super) nodes_max: Option<u32>,
    pub(super) depth_max: Option<u32>,
    pub(super) facts_max: Option<u32>,
    pub(super) cache_bytes_max: Option<u64>,
}

#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawPolicy {
    pub(super) evaluation_ms_max: Option<u64>,
    pub(super) findings_max: Option<usize>,
    pub(super) result_bytes_max: Option<usize>,
}

#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawLimits {
    pub(super) calls_at_once_max: Option<usize>,
    pub(super) calls_at_once_per_subject_max: Option<usize>,
    pub(super) calls_at_once_per_tenant_max: Option<usize>,
    pub(super) session_steps_max: Option<RawCap>,
    pub(super) session_ms_max: Option<RawCap>,
    pub(super) session_tokens_max: Option<RawCap>,
    pub(super) session_cost_microusd_max: Option<RawCap>,
    pub(super) refusals_alike_max: Option<u32>,
    pub(super) refusals_alike_ms_max: Option<u64>,
    pub(super) quotas: Option<PathBuf>,
    pub(super) count_ms_max: Option<u64>,
    pub(super) subject: RawAllowance,
    pub(super) tenant: RawAllowance,
}

/// What one of those that are counted may have.
#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawAllowance {
    pub(super) calls_per_second_max: Option<NonZeroU32>,
    pub(super) burst_max: Option<NonZeroU32>,
    pub(super) calls_per_day_max: Option<RawCap>,
    pub(super) tokens_per_day_max: Option<RawCap>,
    pub(super) cost_microusd_per_day_max: Option<RawCap>,
    pub(super) sandbox_cpu_ms_per_day_max: Option<RawCap>,
}

/// A number, or the word that says that there is no cap.
#[derive(Debug, Deserialize, Clone, Copy)]
#[serde(untagged, expecting = "expected a number, or \"none\" for no cap")]
pub(super) enum RawCap {
    At(u64),
    Word(RawNone),
}

#[derive(Debug, Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(super) enum RawNone {
    None,
}

#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawSessions {
    pub(super) label_ms_max: Option<u64>,
    pub(super) history_ms_max: Option<u64>,
}

#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawApprovals {
    pub(super) wait_ms_max: Option<u64>,
    pub(super) pending_ms_max: Option<u64>,
    pub(super) grant_ms_max: Option<u64>,
    pub(super) pending_per_subject_max: Option<u32>,
    pub(super) role: Option<String>,
    pub(super) page: Option<String>,
    pub(super) webhook: RawWebhook,
}

#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawWebhook {
    pub(super) url: Option<String>,
    pub(super) secret_file: Option<PathBuf>,
    pub(super) secret_variable: Option<String>,
    pub(super) attempt_ms_max: Option<u64>,
    pub(super) attempts_max: Option<u32>,
    pub(super) pause_ms: Option<u64>,
    pub(super) at_once_max: Option<usize>,
    pub(super) queue_max: Option<usize>,
}

#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawSandbox {
    pub(super) docker: Option<String>,
    pub(super) hosts: Vec<RawHost>,
    pub(super) away_ms_max: Option<u64>,
    pub(super) images: BTreeMap<String, String>,
    pub(super) ceilings: RawCeilings,
    pub(super) instance: Option<String>,
    pub(super) engine_ms_max: Option<u64>,
    pub(super) runs_at_once_max: Option<u32>,
    pub(super) wait_ms_max: Option<u64>,
    pub(super) weights: BTreeMap<String, NonZeroU32>,
    pub(super) containers_max: Option<u32>,
    pub(super) creations_at_once_max: Option<u32>,
    pub(super) stock_max: Option<u32>,
    pub(super) stock_ms_max: Option<u64>,
    pub(super) preload: Option<Vec<RawPreload>>,
    pub(super) connections: RawConnections,
}

/// The bounds of a run's connections.
#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawConnections {
    pub(super) at_once_max: Option<u32>,
    pub(super) total_max: Option<u32>,
    pub(super) open_ms_max: Option<u64>,
    pub(super) ms_max: Option<u64>,
    pub(super) sent_bytes_max: Option<u64>,
    pub(super) received_bytes_max: Option<u64>,
    pub(super) total_sent_bytes_max: Option<u64>,
    pub(super) total_received_bytes_max: Option<u64>,
}

/// What no run has more of.
#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawCeilings {
    pub(super) memory_bytes_max: Option<RawCap>,
    pub(super) cpu_milli_max: Option<RawCap>,
    pub(super) pids_max: Option<RawCap>,
    pub(super) wall_ms_max: Option<RawCap>,
    pub(super) output_bytes_max: Option<RawCap>,
    pub(super) writable_bytes_max: Option<RawCap>,
    pub(super) files_max: Option<RawCap>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawHost {
    pub(super) name: String,
    pub(super) endpoint: String,
    pub(super) certificates: Option<PathBuf>,
    pub(super) runs_at_once_max: Option<u32>,
    pub(super) containers_max: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawPreload {
    pub(super) modules: Vec<String>,
    pub(super) stock_max: u32,
}

#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawLedger {
    pub(super) queue_max: Option<usize>,
    pub(super) append_ms_max: Option<u64>,
    pub(super) rotate_bytes_max: Option<u64>,
    pub(super) rotate_ms_max: Option<u64>,
    pub(super) total_bytes_max: Option<u64>,
    pub(super) arguments: Option<RawArguments>,
    pub(super) reader_role: Option<String>,
    pub(super) reader_all_role: Option<String>,
}

#[derive(Debug, Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(super) enum RawArguments {
    Whole,
    Digest,
    Masked,
}

#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawFiles {
    pub(super) file_bytes_max: Option<u64>,
    pub(super) session_bytes_max: Option<u64>,
    pub(super) session_files_max: Option<u32>,
    pub(super) tenant_bytes_max: Option<u64>,
    pub(super) kept_ms_max: Option<u64>,
    pub(super) transfers_at_once_max: Option<u32>,
    pub(super) transfers_at_once_per_tenant_max: Option<u32>,
    pub(super) image_bytes_max: Option<u64>,
}

#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawLog {
    pub(super) format: Option<RawLogFormat>,
    pub(super) filter: Option<String>,
}

#[derive(Debug, Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(super) enum RawLogFormat {
    Human,
    Json,
}
