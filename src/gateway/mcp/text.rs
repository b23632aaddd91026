//! An answer in words for a model: what was refused, where, what to do instead.
//!
//! Must never carry what would help to get round a rule.

use crate::gateway::reply::{FileReply, FindingReply, RedactionReply, Reply, RunReply};
use std::fmt::Write;

/// The whole answer.
pub(super) fn answer(reply: &Reply) -> String {
    match &reply.result {
        Some(run) => ran(run, &reply.findings),
        None => refused(reply),
    }
}

/// Whether a file of this kind is handed out as text.
pub(super) fn is_plain(media_type: &str) -> bool {
    media_type.starts_with("text/")
        || matches!(
            media_type,
            "application/json" | "application/xml" | "application/yaml" | "image/svg+xml"
        )
}

fn ran(run: &RunReply, findings: &[FindingReply]) -> String {
    let mut text = String::new();
    section(&mut text, "stdout", &run.stdout);
    section(&mut text, "stderr", &run.stderr);
    if !run.redactions.is_empty() {
        line(&mut text, &redacted(&run.redactions));
    }
    if run.truncated {
        line(&mut text, "The output was cut: print less.");
    }
    files(&mut text, run);
    for finding in findings {
        line(&mut text, &told(finding));
    }
    line(&mut text, &end(run));
    text
}

/// How many files of a run are named.
const FILES_MAX: usize = 32;

fn files(text: &mut String, run: &RunReply) {
    if !run.files.is_empty() {
        line(text, "files in /workspace, made or changed:");
    }
    for FileReply { name, bytes, media_type, .. } in run.files.iter().take(FILES_MAX) {
        line(text, &format!("- {name} ({media_type}, {bytes} bytes)"));
    }
    if run.files.len() > FILES_MAX {
        line(text, &format!("- and {} more", run.files.len().saturating_sub(FILES_MAX)));
    }
    if run.files_left > 0 {
        line(text, &format!("{} more things there are not handed out.", run.files_left));
    }
    match (run.files.is_empty(), run.lasting) {
        (true, _) => {}
        (false, true) => line(text, "The next call of this session finds them in /workspace."),
        (false, false) => line(text, "The next call begins with an empty /workspace."),
    }
}

fn redacted(redactions: &[RedactionReply]) -> String {
    let told = |RedactionReply { detector, count }: &RedactionReply| format!("{count} {detector}");
    let told: Vec<String> = redactions.iter().map(told).collect();
    format!(
        "Taken out of the output, since they are not for you: {}. Do not print them otherwise.",
        told.join(", ")
    )
}

fn section(text: &mut String, name: &str, content: &str) {
    if !content.is_empty() {
        line(text, &format!("{name}:"));
        line(text, content.trim_end_matches('\n'));
    }
}

fn end(run: &RunReply) -> String {
    match (run.exit_code, run.signal) {
        _ if run.timed_out => {
            format!("The program ran out of time after {} ms and was ended.", run.duration_ms)
        }
        _ if run.out_of_memory => "The program ran out of memory and was ended.".to_owned(),
        (Some(code), _) => format!("exit code: {code}"),
        (None, Some(signal)) => format!("The program was ended by signal {signal}."),
        (None, None) => "The program did not end by itself.".to_owned(),
    }
}

fn refused(reply: &Reply) -> String {
    let mut text = String::new();
    line(&mut text, head(reply));
    if reply.findings.is_empty() {
        line(&mut text, "No rule permits this call. Use a listed tool as its description says.");
    }
    for finding in &reply.findings {
        line(&mut text, &told(finding));
        if !finding.remedy.is_empty() {
            line(&mut text, &format!("  Instead: {}", finding.remedy));
        }
    }
    if let Some(page) = &reply.approval_page {
        line(&mut text, &format!("Whoever may approve it answers at {page}"));
    }
    line(&mut text, &advice(reply));
    text
}

fn head(reply: &Reply) -> &'static str {
    match (reply.decision, reply.cause) {
        ("held", _) => "Held: this call waits for a person to approve it. Nothing was run.",
        // Calls come here to have their effect: what was permitted did.
        ("permitted", _) => "Withheld: the call ran, and what came of it is not handed out.",
        (_, "interrupted") => "Broken off: the program was begun, and not run to its end.",
        _ => "Refused: nothing was run.",
    }
}

fn told(finding: &FindingReply) -> String {
    let FindingReply { rule, message, span, .. } = finding;
    match span {
        // Places are told as editors show them, from 1.
        Some(span) => format!(
            "- line {}, column {}: {message} (rule {rule})",
            span.line,
            span.column.saturating_add(1)
        ),
        None => format!("- {message} (rule {rule})"),
    }
}

fn advice(reply: &Reply) -> String {
    match (reply.retryable, reply.retry_after_ms) {
        (true, Some(after_ms)) => format!("The same call may be sent again after {after_ms} ms."),
        (true, None) => "The same call may be sent again later.".to_owned(),
        (false, _) => {
            "Do not send the same call again: it will be answered alike. Change it first."
                .to_owned()
        }
    }
}

fn line(text: &mut String, content: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{content}");
}
