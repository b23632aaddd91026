//! `run_python`: a Python program, run once in a fresh sandbox.

use super::connections::{self, Connections};
use crate::call::{Json, Language, Number, Source, Text, ToolCall};
use crate::enforce::{
    Done, Effect, Grounds, Keeper, Lost, Outcome, Shown, ShownFile, ShownText, Unkept, own_rules,
};
use crate::facts::drift::{Drift, Event, drift};
use crate::gateway::Gateway;
use crate::gateway::propose::finding;
use crate::policy::{Caps, Code, Confinement, Finding, Obligations, Permit, Policy};
use crate::redact::Ending;
use crate::sandbox::egress::{Gate, Target};
use crate::sandbox::workspace::{Changes, File, Files, Given, Kept, Owner};
use crate::sandbox::{self, End, Program, Run, Standing};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The profile of a permit that names none.
pub(in crate::gateway) const PROFILE_DEFAULT: &str = "strict";

/// What a model is told of the tool.
const DESCRIPTION: &str = "Run a Python 3 program and get its stdout, stderr and exit code. \
    The program runs alone in a fresh sandbox that is thrown away afterwards: no variable is kept \
    between calls, so send a whole program each time and print what you want to see. \
    It may compute, transform data and text, and read and write files under /workspace, its \
    working directory. Files that it leaves there are handed out: images are shown to you, so \
    save a plot with savefig instead of showing it. The result says whether the next call finds \
    these files. \
    It has no network but for hosts that the gateway's policy may open to \
    urllib.request.urlopen, called with a URL that is written out in the code, \
    and it is read before it runs: starting processes, dynamic code (eval, \
    exec, dynamic import), native code, introspection and files elsewhere are refused. \
    A refusal names the rule, the line and what to do instead. Do not send the same program \
    again after a refusal; change what was refused.";

/// The tool as `tools/list` shows it.
pub(in crate::gateway) fn describe() -> serde_json::Value {
    json!({
        "name": crate::call::Tool::RUN_PYTHON,
        "title": "Run Python",
        "description": DESCRIPTION,
        "inputSchema": {
            "type": "object",
            "properties": {
                "code": {
                    "type": "string",
                    "description": "The whole program, as Python 3 source text.",
                },
            },
            "required": ["code"],
            "additionalProperties": false,
        },
        "annotations": {
            "title": "Run Python",
            "readOnlyHint": false,
            "destructiveHint": false,
            "idempotentHint": true,
            "openWorldHint": false,
        },
    })
}

/// The program among the arguments, which take nothing else.
pub(super) fn source(arguments: &Json) -> Result<Source, Finding> {
    let known = match arguments {
        Json::Object(members) => members.iter().all(|(key, _)| &**key == "code"),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => false,
    };
    match arguments.get("code").and_then(Json::as_str) {
        Some(code) if known => Ok(Source::new(Language::Python, code.as_bytes())),
        Some(_) => Err(wrong("the tool takes no other argument than `code`")),
        None => Err(wrong("the tool needs the argument `code`, a string")),
    }
}

fn wrong(message: &str) -> Finding {
    finding(
        own_rules::ARGUMENTS,
        message,
        "Send exactly one argument, `code`, with the whole program as a string.",
    )
}

/// One run of a program.
#[derive(Debug)]
pub(in crate::gateway) struct RunPython {
    gateway: Gateway,
    source: Source,
    /// The session that the call names, whose workspace it has.
    session: Option<Text>,
}

impl RunPython {
    pub(in crate::gateway) fn new(
        gateway: &Gateway,
        source: Source,
        session: Option<Text>,
    ) -> Self {
        Self { gateway: gateway.clone(), source, session }
    }

    /// What its session's workspace holds. A call that names no session begins with none: the
    /// subject's other calls need have nothing to do with it.
    async fn given(&self, permit: &Permit) -> Result<Vec<Given>, Lost> {
        let Some(session) = &self.session else { return Ok(Vec::new()) };
        let owner = Owner::of(permit.subject(), session);
        let loaded = self.gateway.workspaces.load(&owner, self.gateway.guard.now()).await;
        loaded.map_err(|error| Lost::Unavailable(error.to_string()))
    }
}

impl Effect for RunPython {
    type Output = Run;

    fn fulfils(&self, obligations: &Obligations, policy: &Policy) -> Result<(), &'static str> {
        // The approvers answer a hold, and labels and redactions are the story's: a run has
        // nothing to do for them.
        let Obligations { sandbox, connect, redact: _, labels: _, approvers: _ } = obligations;
        let profile = policy.profile(profile_name(sandbox.as_deref())).ok_or("sandbox")?;
        let caps = sandbox.as_ref().map_or_else(Caps::new, |confinement| confinement.caps.clone());
        self.gateway.sandbox.effective(profile, &caps).map_err(|_| "sandbox")?;
        if matches!(self.gateway.sandbox.standing(profile), Standing::Refused(_)) {
            return Err("sandbox");
        }
        let understood = connect.iter().all(|target| Target::read(target).is_some());
        if understood { Ok(()) } else { Err("connect") }
    }

    async fn run(self, permit: Permit, grounds: Grounds<'_>) -> Result<Done<Run>, Lost> {
        let name = profile_name(permit.obligations().sandbox.as_deref());
        let profile = grounds
            .policy
            .profile(name)
            .ok_or_else(|| Lost::Unavailable(format!("no sandbox profile `{name}`")))?;
        let started = Instant::now();
        let imported = imported(grounds.code);
        let connections = Connections::new(grounds.connecting, &self.gateway.metrics);
        let gate: Arc<dyn Gate> = Arc::<Connections>::clone(&connections);
        let files = self.given(&permit).await?;
        let kept = Kept::of(self.session.as_ref(), permit.call());
        let program = Program {
            source: &self.source,
            imported: &imported,
            watch: grounds.policy.watch(),
            files: &files,
            files_max: self.gateway.workspaces.settings().of_a_run(),
            gate: Some(&gate),
        };
        let ran = self.gateway.sandbox.run(permit, profile, program).await;
        let mut run = ran.map_err(lost)?;
        run.connections = connections.take();
        run.files.kept = Some(kept);
        let metrics = &self.gateway.metrics;
        let running = Duration::from_millis(run.duration_ms);
        metrics.sandbox.stage("wait", started.elapsed().saturating_sub(running));
        metrics.sandbox.stage("run", running);
        let outcome = outcome(&run);
        metrics.sandbox.outcome(outcome.as_str());
        let events = std::mem::take(&mut run.events);
        let drift = strayed(&events, grounds);
        Ok(Done { outcome, cpu_ms: run.cpu_ms, drift, output: run })
    }

    fn show(run: &mut Run) -> Shown<'_> {
        let exit_code = exit_code(run.end);
        // Which of the two was cut is not told.
        let ending = if run.truncated { Ending::Cut } else { Ending::Whole };
        let texts = [("stdout", &mut run.stdout), ("stderr", &mut run.stderr)];
        Shown {
            exit_code,
            truncated: run.truncated,
            texts: texts.map(|(name, text)| ShownText { name, text, ending }).into(),
            files: run.files.changed.iter().map(shown).collect(),
        }
    }

    fn bar(run: &mut Run, places: &[usize]) {
        run.files.bar(places);
    }

    fn keeper(&self) -> impl Keeper<Run> {
        RunKeeper { gateway: self.gateway.clone() }
    }

    fn summary(run: &Run) -> Json {
        summary(run)
    }

    /// Exit codes and durations could spell out what was read.
    fn withhold(run: Run) -> Run {
        let end = match run.end {
            End::Exited(_) | End::Signalled(_) => End::Exited(1),
            End::TimedOut | End::OutOfMemory => run.end,
        };
        Run {
            stdout: String::new(),
            stderr: String::new(),
            truncated: false,
            end,
            duration_ms: 0,
            cpu_ms: 0,
            memory_peak_bytes: None,
            events: Vec::new(),
            events_cut: false,
            connections: Vec::new(),
            files: Files::default(),
        }
    }
}

/// Keeps the files that runs leave.
struct RunKeeper {
    gateway: Gateway,
}

impl Keeper<Run> for RunKeeper {
    fn keeps(&self, run: &Run) -> bool {
        !run.files.changed.is_empty() || !run.files.gone.is_empty()
    }

    async fn keep(&self, call: &ToolCall, run: &Run) -> Result<(), Unkept> {
        let Some(kept) = &run.files.kept else { return Ok(()) };
        let owner = Owner::of(&call.subject, kept.session());
        let changes = Changes { put: &run.files.changed, gone: &run.files.gone };
        let kept = self.gateway.workspaces.keep(&owner, &changes, self.gateway.guard.now()).await;
        kept.map_err(|error| match error.limit() {
            Some(limit) => Unkept::Full(limit.as_str()),
            None => Unkept::Failed(error.to_string()),
        })?;
        self.count(&run.files);
        Ok(())
    }
}

impl RunKeeper {
    fn count(&self, files: &Files) {
        let kept = u64::try_from(files.changed.len()).unwrap_or(u64::MAX);
        for (state, count) in [("kept", kept), ("barred", files.barred), ("left", files.left)] {
            self.gateway.metrics.files(state, count);
        }
    }
}

fn shown(file: &File) -> ShownFile<'_> {
    let File { name, content, digest, media_type } = file;
    ShownFile { name: name.as_str(), media_type, digest, content }
}

fn profile_name(obligation: Option<&Confinement>) -> &str {
    obligation.map_or(PROFILE_DEFAULT, |confinement| &confinement.profile)
}

/// The modules that a program imports.
fn imported(code: Option<&Code>) -> Vec<&str> {
    let modules = code.map(|code| &*code.facts().modules).unwrap_or_default();
    modules.iter().map(|module| &*module.module).collect()
}

/// What of it the program's facts did not foretell.
fn strayed(events: &[Event], grounds: Grounds<'_>) -> Vec<Drift> {
    match (grounds.code, grounds.policy.events()) {
        (Some(code), Some(table)) => drift(events, code.facts(), table),
        (None, _) | (_, None) => Vec::new(),
    }
}

fn lost(error: sandbox::Error) -> Lost {
    match error {
        sandbox::Error::BrokenOff(_) => Lost::Interrupted(error.to_string()),
        sandbox::Error::Endpoint(_)
        | sandbox::Error::Clear(_)
        | sandbox::Error::Needless(_)
        | sandbox::Error::Certificates { .. }
        | sandbox::Error::Engine(_)
        | sandbox::Error::Unreachable(_)
        | sandbox::Error::Away
        | sandbox::Error::Timeout(_)
        | sandbox::Error::Unenforceable(_)
        | sandbox::Error::Image(_)
        | sandbox::Error::Unfit(_)
        | sandbox::Error::Refused(_)
        | sandbox::Error::Agent(_)
        | sandbox::Error::GivenUp
        | sandbox::Error::TooManyFiles(_)
        | sandbox::Error::Busy(_) => Lost::Unavailable(error.to_string()),
    }
}

fn outcome(run: &Run) -> Outcome {
    match run.end {
        End::Exited(0) => Outcome::Ok,
        End::Exited(_) | End::Signalled(_) => Outcome::Failed,
        End::TimedOut => Outcome::TimedOut,
        End::OutOfMemory => Outcome::OutOfMemory,
    }
}

/// What the ledger keeps: how it ended and what would prove the output, not the output.
fn summary(run: &Run) -> Json {
    let exit_code = exit_code(run.end).map_or(Json::Null, number);
    let signal = match run.end {
        End::Signalled(signal) => number(signal),
        End::Exited(_) | End::TimedOut | End::OutOfMemory => Json::Null,
    };
    let members = [
        ("exit_code", exit_code),
        ("signal", signal),
        ("duration_ms", number(run.duration_ms)),
        ("cpu_ms", number(run.cpu_ms)),
        ("memory_peak_bytes", run.memory_peak_bytes.map_or(Json::Null, number)),
        ("stdout_bytes", number(run.stdout.len())),
        ("stderr_bytes", number(run.stderr.len())),
        ("stdout_blake3", digest(&run.stdout)),
        ("stderr_blake3", digest(&run.stderr)),
        ("truncated", Json::Bool(run.truncated)),
        ("events_cut", Json::Bool(run.events_cut)),
        ("connections", Json::Array(run.connections.iter().map(connections::summary).collect())),
        ("files", Json::Array(run.files.changed.iter().take(FILES_MAX).map(told).collect())),
        ("files_changed", number(run.files.changed.len())),
        ("files_gone", number(run.files.gone.len())),
        ("files_left", number(run.files.left)),
        ("files_barred", number(run.files.barred)),
    ];
    Json::Object(members.map(|(key, value)| (key.into(), value)).into())
}

/// How many files of a run are named in its record.
const FILES_MAX: usize = 64;

fn told(file: &File) -> Json {
    let members = [
        ("name", Json::String(file.name.as_str().into())),
        ("digest", Json::String(file.digest.clone())),
        ("bytes", number(file.bytes())),
    ];
    Json::Object(members.map(|(key, value)| (key.into(), value)).into())
}

fn exit_code(end: End) -> Option<i64> {
    match end {
        End::Exited(code) => Some(code),
        End::Signalled(_) | End::TimedOut | End::OutOfMemory => None,
    }
}

fn number(value: impl ToString) -> Json {
    Json::Number(Number::new(value.to_string()))
}

fn digest(text: &str) -> Json {
    Json::String(blake3::hash(text.as_bytes()).to_hex().as_str().into())
}
