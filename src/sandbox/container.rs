//! What a container is allowed: every flag, and why it is there.
//!
//! Pure data out of settings and a profile. Must never be widened by anything that a caller says.

use super::Settings;
use crate::call::CallId;
use crate::policy::Profile;
use bollard::models::{ContainerCreateBody, HostConfig, HostConfigLogConfig, ResourcesUlimits};
use std::collections::HashMap;

/// The label that says whose a container is.
pub(super) const INSTANCE_LABEL: &str = "regate.instance";
const CALL_LABEL: &str = "regate.call";

/// The system calls that programs may make; `sandbox/seccomp.md` says why.
const SECCOMP: &str = include_str!("../../sandbox/seccomp.json");

/// What the run's own deadline adds to the wall-clock limit. It strikes only where the gateway,
/// which ends every run at the limit itself, is no more.
const DEADLINE_GRACE_MS: u64 = 2_000;

/// Names in `/tmp` and in `/workspace`: an empty file costs the kernel memory too.
const INODES_MAX: u32 = 4096;

const SHM_BYTES: i64 = 16 * 1024 * 1024;

/// The engine's own list, which a list of ours replaces, and besides what tells of the host.
const MASKED_PATHS: [&str; 20] = [
    "/proc/acpi",
    "/proc/asound",
    "/proc/cmdline",
    "/proc/diskstats",
    "/proc/interrupts",
    "/proc/kallsyms",
    "/proc/kcore",
    "/proc/keys",
    "/proc/latency_stats",
    "/proc/modules",
    "/proc/partitions",
    "/proc/sched_debug",
    "/proc/scsi",
    "/proc/slabinfo",
    "/proc/timer_list",
    "/proc/timer_stats",
    "/proc/version",
    "/sys/devices/virtual/powercap",
    "/sys/firmware",
    "/sys/kernel",
];

const READONLY_PATHS: [&str; 5] =
    ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"];

/// A container's name: known before the engine makes it, so that it can be removed even where
/// the engine's answer never came.
pub(super) fn name(call: &CallId) -> String {
    format!("regate-{call}")
}

/// The container of one call.
pub(super) fn body(settings: &Settings, call: &CallId, profile: &Profile) -> ContainerCreateBody {
    ContainerCreateBody {
        image: Some(settings.image.to_string()),
        entrypoint: Some(deadline(profile)),
        cmd: Some(owned(["python3", "-I", "-B", "-X", "utf8", "-"])),
        labels: Some(HashMap::from([
            (INSTANCE_LABEL.to_owned(), settings.instance.to_string()),
            (CALL_LABEL.to_owned(), call.to_string()),
        ])),
        hostname: Some("sandbox".to_owned()),
        user: Some("65534:65534".to_owned()),
        working_dir: Some("/workspace".to_owned()),
        attach_stdin: Some(true),
        attach_stdout: Some(true),
        attach_stderr: Some(true),
        open_stdin: Some(true),
        // The end of the source is the end of stdin.
        stdin_once: Some(true),
        tty: Some(false),
        network_disabled: Some(true),
        host_config: Some(host_config(profile)),
        ..ContainerCreateBody::default()
    }
}

fn host_config(profile: &Profile) -> HostConfig {
    let memory = Some(signed(profile.memory_bytes));
    let writable = signed(profile.writable_bytes_max);
    HostConfig {
        memory,
        // Memory and swap together: equal means no swap.
        memory_swap: memory,
        nano_cpus: Some(i64::from(profile.cpu_milli).saturating_mul(1_000_000)),
        // Not RLIMIT_NPROC, which counts a user's processes on the whole host.
        pids_limit: Some(i64::from(profile.pids_max)),
        oom_score_adj: Some(500),
        ulimits: Some(ulimits(writable)),
        shm_size: Some(SHM_BYTES),
        ipc_mode: Some("private".to_owned()),
        readonly_rootfs: Some(true),
        tmpfs: Some(tmpfs(writable)),
        // Beside NetworkDisabled: with both, the engine does not even set one up.
        network_mode: Some("none".to_owned()),
        cap_drop: Some(owned(["ALL"])),
        security_opt: Some(vec!["no-new-privileges".to_owned(), format!("seccomp={SECCOMP}")]),
        masked_paths: Some(owned(MASKED_PATHS)),
        readonly_paths: Some(owned(READONLY_PATHS)),
        // Any other driver would let a program fill the host's disk with its output.
        log_config: Some(HostConfigLogConfig { typ: Some("none".to_owned()), config: None }),
        // PID 1 reaps: without it, fork fails once a program has left enough zombies.
        init: Some(true),
        // The engine would remove the container before it could be asked whether memory ran
        // out. Removing it is this module's own work.
        auto_remove: Some(false),
        ..HostConfig::default()
    }
}

/// coreutils' `timeout` around the interpreter: a deadline that outlives the gateway.
fn deadline(profile: &Profile) -> Vec<String> {
    let deadline_ms = profile.wall_ms.saturating_add(DEADLINE_GRACE_MS);
    let seconds = format!("{}.{:03}", deadline_ms / 1000, deadline_ms % 1000);
    owned(["timeout", "--signal=KILL", &seconds])
}

fn ulimits(file_bytes_max: i64) -> Vec<ResourcesUlimits> {
    let limits =
        [("core", 0), ("fsize", file_bytes_max), ("memlock", 0), ("msgqueue", 0), ("nofile", 256)];
    limits
        .into_iter()
        .map(|(name, limit)| ResourcesUlimits {
            name: Some(name.to_owned()),
            soft: Some(limit),
            hard: Some(limit),
        })
        .collect()
}

fn tmpfs(bytes_max: i64) -> HashMap<String, String> {
    // Without a size a tmpfs fills the memory limit; without a number of inodes, with names.
    let options =
        format!("rw,noexec,nosuid,nodev,size={bytes_max},nr_inodes={INODES_MAX},mode=1777");
    ["/tmp", "/workspace"].into_iter().map(|path| (path.to_owned(), options.clone())).collect()
}

fn owned<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.into_iter().map(str::to_owned).collect()
}

/// The engine counts in signed numbers; what does not fit is as good as its greatest.
fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
