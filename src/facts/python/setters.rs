//! `object.__setattr__(self, "name", value)` as what it does: `self.name = value`.
//!
//! It is how an object that is frozen fills its own attributes. Must never take a call for such a
//! one whose object, name and value are not all written there.

use super::program::{Access, Builtin, Kind, Lookup, Op, Operands, Program, Slot, Val, number};

/// Turns every such call into the assignment that it stands for.
pub(super) fn assign(program: &mut Program) {
    if program.symbols.find("__setattr__").is_none() {
        return;
    }
    for at in 0..program.ops.len() {
        let at = Val(number(at));
        if let Kind::Call { callee, arguments, implicit: None } = program.kind(at)
            && is_setter(program, callee)
        {
            assign_one(program, (at, callee), arguments);
        }
    }
}

/// Whether it is `__setattr__` of the builtin `object`.
fn is_setter(program: &Program, callee: Val) -> bool {
    let Some((base, name)) = program.kind(callee).attribute() else {
        return false;
    };
    let Kind::Load(object) = program.kind(base) else {
        return false;
    };
    let builtin = Lookup { exact: None, cells: [None, None], builtin: Builtin::Possible };
    program.symbols.text(name) == "__setattr__"
        && program.symbols.text(object) == "object"
        && program.lookup(base, object) == builtin
}

fn assign_one(program: &mut Program, (at, callee): (Val, Val), arguments: Operands) {
    let [object, text, value] = program.operands(arguments) else {
        return;
    };
    let by_position = [object, text, value].iter().all(|one| one.slot == Slot::Position);
    let (object, text, value) = (object.value, text.value, value.value);
    let Some(name) = program.kind(text).literal().filter(|_| by_position) else {
        return;
    };
    let written = program.symbols.text(name);
    let word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if written.starts_with("__") || !written.chars().all(word) {
        return;
    }
    let Some(Op { start, end, block, .. }) = program.op(text).copied() else {
        return;
    };
    let target = Kind::Attribute { base: object, name, access: Access::Write };
    let target = program.push(target, (start, end), block);
    for (step, kind) in [(callee, Kind::Dead), (at, Kind::Store { target, value })] {
        if let Some(op) = program.ops.get_mut(step.0 as usize) {
            op.kind = kind;
        }
    }
    program.setters.insert(at, (callee, arguments));
}
