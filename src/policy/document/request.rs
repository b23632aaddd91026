//! The request document: all that policy is told of one call.

use super::super::{Code, Connection, Context, Yielded};
use super::connection::connection;
use super::result::result;
use crate::call::{Approval, Label, Session, Step, Subject, Text, ToolCall};
use crate::policy::engine::Document;

/// The version of the document's shape.
const API: &str = "regate/v1";

/// Where policy is asked.
#[derive(Debug, Clone, Copy)]
pub(in crate::policy) enum Point<'a> {
    /// Before the effect.
    Call,
    /// After it, about what it yielded, of which this many bytes of each text are told.
    Result(&'a Yielded<'a>, usize),
    /// While it runs, about a connection.
    Connect(&'a Connection<'a>),
}

/// The name of a point, and what is told there alone.
pub(super) struct Told {
    pub(super) point: &'static str,
    pub(super) result: Document,
    pub(super) connection: Document,
}

impl From<Point<'_>> for Told {
    fn from(point: Point<'_>) -> Self {
        let (result_of, connection_of) = match point {
            Point::Call => (None, None),
            Point::Result(yielded, bytes_max) => (Some(result(yielded, bytes_max)), None),
            Point::Connect(wanted) => (None, Some(connection(wanted))),
        };
        Self {
            point: match point {
                Point::Call => "call",
                Point::Result(..) => "result",
                Point::Connect(_) => "connect",
            },
            result: result_of.unwrap_or(Document::NULL),
            connection: connection_of.unwrap_or(Document::NULL),
        }
    }
}

/// The document of a call, or `None` where its arguments hold a number that no policy can read.
pub(in crate::policy) fn request(
    call: &ToolCall,
    code: Option<&Code>,
    context: &Context,
    point: Point<'_>,
) -> Option<Document> {
    request_telling(call, code, context, point.into())
}

/// The same, whatever is told at its point.
pub(super) fn request_telling(
    call: &ToolCall,
    code: Option<&Code>,
    context: &Context,
    Told { point, result, connection }: Told,
) -> Option<Document> {
    let context = Document::object([
        ("now", context.now.to_string().as_str().into()),
        ("session", session(&context.session)),
        ("approval", Document::or_null(context.approval.as_ref(), approval)),
        ("code", Document::or_null(code, |code| code.document.clone())),
        ("needs", code.map_or_else(nothing, |code| code.needs.clone())),
        ("result", result),
        ("connection", connection),
    ]);
    Some(Document::object([
        ("api", API.into()),
        ("point", point.into()),
        ("subject", subject(&call.subject)),
        ("action", Document::object([("name", "tools/call".into())])),
        ("resource", resource(call)?),
        ("context", context),
    ]))
}

fn subject(subject: &Subject) -> Document {
    Document::object([
        ("id", Document::from(&subject.id)),
        ("tenant", Document::from(&subject.tenant)),
        ("roles", Document::texts(&subject.roles)),
        ("authentication", subject.authentication.as_str().into()),
    ])
}

fn resource(call: &ToolCall) -> Option<Document> {
    Some(Document::object([
        ("type", "tool".into()),
        ("server", Document::from(&call.tool.server)),
        ("name", Document::from(&call.tool.name)),
        ("arguments", Document::from_tree(&call.arguments)?),
        ("annotations", Document::object([])),
        ("schema_digest", Document::NULL),
    ]))
}

fn session(session: &Session) -> Document {
    let skipped = session.history.len().saturating_sub(Session::HISTORY_MAX);
    Document::object([
        ("id", Document::from(&session.id)),
        ("step", session.step.into()),
        ("started", session.started.to_string().as_str().into()),
        ("tokens", session.usage.tokens.into()),
        ("cost_microusd", session.usage.cost_microusd.into()),
        ("labels", Document::texts(session.labels.iter().map(|label| &label.name))),
        ("labelled", Document::list(session.labels.iter(), label)),
        ("history", Document::list(session.history.iter().skip(skipped), step)),
    ])
}

fn step(step: &Step) -> Document {
    Document::object([
        ("step", step.step.into()),
        ("tool", Document::from(&step.tool)),
        ("decision", Document::from(&step.decision)),
        ("outcome", Document::or_null(step.outcome.as_ref(), Document::from)),
        ("labels", Document::texts(&step.labels)),
    ])
}

fn approval(approval: &Approval) -> Document {
    Document::object([
        ("id", Document::from(&approval.id)),
        ("by", Document::from(&approval.by)),
        ("roles", Document::texts(&approval.roles)),
        ("at", approval.at.to_string().as_str().into()),
        ("note", Document::from(&approval.note)),
    ])
}

fn label(label: &Label) -> Document {
    Document::object([
        ("name", Document::from(&label.name)),
        ("session", Document::from(&label.session)),
        ("step", label.step.into()),
        ("call", label.call.as_str().into()),
    ])
}

/// An empty list: needs of no code.
fn nothing() -> Document {
    Document::texts([] as [&Text; 0])
}
