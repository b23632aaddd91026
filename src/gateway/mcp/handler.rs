//! What rmcp asks of a server: who it is, its tools, calls of them.

use super::{link, resources, text};
use crate::call::{Door, Subject};
use crate::enforce::Purpose;
use crate::gateway::Gateway;
use crate::gateway::propose::{Asked, Desk, Proposal};
use crate::gateway::reply::Reply;
use crate::gateway::tools;
use http::request::Parts;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, ListResourcesResult, ListToolsResult, MetaObject, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::json;
use std::sync::Arc;

/// How long a client may keep the list of tools.
const LIST_MS: u64 = 60_000;

/// The member of a result's `_meta` that tells the decision to programs.
const DECISION: &str = "regate/decision";

const INSTRUCTIONS: &str = "Every call is read and judged before it runs. A refusal is a result \
    that says what was refused, where, and what to do instead: follow it rather than sending the \
    same call again.";

/// The tools behind the MCP door.
#[derive(Clone)]
pub(super) struct Handler {
    gateway: Gateway,
    desk: Desk,
}

impl Handler {
    pub(super) fn new(gateway: Gateway, desk: Desk) -> Self {
        Self { gateway, desk }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let server = Implementation::new("regate", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities).with_server_info(server).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool: Tool = serde_json::from_value(tools::describe()).map_err(|error| {
            tracing::error!(%error, "a tool cannot be described");
            ErrorData::internal_error("the tools cannot be listed", None)
        })?;
        Ok(ListToolsResult::with_all_items(vec![tool])
            .with_ttl_ms(LIST_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn call_tool(
        &self,
        as_rmcp_read_it: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let proposal = proposal(&context).ok_or_else(|| {
            tracing::error!("a call reached the tools without passing the door");
            ErrorData::internal_error("the call did not come through the door", None)
        })?;
        let answer = self.desk.propose(proposal, Purpose::Act).await;
        let image_bytes_max = self.gateway.workspaces.settings().image_bytes_max;
        let files = resources::of_result(&answer, image_bytes_max);
        let reply = Reply::from(answer);
        match link::offered(&reply, &as_rmcp_read_it, &context) {
            Some(link) => link.answer(&context),
            None => Ok(result(&reply, files)?.into()),
        }
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = page.and_then(|page| page.cursor);
        resources::list(&self.gateway, cursor.as_deref(), &context).await
    }

    async fn read_resource(
        &self,
        asked: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(resources::read(&self.gateway, &asked.uri, &context).await?.into())
    }
}

/// The call as the door read it, with the subject of the very message that carried it.
fn proposal(context: &RequestContext<RoleServer>) -> Option<Proposal> {
    let extensions = &context.extensions.get::<Parts>()?.extensions;
    Some(Proposal {
        door: Door::Mcp,
        subject: extensions.get::<Subject>()?.clone(),
        asked: Asked::clone(extensions.get::<Arc<Asked>>()?),
    })
}

fn result(reply: &Reply, files: Vec<ContentBlock>) -> Result<CallToolResult, ErrorData> {
    let structured = serde_json::to_value(reply).map_err(|error| {
        tracing::error!(%error, "a reply cannot be written");
        ErrorData::internal_error("the reply cannot be written", None)
    })?;
    let mut content = vec![ContentBlock::text(text::answer(reply))];
    content.extend(files);
    let well = reply.result.as_ref().is_some_and(|run| run.exit_code == Some(0));
    let mut result =
        if well { CallToolResult::success(content) } else { CallToolResult::error(content) };
    let mut meta = MetaObject::default();
    meta.0.insert(
        DECISION.to_owned(),
        json!({
            "id": reply.id, "decision": reply.decision, "cause": reply.cause, "policy": reply.policy,
        }),
    );
    result.structured_content = Some(structured);
    result.meta = Some(meta);
    Ok(result)
}
