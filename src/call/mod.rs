//! The nouns of one call: who asks, for which tool, with which arguments, in which session.
//!
//! Plain data that every other module may name. Must never know a wire format, a clock, a file
//! or a runtime.

mod allowance;
mod json;
mod source;
mod time;

pub use allowance::{Allowance, Allowances, DayCaps, SessionCaps};
pub use json::{Json, Number};
pub use source::{Language, Source};
pub use time::Timestamp;

use std::fmt;
use std::sync::Arc;

/// Text that is shared rather than copied: names, ids and the facts' strings.
pub type Text = Arc<str>;

/// The identity of one call, unique across restarts and sortable by time of arrival.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId(Text);

impl CallId {
    /// Takes an id that the caller of this function made unique.
    pub fn new(id: impl Into<Text>) -> Self {
        Self(id.into())
    }

    /// The id as it stands in replies, logs and the ledger.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The protocol by which a call came in. A closed set: it is a metric label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Door {
    /// `POST /v1/calls` and `POST /v1/decisions`.
    Rest,
    /// The Model Context Protocol at `/mcp`.
    Mcp,
    /// The command line (`regate check`).
    Cli,
}

impl Door {
    /// The word for this door in metrics, logs and the ledger.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rest => "rest",
            Self::Mcp => "mcp",
            Self::Cli => "cli",
        }
    }
}

/// How a subject proved who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Authentication {
    /// A configured API key was presented.
    ApiKey,
    /// No key is configured and the gateway listens on loopback only.
    Loopback,
    /// The person at the command line.
    Local,
    /// Whoever can read the gateway's own folder of state.
    Operator,
}

impl Authentication {
    /// The word for it in the request document and the ledger.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ApiKey => "api_key",
            Self::Loopback => "loopback",
            Self::Local => "local",
            Self::Operator => "operator",
        }
    }
}

/// Who asks: an authenticated identity, its tenant and its roles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The configured name of the identity.
    pub id: Text,
    /// The tenant it belongs to.
    pub tenant: Text,
    /// Its roles, sorted.
    pub roles: Vec<Text>,
    /// How it proved who it is.
    pub authentication: Authentication,
}

/// The tool that a call names. `server` is `builtin` for Regate's own tools.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tool {
    /// The upstream that serves the tool, or `builtin`.
    pub server: Text,
    /// The tool's own name.
    pub name: Text,
}

impl Tool {
    /// The name of the server that Regate's own tools belong to.
    pub const BUILTIN: &'static str = "builtin";
    /// The built-in tool that runs Python in the sandbox.
    pub const RUN_PYTHON: &'static str = "run_python";

    /// One of Regate's own tools.
    pub fn builtin(name: impl Into<Text>) -> Self {
        Self { server: Self::BUILTIN.into(), name: name.into() }
    }

    /// The tool in metrics and logs: the name of a tool that is served, or `other`, so that a
    /// caller's text never becomes a label.
    pub fn label(&self) -> &'static str {
        match (&*self.server, &*self.name) {
            (Self::BUILTIN, Self::RUN_PYTHON) => Self::RUN_PYTHON,
            _ => "other",
        }
    }
}

/// One thing that an agent asks to do: a tool and its arguments.
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// Its identity.
    pub id: CallId,
    /// The protocol by which it came in.
    pub door: Door,
    /// Who asks.
    pub subject: Subject,
    /// The agent's run that the call belongs to, as the caller named it; `None` is the subject's
    /// own default session. It only ever narrows: every session is scoped under its subject.
    pub session: Option<Text>,
    /// The tool.
    pub tool: Tool,
    /// The arguments, exactly as they were sent; always an object.
    pub arguments: Json,
    /// The code among the arguments, where the tool takes code.
    pub source: Option<Source>,
    /// When the call was received.
    pub received: Timestamp,
}

/// One run of an agent as policy sees it: the unit of history and labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The session's id within its subject.
    pub id: Text,
    /// The number of this call in the session, from 1.
    pub step: u64,
    /// When the session's first call was received.
    pub started: Timestamp,
    /// What the subject reported to have used in it.
    pub usage: Usage,
    /// What earlier calls of the subject put on it, by name; each name once.
    pub labels: Vec<Label>,
    /// The last steps before this one, oldest first; at most [`Session::HISTORY_MAX`].
    pub history: Vec<Step>,
}

impl Session {
    /// How many earlier steps policy is shown.
    pub const HISTORY_MAX: usize = 50;
    /// How many labels a subject may bear.
    pub const LABELS_MAX: usize = 256;

    /// A session whose first call was received at this moment.
    pub fn beginning(id: impl Into<Text>, started: Timestamp) -> Self {
        Self {
            id: id.into(),
            step: 1,
            started,
            usage: Usage::default(),
            labels: Vec::new(),
            history: Vec::new(),
        }
    }
}

/// What an agent used to think with, as its client reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens.
    pub tokens: u64,
    /// Millionths of a US dollar.
    pub cost_microusd: u64,
}

impl Usage {
    /// The most of either that one report may say.
    pub const REPORT_MAX: u64 = 10_000_000_000;
}

/// What a successful call put on its subject, for later calls to be judged by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Its name, from policy.
    pub name: Text,
    /// The session of the last call that put it on.
    pub session: Text,
    /// The number of that call in its session, from 1.
    pub step: u64,
    /// That call.
    pub call: CallId,
}

/// One earlier call of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Its number in the session, from 1.
    pub step: u64,
    /// The tool's name.
    pub tool: Text,
    /// What was decided: `permitted`, `held` or `denied`.
    pub decision: Text,
    /// How the effect ended, or `None` where there was none.
    pub outcome: Option<Text>,
    /// The labels that it put on, sorted.
    pub labels: Vec<Text>,
}

/// What a person said of a call that was held: that it may happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Its id.
    pub id: Text,
    /// The id of the subject who gave it.
    pub by: Text,
    /// That subject's roles, sorted.
    pub roles: Vec<Text>,
    /// When it was given.
    pub at: Timestamp,
    /// What was noted with it; may be empty.
    pub note: Text,
}
