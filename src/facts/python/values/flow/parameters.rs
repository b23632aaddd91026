//! What the parameters of the program's own functions may be.
//!
//! Only where every call is seen: a function that is bound once, undecorated, and whose name is
//! never read but to call it. Every other parameter is unknown.

use crate::facts::python::program::{
    DefId, DefKind, Kind, Operands, Parameter, Program, Slot, Sym, Val,
};
use crate::facts::python::values::{Atom, Set, Values};
use std::collections::{HashMap, HashSet};

/// The parameters whose every argument is seen, and what they were given so far.
#[derive(Debug, Default)]
pub(in crate::facts::python::values) struct Parameters {
    /// The numbers of the parameters of each function whose every call is seen.
    seen: HashMap<DefId, Vec<u32>>,
    given: HashMap<u32, Set>,
    /// The parameters that were read in this round.
    read: HashSet<u32>,
}

impl Parameters {
    pub(in crate::facts::python::values) fn new(program: &Program, callees: &HashSet<Val>) -> Self {
        let handed_on = handed_on(program, callees);
        let mut parameters = Self::default();
        for (parameter, number) in program.parameters.iter().zip(0..) {
            if is_seen(program, parameter.def, &handed_on) {
                parameters.seen.entry(parameter.def).or_default().push(number);
            }
        }
        parameters
    }

    pub(in crate::facts::python::values) fn forget_reads(&mut self) {
        self.read.clear();
    }
}

/// The names that are read in other places than to call them, or to call them and more.
fn handed_on(program: &Program, callees: &HashSet<Val>) -> HashSet<Sym> {
    let uncalled = (0..program.ops.len())
        .map(|number| Val(crate::facts::python::program::number(number)))
        .filter(|value| !callees.contains(value));
    let taken = program.ops.iter().flat_map(|op| program.inputs(op.kind));
    uncalled
        .chain(taken)
        .filter_map(
            |value| {
                if let Kind::Load(name) = program.kind(value) { Some(name) } else { None }
            },
        )
        .collect()
}

fn is_seen(program: &Program, id: DefId, handed_on: &HashSet<Sym>) -> bool {
    let Some(def) = program.def(id) else {
        return false;
    };
    let bound_once = program
        .own_cell(def.within, def.name)
        .and_then(|cell| program.cell(cell))
        .is_some_and(|cell| {
            let [only] = cell.bindings.as_slice() else {
                return false;
            };
            let defines =
                |value| matches!(program.kind(value), Kind::Define(defined) if defined == id);
            !cell.foreign
                && matches!(program.kind(*only), Kind::Bind { value, .. } if defines(value))
        });
    def.kind == DefKind::Function
        && bound_once
        && !program.is_class(def.within)
        && !handed_on.contains(&def.name)
}

impl Values<'_> {
    /// What a parameter may be.
    pub(in crate::facts::python::values) fn parameter(&mut self, number: u32) -> Set {
        let Some(Parameter { def, default, .. }) =
            self.program.parameters.get(number as usize).copied()
        else {
            return Set::unknown();
        };
        if !self.parameters.seen.contains_key(&def) {
            return Set::unknown();
        }
        self.parameters.read.insert(number);
        let mut set = self.parameters.given.get(&number).copied().unwrap_or_default();
        if let Some(default) = default {
            let default = self.of(default);
            set.join(&default, &mut self.program.symbols);
        }
        set
    }

    /// Passes the arguments of a call on; tells whether a parameter grew that was read before.
    pub(in crate::facts::python::values) fn pass(
        &mut self,
        callees: Set,
        arguments: Operands,
    ) -> bool {
        let mut stale = false;
        for atom in callees.iter() {
            let Atom::Own(def) = atom else { continue };
            let Some(numbers) = self.parameters.seen.get(&def).cloned() else {
                continue;
            };
            for number in numbers {
                stale |= self.pass_one(number, arguments);
            }
        }
        stale
    }

    fn pass_one(&mut self, number: u32, arguments: Operands) -> bool {
        let Some(parameter) = self.program.parameters.get(number as usize).copied() else {
            return false;
        };
        let incoming = self.argument(parameter, arguments);
        let mut grown = self.parameters.given.get(&number).copied().unwrap_or_default();
        let changed = grown.join(&incoming, &mut self.program.symbols);
        self.parameters.given.insert(number, grown);
        changed && self.parameters.read.contains(&number)
    }

    /// What a call passes to a parameter; behind a star it is unknown.
    fn argument(&self, parameter: Parameter, arguments: Operands) -> Set {
        let mut position = 0;
        for operand in self.program.operands(arguments) {
            match operand.slot {
                Slot::Star | Slot::DoubleStar => return Set::unknown(),
                Slot::Keyword(name) if name == parameter.name => return self.of(operand.value),
                Slot::Position if position == parameter.position => return self.of(operand.value),
                Slot::Position => position += 1,
                Slot::Keyword(_) => {}
            }
        }
        Set::default()
    }
}
