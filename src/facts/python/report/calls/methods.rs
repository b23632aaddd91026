//! Methods of objects whose class is not known, by their name and by where the object came from.

use super::Callee;
use crate::call::Text;
use crate::facts::python::program::{Op, Operand, Slot, Sym, Val};
use crate::facts::python::report::Teller;
use crate::facts::python::report::names::gap_for;
use crate::facts::python::report::text::{Operation, fills_templates};
use crate::facts::python::values::Atom;
use crate::facts::{GapKind, Method, Resolution};

impl<'tell> Teller<'tell, '_> {
    /// Methods of objects whose class is not known, by their name.
    pub(in super::super) fn guess(
        &mut self,
        callee: Val,
        operands: &[Operand],
        callees: &mut Vec<Callee<'tell>>,
    ) {
        let Some((base, name)) = self.values.program.kind(callee).attribute() else {
            callees.push(Callee { name: "<object>".into(), entry: None, named: None });
            return;
        };
        let word = self.word(name);
        let methods = self.values.names.methods(&word);
        let before = callees.len();
        for method in methods {
            if self.method_applies(method, base, Some(operands)) {
                let name = Text::clone(&method.name);
                callees.push(Callee { name, entry: Some(&method.entry), named: None });
            }
        }
        if callees.len() == before {
            let name = format!("{}.{word}", self.type_of_text(base).unwrap_or("<object>")).into();
            callees.push(Callee { name, entry: None, named: None });
        }
    }

    /// The builtin type of a text, where a value surely is one.
    pub(super) fn type_of_text(&self, base: Val) -> Option<&'static str> {
        let text = match self.values.of(base).single()? {
            Atom::Text(_) | Atom::Partial(_) => "str",
            Atom::Bytes(_) => "bytes",
            Atom::Plain(kind) if self.values.program.symbols.text(kind) == "str" => "str",
            Atom::Plain(_)
            | Atom::Unknown
            | Atom::Literal(_)
            | Atom::Name(_)
            | Atom::From(_)
            | Atom::Path(_)
            | Atom::Own(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Held(_)
            | Atom::Instance(_) => return None,
        };
        Some(text)
    }

    /// A method that names files, hosts or code is read and not called: it will be given what is
    /// not known here.
    pub(in super::super) fn tell_bound_method(&mut self, base: Val, name: Sym, op: &Op) {
        let word = self.word(name);
        let set = self.values.of(base);
        self.tell_handed_zone(op, (set, &word));
        self.tell_handed_properties(op, (set, &word));
        if fills_templates(&word) {
            self.tell_format(op, base, Operation::HandedOn);
        }
        self.tell_named_method(&word, Some(base), op);
    }

    /// A method that is called on its class instead of an object.
    pub(in super::super) fn tell_unbound_method(&mut self, op: &Op, callee: &Callee<'_>) {
        let Some(name) = callee.named.filter(|_| callee.entry.is_none()) else {
            return;
        };
        let word = callee.name.rsplit('.').next().unwrap_or_default();
        let methods = self.values.names.methods(word);
        if methods.iter().any(|method| self.came_from(name, &method.of)) {
            self.tell_named_method(word, None, op);
        }
    }

    /// The same of a method that is named by a text.
    pub(in super::super) fn tell_named_method(&mut self, word: &str, base: Option<Val>, op: &Op) {
        let methods = self.values.names.methods(word);
        let reached = methods.iter().find(|method| match base {
            Some(base) => self.method_applies(method, base, None),
            None => method.of.iter().any(|root| self.values.names.reaches(root)),
        });
        if let Some(method) = reached {
            let parameter = method.entry.parameters.first();
            let kind = parameter.map_or(GapKind::Callee, |parameter| gap_for(parameter.kind));
            self.gap(kind, "a method is handed on, and what it will be given is not known", op);
        }
    }

    /// Whether a call has this many positional arguments, or may have them: behind a star, or
    /// passed by the keyword of the method.
    fn is_shaped(&self, method: &Method, operands: &[Operand], wanted: u32) -> bool {
        let mut positions = 0;
        for operand in operands {
            match operand.slot {
                Slot::Position => positions += 1,
                Slot::Star | Slot::DoubleStar => return true,
                Slot::Keyword(name) => {
                    let parameters = method.entry.parameters.iter();
                    let mut keywords = parameters.filter_map(|each| each.keyword.as_deref());
                    if keywords.any(|keyword| keyword == self.values.program.symbols.text(name)) {
                        return true;
                    }
                }
            }
        }
        positions == wanted
    }

    /// An attribute is written by which a library is told what to do later.
    pub(in super::super) fn tell_told_attribute(&mut self, base: Val, name: Sym, op: &Op) {
        let word = self.word(name);
        for attribute in self.values.names.attributes(&word) {
            if !self.method_applies(attribute, base, None) {
                continue;
            }
            let span = self.span(op);
            for need in &attribute.entry.capabilities {
                self.draft.capability(need, Resolution::Possible, &attribute.name, span);
            }
            if let Some(parameter) = attribute.entry.parameters.first() {
                let why = "an attribute by which a library is told what to open is written";
                self.gap(gap_for(parameter.kind), why, op);
            }
        }
    }

    /// Whether an object may be one of the library's that has the method.
    pub(in super::super) fn method_applies(
        &self,
        method: &Method,
        base: Val,
        operands: Option<&[Operand]>,
    ) -> bool {
        let shaped = match (operands, method.positional) {
            (Some(operands), Some(wanted)) => self.is_shaped(method, operands, wanted),
            (Some(_), None) => true,
            // A name that plain data has too is not taken for a method where it is not called.
            (None, wanted) => wanted.is_none(),
        };
        let reached = method.of.iter().any(|root| self.values.names.reaches(root));
        let path = method.of.iter().any(|root| &**root == "pathlib");
        self.values.of(base).iter().any(|atom| match atom {
            Atom::Unknown => shaped && reached,
            Atom::Name(name) => self.came_from(name, &method.of),
            Atom::From(name) => {
                self.came_from(name, &method.of)
                    || (shaped && reached && self.hands_on(name, method))
            }
            Atom::Path(_) => path,
            Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Partial(_)
            | Atom::Own(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Held(_)
            | Atom::Instance(_) => false,
        })
    }

    /// Whether what came out of a thing may be an object of another library that the program put
    /// in: an open file gives data, and what a library with methods of its own has under a name
    /// that plain data has too is its own.
    fn hands_on(&self, name: Sym, method: &Method) -> bool {
        let names = &self.values.names;
        let text = self.values.program.symbols.text(name);
        !names.makes_handle(text) && (method.positional.is_none() || !names.has_methods(text))
    }

    fn came_from(&self, name: Sym, roots: &[Text]) -> bool {
        let text = self.values.program.symbols.text(name);
        let root = text.split('.').next().unwrap_or_default();
        roots.iter().any(|wanted| &**wanted == root)
    }
}
