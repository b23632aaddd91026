//! What people are shown of a call's arguments: all but secrets, whatever the ledger may keep.
//!
//! Must never leave out anything else: who answers has to see what is asked for.

use crate::call::{Json, Text, ToolCall};
use crate::redact::{Detectors, Ending, find, redact};
use std::borrow::Cow;

/// The arguments as canonical JSON, with each secret replaced by the name of its detector.
pub(super) fn arguments(call: &ToolCall) -> Text {
    shown(&call.arguments).canonical().into()
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
