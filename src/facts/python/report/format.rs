//! Format strings: which attributes and keys their fields reach; and other texts that a library
//! reads as names.

use super::Teller;
use crate::call::Text;
use crate::facts::python::program::{Op, Operand, Slot, Val};
use crate::facts::python::values::Atom;
use crate::facts::{GapKind, Reflection, ReflectionKind, Resolution};

/// How a text begins that names a module to be loaded.
const MODULE_SCHEME: &str = "module://";

impl Teller<'_, '_> {
    /// A template that is handed to a library, which may apply it to any object.
    pub(super) fn tell_given_template(&mut self, value: Val) {
        let Some(op) = self.values.program.op(value).copied() else { return };
        for text in self.values.of(value).iter().filter_map(Atom::text) {
            let template = self.word(text);
            for field in reaching_fields(&template) {
                if !field.contains("__") {
                    continue;
                }
                let (name, on) = (crate::facts::draft::quote(field), Some(self.written(&op)));
                let (kind, span) = (ReflectionKind::Format, self.span(&op));
                self.draft.reflection(Reflection { kind, name, on, span });
            }
        }
    }

    /// A property of library objects that is set by a keyword.
    pub(super) fn tell_property(&mut self, operand: Operand) {
        let (Slot::Keyword(name), Some(op)) =
            (operand.slot, self.values.program.op(operand.value).copied())
        else {
            return;
        };
        let off = self.values.of(operand.value).all(|atom| self.is_off(atom));
        if !off {
            let word = self.word(name);
            self.tell_property_named(&word, &op);
        }
    }

    /// A property that is named by a text, as settings are: `group.property`.
    pub(super) fn tell_setting(&mut self, text: &str, op: &Op) {
        if text.starts_with(MODULE_SCHEME) {
            self.gap(GapKind::Import, "a text names a module by a scheme", op);
        }
        if let Some((group, property)) = text.rsplit_once('.')
            && group.bytes().all(|byte| byte.is_ascii_lowercase())
        {
            self.tell_property_named(property, op);
        }
    }

    fn tell_property_named(&mut self, word: &str, op: &Op) {
        for method in self.values.names.methods(word) {
            let reached = method.of.iter().any(|root| self.values.names.reaches(root));
            if reached && method.entry.parameters.is_empty() {
                let span = self.span(op);
                for capability in &method.entry.capabilities {
                    let because = Text::clone(&method.name);
                    self.draft.capability(capability, Resolution::Possible, &because, span);
                }
            }
        }
    }
}

/// The part of a replacement field after the name of its argument, where it reaches on: a dotted
/// or bracketed path with a private or dunder part.
pub(super) fn reaching_fields(template: &str) -> Vec<&str> {
    fields(template)
        .into_iter()
        .filter(|field| {
            let path = field.split([':', '!']).next().unwrap_or_default();
            path.split(['.', '[', ']']).skip(1).any(|part| {
                part.starts_with('_') || part.starts_with("gi_") || part.starts_with("f_")
            })
        })
        .collect()
}

/// Whether any field takes an attribute or an item of its argument.
pub(super) fn takes_members(template: &str) -> bool {
    fields(template).iter().any(|field| {
        let path = field.split([':', '!']).next().unwrap_or_default();
        path.contains(['.', '['])
    })
}

/// The texts between braces, nested ones included.
fn fields(template: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut rest = template.char_indices().peekable();
    while let Some((at, character)) = rest.next() {
        match character {
            '{' if open.is_empty() && rest.peek().is_some_and(|(_, next)| *next == '{') => {
                rest.next();
            }
            '{' => open.push(at + 1),
            '}' => {
                if let Some(start) = open.pop() {
                    found.extend(template.get(start..at));
                }
            }
            _ => {}
        }
    }
    found
}
