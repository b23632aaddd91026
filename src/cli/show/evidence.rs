//! What the facts say of a place, so that a reader sees why a finding stands there.
//!
//! Must never judge: it only looks up what was found at a place.

use super::report::Mark;
use crate::call::Text;
use crate::facts::{Call, Facts, Gap, Import, Reference, Span};
use crate::policy::FindingSpan;
use std::cmp::Reverse;

/// Earlier places that explain one finding.
const ORIGINS_MAX: usize = 2;
/// Candidates that are named of a place where several are possible.
const CANDIDATES_MAX: usize = 3;

/// The facts of one source, and its bytes.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Evidence<'source> {
    pub(in crate::cli) facts: &'source Facts,
    pub(in crate::cli) bytes: &'source [u8],
}

impl Evidence<'_> {
    /// What is known of this place beyond what the message says of it.
    pub(super) fn label(&self, span: FindingSpan, message: &str) -> Option<String> {
        let gaps = self.facts.gaps.iter().filter(|gap| at(gap.span, span));
        let mut gaps = gaps.filter(|gap| message.contains(&*gap.why));
        gaps.next().map(gap).or_else(|| self.name(span)).or_else(|| self.resource(span))
    }

    /// What a name here stands for, where that is not how it is written.
    fn name(&self, span: FindingSpan) -> Option<String> {
        let (names, written) = self.names(span)?;
        let hidden = !names.iter().any(|name| **name == *written);
        hidden.then(|| match names {
            [name] => format!("`{written}` is `{name}`"),
            several => format!("`{written}` may be {}", alternatives(several)),
        })
    }

    fn names(&self, span: FindingSpan) -> Option<(&[Text], String)> {
        let call = self.facts.calls.iter().find(|call| at(call.span, span) && written(call));
        if let Some(call) = call {
            return Some((&call.names, call.text.to_string()));
        }
        let named =
            |reference: &&Reference| at(reference.span, span) && !reference.names.is_empty();
        let reference = self.facts.references.iter().find(named)?;
        Some((&reference.names, self.text(reference.span)?.to_owned()))
    }

    fn text(&self, span: Span) -> Option<&str> {
        let bytes = self.bytes.get(span.byte.0 as usize..span.byte.1 as usize)?;
        std::str::from_utf8(bytes).ok()
    }

    /// What a resource is, where it is not written out.
    fn resource(&self, span: FindingSpan) -> Option<String> {
        let mut here = self.facts.resources.iter().filter(|resource| at(resource.span, span));
        let resource = here.find(|resource| resource.norm.is_some())?;
        let norm = resource.norm.as_ref()?;
        let written = self.text(resource.span)?.contains(&**norm);
        (!written).then(|| format!("{} `{norm}`", resource.kind.as_str()))
    }

    /// Where the name that is written here came from, nearest first.
    pub(super) fn origins(&self, span: FindingSpan) -> Vec<Mark> {
        if self.name(span).is_none() {
            return Vec::new();
        }
        let Some(([name], written)) = self.names(span) else { return Vec::new() };
        // What is called by a name of the program's own was reached before, by another.
        let reached: Vec<Span> = self
            .facts
            .capabilities
            .iter()
            .filter(|found| head(&written) == written && found.because == *name)
            .map(|found| found.span)
            .collect();
        let mut heads = vec![head(&written)];
        heads.extend(reached.iter().filter_map(|span| self.text(*span)).map(head));
        let imported = self.facts.imports.iter().filter_map(|import| imported(import, &heads));
        let taken = self.facts.references.iter().filter_map(|reference| taken(reference, &heads));
        let reached = reached.iter().map(|span| (*span, format!("`{name}` comes from here")));
        let mut origins: Vec<(FindingSpan, String)> = imported
            .chain(taken)
            .chain(reached)
            .map(|(span, label)| (FindingSpan::from(span), label))
            .filter(|(origin, _)| (origin.line, origin.column) < (span.line, span.column))
            .collect();
        origins.sort_by_key(|(origin, _)| (Reverse(origin.line), origin.column));
        origins.dedup_by_key(|(origin, _)| origin.line);
        origins.truncate(ORIGINS_MAX);
        origins.into_iter().map(|(span, label)| Mark { span, primary: false, label }).collect()
    }
}

fn at(fact: Span, span: FindingSpan) -> bool {
    FindingSpan::from(fact) == span
}

/// Whether a name is written where the call stands.
fn written(call: &Call) -> bool {
    call.implicit.is_none() && !call.names.is_empty()
}

fn gap(gap: &Gap) -> String {
    let kind = gap.kind.as_str();
    if gap.candidates.is_empty() {
        format!("gap `{kind}`")
    } else {
        format!("gap `{kind}`, may be {}", alternatives(&gap.candidates))
    }
}

fn alternatives(names: &[Text]) -> String {
    let told: Vec<String> =
        names.iter().take(CANDIDATES_MAX).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(CANDIDATES_MAX);
    let others = if more > 0 { format!(" or {more} others") } else { String::new() };
    told.join(" or ") + &others
}

/// The name that an expression begins with.
fn head(written: &str) -> &str {
    written.split(['.', '[', '(']).next().unwrap_or_default()
}

/// Where one of these names took a value.
fn taken(reference: &Reference, own: &[&str]) -> Option<(Span, String)> {
    let into = reference.into.as_deref().filter(|into| own.contains(into))?;
    let [name] = &*reference.names else { return None };
    Some((reference.span, format!("`{into}` takes `{name}` here")))
}

/// Where an import bound one of these names to something of another one.
fn imported(import: &Import, own: &[&str]) -> Option<(Span, String)> {
    let module = &import.module;
    if let Some(alias) = import.alias.as_deref().filter(|alias| own.contains(alias)) {
        return Some((import.span, format!("`{alias}` is `{module}`")));
    }
    let bound = |(name, alias): &(Text, Option<Text>)| {
        let bound = alias.as_deref().unwrap_or(name);
        own.contains(&bound).then(|| format!("`{bound}` is `{module}.{name}`"))
    };
    Some((import.span, import.names.iter().find_map(bound)?))
}
