//! The MCP door: streamable HTTP in both protocol eras, at `/mcp`.
//!
//! rmcp speaks the protocol; what stands before it reads the body strictly, once, and hands the
//! tree that it read to the handler. An MCP session belongs to the subject that opened it, and
//! identifies nobody. Must never let rmcp's reading of a call reach policy or an effect.

mod envelope;
mod fault;
mod handler;
mod link;
mod resources;
mod sessions;
mod text;

use super::problem::{Kind, Problem};
use super::propose::{Asked, Desk, Proposal, finding};
use super::router::Doors;
use super::{Gateway, Settings, body, json};
use crate::call::{CallId, Door, Subject};
use crate::enforce::{Purpose, own_rules};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use envelope::Message;
use fault::Fault;
use handler::Handler;
use http::header;
use http::request::Parts;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use sessions::Sessions;
use std::sync::Arc;
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;

/// What to do about a message that is refused before its call is put.
const REMEDY: &str = "Send the message as the protocol has it.";

/// The protocol's side of the door.
#[derive(Clone)]
pub(super) struct Mcp {
    service: StreamableHttpService<Handler, LocalSessionManager>,
    sessions: Arc<Sessions>,
}

impl Mcp {
    pub(super) fn new(
        (gateway, desk): (Gateway, Desk),
        settings: &Settings,
        streams: CancellationToken,
    ) -> Self {
        let sessions = Arc::new(Sessions::new(settings));
        // Host and Origin are checked before every door, this one among them.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_json_response(true)
            .with_max_request_body_bytes(settings.body_bytes_max)
            .with_cancellation_token(streams);
        let handler = Handler::new(gateway, desk);
        let make = move || Ok(handler.clone());
        let service = StreamableHttpService::new(make, sessions.manager(), config);
        Self { service, sessions }
    }

    async fn forward(&self, parts: Parts, body: Body) -> Response {
        self.service.handle(Request::from_parts(parts, body)).await.map(Body::new)
    }
}

/// `GET /mcp`: the stream of the old era.
pub(super) async fn listen(State(doors): State<Doors>, request: Request) -> Response {
    pass(&doors, request).await
}

/// `DELETE /mcp`: the end of a session of the old era.
pub(super) async fn end(State(doors): State<Doors>, request: Request) -> Response {
    pass(&doors, request).await
}

async fn pass(doors: &Doors, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    match doors.mcp.sessions.admit(&parts) {
        Ok(()) => doors.mcp.forward(parts, Body::empty()).await,
        Err(fault) => fault.into_response(),
    }
}

/// `POST /mcp`: every message. In a task of its own, so that a session which is opened is noted,
/// and a refusal recorded, though the client is gone.
pub(super) async fn post(State(doors): State<Doors>, request: Request) -> Response {
    let in_flight = doors.in_flight.clone();
    match in_flight.spawn(receive(doors, request)).await.map_err(JoinError::try_into_panic) {
        Ok(response) => response,
        Err(Ok(panic)) => std::panic::resume_unwind(panic),
        // A task is cancelled only with the whole runtime, and then nobody waits.
        Err(Err(_)) => std::future::pending().await,
    }
}

async fn receive(doors: Doors, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Some(subject) = parts.extensions.get::<Subject>().cloned() else {
        return Problem::from(Kind::Unauthenticated).into_response();
    };
    match understand(&doors, &parts, body).await {
        Ok((message, bytes)) => relay(&doors, subject, message, parts, bytes).await,
        Err(fault) => {
            let finding = finding(own_rules::MALFORMED, fault.message(), REMEDY);
            let refused = doors.desk.refuse_unread(Door::Mcp, subject, finding, Purpose::Act).await;
            fault.recorded(refused.call).into_response()
        }
    }
}

async fn understand(doors: &Doors, parts: &Parts, body: Body) -> Result<(Message, Vec<u8>), Fault> {
    let bytes = body::read(&parts.headers, body, &doors.settings).await?;
    let tree = json::parse(&bytes, doors.settings.json_depth_max)?;
    Ok((Message::read(&parts.headers, &tree)?, bytes))
}

async fn relay(
    doors: &Doors,
    subject: Subject,
    message: Message,
    mut parts: Parts,
    bytes: Vec<u8>,
) -> Response {
    if let Err(fault) = admit(doors, &message, &parts, &bytes) {
        let call = refuse(doors, subject, &message, fault.message()).await;
        return fault.recorded(call).into_response();
    }
    if let Some(asked) = &message.call {
        parts.extensions.insert(Arc::clone(asked));
    }
    let response = doors.mcp.forward(parts, bytes.into()).await;
    if !response.status().is_client_error() {
        doors.mcp.sessions.note(subject, response.headers()).await;
        return response;
    }
    // A call that reaches the handler is answered with 200, whatever becomes of it.
    let reason = "the message breaks a rule of the protocol";
    let call = refuse(doors, subject, &message, reason).await;
    if is_json(&response) {
        return response;
    }
    Fault::protocol(response.status()).of(message.id.as_ref()).recorded(call).into_response()
}

fn admit(doors: &Doors, message: &Message, parts: &Parts, bytes: &[u8]) -> Result<(), Fault> {
    message.agrees_with(&parts.headers)?;
    message.is_what_rmcp_reads(bytes)?;
    doors.mcp.sessions.admit(parts).map_err(|fault| fault.of(message.id.as_ref()))
}

fn is_json(response: &Response) -> bool {
    response.headers().get(header::CONTENT_TYPE).is_some_and(|value| value == "application/json")
}

/// Records the call of a message that is refused before it is put; `None` where it is no call.
async fn refuse(
    doors: &Doors,
    subject: Subject,
    message: &Message,
    reason: &str,
) -> Option<CallId> {
    let asked = Asked::clone(message.call.as_ref()?);
    let finding = finding(own_rules::PROTOCOL, reason, REMEDY);
    let proposal = Proposal { door: Door::Mcp, subject, asked };
    Some(doors.desk.refuse(proposal, finding, Purpose::Act).await.call)
}
