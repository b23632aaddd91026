//! Functions that are given some of their arguments now, and the others where it is not seen.
//!
//! Must never take a parameter for known that a later call may fill.

use super::Pool;
use super::functions::{By, Passed};
use crate::facts::python::program::{DefId, Takes};
use crate::facts::python::values::{Atom, Set, Values};

impl Values<'_> {
    /// A function with some of its arguments: the others may be anything.
    pub(super) fn partial(&mut self, passed: &[Passed]) {
        let Some((function, rest)) = passed.split_first() else {
            return;
        };
        self.note_wrapper(function.value);
        self.lose_some(function.value, |_, atom| matches!(atom, Atom::Several(_)));
        let mut rest = rest.to_vec();
        rest.push(Passed { by: By::Positions, value: Set::unknown() });
        for atom in function.value.iter() {
            if atom.is_followed() {
                self.own_call(atom, &rest);
                self.open_keywords(atom);
            }
        }
        self.lose_results(function.value);
        for passed in rest {
            if !function
                .value
                .all(|atom| matches!(atom, Atom::Own(_) | Atom::Bound(_) | Atom::Several(_)))
            {
                self.lose(passed.value);
            }
        }
    }

    /// What is passed by keyword alone may be anything at a later call, whatever it was before.
    fn open_keywords(&mut self, callee: Atom) {
        let (Atom::Own(def) | Atom::Bound(def)) = callee else { return };
        let functions = if self.is_function(def) { vec![def] } else { self.makers(def) };
        let given = functions.into_iter().flat_map(|def| self.functions.parameters(def));
        for number in given.collect::<Vec<_>>() {
            let takes = self.program.parameters.get(number as usize).map(|one| one.takes);
            if matches!(takes, Some(Takes::Named | Takes::Keywords)) {
                self.pour(Pool::Given(number), Set::unknown());
            }
        }
    }

    /// The initialisers of a class and of those that it derives from.
    fn makers(&mut self, class: DefId) -> Vec<DefId> {
        let Some(init) = self.program.symbols.find("__init__") else { return Vec::new() };
        let line = self.family(class);
        line.into_iter().filter_map(|class| self.method(class, init)).collect()
    }

    /// What functions give goes where it is not followed.
    pub(super) fn lose_results(&mut self, functions: Set) {
        for atom in functions.iter() {
            if let Atom::Own(def) | Atom::Bound(def) = atom
                && self.is_function(def)
            {
                let given = self.result(def);
                self.lose(given);
            }
        }
    }
}
