//! Whether a program can reach its own names and objects by ways that are not followed.

use crate::facts::python::program::{Builtin, Kind, Program, Sym, Val};

/// Builtins through which a program reaches its own names, objects or functions unseen.
const BUILTINS: [&str; 6] = ["globals", "locals", "vars", "exec", "eval", "compile"];

/// Names that lead there whatever they are taken out of.
const ANYWHERE: [&str; 35] = [
    "builtins",
    "__dict__",
    "__globals__",
    "__closure__",
    "__code__",
    "__defaults__",
    "__kwdefaults__",
    "__builtins__",
    "__getattr__",
    "__getattribute__",
    "__setattr__",
    "__get__",
    "__set__",
    "__getstate__",
    "__reduce__",
    "__reduce_ex__",
    "__subclasses__",
    "__annotations__",
    "__main__",
    "f_globals",
    "f_locals",
    "_getframe",
    "modules",
    "attrgetter",
    "methodcaller",
    "update_wrapper",
    "new_class",
    "make_dataclass",
    "get_type_hints",
    "get_objects",
    "get_args",
    "__args__",
    "__orig_bases__",
    "__dataclass_fields__",
    "signature",
];

/// Names through which names themselves can be bound.
const BINDERS: [&str; 12] = [
    "globals",
    "locals",
    "vars",
    "exec",
    "eval",
    "compile",
    "builtins",
    "modules",
    "__globals__",
    "__main__",
    "f_globals",
    "f_locals",
];

/// Whether names may be bound unseen, in a program that reaches itself.
pub(super) fn binds_unseen(program: &Program) -> bool {
    BINDERS.iter().any(|name| program.symbols.find(name).is_some())
}

/// Names of a module that the interpreter itself writes to.
const OF_INTERPRETER: [&str; 1] = ["__warningregistry__"];

/// Whether any of these names is used.
pub(super) fn is_loose(program: &Program) -> bool {
    if OF_INTERPRETER.iter().any(|name| program.symbols.find(name).is_some()) {
        return true;
    }
    let known = |names: &[&str]| -> Vec<Sym> {
        names.iter().filter_map(|name| program.symbols.find(name)).collect()
    };
    let (builtins, anywhere) = (known(&BUILTINS), known(&ANYWHERE));
    if builtins.is_empty() && anywhere.is_empty() {
        return false;
    }
    program.ops.iter().zip(0..).any(|(op, at)| {
        if let Kind::Load(name) = op.kind {
            // A name that the program binds is what it was bound to, and that is told there.
            return (builtins.contains(&name) || anywhere.contains(&name))
                && program.lookup(Val(at), name).builtin == Builtin::Possible;
        }
        taken(program, op.kind).is_some_and(|name| anywhere.contains(&name))
    })
}

/// The name that a step takes out of something, or defines, or binds in the body of a class.
fn taken(program: &Program, kind: Kind) -> Option<Sym> {
    if let Kind::Attribute { name, .. } | Kind::Member { name, .. } | Kind::Import(name) = kind {
        return Some(name);
    }
    if let Kind::Bind { cell, .. } = kind {
        let cell = program.cell(cell).filter(|cell| program.is_class(cell.scope));
        return cell.map(|cell| cell.name);
    }
    if let Kind::Define(id) = kind { program.def(id).map(|def| def.name) } else { None }
}
