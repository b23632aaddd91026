//! What functions are called on: objects of their class, and whatever else is put there.
//!
//! Must never take the first parameter of a method for an object of its class alone.

use crate::facts::python::program::{DefId, Kind, Parameter, Program, Takes, Val};
use crate::facts::python::values::flow::Pool;
use crate::facts::python::values::flow::functions::Mark;
use crate::facts::python::values::{Atom, Set, Values};
use std::collections::HashSet;

/// Names by which a method is called on a class.
const OF_CLASSES: [&str; 2] = ["__new__", "abstractclassmethod"];

/// Methods that are called on the class without a word of that.
const WITHOUT_A_WORD: [&str; 2] = ["__init_subclass__", "__class_getitem__"];

/// Whether methods may be called on a class otherwise than `@classmethod` says.
pub(in crate::facts::python::values::flow) fn names_of_classes(
    program: &Program,
    decorators: &HashSet<Val>,
) -> bool {
    let silent = OF_CLASSES.iter().any(|name| program.symbols.find(name).is_some());
    let Some(word) = program.symbols.find("classmethod") else { return silent };
    let named = program.ops.iter().zip(0..).any(|(op, at)| {
        if let Kind::Attribute { name, .. } | Kind::Member { name, .. } = op.kind {
            return name == word;
        }
        matches!(op.kind, Kind::Load(name) if name == word) && !decorators.contains(&Val(at))
    });
    silent || named
}

impl Values<'_> {
    /// The object that a method is called on.
    pub(in crate::facts::python::values) fn receiver(&mut self, at: Val, class: DefId) -> Set {
        let line = self.line(class);
        let mut set = self.made(class, &line);
        if let Some(def) = self.function_around(at.0 as usize) {
            // Where anything may be anywhere, the attributes of the objects say so.
            let others = self.put_in(Pool::Receiver(def));
            self.join(&mut set, &others);
            let name = self.program.def(def).map(|def| self.program.symbols.text(def.name));
            if name.is_some_and(|name| WITHOUT_A_WORD.contains(&name)) {
                let classes = self.owner(class);
                self.join(&mut set, &classes);
            }
        }
        set
    }

    /// The class that a class method is called on.
    pub(in crate::facts::python::values) fn owner(&mut self, class: DefId) -> Set {
        let mut set = Set::default();
        for class in self.family(class) {
            self.join(&mut set, &Set::one(Atom::Own(class)));
        }
        set
    }

    /// A function will be called on what it is reached through. A method of the same family has
    /// that already.
    pub(in crate::facts::python::values) fn call_on(&mut self, def: DefId, through: Atom) {
        let (Atom::Own(class) | Atom::Instance(class)) = through else { return };
        if self.is_relative(def, class) {
            return;
        }
        let line = self.line(class);
        let class_method = self.functions.marks.get(&def) == Some(&Mark::Class);
        let object = if class_method { self.owner(class) } else { self.made(class, &line) };
        self.receive(def, object);
    }

    /// What a function is called on: its first parameter, whatever that is.
    pub(in crate::facts::python::values) fn receive(&mut self, def: DefId, object: Set) {
        self.pour(Pool::Receiver(def), object);
        for number in self.functions.parameters(def) {
            let parameter = self.program.parameters.get(number as usize).copied();
            match parameter.filter(|parameter| parameter.position == 0) {
                Some(Parameter { takes: Takes::One, .. }) => {
                    self.pour(Pool::Given(number), object);
                }
                Some(parameter @ Parameter { takes: Takes::Positions, .. }) => {
                    self.pass_left_over(parameter, (0, false), object);
                }
                Some(_) | None => {}
            }
        }
    }

    /// Whether a function is a method of a class, or of one that is related to it, whose first
    /// parameter is known by that.
    pub(in crate::facts::python::values) fn is_relative(
        &mut self,
        def: DefId,
        class: DefId,
    ) -> bool {
        let within = self.program.def(def).map(|def| def.within);
        let Some(within) = within.filter(|within| self.program.is_class(*within)) else {
            return false;
        };
        let first = |number: &u32| {
            let parameter = self.program.parameters.get(*number as usize);
            parameter.is_some_and(|parameter| parameter.position == 0)
        };
        !self.functions.parameters(def).iter().any(first)
            && (within.0 == class.0 || self.family(class).contains(&DefId(within.0)))
    }
}
