//! The facts of one source for a person: what it needs, imports and names, then where.
//!
//! Must never judge, nor hide that something was not shown.

use super::evidence::Evidence;
use super::report::{Entry, LINES_MAX, Mark, Page, Paint, Sort, bounded, wrapped};
use super::safe::plain;
use super::source::SourceText;
use crate::facts::{Anomaly, Capability, Facts, Import, ImportForm, Resolution, Resource, Span};
use crate::policy::FindingSpan;
use std::collections::BTreeMap;

/// Characters of a cell of a table.
const CELL_CHARACTERS_MAX: usize = 60;

/// The overview, with at most so many rows of a table and places of the source; 0 is all.
pub(in crate::cli) fn overview(
    page: &Page,
    name: &str,
    evidence: Evidence<'_>,
    places_max: usize,
) -> String {
    let most = if places_max == 0 { usize::MAX } else { places_max };
    let facts = evidence.facts;
    let source = SourceText::new(evidence.bytes);
    let mut parts = vec![header(page, name, facts, &source)];
    let capabilities: Vec<_> = facts.capabilities.iter().map(capability).collect();
    parts.extend(section(page, "Capabilities", &capabilities, most));
    parts.extend(imports(page, facts));
    let resources: Vec<_> = facts.resources.iter().map(resource).collect();
    parts.extend(section(page, "Resources", &resources, most));
    parts.extend(places(page, name, facts, &source, most));
    parts.join("\n\n")
}

fn header(page: &Page, name: &str, facts: &Facts, source: &SourceText<'_>) -> String {
    let coverage = match facts.gaps.len() {
        _ if facts.complete() => page.paint("coverage complete", Paint::Good),
        1 => page.paint("coverage incomplete, 1 gap", Paint::Doubtful),
        gaps => page.paint(&format!("coverage incomplete, {gaps} gaps"), Paint::Doubtful),
    };
    format!(
        "{}: {} {}, {}, {}, {}; {coverage}",
        page.paint(&plain(name), Paint::Strong),
        facts.language.as_str(),
        facts.runtime.version,
        number(source.lines(), "line"),
        number(usize::try_from(facts.parse.bytes).unwrap_or(usize::MAX), "byte"),
        number(facts.calls.len(), "call"),
    )
}

fn number(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn place(span: Span) -> String {
    format!("{}:{}", span.line, span.column.saturating_add(1))
}

fn capability(capability: &Capability) -> Vec<String> {
    let Capability { name, resolution, because, span } = capability;
    let surely = match resolution {
        Resolution::Exact => "",
        Resolution::Possible | Resolution::Unknown => resolution.as_str(),
    };
    vec![name.to_string(), because.to_string(), place(*span), surely.to_owned()]
}

fn resource(resource: &Resource) -> Vec<String> {
    vec![
        format!("{} {}", resource.kind.as_str(), resource.op),
        resource.norm.as_deref().map_or_else(|| "?".to_owned(), str::to_owned),
        resource.place.as_str().to_owned(),
        place(resource.span),
    ]
}

/// A heading, and rows whose columns stand below each other; nothing where there is no row.
fn section(page: &Page, heading: &str, rows: &[Vec<String>], most: usize) -> Option<String> {
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| bounded(cell, CELL_CHARACTERS_MAX)).collect())
        .collect();
    let columns = rows.first()?.len();
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            rows.iter()
                .take(most)
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
        })
        .map(Option::unwrap_or_default)
        .collect();
    let mut lines = vec![page.paint(heading, Paint::Strong)];
    for row in rows.iter().take(most) {
        let cells = row.iter().zip(&widths);
        let padded = cells.map(|(cell, wide)| format!("{cell:<wide$}")).collect::<Vec<_>>();
        lines.push(format!("  {}", padded.join("  ")).trim_end().to_owned());
    }
    lines.extend(more(rows.len().saturating_sub(most)));
    Some(lines.join("\n"))
}

fn more(count: usize) -> Option<String> {
    (count > 0).then(|| format!("  … and {count} more; --max-places 0 shows all"))
}

fn imports(page: &Page, facts: &Facts) -> Option<String> {
    let told: Vec<String> = facts.imports.iter().map(import).collect();
    if told.is_empty() {
        return None;
    }
    let text = wrapped(&plain(&told.join(", ")), page.width() - 2).replace('\n', "\n  ");
    Some(format!("{}\n  {text}", page.paint("Imports", Paint::Strong)))
}

fn import(import: &Import) -> String {
    let named = |name: &str, alias: Option<&str>| match alias {
        Some(alias) => format!("{name} as {alias}"),
        None => name.to_owned(),
    };
    let module = named(&import.module, import.alias.as_deref());
    match import.form {
        ImportForm::Import => module,
        ImportForm::Star => format!("{module} (*)"),
        ImportForm::From | ImportForm::Relative => {
            let names: Vec<String> =
                import.names.iter().map(|(name, alias)| named(name, alias.as_deref())).collect();
            format!("{module} ({})", names.join(", "))
        }
    }
}

/// The facts of note under the lines that they are about, those near each other together.
fn places(
    page: &Page,
    name: &str,
    facts: &Facts,
    source: &SourceText<'_>,
    most: usize,
) -> Vec<String> {
    let marks = marks(facts);
    let mut clusters: Vec<Vec<Mark>> = Vec::new();
    for mark in marks.iter().take(most) {
        match clusters.last_mut() {
            Some(cluster) if joins(cluster, mark, source) => cluster.push(mark.clone()),
            Some(_) | None => clusters.push(vec![mark.clone()]),
        }
    }
    let entry = |marks| Entry { sort: Sort::Note, title: None, marks, notes: Vec::new() };
    let shown = clusters.into_iter().map(|marks| page.render(name, source, &entry(marks)));
    shown.chain(more(marks.len().saturating_sub(most))).collect()
}

fn joins(cluster: &[Mark], mark: &Mark, source: &SourceText<'_>) -> bool {
    let Some(first) = cluster.first().map(|first| first.span) else { return false };
    mark.span.line.abs_diff(first.line) < LINES_MAX
        && !source.is_long(first.line)
        && !source.is_long(mark.span.line)
}

/// What is marked, in the order of the source; what is said of one place is said there once.
fn marks(facts: &Facts) -> Vec<Mark> {
    let mut said: BTreeMap<_, (FindingSpan, bool, Vec<String>)> = BTreeMap::new();
    for (span, primary, text) in gaps(facts).chain(of_note(facts)) {
        let span = FindingSpan::from(span);
        let key = (span.line, span.column, span.end_line, span.end_column);
        let (_, prominent, texts) = said.entry(key).or_insert((span, false, Vec::new()));
        *prominent |= primary;
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let marks = said.into_values();
    marks.map(|(span, primary, texts)| Mark { span, primary, label: texts.join("; ") }).collect()
}

type Told = (Span, bool, String);

fn gaps(facts: &Facts) -> impl Iterator<Item = Told> {
    let gaps = facts
        .gaps
        .iter()
        .map(|gap| (gap.span, true, format!("gap `{}`: {}", gap.kind.as_str(), gap.why)));
    let told = |anomaly: &&Anomaly| {
        facts.gaps.iter().any(|gap| gap.span == anomaly.span && gap.why == anomaly.detail)
    };
    gaps.chain(facts.parse.anomalies.iter().filter(move |it| !told(it)).map(|anomaly| {
        (anomaly.span, true, format!("`{}`: {}", anomaly.kind.as_str(), anomaly.detail))
    }))
}

fn of_note(facts: &Facts) -> impl Iterator<Item = Told> {
    let calls = facts.calls.iter().filter(|call| !call.capabilities.is_empty()).map(|call| {
        (
            call.span,
            false,
            format!("`{}`: {}", call.names.join("` or `"), call.capabilities.join(", ")),
        )
    });
    let capabilities = facts.capabilities.iter().filter(|found| !told_by_call(facts, found));
    let capabilities = capabilities.map(|capability| {
        (capability.span, false, format!("`{}`: {}", capability.because, capability.name))
    });
    let references = facts.references.iter().map(|reference| {
        let role = reference.role.as_str();
        (reference.span, false, format!("`{}` as a value: {role}", reference.names.join("` or `")))
    });
    let dynamic = facts.dynamic.iter().map(|dynamic| {
        let read = if dynamic.nested.is_some() { ", its code is read too" } else { "" };
        (
            dynamic.span,
            false,
            format!("`{}` makes code ({}){read}", dynamic.call, dynamic.kind.as_str()),
        )
    });
    let reflection = facts
        .reflection
        .iter()
        .map(|reflection| (reflection.span, false, format!("reflection `{}`", reflection.name)));
    let bindings = facts.bindings.iter().map(|binding| {
        (binding.span, false, format!("{} of `{}`", binding.kind.as_str(), binding.name))
    });
    let hooks = facts.hooks.iter().map(|hook| (hook.span, false, format!("hook `{}`", hook.name)));
    let resources = facts.resources.iter().map(|resource| {
        let norm = resource.norm.as_deref().unwrap_or("?");
        let (kind, op) = (resource.kind.as_str(), resource.op.as_ref());
        (resource.span, false, format!("{kind} {op} `{norm}` ({})", resource.place.as_str()))
    });
    calls
        .chain(capabilities)
        .chain(references)
        .chain(dynamic)
        .chain(reflection)
        .chain(bindings)
        .chain(hooks)
        .chain(resources)
}

/// Whether a call that begins at the same place says it already.
fn told_by_call(facts: &Facts, found: &Capability) -> bool {
    facts.calls.iter().any(|call| {
        (call.span.line, call.span.column) == (found.span.line, found.span.column)
            && call.names.contains(&found.because)
            && call.capabilities.contains(&found.name)
    })
}
