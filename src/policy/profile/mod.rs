//! Sandbox profiles: what a run may use, what it runs in, and what makes that less.
//!
//! Pure. Must never answer a limit that is wider than the profile's own.

use crate::call::Text;
use std::collections::BTreeMap;

/// Limits by their names: what a decision tightens a profile to, or an operator's ceilings.
pub type Caps = BTreeMap<Limit, u64>;

/// A sandbox profile, from `data/sandbox.json` of the bundle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Profile {
    /// What keeps its programs from the host's kernel.
    pub runtime: Runtime,
    /// The name of the image; the settings say which one the engine knows by it.
    pub image: Text,
    /// Memory and swap together.
    pub memory_bytes: u64,
    /// CPU quota, in thousandths of a CPU.
    pub cpu_milli: u32,
    /// Processes and threads, as the kernel counts them that the program runs on.
    pub pids_max: u32,
    /// Wall-clock time of the program, after which everything is killed.
    pub wall_ms: u64,
    /// Bytes of stdout, and of stderr, that are kept; more is cut, and said to be.
    pub output_bytes_max: u64,
    /// Bytes of `/workspace`, and of `/tmp`.
    pub writable_bytes_max: u64,
    /// Names in `/workspace`, and in `/tmp`; `None` where the runtime does not count them and
    /// the memory that they take is their only bound.
    pub files_max: Option<u32>,
}

/// What runs containers. A closed set: each needs flags, limits and tests of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Runtime {
    /// The host's kernel, with namespaces, control groups and a filter of system calls.
    Runc,
    /// gVisor: a kernel of its own for each container, in user space.
    Runsc,
}

/// The limits of a profile that a decision or an operator may make smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// [`Profile::memory_bytes`]
    MemoryBytes,
    /// [`Profile::cpu_milli`]
    CpuMilli,
    /// [`Profile::pids_max`]
    PidsMax,
    /// [`Profile::wall_ms`]
    WallMs,
    /// [`Profile::output_bytes_max`]
    OutputBytesMax,
    /// [`Profile::writable_bytes_max`]
    WritableBytesMax,
    /// [`Profile::files_max`]
    FilesMax,
}

/// Why a profile and what is to make it smaller yield no limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// A decision asks for more than the profile has.
    #[error("`{}` would be wider than the profile's", .0.as_str())]
    Wider(Limit),
    /// So little that no program could start.
    #[error("`{}` is too small for any program to start", .0.as_str())]
    TooLittle(Limit),
    /// The profile's runtime cannot hold it.
    #[error("`{}` is not held by the profile's runtime", .0.as_str())]
    NotHeld(Limit),
}

impl Runtime {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Runc, Self::Runsc];

    /// Its name, as profiles and engines have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Runc => "runc",
            Self::Runsc => "runsc",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|runtime| runtime.as_str() == name)
    }

    /// With less of it an interpreter does not start. Measured, and generously rounded up.
    pub const fn least(self, limit: Limit) -> u64 {
        match (self, limit) {
            (Self::Runc, Limit::MemoryBytes) => 16 << 20,
            // The kernel in user space and its interpreter.
            (Self::Runsc, Limit::MemoryBytes) => 96 << 20,
            // The least that engines take.
            (_, Limit::CpuMilli) => 10,
            (_, Limit::PidsMax) => 4,
            // Of a file system in memory less than a page is a page.
            (_, Limit::WritableBytesMax) => 4096,
            (_, Limit::WallMs | Limit::OutputBytesMax | Limit::FilesMax) => 1,
        }
    }

    /// Whether it counts the names in a file system in memory.
    pub const fn counts_files(self) -> bool {
        match self {
            Self::Runc => true,
            Self::Runsc => false,
        }
    }
}

impl Limit {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::MemoryBytes,
        Self::CpuMilli,
        Self::PidsMax,
        Self::WallMs,
        Self::OutputBytesMax,
        Self::WritableBytesMax,
        Self::FilesMax,
    ];

    /// Its name in profiles and verdicts.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MemoryBytes => "memory_bytes",
            Self::CpuMilli => "cpu_milli",
            Self::PidsMax => "pids_max",
            Self::WallMs => "wall_ms",
            Self::OutputBytesMax => "output_bytes_max",
            Self::WritableBytesMax => "writable_bytes_max",
            Self::FilesMax => "files_max",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|limit| limit.as_str() == name)
    }
}

impl Profile {
    /// What a run is under: the smallest of what the profile, the decision and the operator say.
    ///
    /// # Errors
    /// Where the decision asks for more than the profile has, or what is left is too little to
    /// run anything, or cannot be held.
    pub fn effective(&self, tightening: &Caps, ceilings: &Caps) -> Result<Self, Unfit> {
        let mut run = self.clone();
        for (limit, value) in tightening {
            let has = self.value(*limit).ok_or(Unfit::NotHeld(*limit))?;
            if *value > has {
                return Err(Unfit::Wider(*limit));
            }
            run.set(*limit, *value);
        }
        for (limit, ceiling) in ceilings {
            let has = run.value(*limit).ok_or(Unfit::NotHeld(*limit))?;
            run.set(*limit, has.min(*ceiling));
        }
        let too_little = |limit: &Limit| {
            run.value(*limit).is_some_and(|value| value < self.runtime.least(*limit))
        };
        match Limit::ALL.into_iter().find(too_little) {
            Some(limit) => Err(Unfit::TooLittle(limit)),
            None => Ok(run),
        }
    }

    /// How much of a limit it has; nothing where it has no such limit.
    pub fn value(&self, limit: Limit) -> Option<u64> {
        match limit {
            Limit::MemoryBytes => Some(self.memory_bytes),
            Limit::CpuMilli => Some(self.cpu_milli.into()),
            Limit::PidsMax => Some(self.pids_max.into()),
            Limit::WallMs => Some(self.wall_ms),
            Limit::OutputBytesMax => Some(self.output_bytes_max),
            Limit::WritableBytesMax => Some(self.writable_bytes_max),
            Limit::FilesMax => self.files_max.map(u64::from),
        }
    }

    fn set(&mut self, limit: Limit, value: u64) {
        let small = u32::try_from(value).unwrap_or(u32::MAX);
        match limit {
            Limit::MemoryBytes => self.memory_bytes = value,
            Limit::CpuMilli => self.cpu_milli = small,
            Limit::PidsMax => self.pids_max = small,
            Limit::WallMs => self.wall_ms = value,
            Limit::OutputBytesMax => self.output_bytes_max = value,
            Limit::WritableBytesMax => self.writable_bytes_max = value,
            Limit::FilesMax => self.files_max = Some(small),
        }
    }
}

#[cfg(test)]
mod tests;
