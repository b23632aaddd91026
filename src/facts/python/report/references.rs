//! Where a module or a function of note is used as a value, or a name is given another meaning.
//!
//! Every way out of our sight is told, so that an object of unknown origin needs no gap.

use super::Teller;
use crate::call::Text;
use crate::facts::python::program::{CellId, Collection, Kind, Op, Operands, ScopeId, Sym, Val};
use crate::facts::python::values::{Atom, Set};
use crate::facts::{Binding, BindingKind, GapKind, Reference, ResourceKind, Role};

/// Functions that reach attributes by names that are texts.
const BY_NAME: [&str; 8] = [
    "getattr",
    "setattr",
    "delattr",
    "hasattr",
    "operator.attrgetter",
    "operator.methodcaller",
    "str.format",
    "str.format_map",
];

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
            let by_name = BY_NAME.contains(&symbols.text(name));
            if by_name || self.values.names.meaning(name, symbols).notable() {
                names.push((symbols.shared(name), name));
            }
        }
        names.sort();
        names.into_iter().map(|(_, name)| name).collect()
    }

    /// A function that takes a path or a host will be given one that is not seen here; out of a
    /// module anything may be taken.
    fn tell_open_parameters(&mut self, name: Sym, op: &Op) {
        let symbols = &self.values.program.symbols;
        let by_name = BY_NAME.contains(&symbols.text(name));
        let meaning = self.values.names.meaning(name, symbols);
        if meaning.module {
            let why = "a module is handed on, and what is taken out of it is not known";
            self.gap(GapKind::Namespace, why, op);
        }
        if by_name {
            let why = "a function that takes attributes by name is handed on";
            self.gap(GapKind::Attribute, why, op);
        }
        if let Some(parameter) = meaning.entry.and_then(|entry| entry.parameters.first()) {
            let why = "a function is handed on, and what it will be given is not known";
            self.gap(gap_for(parameter.kind), why, op);
        }
    }

    pub(super) fn tell_collection(&mut self, at: Val, collection: Collection, operands: Operands) {
        if collection == Collection::Passing && !self.values.is_kept(at) {
            return;
        }
        for operand in self.values.program.operands(operands).to_vec() {
            self.tell_escape(operand.value, Role::Container, None);
        }
    }

    /// An operator hands each side to the other's method, where the other may have one.
    pub(super) fn tell_binary(&mut self, (left, right): (Val, Val)) {
        for (value, other) in [(left, right), (right, left)] {
            if self.may_be_own(other) {
                self.tell_escape(value, Role::Argument, None);
            }
        }
    }

    /// A subscript hands its key to the method of the thing, where that may be the program's own.
    pub(super) fn tell_key(&mut self, base: Val, key: Val) {
        if !self.may_be_own(base) {
            return;
        }
        self.tell_escape(key, Role::Argument, None);
        if let Kind::Collect(Collection::Passing, keys) = self.values.program.kind(key) {
            for key in self.values.program.operands(keys).to_vec() {
                self.tell_escape(key.value, Role::Argument, None);
            }
        }
    }

    pub(super) fn tell_bind(&mut self, op: &Op, cell: CellId, value: Val) {
        let Some(record) = self.values.program.cell(cell) else {
            return;
        };
        let (name, scope) = (record.name, record.scope);
        let bound_in = self.values.program.block(op.block).map(|block| block.scope);
        if self.values.program.is_class(scope) {
            // What a class holds is reached through its instances, out of our sight.
            self.tell_escape(value, Role::AttributeWrite, Some(name));
        }
        let word = self.word(name);
        let kind = if scope == ScopeId(0) && bound_in != Some(scope) {
            BindingKind::GlobalRebind
        } else if self.values.names.is_builtin(&word) {
            BindingKind::ShadowBuiltin
        } else {
            return;
        };
        let mut to: Vec<_> = self.values.of(value).names().map(|name| self.word(name)).collect();
        to.sort();
        let span = self.span(op);
        self.draft.binding(Binding { kind, name: word, to, span });
    }

    fn may_be_own(&self, value: Val) -> bool {
        let set = self.values.of(value);
        !set.all(|atom| match atom {
            Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Name(_)
            | Atom::Held(_)
            | Atom::Path(_) => true,
            Atom::Unknown | Atom::From(_) | Atom::Own(_) | Atom::Bound(_) | Atom::Instance(_) => {
                false
            }
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
