//! What becomes of what functions of libraries are given.
//!
//! Must never take a value for untouched that a library may keep, change or call.

use crate::facts::Handling;
use crate::facts::python::program::{DefId, Val};
use crate::facts::python::values::flow::Pool;
use crate::facts::python::values::flow::functions::{By, Passed};
use crate::facts::python::values::flow::hooks::Way;
use crate::facts::python::values::{Atom, Set, Values};

impl Values<'_> {
    /// What becomes of what a function of a library is given.
    pub(super) fn handle(&mut self, handling: Handling, passed: &[Passed]) {
        match handling {
            Handling::Copies | Handling::Tabulates | Handling::Shuffles | Handling::Holds => {
                self.copy_passed(handling, passed);
            }
            Handling::Operates => {
                self.hand_on_to_hooks(passed);
                self.handle(Handling::Looks, passed);
            }
            Handling::Looks | Handling::Gives => {
                self.call_objects(passed, |by| matches!(by, By::Keyword(_) | By::Keywords));
            }
            Handling::Writes => {
                self.call_objects(passed.get(..1).unwrap_or_default(), |by| by != By::Position);
                self.call_objects(passed.get(1..).unwrap_or_default(), |_| true);
            }
            Handling::Keeps | Handling::Decorates | Handling::Wraps | Handling::Collects(_) => {
                self.lose_passed(passed);
                self.open_objects(passed);
            }
        }
    }

    pub(super) fn hand_on_to_hooks(&mut self, passed: &[Passed]) {
        for passed in passed {
            for way in [Way::Compared, Way::Operand] {
                self.hand_to_hooks(way, passed.value);
            }
        }
    }

    /// A library may write the attributes of objects that it is given, and use what they hold.
    pub(super) fn open_objects(&mut self, passed: &[Passed]) {
        let given = passed.iter().flat_map(|passed| passed.value.iter());
        let objects = given.filter_map(|atom| {
            let (Atom::Instance(class) | Atom::Own(class)) = atom else { return None };
            Some(class).filter(|class| !self.is_function(*class))
        });
        for class in objects.collect::<Vec<_>>() {
            self.open_attributes(class);
        }
    }

    pub(super) fn open_attributes(&mut self, class: DefId) {
        for class in self.family(class) {
            let mut names = self.classes.attributes(class);
            for cell in self.classes.parts.of(class) {
                let bound = self.cell(cell);
                if !bound.iter().any(|atom| self.is_callable(atom)) {
                    names.extend(self.program.cell(cell).map(|cell| cell.name));
                }
                self.lose(bound);
            }
            for name in names {
                let held = self.draw(Pool::Attribute(Some(class), name));
                self.lose(held);
                self.pour_attribute(Some(class), name, Set::unknown());
            }
        }
    }

    /// Functions and objects that are given beside the data will be called.
    pub(super) fn call_objects(&mut self, passed: &[Passed], beside: impl Fn(By) -> bool) {
        for passed in passed.iter().filter(|passed| beside(passed.by)) {
            for atom in passed.value.iter() {
                if matches!(
                    atom,
                    Atom::Own(_) | Atom::Bound(_) | Atom::Several(_) | Atom::Instance(_)
                ) {
                    self.lose(Set::one(atom));
                    self.open_objects(&[Passed { by: passed.by, value: Set::one(atom) }]);
                }
            }
        }
    }

    /// What is given to a function that walks or copies the collections that it is given. What
    /// they hold is not copied, and a function would be given everything else.
    pub(super) fn copy_passed(&mut self, handling: Handling, passed: &[Passed]) {
        let given: Vec<Atom> = passed.iter().flat_map(|passed| passed.value.iter()).collect();
        if given.iter().any(|atom| atom.is_followed() && !matches!(atom, Atom::Held(_))) {
            self.lose_passed(passed);
            self.open_objects(passed);
            return;
        }
        for atom in given {
            let Atom::Held(site) = atom else { continue };
            let mut held = self.held_in(site);
            if handling == Handling::Tabulates {
                held = self.each(held, |values, atom| {
                    if let Atom::Held(row) = atom { values.held_in(row) } else { Set::one(atom) }
                });
            }
            if held.iter().any(|atom| self.is_callable(atom)) {
                self.lose_passed(passed);
                return;
            }
            self.lose(held);
            self.note_copied(held);
            self.copy_site(handling, site);
        }
    }

    /// The keys and values of a collection.
    pub(in crate::facts::python::values::flow) fn held_in(&mut self, site: Val) -> Set {
        let (mut held, keys) = (self.read(site, None), self.draw(Pool::Keys(site)));
        self.join(&mut held, &keys);
        held
    }

    /// What becomes of a collection that is walked or copied, as apart from what it holds.
    pub(super) fn copy_site(&mut self, handling: Handling, site: Val) {
        if handling == Handling::Holds {
            self.lend(site);
        } else if handling == Handling::Shuffles && self.heap.is_ordered(site) {
            self.mix(site);
        } else if handling == Handling::Shuffles {
            self.lose(Set::one(Atom::Held(site)));
        }
    }
}
