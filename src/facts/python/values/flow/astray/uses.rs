//! The uses that are wholly followed; everything else is a loose end.

use super::is_object;
use crate::facts::python::program::{CellId, DefId, Kind, Operand, Operands, Slot, Val, number};
use crate::facts::python::values::flow::hooks::part;
use crate::facts::python::values::held::DEEP;
use crate::facts::python::values::{Atom, Set, Values};
use crate::facts::{Handling, Implicit, Role};
use std::collections::HashSet;

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

/// Decorators by which the results of a function are kept, by what it was given.
const CACHES: [&str; 2] = ["cache", "lru_cache"];

/// Methods that put what they are given into a collection, and do nothing else with it.
const PUTTING: [&str; 8] =
    ["add", "append", "appendleft", "extend", "extendleft", "insert", "setdefault", "update"];
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
        if let Kind::Call { callee, arguments, implicit } = kind {
            if implicit != Some(Implicit::Decorator) {
                self.unseen_arguments(callee, arguments, found);
            }
        } else if let Kind::Entered(value) = kind {
            let entered: Vec<Atom> = self.of(value).iter().collect();
            found.extend(entered.into_iter().filter(|atom| self.is_object_of_special(*atom)));
        } else if let Kind::Bind { cell, value } = kind
            && self.is_field_default(cell)
        {
            let method = |atom: &Atom| self.is_callable(*atom);
            found.extend(self.of(value).iter().filter(|atom| !method(atom)));
        }
        for value in self.loose_values(kind) {
            found.extend(self.of(value).iter());
        }
    }

    /// The values that a step uses in a way that is not wholly followed, whatever they are.
    fn loose_values(&mut self, kind: Kind) -> Vec<Val> {
        match kind {
            Kind::Binary { left, right, .. } if !self.joins_collections(left, right) => {
                vec![left, right]
            }
            // An error says which key was not there.
            Kind::Item { key: Some(key), .. } => vec![key],
            Kind::Store { target, value } if !self.is_followed_target(target) => vec![value],
            Kind::Bind { cell, value } if self.is_of_special(cell) => vec![value],
            // It may come out of the coroutine by other means than `await`.
            Kind::Escape { value, role: Role::Returned, .. } if self.changes.awaits() => {
                vec![value]
            }
            // Collections are compared by what they hold.
            Kind::Collect(..) | Kind::Gather(..) if self.functions.hooked => {
                self.program.inputs(kind)
            }
            Kind::Binary { .. }
            | Kind::Item { .. }
            | Kind::Store { .. }
            | Kind::Bind { .. }
            | Kind::Escape { .. }
            | Kind::Collect(..)
            | Kind::Gather(..)
            | Kind::Call { .. }
            | Kind::Entered(_)
            | Kind::Dead
            | Kind::Opaque
            | Kind::Constant(_)
            | Kind::Docstring(_)
            | Kind::Load(_)
            | Kind::Attribute { .. }
            | Kind::Caught
            | Kind::Either(_)
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
            | Kind::Matched(_) => Vec::new(),
        }
    }

    /// Whether an operator stands between collections and data, and asks no hooks.
    fn joins_collections(&self, left: Val, right: Val) -> bool {
        let collection = |atom| matches!(atom, Atom::Held(_)) || atom.is_plain();
        !self.functions.hooked && self.of(left).all(collection) && self.of(right).all(collection)
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
                    self.hand_over(atom, found);
                }
            }
        }
    }

    /// What a call is given is loose. A collection that nobody else has is out of reach: what it
    /// holds is not.
    fn hand_over(&mut self, given: Atom, found: &mut Vec<Atom>) {
        let (mut open, mut own, mut seen) = (vec![given], HashSet::new(), HashSet::new());
        while let Some(atom) = open.pop() {
            let Atom::Held(site) = atom else {
                found.push(atom);
                continue;
            };
            if !seen.insert(site) {
                continue;
            }
            if own.contains(&site) || self.changes.is_handed_away(site) {
                own.extend(self.parts_of_its_own(site));
                open.extend(self.held_in(site).iter().filter(|atom| atom.is_followed()));
            } else {
                found.push(atom);
            }
        }
    }

    /// The collections that are written where they stand in another, and are nowhere else.
    fn parts_of_its_own(&self, site: Val) -> Vec<Val> {
        let Some(parts) = self.program.kind(site).collected() else { return Vec::new() };
        let parts = self.program.operands(parts).iter().map(|part| part.value);
        parts.filter(|part| self.changes.keepers(*part) == 1).collect()
    }

    /// Whether what is done with a value is known that a call is given. A library may do more
    /// with what is given otherwise than by position.
    fn arrives(&mut self, callee: Val, given: Atom, how: Slot) -> bool {
        if let Some((base, name)) = self.method_of(callee)
            && !base.is_empty()
            && base.all(|atom| matches!(atom, Atom::Held(_)))
        {
            // An error says what was not there.
            return how == Slot::Position && PUTTING.contains(&self.program.symbols.text(name));
        }
        let callees: Vec<Atom> = self.of(callee).iter().collect();
        !callees.is_empty()
            && callees.into_iter().all(|called| match called {
                Atom::Own(def) | Atom::Bound(def) => !self.is_special(def) && !self.keeps_results(),
                Atom::Several(_) => !self.keeps_results(),
                // What it writes is followed, and the value leaves our sight in any case.
                Atom::Name(name) if self.program.symbols.text(name) == SETTING => {
                    how == Slot::Position
                }
                Atom::Name(name) | Atom::From(name) => {
                    let handling = self.library_handling(callee, name);
                    let copies = DEEP.contains(&self.program.symbols.text(name));
                    how == Slot::Position && !copies && self.is_handled(handling, given)
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

    /// Whether what functions are given may be compared with what they were given before.
    fn keeps_results(&self) -> bool {
        let cached = CACHES.iter().any(|name| self.program.symbols.find(name).is_some());
        self.functions.hooked && cached
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

    /// Whether a member is the default of a field.
    fn is_field_default(&self, cell: CellId) -> bool {
        let class = self.classes.parts.part(cell).map(|(class, _)| class);
        class.is_some_and(|class| self.is_fielded(&[class]))
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
            || !self.classes.holds_its_own(class)
            || self.is_holding(class)
            || self.is_enumeration(class)
            || (self.classes.shifted && self.is_fielded(&[class]))
            || self.classes.parts.of(class).into_iter().any(hooked)
    }
}
