//! What attributes of the program's own objects and classes hold.
//!
//! An attribute of a name holds whatever is written to attributes of that name, through any
//! object. Must never forget a way to write one.

use super::Pool;
use super::functions::{Mark, Passed};
use super::hooks::{Way, part};
use crate::facts::python::program::{CellId, DefId, DefKind, Kind, Operands, Sym, Val};
use crate::facts::python::values::evaluate::is_label;
use crate::facts::python::values::held::position;
use crate::facts::python::values::{Atom, Set, Values};

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

/// The class of slices.
const SLICE: &str = "slice";

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
        let of_every_object = word == "_asdict" || word.starts_with("__");
        // What nothing gives an object is not there.
        let own = matches!(of, Atom::Instance(_)) && self.classes.holds_its_own(class);
        if !known && of_every_object {
            self.lose(Set::one(of));
        }
        let absent = own && !of_every_object;
        if self.is_open(class) || !(known || absent) || self.is_of_task(name) {
            self.add(&mut set, Atom::Unknown);
        }
        set
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
            "value" if instance && self.is_enumeration(class) => Some(self.enumerated(class)),
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
            for atom in bound.iter().filter(|atom| !matches!(atom, Atom::Own(_))) {
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
        let mut set = Set::default();
        if self.is_spent() {
            return set;
        }
        if self.classes.is_written(name) {
            let owners = self.classes.owners(name);
            self.spend(owners.len());
            let written = self.written(&owners, name);
            for atom in written.iter().filter(|atom| atom.is_followed()) {
                self.add(&mut set, atom);
            }
        }
        let members = self.classes.members(name);
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
            "getter" | "setter" | "deleter" => Atom::Bound(def),
            _ => Atom::Own(def),
        };
        self.lose(Set::one(function));
        Set::unknown()
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
                self.pour_attribute(Some(class), name, value);
            } else {
                self.pour_attribute(None, name, value);
            }
        }
        if part(self.program.symbols.text(name)).is_hook() {
            self.take_hook(name, value);
        }
        // A property of that name may be set.
        let set = self.classes.members(name);
        self.spend(set.len());
        let hooked = set.iter().any(|(class, _)| self.method(*class, name).is_some());
        let library = base.iter().any(|atom| atom.library().is_some());
        if hooked || library {
            self.lose(value);
        }
    }

    pub(super) fn pour_attribute(&mut self, class: Option<DefId>, name: Sym, value: Set) {
        if let Some(class) = class
            && self.classes.note_owner(name, class)
        {
            self.pools.touch(Pool::Attribute(None, name));
        }
        self.pour(Pool::Attribute(class, name), value);
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
        let plain = family.len() == 1 && !fields.is_empty() && !self.is_open(class);
        let own = ["__iter__", "__getitem__"].iter().any(|hook| self.binds(class, hook));
        let mut set = if plain && !own { Set::default() } else { Set::unknown() };
        let one = place.filter(|_| plain).and_then(|place| fields.get(place).copied());
        for (owner, field) in one.map_or(fields, |one| vec![one]) {
            let held = self.draw(Pool::Attribute(Some(owner), field));
            self.join(&mut set, &held);
        }
        set
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
            | Atom::Bound(_) => false,
        }
    }

    /// A member that is named by a text, or the default where there is none of that name.
    pub(in crate::facts::python::values) fn getattr(
        &mut self,
        arguments: Operands,
        passed: &[Passed],
    ) -> Set {
        let [base, names, default] = [0, 1, 2].map(|place| position(passed, place));
        let (Some(base), Some(names)) = (base, names) else {
            self.lose_passed(passed);
            return Set::unknown();
        };
        if base.is_empty() {
            return base;
        }
        let written = self.positional(arguments, 0).zip(self.positional(arguments, 1));
        let among = written.and_then(|(base, name)| self.named_among(base, name));
        let mut set = self.each(names, |values, name| {
            if let Some(among) = among.as_ref().filter(|_| name.text().is_none()) {
                return values.either_member(base, among);
            }
            let Some(name) = name.text() else {
                values.lose(base);
                return Set::unknown();
            };
            values.lose_owners(base, name);
            values.each(base, |values, atom| values.attribute(atom, name))
        });
        if let Some(default) = default {
            self.join(&mut set, &default);
        }
        set
    }

    /// The members that a call such as `getattr(self, f"on_{event}")` may name, where that is known:
    /// those of the program's own objects whose names begin so.
    pub(in crate::facts::python) fn named_among(
        &mut self,
        base: Val,
        name: Val,
    ) -> Option<Vec<Sym>> {
        let base = self.of(base);
        let start = self.beginning(name).map(|start| self.program.symbols.shared(start))?;
        let word = start.trim_start_matches('_');
        let plain = !start.starts_with("__") && !word.is_empty();
        let closed = base.all(|atom| match atom {
            Atom::Own(class) | Atom::Instance(class) => {
                !self.is_function(class) && !self.is_open(class) && !self.is_enumeration(class)
            }
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Partial(_)
            | Atom::Name(_)
            | Atom::From(_)
            | Atom::Path(_)
            | Atom::Bound(_)
            | Atom::Held(_) => false,
        });
        (plain && closed && !base.is_empty()).then(|| self.members_beginning(&start))
    }

    fn members_beginning(&mut self, start: &str) -> Vec<Sym> {
        let mut names = self.classes.named();
        self.spend(names.len());
        names.retain(|name| self.program.symbols.text(*name).starts_with(start));
        names.sort_unstable();
        names.dedup();
        names
    }

    fn either_member(&mut self, base: Set, names: &[Sym]) -> Set {
        let mut set = Set::default();
        for name in names {
            self.lose_owners(base, *name);
            let member = self.each(base, |values, atom| values.known_member(atom, *name));
            self.join(&mut set, &member);
        }
        set
    }

    /// A member that an object of the program's own may have, and nothing where it has none.
    fn known_member(&mut self, atom: Atom, name: Sym) -> Set {
        let (Atom::Own(class) | Atom::Instance(class)) = atom else {
            return Set::unknown();
        };
        let family = self.family(class);
        let bound = self.classes.members(name).iter().any(|(owner, _)| family.contains(owner));
        let known = bound || self.classes.is_written(name);
        if known { self.own_member(atom, name) } else { Set::default() }
    }

    fn store_item(&mut self, base: Set, key: Option<Val>, value: Set) {
        let keys = key.map(|key| self.of(key)).unwrap_or_default();
        self.note_item(base);
        for atom in base.iter() {
            let Atom::Held(site) = atom else {
                self.lose(value);
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
