//! Findings in the order of the source, those of one place and those that say the same together.
//!
//! Must never leave out how many were not shown.

use super::evidence::Evidence;
use super::report::{Entry, LINES_MAX, Mark, Note, Page, Sort};
use super::source::SourceText;
use crate::policy::{Cause, Finding, FindingSpan, Ruling};
use std::collections::BTreeMap;

/// What was concluded of one source.
#[derive(Debug)]
pub(in crate::cli) struct Judgement<'source> {
    pub(in crate::cli) name: &'source str,
    pub(in crate::cli) evidence: Evidence<'source>,
    pub(in crate::cli) ruling: &'source Ruling,
    pub(in crate::cli) findings: &'source [Finding],
}

/// The reports on the findings, at most so many findings; 0 is all of them.
pub(in crate::cli) fn findings(
    page: &Page,
    judgement: &Judgement<'_>,
    findings_max: usize,
) -> Vec<String> {
    let mut sorted: Vec<&Finding> = judgement.findings.iter().collect();
    sorted.sort_by_key(|finding| (finding.span.map(place), finding.severity, *finding));
    let all = sorted.len();
    if findings_max > 0 {
        sorted.truncate(findings_max);
    }
    let more = all - sorted.len();
    let source = SourceText::new(judgement.evidence.bytes);
    let mut telling = Telling { judgement, source: &source, remedies: BTreeMap::new() };
    let entries: Vec<Entry> = grouped(&sorted, &source)
        .iter()
        .map(|group| telling.entry(group))
        .chain(unexplained(judgement))
        .collect();
    let mut shown: Vec<String> =
        entries.iter().map(|entry| page.render(judgement.name, &source, entry)).collect();
    if more > 0 {
        shown.push(format!("… and {more} more; --max-findings 0 shows all"));
    }
    shown
}

/// The same in the source's order for any two spans.
fn place(span: FindingSpan) -> (u32, u32, u32, u32) {
    let FindingSpan { line, column, end_line, end_column } = span;
    (line, column, end_line, end_column)
}

/// What is said of one place, or of several near each other.
struct Group<'finding> {
    said: Vec<&'finding Finding>,
    spans: Vec<FindingSpan>,
}

impl Group<'_> {
    fn says_the_same_as(&self, other: &Self) -> bool {
        let alike = |(one, other): (&&Finding, &&Finding)| {
            (&one.rule, &one.message, &one.remedy, one.severity)
                == (&other.rule, &other.message, &other.remedy, other.severity)
        };
        self.said.len() == other.said.len() && self.said.iter().zip(&other.said).all(alike)
    }
}

fn grouped<'finding>(
    sorted: &[&'finding Finding],
    source: &SourceText<'_>,
) -> Vec<Group<'finding>> {
    let mut groups: Vec<Group<'finding>> = Vec::new();
    for said in sorted.chunk_by(|one, next| one.span == next.span) {
        let span = said.first().and_then(|finding| finding.span);
        let group = Group { said: said.to_vec(), spans: span.into_iter().collect() };
        match (groups.last_mut(), span) {
            (Some(last), Some(span))
                if last.says_the_same_as(&group) && near(&last.spans, span, source) =>
            {
                last.spans.push(span);
            }
            (Some(_) | None, _) => groups.push(group),
        }
    }
    groups
}

/// Whether one report can show this place beside the others.
fn near(spans: &[FindingSpan], span: FindingSpan, source: &SourceText<'_>) -> bool {
    spans.first().is_some_and(|first| {
        span.end_line.abs_diff(first.line) < LINES_MAX
            && first.end_line.abs_diff(first.line) < LINES_MAX
            && !source.is_long(span.line)
            && !source.is_long(first.line)
    })
}

/// The findings of one source being told.
struct Telling<'source, 'finding> {
    judgement: &'source Judgement<'source>,
    source: &'source SourceText<'source>,
    /// Where each remedy was told, so that it is told once.
    remedies: BTreeMap<&'finding str, Option<FindingSpan>>,
}

impl<'finding> Telling<'_, 'finding> {
    fn entry(&mut self, group: &Group<'finding>) -> Entry {
        let sort = sort(self.judgement.ruling);
        let first = group.spans.first().copied();
        let mut marks: Vec<Mark> = group.spans.iter().map(|span| self.mark(*span, group)).collect();
        let mut notes = match (first, &*group.spans) {
            (Some(span), [_]) => self.origins(span, &mut marks),
            (Some(_) | None, _) => Vec::new(),
        };
        let mut title = None;
        for finding in &group.said {
            let (rule, message) = (finding.rule.to_string(), finding.message.to_string());
            if title.is_none() {
                title = Some((rule, message));
            } else {
                notes.push((sort, format!("{}[{rule}]", word(sort)), message));
            }
            notes.extend(self.remedy(finding, first));
        }
        Entry { sort, title, marks, notes }
    }

    fn mark(&self, span: FindingSpan, group: &Group<'_>) -> Mark {
        let worst = group.said.iter().map(|finding| finding.severity).min();
        let severity = worst.map_or("", |severity| severity.as_str());
        let evidence = self.judgement.evidence;
        let mut known = group.said.iter().filter_map(|said| evidence.label(span, &said.message));
        let label = known
            .next()
            .map_or_else(|| severity.to_owned(), |known| format!("{severity}: {known}"));
        Mark { span, primary: true, label }
    }

    /// Where the name came from: marked where that is near, else said below.
    fn origins(&self, span: FindingSpan, marks: &mut Vec<Mark>) -> Vec<Note> {
        let mut notes = Vec::new();
        for origin in self.judgement.evidence.origins(span) {
            if near(&[origin.span], span, self.source) {
                marks.push(origin);
            } else {
                let text = format!("{} ({})", origin.label, shown_place(origin.span));
                notes.push((Sort::Note, "note".to_owned(), text));
            }
        }
        notes
    }

    fn remedy(&mut self, finding: &'finding Finding, at: Option<FindingSpan>) -> Option<Note> {
        if finding.remedy.is_empty() {
            return None;
        }
        let earlier = self.remedies.get(&*finding.remedy).copied().flatten();
        self.remedies.entry(&finding.remedy).or_insert(at);
        let text = earlier.map_or_else(
            || finding.remedy.to_string(),
            |earlier| format!("as for {}", shown_place(earlier)),
        );
        Some((Sort::Help, "help".to_owned(), text))
    }
}

/// As editors count, from 1.
fn shown_place(span: FindingSpan) -> String {
    format!("{}:{}", span.line, span.column.saturating_add(1))
}

/// Why a call is denied of which no rule said anything.
fn unexplained(judgement: &Judgement<'_>) -> Option<Entry> {
    let Ruling::Denied(cause) = judgement.ruling else { return None };
    if !judgement.findings.is_empty() {
        return None;
    }
    let text = match cause {
        Cause::NoMatch => "no rule permits this call".to_owned(),
        Cause::Indeterminate(fault) => format!("policy gave no proper answer ({})", fault.as_str()),
        Cause::Arguments => "policy cannot take these arguments".to_owned(),
        Cause::Rule
        | Cause::Coverage
        | Cause::Obligation
        | Cause::Limit
        | Cause::Quotas
        | Cause::Ledger
        | Cause::Sandbox
        | Cause::Files
        | Cause::Interrupted
        | Cause::Approval => format!("the call is denied ({})", cause.as_str()),
    };
    let title = Some((String::new(), text));
    Some(Entry { sort: Sort::Error, title, marks: Vec::new(), notes: Vec::new() })
}

const fn sort(ruling: &Ruling) -> Sort {
    match ruling {
        Ruling::Denied(_) => Sort::Error,
        Ruling::Held(_) => Sort::Warning,
        Ruling::Permitted(_) => Sort::Note,
    }
}

const fn word(sort: Sort) -> &'static str {
    match sort {
        Sort::Error => "error",
        Sort::Warning => "warning",
        Sort::Note => "note",
        Sort::Help => "help",
    }
}

#[cfg(test)]
mod tests;
