//! The uses that are wholly followed; everything else is a loose end.

use super::is_object;
use crate::facts::python::program::{CellId, DefId, Kind, Operand, Operands, Slot, Val, number};
use crate::facts::python::values::flow::hooks::part;
use crate::facts::python::values::{Atom, Set, Values};
use crate::facts::{Handling, Implicit, Role};

/// Hooks that take part in nothing but what the program writes: they do not change how an object
/// comes about, nor what its attributes are.
const PLAIN_HOOKS: [&str; 20] = [
    "__add__",
    "__aexit__",
    "__bool__",
    "__call__",
    "__contains__",
    "__delitem__",
    "__eq__",
    "__exit__",
    "__getitem__",
    "__hash__",
    "__iter__",
    "__len__",
    "__lt__",
    "__mul__",
    "__next__",
    "__post_init__",
    "__repr__",
    "__setitem__",
    "__str__",
    "__sub__",
];

/// What writes an attribute that a text names.
const SETTING: &str = "setattr";

impl Values<'_> {
    /// Everything of the program's own that was used in a way that is not wholly followed.
    pub(super) fn loose_ends(&mut self) -> Vec<Atom> {
        let mut found = Vec::new();
        for at in 0..number(self.program.ops.len()) {
            self.loose_ends_of(self.program.kind(Val(at)), &mut found);
        }
        found.retain(|atom| atom.is_followed());
        found
    }

    fn loose_ends_of(&mut self, kind: Kind, found: &mut Vec<Atom>) {
        match kind {
            Kind::Call { implicit: Some(Implicit::Decorator), .. } => {}
            Kind::Call { callee, arguments, .. } => self.unseen_arguments(callee, arguments, found),
            Kind::Binary { left, right, .. } => {
                let (left, right) = (self.of(left), self.of(right));
                let hooked = self.functions.hooked;
                let both = left.iter().chain(right.iter());
                found.extend(both.filter(|atom| hooked || matches!(atom, Atom::Instance(_))));
            }
            Kind::Item { key: Some(key), .. } if self.functions.hooked => {
                found.extend(self.of(key).iter());
            }
            Kind::Store { target, value } if !self.is_followed_target(target) => {
                found.extend(self.of(value).iter());
            }
            Kind::Bind { cell, value } if self.is_of_special(cell) => {
                found.extend(self.of(value).iter());
            }
            // It may come out of the coroutine by other means than `await`.
            Kind::Escape { value, role: Role::Returned, .. } if self.changes.awaits() => {
                found.extend(self.of(value).iter());
            }
            Kind::Entered(value) => {
                found.extend(self.of(value).iter().filter(|atom| is_object(*atom)));
            }
            Kind::Item { .. }
            | Kind::Store { .. }
            | Kind::Bind { .. }
            | Kind::Escape { .. }
            | Kind::Dead
            | Kind::Opaque
            | Kind::Constant(_)
            | Kind::Docstring(_)
            | Kind::Load(_)
            | Kind::Attribute { .. }
            | Kind::Caught
            | Kind::Either(_)
            | Kind::Collect(..)
            | Kind::Gather(..)
            | Kind::Format(_)
            | Kind::Formatted { .. }
            | Kind::Element(_)
            | Kind::Part { .. }
            | Kind::Awaited(_)
            | Kind::Import(_)
            | Kind::Member { .. }
            | Kind::Define(_)
            | Kind::Parameter(_)
            | Kind::Receiver(_)
            | Kind::Owner(_)
            | Kind::Unbind
            | Kind::Lost(_)
            | Kind::Matched(_) => {}
        }
    }

    /// What a call is given that is not seen to arrive anywhere.
    fn unseen_arguments(&mut self, callee: Val, arguments: Operands, found: &mut Vec<Atom>) {
        let arguments = self.program.operands(arguments).to_vec();
        let followed = |set: Set| set.iter().any(Atom::is_followed);
        let beside = |one: &Operand| one.slot != Slot::Position && followed(self.of(one.value));
        let how = if arguments.iter().any(beside) { Slot::Star } else { Slot::Position };
        for argument in arguments {
            for atom in self.of(argument.value).iter().filter(|atom| atom.is_followed()) {
                if !self.arrives(callee, atom, how) {
                    found.push(atom);
                }
            }
        }
    }

    /// Whether what is done with a value is known that a call is given. A library may do more
    /// with what is given otherwise than by position.
    fn arrives(&mut self, callee: Val, given: Atom, how: Slot) -> bool {
        if let Some((base, _)) = self.method_of(callee)
            && !base.is_empty()
            && base.all(|atom| matches!(atom, Atom::Held(_)))
        {
            return how == Slot::Position;
        }
        let callees: Vec<Atom> = self.of(callee).iter().collect();
        !callees.is_empty()
            && callees.into_iter().all(|called| match called {
                Atom::Own(def) | Atom::Bound(def) => !self.is_special(def),
                Atom::Several(_) => true,
                // What it writes is followed, and the value leaves our sight in any case.
                Atom::Name(name) if self.program.symbols.text(name) == SETTING => {
                    how == Slot::Position
                }
                Atom::Name(name) | Atom::From(name) => {
                    let handling = self.library_handling(callee, name);
                    how == Slot::Position && self.is_handled(handling, given)
                }
                Atom::Unknown
                | Atom::Text(_)
                | Atom::Partial(_)
                | Atom::Bytes(_)
                | Atom::Literal(_)
                | Atom::Plain(_)
                | Atom::Path(_)
                | Atom::Instance(_)
                | Atom::Held(_) => false,
            })
    }

    /// Whether all that something of a library does with a value is followed.
    fn is_handled(&self, handling: Handling, given: Atom) -> bool {
        match handling {
            Handling::Looks | Handling::Wraps => true,
            Handling::Collects(_)
            | Handling::Operates
            | Handling::Copies
            | Handling::Tabulates
            | Handling::Shuffles => matches!(given, Atom::Held(_)) && !self.functions.hooked,
            Handling::Keeps
            | Handling::Writes
            | Handling::Holds
            | Handling::Gives
            | Handling::Decorates => false,
        }
    }

    /// Whether what a target is given is found again wherever it is read.
    fn is_followed_target(&mut self, target: Val) -> bool {
        let kind = self.program.kind(target);
        if let Kind::Item { base, .. } = kind {
            let base = self.of(base);
            return !base.is_empty() && base.all(|atom| matches!(atom, Atom::Held(_)));
        }
        let Some((base, _)) = kind.attribute() else { return false };
        let base = self.of(base);
        let objects = !base.is_empty() && base.all(is_object);
        objects && !base.iter().any(|atom| self.is_object_of_special(atom))
    }

    fn is_object_of_special(&mut self, atom: Atom) -> bool {
        matches!(atom, Atom::Instance(class) | Atom::Own(class) if self.is_special(class))
    }

    fn is_of_special(&mut self, cell: CellId) -> bool {
        let class = self.classes.parts.part(cell).map(|(class, _)| class);
        class.is_some_and(|class| self.is_special(class))
    }

    /// Whether it is a class whose objects come about otherwise than by its initialiser, or have
    /// their attributes otherwise than by assignment.
    fn is_special(&mut self, class: DefId) -> bool {
        !self.is_function(class) && self.line(class).into_iter().any(|class| self.is_odd(class))
    }

    fn is_odd(&self, class: DefId) -> bool {
        let hooked = |cell: CellId| {
            let name = self.program.cell(cell).map(|cell| self.program.symbols.text(cell.name));
            name.is_some_and(|name| part(name).is_called() && !PLAIN_HOOKS.contains(&name))
        };
        self.is_open(class)
            || self.is_holding(class)
            || self.is_enumeration(class)
            || (self.classes.shifted && self.is_fielded(&[class]))
            || self.classes.parts.of(class).into_iter().any(hooked)
    }
}
