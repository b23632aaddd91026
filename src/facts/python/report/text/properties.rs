//! Properties of library objects that a keyword or a text names, and what they need.
//!
//! Must never take a word of data for a property that no library sets.

use crate::call::Text;
use crate::facts::python::program::{Kind, Op, Operand, Slot, Val};
use crate::facts::python::report::Teller;
use crate::facts::python::report::calls::Callee;
use crate::facts::python::values::Set;
use crate::facts::{GapKind, Method, Resolution};

/// How a text begins that names a module to be loaded.
const MODULE_SCHEME: &str = "module://";

/// Properties that do harm where they are off.
const CHECKS: [&str; 1] = ["refcheck"];

impl Teller<'_, '_> {
    /// A property of library objects that is set by a keyword.
    pub(in super::super) fn tell_property(&mut self, operand: Operand, set: Set) {
        let (Slot::Keyword(name), Some(op)) =
            (operand.slot, self.values.program.op(operand.value).copied())
        else {
            return;
        };
        let word = self.word(name);
        self.tell_unwritten_member(&word, &op);
        let off = set.all(|atom| self.is_off(atom));
        if !off || CHECKS.contains(&&*word) {
            self.tell_property_named(&word, &op);
        }
    }

    /// A property that is named by a text, as settings are: `group.property`.
    pub(in super::super) fn tell_setting(&mut self, text: &str, op: &Op) {
        self.tell_zone_of_file(text, op);
        if text.starts_with(MODULE_SCHEME) {
            self.gap(GapKind::Import, "a text names a module by a scheme", op);
        }
        if let Some((group, property)) = text.rsplit_once('.')
            && group.bytes().all(|byte| byte.is_ascii_lowercase())
        {
            self.tell_property_named(property, op);
        }
        // A text alone may be the key of a mapping of properties. Only what a method sets is one:
        // data has any word.
        let lower = text.to_ascii_lowercase();
        if !self.values.names.methods(&setter(&lower)).is_empty() {
            self.tell_property_named(&lower, op);
            // What answers in place of a method of the library is set as a property is.
            if lower.starts_with("get_") || lower.starts_with('_') {
                self.tell_set_property(&lower, op);
            }
        }
        // The parts of a pattern, `name:property=value`, are set by those methods.
        for (property, _) in text.split(':').skip(1).filter_map(|part| part.split_once('=')) {
            self.tell_property_named(&setter(property), op);
        }
    }

    /// Properties whose name a part of it stands for.
    pub(super) fn tell_properties_like(&mut self, pattern: &str, op: &Op) {
        let part = pattern.rsplit('.').next().unwrap_or_default();
        for property in self.values.names.properties_like(part) {
            self.tell_property_named(property, op);
        }
    }

    /// A value that is put where a target says, where that is an attribute of a library object.
    pub(in super::super) fn tell_stored(&mut self, op: &Op, target: Val, value: Val) {
        if let Some((base, name)) = self.values.program.kind(target).attribute() {
            let name = self.word(name);
            self.tell_set(op, (base, &name), Some(value));
        } else if let Kind::Item { base, key: Some(key), .. } = self.values.program.kind(target) {
            self.tell_error_behind(&[key, value], op);
            if self.may_be_settings(base) {
                self.tell_setting_value(op, key, value);
            }
        }
    }

    /// An attribute that is set: what the catalogue says of the method that sets it holds of it.
    pub(super) fn tell_set(&mut self, op: &Op, (base, name): (Val, &str), value: Option<Val>) {
        let own = self.values.of(base).iter().any(|atom| atom.own().is_some());
        for method in self.values.names.methods(&setter(name)) {
            if self.method_applies(method, base, None) || (own && self.derives_from(&method.of)) {
                self.tell_set_by(op, method, value);
            }
        }
    }

    /// The same of a name in the body of a class, where one of the program's derives from a class
    /// of the library.
    pub(in super::super) fn tell_set_in_class(&mut self, op: &Op, name: &str, value: Val) {
        for method in self.values.names.methods(&setter(name)) {
            if self.derives_from(&method.of) {
                self.tell_set_by(op, method, Some(value));
            }
        }
        for attribute in self.values.names.attributes(name) {
            if self.derives_from(&attribute.of) {
                self.tell_set_by(op, attribute, Some(value));
            }
        }
    }

    fn tell_set_by(&mut self, op: &Op, method: &Method, value: Option<Val>) {
        let name = Text::clone(&method.name);
        let callee = Callee { name, entry: Some(&method.entry), named: None };
        for parameter in &method.entry.parameters {
            self.tell_given(op, &callee, parameter, value);
        }
        let span = self.span(op);
        for capability in &method.entry.capabilities {
            self.draft.capability(capability, Resolution::Possible, &method.name, span);
        }
    }

    /// The method that sets a property of this name, as if it was called.
    pub(super) fn tell_set_property(&mut self, property: &str, op: &Op) {
        self.tell_property_named(&setter(property), op);
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

/// The method that sets a property.
fn setter(property: &str) -> String {
    ["set_", property].concat()
}
