//! Calls and contexts for tests of decisions.

use regate::call::{
    Authentication, CallId, Door, Json, Session, Subject, Timestamp, Tool, ToolCall,
};
use regate::policy::Context;

/// A call of a tool, with no arguments.
pub(crate) fn call(tool: Tool) -> ToolCall {
    ToolCall {
        id: CallId::new("call"),
        door: Door::Cli,
        subject: Subject {
            id: "agent".into(),
            tenant: "acme".into(),
            roles: vec!["analyst".into()],
            authentication: Authentication::ApiKey,
        },
        session: None,
        tool,
        arguments: Json::Object(Vec::new()),
        source: None,
        received: Timestamp::from_unix_ms(0),
    }
}

/// The first call of a session.
pub(crate) fn context() -> Context {
    let now = Timestamp::from_unix_ms(0);
    Context::new(now, Session::beginning("run", now))
}
