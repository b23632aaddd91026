//! What the library of data classes does with fields, and the mappings that make what is missing.
//!
//! Must never take a field for one that stands where it is written where a keyword may say other.

use crate::facts::python::program::{Collection, Val};
use crate::facts::python::values::flow::Pool;
use crate::facts::python::values::flow::functions::{By, Passed};
use crate::facts::python::values::held::position;
use crate::facts::python::values::{Atom, Set, Values};

/// Keywords by which a field is none that is passed, or not where it is written.
const SHIFTING: [&str; 2] = ["init", "kw_only"];

impl Values<'_> {
    /// A keyword that is put together may say that a field is none, or stands elsewhere.
    pub(super) fn note_shifts(&mut self, passed: &[Passed]) {
        let shifts = |by: By| match by {
            By::Keyword(name) => SHIFTING.contains(&self.program.symbols.text(name)),
            By::Keywords => true,
            By::Position | By::Positions => false,
        };
        if passed.iter().any(|passed| shifts(passed.by)) {
            self.pools.stale |= !self.classes.shifted;
            self.classes.shifted = true;
        }
    }

    pub(in crate::facts::python::values::flow) fn replace_fields(&mut self, passed: &[Passed]) {
        for passed in passed {
            match passed.by {
                By::Keyword(name) => self.pour_attribute(None, name, passed.value),
                By::Positions | By::Keywords => self.loosen(),
                By::Position => {}
            }
        }
    }

    /// The default of a field.
    pub(super) fn field(&mut self, place: (Val, Val), passed: &[Passed]) -> Set {
        let mut set = Set::default();
        self.note_shifts(passed);
        if self.changes.asks_fields() {
            self.lose_passed(passed);
            return Set::unknown();
        }
        for passed in passed {
            let By::Keyword(name) = passed.by else { continue };
            let name = self.program.symbols.shared(name);
            if &*name == "default" {
                self.join(&mut set, &passed.value);
            } else if &*name == "default_factory" {
                let made = self.each(passed.value, |values, atom| values.factory(place.0, atom));
                self.join(&mut set, &made);
            }
        }
        set
    }

    /// What the fields of these objects hold comes back in a collection; other collections are
    /// copied.
    pub(super) fn lose_in_fields(&mut self, passed: &[Passed]) {
        for atom in passed.iter().flat_map(|passed| passed.value.iter()) {
            let Atom::Instance(class) = atom else { continue };
            let held = self.fields_of(class, None);
            for one in held.iter().filter(|one| one.is_followed() && !matches!(one, Atom::Held(_)))
            {
                self.lose(Set::one(one));
            }
        }
    }

    /// What calling something without arguments gives.
    pub(super) fn factory(&mut self, at: Val, atom: Atom) -> Set {
        let Atom::Name(name) = atom else {
            return self.own_call(atom, &[]);
        };
        match self.program.symbols.text(name) {
            "list" | "tuple" => self.made_of(at, Collection::List, Set::default()),
            "set" => self.made_of(at, Collection::Set, Set::default()),
            "dict" => self.made_of(at, Collection::Dictionary, Set::default()),
            "int" | "float" | "str" | "bool" => self.plain("data"),
            _ => Set::one(Atom::From(name)),
        }
    }

    pub(super) fn defaulting(&mut self, (at, callee): (Val, Val), passed: &[Passed]) -> Set {
        if passed.iter().any(|passed| passed.by != By::Position) {
            self.lose_passed(passed);
            return Set::unknown();
        }
        let site = self.hold(at, Collection::Dictionary);
        self.heap.note_defaulting(site);
        let factories = position(passed, 0).unwrap_or_default();
        let made = self.each(factories, |values, atom| values.factory(callee, atom));
        self.pour(Pool::Rest(site), made);
        for passed in passed.iter().skip(1) {
            self.merge(site, passed.value);
        }
        Set::one(Atom::Held(site))
    }
}
