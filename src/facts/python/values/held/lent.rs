//! Collections that a library holds and may give back: what changes an object of unknown origin
//! may change one of them.
//!
//! Must never take a change of something unknown for harmless while a library holds a collection.

use crate::facts::Handling;
use crate::facts::python::program::{Sym, Val};
use crate::facts::python::values::flow::Passed;
use crate::facts::python::values::{Atom, Set, Values};

/// Methods and functions that change a collection.
const CHANGING: [&str; 37] = [
    "__delitem__",
    "__iadd__",
    "__imul__",
    "__init__",
    "__ior__",
    "__setitem__",
    "add",
    "append",
    "appendleft",
    "clear",
    "delitem",
    "difference_update",
    "discard",
    "extend",
    "extendleft",
    "heapify",
    "heappop",
    "heappush",
    "heappushpop",
    "heapreplace",
    "iadd",
    "iconcat",
    "imul",
    "insert",
    "insort",
    "insort_left",
    "insort_right",
    "ior",
    "pop",
    "popitem",
    "process",
    "remove",
    "reverse",
    "rotate",
    "setdefault",
    "setitem",
    "sort",
];

/// Those of a name that says more: `shuffle`, `update`, `symmetric_difference_update`.
const CHANGING_ENDS: [&str; 2] = ["shuffle", "update"];

/// Functions that give copies of what fields hold, but not of what that holds.
pub(in crate::facts::python::values) const DEEP: [&str; 2] =
    ["dataclasses.asdict", "dataclasses.astuple"];

impl Values<'_> {
    /// A library holds a collection from here on. One that it alone holds is read through the
    /// library only, and what comes out of that is not known in any case.
    pub(in crate::facts::python::values) fn lend(&mut self, site: Val) {
        if self.changes.is_handed_away(site) {
            return;
        }
        if self.heap.changed {
            self.lose(Set::one(Atom::Held(site)));
        } else if !self.heap.lent.contains(&site) {
            self.heap.lent.push(site);
        }
    }

    /// Whether a function or method of this name changes a collection.
    pub(in crate::facts::python::values) fn changes_by_name(&self, name: &str) -> bool {
        let word = name.rsplit('.').next().unwrap_or_default();
        CHANGING.contains(&word) || CHANGING_ENDS.iter().any(|end| word.ends_with(end))
    }

    /// A method of an object is read that is not the program's own.
    pub(in crate::facts::python::values) fn note_changing(&mut self, object: Atom, method: Sym) {
        let changing = self.changes_by_name(self.program.symbols.text(method));
        if changing && self.may_be_lent(Set::one(object)) {
            self.change_lent();
        }
    }

    /// A function that changes a collection is given these.
    pub(in crate::facts::python::values) fn note_change(&mut self, passed: &[Passed]) {
        if passed.iter().any(|passed| self.may_be_lent(passed.value)) {
            self.change_lent();
        }
    }

    /// An item of these is stored or deleted.
    pub(in crate::facts::python::values) fn note_item(&mut self, base: Set) {
        if self.may_be_lent(base) {
            self.change_lent();
        }
    }

    /// Whether it may be something that a library gave back. What came out of one that copies is
    /// none of what it was given.
    pub(in crate::facts::python::values) fn may_be_lent(&self, set: Set) -> bool {
        set.overflowed
            || set.iter().any(|atom| match atom {
                Atom::Unknown => true,
                Atom::From(origin) => {
                    let origin = self.program.symbols.text(origin);
                    DEEP.contains(&origin) || !is_copier(self.names.handling(origin))
                }
                Atom::Text(_)
                | Atom::Bytes(_)
                | Atom::Partial(_)
                | Atom::Literal(_)
                | Atom::Plain(_)
                | Atom::Name(_)
                | Atom::Path(_)
                | Atom::Own(_)
                | Atom::Instance(_)
                | Atom::Bound(_)
                | Atom::Several(_)
                | Atom::Held(_) => false,
            })
    }

    /// What a library holds may be in a collection that another one copies.
    pub(in crate::facts::python::values) fn note_copied(&mut self, held: Set) {
        let origins = held.iter().filter(|atom| matches!(atom, Atom::From(_)));
        if origins.into_iter().any(|atom| self.may_be_lent(Set::one(atom))) {
            self.change_lent();
        }
    }

    fn change_lent(&mut self) {
        self.heap.changed = true;
        for site in std::mem::take(&mut self.heap.lent) {
            self.lose(Set::one(Atom::Held(site)));
        }
    }
}

fn is_copier(handling: Handling) -> bool {
    matches!(
        handling,
        Handling::Looks
            | Handling::Operates
            | Handling::Writes
            | Handling::Copies
            | Handling::Tabulates
            | Handling::Shuffles
    )
}
