//! What people are shown of a call: its arguments, and what its code was found to do; all but
//! secrets, whatever the ledger may keep.
//!
//! Must never leave out anything else of the arguments: who answers has to see what is asked for.

use crate::call::{Json, Number, Text, ToolCall};
use crate::facts::{Capability, Facts, Resource, Span};
use crate::redact::{Detectors, Ending, find, redact};
use std::borrow::Cow;

/// Named things that are shown; the code tells of the others.
const RESOURCES_MAX: usize = 200;

/// As canonical JSON, with each secret replaced by the name of its detector.
pub(super) fn call(call: &ToolCall, facts: Option<&Facts>) -> Text {
    let members =
        [("arguments", call.arguments.clone()), ("facts", facts.map_or(Json::Null, told))];
    shown(&object(members)).canonical().into()
}

/// Of facts those that people decide by.
fn told(facts: &Facts) -> Json {
    object([
        ("capabilities", Json::Array(facts.capabilities.iter().map(capability).collect())),
        (
            "resources",
            Json::Array(facts.resources.iter().take(RESOURCES_MAX).map(resource).collect()),
        ),
    ])
}

fn capability(capability: &Capability) -> Json {
    object([
        ("name", Json::String(Text::clone(&capability.name))),
        ("because", Json::String(Text::clone(&capability.because))),
        ("line", line(capability.span)),
    ])
}

fn resource(resource: &Resource) -> Json {
    object([
        ("kind", Json::String(resource.kind.as_str().into())),
        ("op", Json::String(Text::clone(&resource.op))),
        ("name", resource.norm.clone().map_or(Json::Null, Json::String)),
        ("line", line(resource.span)),
    ])
}

fn line(span: Span) -> Json {
    Json::Number(Number::new(span.line.to_string()))
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.map(|(key, value)| (key.into(), value)).into())
}

fn shown(value: &Json) -> Json {
    match value {
        Json::Null | Json::Bool(_) | Json::Number(_) => value.clone(),
        Json::String(text) => Json::String(without_secrets(text)),
        Json::Array(items) => Json::Array(items.iter().map(shown).collect()),
        Json::Object(members) => Json::Object(members.iter().enumerate().map(member).collect()),
    }
}

/// A key that is a secret is told from another one by its number: no member may hide another.
fn member((number, (key, value)): (usize, &(Text, Json))) -> (Text, Json) {
    let told = without_secrets(key);
    let told = if told == *key { told } else { format!("{told} {number}").into() };
    (told, shown(value))
}

fn without_secrets(text: &Text) -> Text {
    match redact(text, &find(text, Ending::Whole), Detectors::all()).text {
        Cow::Borrowed(_) => Text::clone(text),
        Cow::Owned(redacted) => redacted.into(),
    }
}

#[cfg(test)]
mod tests;
