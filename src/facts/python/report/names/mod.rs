//! What names are given: bindings that change what a name means, and what is used as a value.

mod references;
mod standard;

pub(super) use references::gap_for;

use super::Teller;
use crate::facts::python::program::{CellId, Kind, Op, Operands, ScopeId, Sym, Val};
use crate::facts::{Binding, BindingKind, GapKind, Role};

/// Options that are there to be set, as attributes.
const OPTIONS: &str = "pandas.options.";

/// Names of the interpreter's in a module, by which it and its libraries go on: each class takes
/// over what its module is called.
const OF_MODULES: [&str; 6] =
    ["__builtins__", "__loader__", "__name__", "__package__", "__path__", "__spec__"];

/// Methods that change a list or a dictionary.
const CHANGING: [&str; 14] = [
    "append",
    "clear",
    "extend",
    "insert",
    "pop",
    "popitem",
    "remove",
    "reverse",
    "setdefault",
    "sort",
    "update",
    "__delitem__",
    "__iadd__",
    "__setitem__",
];

impl Teller<'_, '_> {
    pub(super) fn tell_bind(&mut self, op: &Op, cell: CellId, value: Val) {
        let Some(record) = self.values.program.cell(cell) else {
            return;
        };
        let (name, scope) = (record.name, record.scope);
        if self.values.program.is_class(scope) {
            // What a class holds is reached through its instances, out of our sight.
            self.tell_escape(value, Role::AttributeWrite, Some(name));
            self.tell_member_of_class(op, name, value);
        } else if self.is_computed(value) {
            self.tell_reference(value, Role::Assigned, Some(name));
        }
        self.tell_rebinding(op, (name, scope), value);
        let word = self.word(name);
        if scope == ScopeId(0) && OF_MODULES.contains(&&*word) {
            self.gap(GapKind::Namespace, "a name by which a module is known is bound anew", op);
        }
    }

    /// Whether a value is other than an import or a definition, which have facts of their own.
    fn is_computed(&self, value: Val) -> bool {
        let kind = self.values.program.kind(value);
        !matches!(kind, Kind::Import(_) | Kind::Member { .. } | Kind::Define(_))
    }

    fn tell_rebinding(&mut self, op: &Op, (name, scope): (Sym, ScopeId), value: Val) {
        let bound_in = self.values.program.block(op.block).map(|block| block.scope);
        let word = self.values.program.symbols.text(name);
        let kind = if scope == ScopeId(0) && bound_in != Some(scope) {
            BindingKind::GlobalRebind
        } else if self.values.names.is_builtin(word) || standard::is_builtin(word) {
            BindingKind::ShadowBuiltin
        } else if standard::is_module(word) && !self.is_named_so(value, name) {
            BindingKind::ShadowModule
        } else {
            return;
        };
        let name = self.word(name);
        self.tell_binding(kind, &name, value, op);
    }

    /// Whether a value is the module of that name, or what is taken out of it under its own name.
    fn is_named_so(&self, value: Val, name: Sym) -> bool {
        let symbols = &self.values.program.symbols;
        let word = symbols.text(name);
        let set = self.values.of(value);
        !set.is_empty()
            && set.all(|atom| {
                let named = atom.name().map(|name| symbols.text(name));
                named.is_some_and(|named| named.split('.').next() == Some(word))
            })
    }

    /// A binding that is told with what is bound.
    fn tell_binding(&mut self, kind: BindingKind, name: &str, value: Val, op: &Op) {
        let mut to: Vec<_> = self.values.of(value).names().map(|name| self.word(name)).collect();
        to.sort();
        let span = self.span(op);
        self.draft.binding(Binding { kind, name: name.into(), to, span });
    }

    /// An attribute of a library is rebound.
    pub(super) fn tell_patch(&mut self, base: Val, name: Sym, op: &Op) {
        self.tell_field_written(base, name, op);
        let owners: Vec<Sym> = self.values.of(base).names().collect();
        for owner in owners {
            let name = format!("{}.{}", self.word(owner), self.word(name));
            match name.strip_prefix(OPTIONS) {
                Some(option) => self.tell_setting(option, op),
                None => self.tell_rebound(&name, op),
            }
        }
    }

    /// A thing of a library is given another meaning, or other contents.
    pub(super) fn tell_rebound(&mut self, name: &str, op: &Op) {
        let kind = match name {
            "sys.modules" => BindingKind::SysModulesWrite,
            _ if is_search_path(name) => BindingKind::SysPathWrite,
            _ => BindingKind::Monkeypatch,
        };
        let span = self.span(op);
        self.draft.binding(Binding { kind, name: name.into(), to: Vec::new(), span });
    }

    /// A method changes what the interpreter finds modules by.
    pub(super) fn tell_change(&mut self, op: &Op, base: Val, name: Sym) {
        if !CHANGING.contains(&self.values.program.symbols.text(name)) {
            return;
        }
        let owners: Vec<Sym> = self.values.of(base).names().collect();
        for owner in owners {
            let owner = self.word(owner);
            if &*owner == "sys.modules" || is_search_path(&owner) {
                self.tell_rebound(&owner, op);
            }
        }
    }

    /// An attribute is set or deleted by a name that is a text.
    pub(super) fn tell_set_by_name(&mut self, op: &Op, callee: &str, (base, name): (Val, Val)) {
        let Some(names) = self.values.names_meant(name) else {
            self.tell_binding(BindingKind::SetattrOpaque, callee, base, op);
            return;
        };
        for name in names {
            self.tell_patch(base, name, op);
            self.tell_told_attribute(base, name, op);
        }
    }

    /// Either of several values: what stands there is no call.
    pub(super) fn tell_either(&mut self, operands: Operands) {
        for operand in self.values.program.operands(operands).to_vec() {
            if self.is_computed(operand.value) {
                self.tell_reference(operand.value, Role::Assigned, None);
            }
        }
    }
}

/// Whether the interpreter finds modules by what stands there.
pub(super) fn is_search_path(name: &str) -> bool {
    matches!(name, "sys.path" | "sys.meta_path" | "sys.path_hooks" | "sys.path_importer_cache")
}
