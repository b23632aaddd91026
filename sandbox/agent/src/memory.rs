//! What the container's own control group says of its memory, of either version.
//!
//! Must never be taken for an answer where the kernel gave none.

use std::fs::read_to_string;

/// Where the kernel counts, and how many times it killed for want of memory.
const KILLS: [&str; 2] =
    ["/sys/fs/cgroup/memory/memory.oom_control", "/sys/fs/cgroup/memory.events"];
const PEAKS: [&str; 2] =
    ["/sys/fs/cgroup/memory/memory.max_usage_in_bytes", "/sys/fs/cgroup/memory.peak"];

/// How many processes were killed for want of memory.
pub(crate) fn kills() -> Option<u64> {
    let text = KILLS.iter().find_map(|path| read_to_string(path).ok())?;
    text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}

/// The most that was used at once, in bytes.
pub(crate) fn peak_bytes() -> Option<u64> {
    PEAKS.iter().find_map(|path| read_to_string(path).ok())?.trim().parse().ok()
}
