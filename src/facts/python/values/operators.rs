//! What operators, `with` and `await` give.

use super::flow::Way;
use super::{Atom, Set, Values};
use crate::facts::python::program::{Operator, Sym, Val};

/// Hooks that answer comparisons.
const COMPARISONS: [&str; 6] = ["__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"];

/// Hooks that answer for what stands on the left, where that is a collection.
const REFLECTED: [&str; 6] =
    ["__radd__", "__rmul__", "__ror__", "__rand__", "__rsub__", "__rxor__"];

impl Values<'_> {
    pub(super) fn binary(&mut self, at: Val, operator: Operator, sides: (Val, Val)) -> Set {
        let (left, right) = (self.of(sides.0), self.of(sides.1));
        if left.is_empty() || right.is_empty() {
            return Set::default();
        }
        let way = if operator == Operator::Compare { Way::Compared } else { Way::Operand };
        self.hand_to_hooks(way, left);
        self.hand_to_hooks(way, right);
        if matches!(operator, Operator::Add | Operator::Multiply) {
            self.lose_tuples(left);
            self.lose_tuples(right);
        }
        let collection = |atom: Atom| matches!(atom, Atom::Held(_)) || atom.is_plain();
        if self.program.in_place.contains(&at) && !left.all(collection) {
            // It may be in what stands on the left from then on.
            self.lose(right);
        }
        let set = match operator {
            Operator::Compare | Operator::Other => self.operated(operator, left, right),
            Operator::Percent => self.operated(operator, self.but_none(left), right),
            Operator::Add
            | Operator::Subtract
            | Operator::Multiply
            | Operator::Divide
            | Operator::Floor
            | Operator::Xor => self.operated(operator, self.but_none(left), self.but_none(right)),
        };
        self.steady(at, set)
    }

    /// The values but for `None`, for which operators raise.
    fn but_none(&self, set: Set) -> Set {
        let others = set.without(|atom| self.is_none(atom));
        if others.is_empty() { set } else { others }
    }

    fn operated(&mut self, operator: Operator, left: Set, right: Set) -> Set {
        let texts = left.all(|atom| atom.written().is_some());
        match operator {
            Operator::Compare => {
                let mut both = left;
                self.join(&mut both, &right);
                let data = self.data_of("bool", both, &COMPARISONS);
                self.or_objects(data, both)
            }
            Operator::Add if texts => {
                self.concatenated(left, right).unwrap_or_else(|| self.combined(left, right))
            }
            Operator::Percent if texts => self.percent(left, right),
            Operator::Divide if left.iter().any(|atom| matches!(atom, Atom::Path(_))) => {
                self.divided(left, right)
            }
            Operator::Multiply => {
                self.repeated(left, right).unwrap_or_else(|| self.reckon(operator, left, right))
            }
            Operator::Add
            | Operator::Subtract
            | Operator::Divide
            | Operator::Floor
            | Operator::Percent
            | Operator::Xor
            | Operator::Other => self.reckon(operator, left, right),
        }
    }

    /// An operator on collections: what both hold is in the left one from then on, as it is where
    /// the operator changes it in place.
    pub(super) fn combined(&mut self, left: Set, right: Set) -> Set {
        let held = |atom: &Atom| matches!(atom, Atom::Held(_));
        let sites: Vec<Atom> = left.iter().filter(held).collect();
        if left.iter().any(|atom| self.may_hold(atom)) {
            self.lose(right);
        }
        if sites.is_empty() {
            if !right.all(Atom::is_plain) {
                self.note_item(left);
            }
            let mut set = self.mixed(left, right);
            let others = right.iter().filter(held).filter(|_| {
                !left.all(Atom::is_plain) || right.all(|atom| matches!(atom, Atom::Held(_)))
            });
            for atom in others.collect::<Vec<_>>() {
                if let Atom::Held(site) = atom {
                    self.mix(site);
                }
                self.join(&mut set, &Set::one(atom));
            }
            return set;
        }
        let mut set = Set::default();
        for atom in sites {
            if let Atom::Held(site) = atom {
                self.mix(site);
                self.merge(site, right);
            }
            self.join(&mut set, &Set::one(atom));
        }
        if self.answers_for(right, &REFLECTED) {
            self.add(&mut set, Atom::Unknown);
        }
        // An array or a table answers for the collection, whatever the operator is.
        let set = self.or_objects(set, right);
        self.combined_with(set, left, right)
    }

    /// The same with what the left side may be besides collections.
    fn combined_with(&mut self, mut set: Set, left: Set, right: Set) -> Set {
        if !left.all(|atom| matches!(atom, Atom::Held(_))) {
            let mixed = self.mixed(left, right);
            self.join(&mut set, &mixed);
        }
        set
    }

    /// What is made of objects, where those of libraries give other objects of the library for it.
    pub(super) fn or_objects(&mut self, mut set: Set, of: Set) -> Set {
        for atom in of.iter() {
            // Builtins by themselves are no such objects.
            let dotted = |name: &Sym| self.program.symbols.text(*name).contains('.');
            if let Some(name) = atom.library().filter(dotted) {
                let object = self.out_of(name);
                self.join(&mut set, &object);
            } else if atom == Atom::Unknown {
                self.add(&mut set, atom);
            }
        }
        set
    }

    /// An operator on library objects gives what came out of the library; on data, data.
    fn mixed(&mut self, left: Set, right: Set) -> Set {
        let library = left.iter().chain(right.iter()).find_map(Atom::library);
        if let Some(name) = library {
            if self.reckons_dates(left, right) {
                return Set::one(Atom::From(name));
            }
            let mut set = self.out_of(name);
            let others = |atom: Atom| atom.is_plain() || atom.library().is_some();
            if self.is_hooked() && !(left.all(others) && right.all(others)) {
                self.add(&mut set, Atom::Unknown);
            }
            return set;
        }
        if !left.is_empty()
            && !right.is_empty()
            && left.all(Atom::is_plain)
            && right.all(Atom::is_plain)
        {
            return self.plain("data");
        }
        Set::unknown()
    }

    /// What `with` gives: library objects give themselves, and a generator what it yields.
    pub(super) fn entered(&mut self, value: Val) -> Set {
        let set = self.of(value);
        self.each(set, |values, atom| match atom {
            Atom::From(_) => Set::one(atom),
            Atom::Held(site) => values.walk(site),
            Atom::Instance(_) => values.entered_own(atom),
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Partial(_)
            | Atom::Name(_)
            | Atom::Path(_)
            | Atom::Own(_)
            | Atom::Bound(_)
            | Atom::Several(_) => values.taken_out(atom),
        })
    }

    /// What the methods of the program's own give that `with` calls.
    fn entered_own(&mut self, object: Atom) -> Set {
        let mut set = Set::default();
        let mut known = false;
        for name in ["__enter__", "__aenter__"] {
            let Some(name) = self.program.symbols.find(name) else { continue };
            let methods = self.attribute(object, name);
            known |= !methods.is_empty();
            for atom in methods.iter() {
                let given =
                    if let Atom::Bound(def) = atom { self.result(def) } else { Set::unknown() };
                self.join(&mut set, &given);
            }
        }
        if known { set } else { Set::unknown() }
    }

    /// What `await` gives. A coroutine of the program's own counts as what it gives.
    pub(super) fn awaited(&mut self, value: Val) -> Set {
        let set = self.of(value);
        self.each(set, |values, atom| match atom {
            Atom::Name(_) => values.taken_out(atom),
            Atom::Instance(_) => {
                let mut set = Set::one(atom);
                values.add(&mut set, Atom::Unknown);
                set
            }
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Partial(_)
            | Atom::From(_)
            | Atom::Path(_)
            | Atom::Own(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Held(_) => Set::one(atom),
        })
    }
}
