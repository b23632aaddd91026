//! The forms in which one decision is printed.
//!
//! Must never let text of a stranger end a line or a field that it stands in.

use super::judge;
use crate::call::Source;
use crate::cli::show::{Evidence, Judgement, Page, Paint, findings, plain};
use crate::gateway::Reply;
use crate::policy::{Code, Decision, Finding, Ruling, Severity};
use serde_json::{Map, Value};

/// One input with what was found and decided.
pub(super) struct Checked<'input> {
    pub(super) name: &'input str,
    pub(super) source: &'input Source,
    pub(super) code: &'input Code,
    pub(super) decision: &'input Decision,
}

/// For a person: the findings in the source, then the decision.
pub(super) fn text(page: &Page, checked: &Checked<'_>, findings_max: usize) -> String {
    let judgement = Judgement {
        name: checked.name,
        evidence: Evidence { facts: checked.code.facts(), bytes: checked.source.bytes() },
        ruling: &checked.decision.ruling,
        findings: &checked.decision.findings,
    };
    let mut shown = findings(page, &judgement, findings_max);
    shown.push(ending(page, checked));
    shown.join("\n\n")
}

/// `program.py: denied (rule), 2 findings: 1 critical, 1 high`
fn ending(page: &Page, checked: &Checked<'_>) -> String {
    let ruling = &checked.decision.ruling;
    let word = ruling.as_str();
    let word = match ruling {
        Ruling::Permitted(_) => page.paint(word, Paint::Good),
        Ruling::Held(_) => page.paint(word, Paint::Doubtful),
        Ruling::Denied(cause) => format!("{} ({})", page.paint(word, Paint::Bad), cause.as_str()),
    };
    let name = page.paint(&plain(checked.name), Paint::Strong);
    let counted = counted(&checked.decision.findings);
    let coverage = if checked.code.facts().complete() { "" } else { "; coverage incomplete" };
    format!("{name}: {word}{counted}{coverage}")
}

fn counted(findings: &[Finding]) -> String {
    let severities = [Severity::Critical, Severity::High, Severity::Medium, Severity::Low];
    let told: Vec<String> = severities
        .into_iter()
        .map(|severity| (findings.iter().filter(|it| it.severity == severity).count(), severity))
        .filter(|(count, _)| *count > 0)
        .map(|(count, severity)| format!("{count} {}", severity.as_str()))
        .collect();
    match findings.len() {
        0 => String::new(),
        1 => format!(", 1 finding: {}", told.join(", ")),
        several => format!(", {several} findings: {}", told.join(", ")),
    }
}

/// A number of files in words.
pub(super) fn files(count: usize) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{count} files") }
}

/// A line a finding, as editors and `grep` take it; nothing for a permitted call.
pub(super) fn concise(checked: &Checked<'_>) -> String {
    let name = plain(checked.name);
    let line = |finding: &Finding| {
        let (rule, message) = (plain(&finding.rule), plain(&finding.message));
        let place = finding.span.map_or_else(String::new, |span| {
            format!("{}:{}:", span.line, span.column.saturating_add(1))
        });
        format!("{name}:{place} {} [{rule}] {message}", finding.severity.as_str())
    };
    lines(checked, line, |word, cause| format!("{name}: {word} ({cause})"))
}

/// Annotations of a workflow on GitHub.
pub(super) fn github(checked: &Checked<'_>) -> String {
    let file = property(checked.name);
    let command = match &checked.decision.ruling {
        Ruling::Denied(_) => "error",
        Ruling::Held(_) => "warning",
        Ruling::Permitted(_) => "notice",
    };
    let line = |finding: &Finding| {
        let place = finding.span.map_or_else(String::new, |span| {
            let (column, end) = (span.column.saturating_add(1), span.end_column.saturating_add(1));
            format!(",line={},endLine={},col={column},endColumn={end}", span.line, span.end_line)
        });
        let title = property(&finding.rule);
        let text = data(&format!("{}. {}", finding.message, finding.remedy));
        format!("::{command} file={file}{place},title={title}::{text}")
    };
    lines(checked, line, |word, cause| format!("::{command} file={file}::{word} ({cause})"))
}

/// A line a finding, and one for a refusal of which no rule said anything.
fn lines(
    checked: &Checked<'_>,
    line: impl Fn(&Finding) -> String,
    bare: impl Fn(&str, &str) -> String,
) -> String {
    let Decision { ruling, findings, .. } = checked.decision;
    match ruling {
        Ruling::Held(_) | Ruling::Denied(_) if findings.is_empty() => {
            bare(ruling.as_str(), ruling.cause().as_str())
        }
        Ruling::Held(_) | Ruling::Denied(_) | Ruling::Permitted(_) => {
            findings.iter().map(line).collect::<Vec<_>>().join("\n")
        }
    }
}

/// As a workflow command takes a message.
fn data(text: &str) -> String {
    plain(&text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A"))
}

/// As a workflow command takes a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// For programs: the reply of a door on one line, with the file's name before it.
pub(super) fn json(checked: &Checked<'_>) -> anyhow::Result<String> {
    let reply = Reply::from(judge::answer(checked.decision, checked.code));
    Ok(with_file(checked.name, serde_json::to_value(reply)?).to_string())
}

/// The members of an object after the name of the file that they are about.
pub(super) fn with_file(name: &str, value: Value) -> Value {
    let mut named = Map::new();
    named.insert("file".to_owned(), name.into());
    if let Value::Object(members) = value {
        named.extend(members);
    }
    Value::Object(named)
}

#[cfg(test)]
mod tests;
