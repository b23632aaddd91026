//! Facts in the making: one place that counts them, stops at the cap and finds their spans.
//!
//! Must never drop a fact in silence: at the cap there is a gap.

use super::spans::LineIndex;
use super::{
    Anomaly, AnomalyKind, Binding, Call, Capability, Catalogue, Dynamic, Facts, Gap, GapKind, Hook,
    Import, Level, Limits, Module, Parse, ParseStatus, Place, Reference, Reflection, Resolution,
    Resource, ResourceKind, Scope, Span, StringFact, StringRole, Value,
};
use crate::call::{Source, Text};
use std::collections::BTreeMap;

/// The text of a source that a fact may quote, in bytes.
const QUOTE_BYTES_MAX: usize = 120;

pub(super) struct Draft<'source> {
    facts: Facts,
    lines: LineIndex<'source>,
    capabilities: BTreeMap<Text, Capability>,
    left: u32,
    /// Bytes of code inside constant text that may still be read: as many as the source has, so
    /// that one text cannot be read again and again.
    code_left: usize,
}

impl<'source> Draft<'source> {
    pub(super) fn new(source: &'source Source, catalogue: &Catalogue, limits: &Limits) -> Self {
        let bytes = source.bytes();
        Self {
            facts: Facts {
                language: source.language,
                runtime: catalogue.runtime.clone(),
                digest: blake3::hash(bytes).to_hex().as_str().into(),
                parse: Parse {
                    status: ParseStatus::Ok,
                    errors: Vec::new(),
                    anomalies: Vec::new(),
                    bytes: bytes.len() as u64,
                    nodes: 0,
                    depth: 0,
                    truncated: false,
                },
                gaps: Vec::new(),
                capabilities: Vec::new(),
                imports: Vec::new(),
                modules: Vec::new(),
                calls: Vec::new(),
                references: Vec::new(),
                dynamic: Vec::new(),
                reflection: Vec::new(),
                resources: Vec::new(),
                bindings: Vec::new(),
                hooks: Vec::new(),
                strings: Vec::new(),
                scopes: Vec::new(),
            },
            lines: LineIndex::new(bytes),
            capabilities: BTreeMap::new(),
            left: limits.facts_max,
            code_left: bytes.len(),
        }
    }

    pub(super) fn span(&self, start: u32, end: u32) -> Span {
        self.lines.span(start, end)
    }

    /// Takes one from the facts that are left; the first that finds none leaves a gap.
    fn admit(&mut self) -> bool {
        if let Some(left) = self.left.checked_sub(1) {
            self.left = left;
            return true;
        }
        if !self.facts.parse.truncated {
            self.facts.parse.truncated = true;
            let span = self.span(0, 0);
            self.facts.gaps.push(Gap {
                kind: GapKind::Limit,
                why: "there are more facts than may be told".into(),
                on: None,
                candidates: Vec::new(),
                span,
            });
        }
        false
    }

    /// Takes the bytes of a text that is read as code from those that are left; where there are
    /// too few there is a gap, and the text is not to be read.
    pub(super) fn admit_code(&mut self, code: &[u8], range: (u32, u32)) -> bool {
        if let Some(left) = self.code_left.checked_sub(code.len()) {
            self.code_left = left;
            return true;
        }
        self.gap(GapKind::Limit, "there is more code inside texts than is read", range.0, range.1);
        false
    }

    pub(super) fn truncate(&mut self) {
        self.facts.parse.truncated = true;
    }

    pub(super) fn parsed(&mut self, status: ParseStatus, nodes: u64, depth: u64) {
        self.facts.parse.status = status;
        self.facts.parse.nodes = nodes;
        self.facts.parse.depth = depth;
    }

    /// How parsing ended, once another parser has spoken.
    pub(super) fn status(&mut self, status: ParseStatus) {
        self.facts.parse.status = status;
    }

    /// Whether the source was taken in whole so far: its bytes, and every node of its tree.
    pub(super) fn read_whole(&self) -> bool {
        let unread =
            |gap: &Gap| matches!(gap.kind, GapKind::Bytes | GapKind::Syntax | GapKind::Limit);
        let parse = &self.facts.parse;
        parse.status == ParseStatus::Ok && !parse.truncated && !self.facts.gaps.iter().any(unread)
    }

    pub(super) fn error(&mut self, start: u32, end: u32) {
        if self.admit() {
            let span = self.span(start, end);
            self.facts.parse.errors.push(span);
        }
    }

    pub(super) fn anomaly(&mut self, kind: AnomalyKind, detail: &str, start: u32, end: u32) {
        if self.admit() {
            let span = self.span(start, end);
            self.facts.parse.anomalies.push(Anomaly { kind, detail: detail.into(), span });
        }
    }

    /// A comment, told with the strings.
    pub(super) fn comment(&mut self, text: &str, (start, end): (u32, u32)) {
        let value = Value {
            level: Level::Literal,
            kind: "str".into(),
            text: Some(quote(text)),
            prefix: None,
            suffix: None,
            candidates: Vec::new(),
            ops: Vec::new(),
            taint: Vec::new(),
        };
        let span = self.span(start, end);
        self.string(StringFact { role: StringRole::Comment, shape: None, value, span });
    }

    pub(super) fn gap(&mut self, kind: GapKind, why: &str, start: u32, end: u32) {
        self.gap_on(kind, why, None, (start, end));
    }

    pub(super) fn gap_on(&mut self, kind: GapKind, why: &str, on: Option<Text>, range: (u32, u32)) {
        let span = self.span(range.0, range.1);
        let repeated =
            self.facts.gaps.last().is_some_and(|last| last.kind == kind && last.span == span);
        if !repeated && self.admit() {
            self.facts.gaps.push(Gap { kind, why: why.into(), on, candidates: Vec::new(), span });
        }
    }

    /// Notes a capability; the first place, and the surest resolution, stand.
    pub(super) fn capability(
        &mut self,
        name: &Text,
        resolution: Resolution,
        because: &Text,
        span: Span,
    ) {
        let known = self.capabilities.entry(Text::clone(name)).or_insert_with(|| Capability {
            name: Text::clone(name),
            resolution,
            because: Text::clone(because),
            span,
        });
        known.resolution = known.resolution.min(resolution);
        if span.byte < known.span.byte {
            known.span = span;
            known.because = Text::clone(because);
        }
    }

    /// Whether the code may write the file of this name, or one whose name is not known and may end
    /// like it.
    pub(super) fn may_write(&self, name: &str) -> bool {
        let end = |name: &str| name.rsplit_once('.').map(|(_, end)| end.to_owned());
        self.facts.resources.iter().any(|resource| {
            let writes = resource.kind == ResourceKind::File
                && resource.place != Place::Memory
                && &*resource.op == "write";
            writes
                && resource.norm.as_deref().is_none_or(|written| {
                    let known = resource.value.text.is_some() && !written.contains('*');
                    written == name || (!known && end(written) == end(name))
                })
        })
    }

    /// The facts, each list in source order.
    pub(super) fn finish(mut self) -> Facts {
        self.facts.capabilities = self.capabilities.into_values().collect();
        self.facts.gaps.sort_by_key(|fact| fact.span.byte);
        self.facts.parse.anomalies.sort_by_key(|fact| fact.span.byte);
        self.facts.imports.sort_by_key(|fact| fact.span.byte);
        self.facts.modules.sort_by_key(|fact| fact.span.byte);
        self.facts.calls.sort_by_key(|fact| fact.span.byte);
        self.facts.references.sort_by_key(|fact| fact.span.byte);
        self.facts.dynamic.sort_by_key(|fact| fact.span.byte);
        self.facts.reflection.sort_by_key(|fact| fact.span.byte);
        self.facts.resources.sort_by_key(|fact| fact.span.byte);
        self.facts.bindings.sort_by_key(|fact| fact.span.byte);
        self.facts.hooks.sort_by_key(|fact| fact.span.byte);
        self.facts.strings.sort_by_key(|fact| fact.span.byte);
        self.facts
    }
}

/// Defines a method for each list that takes whole facts.
macro_rules! takes {
    ($($method:ident: $list:ident of $fact:ty;)+) => {
        impl Draft<'_> {
            $(pub(super) fn $method(&mut self, fact: $fact) {
                if self.admit() {
                    self.facts.$list.push(fact);
                }
            })+
        }
    };
}

takes! {
    import: imports of Import;
    module: modules of Module;
    call: calls of Call;
    reference: references of Reference;
    dynamic: dynamic of Dynamic;
    reflection: reflection of Reflection;
    resource: resources of Resource;
    binding: bindings of Binding;
    hook: hooks of Hook;
    string: strings of StringFact;
    scope: scopes of Scope;
}

/// The start of a text, cut at a character so that a fact stays small.
pub(super) fn quote(text: &str) -> Text {
    let end = text.floor_char_boundary(QUOTE_BYTES_MAX);
    text.get(..end).unwrap_or_default().into()
}
