//! Names as text: attributes, methods and namespaces that are named by a string.
//!
//! Must never take a text that is not known for a harmless one.

mod choices;
mod format;
mod given;
mod mappings;
mod options;
mod properties;
mod settings;
mod strings;
mod zones;

use super::Teller;
use super::attributes::operates;
use super::calls::Callee;
use super::resources::Passed;
use crate::call::Text;
use crate::facts::python::program::{Op, Operand, Slot, Sym, Val};
use crate::facts::python::values::{Atom, Set};
use crate::facts::{GapKind, ReflectionKind, Slots};
pub(super) use format::{Fields, Operation};

impl Teller<'_, '_> {
    pub(super) fn tell_by_name(&mut self, op: &Op, callee: &Callee<'_>, operands: &[Operand]) {
        match &*callee.name {
            "getattr" | "hasattr" | "setattr" | "delattr" => {
                self.tell_attribute_by_name(op, callee, operands)
            }
            "operator.attrgetter" => self.tell_attribute_texts(op, operands),
            "operator.methodcaller" => {
                self.tell_attribute_texts(op, operands.get(..1).unwrap_or_default());
            }
            "globals" | "locals" | "vars" => {
                self.tell_reflection(ReflectionKind::Namespace, Text::clone(&callee.name), op);
            }
            "str.format" | "str.format_map" => self.tell_unbound_format(op, operands),
            "string.Formatter.format" | "string.Formatter.vformat" => {
                self.tell_unbound_format(op, operands.get(1..).unwrap_or_default());
            }
            "logging.Formatter" | "logging.basicConfig" | "logging.StrFormatStyle" => {
                self.tell_log_template(op, callee, operands);
            }
            "type" => self.tell_class_of_text(op, operands),
            _ => {}
        }
        self.tell_program(op, callee);
    }

    /// A module's `main` is a program of its own: it reads its arguments and what they name.
    fn tell_program(&mut self, op: &Op, callee: &Callee<'_>) {
        let Some((module, "main" | "_main" | "test" | "_test")) = callee.name.rsplit_once('.')
        else {
            return;
        };
        if callee.entry.is_none() && self.values.names.is_module(module) {
            self.gap(GapKind::Callee, "a module is run as a program of its own", op);
        }
    }

    fn tell_attribute_by_name(&mut self, op: &Op, callee: &Callee<'_>, operands: &[Operand]) {
        let Some(name) = operands.get(1) else {
            self.gap(GapKind::Attribute, "which attribute is meant is not known", op);
            return;
        };
        if self.is_one_of_own(callee, operands) || self.only_asks(callee, *name) {
            return;
        }
        self.tell_attribute_text(op, *name);
        let base = operands.first().map(|operand| operand.value);
        if let Some(base) = base {
            self.tell_hops_by_name(op, base, name.value);
            self.tell_handed_by_name(op, self.values.of(base), name.value);
        }
        if let Some(base) = base.filter(|_| &*callee.name == "getattr")
            && self.may_name_template(name.value)
        {
            self.tell_format(op, base, Operation::HandedOn);
        }
        if let Some(base) = base
            && matches!(&*callee.name, "setattr" | "delattr")
        {
            self.tell_set_by_name(op, &callee.name, (base, name.value));
            let value = operands.get(2).map(|operand| operand.value);
            for text in self.names_known(name.value) {
                let text = self.word(text);
                self.tell_set(op, (base, &text), value);
                let set = value.map(|value| self.values.of(value)).unwrap_or_default();
                self.tell_error_given(&text, set, op);
            }
        }
    }

    /// Whether an attribute is read that is one of few of the program's own, all of which are
    /// told where they are bound.
    fn is_one_of_own(&mut self, callee: &Callee<'_>, operands: &[Operand]) -> bool {
        let reads = matches!(&*callee.name, "getattr" | "hasattr");
        let by_position = operands.iter().all(|operand| operand.slot == Slot::Position);
        let ([base, name] | [base, name, _]) = operands else {
            return false;
        };
        let known = self.values.of(name.value).all(|atom| matches!(atom, Atom::Text(_)));
        reads && by_position && !known && self.values.named_among(base.value, name.value).is_some()
    }

    /// Whether a call only asks whether an object has what operators and statements call.
    fn only_asks(&self, callee: &Callee<'_>, name: Operand) -> bool {
        let set = self.values.of(name.value);
        let symbols = &self.values.program.symbols;
        let operator = |atom| matches!(atom, Atom::Text(text) if operates(symbols.text(text)));
        &*callee.name == "hasattr"
            && name.slot == Slot::Position
            && !set.is_empty()
            && set.all(operator)
    }

    /// The texts that a value may be, as far as they are known.
    fn names_known(&mut self, value: Val) -> Vec<Sym> {
        let known = self.values.of(value).iter().filter_map(Atom::text).collect();
        self.values.names_meant(value).unwrap_or(known)
    }

    /// Members of libraries that are named by a text.
    fn tell_hops_by_name(&mut self, op: &Op, base: Val, name: Val) {
        let owners: Vec<Sym> = self.values.of(base).names().collect();
        for text in self.names_known(name) {
            for owner in &owners {
                self.tell_hop(*owner, text, op);
            }
        }
    }

    /// Methods that set properties or take zones, and are named by a text.
    fn tell_handed_by_name(&mut self, op: &Op, of: Set, name: Val) {
        for text in self.values.of(name).iter().filter_map(Atom::text) {
            for part in self.word(text).split('.') {
                self.tell_handed_zone(op, (of, part));
                self.tell_handed_properties(op, (of, part));
            }
        }
    }

    fn tell_attribute_texts(&mut self, op: &Op, operands: &[Operand]) {
        for operand in operands {
            self.tell_attribute_text(op, *operand);
            for library in ["matplotlib", "pandas"] {
                if self.values.names.reaches(library) {
                    let of = Atom::Name(self.values.program.symbols.intern(library));
                    self.tell_handed_by_name(op, Set::one(of), operand.value);
                }
            }
            if self.may_name_template(operand.value) {
                self.gap(GapKind::Format, "a template is filled by a method that a text names", op);
            }
        }
    }

    /// Whether a text names a method that fills templates.
    fn may_name_template(&mut self, name: Val) -> bool {
        let texts = self.names_known(name);
        let symbols = &self.values.program.symbols;
        texts.into_iter().any(|text| symbols.text(text).split('.').any(fills_templates))
    }

    /// A pattern that takes the method of a text by which templates are filled.
    pub(super) fn tell_matched_template(&mut self, word: &str, op: &Op) {
        let written = self.written(op);
        let given = written.strip_prefix(word).map(str::trim_start);
        let given = given.and_then(|rest| rest.strip_prefix('=')).map(str::trim_start);
        let constant = given.is_some_and(|given| given.starts_with(['"', '\'']));
        if fills_templates(word) && !constant {
            self.gap(GapKind::Format, "a pattern takes the method that fills a template", op);
        }
    }

    /// The attributes that positional patterns over a class read.
    pub(super) fn tell_match_arguments(&mut self, op: &Op, names: Val) {
        for name in self.values.written_out(names) {
            if let Some(text) = name.text() {
                self.tell_matched(text, op);
            } else {
                let why = "which attributes a pattern reads is not known";
                self.gap(GapKind::Attribute, why, op);
            }
        }
    }

    /// A text that names an attribute, perhaps a dotted one.
    fn tell_attribute_text(&mut self, op: &Op, operand: Operand) {
        let known = self.values.names_meant(operand.value).is_some();
        if !known || operand.slot != Slot::Position {
            self.gap(GapKind::Attribute, "which attribute is meant is not known", op);
        }
        for text in self.names_known(operand.value) {
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
        match &*self.word(name) {
            method @ ("format" | "format_map") => {
                let mapping = if method == "format" { Fields::Passed } else { Fields::Mapped };
                self.tell_format(op, base, Operation::Applied(operands, mapping));
            }
            "vformat" | "get_field" => self.tell_formatter(op, base, operands),
            _ => self.tell_change(op, base, name),
        }
        let (callees, _) = self.callees(callee, operands);
        for callee in &callees {
            if callee.named.is_none() {
                self.tell_parameters(op, callee, (Some(base), operands));
            }
        }
    }

    /// A parameter that may name a method by a text.
    pub(super) fn tell_dispatch(&mut self, op: &Op, callee: &Callee<'_>, operands: &[Operand]) {
        let Some(slots) = callee.entry.and_then(|entry| entry.dispatch.as_ref()) else {
            return;
        };
        let value = match self.passed(slots, operands) {
            Passed::As(value) => value,
            Passed::Not => return,
            Passed::Unseen => {
                if !self.names_no_method(slots, operands) {
                    self.gap(GapKind::Callee, "which method is meant is not known", op);
                }
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

    /// Whether mappings of keywords are all that is passed, and none of them holds the parameter
    /// that names a method: a text under a key that is not known might be it.
    fn names_no_method(&mut self, slots: &Slots, operands: &[Operand]) -> bool {
        operands.iter().all(|operand| {
            let set = self.values.of(operand.value);
            let site = match (operand.slot, set.single()) {
                (Slot::DoubleStar, Some(Atom::Held(site))) => site,
                _ => return false,
            };
            let keys = self.values.keys_of(site);
            let other = keys.iter().all(|key| {
                let text = key.text().map(|text| self.values.program.symbols.text(text));
                text.is_some_and(|text| Some(text) != slots.keyword.as_deref())
            });
            let values = self.values.elements_under(site);
            other || values.all(|atom| matches!(atom, Atom::Held(_)))
        })
    }

    /// Whether a value names no method, or names one that is known.
    fn is_callable_or_known(&self, atom: Atom) -> bool {
        match atom {
            Atom::Text(_)
            | Atom::Name(_)
            | Atom::Own(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Literal(_) => true,
            Atom::Unknown
            | Atom::Bytes(_)
            | Atom::Plain(_)
            | Atom::Partial(_)
            | Atom::From(_)
            | Atom::Path(_)
            | Atom::Held(_)
            | Atom::Instance(_) => false,
        }
    }
}

/// Whether a method that is named by a text would be given more than the choice of an axis.
fn passes_on(operands: &[Operand]) -> bool {
    operands.len() > 1
}

/// Whether a method of this name fills a template.
pub(super) fn fills_templates(word: &str) -> bool {
    matches!(word, "format" | "format_map" | "vformat" | "get_field")
}
