//! What calls of builtins and libraries give, and what becomes of what they are given.
//!
//! Must never take a function for harmless that is not listed here.

mod fields;
mod given;

use super::functions::{By, Passed};
use crate::facts::python::program::{Collection, Operands, Sym, Val};
use crate::facts::python::values::evaluate::IMPORTERS;
use crate::facts::python::values::held::position;
use crate::facts::python::values::{Atom, Set, Values};
use crate::facts::{Handling, Makes};

/// Hooks that say what a copy of an object is.
const COPYING: [&str; 6] =
    ["__copy__", "__getnewargs__", "__getnewargs_ex__", "__reduce__", "__reduce_ex__", "__new__"];

impl Values<'_> {
    pub(in crate::facts::python::values::flow) fn named_call(
        &mut self,
        place: (Val, Val),
        name: Sym,
        arguments: Operands,
    ) -> Set {
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
            "dataclasses.dataclass" => {
                self.note_shifts(&passed);
                self.give_fields_late(&passed);
            }
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
    pub(in crate::facts::python::values::flow) fn library_call(
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
    pub(in crate::facts::python::values::flow) fn note_wrapper(&mut self, functions: Set) {
        let wraps = |name: Sym| self.names.handling(self.program.symbols.text(name));
        if functions.iter().filter_map(Atom::library).any(|name| wraps(name) == Handling::Wraps) {
            self.loosen();
        }
    }

    /// Attributes are copied to these: to those of a function harmlessly.
    pub(in crate::facts::python::values::flow) fn wrap(&mut self, definition: Set) {
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
