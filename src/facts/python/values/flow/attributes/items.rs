//! Items: what keys and slices name, and what is stored under them.
//!
//! Must never take a key for one place that may stand for several.

use crate::facts::python::program::{DefId, Val};
use crate::facts::python::values::flow::Pool;
use crate::facts::python::values::flow::hooks::Way;
use crate::facts::python::values::{Atom, Set, Values};

/// The hooks that are asked for an item, or given one.
const ITEM_HOOKS: [&str; 4] = ["__getitem__", "__setitem__", "__delitem__", "__missing__"];

/// The class of slices.
const SLICE: &str = "slice";

impl Values<'_> {
    /// What stands at a place of an object, or at any, where it is a tuple of its fields.
    pub(in crate::facts::python::values) fn fields_of(
        &mut self,
        class: DefId,
        place: Option<usize>,
    ) -> Set {
        let family = self.family(class);
        let fields: Vec<_> = family
            .iter()
            .flat_map(|owner| self.classes.fields(*owner).into_iter().map(|name| (*owner, name)))
            .collect();
        let holding = self.is_open(class) || self.is_holding(class);
        let plain = family.len() == 1 && !fields.is_empty() && !holding;
        let own = ["__iter__", "__getitem__"].iter().any(|hook| self.binds(class, hook));
        let mut set = if plain && !own { Set::default() } else { Set::unknown() };
        let one = place.filter(|_| plain).and_then(|place| fields.get(place).copied());
        for (owner, field) in one.map_or(fields, |one| vec![one]) {
            for written in [Pool::Attribute(Some(owner), field), Pool::Attribute(None, field)] {
                let held = self.draw(written);
                self.join(&mut set, &held);
            }
            // A field that is not given has its default.
            for (_, cell) in self.classes.members(field).into_iter().filter(|one| one.0 == owner) {
                let default = self.read_cell(cell);
                self.join(&mut set, &default);
            }
        }
        set
    }

    /// Whether an item of an object is one place of it, or what methods that are seen give.
    pub(in crate::facts::python::values) fn gives_one_item(
        &mut self,
        class: DefId,
        key: Set,
    ) -> bool {
        if key.all(|key| matches!(key, Atom::Literal(_))) {
            return true;
        }
        let family = self.family(class);
        // What it holds left our sight as it was put in.
        let hooked = |hook: &&str| family.iter().any(|class| self.binds(*class, hook));
        if self.is_holding(class) && !self.is_open(class) && !ITEM_HOOKS.iter().any(hooked) {
            return true;
        }
        let fields = family.iter().any(|one| !self.classes.fields(*one).is_empty());
        let open = family.iter().any(|one| self.is_open(*one));
        let own = family.iter().any(|one| self.surely_binds(*one, "__getitem__"));
        let hidden = fields && !self.surely_binds(class, "__getitem__");
        own && !open && !hidden && ITEM_HOOKS.iter().all(|hook| self.are_methods(&family, hook))
    }

    /// Whether these classes bind a name to methods of their own alone.
    fn are_methods(&mut self, classes: &[DefId], name: &str) -> bool {
        let Some(name) = self.program.symbols.find(name) else { return true };
        let members = self.classes.members(name);
        self.spend(members.len() * classes.len());
        let written = self.classes.is_written(name);
        !written
            && members.into_iter().filter(|(class, _)| classes.contains(class)).all(
                |(class, cell)| {
                    let bound = self.read_cell(cell);
                    bound.all(|atom| self.is_method(class, atom))
                },
            )
    }

    /// Whether it may be an object of the program's own classes that holds what it is given, as
    /// builtin types do, and takes in what is on the other side of an operator.
    pub(in crate::facts::python::values) fn may_hold(&self, atom: Atom) -> bool {
        matches!(atom, Atom::Instance(class) if self.is_open(class) || self.is_holding(class))
    }

    /// The place that a key surely names, counted from 0.
    pub(in crate::facts::python::values) fn place_of(&self, key: Set) -> Option<usize> {
        let Some(Atom::Literal(number)) = key.single() else { return None };
        self.program.symbols.text(number).parse().ok()
    }

    /// Objects that are tuples of their fields are added to others, which then hold the fields.
    pub(in crate::facts::python::values) fn lose_tuples(&mut self, set: Set) {
        for atom in set.iter() {
            if let Atom::Instance(class) = atom
                && !self.classes.fields(class).is_empty()
                && !["__add__", "__mul__"].iter().any(|hook| self.binds(class, hook))
            {
                self.lose(Set::one(atom));
            }
        }
    }

    /// A table of a library calls a function that it is given as a key.
    pub(in crate::facts::python::values) fn hand_key(&mut self, base: Set, key: Set) {
        let library = |atom: Atom| atom == Atom::Unknown || atom.library().is_some();
        if !base.iter().any(library) {
            return;
        }
        for atom in key.iter().filter(|atom| self.is_callable(*atom)).collect::<Vec<_>>() {
            self.lose(Set::one(atom));
        }
    }

    /// Whether a key may stand for several places. What is not known may be a slice only in a
    /// program that makes slices, or is given them.
    pub(in crate::facts::python::values) fn may_be_slice(&self, keys: Set) -> bool {
        let unseen = self.pools.loose || self.heap.has_slices();
        let unknown = |key: Atom| matches!(key, Atom::Unknown | Atom::From(_));
        keys.iter().any(|key| self.is_slice(key) || (unseen && unknown(key)))
    }

    /// Whether a key of a list stands for several places.
    pub(in crate::facts::python::values) fn is_slice(&self, key: Atom) -> bool {
        match key {
            Atom::Held(_) => true,
            Atom::From(name) => self.program.symbols.text(name) == SLICE,
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Partial(_)
            | Atom::Name(_)
            | Atom::Path(_)
            | Atom::Own(_)
            | Atom::Instance(_)
            | Atom::Bound(_)
            | Atom::Several(_) => false,
        }
    }

    /// A key is kept by what it is a key of. A list is none: it stands for several.
    fn lose_key(&mut self, keys: Set) {
        for atom in keys.iter() {
            let list = matches!(atom, Atom::Held(site) if !self.holds_callable(site));
            if !list {
                self.lose(Set::one(atom));
            }
        }
    }

    pub(super) fn store_item(&mut self, base: Set, key: Option<Val>, value: Set) {
        let keys = key.map(|key| self.of(key)).unwrap_or_default();
        self.note_item(base);
        for atom in base.iter() {
            let Atom::Held(site) = atom else {
                self.lose(value);
                self.lose_key(keys);
                continue;
            };
            if !self.heap.is_dictionary(site) && self.may_be_slice(keys) {
                let elements = self.elements_of(value);
                self.pour(Pool::Rest(site), elements);
                self.mix(site);
            }
            if !keys.all(|key| self.is_slice(key)) || self.heap.is_dictionary(site) {
                self.put(site, keys, value);
            }
        }
        self.hand_to_hooks(Way::Key, keys);
    }
}
