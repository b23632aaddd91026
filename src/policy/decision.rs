//! What Regate concluded of a call, never without its reasons.

use super::permit::Permit;
use super::profile::Caps;
use crate::call::{CallId, Text};
use crate::facts::Span;

/// The conclusion on one call.
#[derive(Debug)]
pub struct Decision {
    /// The call that it is about.
    pub call: CallId,
    /// What becomes of it.
    pub ruling: Ruling,
    /// Why; sorted by rule, then place.
    pub findings: Vec<Finding>,
    /// The digest of the bundle that was asked.
    pub policy: Text,
}

/// What becomes of a call.
#[derive(Debug)]
pub enum Ruling {
    /// It may have its effect, which takes the permit.
    Permitted(Permit),
    /// It waits for a person.
    Held(Hold),
    /// It has no effect.
    Denied(Cause),
}

impl Ruling {
    /// The word in replies, the ledger and metrics.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Permitted(_) => "permitted",
            Self::Held(_) => "held",
            Self::Denied(_) => "denied",
        }
    }

    /// Why: a permitted or held call follows from a rule.
    pub const fn cause(&self) -> Cause {
        match self {
            Self::Permitted(_) | Self::Held(_) => Cause::Rule,
            Self::Denied(cause) => *cause,
        }
    }
}

/// A call that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    /// The roles that may answer, sorted; empty where policy names none.
    pub approvers: Vec<Text>,
}

/// Why a decision is what it is. A closed set: it stands in replies, the ledger and metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// A rule said so.
    Rule,
    /// No rule permits it.
    NoMatch,
    /// The code could not be wholly understood, and a rule refuses that.
    Coverage,
    /// Policy gave no proper answer: an error, a time-out, `undefined`, a wrong type.
    Indeterminate(Fault),
    /// An obligation that the effect cannot fulfil.
    Obligation,
    /// A limit was reached.
    Limit,
    /// What is used cannot be counted.
    Quotas,
    /// The decision could not be recorded.
    Ledger,
    /// The effect could not be had: the sandbox or its engine is down.
    Sandbox,
    /// The files of its workspace could not be kept.
    Files,
    /// The effect was begun and broke off: what became of it is not known.
    Interrupted,
    /// A person refused, nobody answered in time, or the answer was used already.
    Approval,
    /// The message cannot be read, or the tool or policy does not take these arguments.
    Arguments,
}

impl Cause {
    /// The word in replies, the ledger and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::NoMatch => "no_match",
            Self::Coverage => "coverage",
            Self::Indeterminate(_) => "indeterminate",
            Self::Obligation => "obligation",
            Self::Limit => "limit",
            Self::Quotas => "quotas",
            Self::Ledger => "ledger",
            Self::Sandbox => "sandbox",
            Self::Files => "files",
            Self::Interrupted => "interrupted",
            Self::Approval => "approval",
            Self::Arguments => "arguments",
        }
    }
}

/// What went wrong with an indeterminate answer. For the ledger and the log, not for callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fault {
    /// The evaluation failed: a builtin, a conflict, a type.
    Error,
    /// It took longer than its limit.
    Timeout,
    /// The evaluator panicked.
    Panic,
    /// There was no verdict.
    Undefined,
    /// The verdict is not of the form that is read.
    Malformed,
}

impl Fault {
    /// The word in the ledger and the log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Timeout => "timeout",
            Self::Panic => "panic",
            Self::Undefined => "undefined",
            Self::Malformed => "malformed",
        }
    }
}

/// What a rule says of a call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The rule's id: its path below `policies/rules`.
    pub rule: Text,
    /// Where in the code, where it is about code.
    pub span: Option<FindingSpan>,
    /// What was found.
    pub message: Text,
    /// How bad it is.
    pub severity: Severity,
    /// What to do instead; empty where there is nothing.
    pub remedy: Text,
}

/// A place in the code as a rule tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FindingSpan {
    /// First line, from 1.
    pub line: u32,
    /// First column, from 0, in characters.
    pub column: u32,
    /// Last line, from 1.
    pub end_line: u32,
    /// The column after the last character, from 0.
    pub end_column: u32,
}

impl From<Span> for FindingSpan {
    fn from(span: Span) -> Self {
        let Span { line, column, end_line, end_column, byte: _ } = span;
        Self { line, column, end_line, end_column }
    }
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Would harm what is outside.
    Critical,
    /// Reaches for what it must not have.
    High,
    /// Not known to be harmless.
    Medium,
    /// Worth a look.
    Low,
}

impl Severity {
    /// The word in verdicts and replies.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

/// The sandbox profile that a call is to run under.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Confinement {
    /// Its name.
    pub profile: Text,
    /// What of its limits is to be smaller.
    pub caps: Caps,
}

/// What must be done with a permitted call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Obligations {
    /// What to run under; `None` is the default profile as it is.
    pub sandbox: Option<Box<Confinement>>,
    /// `host:port` pairs that the run may connect to, sorted.
    pub connect: Vec<Text>,
    /// Labels to put on the session when the call succeeds, sorted.
    pub labels: Vec<Text>,
    /// Detectors whose hits are redacted from the result, sorted.
    pub redact: Vec<Text>,
    /// Roles that may approve a held call, sorted.
    pub approvers: Vec<Text>,
}
