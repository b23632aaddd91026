//! The JSON-RPC message around a call, read from the tree that policy will see.

use super::fault::Fault;
use crate::call::{Json, Text};
use crate::gateway::propose::{self, Asked, Told};
use http::HeaderMap;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest};
use std::sync::Arc;

/// What the door has to know of a message before rmcp reads it.
#[derive(Debug)]
pub(super) struct Message {
    /// The id, where an answer is expected.
    pub(super) id: Option<Json>,
    /// The call, where it is one.
    pub(super) call: Option<Arc<Asked>>,
    /// The method; `None` for an answer from the client.
    method: Option<Text>,
    /// What `Mcp-Name` has to say: the name of a tool or prompt, or the URI of a resource.
    name: Option<Text>,
}

/// The member of `_meta` that names the agent's run.
const SESSION: &str = "regate/session";

/// The member of `_meta` that names the trace, which has no prefix.
const TRACEPARENT: &str = "traceparent";

/// The revision from which on rmcp holds the headers against the body.
const HEADERS_SINCE: &str = "2026-07-28";

/// Headers of which a second one would be read by somebody else.
const SOLE: [&str; 4] = ["mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"];

impl Message {
    /// Reads a message.
    ///
    /// # Errors
    /// Where it is none, or is a call whose parameters cannot be read.
    pub(super) fn read(headers: &HeaderMap, tree: &Json) -> Result<Self, Fault> {
        match tree {
            Json::Object(_) => {}
            Json::Array(_) => return Err(Fault::invalid(BATCH)),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
                return Err(Fault::invalid("a JSON-RPC message is an object"));
            }
        }
        let id = id(tree)?;
        Self::read_object(headers, tree, id).map_err(|fault| fault.of(id))
    }

    fn read_object(headers: &HeaderMap, tree: &Json, id: Option<&Json>) -> Result<Self, Fault> {
        if tree.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
            return Err(Fault::invalid("`jsonrpc` must be \"2.0\""));
        }
        let method = method(tree)?;
        let params = match tree.get("params") {
            Some(params @ Json::Object(_)) => Some(params),
            None => None,
            Some(_) => return Err(Fault::invalid("`params` must be an object")),
        };
        let call = match (method, id) {
            (Some("tools/call"), Some(_)) => Some(Arc::new(call(headers, params)?)),
            (Some("tools/call"), None) => return Err(Fault::invalid(NO_ID)),
            (Some(_) | None, _) => None,
        };
        let key = if method == Some("resources/read") { "uri" } else { "name" };
        let name = params.and_then(|params| params.get(key)).and_then(Json::as_str);
        Ok(Self {
            id: id.cloned(),
            call,
            method: method.map(Text::from),
            name: name.map(Text::from),
        })
    }

    /// Whether rmcp will take the message for the call that it is. One with a member of a wrong
    /// type it takes for an unknown method, and answers without asking the tools or the ledger.
    ///
    /// # Errors
    /// Where it will not.
    pub(super) fn is_what_rmcp_reads(&self, bytes: &[u8]) -> Result<(), Fault> {
        let is_call = |message| match message {
            Ok(ClientJsonRpcMessage::Request(request)) => {
                matches!(request.request, ClientRequest::CallToolRequest(_))
            }
            Ok(_) | Err(_) => false,
        };
        if self.call.is_none() || is_call(serde_json::from_slice(bytes)) {
            return Ok(());
        }
        Err(Fault::params("a member of `params` is of a wrong type").of(self.id.as_ref()))
    }

    /// Whether the headers say what the body says. Where the protocol defines the headers, rmcp
    /// compares them; where it does not, one that is there all the same must not say other.
    ///
    /// # Errors
    /// Where they do not agree.
    pub(super) fn agrees_with(&self, headers: &HeaderMap) -> Result<(), Fault> {
        let mismatch = |message| Err(Fault::mismatch(message).of(self.id.as_ref()));
        if SOLE.iter().any(|name| headers.get_all(*name).iter().count() > 1) {
            return mismatch("a header of the protocol is there twice");
        }
        let version = headers.get("mcp-protocol-version");
        if version.is_some_and(|version| version.as_bytes() >= HEADERS_SINCE.as_bytes()) {
            return Ok(());
        }
        let contradicts = |name: &str, said: Option<&Text>| {
            let header = headers.get(name).map(http::HeaderValue::as_bytes);
            header.is_some_and(|header| Some(header) != said.map(|said| said.as_bytes()))
        };
        if contradicts("mcp-method", self.method.as_ref()) {
            return mismatch("the header `Mcp-Method` and the body name different methods");
        }
        if contradicts("mcp-name", self.name.as_ref()) {
            return mismatch("the header `Mcp-Name` and the body name different things");
        }
        Ok(())
    }
}

const BATCH: &str = "batches are not accepted; send each message by itself";
const NO_ID: &str = "a tools/call needs an `id`";

/// The id: text or a whole number.
fn id(tree: &Json) -> Result<Option<&Json>, Fault> {
    match tree.get("id") {
        None => Ok(None),
        Some(id @ Json::String(_)) => Ok(Some(id)),
        Some(id @ Json::Number(number)) if number.as_str().parse::<i64>().is_ok() => Ok(Some(id)),
        Some(_) => Err(Fault::invalid("`id` must be a string or a whole number")),
    }
}

/// The method; `None` for an answer, which has a result or an error instead.
fn method(tree: &Json) -> Result<Option<&str>, Fault> {
    let answers = tree.get("result").is_some() || tree.get("error").is_some();
    match tree.get("method") {
        Some(Json::String(method)) if !answers => Ok(Some(method)),
        None if answers => Ok(None),
        Some(_) | None => Err(Fault::invalid("a message has one of `method`, `result`, `error`")),
    }
}

fn call(headers: &HeaderMap, params: Option<&Json>) -> Result<Asked, Fault> {
    let member = |key| params.and_then(|params| params.get(key));
    let tool = member("name").and_then(Json::as_str).and_then(propose::name);
    let tool = tool.ok_or_else(|| Fault::params(NO_NAME))?;
    let arguments = match member("arguments") {
        None => Json::Object(Vec::new()),
        Some(arguments @ Json::Object(_)) => arguments.clone(),
        Some(_) => return Err(Fault::params("`arguments` must be an object")),
    };
    let told = match member("_meta") {
        None => Told::default(),
        Some(meta @ Json::Object(_)) => {
            Told { session: meta.get(SESSION), traceparent: meta.get(TRACEPARENT) }
        }
        Some(_) => return Err(Fault::params("`_meta` must be an object")),
    };
    let session = propose::session(headers, told).map_err(Fault::params)?;
    Ok(Asked { tool, arguments, session })
}

const NO_NAME: &str = "`name` must be a tool's name, of 1 to 128 visible ASCII characters";
