//! Properties that are set: what the function is given that a setter names.
//!
//! A property counts as the function that reads it. Must never let one out of sight without the
//! functions that set it.

use crate::facts::Implicit;
use crate::facts::python::program::{CellId, DefId, Kind, Sym, Takes, Val};
use crate::facts::python::values::flow::Pool;
use crate::facts::python::values::flow::functions::Mark;
use crate::facts::python::values::{Atom, Set, Values};

/// Parts of a property by which it is given another function, and stays what it reads.
const ACCESSORS: [&str; 2] = ["setter", "deleter"];

impl Values<'_> {
    /// The property that a decorator such as `@price.setter` gives a function.
    pub(in crate::facts::python::values::flow) fn accessed(
        &mut self,
        decorator: Val,
        definition: Set,
    ) -> Option<Set> {
        let getter = self.accessor(decorator)?;
        let Some(Atom::Own(setter)) = definition.single() else { return None };
        if !self.is_function(setter) || self.functions.marks.contains_key(&setter) {
            return None;
        }
        let setters = self.functions.setters.entry(getter).or_default();
        if !setters.contains(&setter) {
            setters.push(setter);
            self.pools.stale = true;
            if self.pools.is_lost(getter) {
                self.lose(Set::one(Atom::Own(setter)));
            }
        }
        Some(Set::one(Atom::Own(getter)))
    }

    /// The property whose setter is named where a decorator stands, and nowhere kept.
    pub(in crate::facts::python::values) fn accessor(&self, decorator: Val) -> Option<DefId> {
        let (base, name) = self.program.kind(decorator).attribute()?;
        let named = ACCESSORS.contains(&self.program.symbols.text(name));
        let once =
            self.functions.decorators.contains(&decorator) && self.changes.keepers(decorator) == 1;
        let Some(Atom::Own(getter)) = self.of(base).single() else { return None };
        (named && once && self.is_property_of(getter)).then_some(getter)
    }

    /// The property that a decorated function became a part of: its name is bound to that alone.
    pub(in crate::facts::python::values) fn property(&self, decorated: Val) -> Option<Set> {
        let Kind::Call { callee, implicit: Some(Implicit::Decorator), .. } =
            self.program.kind(decorated)
        else {
            return None;
        };
        let getter = self.accessor(callee)?;
        let property = Set::one(Atom::Own(getter));
        (self.of(decorated).single() == property.single()).then_some(property)
    }

    fn is_property_of(&self, def: DefId) -> bool {
        self.functions.marks.get(&def) == Some(&Mark::Property)
    }

    /// Whether a member of a class is a property, and nothing else.
    pub(super) fn is_property(&self, cell: CellId) -> bool {
        let bound = self.cell(cell);
        !bound.is_empty()
            && bound.all(|atom| matches!(atom, Atom::Own(def) if self.is_property_of(def)))
    }

    /// The functions that set a property.
    pub(in crate::facts::python::values::flow) fn setters(&self, getter: DefId) -> Vec<DefId> {
        self.functions.setters.get(&getter).cloned().unwrap_or_default()
    }

    /// Who has a property itself may set it on anything.
    pub(in crate::facts::python::values::flow) fn receive_setters(&mut self, getter: DefId) {
        for setter in self.setters(getter) {
            self.receive(setter, Set::unknown());
        }
    }

    /// A property that can be set is followed in the bodies of classes alone.
    pub(super) fn lose_properties(&mut self, value: Set) {
        for atom in value.iter() {
            if let Atom::Own(def) = atom
                && !self.setters(def).is_empty()
            {
                self.lose(Set::one(atom));
            }
        }
    }

    /// A field of a class is given its default by a method that is not seen, which may set a
    /// property of its name.
    pub(in crate::facts::python::values::flow) fn lose_fields(&mut self, name: Sym, bound: Set) {
        let field = |class: &DefId| self.classes.fields(*class).contains(&name);
        if self.classes.all().iter().any(field) {
            self.lose_properties(bound);
        }
    }

    /// Properties of a name are given a value: the functions that set them are called.
    pub(super) fn set_properties(&mut self, class: Option<DefId>, name: Sym, value: Set) {
        if self.functions.setters.is_empty() {
            return;
        }
        let members = self.classes.members(name);
        self.spend(members.len());
        for (owner, cell) in members {
            let bound = self.read_cell(cell);
            for atom in bound.iter() {
                let Atom::Own(getter) = atom else { continue };
                for setter in self.setters(getter) {
                    self.set_by(setter, (owner, class), value);
                }
            }
        }
    }

    fn set_by(&mut self, setter: DefId, (owner, class): (DefId, Option<DefId>), value: Set) {
        for class in class.into_iter().chain([owner]) {
            self.call_on(setter, Atom::Instance(class));
        }
        for number in self.functions.parameters(setter) {
            let parameter = self.program.parameters.get(number as usize).copied();
            let Some(parameter) = parameter else { continue };
            match parameter.takes {
                Takes::One if parameter.position == 1 => self.pour(Pool::Given(number), value),
                Takes::Positions => self.pass_left_over(parameter, (1, false), value),
                Takes::One | Takes::Named | Takes::Keywords => {}
            }
        }
    }
}
