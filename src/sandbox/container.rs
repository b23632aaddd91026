//! What a container is allowed: every flag, and why it is there.
//!
//! Pure data out of settings and a shape. Must never be widened by anything that a caller says.

use super::Settings;
use crate::call::Text;
use crate::policy::{Profile, Runtime};
use bollard::models::{ContainerCreateBody, HostConfig, HostConfigLogConfig, ResourcesUlimits};
use std::collections::HashMap;

/// The label that says whose a container is.
pub(super) const INSTANCE_LABEL: &str = "regate.instance";

/// The system calls that programs may make; `sandbox/seccomp.md` says why.
const SECCOMP: &str = include_str!("../../sandbox/seccomp.json");

/// PID 1 of every container. `sandbox/agent/` is its source.
const AGENT: &str = "/usr/libexec/regate/agent";

/// Bytes of `/dev/shm`.
pub(super) const SHM_BYTES: i64 = 16 * 1024 * 1024;

/// Nobody, on the host too.
pub(super) const USER: u32 = 65534;

/// What a single process may have in any profile.
const RLIMITS: [(&str, i64); 4] = [("core", 0), ("memlock", 0), ("msgqueue", 0), ("nofile", 256)];

/// How many threads of the host gVisor's kernel takes for each process inside that mostly waits,
/// and for itself: as many as were seen, and some more. A busy one takes up to as many as the
/// kernel has threads.
const HOST_THREADS_EACH: u32 = 8;
const HOST_THREADS_OWN: u32 = 96;

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

/// What tells one container from another before any program is in it: those of one shape can
/// stand in for each other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shape {
    runtime: Runtime,
    /// As the engine calls it.
    image: Text,
    memory_bytes: u64,
    cpu_milli: u32,
    pids_max: u32,
    writable_bytes_max: u64,
    files_max: Option<u32>,
    /// What its interpreter has imported, in this order.
    modules: Vec<Text>,
}

impl Shape {
    /// That of the containers of a profile and an image, with these modules imported.
    pub(super) fn new(profile: &Profile, image: &Text, modules: &[Text]) -> Self {
        // The other limits are told to the agent with the program.
        let Profile { wall_ms: _, output_bytes_max: _, .. } = profile;
        Self {
            runtime: profile.runtime,
            image: Text::clone(image),
            memory_bytes: profile.memory_bytes,
            cpu_milli: profile.cpu_milli,
            pids_max: profile.pids_max,
            writable_bytes_max: profile.writable_bytes_max,
            files_max: profile.files_max,
            modules: modules.to_vec(),
        }
    }

    /// What its interpreter has imported.
    pub(super) fn modules(&self) -> &[Text] {
        &self.modules
    }
}

/// A name that no container had: known before the engine makes one, so that it can be removed
/// even where the engine's answer never came.
pub(super) fn new_name() -> String {
    format!("regate-{}", uuid::Uuid::now_v7())
}

/// How long a container waits for a program by itself, in milliseconds: longer than it is kept.
/// Where the engine dies, nobody is left to end it, and its stream does not end either.
fn wait_ms(settings: &Settings) -> u64 {
    settings.stock_ms_max.saturating_add(settings.engine_ms_max)
}

/// What the agent is told where the kernel does not keep its own from signalling PID 1.
fn apart(runtime: Runtime) -> Option<&'static str> {
    match runtime {
        Runtime::Runc => None,
        Runtime::Runsc => Some("--apart"),
    }
}

/// A container of a shape.
pub(super) fn body(settings: &Settings, shape: &Shape) -> ContainerCreateBody {
    let wait_ms = wait_ms(settings).to_string();
    let agent = [AGENT, &wait_ms].into_iter().chain(apart(shape.runtime));
    ContainerCreateBody {
        image: Some(shape.image.to_string()),
        entrypoint: Some(
            agent.chain(shape.modules.iter().map(|module| &**module)).map(str::to_owned).collect(),
        ),
        cmd: Some(Vec::new()),
        labels: Some(HashMap::from([(INSTANCE_LABEL.to_owned(), settings.instance.to_string())])),
        hostname: Some("sandbox".to_owned()),
        user: Some(format!("{USER}:{USER}")),
        working_dir: Some("/workspace".to_owned()),
        attach_stdin: Some(true),
        attach_stdout: Some(true),
        attach_stderr: Some(false),
        open_stdin: Some(true),
        // The agent takes the end of its stream as the end of all.
        stdin_once: Some(true),
        tty: Some(false),
        network_disabled: Some(true),
        host_config: Some(host_config(shape)),
        ..ContainerCreateBody::default()
    }
}

/// The same under either runtime, though gVisor, whose kernel is no host's, makes nothing of the
/// filter of system calls, of the paths that are hidden, and of the number of names in a folder.
fn host_config(shape: &Shape) -> HostConfig {
    let memory = Some(signed(shape.memory_bytes));
    let writable = signed(shape.writable_bytes_max);
    HostConfig {
        runtime: Some(shape.runtime.as_str().to_owned()),
        memory,
        // Memory and swap together: equal means no swap.
        memory_swap: memory,
        nano_cpus: Some(i64::from(shape.cpu_milli).saturating_mul(1_000_000)),
        pids_limit: Some(i64::from(host_threads_max(shape.runtime, shape.pids_max))),
        oom_score_adj: Some(500),
        ulimits: Some(ulimits(shape)),
        shm_size: Some(SHM_BYTES),
        ipc_mode: Some("private".to_owned()),
        readonly_rootfs: Some(true),
        tmpfs: Some(tmpfs(writable, shape.files_max)),
        // Beside NetworkDisabled: with both, the engine does not even set one up.
        network_mode: Some("none".to_owned()),
        cap_drop: Some(owned(["ALL"])),
        security_opt: Some(vec!["no-new-privileges".to_owned(), format!("seccomp={SECCOMP}")]),
        masked_paths: Some(owned(MASKED_PATHS)),
        readonly_paths: Some(owned(READONLY_PATHS)),
        // Any other driver would let a program fill the host's disk with its output.
        log_config: Some(HostConfigLogConfig { typ: Some("none".to_owned()), config: None }),
        // The agent reaps.
        init: Some(false),
        // The engine would remove the container before it could be asked what became of an
        // agent that did not say. Removing it is this module's own work.
        auto_remove: Some(false),
        ..HostConfig::default()
    }
}

/// What the host counts. gVisor's kernel refuses a process too many by itself; where those that
/// there may be are too busy, or in a user namespace where it does not count them, the host ends
/// the whole container.
pub(super) fn host_threads_max(runtime: Runtime, pids_max: u32) -> u32 {
    match runtime {
        Runtime::Runc => pids_max,
        Runtime::Runsc => {
            pids_max.saturating_mul(HOST_THREADS_EACH).saturating_add(HOST_THREADS_OWN)
        }
    }
}

/// What a single process may have. Of processes themselves the number only where the kernel is the
/// container's own: any other counts those of a user on the whole host.
pub(super) fn rlimits(
    runtime: Runtime,
    pids_max: u32,
    writable_bytes_max: u64,
) -> impl Iterator<Item = (&'static str, i64)> {
    let processes = (runtime == Runtime::Runsc).then_some(("nproc", i64::from(pids_max)));
    RLIMITS.into_iter().chain([("fsize", signed(writable_bytes_max))]).chain(processes)
}

fn ulimits(shape: &Shape) -> Vec<ResourcesUlimits> {
    rlimits(shape.runtime, shape.pids_max, shape.writable_bytes_max)
        .map(|(name, limit)| ResourcesUlimits {
            name: Some(name.to_owned()),
            soft: Some(limit),
            hard: Some(limit),
        })
        .collect()
}

fn tmpfs(bytes_max: i64, files_max: Option<u32>) -> HashMap<String, String> {
    // Without a size a tmpfs fills the memory limit; without a number of inodes, with names.
    let inodes = files_max.map(|count| format!(",nr_inodes={count}")).unwrap_or_default();
    let options = format!("rw,noexec,nosuid,nodev,size={bytes_max}{inodes},mode=1777");
    ["/tmp", "/workspace"].into_iter().map(|path| (path.to_owned(), options.clone())).collect()
}

fn owned<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.into_iter().map(str::to_owned).collect()
}

/// The engine counts in signed numbers; what does not fit is as good as its greatest.
fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
