//! What an engine says that it can hold on its host.
//!
//! Must never take what it does not say for what it holds.

use crate::sandbox::probing::Swap;
use bollard::models::SystemInfo;

/// What of an engine and its host decides which profiles can be held. Where it is another, what
/// was found out before is worth nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::sandbox) struct Abilities {
    /// Whose they are: the engine's own id and version.
    engine: [Option<String>; 2],
    control_groups: Option<String>,
    /// The names of the runtimes, sorted.
    runtimes: Vec<String>,
    /// Whether its host counts swap.
    pub(in crate::sandbox) swap: Swap,
}

impl Abilities {
    pub(super) fn of(info: SystemInfo) -> Self {
        let mut runtimes: Vec<_> = info.runtimes.unwrap_or_default().into_keys().collect();
        runtimes.sort_unstable();
        Self {
            engine: [info.id, info.server_version],
            control_groups: info.cgroup_version.map(|version| version.to_string()),
            runtimes,
            swap: if info.swap_limit == Some(true) { Swap::Counted } else { Swap::Uncounted },
        }
    }

    /// Whether it has a runtime of this name.
    pub(in crate::sandbox) fn has_runtime(&self, name: &str) -> bool {
        self.runtimes.iter().any(|runtime| runtime == name)
    }
}

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

/// Says what it is.
pub(super) fn introduce(info: &SystemInfo) {
    let version = info.server_version.as_deref().unwrap_or("unknown");
    let control_groups = info.cgroup_version.map(|version| version.to_string());
    tracing::info!(version, control_groups, "the Docker engine answers");
}
