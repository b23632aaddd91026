//! `/v1/sessions/{id}/files`: what a session has in its workspace.
//!
//! Must never hand a file out in a form that a browser would run.

use super::super::body;
use super::super::files::{Drawer, Refused, address};
use super::super::problem::{Kind, Problem, ProblemReply};
use super::super::propose;
use super::super::router::Doors;
use crate::call::{Subject, Timestamp};
use crate::sandbox::workspace::{Entry, File, Name, Transfer};
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, Request, State};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use utoipa::ToSchema;

/// A file that is kept.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct KeptFile {
    /// Its name below `/workspace`.
    name: String,
    /// How long it is.
    bytes: u64,
    /// What it is.
    media_type: &'static str,
    /// blake3 of its bytes, in hex.
    digest: String,
    /// When it was put there.
    changed: String,
    /// Where it is to be had, for as long as it is kept.
    uri: String,
}

/// The files of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct KeptFiles {
    /// Sorted by name.
    files: Vec<KeptFile>,
}

/// A file that was put there.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct PutFile {
    /// The id under which that stands in the ledger.
    id: String,
    /// What the file is called, within its session.
    name: String,
    /// How long it is.
    bytes: u64,
    /// What it is, by its bytes or its name.
    media_type: &'static str,
    /// blake3 of its bytes, in hex.
    digest: String,
    /// Where it is to be had, for as long as it is kept.
    uri: String,
}

/// The bytes of a file, as they are.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "it describes a body that is no JSON")]
pub(super) struct FileBytes(Vec<u8>);

/// What a file is to be called.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::gateway) struct Named {
    name: String,
}

/// What the session has in its workspace; nothing where there is no such session.
#[utoipa::path(
    get,
    path = "/v1/sessions/{id}/files",
    params(("id" = String, Path, description = "The session, as in `session` of a call, or the id of a call that named none.")),
    security(("bearer" = []), ("api_key" = [])),
    responses(
        (status = 200, description = "Its files.", body = KeptFiles),
        (status = 503, description = "They cannot be read.",
            body = ProblemReply, content_type = "application/problem+json"),
        (status = "4XX", description = "The message was not understood.",
            body = ProblemReply, content_type = "application/problem+json"),
    ),
)]
pub(in crate::gateway) async fn list(
    State(doors): State<Doors>,
    Path(session): Path<String>,
    request: Request,
) -> Response {
    let (parts, _) = request.into_parts();
    let listed = async { Ok(drawer(&doors, &parts, &session)?.list().await?) };
    let listed: Result<Vec<Entry>, Refusal> = listed.await;
    let kept = |entry: Entry| KeptFile {
        uri: address::path(&session, &entry.name),
        name: entry.name.to_string(),
        bytes: entry.bytes,
        media_type: entry.media_type,
        digest: entry.digest.to_string(),
        changed: Timestamp::from_unix_ms(entry.changed_ms).to_string(),
    };
    listed
        .map(|entries| axum::Json(KeptFiles { files: entries.into_iter().map(kept).collect() }))
        .into_response()
}

/// Puts a file into the session's workspace, in the place of one of the same name. The body is
/// the file as it is, whatever its Content-Type says.
#[utoipa::path(
    post,
    path = "/v1/sessions/{id}/files",
    request_body(content = FileBytes, content_type = "application/octet-stream"),
    params(
        ("id" = String, Path, description = "The session, as in `session` of a call."),
        ("name" = String, Query, description = "The file's name below `/workspace`: relative, at most 16 parts and 512 bytes."),
    ),
    security(("bearer" = []), ("api_key" = [])),
    responses(
        (status = 201, description = "It is recorded and there.", body = PutFile),
        (status = 413, description = "It is too large, or the session or the tenant has too much.",
            body = ProblemReply, content_type = "application/problem+json"),
        (status = 429, description = "The subject sends too much at once.",
            body = ProblemReply, content_type = "application/problem+json"),
        (status = 503, description = "It cannot be recorded or kept.",
            body = ProblemReply, content_type = "application/problem+json"),
        (status = "4XX", description = "The message was not understood.",
            body = ProblemReply, content_type = "application/problem+json"),
    ),
)]
pub(in crate::gateway) async fn put(
    State(doors): State<Doors>,
    Path(session): Path<String>,
    named: Result<Query<Named>, axum::extract::rejection::QueryRejection>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let name = named.ok().and_then(|Query(Named { name })| Name::new(&name));
    take(&doors, &session, name, (&parts, body)).await.into_response()
}

async fn take(
    doors: &Doors,
    session: &str,
    name: Option<Name>,
    (parts, body): (&Parts, Body),
) -> Result<(StatusCode, axum::Json<PutFile>), Refusal> {
    let (drawer, name) = drawer_of_file(doors, parts, session, name)?;
    let _held = drawer.transfer()?;
    let bytes_max = doors.gateway.workspaces.settings().file_bytes_max;
    let read = body::read_file(&parts.headers, body, (bytes_max, doors.settings.body_ms_max));
    let content = read.await.map_err(Problem::from)?;
    let file = File::new(name, content);
    let told = |id: crate::call::CallId| PutFile {
        id: id.to_string(),
        name: file.name.to_string(),
        bytes: file.bytes(),
        media_type: file.media_type,
        digest: file.digest.to_string(),
        uri: address::path(session, &file.name),
    };
    let id = drawer.put(file.clone()).await?;
    Ok((StatusCode::CREATED, axum::Json(told(id))))
}

/// A file's bytes.
#[utoipa::path(
    get,
    path = "/v1/sessions/{id}/files/{name}",
    params(
        ("id" = String, Path, description = "The session, as in `session` of a call, or the id of a call that named none."),
        ("name" = String, Path, description = "The file's name below `/workspace`; its `/` need not be encoded."),
    ),
    security(("bearer" = []), ("api_key" = [])),
    responses(
        (status = 200, description = "The bytes. The ETag is their digest.",
            body = FileBytes, content_type = "application/octet-stream"),
        (status = 304, description = "They are those that If-None-Match names."),
        (status = 429, description = "Too many files are on their way.",
            body = ProblemReply, content_type = "application/problem+json"),
        (status = 503, description = "They cannot be read.",
            body = ProblemReply, content_type = "application/problem+json"),
        (status = "4XX", description = "There is no such file, or the message was not understood.",
            body = ProblemReply, content_type = "application/problem+json"),
    ),
)]
pub(in crate::gateway) async fn get(
    State(doors): State<Doors>,
    Path((session, name)): Path<(String, String)>,
    request: Request,
) -> Response {
    let (parts, _) = request.into_parts();
    let read = async {
        let (drawer, name) = drawer_of_file(&doors, &parts, &session, Name::new(&name))?;
        let held = drawer.transfer()?;
        let (entry, content) = drawer.read(&name).await?;
        let mut response = if is_known(&entry, &parts.headers) {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            sent(content, held)
        };
        dress(response.headers_mut(), &entry);
        Ok::<Response, Refusal>(response)
    };
    read.await.into_response()
}

/// Removes a file.
#[utoipa::path(
    delete,
    path = "/v1/sessions/{id}/files/{name}",
    params(
        ("id" = String, Path, description = "The session, as in `session` of a call, or the id of a call that named none."),
        ("name" = String, Path, description = "The file's name below `/workspace`; its `/` need not be encoded."),
    ),
    security(("bearer" = []), ("api_key" = [])),
    responses(
        (status = 204, description = "It is recorded, and the file is there no more."),
        (status = 429, description = "The subject sends too much at once.",
            body = ProblemReply, content_type = "application/problem+json"),
        (status = 503, description = "It cannot be recorded or done.",
            body = ProblemReply, content_type = "application/problem+json"),
        (status = "4XX", description = "There is no such file, or the message was not understood.",
            body = ProblemReply, content_type = "application/problem+json"),
    ),
)]
pub(in crate::gateway) async fn remove(
    State(doors): State<Doors>,
    Path((session, name)): Path<(String, String)>,
    request: Request,
) -> Response {
    let (parts, _) = request.into_parts();
    let removed = async {
        let (drawer, name) = drawer_of_file(&doors, &parts, &session, Name::new(&name))?;
        drawer.remove(name).await?;
        Ok::<StatusCode, Refusal>(StatusCode::NO_CONTENT)
    };
    removed.await.into_response()
}

const NO_NAME: &str = "the name of a file is relative, of at most 16 parts and 512 bytes, and has \
                       no part that is empty, `.` or `..`, no backslash and no control character";

fn drawer(doors: &Doors, parts: &Parts, session: &str) -> Result<Drawer, Refusal> {
    let subject = parts.extensions.get::<Subject>().cloned();
    let subject = subject.ok_or_else(|| Problem::from(Kind::Unauthenticated))?;
    let session = propose::session_in_path(session)?;
    Ok(Drawer::new(doors.gateway.clone(), subject, session))
}

/// The drawer of a message about one file, and that file's name.
fn drawer_of_file(
    doors: &Doors,
    parts: &Parts,
    session: &str,
    name: Option<Name>,
) -> Result<(Drawer, Name), Refusal> {
    let drawer = drawer(doors, parts, session)?;
    Ok((drawer, name.ok_or_else(|| Problem::malformed(NO_NAME))?))
}

/// A message that is not done as it asks.
#[derive(Debug)]
struct Refusal {
    problem: Box<Problem>,
    retry_after_ms: Option<u64>,
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self { problem: Box::new(problem), retry_after_ms: None }
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        let later = |ms| Self { retry_after_ms: ms, ..Problem::from(Kind::TooOften).into() };
        match refused {
            Refused::Missing => {
                let detail = "The session has no such file, or no longer.".into();
                Problem { detail, ..Kind::NotFound.into() }.into()
            }
            Refused::Full(limit) => {
                let detail = format!("The limit `{limit}` is reached.").into();
                Problem { detail, ..Kind::TooLarge.into() }.into()
            }
            Refused::TooOften(after_ms) => later(after_ms),
            Refused::Busy => later(Some(BUSY_MS)),
            Refused::Unavailable => Problem::from(Kind::Unavailable).into(),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        self.problem.with_retry(self.retry_after_ms)
    }
}

/// When to come again where too many files are on their way.
const BUSY_MS: u64 = 1_000;

/// How much of a file is handed to a connection at once.
const PIECE_BYTES: usize = 64 << 10;

/// The bytes piece by piece: leave to hold them is given back when the last one goes.
fn sent(content: Vec<u8>, held: Transfer) -> Response {
    let length = HeaderValue::from(content.len());
    let rest = (Bytes::from(content), held);
    let pieces = stream::unfold(rest, async |(mut rest, held)| {
        let piece = rest.split_to(rest.len().min(PIECE_BYTES));
        (!piece.is_empty()).then_some((Ok::<Bytes, Infallible>(piece), (rest, held)))
    });
    let mut response = Body::from_stream(pieces).into_response();
    response.headers_mut().insert(header::CONTENT_LENGTH, length);
    response
}

fn tag(entry: &Entry) -> String {
    format!("\"{}\"", entry.digest)
}

/// Whether the client says that it has these bytes.
fn is_known(entry: &Entry, asked: &HeaderMap) -> bool {
    let tag = tag(entry);
    asked.get_all(header::IF_NONE_MATCH).iter().any(|given| {
        given.to_str().is_ok_and(|given| given.split(',').any(|one| one.trim() == tag))
    })
}

/// What keeps browsers from making more of a file than a file. That its type must not be guessed
/// is said with every reply.
fn dress(headers: &mut HeaderMap, entry: &Entry) {
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(sent_as(entry.media_type)));
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox"));
    if let Ok(tag) = HeaderValue::from_str(&tag(entry)) {
        headers.insert(header::ETAG, tag);
    }
}

/// What a browser might show as a page, or run, is sent as bytes.
fn sent_as(media_type: &'static str) -> &'static str {
    match media_type {
        "text/html" | "image/svg+xml" | "application/xml" => "application/octet-stream",
        "text/plain" => "text/plain; charset=utf-8",
        "text/csv" => "text/csv; charset=utf-8",
        other => other,
    }
}
