//! What the members of a class are to the interpreter: which of them it calls or reads by itself.
//!
//! A member counts by its name, and by what it is bound to. Must never ask how it is bound: a
//! definition, an assignment, a loop and a pattern bind alike.

mod answers;
mod iterators;
mod receivers;

pub(in crate::facts::python::values) use answers::{TEXT_HOOKS, builtin_hooks};
pub(super) use receivers::names_of_classes;

use super::Pool;
use crate::facts::python::program::{CellId, DefId, DefKind, NumberMap, Program, Sym};
use crate::facts::python::values::evaluate::CLASS;
use crate::facts::python::values::{Atom, Set, Values};
use std::collections::HashMap;

/// What a member of a class is to the interpreter and the standard library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::facts::python) enum Part {
    /// Nothing: it is reached where the program names it.
    Ordinary,
    /// Data that is only looked at.
    Data,
    /// It is called where the program makes an object, with what the program passes there.
    Maker,
    /// It is called with the object alone, by `with`, which gives what it gives.
    Entry,
    /// It is called with what the interpreter pleases.
    Hook,
    /// It says what the object or the class is, or where names of its body are looked up.
    Nature,
    /// It hands out memory at an address of its choice.
    Pointer,
}

/// Methods without underscores on both sides twice that the standard library calls.
const ENUMERATION: [&str; 2] = ["_missing_", "_generate_next_value_"];

/// Dunders of a class that hold data.
const DATA: [&str; 8] = [
    "__all__",
    "__author__",
    "__doc__",
    "__match_args__",
    "__name__",
    "__qualname__",
    "__slots__",
    "__version__",
];

/// Members that say what something is and where it belongs; in annotations, of which names and
/// texts its methods are written; of an exception, what is printed with it.
const NATURE: [&str; 10] = [
    "__annotations__",
    "__bases__",
    "__cause__",
    "__class__",
    "__context__",
    "__dict__",
    "__module__",
    "__mro__",
    "__prepare__",
    "__traceback__",
];

/// Members by which an object hands out memory at an address of its choice.
const POINTERS: [&str; 7] = [
    "__array_interface__",
    "__array_struct__",
    "__arrow_c_array__",
    "__arrow_c_stream__",
    "__buffer__",
    "__dataframe__",
    "__dlpack__",
];

/// Hooks that say which objects and classes are a class's own.
pub(in crate::facts::python) const CLASS_HOOKS: [&str; 3] =
    ["__instancecheck__", "__subclasscheck__", "__subclasshook__"];

/// Whether it may be an object with hooks of the program's own.
fn may_be_own(atom: Atom) -> bool {
    matches!(atom, Atom::Instance(_) | Atom::Own(_) | Atom::Unknown)
}

/// How an operand comes to a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::facts::python::values) enum Way {
    /// It is compared, or looked for.
    Compared,
    /// It is a key.
    Key,
    /// By any other operator, or by a builtin.
    Operand,
}

/// How operands come to a hook of this name.
pub(super) fn way(hook: &str) -> Way {
    match hook {
        "__eq__" | "__ne__" | "__lt__" | "__le__" | "__gt__" | "__ge__" | "__contains__" => {
            Way::Compared
        }
        "__getitem__" | "__setitem__" | "__delitem__" | "__missing__" | "__class_getitem__" => {
            Way::Key
        }
        _ => Way::Operand,
    }
}

/// What a member of this name is.
pub(in crate::facts::python) fn part(name: &str) -> Part {
    let dunder = name.len() > 4 && name.starts_with("__") && name.ends_with("__");
    match name {
        "__init__" => Part::Maker,
        "__enter__" | "__aenter__" => Part::Entry,
        _ if ENUMERATION.contains(&name) => Part::Hook,
        _ if !dunder => Part::Ordinary,
        _ if DATA.contains(&name) => Part::Data,
        _ if NATURE.contains(&name) => Part::Nature,
        _ if POINTERS.contains(&name) => Part::Pointer,
        _ => Part::Hook,
    }
}

impl Part {
    /// Whether the interpreter calls it by itself, with whatever there is.
    pub(in crate::facts::python) fn is_called(self) -> bool {
        match self {
            Self::Hook | Self::Nature | Self::Pointer => true,
            Self::Ordinary | Self::Data | Self::Maker | Self::Entry => false,
        }
    }

    /// Whether it is told as a hook.
    pub(in crate::facts::python) fn is_hook(self) -> bool {
        self.is_called() || matches!(self, Self::Maker | Self::Entry)
    }
}

/// The members of the program's own classes, by what they are.
#[derive(Debug, Default)]
pub(super) struct Members {
    parts: NumberMap<CellId, (DefId, Part)>,
    of: HashMap<DefId, Vec<CellId>>,
}

impl Members {
    pub(super) fn note(&mut self, program: &Program, class: DefId, cell: CellId) {
        let name = program.cell(cell).map(|cell| program.symbols.text(cell.name));
        self.parts.insert(cell, (class, part(name.unwrap_or_default())));
        self.of.entry(class).or_default().push(cell);
    }

    /// The class that a cell is a member of, and what it is there.
    pub(super) fn part(&self, cell: CellId) -> Option<(DefId, Part)> {
        self.parts.get(&cell).copied()
    }

    /// The members of a class.
    pub(super) fn of(&self, class: DefId) -> Vec<CellId> {
        self.of.get(&class).cloned().unwrap_or_default()
    }
}

impl Values<'_> {
    /// A name is bound. In the body of a class it is a member, which the interpreter or a library
    /// may call by itself.
    pub(in crate::facts::python::values) fn bind_member(&mut self, cell: CellId, bound: Set) {
        let Some((class, part)) = self.classes.parts.part(cell) else {
            return;
        };
        let Some(name) = self.program.cell(cell).map(|cell| cell.name) else {
            return;
        };
        self.lose_fields(name, bound);
        // What a mark says holds where it stands.
        self.lose_some(bound, |values, atom| {
            let marked = atom.own().is_some_and(|def| values.functions.marks.contains_key(&def));
            marked && !values.is_method(class, atom)
        });
        match part {
            Part::Hook | Part::Nature | Part::Pointer => {
                let members = self.as_members(class, bound);
                self.take_hook(name, members);
                self.give_class(cell, bound);
            }
            // One that is written in the class itself is given what making an object passes.
            Part::Maker => self.lose_some(bound, |values, atom| !values.is_maker(class, atom)),
            Part::Entry if !bound.all(|atom| self.only_enters(class, atom)) => {
                let members = self.as_members(class, bound);
                self.take_hook(name, members);
            }
            Part::Ordinary | Part::Entry if self.is_open(class) || self.pools.is_lost(class) => {
                self.lose_functions(class, bound);
            }
            Part::Ordinary | Part::Entry | Part::Data => {}
        }
    }

    /// Whether it is a method that is given nothing but the object.
    fn only_enters(&self, class: DefId, atom: Atom) -> bool {
        self.is_method(class, atom) && atom.own().is_some_and(|def| !self.functions.takes(def))
    }

    fn note_hook(&mut self, way: Way, hook: Atom) {
        let (Atom::Own(def) | Atom::Bound(def)) = hook else {
            let unseen = !hook.is_plain() && !matches!(hook, Atom::Instance(_));
            self.pools.stale |= unseen && !self.functions.hooks_unseen;
            self.functions.hooks_unseen |= unseen;
            return;
        };
        let class = !self.is_function(def);
        self.pools.stale |= class && !self.functions.hooks_unseen;
        self.functions.hooks_unseen |= class;
        self.pools.stale |= self.functions.hooks.insert((def, way));
    }

    /// A hook that is asked about classes is given the class of any object.
    fn give_class(&mut self, cell: CellId, hook: Set) {
        let name = self.program.cell(cell).map(|cell| self.program.symbols.text(cell.name));
        if !name.is_some_and(|name| CLASS_HOOKS.contains(&name)) {
            return;
        }
        let class = Set::one(Atom::From(self.program.symbols.intern(CLASS)));
        for atom in hook.iter() {
            let (Atom::Own(def) | Atom::Bound(def)) = atom else { continue };
            for number in self.functions.parameters(def) {
                self.pour(Pool::Given(number), class);
            }
        }
    }

    /// Whether something that is not known is asked about classes.
    pub(in crate::facts::python) fn gives_classes_unseen(&self) -> bool {
        CLASS_HOOKS.iter().filter_map(|name| self.program.symbols.find(name)).any(|name| {
            let members = self.classes.members(name).into_iter();
            members.map(|(_, cell)| self.cell(cell)).any(|hook| !hook.all(Atom::is_followed))
        })
    }

    /// Something becomes a hook: it may be given anything, and operators hand their operands to
    /// it where it takes any.
    pub(super) fn take_hook(&mut self, name: Sym, bound: Set) {
        let way = way(self.program.symbols.text(name));
        let takes = |atom: Atom| match atom {
            Atom::Own(def) | Atom::Bound(def) => {
                !self.is_function(def) || self.functions.takes(def)
            }
            Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Partial(_)
            | Atom::Held(_)
            | Atom::Path(_) => false,
            Atom::Unknown
            | Atom::Name(_)
            | Atom::From(_)
            | Atom::Instance(_)
            | Atom::Several(_) => true,
        };
        let takes = !self.functions.hooked && bound.iter().any(takes);
        if takes {
            self.functions.hooked = true;
            self.pools.stale = true;
        }
        for atom in bound.iter() {
            self.note_hook(way, atom);
        }
        self.lose_some(bound, |values, atom| !values.is_iterator(name, atom));
    }

    /// Operands are handed to each other's hooks, which may be given anything. Objects are
    /// followed there.
    pub(in crate::facts::python::values) fn hand_to_hooks(&mut self, way: Way, operands: Set) {
        if !self.functions.hooked {
            return;
        }
        if self.functions.hooks_unseen {
            self.lose(operands);
            return;
        }
        let object = |atom: &Atom| matches!(atom, Atom::Instance(_));
        self.lose_some(operands, |_, atom| !object(&atom));
        for atom in operands.iter().filter(object) {
            self.pour(Pool::Handed(way), Set::one(atom));
            if way == Way::Key {
                // A dictionary compares its keys.
                self.pour(Pool::Handed(Way::Compared), Set::one(atom));
            }
        }
    }

    /// Elements are compared with each other: what is among them is handed to their hooks.
    pub(in crate::facts::python::values) fn compare_all(&mut self, elements: Set) {
        if !self.functions.hooked || !elements.iter().any(may_be_own) {
            return;
        }
        let objects = elements.iter().any(|atom| matches!(atom, Atom::Instance(_)));
        for atom in elements.iter().filter(|atom| objects || !matches!(atom, Atom::Held(_))) {
            self.hand_to_hooks(Way::Compared, Set::one(atom));
        }
    }

    /// The bases of a class are handed to the hook of one that is no class.
    pub(in crate::facts::python::values) fn hand_to_entries(&mut self, bases: Set) {
        if self.program.symbols.find("__mro_entries__").is_some() {
            self.lose(bases);
        }
    }

    /// Functions leave our sight with the class whose members they are.
    pub(super) fn lose_functions(&mut self, class: DefId, bound: Set) {
        let members = self.as_members(class, bound);
        self.lose_some(members, Self::is_callable);
    }

    /// The members of a class, as it is their objects that its methods are called on.
    fn as_members(&mut self, class: DefId, bound: Set) -> Set {
        self.each(bound, |values, atom| Set::one(values.as_member(class, atom)))
    }

    /// A method of the class itself is called on its objects.
    pub(super) fn as_member(&self, class: DefId, atom: Atom) -> Atom {
        let own = atom.own().filter(|_| self.is_method(class, atom));
        own.map_or(atom, Atom::Bound)
    }

    pub(super) fn lose_some(&mut self, bound: Set, leaves: impl Fn(&Self, Atom) -> bool) {
        for atom in bound.iter() {
            if leaves(self, atom) {
                self.lose(Set::one(atom));
            }
        }
    }

    /// Whether it is a function of the program's own.
    pub(super) fn is_callable(&self, atom: Atom) -> bool {
        matches!(atom, Atom::Own(def) | Atom::Bound(def) if self.is_function(def))
            || matches!(atom, Atom::Several(_))
    }

    /// Whether it is the initialiser that is written in the body of a class, under that name.
    fn is_maker(&self, class: DefId, atom: Atom) -> bool {
        let def = atom.own().and_then(|def| self.program.def(def));
        let named = def.is_some_and(|def| self.program.symbols.text(def.name) == "__init__");
        named && self.is_method(class, atom)
    }

    /// Whether a function is written in the body of a class.
    pub(super) fn is_method(&self, class: DefId, atom: Atom) -> bool {
        let def = atom.own().and_then(|def| self.program.def(def));
        def.is_some_and(|def| def.kind == DefKind::Function && def.within.0 == class.0)
    }

    /// Whether a class binds a name in its body, by any means.
    pub(super) fn binds(&self, class: DefId, name: &str) -> bool {
        let name = self.program.symbols.find(name);
        let members = name.map(|name| self.classes.members(name)).unwrap_or_default();
        members.iter().any(|(owner, _)| *owner == class)
    }
}
