//! One piece of code read, and decided on as a call from this machine.
//!
//! Must never decide anything itself, nor run anything.

use super::gather::Input;
use crate::call::{Language, Source, Timestamp};
use crate::cli::local;
use crate::enforce::{Answer, Conclusion};
use crate::facts::{self, Limits};
use crate::policy::{Code, Decision, Policy, Ruling};
use crate::redact::Counts;
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
    policy.decide(&local::call(source, tool, now), Some(code), &local::context(now))
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
        redactions: Counts::default(),
        approval: None,
        approval_page: None,
    }
}
