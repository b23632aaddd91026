//! Where every door brings its calls: one way in, so that a call is answered alike at each.
//!
//! Must never read a message: it is handed what a door understood.

use super::Gateway;
use super::problem::Problem;
use super::tools::{self, Plan, RunPython, Unserved};
use super::trace;
use crate::call::{Door, Json, Source, Subject, Text, Tool, ToolCall};
use crate::enforce::{Answer, Effect, Purpose};
use crate::policy::{Finding, Severity};
use crate::sandbox::Run;
use http::{HeaderMap, HeaderName};
use utoipa::ToSchema;

/// What a message asks for.
#[derive(Debug, Clone, ToSchema)]
#[schema(as = Call)]
pub(super) struct Asked {
    /// The name of the tool.
    #[schema(value_type = String, min_length = 1, max_length = 128, example = "run_python")]
    pub(super) tool: Text,
    /// The tool's arguments.
    #[schema(value_type = Object, example = json!({"code": "print(1)"}))]
    pub(super) arguments: Json,
    /// The agent's run that the call belongs to; the subject's own default run where absent.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 128)]
    pub(super) session: Option<Text>,
}

/// A call as a door understood it.
#[derive(Debug, Clone)]
pub(super) struct Proposal {
    pub(super) door: Door,
    pub(super) subject: Subject,
    pub(super) asked: Asked,
}

/// The longest name of a tool or a session, in bytes.
const NAME_BYTES_MAX: usize = 128;

/// What stands for the tool of a call that could not be read far enough to name one.
const UNREAD: &str = "unread";

/// A name of a tool or a session as it may stand in records: visible ASCII, bounded.
pub(super) fn name(text: &str) -> Option<Text> {
    let fits = (1..=NAME_BYTES_MAX).contains(&text.len());
    (fits && text.bytes().all(|byte| byte.is_ascii_graphic())).then(|| text.into())
}

/// The header that names the agent's run.
const SESSION: HeaderName = HeaderName::from_static("regate-session");

/// Where a message itself says to which run its call belongs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Told<'a> {
    /// The session by its name.
    pub(super) session: Option<&'a Json>,
    /// The trace that the call is a part of.
    pub(super) traceparent: Option<&'a Json>,
}

/// What is said where a session's name is none.
const NO_SESSION: &str = "the session must be 1 to 128 visible ASCII characters";

/// The session that a path names.
///
/// # Errors
/// Where it is no name.
pub(super) fn session_in_path(part: &str) -> Result<Text, Problem> {
    name(part).ok_or_else(|| Problem::malformed(NO_SESSION))
}

/// The session that a message names in its header, its body or both; where it names none, the
/// trace that it is a part of.
///
/// # Errors
/// Where it is no name, or the two differ.
pub(super) fn session(headers: &HeaderMap, told: Told<'_>) -> Result<Option<Text>, String> {
    let trace = || told.traceparent.and_then(Json::as_str).and_then(trace::session_of);
    let traced = || trace().or_else(|| trace::session_of_header(headers));
    Ok(named(headers, told.session)?.or_else(traced))
}

fn named(headers: &HeaderMap, body: Option<&Json>) -> Result<Option<Text>, String> {
    let mut values = headers.get_all(SESSION).iter();
    let in_header = match (values.next(), values.next()) {
        (None, _) => None,
        (Some(value), None) => Some(value.to_str().ok().and_then(name).ok_or(NO_SESSION)?),
        (Some(_), Some(_)) => return Err("the session is named by two headers".to_owned()),
    };
    let in_body = match body {
        None | Some(Json::Null) => None,
        Some(value) => Some(value.as_str().and_then(name).ok_or(NO_SESSION)?),
    };
    match (in_header, in_body) {
        (Some(header), Some(body)) if header != body => {
            Err("the header and the body name different sessions".to_owned())
        }
        (header, body) => Ok(header.or(body)),
    }
}

/// Where the doors bring their calls.
#[derive(Debug, Clone)]
pub(super) struct Desk {
    gateway: Gateway,
}

impl Desk {
    pub(super) fn new(gateway: Gateway) -> Self {
        Self { gateway }
    }

    /// Puts a call to the guard, which sees it through even where the caller goes away.
    pub(super) async fn propose(&self, proposal: Proposal, purpose: Purpose) -> Answer<Run> {
        match tools::plan(&proposal.asked.tool, &proposal.asked.arguments) {
            Ok(Plan::RunPython(source)) => {
                let session = proposal.asked.session.clone();
                let effect = RunPython::new(&self.gateway, source.clone(), session);
                self.judge(self.call(proposal, Some(source)), effect, purpose).await
            }
            Ok(Plan::Unserved) => self.judge(self.call(proposal, None), Unserved, purpose).await,
            Err(finding) => self.refuse(proposal, finding, purpose).await,
        }
    }

    async fn judge<E: Effect<Output = Run>>(
        &self,
        call: ToolCall,
        effect: E,
        purpose: Purpose,
    ) -> Answer<Run> {
        let guard = &self.gateway.guard;
        match purpose {
            Purpose::Act => guard.guard(call, effect).await,
            Purpose::Advise => guard.advise(call, effect).await,
        }
    }

    /// Records a call that was understood but cannot be put to policy.
    pub(super) async fn refuse(
        &self,
        proposal: Proposal,
        finding: Finding,
        purpose: Purpose,
    ) -> Answer<Run> {
        self.gateway.guard.refuse(self.call(proposal, None), finding, purpose).await
    }

    /// Records a message that could not be understood, of a subject that is known: it may have
    /// been meant as a call of any tool.
    pub(super) async fn refuse_unread(
        &self,
        door: Door,
        subject: Subject,
        finding: Finding,
        purpose: Purpose,
    ) -> Answer<Run> {
        let asked =
            Asked { tool: UNREAD.into(), arguments: Json::Object(Vec::new()), session: None };
        let mut call = self.call(Proposal { door, subject, asked }, None);
        call.tool.server = UNREAD.into();
        self.gateway.guard.refuse(call, finding, purpose).await
    }

    fn call(&self, proposal: Proposal, source: Option<Source>) -> ToolCall {
        let Proposal { door, subject, asked } = proposal;
        let Asked { tool, arguments, session } = asked;
        ToolCall {
            id: self.gateway.guard.call_id(),
            door,
            subject,
            session,
            tool: Tool::builtin(tool),
            arguments,
            source,
            received: self.gateway.guard.now(),
        }
    }
}

/// A finding of the doors' own.
pub(super) fn finding(rule: &str, message: &str, remedy: &str) -> Finding {
    Finding {
        rule: rule.into(),
        span: None,
        message: message.into(),
        severity: Severity::Low,
        remedy: remedy.into(),
    }
}
