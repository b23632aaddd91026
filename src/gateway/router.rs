//! Which address leads to which door, and what every message passes on its way there.
//!
//! Must never let a message to a door that calls come in by without a subject.

use super::keys::{self, authenticate};
use super::mcp::{self, Mcp};
use super::operate::{self, Readiness};
use super::problem::{Kind, Problem};
use super::propose::Desk;
use super::{Gateway, Settings, rebinding, records, rest};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::StreamExt;
use http::{HeaderValue, header};
use std::sync::Arc;
use tokio_util::task::TaskTracker;

/// What the doors share.
#[derive(Clone)]
pub(super) struct Doors {
    pub(super) gateway: Gateway,
    pub(super) desk: Desk,
    pub(super) settings: Arc<Settings>,
    pub(super) mcp: Mcp,
    pub(super) readiness: Arc<Readiness>,
    /// Counts what a gateway that stops has to wait for.
    pub(super) in_flight: TaskTracker,
}

pub(super) fn router(doors: Doors) -> Router {
    // Calls come in here: a subject is needed.
    let keyed = Router::new()
        .route("/v1/calls", post(rest::calls))
        .route("/v1/decisions", post(rest::decisions))
        .route("/v1/ledger", get(records::list))
        .route("/v1/sessions/{id}/usage", post(rest::usage))
        .route("/v1/sessions/{id}/files", get(rest::files::list).post(rest::files::put))
        .route("/v1/sessions/{id}/files/{*name}", get(rest::files::get).delete(rest::files::remove))
        .route("/mcp", post(mcp::post).get(mcp::listen).delete(mcp::end))
        .route_layer(from_fn_with_state(doors.clone(), identify));
    // People answer here, the operator among them, who calls no tool.
    let people = Router::new()
        .route("/v1/approvals", get(rest::approvals::list))
        .route("/v1/approvals/{id}", get(rest::approvals::show).post(rest::approvals::answer))
        .route_layer(from_fn_with_state(doors.clone(), identify_people));
    let open = Router::new()
        .route("/openapi.json", get(rest::describe))
        .route("/healthz", get(operate::healthz))
        .route("/readyz", get(operate::readyz))
        .route("/metrics", get(operate::metrics));
    keyed
        .merge(people)
        .merge(open)
        .fallback(async || Problem::from(Kind::NotFound))
        .method_not_allowed_fallback(async || Problem::from(Kind::Method))
        .layer(from_fn_with_state(doors.clone(), admit))
        .with_state(doors)
}

/// Sends away what is meant for another host or comes from an unknown page.
async fn admit(State(doors): State<Doors>, request: Request, next: Next) -> Response {
    match rebinding::admit(request.uri(), request.headers(), &doors.settings) {
        Ok(()) => {
            let mut response = next.run(request).await;
            let nosniff = HeaderValue::from_static("nosniff");
            response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
            response
        }
        Err(stray) => {
            tracing::warn!(?stray, "a message was sent away");
            doors.gateway.metrics.message_refused(stray.label());
            let problem = Problem { detail: stray.detail().into(), ..Kind::Forbidden.into() };
            problem.into_response()
        }
    }
}

/// The same for messages of people, of whom the operator is one.
async fn identify_people(State(doors): State<Doors>, mut request: Request, next: Next) -> Response {
    let headers = request.headers();
    let operator = keys::operator(headers, doors.settings.operator.as_ref());
    let subject = operator.or_else(|| authenticate(headers, &doors.settings.keys));
    let Some(subject) = subject else {
        return unknown(&doors, &request);
    };
    request.headers_mut().remove(header::AUTHORIZATION);
    request.headers_mut().remove("x-api-key");
    request.extensions_mut().insert(subject);
    next.run(request).await
}

fn unknown(doors: &Doors, request: &Request) -> Response {
    tracing::warn!(path = request.uri().path(), "a message came without a known key");
    doors.gateway.metrics.message_refused("key");
    Problem::from(Kind::Unauthenticated).into_response()
}

/// Gives the message its subject, or asks for a key.
async fn identify(State(doors): State<Doors>, mut request: Request, next: Next) -> Response {
    let Some(subject) = authenticate(request.headers(), &doors.settings.keys) else {
        return unknown(&doors, &request);
    };
    request.headers_mut().remove(header::AUTHORIZATION);
    request.headers_mut().remove("x-api-key");
    request.extensions_mut().insert(subject);
    if request.method() != http::Method::POST {
        return next.run(request).await;
    }
    let token = doors.in_flight.token();
    let response = next.run(request).await;
    if response.headers().get(header::CONTENT_TYPE) != Some(&EVENT_STREAM) {
        return response;
    }
    // A call that is answered by a stream is in flight until the end of the stream is sent.
    response.map(|body| {
        Body::from_stream(body.into_data_stream().map(move |chunk| {
            let _held = &token;
            chunk
        }))
    })
}

const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");
