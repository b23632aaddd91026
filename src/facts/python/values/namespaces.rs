//! Namespaces as values, and what a text names in them.
//!
//! Must never say that a name of the module is bound to nothing else.

use super::evaluate::CLASS;
use super::{Atom, Set, Values};
use crate::facts::python::program::{Kind, Operands, ScopeId, Sym, Val};

/// Functions that give what a dotted text names, a module's members included.
const RESOLVERS: [&str; 2] = ["pkgutil.resolve_name", "pydoc.locate"];

/// What texts name: members of namespaces, and what a dotted text stands for.
impl Values<'_> {
    /// The namespace of the builtins, whatever hands it out.
    pub(super) fn all_builtins(&mut self) -> Set {
        Set::one(Atom::Name(self.program.symbols.intern("__builtins__")))
    }

    /// Whether a value is what `globals` or `locals` gives, or `vars` of nothing.
    pub(in super::super) fn is_namespace(&self, value: Val) -> bool {
        let Kind::Call { callee, arguments, .. } = self.program.kind(value) else {
            return false;
        };
        let Some(Atom::Name(name)) = self.of(callee).single() else {
            return false;
        };
        arguments.start == arguments.end
            && matches!(self.program.symbols.text(name), "globals" | "locals" | "vars")
    }

    /// What a name of the module may be bound to, or the builtin; anything else is possible too.
    pub(super) fn named_global(&mut self, name: Sym) -> Set {
        let cell = self.program.own_cell(ScopeId(0), name);
        let mut set = cell.map_or_else(Set::default, |cell| self.read_cell(cell));
        set.add(Atom::Unknown, &mut self.program.symbols);
        set
    }

    /// Whether the classes of things are taken one by one.
    pub(super) fn maps_classes(&self, arguments: Operands) -> bool {
        let function = self.positional(arguments, 0).map(|value| self.of(value));
        let named = |name| self.program.symbols.text(name) == CLASS;
        function.is_some_and(|function| function.names().any(named))
    }

    /// `vars(thing)` is the namespace of the thing.
    pub(super) fn namespace_of(&mut self, arguments: Operands) -> Set {
        let of = self.positional(arguments, 0).map_or_else(Set::unknown, |value| self.of(value));
        let dict = self.program.symbols.intern("__dict__");
        self.each(of, |values, atom| values.attribute(atom, dict))
    }

    /// `module:member.member` or the same with dots alone: the first part is a module.
    pub(super) fn resolved_by(&mut self, name: &str, arguments: Operands) -> Option<Set> {
        RESOLVERS.contains(&name).then(|| self.resolved(arguments))
    }

    fn resolved(&mut self, arguments: Operands) -> Set {
        let names = self.positional(arguments, 0).map(|name| self.of(name));
        self.each(names.unwrap_or_else(Set::unknown), |values, atom| {
            let Some(text) = atom.text().map(|text| values.program.symbols.shared(text)) else {
                return Set::unknown();
            };
            let mut parts = text.split([':', '.']).filter(|part| !part.is_empty());
            let Some(module) = parts.next() else {
                return Set::unknown();
            };
            let module = values.program.symbols.intern(module);
            let mut set = values.module(module);
            for part in parts {
                let name = values.program.symbols.intern(part);
                set = values.each(set, |values, atom| values.attribute(atom, name));
            }
            set
        })
    }
}

/// The builtins, where a name is one of those of their namespace.
pub(super) fn builtins_of(name: &str) -> Option<&'static str> {
    matches!(name, "__builtins__" | "__dict__" | "builtins.__dict__").then_some("builtins")
}
