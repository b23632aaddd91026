//! What each step may give: sets of possible values, grown until nothing changes.
//!
//! Every binding of a name counts, in whatever order things run; a binding that surely reaches a
//! use stands alone. Must never lose a possible value in silence.

mod atoms;
mod builtins;
mod evaluate;
mod flow;
mod folding;
mod held;
mod members;
mod namespaces;
mod operators;

pub(super) use atoms::{Atom, Set};
pub(super) use evaluate::{CAUGHT, CLASS, COLLECTION};
pub(super) use flow::{CLASS_HOOKS, KEYWORD, Part, part};
pub(super) use folding::{as_statement, begins_found, ends, is_wild, leads, locate, shown};
pub(super) use members::{Hop, Names};

use super::program::{CellId, DefId, Kind, Lookup, Operator, Program, Val};
use crate::facts::{Catalogue, Role};
use flow::{Classes, Functions, Pools};
use held::{Changes, Heap};
use std::collections::HashSet;

/// How often all steps are gone through before giving up.
const ROUNDS_MAX: u32 = 12;
/// Bindings of one name that are followed back.
const SOURCES_MAX: usize = 16;
/// Bytes of text that folding may make for one source.
const FOLDED_BYTES_MAX: usize = 1 << 20;
/// Steps that folding may evaluate for one source.
const FOLDED_STEPS_MAX: u32 = 1 << 17;

/// The possible values of every step of a program.
pub(super) struct Values<'run> {
    pub(super) program: &'run mut Program,
    pub(super) names: Names<'run>,
    /// The steps that are called.
    pub(super) callees: HashSet<Val>,
    sets: Vec<Set>,
    cells: Vec<Set>,
    lookups: Vec<Option<Lookup>>,
    /// The cells that were read in this round.
    read: Vec<bool>,
    pools: Pools,
    heap: Heap,
    functions: Functions,
    classes: Classes,
    /// The functions that give something back somewhere.
    returning: HashSet<DefId>,
    changes: Changes,
    /// Bytes of text that folding may still make.
    folding_left: usize,
    /// Steps that folding may still evaluate.
    steps_left: u32,
    /// The steps that run, and of which nothing was seen to come: that is not known, and no proof.
    unseen: Vec<bool>,
    /// Whether the sets stopped growing.
    settled: bool,
}

impl<'run> Values<'run> {
    pub(super) fn new(program: &'run mut Program, catalogue: &'run Catalogue) -> Self {
        let names = Names::new(catalogue, program);
        let callees = callees(program);
        let mut values = Self {
            sets: vec![Set::default(); program.ops.len()],
            cells: vec![Set::default(); program.cells.len()],
            lookups: Vec::new(),
            read: vec![false; program.cells.len()],
            pools: Pools::new(program),
            heap: Heap::new(program),
            functions: Functions::new(program),
            classes: Classes::new(program),
            returning: flow::returning(program),
            callees,
            changes: Changes::new(program),
            folding_left: FOLDED_BYTES_MAX,
            steps_left: FOLDED_STEPS_MAX,
            unseen: vec![false; program.ops.len()],
            settled: false,
            program,
            names,
        };
        values.lookups = values.resolve();
        values.open_hooks();
        values.run();
        values.finish();
        values
    }

    /// Whether the sets stopped growing.
    pub(super) fn settled(&self) -> bool {
        self.settled
    }

    /// What a step may give.
    pub(super) fn of(&self, value: Val) -> Set {
        self.sets.get(value.0 as usize).copied().unwrap_or_default()
    }

    /// Whether a value is kept by any step, or more is done with it than to take it apart.
    pub(super) fn is_kept(&self, value: Val) -> bool {
        self.changes.keepers(value) > 0
    }

    /// How many steps keep a value, or do more with it than to take it apart.
    pub(super) fn keepers(&self, value: Val) -> u32 {
        self.changes.keepers(value)
    }

    /// What is compared, and does nothing else: a comparison hands it on and compares it.
    pub(super) fn compared_alone(&self, kind: Kind) -> Vec<Val> {
        let Kind::Binary { operator: Operator::Compare, left, right } = kind else {
            return Vec::new();
        };
        [left, right].into_iter().filter(|side| self.keepers(*side) == 2).collect()
    }

    /// Whether a collection that is made at a step is a dictionary.
    pub(super) fn is_dictionary(&self, site: Val) -> bool {
        self.heap.is_dictionary(site)
    }

    /// The keys of a dictionary that is made at a step.
    pub(super) fn keys_of(&mut self, site: Val) -> Vec<Atom> {
        self.told_apart(site).unwrap_or_else(|| self.walk(site).iter().collect())
    }

    /// What a dictionary may hold under a key.
    pub(super) fn held_under(&mut self, site: Val, key: Atom) -> Set {
        self.read(site, Some(key))
    }

    /// What a collection holds, under whatever key.
    pub(super) fn elements_under(&mut self, site: Val) -> Set {
        self.read(site, None)
    }

    /// The first parts of pairs.
    pub(super) fn first_parts_of(&mut self, pairs: Set) -> Set {
        self.parts_of(pairs, 0)
    }

    /// What a name may be bound to.
    pub(super) fn cell(&self, cell: CellId) -> Set {
        self.cells.get(cell.0 as usize).copied().unwrap_or_default()
    }

    fn resolve(&self) -> Vec<Option<Lookup>> {
        self.program
            .ops
            .iter()
            .zip(0..)
            .map(|(op, number)| {
                if let Kind::Load(name) = op.kind {
                    Some(self.program.lookup(Val(number), name))
                } else {
                    None
                }
            })
            .collect()
    }

    fn run(&mut self) {
        for round in 1..=ROUNDS_MAX {
            self.pools.round = round;
            if round == ROUNDS_MAX - 2 {
                self.loosen();
            }
            if !self.round() && !self.open_unseen() && !self.lose_astray() {
                self.settled = true;
                return;
            }
        }
    }

    /// What no step was seen to give may be anything.
    fn finish(&mut self) {
        for number in 0..self.program.ops.len() {
            if self.gives_nothing_seen(number)
                && let Some(set) = self.sets.get_mut(number)
            {
                *set = Set::unknown();
            }
        }
    }

    /// Whether a step gives a value, and none was seen.
    fn gives_nothing_seen(&self, number: usize) -> bool {
        let at = Val(super::program::number(number));
        let gives = !matches!(
            self.program.kind(at),
            Kind::Dead
                | Kind::Bind { .. }
                | Kind::Unbind
                | Kind::Escape { .. }
                | Kind::Store { .. }
                | Kind::Lost(_)
                | Kind::Matched(_)
        );
        gives && self.of(at).is_empty()
    }

    /// Opens the steps that run and of which nothing was seen to come, once all else is known;
    /// tells whether there are any that were not open.
    fn open_unseen(&mut self) -> bool {
        let mut opened = false;
        for number in 0..self.program.ops.len() {
            if self.gives_nothing_seen(number)
                && self.is_entered(number)
                && let Some(unseen) = self.unseen.get_mut(number)
            {
                *unseen = true;
                opened = true;
            }
        }
        opened
    }

    /// Goes through all steps once; tells whether a cell grew after it was read. A step reads only
    /// steps before it, so nothing else can be stale.
    fn round(&mut self) -> bool {
        self.read.fill(false);
        self.pools.stale = false;
        let mut stale = false;
        for number in 0..self.program.ops.len() {
            let value = Val(super::program::number(number));
            let kind = self.program.kind(value);
            if let Kind::Bind { cell, value } = kind {
                stale |= self.grow_cell(cell, value);
                self.bind_member(cell, self.of(value));
                continue;
            }
            if let Kind::Escape { value, role: role @ (Role::Returned | Role::Yielded), .. } = kind
            {
                self.give(number, value, role);
                continue;
            }
            let new = self.evaluate(value, kind);
            let made = matches!(kind, Kind::Binary { .. } | Kind::Call { .. });
            let mut new = if made { self.steady_paths(value, new) } else { new };
            if self.unseen.get(number).copied().unwrap_or(false) {
                self.add(&mut new, Atom::Unknown);
            }
            if let Some(old) = self.sets.get_mut(number) {
                *old = new;
            }
        }
        stale || self.pools.stale
    }

    fn grow_cell(&mut self, cell: CellId, value: Val) -> bool {
        let incoming = self.of(value);
        let mut grown = self.cell(cell);
        let before = grown;
        self.join(&mut grown, &incoming);
        let changed = grown != before;
        if let Some(old) = self.cells.get_mut(cell.0 as usize) {
            *old = grown;
        }
        changed && self.read.get(cell.0 as usize).copied().unwrap_or(false)
    }

    fn read_cell(&mut self, cell: CellId) -> Set {
        if let Some(read) = self.read.get_mut(cell.0 as usize) {
            *read = true;
        }
        self.cell(cell)
    }

    /// The values that a name may have been bound to.
    pub(super) fn sources(&self, value: Val) -> Vec<Val> {
        let Some(Lookup { exact, cells, .. }) = self.lookup(value) else {
            return Vec::new();
        };
        if exact.is_some() {
            return exact.into_iter().collect();
        }
        let cells = cells.into_iter().flatten().filter_map(|cell| self.program.cell(cell));
        let bindings = cells.flat_map(|cell| cell.bindings.iter());
        let bound = bindings.filter_map(|step| {
            if let Kind::Bind { value, .. } = self.program.kind(*step) { Some(value) } else { None }
        });
        bound.take(SOURCES_MAX).collect()
    }

    fn lookup(&self, value: Val) -> Option<Lookup> {
        self.lookups.get(value.0 as usize).cloned().flatten()
    }
}

fn callees(program: &Program) -> HashSet<Val> {
    program
        .ops
        .iter()
        .filter_map(|op| if let Kind::Call { callee, .. } = op.kind { Some(callee) } else { None })
        .collect()
}
