//! How a container ended that ended as a whole, its agent included.
//!
//! Must never take the agent's own end for the container's.

use crate::policy::Runtime;
use bollard::models::ContainerInspectResponse;

/// The codes by which an agent ends: that all is well, and that it could not go on.
const AGENT_CODES: [i64; 2] = [0, 1];

/// What ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sandbox) enum Collapse {
    /// The host killed for want of memory.
    Memory,
    /// The kernel in user space gave up, since the host lets it start no more processes; or it, or
    /// the agent in it, was killed, and the engine does not say that it was for want of memory.
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
        let of_itself = state.exit_code.is_none_or(|code| AGENT_CODES.contains(&code));
        Some(if in_user_space && !of_itself { Self::Kernel } else { Self::Agent })
    }
}
