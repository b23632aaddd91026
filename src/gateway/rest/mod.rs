//! The REST door: `POST /v1/calls`, `POST /v1/decisions` and reports of usage.
//!
//! A message that was understood is answered with 200, whatever was decided; one that was not,
//! with problem details. Must never decide.

pub(super) mod approvals;
pub(super) mod files;
mod openapi;
mod usage;

pub(super) use openapi::describe;
pub(super) use usage::usage;

use super::body;
use super::json;
use super::problem::{Kind, Problem};
use super::propose::{self, Asked, Proposal, Told, finding};
use super::reply::Reply;
use super::router::Doors;
use crate::call::{Door, Json, Subject};
use crate::enforce::{Purpose, own_rules};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::HeaderMap;

/// Decides a call and, where it is permitted, has its effect.
#[utoipa::path(
    post,
    path = "/v1/calls",
    request_body = Asked,
    params(("Regate-Session" = Option<String>, Header, description = "As `session` in the body.")),
    security(("bearer" = []), ("api_key" = [])),
    responses(
        (status = 200, description = "The call was understood, whatever was decided.", body = Reply),
        (status = "4XX", description = "The message was not understood.",
            body = super::problem::ProblemReply, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn calls(doors: State<Doors>, request: Request) -> Response {
    answer(doors, request, Purpose::Act).await
}

/// Decides a call, and does nothing else.
#[utoipa::path(
    post,
    path = "/v1/decisions",
    request_body = Asked,
    params(("Regate-Session" = Option<String>, Header, description = "As `session` in the body.")),
    security(("bearer" = []), ("api_key" = [])),
    responses(
        (status = 200, description = "The call was understood; `result` is null.", body = Reply),
        (status = "4XX", description = "The message was not understood.",
            body = super::problem::ProblemReply, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn decisions(doors: State<Doors>, request: Request) -> Response {
    answer(doors, request, Purpose::Advise).await
}

async fn answer(State(doors): State<Doors>, request: Request, purpose: Purpose) -> Response {
    let (parts, body) = request.into_parts();
    let Some(subject) = parts.extensions.get::<Subject>().cloned() else {
        return Problem::from(Kind::Unauthenticated).into_response();
    };
    match understand(&doors, &parts.headers, body).await {
        Ok(asked) => {
            let proposal = Proposal { door: Door::Rest, subject, asked };
            let answer = doors.desk.propose(proposal, purpose).await;
            axum::Json(Reply::from(answer)).into_response()
        }
        Err(problem) => {
            let finding = finding(own_rules::MALFORMED, &problem.detail, problem.kind.detail());
            let refused = doors.desk.refuse_unread(Door::Rest, subject, finding, purpose).await;
            problem.recorded(refused.call).into_response()
        }
    }
}

async fn understand(doors: &Doors, headers: &HeaderMap, body: Body) -> Result<Asked, Problem> {
    let bytes = body::read(headers, body, &doors.settings).await?;
    let tree = json::parse(&bytes, doors.settings.json_depth_max)
        .map_err(|malformed| Problem::malformed(malformed.to_string()))?;
    read(headers, tree)
}

fn read(headers: &HeaderMap, tree: Json) -> Result<Asked, Problem> {
    let told = Told { session: tree.get("session"), ..Told::default() };
    let session = propose::session(headers, told).map_err(Problem::malformed)?;
    let Json::Object(members) = tree else {
        return Err(Problem::malformed("the message must be an object"));
    };
    let (mut tool, mut arguments) = (None, None);
    for (key, value) in members {
        match &*key {
            "tool" => tool = value.as_str().and_then(propose::name),
            "arguments" => arguments = Some(value),
            "session" => {}
            _ => return Err(Problem::malformed(UNKNOWN_MEMBER)),
        }
    }
    match (tool, arguments) {
        (Some(tool), Some(arguments @ Json::Object(_))) => Ok(Asked { tool, arguments, session }),
        (Some(_), _) => Err(Problem::malformed("`arguments` must be an object")),
        (None, _) => {
            Err(Problem::malformed("`tool` must be a name of 1 to 128 visible ASCII characters"))
        }
    }
}

const UNKNOWN_MEMBER: &str = "the message has a member beside `tool`, `arguments` and `session`";
