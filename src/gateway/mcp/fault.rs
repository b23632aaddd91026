//! A message that is refused, as a JSON-RPC error.
//!
//! For what is no call that a model made: refused calls are results, which models read.

use crate::call::{CallId, Json};
use crate::gateway::json::{self, Malformed};
use crate::gateway::problem::Kind;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::json;
use std::borrow::Cow;

/// Why a message is refused.
#[derive(Debug)]
pub(super) struct Fault {
    code: i32,
    status: StatusCode,
    message: Cow<'static, str>,
    id: Option<Json>,
    call: Option<CallId>,
}

impl Fault {
    const PARSE: i32 = -32700;
    const INVALID: i32 = -32600;
    const PARAMS: i32 = -32602;
    const MISMATCH: i32 = -32020;
    const SESSION: i32 = -32001;

    fn new(code: i32, status: StatusCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, status, message: message.into(), id: None, call: None }
    }

    /// Not a JSON-RPC message.
    pub(super) fn invalid(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Self::INVALID, StatusCode::BAD_REQUEST, message)
    }

    /// Parameters that the method does not take.
    pub(super) fn params(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Self::PARAMS, StatusCode::BAD_REQUEST, message)
    }

    /// A header that says other than the body.
    pub(super) fn mismatch(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Self::MISMATCH, StatusCode::BAD_REQUEST, message)
    }

    /// A session that there is not, or that is somebody else's: the two look alike.
    pub(super) fn no_session() -> Self {
        Self::new(Self::SESSION, StatusCode::NOT_FOUND, "there is no such session")
    }

    /// A rule of the protocol that rmcp holds and answers by a status alone.
    pub(super) fn protocol(status: StatusCode) -> Self {
        let message = match status {
            StatusCode::NOT_FOUND => return Self::no_session(),
            StatusCode::NOT_ACCEPTABLE => {
                "the client must accept both application/json and text/event-stream"
            }
            _ => "the message needs a known `MCP-Protocol-Version` and its `Mcp-Session-Id`",
        };
        Self::new(Self::INVALID, status, message)
    }

    /// The message that the fault is in.
    pub(super) fn of(self, id: Option<&Json>) -> Self {
        Self { id: id.cloned(), ..self }
    }

    /// The id under which it stands in the ledger, where it stands there.
    pub(super) fn recorded(self, call: impl Into<Option<CallId>>) -> Self {
        Self { call: call.into(), ..self }
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }
}

impl From<Malformed> for Fault {
    fn from(malformed: Malformed) -> Self {
        Self::new(Self::PARSE, StatusCode::BAD_REQUEST, malformed.to_string())
    }
}

impl From<Kind> for Fault {
    fn from(kind: Kind) -> Self {
        Self::new(Self::INVALID, kind.status(), kind.detail())
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let Self { code, status, message, id, call } = self;
        let data = call.map(|call| json!({ "call": call.as_str() }));
        let mut error = json!({ "code": code, "message": message });
        if let (Some(data), Some(error)) = (data, error.as_object_mut()) {
            error.insert("data".to_owned(), data);
        }
        let id = id.as_ref().map(json::to_value);
        (status, axum::Json(json!({ "jsonrpc": "2.0", "id": id, "error": error }))).into_response()
    }
}
