//! The REST door in the words of OpenAPI, made from the types that it sends.

use super::super::{operate, problem, propose, records, reply};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Regate",
        description = "A policy-as-code guardrail gateway between LLM agents and their tools. \
            /v1 needs an API key where one is configured; the other addresses are open.",
    ),
    paths(
        super::calls,
        super::decisions,
        records::list,
        super::approvals::list,
        super::approvals::show,
        super::approvals::answer,
        super::usage::usage,
        super::files::list,
        super::files::put,
        super::files::get,
        super::files::remove,
        operate::healthz,
        operate::readyz,
        operate::metrics,
    ),
    components(schemas(
        propose::Asked,
        super::usage::Report,
        super::usage::Reported,
        super::files::FileBytes,
        super::files::KeptFiles,
        super::files::PutFile,
        reply::Reply,
        super::approvals::Approvals,
        super::approvals::Answered,
        problem::ProblemReply,
        records::PageReply,
        operate::Readyz,
    )),
    modifiers(&Keys),
)]
struct Description;

struct Keys;

impl Modify for Keys {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let components = openapi.components.get_or_insert_default();
        let bearer = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        components.add_security_scheme("bearer", bearer);
        let header = SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new("X-Api-Key")));
        components.add_security_scheme("api_key", header);
    }
}

/// `GET /openapi.json`.
pub(in crate::gateway) async fn describe() -> axum::Json<utoipa::openapi::OpenApi> {
    axum::Json(Description::openapi())
}
