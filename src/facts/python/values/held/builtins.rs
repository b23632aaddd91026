//! What the builtins give that walk collections or make them.

use crate::facts::python::program::{Collection, Operands, Val};
use crate::facts::python::values::evaluate::CLASS;
use crate::facts::python::values::flow::{By, Passed};
use crate::facts::python::values::{Atom, Set, Values};
use crate::facts::{Collects, Handling};

/// Hooks that say what walks an object.
const ITERATING: [&str; 1] = ["__iter__"];

impl Values<'_> {
    /// What a builtin gives that walks collections or makes them.
    pub(in crate::facts::python::values) fn collecting(
        &mut self,
        place: (Val, Val),
        handling: Handling,
        arguments: Operands,
    ) -> Option<Set> {
        let Handling::Collects(collects) = handling else {
            return None;
        };
        let passed = self.passed(arguments);
        if passed.iter().any(|passed| matches!(passed.by, By::Positions | By::Keywords)) {
            return None;
        }
        let by_position = passed.iter().filter(|passed| passed.by == By::Position);
        let given: Vec<Set> = by_position.map(|passed| passed.value).collect();
        let first = given.first().copied().unwrap_or_default();
        match collects {
            Collects::Numbers => {
                let columns = [self.plain("int"), self.elements_of(first)];
                Some(self.rows(place, &columns))
            }
            Collects::Zips => {
                let columns = self.columns(&given);
                Some(self.rows(place, &columns))
            }
            Collects::Merges => {
                let site = self.hold(place.0, Collection::Dictionary);
                self.grow(site, "update", &passed);
                Some(Set::one(Atom::Held(site)))
            }
            Collects::Applies if self.maps_classes(arguments) => {
                Some(Set::one(Atom::From(self.program.symbols.intern(CLASS))))
            }
            Collects::Applies => {
                let columns = self.columns(given.get(1..).unwrap_or_default());
                let made = self.apply(first, &columns);
                Some(self.made_of(place.0, Collection::List, made))
            }
            Collects::Filters => {
                let columns = self.columns(given.get(1..).unwrap_or_default());
                self.apply(first, &columns);
                let kept = columns.first().copied().unwrap_or_default();
                Some(self.made_of(place.0, Collection::List, kept))
            }
            Collects::Lists
            | Collects::Sets
            | Collects::Chooses
            | Collects::Takes
            | Collects::Picks
            | Collects::Iterates => self.walking(place.0, collects, &given, &passed),
        }
    }

    fn columns(&mut self, collections: &[Set]) -> Vec<Set> {
        collections.iter().map(|collection| self.elements_of(*collection)).collect()
    }

    /// What a builtin gives that walks its first argument.
    fn walking(
        &mut self,
        at: Val,
        collects: Collects,
        given: &[Set],
        passed: &[Passed],
    ) -> Option<Set> {
        let first = given.first().copied().unwrap_or_default();
        let elements = self.elements_of(first);
        self.keyed(passed, elements);
        let compared = self.all_of(elements, given.get(1..).unwrap_or_default());
        self.compare_all(compared);
        match collects {
            Collects::Lists => {
                let list = self.made_of(at, Collection::List, elements);
                if given.len() > 1 || passed.iter().any(|passed| self.is_bound_to(passed.by)) {
                    // What is full lets go at its other end.
                    self.mix(at);
                }
                Some(list)
            }
            Collects::Sets => Some(self.made_of(at, Collection::Set, elements)),
            // What is taken out of an iterator is gone from it, and not from what it walks.
            Collects::Iterates if given.len() == 1 => {
                self.take_iterators(first);
                let mut set = self.made_of(at, Collection::List, elements);
                if self.own_or(first, &ITERATING).has(Atom::Unknown) {
                    self.add(&mut set, Atom::Unknown);
                }
                Some(set)
            }
            Collects::Chooses if given.len() > 1 => {
                let all = self.all_of(Set::default(), given);
                self.keyed(passed, all);
                self.compare_all(all);
                Some(all)
            }
            Collects::Picks => Some(self.items_of(first)),
            Collects::Chooses | Collects::Takes => {
                let defaults = passed.iter().filter(|passed| self.is_default(passed.by));
                let defaults: Vec<Set> = defaults.map(|passed| passed.value).collect();
                let elements = self.all_of(elements, &defaults);
                Some(self.all_of(elements, given.get(1..).unwrap_or_default()))
            }
            Collects::Iterates
            | Collects::Merges
            | Collects::Numbers
            | Collects::Zips
            | Collects::Applies
            | Collects::Filters => None,
        }
    }

    /// What stands at the places of a value: for a dictionary its values.
    fn items_of(&mut self, set: Set) -> Set {
        self.each(set, |values, atom| match atom {
            Atom::Held(site) => values.read(site, None),
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Partial(_)
            | Atom::Name(_)
            | Atom::From(_)
            | Atom::Path(_)
            | Atom::Own(_)
            | Atom::Instance(_)
            | Atom::Bound(_)
            | Atom::Several(_) => values.elements_of(Set::one(atom)),
        })
    }

    fn is_bound_to(&self, by: By) -> bool {
        matches!(by, By::Keyword(name) if self.program.symbols.text(name) == "maxlen")
    }

    fn is_default(&self, by: By) -> bool {
        matches!(by, By::Keyword(name) if self.program.symbols.text(name) == "default")
    }

    /// One set and several others.
    fn all_of(&mut self, mut all: Set, others: &[Set]) -> Set {
        for other in others {
            self.join(&mut all, other);
        }
        all
    }
}
