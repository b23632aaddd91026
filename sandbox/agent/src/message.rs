//! What frames that are no plain bytes say, as JSON. Fields that are not known are refused, so
//! that no side takes a newer one for its own.

use serde::{Deserialize, Serialize};

/// The agent's first word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ready {
    /// The protocol that it speaks: [`crate::VERSION`].
    pub version: u32,
}

/// What a run may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The protocol that the gateway speaks: [`crate::VERSION`].
    pub version: u32,
    /// How long the program may run, in milliseconds from `Go`.
    pub wall_ms: u64,
    /// How much of each of its two streams is handed out, in bytes.
    pub output_bytes_max: u64,
    /// How much of what is observed is handed out, in bytes.
    pub event_bytes_max: u64,
    /// Which events of the interpreter are to be told, as `sandbox/observer.py` takes it; nothing
    /// is observed where it is empty.
    pub watch: String,
    /// How long its text is, in bytes.
    pub source_bytes: u64,
    /// How many connections it may have; nothing where it may have none, and then there is no
    /// proxy.
    pub connections: Option<Connections>,
    /// How many files are put into its workspace before it runs.
    pub files_in: u32,
    /// What is taken out of its workspace once it has ended.
    pub files_out: FilesMax,
    /// What the last frame has to repeat: no kernel of its own keeps a program from writing to
    /// the agent's streams, and so from saying how it ended itself.
    pub token: String,
}

/// How many connections a program may have. A gateway takes more for a broken agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connections {
    /// At once.
    pub at_once_max: u32,
    /// In all.
    pub total_max: u32,
}

/// How much is taken out of a workspace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilesMax {
    /// How many files; nothing is looked for where it is none.
    pub files_max: u32,
    /// How long one may be, in bytes.
    pub file_bytes_max: u64,
    /// How long all that are sent may be together, in bytes.
    pub all_bytes_max: u64,
    /// After how many milliseconds no further file is begun.
    pub ms_max: u64,
}

/// What stands before the bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileHead {
    /// Its name, as [`crate::is_file_name`] has it.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Whether its bytes follow.
    pub content: Content,
}

/// What comes of a file after its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// All of its bytes.
    Follows,
    /// Nothing: they are those that were put in.
    Unchanged,
    /// Nothing: it is too long, or cannot be read.
    LeftOut,
}

/// How a run ended. Either `exit_code` or `signal` is there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// The code that the interpreter exited with.
    pub exit_code: Option<i32>,
    /// The number of the signal that ended it.
    pub signal: Option<i32>,
    /// Whether it was killed because its time was over.
    pub timed_out: bool,
    /// Whether the kernel killed it for want of memory; nothing where that cannot be found out.
    pub out_of_memory: Option<bool>,
    /// Whether more was written than was handed out.
    pub truncated: bool,
    /// Whether more was observed than was handed out.
    pub events_cut: bool,
    /// Whether the workspace was not looked through to its end: what was not told of may be there.
    pub files_cut: bool,
    /// How many things in it are not handed out: links, pipes, names that are none, files that are
    /// too long or too many. As many as were met.
    pub files_left: u64,
    /// CPU time of the interpreter and of all that it started since `Go`, in milliseconds.
    pub cpu_ms: u64,
    /// The most memory that the container used at once, in bytes; nothing where the kernel does
    /// not say.
    pub memory_peak_bytes: Option<u64>,
    /// From `Go` to the end of the last process, in milliseconds.
    pub wall_ms: u64,
    /// That of the start.
    pub token: String,
}
