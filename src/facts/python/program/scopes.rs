//! Scopes as Python has them, the blocks in them, and the cells that names are bound to.
//!
//! Must never decide what a name is worth: that is for the values.

use super::{Kind, NumberMap, Program, Sym, Val, number};
use crate::facts::{ScopeKind, When};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in super::super) struct ScopeId(pub(in super::super) u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in super::super) struct BlockId(pub(in super::super) u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in super::super) struct CellId(pub(in super::super) u32);

/// A scope of names.
#[derive(Debug)]
pub(in super::super) struct ScopeRecord {
    pub(in super::super) kind: ScopeKind,
    pub(in super::super) name: Sym,
    pub(in super::super) parent: Option<ScopeId>,
    pub(in super::super) parameters: Vec<Sym>,
    /// The step at which it is defined.
    pub(in super::super) defined: Val,
    /// The block in which it is defined.
    pub(in super::super) around: BlockId,
    names: NumberMap<Sym, CellId>,
    declared: NumberMap<Sym, Declared>,
}

/// A name that a scope declares to be another scope's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Declared {
    Global,
    Nonlocal,
}

/// Steps that run together, or not at all.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Block {
    pub(in super::super) parent: Option<BlockId>,
    pub(in super::super) scope: ScopeId,
    pub(in super::super) when: When,
    pub(in super::super) repeats: Repeats,
    /// The first step after it.
    pub(in super::super) end: Val,
}

/// Whether the steps of a block may run again after its last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Repeats {
    Once,
    Loop,
}

/// A name in its scope, with the steps that bind or unbind it, in order.
#[derive(Debug)]
pub(in super::super) struct Cell {
    pub(in super::super) scope: ScopeId,
    pub(in super::super) name: Sym,
    pub(in super::super) bindings: Vec<Val>,
    /// Whether it is bound at a time that is not known too, such as by another scope.
    pub(in super::super) foreign: bool,
}

impl Program {
    pub(in super::super) fn scope(&self, id: ScopeId) -> Option<&ScopeRecord> {
        self.scopes.get(id.0 as usize)
    }

    pub(in super::super) fn block(&self, id: BlockId) -> Option<&Block> {
        self.blocks.get(id.0 as usize)
    }

    pub(in super::super) fn cell(&self, id: CellId) -> Option<&Cell> {
        self.cells.get(id.0 as usize)
    }

    pub(in super::super) fn open_scope(
        &mut self,
        kind: ScopeKind,
        name: Sym,
        parent: Option<ScopeId>,
        around: BlockId,
    ) -> ScopeId {
        let id = ScopeId(number(self.scopes.len()));
        self.scopes.push(ScopeRecord {
            kind,
            name,
            parent,
            parameters: Vec::new(),
            defined: Val(number(self.ops.len())),
            around,
            names: NumberMap::default(),
            declared: NumberMap::default(),
        });
        id
    }

    pub(in super::super) fn open_block(
        &mut self,
        parent: Option<BlockId>,
        scope: ScopeId,
        when: When,
        repeats: Repeats,
    ) -> BlockId {
        let id = BlockId(number(self.blocks.len()));
        self.blocks.push(Block { parent, scope, when, repeats, end: Val(u32::MAX) });
        id
    }

    pub(in super::super) fn close_block(&mut self, id: BlockId) {
        let end = Val(number(self.ops.len()));
        if let Some(block) = self.blocks.get_mut(id.0 as usize) {
            block.end = end;
        }
    }

    pub(in super::super) fn parameter(&mut self, scope: ScopeId, name: Sym) {
        if let Some(scope) = self.scopes.get_mut(scope.0 as usize) {
            scope.parameters.push(name);
        }
    }

    pub(in super::super) fn declare(&mut self, scope: ScopeId, name: Sym, declared: Declared) {
        // In the module itself a declaration changes nothing.
        if let Some(record) = self.scopes.get_mut(scope.0 as usize)
            && record.kind != ScopeKind::Module
        {
            record.declared.insert(name, declared);
        }
    }

    pub(in super::super) fn declared(&self, scope: ScopeId, name: Sym) -> Option<Declared> {
        self.scope(scope)?.declared.get(&name).copied()
    }

    /// The cell of a name in the very scope, where there is one.
    pub(in super::super) fn own_cell(&self, scope: ScopeId, name: Sym) -> Option<CellId> {
        self.scope(scope)?.names.get(&name).copied()
    }

    pub(in super::super) fn is_class(&self, scope: ScopeId) -> bool {
        self.scope(scope).is_some_and(|scope| scope.kind == ScopeKind::Class)
    }

    /// Binds a name in the scope that the name belongs to there.
    pub(in super::super) fn bind(
        &mut self,
        scope: ScopeId,
        name: Sym,
        value: Val,
        place: ((u32, u32), BlockId),
    ) {
        let cell = self.bound_cell(scope, name);
        let step = self.push(Kind::Bind { cell, value }, place.0, place.1);
        self.note_binding(cell, step);
    }

    /// Binds a name of the module at a time that is not known.
    pub(in super::super) fn bind_unseen(
        &mut self,
        name: Sym,
        value: Val,
        place: ((u32, u32), BlockId),
    ) {
        self.bind(ScopeId(0), name, value, place);
        let cell = self.own_cell(ScopeId(0), name);
        if let Some(cell) = cell.and_then(|cell| self.cells.get_mut(cell.0 as usize)) {
            cell.foreign = true;
        }
    }

    /// Makes a name unbound in the scope that it belongs to there.
    pub(in super::super) fn unbind(
        &mut self,
        scope: ScopeId,
        name: Sym,
        place: ((u32, u32), BlockId),
    ) {
        let cell = self.bound_cell(scope, name);
        let step = self.push(Kind::Unbind, place.0, place.1);
        self.note_binding(cell, step);
    }

    /// Notes that a name is bound at a time that is not known, in the scope that it belongs to.
    pub(in super::super) fn bind_later(&mut self, scope: ScopeId, name: Sym) {
        let cell = self.bound_cell(scope, name);
        if let Some(cell) = self.cells.get_mut(cell.0 as usize) {
            cell.foreign = true;
        }
    }

    fn note_binding(&mut self, cell: CellId, step: Val) {
        if let Some(cell) = self.cells.get_mut(cell.0 as usize) {
            cell.bindings.push(step);
        }
    }

    fn bound_cell(&mut self, scope: ScopeId, name: Sym) -> CellId {
        let target = self.binding_scope(scope, name);
        let cell = self.cell_in(target, name);
        if target != scope
            && let Some(cell) = self.cells.get_mut(cell.0 as usize)
        {
            cell.foreign = true;
        }
        cell
    }

    fn cell_in(&mut self, scope: ScopeId, name: Sym) -> CellId {
        if let Some(cell) = self.own_cell(scope, name) {
            return cell;
        }
        let id = CellId(number(self.cells.len()));
        self.cells.push(Cell { scope, name, bindings: Vec::new(), foreign: false });
        if let Some(scope) = self.scopes.get_mut(scope.0 as usize) {
            scope.names.insert(name, id);
        }
        id
    }

    fn binding_scope(&self, scope: ScopeId, name: Sym) -> ScopeId {
        match self.declared(scope, name) {
            Some(Declared::Global) => ScopeId(0),
            Some(Declared::Nonlocal) => self.nonlocal_scope(scope, name),
            None => scope,
        }
    }

    /// The nearest function around that has the name, or the module where none has.
    pub(in super::super) fn nonlocal_scope(&self, scope: ScopeId, name: Sym) -> ScopeId {
        let mut around = self.scope(scope).and_then(|scope| scope.parent);
        while let Some(id) = around {
            let Some(record) = self.scope(id) else { break };
            let functional = matches!(record.kind, ScopeKind::Function | ScopeKind::Lambda);
            if functional
                && record.names.contains_key(&name)
                && !record.declared.contains_key(&name)
            {
                return id;
            }
            around = record.parent;
        }
        ScopeId(0)
    }
}
