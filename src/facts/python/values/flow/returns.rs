//! What the program's own functions give back.

use crate::facts::Role;
use crate::facts::python::program::{DefId, DefKind, Kind, Program, Val, number};
use crate::facts::python::values::{Set, Values};
use std::collections::{HashMap, HashSet};

/// What each function gave back so far.
#[derive(Debug, Default)]
pub(in crate::facts::python::values) struct Returns {
    /// The functions that give something back where it is seen.
    seen: HashSet<DefId>,
    given: HashMap<DefId, Set>,
    /// The functions whose results were read in this round.
    read: HashSet<DefId>,
}

impl Returns {
    pub(in crate::facts::python::values) fn new(program: &Program) -> Self {
        let returning = (0..program.ops.len()).filter_map(|at| returner(program, at));
        Self { seen: returning.collect(), ..Self::default() }
    }

    pub(in crate::facts::python::values) fn forget_reads(&mut self) {
        self.read.clear();
    }
}

/// The function that a step returns from.
fn returner(program: &Program, at: usize) -> Option<DefId> {
    let op = program.op(Val(number(at)))?;
    let Kind::Escape { role: Role::Returned, .. } = op.kind else {
        return None;
    };
    let id = DefId(program.block(op.block)?.scope.0);
    program.def(id).filter(|def| def.kind == DefKind::Function).map(|_| id)
}

impl Values<'_> {
    /// What calling a function gives; a generator or coroutine hands that out in its own way.
    pub(in crate::facts::python::values) fn returned(&mut self, def: DefId) -> Set {
        if !self.returns.seen.contains(&def) {
            return Set::unknown();
        }
        self.returns.read.insert(def);
        self.returns.given.get(&def).copied().unwrap_or_default()
    }

    /// Notes what is given back; tells whether that is new and was read before.
    pub(in crate::facts::python::values) fn grow_return(&mut self, at: usize, value: Val) -> bool {
        let Some(def) = returner(self.program, at) else {
            return false;
        };
        let incoming = self.of(value);
        let mut grown = self.returns.given.get(&def).copied().unwrap_or_default();
        let changed = grown.join(&incoming, &mut self.program.symbols);
        self.returns.given.insert(def, grown);
        changed && self.returns.read.contains(&def)
    }
}
