//! What an engine says that it can hold on its host.
//!
//! Must never take what it does not say for what it holds.

use bollard::models::SystemInfo;

/// A limit of every run that the engine would take and not hold; `None` where it holds all.
pub(in crate::sandbox) fn unenforceable(info: &SystemInfo) -> Option<&'static str> {
    let options = info.security_options.as_deref().unwrap_or_default();
    let filters = options.iter().any(|option| option.contains("seccomp"));
    [
        ("memory", info.memory_limit),
        ("CPU time", info.cpu_cfs_quota),
        ("processes", info.pids_limit),
        ("system calls", Some(filters)),
    ]
    .into_iter()
    .find_map(|(limit, held)| (held == Some(false)).then_some(limit))
}

/// Says what it is, and what of a run it cannot bound.
pub(super) fn introduce(info: &SystemInfo) {
    let version = info.server_version.as_deref().unwrap_or("unknown");
    let runtime = info.default_runtime.as_deref().unwrap_or("unknown");
    tracing::info!(version, runtime, "the Docker engine answers");
    warn_of_swap(info);
}

fn warn_of_swap(info: &SystemInfo) {
    if info.swap_limit == Some(false) {
        tracing::warn!("the engine cannot limit swap: a program may use more than its memory");
    }
}
