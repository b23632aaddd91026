//! What was asked for, held against what a container really is.
//!
//! Pure. Must never take what is not shown for what is held.

use super::seen::{Folder, Seen};
use crate::policy::{Profile, Runtime};
use crate::sandbox::container::{SHM_BYTES, USER, rlimits};

/// File systems in memory are counted in pages.
const PAGE_BYTES: u64 = 4096;

/// Whether the kernel of an engine's host counts swap in a container's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sandbox) enum Swap {
    Counted,
    Uncounted,
}

/// What does not hold of all that a profile asks for, for the operator; nothing where all does.
pub(super) fn shortfalls(asked: &Profile, seen: &Seen, swap: Swap) -> Vec<String> {
    let kernel = match asked.runtime {
        Runtime::Runc => under_runc(asked, seen),
        Runtime::Runsc => under_runsc(asked, seen, swap),
    };
    [kernel, folders(asked, seen), rights(asked, seen)].concat()
}

fn under_runc(asked: &Profile, seen: &Seen) -> Vec<String> {
    let memory = asked.memory_bytes;
    // Without any swap there is nothing to count.
    let swap = match (seen.memory_and_swap_bytes, seen.host_swap_bytes) {
        (None, Some(0)) => None,
        (limit, _) => at_most("memory and swap together", limit, memory),
    };
    let filter = (seen.seccomp.as_deref() != Some("2"))
        .then(|| "no filter of system calls is in force".to_owned());
    [
        at_most("memory_bytes", seen.memory_bytes, memory),
        swap,
        at_most("pids_max", seen.pids_max, asked.pids_max.into()),
        at_most("cpu_milli", seen.cpu_milli, asked.cpu_milli.into()),
        filter,
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// gVisor shows no control group. That processes are limited is tried out; that CPU time is, the
/// engine says of its host, which is the same for all runtimes.
fn under_runsc(asked: &Profile, seen: &Seen, swap: Swap) -> Vec<String> {
    [
        (!seen.gvisor).then(|| "the kernel does not say that it is gVisor".to_owned()),
        at_most("memory_bytes", seen.memory_shown_bytes, asked.memory_bytes),
        // Whether the host has any is not shown either.
        (swap == Swap::Uncounted)
            .then(|| "memory and swap together: the host does not count swap".to_owned()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn folders(asked: &Profile, seen: &Seen) -> Vec<String> {
    let bytes_max = asked.writable_bytes_max.next_multiple_of(PAGE_BYTES);
    let files_max = asked.files_max.map(u64::from);
    // gVisor knows neither devices nor setuid in a file system in memory, and does not say so.
    let options: &[&str] = match asked.runtime {
        Runtime::Runc => &["noexec", "nosuid", "nodev"],
        Runtime::Runsc => &["noexec"],
    };
    let mut found = Vec::new();
    for path in ["/tmp", "/workspace"] {
        found.extend(folder(path, seen.folders.get(path), bytes_max, options));
        if let Some(files_max) = files_max {
            let files = seen.folders.get(path).map(|folder| folder.files);
            found.extend(at_most(&format!("names in {path}"), files, files_max));
        }
    }
    found.extend(folder(
        "/dev/shm",
        seen.folders.get("/dev/shm"),
        SHM_BYTES.unsigned_abs(),
        &["noexec"],
    ));
    found.extend(folder("/", seen.folders.get("/"), u64::MAX, &["ro"]));
    found
}

fn folder(path: &str, seen: Option<&Folder>, bytes_max: u64, options: &[&str]) -> Vec<String> {
    let bytes = at_most(&format!("bytes in {path}"), seen.map(|folder| folder.bytes), bytes_max);
    let mounted = seen.and_then(|folder| folder.options.as_deref()).unwrap_or_default();
    let lacking = options.iter().filter(|option| !mounted.iter().any(|has| has == **option));
    bytes
        .into_iter()
        .chain(lacking.map(|option| format!("{path} is not mounted {option}")))
        .collect()
}

fn rights(asked: &Profile, seen: &Seen) -> Vec<String> {
    let none = |set: &Option<String>| {
        set.as_ref().is_some_and(|set| !set.is_empty() && set.chars().all(|digit| digit == '0'))
    };
    let capable = seen.capabilities.is_empty() || !seen.capabilities.iter().all(none);
    let alone = seen.interfaces.iter().all(|interface| interface == "lo");
    let rlimits = rlimits(asked.runtime, asked.pids_max, asked.writable_bytes_max);
    let rlimits = rlimits.filter_map(|(name, limit)| {
        // A limit below zero is none.
        let held = seen.rlimits.get(name).is_some_and(|seen| (0..=limit).contains(seen));
        (!held).then(|| format!("the limit `{name}` of a process is not held"))
    });
    [
        (seen.no_new_privileges != 1).then(|| "new privileges are possible".to_owned()),
        capable.then(|| "there are capabilities".to_owned()),
        (seen.user != USER).then(|| "the user is another".to_owned()),
        (!alone).then(|| "there is a network interface".to_owned()),
    ]
    .into_iter()
    .flatten()
    .chain(rlimits)
    .collect()
}

/// That nothing above the limit is there; zero says that nobody counts.
fn at_most(what: &str, seen: Option<u64>, asked: u64) -> Option<String> {
    match seen {
        None | Some(0) => Some(format!("{what}: no limit is shown, {asked} is asked for")),
        Some(seen) if seen > asked => Some(format!("{what}: {seen}, {asked} is asked for")),
        Some(_) => None,
    }
}
