//! What calls of builtins and libraries give, and what becomes of what they are given.
//!
//! Must never take a function for harmless that is not listed here.

use super::Pool;
use super::functions::{By, Passed};
use super::hooks::Way;
use crate::facts::python::program::{Collection, DefId, Operands, Sym, Val};
use crate::facts::python::values::evaluate::IMPORTERS;
use crate::facts::python::values::held::position;
use crate::facts::python::values::{Atom, Set, Values};
use crate::facts::{Handling, Makes};

/// Hooks that say what a copy of an object is.
const COPYING: [&str; 6] =
    ["__copy__", "__getnewargs__", "__getnewargs_ex__", "__reduce__", "__reduce_ex__", "__new__"];

/// Keywords by which a field is none that is passed, or not where it is written.
const SHIFTING: [&str; 2] = ["init", "kw_only"];

impl Values<'_> {
    pub(super) fn named_call(&mut self, place: (Val, Val), name: Sym, arguments: Operands) -> Set {
        let text = self.program.symbols.shared(name);
        let handling = self.names.handling(&text);
        if let Some(set) = self.collecting(place, handling, arguments) {
            return set;
        }
        let passed = self.passed(arguments);
        match &*text {
            // A class that is made by a call derives from what it is given.
            "type" if passed.len() > 1 => self.loosen(),
            // Its members become names of the module.
            "enum.global_enum" => self.unbind(),
            "dataclasses.dataclass" => self.note_shifts(&passed),
            "sum" | "math.prod" if begins_with_collection(&passed) => return self.summed(&passed),
            "getattr" => return self.getattr(arguments, &passed),
            "setattr" => self.set_attribute(arguments, &passed),
            // Keywords are counted as they are.
            "collections.Counter" if passed.iter().any(|passed| passed.by != By::Position) => {
                self.lose_passed(&passed);
            }
            "dataclasses.replace" => self.replace_fields(&passed),
            "dataclasses.field" => return self.field(place, &passed),
            "dataclasses.asdict" | "dataclasses.astuple" => self.lose_in_fields(&passed),
            "functools.partial" => self.partial(&passed),
            "functools.reduce" => return self.reduced(&passed),
            // What `with` gives of it is what it was given.
            "contextlib.closing" | "contextlib.nullcontext" if passed.len() == 1 => {
                let given = position(&passed, 0).unwrap_or_else(Set::unknown);
                return self.made_of(place.0, Collection::List, given);
            }
            "collections.defaultdict" => return self.defaulting(place, &passed),
            _ if handling == Handling::Wraps => self.note_wrapping(place.0, &passed),
            _ => self.handle(handling, &passed),
        }
        if self.changes_by_name(&text) {
            self.note_change(&passed);
        }
        if is_of_class(&text) {
            // What it is called on need not be of the library.
            self.open_objects(&passed);
        }
        if handling == Handling::Gives
            && let Some(first) = position(&passed, 0)
        {
            return self.own_or(first, &COPYING);
        }
        self.named_result(name, &text, arguments)
    }

    /// What calling an object that came out of a library gives, or a method of it.
    pub(super) fn library_call(
        &mut self,
        origin: Sym,
        method: Option<Sym>,
        arguments: Operands,
    ) -> Set {
        let passed = self.passed(arguments);
        let library = self.program.symbols.shared(origin);
        if self.names.handling(&library) == Handling::Wraps {
            let wrapped = position(&passed, 0).unwrap_or_default();
            self.wrap(wrapped);
            return wrapped;
        }
        let method = method.map_or("__call__", |method| self.program.symbols.text(method));
        let handling = self.names.method_handling(&library, method);
        self.handle(handling, &passed);
        self.out_of(origin)
    }

    /// What becomes of what a function of a library is given.
    fn handle(&mut self, handling: Handling, passed: &[Passed]) {
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

    fn hand_on_to_hooks(&mut self, passed: &[Passed]) {
        for passed in passed {
            for way in [Way::Compared, Way::Operand] {
                self.hand_to_hooks(way, passed.value);
            }
        }
    }

    /// A library may write the attributes of objects that it is given, and use what they hold.
    fn open_objects(&mut self, passed: &[Passed]) {
        let given = passed.iter().flat_map(|passed| passed.value.iter());
        let objects = given.filter_map(|atom| {
            let (Atom::Instance(class) | Atom::Own(class)) = atom else { return None };
            Some(class).filter(|class| !self.is_function(*class))
        });
        for class in objects.collect::<Vec<_>>() {
            self.open_attributes(class);
        }
    }

    fn open_attributes(&mut self, class: DefId) {
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
    fn call_objects(&mut self, passed: &[Passed], beside: impl Fn(By) -> bool) {
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
    fn copy_passed(&mut self, handling: Handling, passed: &[Passed]) {
        let given: Vec<Atom> = passed.iter().flat_map(|passed| passed.value.iter()).collect();
        if given.iter().any(|atom| atom.is_followed() && !matches!(atom, Atom::Held(_))) {
            self.lose_passed(passed);
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
    pub(super) fn held_in(&mut self, site: Val) -> Set {
        let (mut held, keys) = (self.read(site, None), self.draw(Pool::Keys(site)));
        self.join(&mut held, &keys);
        held
    }

    /// What becomes of a collection that is walked or copied, as apart from what it holds.
    fn copy_site(&mut self, handling: Handling, site: Val) {
        if handling == Handling::Holds {
            self.lend(site);
        } else if handling == Handling::Shuffles && self.heap.is_ordered(site) {
            self.mix(site);
        } else if handling == Handling::Shuffles {
            self.lose(Set::one(Atom::Held(site)));
        }
    }

    /// What copies attributes is followed where it stands right before what it decorates, and is
    /// given nothing but a function.
    fn note_wrapping(&mut self, at: Val, passed: &[Passed]) {
        let called = self.callees.contains(&at) && self.changes.keepers(at) == 1;
        let plain = matches!(passed, [Passed { by: By::Position, .. }]);
        if !(called && plain) {
            self.loosen();
        }
    }

    /// What copies attributes is called by something else, with what is not seen.
    pub(super) fn note_wrapper(&mut self, functions: Set) {
        let wraps = |name: Sym| self.names.handling(self.program.symbols.text(name));
        if functions.iter().filter_map(Atom::library).any(|name| wraps(name) == Handling::Wraps) {
            self.loosen();
        }
    }

    /// Attributes are copied to these: to those of a function harmlessly.
    pub(super) fn wrap(&mut self, definition: Set) {
        let function = |atom: Atom| atom.own().is_some_and(|def| self.is_function(def));
        if !definition.all(function) {
            self.loosen();
        }
    }

    fn named_result(&mut self, name: Sym, text: &str, arguments: Operands) -> Set {
        if IMPORTERS.contains(&text) || text.ends_with(".load_module") {
            return self.imported(arguments);
        }
        if let Some(set) = self.resolved_by(text, arguments) {
            return set;
        }
        if let Some(set) = self.builtin_call(text, arguments) {
            return set;
        }
        let letters = self.letters_of(text, arguments);
        let plain = letters.or_else(|| self.replaced_by(text, arguments));
        if let Some(set) = plain.or_else(|| self.counted(text, arguments)) {
            return set;
        }
        let makes =
            self.names.meaning(name, &self.program.symbols).entry.and_then(|entry| entry.makes);
        match makes {
            Some(Makes::Path) => self.made_path(arguments),
            Some(Makes::Handle) | None => Set::one(Atom::From(name)),
        }
    }

    /// `setattr(object, "name", value)`; where the name is not known, any attribute is written.
    fn set_attribute(&mut self, arguments: Operands, passed: &[Passed]) {
        let [base, names, value] = [0, 1, 2].map(|place| position(passed, place));
        let (Some(base), Some(names), Some(value)) = (base, names, value) else {
            self.loosen();
            return;
        };
        let written = self.positional(arguments, 1);
        let meant = written.and_then(|name| self.names_meant(name));
        if meant.is_none() && !names.all(|atom| matches!(atom, Atom::Text(_))) {
            self.loosen();
        }
        let known = names.iter().filter_map(Atom::text);
        for name in known.chain(meant.into_iter().flatten()) {
            self.write_attribute(base, name, value);
        }
        self.lose(value);
    }

    /// A keyword that is put together may say that a field is none, or stands elsewhere.
    fn note_shifts(&mut self, passed: &[Passed]) {
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

    /// From here on names may be bound unseen.
    fn unbind(&mut self) {
        self.pools.stale |= !self.pools.unbound;
        self.pools.unbound = true;
        self.loosen();
    }

    /// From here on anything may be anywhere.
    pub(in crate::facts::python::values) fn loosen(&mut self) {
        self.pools.stale |= !self.pools.loose;
        self.pools.loose = true;
    }

    pub(super) fn replace_fields(&mut self, passed: &[Passed]) {
        for passed in passed {
            match passed.by {
                By::Keyword(name) => self.pour_attribute(None, name, passed.value),
                By::Positions | By::Keywords => self.loosen(),
                By::Position => {}
            }
        }
    }

    /// The default of a field.
    fn field(&mut self, place: (Val, Val), passed: &[Passed]) -> Set {
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
    fn lose_in_fields(&mut self, passed: &[Passed]) {
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
    fn factory(&mut self, at: Val, atom: Atom) -> Set {
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

    fn defaulting(&mut self, (at, callee): (Val, Val), passed: &[Passed]) -> Set {
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

    /// A sum that begins with a collection counts as that collection, which holds it all.
    fn summed(&mut self, passed: &[Passed]) -> Set {
        self.hand_on_to_hooks(passed);
        let [Passed { by: By::Position, value: parts }, Passed { by, value: start }] = *passed
        else {
            self.lose_passed(passed);
            return Set::unknown();
        };
        if matches!(by, By::Positions | By::Keywords) {
            self.lose_passed(passed);
            return Set::unknown();
        }
        let parts = self.elements_of(parts);
        let mut sum = self.combined(start, parts);
        self.join(&mut sum, &start);
        sum
    }

    fn reduced(&mut self, passed: &[Passed]) -> Set {
        let function = position(passed, 0).unwrap_or_default();
        let mut values = position(passed, 1).map(|all| self.elements_of(all)).unwrap_or_default();
        if let Some(start) = position(passed, 2) {
            self.join(&mut values, &start);
        }
        let once = self.apply(function, &[values, values]);
        let mut given = values;
        self.join(&mut given, &once);
        self.apply(function, &[given, values]);
        given
    }
}

/// Whether what a sum begins with may be other than a number.
fn begins_with_collection(passed: &[Passed]) -> bool {
    passed.iter().skip(1).any(|passed| !passed.value.all(Atom::is_plain))
        || passed.first().is_some_and(|passed| passed.by != By::Position)
}

/// Whether a canonical name is that of a method, by the class that it is a member of.
fn is_of_class(name: &str) -> bool {
    let class = name.rsplit('.').nth(1);
    class.is_some_and(|class| class.starts_with(|first: char| first.is_uppercase()))
}
