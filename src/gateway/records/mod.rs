//! `GET /v1/ledger`: what was decided and what came of it, for those who may know.
//!
//! Must never show a tenant's records to whoever may only see another's.

use super::Settings;
use super::problem::{Kind, Problem};
use super::router::Doors;
use crate::call::{Authentication, CallId, Subject, Text, Timestamp};
use crate::ledger::reader::{Order, Record, Selection};
use crate::ledger::{Ledger, Page};
use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, header};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Records of a page where none says how many.
const LIMIT_DEFAULT: u64 = 100;

/// Which records are asked for. Moments are RFC 3339, or a span before now, such as `2h`.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct Asked {
    /// Only records of this call.
    call: Option<String>,
    /// Only records of sessions with this id.
    session: Option<String>,
    /// Only records of subjects with this id.
    subject: Option<String>,
    /// Only records of this tenant.
    tenant: Option<String>,
    /// Only records of this tool.
    tool: Option<String>,
    /// Only such decisions: `permitted`, `held`, `denied`.
    decision: Option<String>,
    /// Only decisions for this cause.
    cause: Option<String>,
    /// Only such records: `decision`, `connection`, `outcome`, `answer`, `usage`, `file`, `seal`,
    /// `continues`.
    kind: Option<String>,
    /// Only records from this moment on.
    since: Option<String>,
    /// Only records before this moment.
    until: Option<String>,
    /// Only records after this one, in the order asked for: `next` of the page before.
    after: Option<u64>,
    /// How many records, at most 1,000; 100 where it is not said.
    limit: Option<u64>,
    /// Which come first; the newest where it is not said.
    order: Option<AskedOrder>,
}

/// Which records come first.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum AskedOrder {
    /// The newest.
    Newest,
    /// The oldest.
    Oldest,
}

/// A page of records.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct PageReply {
    /// The records, in the order asked for. There may be none though more follow.
    records: Vec<RecordReply>,
    /// What to send as `after` for the next page; `null` where there is none.
    next: Option<u64>,
}

/// A record.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RecordReply {
    /// Its number in the chain.
    seq: u64,
    /// `decision`, `connection`, `outcome`, `answer`, `usage`, `file`, `seal` or `continues`.
    kind: String,
    /// When the call was received or its effect ended, as RFC 3339.
    at: String,
    /// Its hash, in hex, which covers the body and all records before it.
    hash: String,
    /// What was recorded.
    #[schema(value_type = Object)]
    body: serde_json::Value,
}

/// What of the ledger a subject may see.
enum Sight {
    All,
    /// What is of its own tenant.
    Own,
    Nothing,
}

/// Shows records, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/ledger",
    params(Asked),
    security(("bearer" = []), ("api_key" = [])),
    responses(
        (status = 200, description = "A page of the records that the subject may see.",
            body = PageReply),
        (status = 403, description = "The subject has no role that lets it read.",
            body = super::problem::ProblemReply, content_type = "application/problem+json"),
        (status = "4XX", description = "The message was not understood.",
            body = super::problem::ProblemReply, content_type = "application/problem+json"),
        (status = 503, description = "The ledger does not answer.",
            body = super::problem::ProblemReply, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn list(
    State(doors): State<Doors>,
    Extension(subject): Extension<Subject>,
    asked: Result<Query<Asked>, QueryRejection>,
) -> Response {
    let sight = sight(&subject, &doors.settings);
    if let Sight::Nothing = sight {
        tracing::warn!(subject = &*subject.id, "the ledger was asked for without its role");
        doors.gateway.metrics.message_refused("role");
        return Problem::from(Kind::Barred).into_response();
    }
    let now = doors.gateway.guard.now();
    let understood = match asked {
        Ok(Query(asked)) => selection(asked, now),
        Err(_) => Err(Problem::malformed(NOT_PARAMETERS)),
    };
    match understood {
        Ok(selection) => {
            let selection = within(sight, &subject, selection);
            page(doors.gateway.guard.ledger(), selection).await
        }
        Err(problem) => problem.into_response(),
    }
}

const NOT_PARAMETERS: &str = "the parameters are not those that /openapi.json describes";

fn sight(subject: &Subject, settings: &Settings) -> Sight {
    let has = |role: &Text| subject.roles.contains(role);
    match subject.authentication {
        Authentication::Loopback | Authentication::Local | Authentication::Operator => Sight::All,
        Authentication::ApiKey if has(&settings.reader_all_role) => Sight::All,
        Authentication::ApiKey if has(&settings.reader_role) => Sight::Own,
        Authentication::ApiKey => Sight::Nothing,
    }
}

/// What is left of a selection within sight; `None` where nothing is.
fn within(sight: Sight, subject: &Subject, selection: Selection) -> Option<Selection> {
    let own = &subject.tenant;
    match sight {
        Sight::All => Some(selection),
        Sight::Own if selection.tenant.as_ref().is_none_or(|tenant| tenant == own) => {
            Some(Selection { tenant: Some(Text::clone(own)), ..selection })
        }
        Sight::Own | Sight::Nothing => None,
    }
}

fn selection(asked: Asked, now: Timestamp) -> Result<Selection, Problem> {
    let text = |text: Option<String>| text.map(Text::from);
    let moment = |text: Option<String>| {
        let told = |text: String| Timestamp::told(&text, now).ok_or(Problem::malformed(NO_MOMENT));
        text.map(told).transpose()
    };
    let limit = asked.limit.unwrap_or(LIMIT_DEFAULT);
    if !(1..=Ledger::PAGE_RECORDS_MAX).contains(&limit) {
        return Err(Problem::malformed("`limit` must be a number from 1 to 1000"));
    }
    Ok(Selection {
        after: asked.after,
        order: match asked.order {
            Some(AskedOrder::Newest) | None => Order::NewestFirst,
            Some(AskedOrder::Oldest) => Order::OldestFirst,
        },
        limit,
        call: asked.call.map(CallId::new),
        tenant: text(asked.tenant),
        subject: text(asked.subject),
        session: text(asked.session),
        tool: text(asked.tool),
        decision: text(asked.decision),
        cause: text(asked.cause),
        kind: text(asked.kind),
        since: moment(asked.since)?,
        until: moment(asked.until)?,
    })
}

const NO_MOMENT: &str =
    "`since` and `until` must be moments, like 2026-01-31T08:00:00Z, or spans, like 2h";

async fn page(ledger: &Ledger, selection: Option<Selection>) -> Response {
    let page = match &selection {
        Some(selection) => ledger.page(selection).await,
        None => Ok(Page { records: Vec::new(), next: None }),
    };
    match page {
        Ok(page) => {
            let records = page.records.into_iter().map(RecordReply::from).collect();
            let reply = axum::Json(PageReply { records, next: page.next });
            ([(header::CACHE_CONTROL, NO_STORE)], reply).into_response()
        }
        Err(error) => {
            tracing::error!(%error, "a page of the ledger cannot be read");
            Problem::from(Kind::Unavailable).into_response()
        }
    }
}

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

impl From<Record> for RecordReply {
    fn from(record: Record) -> Self {
        let Record { seq, kind, at, hash, body } = record;
        // A body that is not JSON was changed; `verify` says so, and it is shown as it is.
        let body = serde_json::from_str(&body).unwrap_or(serde_json::Value::String(body));
        Self { seq, kind, at: at.to_string(), hash, body }
    }
}
