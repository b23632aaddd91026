//! What walks an object of the program's own: the interpreter calls it, and nothing else has it.
//!
//! Must never take it for unseen where the program can come by it.

use crate::facts::python::program::{DefId, Sym};
use crate::facts::python::values::{Atom, Set, Values};

/// The hook that gives what walks an object.
const ITERATION: &str = "__iter__";

/// Methods that `yield from` calls of what walks an object, with what the program passes.
const DELEGATED: [&str; 2] = ["send", "throw"];

/// The attribute of a generator that hands out what it walks.
const DELEGATE: &str = "gi_yieldfrom";

impl Values<'_> {
    /// Whether a method gives what walks an object, and is given nothing but that object.
    pub(in crate::facts::python::values::flow) fn only_iterates(&self, def: DefId) -> bool {
        let symbols = &self.program.symbols;
        let name = self.program.def(def).map(|def| symbols.text(def.name));
        let members = |name: &&str| {
            let name = symbols.find(name);
            name.is_some_and(|name| {
                self.classes.is_written(name) || !self.classes.members(name).is_empty()
            })
        };
        let delegated = DELEGATED.iter().any(members) || symbols.find(DELEGATE).is_some();
        name == Some(ITERATION)
            && !delegated
            && !self.functions.takes(def)
            && self.functions.generator(def).is_none()
    }

    /// Whether a hook of this name is such a method, as it is called on objects of its class.
    pub(super) fn is_iterator(&self, name: Sym, atom: Atom) -> bool {
        self.program.symbols.text(name) == ITERATION
            && matches!(atom, Atom::Bound(def) if self.functions.iterators.contains(&def))
    }

    /// A method gives this back: an object that walks is followed, and all else leaves our sight.
    pub(in crate::facts::python::values::flow) fn note_iterator(&mut self, def: DefId, given: Set) {
        if self.functions.iterators.contains(&def) {
            self.lose_some(given, |_, atom| !matches!(atom, Atom::Instance(_)));
        }
    }

    /// The program asks for what walks these.
    pub(in crate::facts::python::values) fn take_iterators(&mut self, walked: Set) {
        if walked.all(Atom::is_plain) {
            return;
        }
        let methods: Vec<DefId> = self.functions.iterators.iter().copied().collect();
        for method in methods {
            let given = self.result(method);
            self.lose(given);
        }
    }
}
