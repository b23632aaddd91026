//! The answer to a call as every door sends it.
//!
//! Must never carry anything that would help to get round a rule, nor an error's own text.

use super::files::address;
use crate::enforce::{Answer, Conclusion};
use crate::policy::{Finding, FindingSpan};
use crate::redact::{Counts, Detector};
use crate::sandbox::workspace::{File, Kept};
use crate::sandbox::{End, Run};
use serde::Serialize;
use utoipa::ToSchema;

/// What became of a call, and why.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reply {
    /// The call's id, under which it stands in the ledger.
    pub id: String,
    /// `permitted`, `held` or `denied`.
    pub decision: &'static str,
    /// Why: `rule`, `no_match`, `coverage`, `indeterminate`, `obligation`, `limit`, `quotas`,
    /// `ledger`, `sandbox`, `interrupted`, `files`, `approval` or `arguments`.
    pub cause: &'static str,
    /// What the rules said; sorted.
    pub findings: Vec<FindingReply>,
    /// Whether the same call may be answered otherwise later.
    pub retryable: bool,
    /// When to try again, in milliseconds, where that is known.
    pub retry_after_ms: Option<u64>,
    /// The approval that a held call waits for; `null` where it waits for none.
    pub approval: Option<String>,
    /// The page where a person answers that, where the team has one.
    pub approval_page: Option<String>,
    /// The digest of the bundle that was in force.
    pub policy: String,
    /// Whether the code was wholly understood; `null` where there is no code.
    pub coverage_complete: Option<bool>,
    /// What the program did; `null` where nothing ran, or where policy withholds what came of a
    /// permitted call.
    pub result: Option<RunReply>,
}

/// What a rule said.
#[derive(Debug, Serialize, ToSchema)]
pub struct FindingReply {
    /// The rule's id.
    pub rule: String,
    /// What was found.
    pub message: String,
    /// `critical`, `high`, `medium` or `low`.
    pub severity: &'static str,
    /// What to do instead.
    pub remedy: String,
    /// Where in the code; `null` where it is not about a place.
    pub span: Option<SpanReply>,
}

/// A place in the code.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub struct SpanReply {
    /// First line, from 1.
    pub line: u32,
    /// First column, from 0, in characters.
    pub column: u32,
    /// Last line, from 1.
    pub end_line: u32,
    /// The column after the last character, from 0.
    pub end_column: u32,
}

/// What a program did.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunReply {
    /// What it wrote to stdout.
    pub stdout: String,
    /// What it wrote to stderr.
    pub stderr: String,
    /// The exit code; `null` where it did not exit by itself.
    pub exit_code: Option<i64>,
    /// The signal that ended it; `null` where none did.
    pub signal: Option<i64>,
    /// Whether it ran out of time.
    pub timed_out: bool,
    /// Whether it ran out of memory.
    pub out_of_memory: bool,
    /// Whether stdout or stderr was cut.
    pub truncated: bool,
    /// How long it ran.
    pub duration_ms: u64,
    /// The files that it made or changed in `/workspace`, sorted by name.
    pub files: Vec<FileReply>,
    /// How many things it left there that are not handed out: links, pipes, files that are too
    /// large or too many, or that hold what is not for the caller.
    pub files_left: u64,
    /// Whether a call that names the same session finds these files.
    #[serde(skip)]
    pub(super) lasting: bool,
    /// What was taken out of stdout and stderr, by detector; `[redacted: …]` stands in its place.
    pub redactions: Vec<RedactionReply>,
}

/// A file that a program made or changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct FileReply {
    /// Its name below `/workspace`.
    pub name: String,
    /// How long it is.
    pub bytes: u64,
    /// What it is.
    pub media_type: &'static str,
    /// blake3 of its bytes, in hex.
    pub digest: String,
    /// Where it is to be had, for as long as it is kept.
    pub uri: String,
}

/// What a detector found and was taken out.
#[derive(Debug, Serialize, ToSchema)]
pub struct RedactionReply {
    /// The detector.
    pub detector: &'static str,
    /// How often it found something.
    pub count: u32,
}

impl From<Answer<Run>> for Reply {
    fn from(answer: Answer<Run>) -> Self {
        let (decision, retryable) = (answer.conclusion.as_str(), answer.retryable());
        let result = match answer.conclusion {
            Conclusion::Permitted(run) => run.map(|run| RunReply::new(run, &answer.redactions)),
            Conclusion::Withheld | Conclusion::Held | Conclusion::Denied => None,
        };
        Self {
            id: answer.call.to_string(),
            decision,
            cause: answer.cause.as_str(),
            findings: answer.findings.into_iter().map(FindingReply::from).collect(),
            retryable,
            retry_after_ms: answer.retry_after_ms,
            approval: answer.approval.map(|id| id.to_string()),
            approval_page: answer.approval_page.map(|page| page.to_string()),
            policy: answer.policy.to_string(),
            coverage_complete: answer.coverage_complete,
            result,
        }
    }
}

impl From<Finding> for FindingReply {
    fn from(finding: Finding) -> Self {
        Self {
            rule: finding.rule.to_string(),
            message: finding.message.to_string(),
            severity: finding.severity.as_str(),
            remedy: finding.remedy.to_string(),
            span: finding.span.map(SpanReply::from),
        }
    }
}

impl From<FindingSpan> for SpanReply {
    fn from(span: FindingSpan) -> Self {
        let FindingSpan { line, column, end_line, end_column } = span;
        Self { line, column, end_line, end_column }
    }
}

impl RunReply {
    fn new(run: Run, redactions: &Counts) -> Self {
        let session = run.files.kept.as_ref().map_or("", |kept| kept.session());
        let file = |file: &File| FileReply::new(file, session);
        let files = run.files.changed.iter().map(file).collect();
        let (exit_code, signal) = match run.end {
            End::Exited(code) => (Some(code), None),
            End::Signalled(signal) => (None, Some(signal)),
            End::TimedOut | End::OutOfMemory => (None, None),
        };
        Self {
            stdout: run.stdout,
            stderr: run.stderr,
            exit_code,
            signal,
            timed_out: run.end == End::TimedOut,
            out_of_memory: run.end == End::OutOfMemory,
            truncated: run.truncated,
            duration_ms: run.duration_ms,
            files,
            files_left: run.files.left.saturating_add(run.files.barred),
            lasting: matches!(run.files.kept, Some(Kept::Session(_))),
            redactions: redactions.found().map(RedactionReply::from).collect(),
        }
    }
}

impl FileReply {
    fn new(file: &File, session: &str) -> Self {
        Self {
            name: file.name.to_string(),
            bytes: file.bytes(),
            media_type: file.media_type,
            digest: file.digest.to_string(),
            uri: address::path(session, &file.name),
        }
    }
}

impl From<(Detector, u32)> for RedactionReply {
    fn from((detector, count): (Detector, u32)) -> Self {
        Self { detector: detector.as_str(), count }
    }
}
