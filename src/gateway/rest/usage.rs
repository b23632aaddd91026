//! `POST /v1/sessions/{id}/usage`: what an agent used to think with.

use super::super::body;
use super::super::json;
use super::super::problem::{Kind, Problem, ProblemReply};
use super::super::propose;
use super::super::router::Doors;
use crate::call::{Json, Subject, Text, Usage};
use crate::enforce::Unreported;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use serde::Serialize;
use utoipa::ToSchema;

/// What was used since the last report.
#[derive(ToSchema)]
#[schema(as = Usage)]
#[expect(dead_code, reason = "it describes what is read member by member")]
pub(super) struct Report {
    /// Tokens; none where absent.
    #[schema(minimum = 0, maximum = 10_000_000_000_u64)]
    tokens: Option<u64>,
    /// Millionths of a US dollar; none where absent.
    #[schema(minimum = 0, maximum = 10_000_000_000_u64)]
    cost_microusd: Option<u64>,
}

/// A report that was taken.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Reported {
    /// The id under which it stands in the ledger.
    id: String,
}

/// Takes a report of what the subject used in one of its sessions: at least one of the two.
/// It counts for the day and is shown to policy. A report that is sent twice counts twice.
#[utoipa::path(
    post,
    path = "/v1/sessions/{id}/usage",
    request_body = Report,
    params(("id" = String, Path, description = "The session, as in `session` of a call; `default` where calls name none.")),
    security(("bearer" = []), ("api_key" = [])),
    responses(
        (status = 200, description = "It is recorded and counted.", body = Reported),
        (status = 429, description = "The subject sends too much at once.",
            body = ProblemReply, content_type = "application/problem+json"),
        (status = 503, description = "It cannot be recorded or counted.",
            body = ProblemReply, content_type = "application/problem+json"),
        (status = "4XX", description = "The message was not understood.",
            body = ProblemReply, content_type = "application/problem+json"),
    ),
)]
pub(in crate::gateway) async fn usage(
    State(doors): State<Doors>,
    Path(session): Path<String>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let Some(subject) = parts.extensions.get::<Subject>().cloned() else {
        return Problem::from(Kind::Unauthenticated).into_response();
    };
    match understand(&doors, &session, (&parts.headers, body)).await {
        Ok((session, usage)) => {
            let reported = doors.gateway.guard.report(subject, session, usage).await;
            reported.map_or_else(refusal, |id| {
                axum::Json(Reported { id: id.to_string() }).into_response()
            })
        }
        Err(problem) => problem.into_response(),
    }
}

async fn understand(
    doors: &Doors,
    session: &str,
    (headers, body): (&HeaderMap, Body),
) -> Result<(Text, Usage), Problem> {
    let session = propose::session_in_path(session)?;
    let bytes = body::read(headers, body, &doors.settings).await?;
    let tree = json::parse(&bytes, doors.settings.json_depth_max)
        .map_err(|malformed| Problem::malformed(malformed.to_string()))?;
    Ok((session, read(&tree)?))
}

fn read(tree: &Json) -> Result<Usage, Problem> {
    const WRONG: &str = "the message must be an object with `tokens`, `cost_microusd` or both, \
                         each a whole number from 0 to 10000000000";
    let wrong = || Problem::malformed(WRONG);
    let Json::Object(members) = tree else { return Err(wrong()) };
    if members.is_empty() {
        return Err(wrong());
    }
    let mut usage = Usage::default();
    for (key, value) in members {
        let amount = amount(value).ok_or_else(wrong)?;
        match &**key {
            "tokens" => usage.tokens = amount,
            "cost_microusd" => usage.cost_microusd = amount,
            _ => return Err(wrong()),
        }
    }
    Ok(usage)
}

fn amount(value: &Json) -> Option<u64> {
    let amount = match value {
        Json::Number(number) => number.as_str().parse::<u64>().ok(),
        Json::Null | Json::Bool(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => None,
    };
    amount.filter(|amount| *amount <= Usage::REPORT_MAX)
}

fn refusal(unreported: Unreported) -> Response {
    let (kind, retry_after_ms) = match unreported {
        Unreported::Limit(reached) => (Kind::TooOften, reached.retry_after_ms),
        Unreported::Unavailable => (Kind::Unavailable, None),
    };
    Problem::from(kind).with_retry(retry_after_ms)
}
