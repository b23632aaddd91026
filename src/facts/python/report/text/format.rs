//! Format strings: which attributes and keys their fields reach; and other texts that a library
//! reads as names.

use crate::call::Text;
use crate::facts::python::program::{Op, Operand, Slot, Sym, Val};
use crate::facts::python::report::Teller;
use crate::facts::python::values::{Atom, COLLECTION};
use crate::facts::{GapKind, Reflection, ReflectionKind, Resolution};

/// How a text begins that names a module to be loaded.
const MODULE_SCHEME: &str = "module://";

/// What is done with the `format` of a text.
#[derive(Debug, Clone, Copy)]
pub(in super::super) enum Operation<'call> {
    /// It is called with these.
    Applied(&'call [Operand]),
    /// It is handed on.
    HandedOn,
}

impl Teller<'_, '_> {
    pub(in super::super) fn tell_format(&mut self, op: &Op, base: Val, operation: Operation<'_>) {
        let set = self.values.of(base);
        let data = match operation {
            Operation::Applied(operands) => {
                operands.iter().all(|operand| self.is_data(operand.value))
            }
            Operation::HandedOn => false,
        };
        for atom in set.iter() {
            match atom {
                Atom::Text(template) => self.tell_template(op, &self.word(template)),
                Atom::Unknown | Atom::Plain(_) if !data => {
                    self.gap(GapKind::Format, "a format string is applied that is not known", op);
                }
                Atom::From(origin) if !data && !self.has_own_format(origin) => {
                    self.gap(GapKind::Format, "a format string is applied that is not known", op);
                }
                Atom::Unknown
                | Atom::Plain(_)
                | Atom::Bytes(_)
                | Atom::Literal(_)
                | Atom::Name(_)
                | Atom::From(_)
                | Atom::Path(_)
                | Atom::Own(_)
                | Atom::Instance(_) => {}
            }
        }
    }

    /// Whether `format` of what came from there is a method of its own: log formatters have one.
    fn has_own_format(&self, origin: Sym) -> bool {
        let name = self.values.program.symbols.text(origin);
        name == "super" || name.starts_with("logging.")
    }

    /// Whether a value is data through and through, which a collection need not be.
    fn is_data(&self, value: Val) -> bool {
        let collection = |kind| self.values.program.symbols.text(kind) == COLLECTION;
        self.values.of(value).all(|atom| match atom {
            Atom::Plain(kind) => !collection(kind),
            Atom::Text(_) | Atom::Bytes(_) | Atom::Literal(_) => true,
            Atom::Unknown
            | Atom::Name(_)
            | Atom::From(_)
            | Atom::Path(_)
            | Atom::Own(_)
            | Atom::Instance(_) => false,
        })
    }

    fn tell_template(&mut self, op: &Op, template: &str) {
        if !takes_members(template) {
            return;
        }
        for field in reaching_fields(template) {
            let (name, on) = (crate::facts::draft::quote(field), Some(self.written(op)));
            let span = self.span(op);
            let kind = ReflectionKind::Format;
            self.draft.reflection(Reflection { kind, name, on, span });
        }
    }

    /// A template that is handed to a library, which may apply it to any object.
    pub(in super::super) fn tell_given_template(&mut self, value: Val) {
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
    pub(in super::super) fn tell_property(&mut self, operand: Operand) {
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
    pub(in super::super) fn tell_setting(&mut self, text: &str, op: &Op) {
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
fn reaching_fields(template: &str) -> Vec<&str> {
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
fn takes_members(template: &str) -> bool {
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
