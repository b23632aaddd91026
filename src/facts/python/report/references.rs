//! Where a module or a function of note is used as a value.
//!
//! Every way out of our sight is told, so that an object of unknown origin needs no gap.

use super::Teller;
use crate::call::Text;
use crate::facts::python::program::{Collection, Op, Operands, Sym, Val};
use crate::facts::python::values::{Atom, Set};
use crate::facts::{GapKind, Reference, ResourceKind, Role};

impl Teller<'_, '_> {
    pub(super) fn tell_escape(&mut self, value: Val, role: Role, into: Option<Sym>) {
        let names = self.notable(self.values.of(value));
        let Some(op) = self.values.program.op(value).copied() else {
            return;
        };
        if names.is_empty() {
            return;
        }
        let fact = Reference {
            names: names.iter().map(|name| self.word(*name)).collect(),
            role,
            into: into.map(|into| self.word(into)),
            scope: self.scope_of(&op),
            span: self.span(&op),
        };
        self.draft.reference(fact);
        for name in names {
            self.tell_open_parameters(name, &op);
        }
    }

    /// The names of note among possible values, in the order of their text.
    fn notable(&mut self, set: Set) -> Vec<Sym> {
        let mut names: Vec<(Text, Sym)> = Vec::new();
        for name in set.names() {
            let symbols = &self.values.program.symbols;
            if self.values.names.meaning(name, symbols).notable() {
                names.push((symbols.shared(name), name));
            }
        }
        names.sort();
        names.into_iter().map(|(_, name)| name).collect()
    }

    /// A function that takes a path or a host will be given one that is not seen here.
    fn tell_open_parameters(&mut self, name: Sym, op: &Op) {
        let meaning = self.values.names.meaning(name, &self.values.program.symbols);
        let Some(parameter) = meaning.entry.and_then(|entry| entry.parameters.first()) else {
            return;
        };
        let kind = gap_for(parameter.kind);
        self.gap(kind, "a function is handed on, and what it will be given is not known", op);
    }

    pub(super) fn tell_collection(&mut self, collection: Collection, operands: Operands) {
        if collection == Collection::Keys {
            return;
        }
        for operand in self.values.program.operands(operands).to_vec() {
            self.tell_escape(operand.value, Role::Container, None);
        }
    }

    /// An operator hands each side to the other's method, where the other may have one.
    pub(super) fn tell_binary(&mut self, at: Val, op: &Op, (left, right): (Val, Val)) {
        for (value, other) in [(left, right), (right, left)] {
            if self.may_be_own(other) {
                self.tell_escape(value, Role::Argument, None);
            }
        }
        self.tell_path_made(at, op);
    }

    /// A subscript hands its key to the method of the thing, where that may be the program's own.
    pub(super) fn tell_key(&mut self, base: Val, key: Val) {
        if self.may_be_own(base) {
            self.tell_escape(key, Role::Argument, None);
        }
    }

    fn may_be_own(&self, value: Val) -> bool {
        let set = self.values.of(value);
        !set.all(|atom| match atom {
            Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Number(_)
            | Atom::Plain(_)
            | Atom::Name(_)
            | Atom::Path(_) => true,
            Atom::Unknown | Atom::From(_) | Atom::Own(_) | Atom::Instance(_) => false,
        })
    }
}

/// The gap that stands for a resource whose name is not known.
pub(super) fn gap_for(kind: ResourceKind) -> GapKind {
    match kind {
        ResourceKind::File => GapKind::Path,
        ResourceKind::Host => GapKind::Host,
        ResourceKind::Process | ResourceKind::Env => GapKind::Arguments,
        ResourceKind::Table | ResourceKind::Statement => GapKind::Statement,
    }
}
