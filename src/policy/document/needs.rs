//! What the code needs from the world, place by place: `input.context.needs`.
//!
//! Gathered out of the facts so that no rule walks through every call. Must never be shorter
//! than what the facts say.

use super::facts::span;
use crate::call::Text;
use crate::facts::{Capability, Facts, Span};
use crate::policy::engine::Document;
use std::collections::BTreeSet;

/// Every place at which something needs a capability: each call, and each name that needs one
/// without being called, where it is first met.
pub(in crate::policy) fn needs(facts: &Facts) -> Document {
    let mut places = Vec::new();
    let mut called = BTreeSet::new();
    for call in &facts.calls {
        for capability in &call.capabilities {
            for name in &call.names {
                called.insert((capability, name));
                places.push(need(capability, name, Called::Yes, call.span));
            }
        }
    }
    for Capability { name, because, span, .. } in &facts.capabilities {
        if !called.contains(&(name, because)) {
            places.push(need(name, because, Called::No, *span));
        }
    }
    Document::list(places, |place| place)
}

#[derive(PartialEq)]
enum Called {
    Yes,
    No,
}

fn need(capability: &Text, name: &Text, called: Called, place: Span) -> Document {
    Document::object([
        ("capability", Document::from(capability)),
        ("name", Document::from(name)),
        ("called", (called == Called::Yes).into()),
        ("span", span(place)),
    ])
}
