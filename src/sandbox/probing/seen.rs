//! What the program that looks around in a container tells.
//!
//! Must never fill in what was not told.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A container as it is seen from inside; nothing where it is not shown.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Seen {
    /// The limit of its control group.
    pub(super) memory_bytes: Option<u64>,
    /// All the memory that there seems to be.
    pub(super) memory_shown_bytes: Option<u64>,
    /// The limit on memory and swap together.
    pub(super) memory_and_swap_bytes: Option<u64>,
    /// The swap that there seems to be.
    pub(super) host_swap_bytes: Option<u64>,
    pub(super) pids_max: Option<u64>,
    pub(super) cpu_milli: Option<u64>,
    /// By path.
    pub(super) folders: BTreeMap<String, Folder>,
    /// The hard ones, by name.
    pub(super) rlimits: BTreeMap<String, i64>,
    /// `2` where a filter of system calls is in force.
    pub(super) seccomp: Option<String>,
    pub(super) no_new_privileges: i64,
    /// The sets of capabilities, in hexadecimal digits.
    pub(super) capabilities: Vec<Option<String>>,
    pub(super) user: u32,
    pub(super) interfaces: Vec<String>,
    /// Whether the kernel says that it is gVisor.
    pub(super) gvisor: bool,
}

/// A folder that is a file system of its own.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Folder {
    pub(super) bytes: u64,
    /// How many names there may be; zero where nobody counts.
    pub(super) files: u64,
    /// How it is mounted; nothing where it is no mount.
    pub(super) options: Option<Vec<String>>,
}

impl Seen {
    /// Reads what the program printed.
    pub(super) fn read(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}
