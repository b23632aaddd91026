//! What is told of a message that was not understood: RFC 9457 problem details.
//!
//! Must never carry what was sent, nor an error's own text.

use crate::call::CallId;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use std::borrow::Cow;
use utoipa::ToSchema;

/// Why a message was not understood. A closed set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The body is not what the door takes.
    Malformed,
    /// No key, or none that is known.
    Unauthenticated,
    /// Meant for another host, or sent by an unknown page.
    Forbidden,
    /// Nothing is served there.
    NotFound,
    /// Not by this method.
    Method,
    /// The body did not come in time.
    TooSlow,
    /// The body broke off.
    BrokenOff,
    /// The body is over the cap.
    TooLarge,
    /// The body is not JSON, or is encoded.
    MediaType,
    /// Not for this subject to do.
    Barred,
    /// It was done already, or its time is over.
    Closed,
    /// The subject sends too much at once.
    TooOften,
    /// It cannot be recorded or counted.
    Unavailable,
}

impl Kind {
    pub(super) const fn status(self) -> StatusCode {
        match self {
            Self::Malformed | Self::BrokenOff => StatusCode::BAD_REQUEST,
            Self::Unauthenticated => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Barred => StatusCode::FORBIDDEN,
            Self::Closed => StatusCode::CONFLICT,
            Self::TooOften => StatusCode::TOO_MANY_REQUESTS,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Malformed => "The message was not understood",
            Self::Unauthenticated => "An API key is needed",
            Self::Forbidden => "Not from there",
            Self::NotFound => "Nothing is served here",
            Self::Method => "Not by this method",
            Self::TooSlow => "The body did not come in time",
            Self::BrokenOff => "The body broke off",
            Self::TooLarge => "The body is too large",
            Self::MediaType => "The body must be JSON",
            Self::Barred => "Not for this subject to do",
            Self::Closed => "Too late",
            Self::TooOften => "Too much at once",
            Self::Unavailable => "It was not taken",
        }
    }

    /// What to do about it, where the place of the fault says no more.
    pub(super) const fn detail(self) -> &'static str {
        match self {
            Self::Malformed => "Send the JSON object that /openapi.json describes.",
            Self::Unauthenticated => {
                "Send one known key, as `Authorization: Bearer KEY` or as `X-Api-Key: KEY`."
            }
            Self::Forbidden => "Configure the Host or the Origin to serve it.",
            Self::NotFound => "/openapi.json describes what is served.",
            Self::Method => "The Allow header names the methods.",
            Self::TooSlow => "Send the body without a pause.",
            Self::BrokenOff => "Send the whole body.",
            Self::TooLarge => "Send less.",
            Self::MediaType => {
                "Send `Content-Type: application/json` in UTF-8, without a Content-Encoding."
            }
            Self::Barred => "Use a key whose subject has the role.",
            Self::Closed => "Look at it again: it was answered, or its time is over.",
            Self::TooOften => "The Retry-After header says when to send it again.",
            Self::Unavailable => "Send it again later; the operator is told.",
        }
    }
}

/// A message that was not understood.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) kind: Kind,
    /// What is wrong and where, or what to do.
    pub(super) detail: Cow<'static, str>,
    /// The id under which it stands in the ledger, where the subject is known.
    pub(super) call: Option<CallId>,
}

impl From<Kind> for Problem {
    fn from(kind: Kind) -> Self {
        Self { kind, detail: kind.detail().into(), call: None }
    }
}

impl Problem {
    pub(super) fn malformed(detail: impl Into<Cow<'static, str>>) -> Self {
        Self { kind: Kind::Malformed, detail: detail.into(), call: None }
    }

    pub(super) fn recorded(self, call: CallId) -> Self {
        Self { call: Some(call), ..self }
    }
}

/// Problem details as RFC 9457 has them.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ProblemReply {
    /// Always `about:blank`: the status says what kind of problem it is.
    #[serde(rename = "type")]
    kind: &'static str,
    /// A short name of the problem.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// What is wrong and where, or what to do.
    detail: String,
    /// The id under which it stands in the ledger; `null` where the subject is not known.
    call: Option<String>,
}

impl Problem {
    /// The reply, with when to come again where that is known.
    pub(super) fn with_retry(self, after_ms: Option<u64>) -> Response {
        let mut response = self.into_response();
        if let Some(ms) = after_ms {
            let seconds = HeaderValue::from(ms.div_ceil(1_000));
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self { kind, detail, call } = self;
        let status = kind.status();
        let reply = ProblemReply {
            kind: "about:blank",
            title: kind.title(),
            status: status.as_u16(),
            detail: detail.into_owned(),
            call: call.map(|call| call.to_string()),
        };
        let mut response = (status, axum::Json(reply)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, PROBLEM_JSON);
        if kind == Kind::Unauthenticated {
            headers.insert(header::WWW_AUTHENTICATE, CHALLENGE);
        }
        response
    }
}

const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");
const CHALLENGE: HeaderValue = HeaderValue::from_static("Bearer realm=\"regate\"");
