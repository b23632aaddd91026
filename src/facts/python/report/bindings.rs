//! Bindings that change what a name means.

use super::Teller;
use crate::facts::python::program::{CellId, Op, ScopeId, Val};
use crate::facts::{Binding, BindingKind, Role};

impl Teller<'_, '_> {
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
}
