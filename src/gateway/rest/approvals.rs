//! Where people see what waits for them, and answer it: `/v1/approvals`.
//!
//! Must never show a question to whom it does not concern, and must never decide who may answer.

use crate::approval::Barred;
use crate::call::{Json, Subject, Text};
use crate::enforce::{Asked, Guard, Unanswered};
use crate::gateway::problem::{Kind, Problem};
use crate::gateway::router::Doors;
use crate::gateway::{body, json};
use crate::ledger::{self, Said, Standing};
use axum::extract::{Extension, Path, Request, State};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The most characters of a note.
const NOTE_CHARACTERS_MAX: usize = 1_000;

/// What waits for a person.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::gateway) struct Approvals {
    /// The oldest first.
    approvals: Vec<Approval>,
}

/// One call that waits for a person, or waited.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::gateway) struct Approval {
    /// Its id.
    id: String,
    /// `pending`, `approved`, `refused`, `expired` or `spent`.
    state: &'static str,
    /// The call that asks.
    call: String,
    /// The tenant of the subject.
    tenant: String,
    /// Who asks.
    subject: String,
    /// The session of the call.
    session: String,
    /// The server of the tool.
    server: String,
    /// The tool.
    tool: String,
    /// blake3 of the canonical arguments, in hex.
    arguments_blake3: String,
    /// The digest of the bundle that asks for a person.
    policy: String,
    /// The roles that may answer; where there are none, the role that the gateway is told.
    approvers: Vec<String>,
    /// When it was asked.
    asked: String,
    /// Until when it waits, or what was said holds.
    expires: String,
    /// The page where people answer, where the team has one.
    page: Option<String>,
    /// Who answered; `null` where nobody did.
    answered_by: Option<String>,
    /// When.
    answered: Option<String>,
    /// What was noted with the answer.
    note: Option<String>,
    /// The arguments of the call, without secrets, in whatever form the ledger keeps them; `null`
    /// in lists, and once the question is over: refused, expired or spent.
    #[schema(value_type = Option<Object>)]
    arguments: Value,
    /// What the call's code was found to need and to name: `capabilities` with `name`, `because` and
    /// `line`, `resources` with `kind`, `op`, `name` and `line`, without secrets. `null` as above, and
    /// where there is no code.
    #[schema(value_type = Option<Object>)]
    facts: Value,
    /// What was recorded of the call; `null` in lists.
    recorded: Option<Recorded>,
}

/// What was recorded of a call that waits.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::gateway) struct Recorded {
    /// The arguments, as the ledger keeps them.
    #[schema(value_type = Object)]
    arguments: Value,
    /// What the rules said.
    #[schema(value_type = Vec<Object>)]
    findings: Value,
    /// Whether the code was wholly understood; `null` where there is no code.
    #[schema(value_type = Option<bool>)]
    coverage_complete: Value,
}

/// An answer to a question.
#[derive(Debug, ToSchema)]
pub(in crate::gateway) struct Answered {
    /// `approve` or `refuse`.
    #[schema(value_type = String, example = "approve")]
    answer: Said,
    /// A word to go with it, which the caller of a refused call is shown.
    #[schema(value_type = Option<String>, max_length = 1000)]
    note: Text,
}

/// The calls that wait for the subject, and its own that wait for others.
#[utoipa::path(
    get,
    path = "/v1/approvals",
    security(("bearer" = []), ("api_key" = [])),
    responses((status = 200, description = "What waits.", body = Approvals)),
)]
pub(in crate::gateway) async fn list(
    State(doors): State<Doors>,
    Extension(subject): Extension<Subject>,
) -> Response {
    let guard = &doors.gateway.guard;
    match guard.questions(&subject).await {
        Ok(open) => {
            let approvals = open.into_iter().map(|standing| Approval::new(guard, standing));
            axum::Json(Approvals { approvals: approvals.collect() }).into_response()
        }
        Err(error) => unreadable(&error).into_response(),
    }
}

/// One of them, with what was recorded of its call.
#[utoipa::path(
    get,
    path = "/v1/approvals/{id}",
    security(("bearer" = []), ("api_key" = [])),
    responses(
        (status = 200, description = "The approval.", body = Approval),
        (status = 404, description = "There is none for this subject.",
            body = crate::gateway::problem::ProblemReply, content_type = "application/problem+json"),
    ),
)]
pub(in crate::gateway) async fn show(
    State(doors): State<Doors>,
    Extension(subject): Extension<Subject>,
    Path(id): Path<String>,
) -> Response {
    let guard = &doors.gateway.guard;
    match guard.question(&subject, &id).await {
        Ok(Some(Asked { standing, recorded, shown })) => {
            let mut shown: Value =
                shown.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
            let mut take = |key: &str| shown.get_mut(key).map(Value::take).unwrap_or_default();
            axum::Json(Approval {
                arguments: take("arguments"),
                facts: take("facts"),
                recorded: recorded.and_then(self::recorded),
                ..Approval::new(guard, standing)
            })
            .into_response()
        }
        Ok(None) => Problem::from(Kind::NotFound).into_response(),
        Err(error) => unreadable(&error).into_response(),
    }
}

/// Answers one of them.
#[utoipa::path(
    post,
    path = "/v1/approvals/{id}",
    request_body = Answered,
    security(("bearer" = []), ("api_key" = [])),
    responses(
        (status = 200, description = "It is answered.", body = Approval),
        (status = "4XX", description = "It is not: the message was not understood, the subject may \
            not answer, or somebody else did.",
            body = crate::gateway::problem::ProblemReply, content_type = "application/problem+json"),
    ),
)]
pub(in crate::gateway) async fn answer(
    State(doors): State<Doors>,
    Extension(subject): Extension<Subject>,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    let Answered { answer, note } = match understand(&doors, request).await {
        Ok(answered) => answered,
        Err(problem) => return problem.into_response(),
    };
    let guard = &doors.gateway.guard;
    match guard.answer(&subject, &id, answer, note).await {
        Ok(standing) => axum::Json(Approval::new(guard, standing)).into_response(),
        Err(unanswered) => problem(&unanswered).into_response(),
    }
}

async fn understand(doors: &Doors, request: Request) -> Result<Answered, Problem> {
    let (parts, body) = request.into_parts();
    let bytes = body::read(&parts.headers, body, &doors.settings).await?;
    let tree = json::parse(&bytes, doors.settings.json_depth_max)
        .map_err(|malformed| Problem::malformed(malformed.to_string()))?;
    read(&tree).map_err(Problem::malformed)
}

fn read(tree: &Json) -> Result<Answered, &'static str> {
    let Json::Object(members) = tree else {
        return Err("the message must be an object");
    };
    if members.iter().any(|(key, _)| !matches!(&**key, "answer" | "note")) {
        return Err("the message has a member beside `answer` and `note`");
    }
    let answer = match tree.get("answer").and_then(Json::as_str) {
        Some("approve") => Said::Approved,
        Some("refuse") => Said::Refused,
        Some(_) | None => return Err("`answer` must be \"approve\" or \"refuse\""),
    };
    let note = match tree.get("note") {
        None | Some(Json::Null) => "".into(),
        Some(Json::String(note)) if note.chars().count() <= NOTE_CHARACTERS_MAX => note.clone(),
        Some(_) => return Err("`note` must be a string of at most 1,000 characters"),
    };
    Ok(Answered { answer, note })
}

impl Approval {
    fn new(guard: &Guard, standing: Standing) -> Self {
        let texts = |texts: Vec<Text>| texts.iter().map(ToString::to_string).collect();
        let purview = standing.purview;
        let (by, at, note) = match standing.answer {
            Some(answer) => {
                (Some(answer.by.to_string()), Some(answer.at.to_string()), Some(answer.note))
            }
            None => (None, None, None),
        };
        Self {
            id: standing.id.to_string(),
            state: standing.state.as_str(),
            call: standing.call.to_string(),
            tenant: purview.tenant.to_string(),
            subject: purview.subject.to_string(),
            session: standing.session.to_string(),
            server: purview.tool.server.to_string(),
            tool: purview.tool.name.to_string(),
            arguments_blake3: purview.arguments.to_string(),
            policy: purview.policy.to_string(),
            approvers: texts(standing.approvers),
            asked: standing.asked.to_string(),
            expires: standing.expires.to_string(),
            page: guard.page_of(&standing.id).map(|page| page.to_string()),
            answered_by: by,
            answered: at,
            note: note.map(|note| note.to_string()),
            arguments: Value::Null,
            facts: Value::Null,
            recorded: None,
        }
    }
}

/// What the body of a decision says that whoever answers has to know.
fn recorded(body: String) -> Option<Recorded> {
    let mut body: Value = serde_json::from_str(&body).ok()?;
    let mut take = |key: &str| body.get_mut(key).map(Value::take).unwrap_or_default();
    Some(Recorded {
        arguments: take("arguments"),
        findings: take("findings"),
        coverage_complete: take("coverage_complete"),
    })
}

fn problem(unanswered: &Unanswered) -> Problem {
    match unanswered {
        Unanswered::Unknown => Kind::NotFound.into(),
        Unanswered::Barred(Barred::Requester) => {
            Problem { detail: "Whoever asks does not answer.".into(), ..Kind::Barred.into() }
        }
        Unanswered::Barred(Barred::Role) => {
            Problem { detail: "It needs another role.".into(), ..Kind::Barred.into() }
        }
        Unanswered::Closed => Kind::Closed.into(),
        Unanswered::Ledger(error) => unreadable(error),
    }
}

fn unreadable(error: &ledger::Error) -> Problem {
    tracing::error!(%error, "the approvals cannot be read or written");
    Kind::Unavailable.into()
}
