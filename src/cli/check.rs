//! `regate check` and `regate facts`: a piece of code judged or read, never run.

use super::Exit;
use super::args::{Check, Facts, Format};
use super::output::{Output, plain};
use super::policy::load;
use crate::call::{
    Authentication, CallId, Door, Json, Language, Session, Source, Subject, Timestamp, Tool,
    ToolCall,
};
use crate::enforce::{Answer, Conclusion};
use crate::facts::{self, Limits};
use crate::gateway::Reply;
use crate::policy::{Code, Context, Decision, Finding, Policy, Ruling};
use crate::sandbox::Run;
use anyhow::Context as _;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

pub(super) fn check(args: &Check, output: &mut Output) -> anyhow::Result<Exit> {
    let policy = load(&args.bundle)?;
    let source = read(&args.file, args.language.into())?;
    let code = extract(&source, &policy);
    let now = super::serve::clock();
    let decision = policy.decide(&local_call(&source, &args.tool, now), Some(&code), &context(now));
    let exit = match &decision.ruling {
        Ruling::Permitted(_) => Exit::Done,
        Ruling::Held(_) => Exit::Held,
        Ruling::Denied(_) => Exit::Denied,
    };
    match args.format {
        Format::Json => output.line(serde_json::to_string(&Reply::from(answer(decision, &code)))?),
        Format::Text => show(&args.file, &decision, output),
    }
    Ok(exit)
}

pub(super) fn facts(args: &Facts, output: &mut Output) -> anyhow::Result<Exit> {
    let policy = load(&args.bundle)?;
    let source = read(&args.file, args.language.into())?;
    let facts: serde_json::Value = serde_json::from_str(&extract(&source, &policy).to_json())?;
    output.line(serde_json::to_string_pretty(&facts)?);
    Ok(Exit::Done)
}

fn extract(source: &Source, policy: &Policy) -> Code {
    Code::new(facts::extract(source, policy.catalogue(), &Limits::default()))
}

fn read(file: &Path, language: Language) -> anyhow::Result<Source> {
    // One byte more than is read at the most, so that a longer source is refused as too large
    // rather than judged by its beginning.
    let bytes_max = u64::from(Limits::default().source_bytes_max) + 1;
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        std::io::stdin().take(bytes_max).read_to_end(&mut bytes).context("standard input")?;
    } else {
        let opened = std::fs::File::open(file);
        opened
            .and_then(|opened| opened.take(bytes_max).read_to_end(&mut bytes))
            .with_context(|| format!("cannot read {}", file.display()))?;
    }
    Ok(Source::new(language, bytes))
}

/// A call of the person at the command line.
pub(super) fn local_call(source: &Source, tool: &str, now: Timestamp) -> ToolCall {
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

/// The context of such a call.
pub(super) fn context(now: Timestamp) -> Context {
    let session = Session { id: "default".into(), step: 1, started: now, history: Vec::new() };
    Context { now, session }
}

fn answer(decision: Decision, code: &Code) -> Answer<Run> {
    let cause = decision.ruling.cause();
    let conclusion = match decision.ruling {
        Ruling::Permitted(_) => Conclusion::Permitted(None),
        Ruling::Held(_) => Conclusion::Held,
        Ruling::Denied(_) => Conclusion::Denied,
    };
    Answer {
        call: decision.call,
        conclusion,
        cause,
        findings: decision.findings,
        policy: Arc::clone(&decision.policy),
        coverage_complete: Some(code.facts().complete()),
        retry_after_ms: None,
    }
}

fn show(file: &Path, decision: &Decision, output: &mut Output) {
    let name = plain(&file.display().to_string());
    let (word, cause) = (decision.ruling.as_str(), decision.ruling.cause().as_str());
    match &decision.ruling {
        Ruling::Permitted(_) => output.line(format!("{name}: {word}")),
        Ruling::Held(_) | Ruling::Denied(_) => output.line(format!("{name}: {word} ({cause})")),
    }
    for finding in &decision.findings {
        show_finding(&name, finding, output);
    }
}

/// As compilers do: file, line and column from 1, so that an editor can jump there.
fn show_finding(file: &str, finding: &Finding, output: &mut Output) {
    let place = finding.span.map_or_else(
        || file.to_owned(),
        |span| format!("{file}:{}:{}", span.line, span.column.saturating_add(1)),
    );
    let (rule, message) = (plain(&finding.rule), plain(&finding.message));
    output.line(format!("{place}: {} [{rule}] {message}", finding.severity.as_str()));
    if !finding.remedy.is_empty() {
        output.line(format!("    instead: {}", plain(&finding.remedy)));
    }
}
