//! One piece of code read, and decided on as a call from this machine.
//!
//! Must never decide anything itself, nor run anything.

use super::gather::Input;
use crate::call::{
    Authentication, CallId, Door, Json, Language, Session, Source, Subject, Timestamp, Tool,
    ToolCall,
};
use crate::enforce::{Answer, Conclusion};
use crate::facts::{self, Limits};
use crate::policy::{Code, Context, Decision, Policy, Ruling};
use crate::sandbox::Run;
use anyhow::Context as _;
use std::io::Read;
use std::sync::Arc;

/// The source of an input.
pub(super) fn read(input: &Input, language: Language) -> anyhow::Result<Source> {
    // One byte more than is read at the most, so that a longer source is refused as too large
    // rather than judged by its beginning.
    let bytes_max = u64::from(Limits::default().source_bytes_max) + 1;
    let mut bytes = Vec::new();
    match input {
        Input::Standard => {
            std::io::stdin().take(bytes_max).read_to_end(&mut bytes).context("standard input")?;
        }
        Input::File(path) => {
            let opened = std::fs::File::open(path);
            opened
                .and_then(|opened| opened.take(bytes_max).read_to_end(&mut bytes))
                .with_context(|| format!("cannot read {}", path.display()))?;
        }
    }
    Ok(Source::new(language, bytes))
}

/// The facts of a source.
pub(super) fn extract(source: &Source, policy: &Policy) -> Code {
    Code::new(facts::extract(source, policy.catalogue(), &Limits::default()))
}

/// What policy says of this code as the argument of a tool.
pub(super) fn decide(
    policy: &Policy,
    source: &Source,
    code: &Code,
    tool: &str,
    now: Timestamp,
) -> Decision {
    let session = Session { id: "default".into(), step: 1, started: now, history: Vec::new() };
    policy.decide(&call(source, tool, now), Some(code), &Context { now, session })
}

fn call(source: &Source, tool: &str, now: Timestamp) -> ToolCall {
    let text = String::from_utf8_lossy(source.bytes()).into_owned();
    ToolCall {
        id: CallId::new("check"),
        door: Door::Cli,
        subject: Subject {
            id: "local".into(),
            tenant: "local".into(),
            roles: Vec::new(),
            authentication: Authentication::Local,
        },
        session: None,
        tool: Tool::builtin(tool),
        arguments: Json::Object(vec![("code".into(), Json::String(text.into()))]),
        source: Some(source.clone()),
        received: now,
    }
}

/// The decision as every door answers it.
pub(super) fn answer(decision: &Decision, code: &Code) -> Answer<Run> {
    let conclusion = match &decision.ruling {
        Ruling::Permitted(_) => Conclusion::Permitted(None),
        Ruling::Held(_) => Conclusion::Held,
        Ruling::Denied(_) => Conclusion::Denied,
    };
    Answer {
        call: decision.call.clone(),
        conclusion,
        cause: decision.ruling.cause(),
        findings: decision.findings.clone(),
        policy: Arc::clone(&decision.policy),
        coverage_complete: Some(code.facts().complete()),
        retry_after_ms: None,
    }
}
