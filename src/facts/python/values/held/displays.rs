//! Displays as they are written: what stands in them, and whether anything keeps them.

use crate::facts::python::program::{Collection, Kind, Lookup, Operands, Program, Val};
use crate::facts::python::values::flow::Pool;
use crate::facts::python::values::{Atom, Set, Values};
use std::collections::{HashMap, HashSet};

/// Values that one display within displays is followed to.
const WRITTEN_OUT_MAX: u32 = 256;

/// The uses of values that may change what the values hold.
#[derive(Debug, Default)]
pub(in crate::facts::python::values) struct Changes {
    /// How many steps keep each value, or do with it what is not followed.
    kept: HashMap<Val, u32>,
    /// What calls are given, and what is called.
    handed: HashSet<Val>,
    /// Whether the program asks something for a default as fields of data classes have it.
    asks_fields: bool,
    /// Whether the program asks something for its type, as fields of data classes have it.
    asks_types: bool,
    /// Whether the program awaits, and so may hold a coroutine or a task that is not done.
    awaits: bool,
}

/// Attributes of the fields of data classes that give what the fields were made of.
const OF_FIELDS: [&str; 3] = ["default", "default_factory", "metadata"];

/// Names that only a program with coroutines uses.
const COROUTINES: [&str; 7] =
    ["asyncio", "__await__", "__aenter__", "__aiter__", "asynccontextmanager", "send", "throw"];

impl Changes {
    pub(in crate::facts::python::values) fn new(program: &Program) -> Self {
        let awaits = COROUTINES.iter().any(|name| program.symbols.find(name).is_some());
        let mut changes = Self { awaits, ..Self::default() };
        for op in &program.ops {
            changes.awaits |= matches!(op.kind, Kind::Awaited(_));
            if let Kind::Attribute { name, .. } = op.kind {
                changes.asks_fields |= OF_FIELDS.contains(&program.symbols.text(name));
            }
            changes.asks_types |= names_type(program, op.kind);
            if matches!(op.kind, Kind::Element(_) | Kind::Part { .. }) {
                continue;
            }
            let keyed = matches!(op.kind, Kind::Item { .. });
            for value in program.inputs(op.kind) {
                // Several keys of one subscript make a tuple that has no other name.
                let passing = matches!(program.kind(value), Kind::Collect(Collection::Passing, _));
                if matches!(op.kind, Kind::Call { .. }) {
                    changes.handed.insert(value);
                }
                if !(keyed && passing) {
                    *changes.kept.entry(value).or_default() += 1;
                }
            }
            if let Kind::Call { callee, .. } = op.kind {
                *changes.kept.entry(callee).or_default() += 1;
            }
        }
        changes
    }

    /// Whether what counts as the result of a coroutine may be the coroutine itself.
    pub(in crate::facts::python::values) fn awaits(&self) -> bool {
        self.awaits
    }

    /// Whether nothing has the value but the call that it is given to.
    pub(in crate::facts::python::values) fn is_handed_away(&self, value: Val) -> bool {
        self.keepers(value) == 1 && self.handed.contains(&value)
    }

    /// Whether what a field of a data class was made of may be asked for.
    pub(in crate::facts::python::values) fn asks_fields(&self) -> bool {
        self.asks_fields
    }

    /// Whether what a field of a data class is annotated with may be asked for.
    pub(in crate::facts::python::values) fn asks_types(&self) -> bool {
        self.asks_types
    }

    /// How many steps keep the value.
    pub(in crate::facts::python::values) fn keepers(&self, value: Val) -> u32 {
        self.kept.get(&value).copied().unwrap_or_default()
    }
}

/// Whether a step reads an attribute `type`, or may name one.
fn names_type(program: &Program, kind: Kind) -> bool {
    let is_type = |name| program.symbols.text(name) == "type";
    if let Kind::Attribute { name, .. } | Kind::Matched(name) = kind {
        return is_type(name);
    }
    matches!(kind, Kind::Constant(Atom::Text(text)) if is_type(text))
}

impl Values<'_> {
    /// Whether a collection may hold something else than what it was made of. Counts as reading it.
    pub(in crate::facts::python::values) fn is_changed(&mut self, site: Val) -> bool {
        self.draw(Pool::Rest(site));
        self.heap.sites.get(&site).is_none_or(|known| known.mixed || known.lost || known.grown)
    }

    /// Notes that something is put into a collection after it was made.
    pub(in crate::facts::python::values) fn note_growth(&mut self, site: Val) {
        let known = self.heap.sites.entry(site).or_default();
        if !std::mem::replace(&mut known.grown, true) {
            self.pools.touch(Pool::Rest(site));
        }
    }

    /// What a value may be, and everything that stands in a display that it may be.
    pub(in crate::facts::python) fn written_out(&mut self, value: Val) -> Vec<Atom> {
        let mut found = Vec::new();
        // Nothing changes what is written right where it is given away.
        let mut open = vec![(value, self.changes.is_handed_away(value))];
        let mut left = WRITTEN_OUT_MAX;
        while let Some((value, fresh)) = open.pop() {
            left = left.saturating_sub(1);
            let held = self.bound(value).unwrap_or(value);
            if let Kind::Collect(_, operands) = self.program.kind(held)
                && left > 0
            {
                let fresh = fresh && held == value;
                let parts = self.operand_values(operands).into_iter();
                open.extend(parts.map(|part| (part, fresh && self.keepers(part) == 1)));
            } else {
                found.extend(self.of(value).iter());
            }
            if !(fresh && held == value && matches!(self.program.kind(value), Kind::Collect(..))) {
                found.extend(self.held(value));
            }
        }
        found
    }

    fn operand_values(&self, operands: Operands) -> Vec<Val> {
        self.program.operands(operands).iter().map(|part| part.value).collect()
    }

    /// What was put into the collections that a value may be.
    fn held(&mut self, value: Val) -> Vec<Atom> {
        let mut found = Vec::new();
        for atom in self.of(value).iter() {
            if let Atom::Held(site) = atom {
                found.extend(self.read(site, None).iter());
                found.extend(self.walk(site).iter());
            }
        }
        found.retain(|atom| !matches!(atom, Atom::Held(_)));
        found
    }

    /// The value that a name surely holds.
    pub(in crate::facts::python::values) fn bound(&self, value: Val) -> Option<Val> {
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

    /// What stands at a place of what these values are.
    pub(in crate::facts::python::values) fn parts_of(&mut self, set: Set, index: u32) -> Set {
        let place = self.place(index);
        self.each(set, |values, atom| {
            if let Atom::Held(site) = atom
                && !values.heap.is_dictionary(site)
            {
                return values.read(site, place);
            }
            if let Atom::Instance(class) = atom {
                return values.fields_of(class, usize::try_from(index).ok());
            }
            values.elements_of(Set::one(atom))
        })
    }

    /// What walking a value gives.
    pub(in crate::facts::python::values) fn elements_of(&mut self, set: Set) -> Set {
        self.each(set, |values, atom| {
            if let Atom::Held(site) = atom {
                return values.walk(site);
            }
            if let Atom::Own(class) = atom
                && values.is_enumeration(class)
            {
                return Set::one(Atom::Instance(class));
            }
            if let Atom::Instance(class) = atom {
                return values.fields_of(class, None);
            }
            values.taken_out(atom)
        })
    }
}
