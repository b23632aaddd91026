//! A call of the person at the command line: what the commands ask policy about.
//!
//! Must never carry a subject that a key could stand for.

use crate::call::{
    Authentication, CallId, Door, Json, Session, Source, Subject, Timestamp, Tool, ToolCall,
};
use crate::policy::Context;

/// A call of a tool with this code as its argument.
pub(super) fn call(source: &Source, tool: &str, now: Timestamp) -> ToolCall {
    let text = String::from_utf8_lossy(source.bytes()).into_owned();
    ToolCall {
        id: CallId::new("check"),
        door: Door::Cli,
        subject: Subject {
            id: "local".into(),
            tenant: "local".into(),
            roles: Vec::new(),
            authentication: Authentication::Local,
        },
        session: None,
        tool: Tool::builtin(tool),
        arguments: Json::Object(vec![("code".into(), Json::String(text.into()))]),
        source: Some(source.clone()),
        received: now,
    }
}

/// The context of such a call: the first step of a session of its own.
pub(super) fn context(now: Timestamp) -> Context {
    Context::new(now, Session::beginning("default", now))
}
