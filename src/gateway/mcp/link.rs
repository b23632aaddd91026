//! The link to the page where a person answers, for clients that can show one: MCP's elicitation
//! by URL.
//!
//! The page is the team's own. Must never take what a client says of it for an answer: a call that
//! comes again is judged again, and only who may answer does, where answers come in.

use crate::gateway::reply::Reply;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ElicitRequest, ElicitRequestParams, ErrorCode,
    ErrorData, InputRequest, InputRequests, InputRequiredResult,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::json;

/// The answer of the old era: the call cannot go on before its elicitations.
const URL_ELICITATION_REQUIRED: ErrorCode = ErrorCode(-32042);

/// The name under which a client of the new era answers.
const APPROVAL: &str = "approval";

/// A link, for a client that takes one.
pub(super) struct Link {
    url: String,
    approval: String,
    message: String,
}

/// The link for this call, where it waits for a person, there is a page, the client can show one,
/// and did not say already what became of that.
pub(super) fn offered(
    reply: &Reply,
    asked: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Link> {
    let declared = context.client_capabilities()?.elicitation?.url.is_some();
    let (url, approval) = (reply.approval_page.clone()?, reply.approval.clone()?);
    (declared && asked.input_responses.is_none()).then(|| {
        let message = format!(
            "The call has to be approved, and waits as {approval}. Whoever may approve it answers \
             on this page."
        );
        Link { url, approval, message }
    })
}

impl Link {
    /// The answer to the call in the client's own era.
    ///
    /// # Errors
    /// In the old era the link is an error, as the protocol has it.
    pub(super) fn answer(
        self,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let version = context.protocol_version();
        let new = version.is_some_and(|version| !version.has_initialize());
        if new { Ok(self.input_required().into()) } else { Err(self.error()) }
    }

    fn input_required(self) -> InputRequiredResult {
        let params = ElicitRequestParams::UrlElicitationParams {
            meta: None,
            message: self.message,
            url: self.url,
            elicitation_id: self.approval,
        };
        let shown = InputRequest::Elicitation(ElicitRequest::new(params));
        InputRequiredResult::from_input_requests(InputRequests::from([(
            APPROVAL.to_owned(),
            shown,
        )]))
    }

    fn error(self) -> ErrorData {
        let Self { url, approval, message } = self;
        let shown =
            json!({"mode": "url", "url": url, "elicitationId": approval, "message": message});
        ErrorData::new(URL_ELICITATION_REQUIRED, message, Some(json!({"elicitations": [shown]})))
    }
}
