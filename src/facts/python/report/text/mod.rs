//! Names as text: attributes, methods and namespaces that are named by a string.
//!
//! Must never take a text that is not known for a harmless one.

mod format;

use super::Teller;
use super::calls::Callee;
use super::resources::Passed;
use crate::call::Text;
use crate::facts::python::program::{Op, Operand, Slot, Val};
use crate::facts::python::values::Atom;
use crate::facts::{Binding, BindingKind, GapKind, Reflection, ReflectionKind};
pub(super) use format::Operation;

impl Teller<'_, '_> {
    pub(super) fn tell_by_name(&mut self, op: &Op, callee: &Callee<'_>, operands: &[Operand]) {
        match &*callee.name {
            "getattr" | "hasattr" | "setattr" | "delattr" => {
                self.tell_attribute_by_name(op, callee, operands)
            }
            "operator.attrgetter" | "operator.methodcaller" => {
                for operand in operands.iter().take(match &*callee.name {
                    "operator.methodcaller" => 1,
                    _ => operands.len(),
                }) {
                    self.tell_attribute_text(op, *operand);
                }
            }
            "globals" | "locals" | "vars" => {
                let span = self.span(op);
                let (name, on) = (Text::clone(&callee.name), Some(self.written(op)));
                let kind = ReflectionKind::Namespace;
                self.draft.reflection(Reflection { kind, name, on, span });
            }
            "str.format" | "str.format_map" | "string.Formatter.format" => {
                self.gap(GapKind::Format, "a format string is applied that is not known", op);
            }
            _ => {}
        }
    }

    fn tell_attribute_by_name(&mut self, op: &Op, callee: &Callee<'_>, operands: &[Operand]) {
        if let Some(name) = operands.get(1) {
            self.tell_attribute_text(op, *name);
        } else {
            self.gap(GapKind::Attribute, "which attribute is meant is not known", op);
        }
        let base = operands.first().map(|operand| self.values.of(operand.value));
        let library = base.is_some_and(|set| set.names().next().is_some());
        if library && matches!(&*callee.name, "setattr" | "delattr") {
            let span = self.span(op);
            let name = Text::clone(&callee.name);
            let kind = BindingKind::SetattrOpaque;
            self.draft.binding(Binding { kind, name, to: Vec::new(), span });
        }
    }

    /// A text that names an attribute, perhaps a dotted one.
    fn tell_attribute_text(&mut self, op: &Op, operand: Operand) {
        let set = self.values.of(operand.value);
        let known = operand.slot == Slot::Position && set.all(|atom| matches!(atom, Atom::Text(_)));
        if !known || set.is_empty() {
            self.gap(GapKind::Attribute, "which attribute is meant is not known", op);
        }
        for atom in set.iter() {
            let Atom::Text(text) = atom else { continue };
            for part in self.word(text).split('.') {
                let part = self.values.program.symbols.intern(part);
                self.tell_named_attribute(part, op);
                let word = self.word(part);
                self.tell_named_method(&word, None, op);
            }
        }
    }

    /// Methods by their name: format strings, and what the catalogue says of library objects.
    pub(super) fn tell_method(&mut self, op: &Op, callee: Val, operands: &[Operand]) {
        let Some((base, name)) = self.values.program.kind(callee).attribute() else {
            return;
        };
        if matches!(&*self.word(name), "format" | "format_map") {
            self.tell_format(op, base, Operation::Applied(operands));
        }
        let (callees, _) = self.callees(callee, operands);
        for callee in &callees {
            self.tell_dispatch(op, callee, operands);
            if callee.named.is_none() {
                self.tell_parameters(op, callee, (Some(base), operands));
            }
        }
    }

    /// A parameter that may name a method by a text.
    fn tell_dispatch(&mut self, op: &Op, callee: &Callee<'_>, operands: &[Operand]) {
        let Some(slots) = callee.entry.and_then(|entry| entry.dispatch.as_ref()) else {
            return;
        };
        let value = match self.passed(slots, operands) {
            Passed::As(value) => value,
            Passed::Not => return,
            Passed::Unseen => {
                self.gap(GapKind::Callee, "which method is meant is not known", op);
                return;
            }
        };
        let named = self.values.written_out(value);
        if !named.iter().all(|atom| self.is_callable_or_known(*atom)) && passes_on(operands) {
            self.gap(GapKind::Callee, "which method is meant, and given more, is not known", op);
        }
        for text in named.into_iter().filter_map(Atom::text) {
            let word = self.word(text);
            self.tell_named_attribute(text, op);
            self.tell_named_method(&word, None, op);
        }
    }

    /// Whether a value names no method, or names one that is known.
    fn is_callable_or_known(&self, atom: Atom) -> bool {
        match atom {
            Atom::Text(_) | Atom::Name(_) | Atom::Own(_) | Atom::Literal(_) => true,
            Atom::Unknown
            | Atom::Bytes(_)
            | Atom::Plain(_)
            | Atom::From(_)
            | Atom::Path(_)
            | Atom::Instance(_) => false,
        }
    }
}

/// Whether a method that is named by a text would be given more than the choice of an axis.
fn passes_on(operands: &[Operand]) -> bool {
    operands.len() > 1
}
