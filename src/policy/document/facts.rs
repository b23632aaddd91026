//! Facts as policy reads them: `input.context.code`.
//!
//! Must never drop a fact: what is cut for its depth becomes a gap.

use crate::call::Text;
use crate::facts::{
    Anomaly, Argument, Binding, Call, Capability, Dynamic, Facts, Gap, GapKind, Hook, Import,
    Module, Parse, Reference, Reflection, Resource, SCHEMA, Scope, Slot, Span, StringFact, Value,
};
use crate::policy::engine::Document;

/// How deep facts of constant code may stand within facts.
const NESTED_DEPTH_MAX: u32 = 4;

/// The document of these facts.
pub(in crate::policy) fn code(facts: &Facts) -> Document {
    at_depth(facts, 0)
}

fn at_depth(facts: &Facts, depth: u32) -> Document {
    let runtime = Document::object([
        ("name", Document::from(&facts.runtime.name)),
        ("version", Document::from(&facts.runtime.version)),
    ]);
    Document::object([
        ("schema", SCHEMA.into()),
        ("language", facts.language.as_str().into()),
        ("runtime", runtime),
        ("digest", Document::from(&facts.digest)),
        ("parse", parse(&facts.parse)),
        ("coverage", coverage(facts, depth)),
        ("capabilities", Document::list(&facts.capabilities, capability)),
        ("imports", Document::list(&facts.imports, import)),
        ("modules", Document::list(&facts.modules, module)),
        ("calls", Document::list(&facts.calls, call)),
        ("references", Document::list(&facts.references, reference)),
        ("dynamic", Document::list(&facts.dynamic, |fact| dynamic(fact, depth))),
        ("reflection", Document::list(&facts.reflection, reflection)),
        ("resources", Document::list(&facts.resources, resource)),
        ("bindings", Document::list(&facts.bindings, binding)),
        ("hooks", Document::list(&facts.hooks, hook)),
        ("strings", Document::list(&facts.strings, string)),
        ("scopes", Document::list(&facts.scopes, scope)),
    ])
}

pub(super) fn span(span: Span) -> Document {
    let (first, end) = span.byte;
    Document::object([
        ("line", span.line.into()),
        ("column", span.column.into()),
        ("end_line", span.end_line.into()),
        ("end_column", span.end_column.into()),
        ("byte", Document::list([first, end], Document::from)),
    ])
}

fn parse(parse: &Parse) -> Document {
    Document::object([
        ("status", parse.status.as_str().into()),
        ("errors", Document::list(&parse.errors, |place| span(*place))),
        ("anomalies", Document::list(&parse.anomalies, anomaly)),
        ("bytes", parse.bytes.into()),
        ("nodes", parse.nodes.into()),
        ("depth", parse.depth.into()),
        ("truncated", parse.truncated.into()),
    ])
}

fn anomaly(anomaly: &Anomaly) -> Document {
    Document::object([
        ("kind", anomaly.kind.as_str().into()),
        ("detail", Document::from(&anomaly.detail)),
        ("span", span(anomaly.span)),
    ])
}

fn coverage(facts: &Facts, depth: u32) -> Document {
    let cut: Vec<Gap> = facts
        .dynamic
        .iter()
        .filter(|dynamic| dynamic.nested.is_some() && depth >= NESTED_DEPTH_MAX)
        .map(cut_for_depth)
        .collect();
    Document::object([
        ("complete", (facts.complete() && cut.is_empty()).into()),
        ("gaps", Document::list(facts.gaps.iter().chain(&cut), gap)),
    ])
}

fn cut_for_depth(dynamic: &Dynamic) -> Gap {
    Gap {
        kind: GapKind::Limit,
        why: "code within code stands deeper than is shown".into(),
        on: None,
        candidates: Vec::new(),
        span: dynamic.span,
    }
}

fn gap(gap: &Gap) -> Document {
    let on = gap.on.as_ref().map(|on| ("on", Document::from(on)));
    [
        ("kind", gap.kind.as_str().into()),
        ("why", Document::from(&gap.why)),
        ("candidates", Document::texts(&gap.candidates)),
        ("span", span(gap.span)),
    ]
    .into_iter()
    .chain(on)
    .collect()
}

fn capability(capability: &Capability) -> Document {
    Document::object([
        ("name", Document::from(&capability.name)),
        ("resolution", capability.resolution.as_str().into()),
        ("because", Document::from(&capability.because)),
        ("span", span(capability.span)),
    ])
}

fn import(import: &Import) -> Document {
    let name = |(name, alias): &(Text, Option<Text>)| {
        let path = format!("{}.{name}", import.module);
        Document::object([
            ("path", path.as_str().into()),
            ("name", Document::from(name)),
            ("as", Document::or_null(alias.as_ref(), Document::from)),
        ])
    };
    Document::object([
        ("form", import.form.as_str().into()),
        ("module", Document::from(&import.module)),
        ("parents", Document::list(parents(&import.module), Document::from)),
        ("as", Document::or_null(import.alias.as_ref(), Document::from)),
        ("names", Document::list(&import.names, name)),
        ("written", Document::from(&import.written)),
        ("scope", Document::from(&import.scope)),
        ("span", span(import.span)),
    ])
}

fn module(module: &Module) -> Document {
    Document::object([
        ("module", Document::from(&module.module)),
        ("parents", Document::list(parents(&module.module), Document::from)),
        ("private", is_private(&module.module).into()),
        ("route", module.route.as_str().into()),
        ("path", Document::from(&module.path)),
        ("resolution", module.resolution.as_str().into()),
        ("span", span(module.span)),
    ])
}

// What follows beside the facts themselves is prepared so that no rule has to cut names apart.

/// What lies around a dotted name, outermost first.
fn parents(module: &str) -> impl Iterator<Item = &str> {
    module.match_indices('.').filter_map(|(end, _)| module.get(..end))
}

/// Whether a part of the name begins with an underscore and is not a dunder.
fn is_private(name: &str) -> bool {
    name.split('.').any(|part| part.starts_with('_') && !part.starts_with("__"))
}

/// What follows the last dot of the file's name, in lower case.
fn extension(path: &str) -> Option<String> {
    let (_, file) = path.rsplit_once('/').unwrap_or(("", path));
    let (_, extension) = file.rsplit_once('.')?;
    Some(extension.to_lowercase())
}

fn call(call: &Call) -> Document {
    let implicit = call.implicit.map(|form| ("implicit", form.as_str().into()));
    [
        ("names", Document::texts(&call.names)),
        ("resolution", call.resolution.as_str().into()),
        ("complete", call.closed.into()),
        ("receiver", Document::or_null(call.receiver.as_ref(), Document::from)),
        ("text", Document::from(&call.text)),
        ("capabilities", Document::texts(&call.capabilities)),
        ("arguments", Document::list(&call.arguments, argument)),
        ("star_arguments", call.star_arguments.into()),
        ("star_keywords", call.star_keywords.into()),
        ("when", call.when.as_str().into()),
        ("scope", Document::from(&call.scope)),
        ("span", span(call.span)),
    ]
    .into_iter()
    .chain(implicit)
    .collect()
}

fn argument(argument: &Argument) -> Document {
    let slot = match &argument.slot {
        Slot::Position(position) => ("position", Document::from(*position)),
        Slot::Keyword(keyword) => ("keyword", Document::from(keyword)),
    };
    Document::object([slot, ("value", value(&argument.value))])
}

fn value(value: &Value) -> Document {
    let taint = |taint: &crate::facts::Taint| Document::from(taint.as_str());
    let known = [
        ("text", value.text.as_ref()),
        ("prefix", value.prefix.as_ref()),
        ("suffix", value.suffix.as_ref()),
    ];
    let known =
        known.into_iter().filter_map(|(name, text)| text.map(|text| (name, Document::from(text))));
    let making = |making: &crate::facts::Making| Document::from(making.as_str());
    let lists = [
        ("candidates", Document::texts(&value.candidates), value.candidates.is_empty()),
        ("ops", Document::list(&value.ops, making), value.ops.is_empty()),
    ];
    let told = lists.into_iter().filter(|(_, _, empty)| !empty).map(|(name, list, _)| (name, list));
    [
        ("level", value.level.as_str().into()),
        ("type", Document::from(&value.kind)),
        ("taint", Document::list(&value.taint, taint)),
    ]
    .into_iter()
    .chain(known)
    .chain(told)
    .collect()
}

fn reference(reference: &Reference) -> Document {
    let around = reference.names.iter().flat_map(|name| parents(name));
    let into = reference.into.as_ref().map(|into| ("into", Document::from(into)));
    [
        ("names", Document::texts(&reference.names)),
        ("parents", Document::list(around, Document::from)),
        ("role", reference.role.as_str().into()),
        ("scope", Document::from(&reference.scope)),
        ("span", span(reference.span)),
    ]
    .into_iter()
    .chain(into)
    .collect()
}

fn dynamic(dynamic: &Dynamic, depth: u32) -> Document {
    let nested = dynamic
        .nested
        .as_ref()
        .filter(|_| depth < NESTED_DEPTH_MAX)
        .map(|facts| ("nested", at_depth(facts, depth + 1)));
    [
        ("kind", dynamic.kind.as_str().into()),
        ("call", Document::from(&dynamic.call)),
        ("value", value(&dynamic.value)),
        ("span", span(dynamic.span)),
    ]
    .into_iter()
    .chain(nested)
    .collect()
}

fn reflection(reflection: &Reflection) -> Document {
    let on = reflection.on.as_ref().map(|on| ("on", Document::from(on)));
    let next = reflection.next.as_ref().map(|next| ("next", Document::from(next)));
    [
        ("kind", reflection.kind.as_str().into()),
        ("name", Document::from(&reflection.name)),
        ("span", span(reflection.span)),
    ]
    .into_iter()
    .chain(on)
    .chain(next)
    .collect()
}

fn resource(resource: &Resource) -> Document {
    Document::object([
        ("kind", resource.kind.as_str().into()),
        ("op", Document::from(&resource.op)),
        ("value", value(&resource.value)),
        ("norm", Document::or_null(resource.norm.as_ref(), Document::from)),
        (
            "extension",
            Document::or_null(resource.norm.as_deref().and_then(extension), |extension| {
                extension.as_str().into()
            }),
        ),
        ("place", resource.place.as_str().into()),
        ("call", Document::from(&resource.call)),
        ("span", span(resource.span)),
    ])
}

fn binding(binding: &Binding) -> Document {
    Document::object([
        ("kind", binding.kind.as_str().into()),
        ("name", Document::from(&binding.name)),
        ("to", Document::texts(&binding.to)),
        ("span", span(binding.span)),
    ])
}

fn hook(hook: &Hook) -> Document {
    let owner = hook.owner.as_ref().map(|owner| ("owner", Document::from(owner)));
    [
        ("name", Document::from(&hook.name)),
        ("targets", Document::texts(&hook.targets)),
        ("resolution", hook.resolution.as_str().into()),
        ("span", span(hook.span)),
    ]
    .into_iter()
    .chain(owner)
    .collect()
}

fn string(string: &StringFact) -> Document {
    let shape = string.shape.map(|shape| ("shape", shape.as_str().into()));
    [
        ("role", string.role.as_str().into()),
        ("value", value(&string.value)),
        ("span", span(string.span)),
    ]
    .into_iter()
    .chain(shape)
    .collect()
}

fn scope(scope: &Scope) -> Document {
    let parent = scope.parent.as_ref().map(|parent| ("parent", Document::from(parent)));
    [
        ("id", Document::from(&scope.id)),
        ("kind", scope.kind.as_str().into()),
        ("name", Document::from(&scope.name)),
        ("parameters", Document::texts(&scope.parameters)),
        ("called", scope.called.into()),
    ]
    .into_iter()
    .chain(parent)
    .collect()
}
