//! What an element of a list or tuple that is written out may be.
//!
//! Through a name only where nothing can have changed the list: every use of the name walks it,
//! or hands it to a builtin that only reads it.

use crate::facts::python::program::{Collection, Kind, Lookup, Program, Slot, Sym, Val};
use crate::facts::python::values::{Atom, Set, Values};
use std::collections::{HashMap, HashSet};

/// Builtins that only read the list that they are given.
const READERS: [&str; 12] = [
    "len",
    "print",
    "enumerate",
    "sorted",
    "list",
    "tuple",
    "reversed",
    "sum",
    "min",
    "max",
    "any",
    "all",
];

/// Builtins that give the elements of what they are given.
const ARRANGERS: [&str; 4] = ["sorted", "list", "tuple", "reversed"];

/// Values that one display within displays is followed to.
const WRITTEN_OUT_MAX: u32 = 256;

/// The uses of values that may change what the values hold.
#[derive(Debug, Default)]
pub(in crate::facts::python::values) struct Changes {
    /// How many steps keep each value, or do with it what is not followed.
    kept: HashMap<Val, u32>,
    /// The names that are read to do so.
    names: HashSet<Sym>,
}

impl Changes {
    pub(in crate::facts::python::values) fn new(program: &Program) -> Self {
        let rebound: HashSet<&str> =
            program.cells.iter().map(|cell| program.symbols.text(cell.name)).collect();
        let mut changes = Self::default();
        let mut taken: HashSet<Val> = HashSet::new();
        for op in &program.ops {
            let mut inputs = program.inputs(op.kind);
            taken.extend(&inputs);
            // Several keys of one subscript make a tuple that has no other name.
            inputs.retain(|value| {
                !matches!(program.kind(*value), Kind::Collect(Collection::Passing, _))
                    || !matches!(op.kind, Kind::Item { .. })
            });
            let read = usize::from(only_reads(program, op.kind, &rebound));
            for value in inputs.into_iter().skip(read).chain(called(op.kind)) {
                *changes.kept.entry(value).or_default() += 1;
            }
        }
        // A name that no step takes is read in a place that is not followed.
        for (op, number) in program.ops.iter().zip(0..) {
            let at = Val(number);
            if let Kind::Load(name) = op.kind
                && (changes.keepers(at) > 0 || !taken.contains(&at))
            {
                changes.names.insert(name);
            }
        }
        changes
    }

    /// How many steps keep the value.
    pub(in crate::facts::python::values) fn keepers(&self, value: Val) -> u32 {
        self.kept.get(&value).copied().unwrap_or_default()
    }
}

fn called(kind: Kind) -> Option<Val> {
    if let Kind::Call { callee, .. } = kind { Some(callee) } else { None }
}

/// Whether a step only reads the first value that it takes.
fn only_reads(program: &Program, kind: Kind, rebound: &HashSet<&str>) -> bool {
    if matches!(kind, Kind::Element(_) | Kind::Part { .. }) {
        return true;
    }
    let Kind::Call { callee, arguments, .. } = kind else {
        return false;
    };
    let Kind::Load(name) = program.kind(callee) else {
        return false;
    };
    let name = program.symbols.text(name);
    // With several positions `max` and `min` hand one of them back.
    let positions = program.operands(arguments).iter();
    let positions = positions.filter(|operand| operand.slot != Slot::DoubleStar);
    let positions = positions.filter(|operand| !matches!(operand.slot, Slot::Keyword(_)));
    let first = program.operands(arguments).first();
    let plain = first.is_some_and(|operand| operand.slot == Slot::Position);
    READERS.contains(&name) && !rebound.contains(name) && plain && positions.count() == 1
}

impl Values<'_> {
    /// What a value may be, and everything that stands in a display that it may be.
    pub(in crate::facts::python) fn written_out(&self, value: Val) -> Vec<Atom> {
        let mut found = Vec::new();
        let mut open = vec![value];
        let mut left = WRITTEN_OUT_MAX;
        while let Some(value) = open.pop() {
            left = left.saturating_sub(1);
            let named = matches!(self.program.kind(value), Kind::Load(_));
            let held = if named { self.display(value).unwrap_or(value) } else { value };
            if let Kind::Collect(_, operands) = self.program.kind(held)
                && left > 0
            {
                open.extend(self.program.operands(operands).iter().map(|part| part.value));
            } else {
                found.extend(self.of(held).iter());
            }
        }
        found
    }

    /// What an element of a value may be.
    pub(in crate::facts::python::values) fn element(&mut self, value: Val) -> Set {
        let walked = self.handed_through(value, &ARRANGERS).unwrap_or(value);
        self.elements(walked).unwrap_or_else(|| self.derived(walked))
    }

    /// What the element of a value at a place may be: the second of what is counted is an element.
    pub(in crate::facts::python::values) fn part(&mut self, value: Val, index: u32) -> Set {
        if let Kind::Element(counted) = self.program.kind(value)
            && let Some(counted) = self.handed_through(counted, &["enumerate"])
        {
            return if index == 0 { self.plain("int") } else { self.element(counted) };
        }
        self.column(value, index).unwrap_or_else(|| self.element(value))
    }

    /// What stands at a place of the tuples that a display is made of.
    fn column(&mut self, value: Val, index: u32) -> Option<Set> {
        let Kind::Element(table) = self.program.kind(value) else {
            return None;
        };
        let Kind::Collect(Collection::Tuple | Collection::List, rows) =
            self.program.kind(self.display(table)?)
        else {
            return None;
        };
        let mut union = Set::default();
        for row in self.program.operands(rows).to_vec() {
            let Kind::Collect(Collection::Tuple, cells) = self.program.kind(row.value) else {
                return None;
            };
            let cells = self.program.operands(cells);
            let plain = cells.iter().all(|cell| cell.slot == Slot::Position);
            let cell = cells.get(index as usize).filter(|_| plain && row.slot == Slot::Position)?;
            let cell = self.of(cell.value);
            union.join(&cell, &mut self.program.symbols);
        }
        Some(union)
    }

    /// The argument of a call of one of these builtins.
    fn handed_through(&self, value: Val, builtins: &[&str]) -> Option<Val> {
        let Kind::Call { callee, arguments, .. } = self.program.kind(value) else {
            return None;
        };
        let Some(Atom::Name(name)) = self.of(callee).single() else {
            return None;
        };
        let first = self.positional(arguments, 0)?;
        let plain = self.changes.keepers(value) == 0;
        (plain && builtins.contains(&self.program.symbols.text(name))).then_some(first)
    }

    /// The union of the elements of a display, where the value is one.
    fn elements(&mut self, value: Val) -> Option<Set> {
        let Kind::Collect(Collection::Tuple | Collection::List, operands) =
            self.program.kind(self.display(value)?)
        else {
            return None;
        };
        let operands = self.program.operands(operands).to_vec();
        let mut union = Set::default();
        for operand in operands {
            if operand.slot != Slot::Position {
                return None;
            }
            let element = self.of(operand.value);
            union.join(&element, &mut self.program.symbols);
        }
        Some(union)
    }

    /// The step that writes the display out.
    fn display(&self, value: Val) -> Option<Val> {
        let Kind::Load(name) = self.program.kind(value) else {
            return (self.changes.keepers(value) == 0).then_some(value);
        };
        if self.changes.names.contains(&name) {
            return None;
        }
        let bound = self.bound(value)?;
        // Whatever else keeps the display has another name for it.
        (self.changes.keepers(bound) == 1).then_some(bound)
    }

    /// The value that a name surely holds.
    fn bound(&self, value: Val) -> Option<Val> {
        let Lookup { exact, cells, .. } = self.lookup(value)?;
        if exact.is_some() {
            return exact;
        }
        let cell = self.program.cell(cells.into_iter().flatten().next()?)?;
        let [only] = cell.bindings.as_slice() else {
            return None;
        };
        let Kind::Bind { value, .. } = self.program.kind(*only) else {
            return None;
        };
        (!cell.foreign).then_some(value)
    }
}
