//! What can be reached: every limit by its name.

/// A limit of calls. A closed set: its name is a metric label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    /// Calls in flight; `None` counts those of all tenants together.
    CallsAtOnce(Option<Whose>),
    /// Calls in a second.
    Rate(Whose),
    /// What may be used in a day.
    Day(Whose, Unit),
    /// Steps of the session.
    SessionSteps,
    /// The time since the session's first call.
    SessionTime,
    /// Tokens that clients report for the session.
    SessionTokens,
    /// Cost that clients report for the session.
    SessionCost,
    /// The same call, refused again and again.
    Loop,
}

/// Whom a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Whose {
    /// The subject alone.
    Subject,
    /// All subjects of the tenant together.
    Tenant,
}

/// What is counted by the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Calls.
    Calls,
    /// Tokens that clients report.
    Tokens,
    /// Cost that clients report.
    Cost,
    /// CPU time of sandbox runs.
    SandboxCpu,
}

impl Limit {
    /// The name in findings and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CallsAtOnce(None) => "calls_at_once",
            Self::CallsAtOnce(Some(Whose::Subject)) => "calls_at_once_per_subject",
            Self::CallsAtOnce(Some(Whose::Tenant)) => "calls_at_once_per_tenant",
            Self::Rate(Whose::Subject) => "calls_per_second_per_subject",
            Self::Rate(Whose::Tenant) => "calls_per_second_per_tenant",
            Self::Day(Whose::Subject, Unit::Calls) => "calls_per_day_per_subject",
            Self::Day(Whose::Subject, Unit::Tokens) => "tokens_per_day_per_subject",
            Self::Day(Whose::Subject, Unit::Cost) => "cost_per_day_per_subject",
            Self::Day(Whose::Subject, Unit::SandboxCpu) => "sandbox_cpu_per_day_per_subject",
            Self::Day(Whose::Tenant, Unit::Calls) => "calls_per_day_per_tenant",
            Self::Day(Whose::Tenant, Unit::Tokens) => "tokens_per_day_per_tenant",
            Self::Day(Whose::Tenant, Unit::Cost) => "cost_per_day_per_tenant",
            Self::Day(Whose::Tenant, Unit::SandboxCpu) => "sandbox_cpu_per_day_per_tenant",
            Self::SessionSteps => "session_steps",
            Self::SessionTime => "session_time",
            Self::SessionTokens => "session_tokens",
            Self::SessionCost => "session_cost",
            Self::Loop => "loop",
        }
    }
}

/// A limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reached {
    /// Which.
    pub limit: Limit,
    /// When to try again; `None` where waiting does not help.
    pub retry_after_ms: Option<u64>,
}
