//! What is measured: the name, meaning and labels of every metric of the gateway.
//!
//! Must never hold a label that a caller's text can become. The dashboard is held against this
//! list by a test, in both directions.

/// A metric as Prometheus is told of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Description {
    /// Its name: prefixed `regate_`, in base units, `_total` where it only grows.
    pub name: &'static str,
    /// What it counts or measures.
    pub help: &'static str,
    /// Its labels, in the order in which values are given.
    pub labels: &'static [&'static str],
}

pub(super) const CALLS: Description = Description {
    name: "regate_calls_total",
    help: "Calls that were decided, by door, tool, decision and cause.",
    labels: &["door", "tool", "decision", "cause"],
};

pub(super) const MESSAGES_REFUSED: Description = Description {
    name: "regate_messages_refused_total",
    help: "Messages that were sent away unread, by what was not known or not had: `key`, `host`, `origin`, `role`.",
    labels: &["reason"],
};

pub(super) const CALLS_IN_FLIGHT: Description = Description {
    name: "regate_calls_in_flight",
    help: "Calls that are being decided or have their effect now.",
    labels: &[],
};

pub(super) const FINDINGS: Description = Description {
    name: "regate_findings_total",
    help: "Findings, by rule of the loaded bundle; any other name counts as `other`.",
    labels: &["rule"],
};

pub(super) const DECISION_SECONDS: Description = Description {
    name: "regate_decision_seconds",
    help: "Time that a decision took, by stage: `facts`, `policy`, `ledger`, `result`.",
    labels: &["stage"],
};

pub(super) const SANDBOX_SECONDS: Description = Description {
    name: "regate_sandbox_seconds",
    help: "Time that a sandbox run took, by stage: `wait` for the container, `run` of the program.",
    labels: &["stage"],
};

pub(super) const SANDBOX_OUTCOMES: Description = Description {
    name: "regate_sandbox_outcomes_total",
    help: "Sandbox runs that ended, by outcome.",
    labels: &["outcome"],
};

pub(super) const FACTS_COVERAGE: Description = Description {
    name: "regate_facts_coverage_total",
    help: "Pieces of code that were read, by whether the facts tell the whole story.",
    labels: &["complete"],
};

pub(super) const LIMITS: Description = Description {
    name: "regate_limits_total",
    help: "Calls that were refused since a limit was reached, by limit.",
    labels: &["limit"],
};

pub(super) const FILES: Description = Description {
    name: "regate_files_total",
    help: "Files of runs, by what became of them: kept, barred for what stands in them, left out.",
    labels: &["state"],
};

pub(super) const QUOTAS_ERRORS: Description = Description {
    name: "regate_quotas_errors_total",
    help: "Uses that could not be counted against the quotas of the day, by error.",
    labels: &["error"],
};

pub(super) const SANDBOX_WAITING: Description = Description {
    name: "regate_sandbox_waiting",
    help: "Runs that wait for their turn in the sandbox now.",
    labels: &[],
};

pub(super) const DRIFT: Description = Description {
    name: "regate_drift_total",
    help: "What programs were seen to do that their code, wholly understood, did not foretell, by what it takes.",
    labels: &["capability"],
};

pub(super) const CONNECTIONS: Description = Description {
    name: "regate_connections_total",
    help: "Connections that programs asked for, by whether they were had, and why not or how they ended.",
    labels: &["decision", "cause"],
};

pub(super) const SANDBOX_POOL: Description = Description {
    name: "regate_sandbox_pool",
    help: "Containers by host, by what their interpreter has imported and by state: `ready` for a program, in the making (`coming`); and how many should be ready (`wanted`).",
    labels: &["host", "preload", "state"],
};

pub(super) const SANDBOX_HOSTS: Description = Description {
    name: "regate_sandbox_hosts",
    help: "1 for the state that a Docker host is in, 0 for the other: `healthy`, or `away`, where no program is taken to it.",
    labels: &["host", "state"],
};

pub(super) const SANDBOX_CONTAINERS: Description = Description {
    name: "regate_sandbox_containers",
    help: "Containers on a Docker host now: in the making, in stock, with a program, and those that wait to be removed.",
    labels: &["host"],
};

pub(super) const SANDBOX_RUNS: Description = Description {
    name: "regate_sandbox_runs",
    help: "Programs that run on a Docker host now, or are about to.",
    labels: &["host"],
};

pub(super) const SANDBOX_PROFILES: Description = Description {
    name: "regate_sandbox_profiles",
    help: "Sandbox profiles of the bundle, 1 for the state that each is in: `ready`, `refused` because the engine cannot hold it, `unknown` until it was looked at.",
    labels: &["profile", "state"],
};

pub(super) const USAGE_TOKENS: Description = Description {
    name: "regate_usage_tokens_total",
    help: "Tokens that clients reported to have used.",
    labels: &[],
};

pub(super) const USAGE_COST: Description = Description {
    name: "regate_usage_cost_microusd_total",
    help: "Millionths of a US dollar that clients reported to have used.",
    labels: &[],
};

pub(super) const LABELS: Description = Description {
    name: "regate_labels_total",
    help: "Labels that successful calls put on their subjects.",
    labels: &[],
};

pub(super) const REDACTIONS: Description = Description {
    name: "regate_redactions_total",
    help: "Secrets that were taken out of results, by detector.",
    labels: &["detector"],
};

pub(super) const HOLDS: Description = Description {
    name: "regate_holds",
    help: "Questions to people that are open, when they were last counted.",
    labels: &[],
};

pub(super) const HOLDS_TOTAL: Description = Description {
    name: "regate_holds_total",
    help: "Questions to people that came to stand so: `pending`, `approved`, `refused`, `expired`, \
        `spent`.",
    labels: &["state"],
};

pub(super) const NOTICES: Description = Description {
    name: "regate_notices_total",
    help: "Notices of approvals to the webhook: `delivered`, `failed` at each attempt, `dropped` since too many waited.",
    labels: &["outcome"],
};

pub(super) const INDETERMINATE: Description = Description {
    name: "regate_indeterminate_total",
    help: "Denials for want of a proper answer from policy, by fault.",
    labels: &["fault"],
};

pub(super) const LEDGER_ERRORS: Description = Description {
    name: "regate_ledger_errors_total",
    help: "Records that the ledger did not take, and sessions that it did not read, by error.",
    labels: &["error"],
};

pub(super) const LEDGER_BYTES: Description = Description {
    name: "regate_ledger_bytes",
    help: "Bytes of all files of the ledger.",
    labels: &[],
};

pub(super) const LEDGER_SEALED_FILES: Description = Description {
    name: "regate_ledger_sealed_files",
    help: "Files of the ledger that are sealed and may be moved elsewhere.",
    labels: &[],
};

pub(super) const INTERRUPTED: Description = Description {
    name: "regate_outcomes_interrupted_total",
    help: "Effects that an earlier life of the gateway began and whose end it did not record.",
    labels: &[],
};

pub(super) const BUNDLE_INFO: Description = Description {
    name: "regate_bundle_info",
    help: "1 for the policy bundle in force, by digest.",
    labels: &["digest"],
};

pub(super) const BUNDLE_AGE_SECONDS: Description = Description {
    name: "regate_bundle_age_seconds",
    help: "Time since the policy bundle in force was loaded.",
    labels: &[],
};

pub(super) const BUNDLE_RELOAD_FAILURES: Description = Description {
    name: "regate_bundle_reload_failures_total",
    help: "Reloads that failed, so that the last good policy bundle stayed in force.",
    labels: &[],
};

pub(super) const LOG_LINES_LOST: Description = Description {
    name: "regate_log_lines_lost_total",
    help: "Lines of the log that could not be written: nobody reads them, or the disk is full.",
    labels: &[],
};

pub(super) const READY: Description = Description {
    name: "regate_ready",
    help: "Whether a component was fit for calls when it was last asked: 1 or 0.",
    labels: &["component"],
};

pub(super) const START_TIME_SECONDS: Description = Description {
    name: "regate_start_time_seconds",
    help: "When the gateway started, in seconds since 1970-01-01T00:00:00Z.",
    labels: &[],
};

/// Every metric of the gateway.
pub const ALL: &[Description] = &[
    CALLS,
    MESSAGES_REFUSED,
    CALLS_IN_FLIGHT,
    FINDINGS,
    DECISION_SECONDS,
    SANDBOX_SECONDS,
    SANDBOX_OUTCOMES,
    FACTS_COVERAGE,
    LIMITS,
    FILES,
    QUOTAS_ERRORS,
    SANDBOX_WAITING,
    SANDBOX_POOL,
    SANDBOX_HOSTS,
    SANDBOX_CONTAINERS,
    SANDBOX_RUNS,
    SANDBOX_PROFILES,
    DRIFT,
    CONNECTIONS,
    USAGE_TOKENS,
    USAGE_COST,
    LABELS,
    REDACTIONS,
    HOLDS,
    HOLDS_TOTAL,
    NOTICES,
    INDETERMINATE,
    LEDGER_ERRORS,
    LEDGER_BYTES,
    LEDGER_SEALED_FILES,
    INTERRUPTED,
    BUNDLE_INFO,
    BUNDLE_AGE_SECONDS,
    BUNDLE_RELOAD_FAILURES,
    LOG_LINES_LOST,
    READY,
    START_TIME_SECONDS,
];
