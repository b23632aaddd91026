//! What is done to things of which it is not known what they are.
//!
//! Must never take what is done for harmless that is not known to be.

use super::is_object;
use crate::facts::python::program::{Access, DefId, Kind, Operands, Slot, Sym, Val, number};
use crate::facts::python::values::evaluate::CAUGHT;
use crate::facts::python::values::flow::Pool;
use crate::facts::python::values::flow::hooks::part;
use crate::facts::python::values::{Atom, Set, Values};
use crate::facts::{Collects, Handling, Implicit};

/// Hooks that answer for attributes of any name.
const ANSWERING: [&str; 2] = ["__getattr__", "__getattribute__"];

/// Names under which libraries hand out a function that they were given.
const HANDED_OUT: [&str; 12] = [
    "__call__",
    "__func__",
    "__get__",
    "__self__",
    "__wrapped__",
    "default_factory",
    "factory",
    "fdel",
    "fget",
    "fset",
    "func",
    "function",
];

/// Functions that call what they are given, wherever it stands.
const CALLING: [&str; 9] = [
    "accumulate",
    "dropwhile",
    "filterfalse",
    "groupby",
    "nlargest",
    "nsmallest",
    "reduce",
    "starmap",
    "takewhile",
];

/// Classes whose methods change what they are called on.
const COLLECTIONS: [&str; 7] = [
    "bytearray",
    "collections.Counter",
    "collections.OrderedDict",
    "collections.deque",
    "dict",
    "list",
    "set",
];

/// Libraries whose results are new classes.
const CLASS_MAKERS: [&str; 2] = ["collections.namedtuple", "typing.NewType"];

/// What may have been done to what went astray.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Acts {
    /// Collections were changed.
    pub(super) changes: bool,
    /// Functions, methods, classes and objects were called.
    pub(super) calls: bool,
    /// Methods of classes were called on what they were given.
    pub(super) unbound: bool,
}

impl Acts {
    const NONE: Self = Self { changes: false, calls: false, unbound: false };
    pub(super) const CHANGES: Self = Self { changes: true, ..Self::NONE };
    const CALLS: Self = Self { calls: true, ..Self::NONE };
    const UNBOUND: Self = Self { unbound: true, ..Self::NONE };
    const ANY: Self = Self { changes: true, calls: true, unbound: true };

    fn and(self, other: Self) -> Self {
        Self {
            changes: self.changes || other.changes,
            calls: self.calls || other.calls,
            unbound: self.unbound || other.unbound,
        }
    }

    fn when(self, acts: impl FnOnce() -> bool) -> Self {
        if acts() { self } else { Self::NONE }
    }
}

impl Values<'_> {
    /// What is done to things that are not known.
    pub(super) fn acts(&mut self) -> Acts {
        let mut all = Acts::NONE;
        for at in 0..number(self.program.ops.len()) {
            all = all.and(self.act(Val(at)));
            if all == Acts::ANY {
                break;
            }
        }
        all
    }

    fn act(&mut self, at: Val) -> Acts {
        match self.program.kind(at) {
            Kind::Call { callee, arguments, implicit } => {
                self.call_act(callee, arguments, implicit)
            }
            Kind::Item { base, access: Access::Delete, .. } => {
                Acts::CHANGES.when(|| self.is_strange(self.of(base)))
            }
            Kind::Store { target, value } => self.store_act(target, value),
            Kind::Binary { left, right, .. } if self.program.in_place.contains(&at) => {
                Acts::CHANGES.when(|| self.changes_in_place(left, right))
            }
            Kind::Bind { cell, value } => {
                let name = self.classes.parts.part(cell).and(self.program.cell(cell));
                let name = name.map(|cell| cell.name);
                Acts::CALLS.when(|| name.is_some_and(|name| self.hooks(name, value)))
            }
            Kind::Attribute { base, name, access: Access::Read } if !self.callees.contains(&at) => {
                Acts::ANY.when(|| self.hands_on(base, name))
            }
            Kind::Define(class) => Acts::ANY.when(|| self.derives_from_strange(class)),
            Kind::Item { .. }
            | Kind::Binary { .. }
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
            | Kind::Entered(_)
            | Kind::Awaited(_)
            | Kind::Import(_)
            | Kind::Member { .. }
            | Kind::Parameter(_)
            | Kind::Receiver(_)
            | Kind::Owner(_)
            | Kind::Unbind
            | Kind::Escape { .. }
            | Kind::Lost(_)
            | Kind::Matched(_) => Acts::NONE,
        }
    }

    fn call_act(&mut self, callee: Val, arguments: Operands, implicit: Option<Implicit>) -> Acts {
        if implicit == Some(Implicit::Decorator) {
            return Acts::CALLS
                .when(|| self.accessor(callee).is_none() && self.calls_strange(callee));
        }
        let passes = !self.program.operands(arguments).is_empty();
        let act = match self.method_of(callee) {
            Some((base, name)) => self.method_act(callee, (base, name), arguments),
            None => Acts::CALLS.when(|| passes && self.calls_strange(callee)),
        };
        let changes = Acts::CHANGES.when(|| self.changes_strange(callee, arguments));
        let act = act.and(changes).and(Acts::ANY.when(|| self.takes_method(callee, arguments)));
        act.and(Acts::CALLS.when(|| self.calls_back(callee, arguments)))
    }

    /// Whether a value may be something that went astray. What was never seen to be given may be
    /// anything.
    fn is_strange(&self, set: Set) -> bool {
        set.is_empty() || self.may_be_lent(set)
    }

    /// What a library is known to hand out for that leaves what it is given as it is.
    fn calls_strange(&self, callee: Val) -> bool {
        let known = |atom: Atom| {
            let handling = atom.library().map(|name| self.library_handling(callee, name));
            matches!(handling, Some(Handling::Decorates | Handling::Wraps))
        };
        let callees = self.of(callee);
        callees.is_empty() || (self.is_strange(callees) && !callees.all(known))
    }

    /// A function such as `heapq.heappush` changes what it is given.
    fn changes_strange(&self, callee: Val, arguments: Operands) -> bool {
        let text = |name| self.program.symbols.text(name);
        let mut given = self.program.operands(arguments).iter();
        self.of(callee).names().any(|name| self.changes_by_name(text(name)))
            && given.any(|one| self.is_strange(self.of(one.value)))
    }

    /// A method of something unknown is found by its name, unless a collection has it, a library
    /// hands it out, or nobody knows what goes by that name.
    fn method_act(&mut self, callee: Val, (base, name): (Set, Sym), arguments: Operands) -> Acts {
        let passes = !self.program.operands(arguments).is_empty();
        let shuffles = |atom: Atom| {
            let handling = atom.library().map(|name| self.library_handling(callee, name));
            handling == Some(Handling::Shuffles)
        };
        let strange = self.is_strange(base);
        let word = self.program.symbols.text(name);
        let handed_out = HANDED_OUT.contains(&word);
        let changing = self.changes_by_name(word) && (base.is_empty() || !base.all(shuffles));
        let unbound = Acts::CHANGES.when(|| self.changes_unbound(base, word, arguments));
        // What it derives from is known, and does nothing of that.
        let known = self.is_super_of_known(callee, base);
        let (strange, changing) = (strange && !known, changing && !known);
        let bound = self.may_be_bound(name);
        let members = !self.classes.members(name).is_empty();
        let acts = Acts::CHANGES.when(|| strange && changing);
        let acts = acts.and(Acts::ANY.when(|| base.is_empty() && passes));
        let acts = acts.and(unbound);
        let acts = acts.and(Acts::CALLS.when(|| strange && handed_out));
        let acts = acts.and(Acts::UNBOUND.when(|| strange && passes && members));
        acts.and(Acts::CALLS.when(|| passes && bound && self.holds_strange(base, callee, name)))
    }

    /// A method of a class, such as `list.reverse`, changes what it is given.
    fn changes_unbound(&self, base: Set, word: &str, arguments: Operands) -> bool {
        let mut given = self.program.operands(arguments).iter();
        self.changes_by_name(word)
            && self.may_be_collection_class(base)
            && given.any(|one| self.is_strange(self.of(one.value)))
    }

    /// Whether a method that changes something strange is handed on, to be called elsewhere: that
    /// of a class is, on whatever it will be given.
    fn hands_on(&self, base: Val, name: Sym) -> bool {
        let word = self.program.symbols.text(name);
        let base = self.of(base);
        (self.changes_by_name(word) || HANDED_OUT.contains(&word))
            && (self.is_strange(base) || self.may_be_collection_class(base))
    }

    fn may_be_collection_class(&self, set: Set) -> bool {
        set.iter().any(|atom| {
            let name = atom.library().map_or("", |name| self.program.symbols.text(name));
            COLLECTIONS.contains(&name) || name == "type"
        })
    }

    /// Whether a method that changes something strange is taken by a text that names it.
    fn takes_method(&self, callee: Val, arguments: Operands) -> bool {
        let asks = |name: Sym| self.program.symbols.text(name) == "getattr";
        let [base, name, ..] = self.program.operands(arguments) else { return false };
        let changes = |atom: Atom| {
            let Atom::Text(name) = atom else { return false };
            let word = self.program.symbols.text(name);
            self.changes_by_name(word) || HANDED_OUT.contains(&word)
        };
        self.of(callee).names().any(asks)
            && self.is_strange(self.of(base.value))
            && self.of(name.value).iter().any(changes)
    }

    /// Whether a library is given something strange that it may call.
    fn calls_back(&self, callee: Val, arguments: Operands) -> bool {
        let callees = self.of(callee);
        let libraries = callees.iter().filter_map(Atom::library);
        let libraries: Vec<Sym> = libraries.filter(|name| !self.is_told(*name)).collect();
        let handlings = libraries.iter().map(|name| self.library_handling(callee, *name));
        let handlings: Vec<Handling> = handlings.collect();
        let operands = self.program.operands(arguments);
        if self.calls_any(callee) && operands.iter().any(|one| self.is_strange(self.of(one.value)))
        {
            return true;
        }
        operands.iter().zip(0..).any(|(operand, place): (_, usize)| {
            let calls = |handling: &Handling| match handling {
                Handling::Collects(Collects::Applies | Collects::Filters) => place == 0,
                Handling::Collects(_) | Handling::Looks | Handling::Operates => {
                    matches!(operand.slot, Slot::Keyword(_) | Slot::DoubleStar)
                }
                Handling::Keeps => true,
                Handling::Writes
                | Handling::Copies
                | Handling::Tabulates
                | Handling::Shuffles
                | Handling::Holds
                | Handling::Gives
                | Handling::Decorates
                | Handling::Wraps => false,
            };
            handlings.iter().any(calls) && self.may_be_function(self.of(operand.value))
        })
    }

    /// Whether it is a function that calls what it is given, wherever that stands, or a sort.
    fn calls_any(&self, callee: Val) -> bool {
        let word = |name: Sym| {
            let text = self.program.symbols.text(name);
            text.rsplit('.').next().unwrap_or_default()
        };
        let sorts = self.method_of(callee).is_some_and(|(_, name)| word(name) == "sort");
        sorts || self.of(callee).names().any(|name| CALLING.contains(&word(name)))
    }

    /// Whether what a thing of a library does is in the catalogue, or it is an exception, which
    /// calls nothing that it is given.
    fn is_told(&self, name: Sym) -> bool {
        const ENDS: [&str; 4] = ["Error", "Exception", "Warning", "Exit"];
        let text = self.program.symbols.text(name);
        let exception = !text.contains('.') && ENDS.iter().any(|end| text.ends_with(end));
        exception || !self.names.needs(text).is_empty()
    }

    /// Whether a value may be a function that went astray, as far as what it came out of tells.
    fn may_be_function(&self, set: Set) -> bool {
        let caught = |name: Sym| self.program.symbols.text(name) == CAUGHT;
        set.is_empty() || set.has(Atom::Unknown) || set.iter().filter_map(Atom::library).any(caught)
    }

    /// Whether it is `super()` in a class of which it is known what it derives from, and whose
    /// objects hold nothing but their attributes.
    fn is_super_of_known(&mut self, callee: Val, base: Set) -> bool {
        let known = base.single().and_then(|base| self.relatives_of_super(callee, base));
        known.is_some_and(|family| !family.iter().any(|class| self.is_holding(*class)))
    }

    /// Whether the program may have put something under this name.
    fn may_be_bound(&self, name: Sym) -> bool {
        let asked = ANSWERING.iter().any(|hook| self.program.symbols.find(hook).is_some());
        asked || self.classes.is_written(name) || !self.classes.members(name).is_empty()
    }

    /// Whether what an object has under a name may be strange.
    fn holds_strange(&mut self, base: Set, callee: Val, name: Sym) -> bool {
        if base.all(is_object) {
            return self.is_strange(self.of(callee));
        }
        let hidden =
            |atom: Atom| is_object(atom) || atom == Atom::Unknown || atom.library().is_some();
        base.iter().any(hidden) && {
            let held = self.held_by_any(name);
            self.is_strange(held)
        }
    }

    /// What attributes of this name hold, of whatever object.
    fn held_by_any(&mut self, name: Sym) -> Set {
        let owners = self.classes.owners(name).into_iter().map(Some);
        let mut held = Set::default();
        for owner in owners.chain([None]) {
            let written = self.draw(Pool::Attribute(owner, name));
            self.join(&mut held, &written);
        }
        for (_, cell) in self.classes.members(name) {
            self.join(&mut held, &self.cell(cell));
        }
        held
    }

    /// Attributes of something unknown are found by their names, but for those that are hooks.
    fn store_act(&self, target: Val, value: Val) -> Acts {
        let kind = self.program.kind(target);
        if let Kind::Item { base, .. } = kind {
            return Acts::CHANGES.when(|| self.is_strange(self.of(base)));
        }
        let Some((base, name)) = kind.attribute() else { return Acts::ANY };
        let nowhere = Acts::ANY.when(|| self.of(base).is_empty());
        nowhere.and(Acts::CALLS.when(|| self.hooks(name, value)))
    }

    /// Whether something strange becomes a hook, which the interpreter calls.
    fn hooks(&self, name: Sym, value: Val) -> bool {
        part(self.program.symbols.text(name)).is_hook() && self.is_strange(self.of(value))
    }

    /// Whether something strange may be changed by an operator.
    fn changes_in_place(&self, left: Val, right: Val) -> bool {
        let (left, right) = (self.of(left), self.of(right));
        self.is_strange(left) && !right.all(Atom::is_plain)
    }

    /// Whether a class derives from something strange, whose makers it then has.
    fn derives_from_strange(&self, class: DefId) -> bool {
        let Some(def) = self.program.def(class) else { return false };
        let made = |atom: Atom| {
            let name = atom.library().map(|name| self.program.symbols.text(name));
            name.is_some_and(|name| CLASS_MAKERS.contains(&name))
        };
        let bases = self.program.operands(def.bases).iter();
        bases
            .map(|base| self.of(self.generic(base.value)))
            .any(|base| base.is_empty() || (self.is_strange(base) && !base.all(made)))
    }

    /// The class that a base such as `Repository[int]` is, where no class says otherwise.
    fn generic(&self, base: Val) -> Val {
        let Kind::Item { base: class, .. } = self.program.kind(base) else { return base };
        let said = self.program.symbols.find("__class_getitem__").is_some();
        let known = self.of(class).all(|atom| matches!(atom, Atom::Own(_) | Atom::Name(_)));
        if known && !said { class } else { base }
    }
}
