//! What an element of a list or tuple that is written out may be.
//!
//! Through a name only where nothing can have changed the list: every use of the name walks it,
//! or hands it to a builtin that only reads it.

use super::{Set, Values};
use crate::facts::python::program::{Collection, Kind, Lookup, Program, Slot, Sym, Val};
use std::collections::HashMap;

/// Builtins that only read the list that they are given.
const READERS: [&str; 9] =
    ["len", "print", "enumerate", "sorted", "sum", "min", "max", "any", "all"];

/// How many uses of each name are left that may change what it holds.
pub(super) fn changing_uses(program: &Program) -> HashMap<Sym, u32> {
    let mut uses: HashMap<Sym, u32> = HashMap::new();
    for op in &program.ops {
        if let Kind::Load(name) = op.kind {
            *uses.entry(name).or_default() += 1;
        }
    }
    for op in &program.ops {
        for value in readings(program, op.kind) {
            if let Kind::Load(name) = program.kind(value)
                && let Some(left) = uses.get_mut(&name)
            {
                *left = left.saturating_sub(1);
            }
        }
    }
    uses
}

/// The values that a step only reads.
fn readings(program: &Program, kind: Kind) -> Vec<Val> {
    if let Kind::Element(value) = kind {
        return vec![value];
    }
    let Kind::Call { callee, arguments, .. } = kind else {
        return Vec::new();
    };
    let Kind::Load(name) = program.kind(callee) else {
        return Vec::new();
    };
    if !READERS.contains(&program.symbols.text(name)) {
        return Vec::new();
    }
    let operands = program.operands(arguments).iter();
    operands.map(|operand| operand.value).collect()
}

impl Values<'_> {
    /// The union of the elements of a display, where the value is one.
    pub(super) fn elements(&mut self, value: Val) -> Option<Set> {
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
            return Some(value);
        };
        if self.changing_uses.get(&name).is_some_and(|left| *left > 0) {
            return None;
        }
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
