//! Which bindings a use of a name can see.
//!
//! A binding that surely reaches the use stands alone; where that is not sure, everything that
//! the name is ever bound to counts, the builtin of that name included.

use super::scopes::Declared;
use super::scopes::Repeats;
use super::{Block, BlockId, Cell, CellId, Kind, Program, ScopeId, Sym, Val};
use crate::facts::ScopeKind;

/// What a use of a name reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Lookup {
    /// The one binding that surely reaches the use.
    pub(in super::super) exact: Option<Val>,
    /// The cells whose every binding may reach it.
    pub(in super::super) cells: [Option<CellId>; 2],
    /// Whether the name may be unbound, so that the builtin is read.
    pub(in super::super) builtin: Builtin,
}

/// Whether the builtin of that name may be what is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Builtin {
    Possible,
    Impossible,
}

impl Lookup {
    const BUILTIN: Self = Self { exact: None, cells: [None, None], builtin: Builtin::Possible };

    fn cell(cell: CellId, builtin: Builtin) -> Self {
        Self { exact: None, cells: [Some(cell), None], builtin }
    }
}

impl Program {
    /// What the name means at a step.
    pub(in super::super) fn lookup(&self, at: Val, name: Sym) -> Lookup {
        let Some(op) = self.op(at) else {
            return Lookup::BUILTIN;
        };
        let Some(block) = self.block(op.block) else {
            return Lookup::BUILTIN;
        };
        let own = self.own_lookup(block.scope, name, (at, op.block));
        match own {
            Found::Whole(lookup) => lookup,
            Found::Part(cell) => {
                let mut outer = self.outer_lookup(block.scope, name);
                outer.cells = [Some(cell), outer.cells.first().copied().flatten()];
                outer.exact = None;
                outer
            }
            Found::Nothing => self.outer_lookup(block.scope, name),
        }
    }

    fn own_lookup(&self, scope: ScopeId, name: Sym, place: (Val, BlockId)) -> Found {
        if self.declared(scope, name).is_some() {
            return Found::Nothing;
        }
        let Some(id) = self.own_cell(scope, name) else {
            return Found::Nothing;
        };
        let Some(cell) = self.cell(id) else {
            return Found::Nothing;
        };
        if let Some(step) = self.reaching(cell, place) {
            return Found::Whole(self.exact(step));
        }
        match self.scope(scope).map(|scope| scope.kind) {
            Some(ScopeKind::Module) | None => Found::Whole(Lookup::cell(id, Builtin::Possible)),
            Some(ScopeKind::Class) => Found::Part(id),
            Some(ScopeKind::Function | ScopeKind::Lambda | ScopeKind::Comprehension) => {
                Found::Whole(Lookup::cell(id, Builtin::Impossible))
            }
        }
    }

    fn exact(&self, step: Val) -> Lookup {
        if let Kind::Bind { value, .. } = self.kind(step) {
            return Lookup {
                exact: Some(value),
                cells: [None, None],
                builtin: Builtin::Impossible,
            };
        }
        Lookup::BUILTIN
    }

    /// The scopes around, nearest first; a class is seen from its own body only.
    fn outer_lookup(&self, scope: ScopeId, name: Sym) -> Lookup {
        let start = match self.declared(scope, name) {
            Some(Declared::Global) => Some(ScopeId(0)),
            Some(Declared::Nonlocal) => Some(self.nonlocal_scope(scope, name)),
            None => self.scope(scope).and_then(|scope| scope.parent),
        };
        let mut around = start;
        let mut inner = scope;
        while let Some(id) = around {
            let Some(record) = self.scope(id) else { break };
            let visible = record.kind != ScopeKind::Class && self.declared(id, name).is_none();
            if visible && let Some(cell) = self.own_cell(id, name) {
                return Lookup::cell(cell, self.builtin_from(id, cell, inner));
            }
            inner = id;
            around = match self.declared(id, name) {
                Some(Declared::Global) if id != ScopeId(0) => Some(ScopeId(0)),
                Some(Declared::Global | Declared::Nonlocal) | None => record.parent,
            };
        }
        Lookup::BUILTIN
    }

    /// A name of the module hides the builtin from a function only where it is bound, without
    /// condition, before the function is defined, and never deleted.
    fn builtin_from(&self, scope: ScopeId, cell: CellId, inner: ScopeId) -> Builtin {
        if scope != ScopeId(0) {
            return Builtin::Impossible;
        }
        let (Some(cell), Some(inner)) = (self.cell(cell), self.scope(inner)) else {
            return Builtin::Possible;
        };
        let deleted = cell.bindings.iter().any(|step| matches!(self.kind(*step), Kind::Unbind));
        let before = cell.bindings.iter().any(|step| {
            *step < inner.defined
                && self.op(*step).is_some_and(|op| self.encloses(op.block, inner.around))
        });
        if before && !deleted { Builtin::Impossible } else { Builtin::Possible }
    }

    /// The last binding before the step, where nothing else can come between.
    fn reaching(&self, cell: &Cell, (at, block): (Val, BlockId)) -> Option<Val> {
        if cell.foreign {
            return None;
        }
        let later = cell.bindings.partition_point(|step| *step < at);
        let last = *cell.bindings.get(later.checked_sub(1)?)?;
        let next = cell.bindings.get(later).copied();
        let bound_in = self.op(last)?.block;
        let mut around = Some(block);
        while let Some(id) = around {
            if id == bound_in {
                return Some(last);
            }
            let Block { parent, repeats, end, .. } = self.block(id)?;
            if *repeats == Repeats::Loop && next.is_some_and(|next| next < *end) {
                return None;
            }
            around = *parent;
        }
        None
    }

    fn encloses(&self, outer: BlockId, inner: BlockId) -> bool {
        let mut around = Some(inner);
        while let Some(id) = around {
            if id == outer {
                return true;
            }
            around = self.block(id).and_then(|block| block.parent);
        }
        false
    }
}

enum Found {
    Whole(Lookup),
    /// A class that may or may not have bound the name.
    Part(CellId),
    Nothing,
}
