//! What attributes of the program's own objects and classes hold.
//!
//! An attribute of a name holds whatever is written to attributes of that name, through any
//! object. Must never forget a way to write one.

mod accessors;
mod inherited;
mod items;
mod listed;
mod named;

use super::Pool;
use super::functions::Mark;
use super::hooks::part;
use crate::facts::python::program::{CellId, DefId, DefKind, Kind, Sym, Val};
pub(in crate::facts::python::values) use listed::FIELDS;

use crate::facts::python::values::evaluate::is_label;
use crate::facts::python::values::{Atom, Set, Values};
use inherited::is_inherited;

/// Members of coroutines, tasks and futures through which what they give or hold is reached.
const OF_TASKS: [&str; 14] = [
    "add_done_callback",
    "cancel",
    "close",
    "exception",
    "get_context",
    "get_coro",
    "get_loop",
    "get_name",
    "get_stack",
    "result",
    "send",
    "set_name",
    "set_result",
    "throw",
];

impl Values<'_> {
    /// A member of an object or class of the program's own.
    pub(in crate::facts::python::values) fn own_member(&mut self, of: Atom, name: Sym) -> Set {
        let (Atom::Own(class) | Atom::Instance(class)) = of else {
            return Set::unknown();
        };
        if self.is_spent() {
            return Set::unknown();
        }
        if let Some(set) = self.special_member(of, class, name) {
            return set;
        }
        let family = self.family(class);
        let mut set = self.written(&family, name);
        let members = self.classes.members(name);
        self.spend(members.len() * family.len());
        let mut known = self.classes.is_written(name);
        for (owner, cell) in members {
            if family.contains(&owner) {
                known = true;
                let bound = self.read_cell(cell);
                let reached = self.each(bound, |values, atom| values.reach(atom, of));
                self.join(&mut set, &reached);
            }
        }
        let word = self.program.symbols.text(name);
        let label = !known && is_label(word);
        let of_every_object = !label && (word == "_asdict" || word.starts_with("__"));
        if label {
            let text = self.plain("str");
            self.join(&mut set, &text);
        }
        // What nothing gives an object is not there.
        let own = matches!(of, Atom::Instance(_)) && self.classes.holds_its_own(class);
        if !known && of_every_object {
            self.lose(Set::one(of));
        }
        let absent = label || (own && !of_every_object);
        let unseen = self.is_of_task(name) || self.is_of_base(class, name);
        if self.is_open(class) || !(known || absent) || unseen {
            self.add(&mut set, Atom::Unknown);
        }
        set
    }

    /// Whether objects of a class may have a member from a base that is not the program's own,
    /// whatever the program writes to attributes of that name.
    fn is_of_base(&mut self, class: DefId, name: Sym) -> bool {
        let word = self.program.symbols.shared(name);
        is_inherited(&word)
            && !self.classes.holds_its_own(class)
            && !self.line(class).iter().any(|class| self.surely_binds(*class, &word))
    }

    /// Whether it may be a member of the coroutine or task that gives an object, and not of the
    /// object, which both count as.
    fn is_of_task(&self, name: Sym) -> bool {
        self.changes.awaits() && OF_TASKS.contains(&self.program.symbols.text(name))
    }

    /// Members that the interpreter itself gives.
    fn special_member(&mut self, of: Atom, class: DefId, name: Sym) -> Option<Set> {
        let instance = matches!(of, Atom::Instance(_));
        let word = self.program.symbols.shared(name);
        if &*word != "__class__" && self.family(class).iter().any(|class| self.binds(*class, &word))
        {
            return None;
        }
        match &*word {
            "__class__" if instance => Some(self.owner(class)),
            "value" | "_value_" if instance && self.is_enumeration(class) => {
                Some(self.enumerated(class))
            }
            "name" if instance && self.is_enumeration(class) => Some(self.plain("str")),
            _ => None,
        }
    }

    /// The values of all members of an enumeration.
    fn enumerated(&mut self, class: DefId) -> Set {
        let family = self.family(class);
        self.spend(self.program.cells.len());
        let cells: Vec<CellId> = (0..self.program.cells.len())
            .map(|number| CellId(crate::facts::python::program::number(number)))
            .filter(|id| {
                self.program.cell(*id).is_some_and(|cell| family.contains(&DefId(cell.scope.0)))
            })
            .collect();
        let value = self.program.symbols.intern("_value_");
        let mut set = self.written(&family, value);
        for cell in cells {
            let bound = self.read_cell(cell);
            let method = |atom: &Atom| matches!(atom, Atom::Own(def) if self.is_function(*def));
            let values: Vec<Atom> = bound.iter().filter(|atom| !method(atom)).collect();
            for atom in values {
                self.join(&mut set, &Set::one(atom));
            }
        }
        set
    }

    /// What is written to attributes of a name; a function may have been bound to an object.
    fn written(&mut self, family: &[DefId], name: Sym) -> Set {
        let mut written = self.draw(Pool::Attribute(None, name));
        for class in family {
            let own = self.draw(Pool::Attribute(Some(*class), name));
            self.join(&mut written, &own);
        }
        self.each(written, |values, atom| {
            let mut set = Set::one(atom);
            if let Atom::Own(def) = atom
                && values.is_function(def)
            {
                for class in family {
                    values.call_on(def, Atom::Instance(*class));
                }
                values.add(&mut set, Atom::Bound(def));
            }
            set
        })
    }

    /// What is followed among what an object of unknown class may hold under a name.
    pub(in crate::facts::python::values) fn hidden_member(&mut self, name: Sym) -> Set {
        self.hidden_member_of(name, None)
    }

    /// The same of an object that is of one of these classes, where it is any of the program's own.
    pub(in crate::facts::python::values) fn hidden_member_of(
        &mut self,
        name: Sym,
        classes: Option<&[DefId]>,
    ) -> Set {
        let mut set = Set::default();
        if self.is_spent() {
            return set;
        }
        let meant = |class: &DefId| classes.is_none_or(|classes| classes.contains(class));
        if self.classes.is_written(name) {
            let mut owners = self.classes.owners(name);
            owners.retain(meant);
            self.spend(owners.len());
            let written = self.written(&owners, name);
            for atom in written.iter().filter(|atom| atom.is_followed()) {
                self.add(&mut set, atom);
            }
        }
        let mut members = self.classes.members(name);
        members.retain(|(class, _)| meant(class));
        self.spend(members.len());
        for (class, cell) in members {
            let bound = self.read_cell(cell);
            let reached =
                self.each(bound, |values, atom| values.reach(atom, Atom::Instance(class)));
            for atom in reached.iter().filter(|atom| atom.is_followed()) {
                self.join(&mut set, &Set::one(atom));
            }
        }
        set
    }

    pub(in crate::facts::python::values) fn is_function(&self, def: DefId) -> bool {
        self.program.def(def).is_some_and(|def| def.kind != DefKind::Class)
    }

    /// A part of a function. The method that calls it is the function itself, its labels lead
    /// nowhere, and the parts of a property are called on its objects.
    pub(in crate::facts::python::values) fn of_function(&mut self, def: DefId, name: Sym) -> Set {
        let function = match self.program.symbols.text(name) {
            "__call__" => return Set::one(Atom::Own(def)),
            name if is_label(name) => return Set::unknown(),
            // Parts of what keeps the results of a function.
            "cache_info" | "cache_clear" | "cache_parameters" if !self.classes.is_written(name) => {
                return Set::unknown();
            }
            "getter" | "setter" | "deleter" => Atom::Bound(def),
            _ => Atom::Own(def),
        };
        self.lose(Set::one(function));
        Set::unknown()
    }

    /// Whether it is bound in an enumeration to be no member of it.
    fn is_no_member(&self, atom: Atom) -> bool {
        let made = |name: Sym| self.program.symbols.text(name) == "enum.nonmember";
        atom == Atom::Unknown || atom.library().is_some_and(made)
    }

    /// What reaching a value through an object or class gives, where the class binds it.
    fn reach(&mut self, atom: Atom, through: Atom) -> Set {
        let instance = matches!(through, Atom::Instance(_));
        match (atom, through) {
            (Atom::Own(def), _) if self.is_function(def) => match self.functions.marks.get(&def) {
                Some(Mark::Property) if instance => {
                    self.call_on(def, through);
                    self.result(def)
                }
                Some(Mark::Static | Mark::Property) => Set::one(atom),
                None if !instance => Set::one(atom),
                Some(Mark::Class) | None => {
                    self.call_on(def, through);
                    Set::one(Atom::Bound(def))
                }
            },
            (_, Atom::Own(class)) if self.is_enumeration(class) => {
                let mut set = Set::one(Atom::Instance(class));
                if atom.is_plain() {
                    self.add(&mut set, atom);
                } else if self.is_no_member(atom) {
                    self.add(&mut set, Atom::Unknown);
                }
                set
            }
            (Atom::From(_) | Atom::Name(_), _) => {
                let mut set = Set::one(atom);
                self.add(&mut set, Atom::Unknown);
                set
            }
            _ => Set::one(atom),
        }
    }

    /// Writes an attribute of this name.
    pub(in crate::facts::python::values) fn write_attribute(
        &mut self,
        base: Set,
        name: Sym,
        value: Set,
    ) {
        for atom in base.iter() {
            if let Atom::Own(class) | Atom::Instance(class) = atom {
                if self.is_function(class) {
                    // What is read of a function is not followed.
                    self.lose(value);
                }
                self.pour_attribute(Some(class), name, value);
            } else {
                self.pour_attribute(None, name, value);
            }
        }
        if part(self.program.symbols.text(name)).is_hook() {
            self.take_hook(name, value);
        }
        self.lose_properties(value);
        self.lose_marked(value);
        // A property of that name may be set.
        let set = self.classes.members(name);
        self.spend(set.len());
        let hooked = set.iter().any(|(class, cell)| {
            let method = self.method(*class, name).is_some() && !self.is_property(*cell);
            method || self.cell(*cell).has(Atom::Unknown)
        });
        let library = base.iter().any(|atom| atom.library().is_some());
        if hooked || library {
            self.lose(value);
        }
    }

    /// What a mark says of a function holds where it was defined.
    fn lose_marked(&mut self, value: Set) {
        for atom in value.iter() {
            if atom.own().is_some_and(|def| self.functions.marks.contains_key(&def)) {
                self.lose(Set::one(atom));
            }
        }
    }

    pub(super) fn pour_attribute(&mut self, class: Option<DefId>, name: Sym, value: Set) {
        if let Some(class) = class
            && self.classes.note_owner(name, class)
        {
            self.pools.touch(Pool::Attribute(None, name));
        }
        self.pour(Pool::Attribute(class, name), value);
        self.set_properties(class, name, value);
    }

    /// Puts a value where a target says.
    pub(in crate::facts::python::values) fn store(&mut self, target: Val, value: Val) {
        let value = self.of(value);
        let kind = self.program.kind(target);
        if let Some((base, name)) = kind.attribute() {
            let base = self.of(base);
            self.write_attribute(base, name, value);
        } else if let Kind::Item { base, key, .. } = kind {
            let base = self.of(base);
            self.store_item(base, key, value);
        } else {
            self.lose(value);
        }
    }
}
