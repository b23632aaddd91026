//! How a container ended that ended as a whole, its agent included.
//!
//! Must never take the agent's own end for the container's.

#[cfg(test)]
mod tests;

use crate::policy::Runtime;
use bollard::models::ContainerInspectResponse;

/// The codes by which an agent ends: that all is well, and that it could not go on.
const AGENT_CODES: [i64; 2] = [0, 1];

/// That of a kernel in user space that was killed.
const KILLED_CODE: i64 = 128 + 9;

/// What ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sandbox) enum Collapse {
    /// The host killed for want of memory.
    Memory,
    /// The kernel in user space gave up, as where the host lets it start no more processes.
    Kernel,
    /// The agent ended of itself.
    Agent,
}

impl Collapse {
    /// What the engine's word on a container says; nothing while it says that it runs.
    pub(super) fn of(container: &ContainerInspectResponse) -> Option<Self> {
        let state = container.state.as_ref()?;
        if state.oom_killed == Some(true) {
            return Some(Self::Memory);
        }
        if state.running != Some(false) {
            return None;
        }
        let runtime = container.host_config.as_ref().and_then(|host| host.runtime.as_deref());
        let in_user_space = runtime == Some(Runtime::Runsc.as_str());
        Some(match (in_user_space, state.exit_code) {
            // Nobody inside can name the agent there, so it was the host, which kills for want of
            // memory. The engine says so, but for now and then on a busy host: it hears of it
            // beside the container's end, and not at all where that is cleared away first.
            (true, Some(KILLED_CODE)) => Self::Memory,
            (true, Some(code)) if !AGENT_CODES.contains(&code) => Self::Kernel,
            (..) => Self::Agent,
        })
    }
}
