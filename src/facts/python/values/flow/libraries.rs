//! What calls of builtins and libraries give, and what becomes of what they are given.
//!
//! Must never take a function for harmless that is not listed here.

use super::Pool;
use super::functions::{By, Passed};
use crate::facts::Makes;
use crate::facts::python::program::{Collection, DefId, Operands, Sym, Takes, Val};
use crate::facts::python::values::evaluate::IMPORTERS;
use crate::facts::python::values::held::position;
use crate::facts::python::values::{Atom, Set, Values};

/// Functions that only look at what they are given, and keep none of it.
const LOOKERS: [&str; 43] = [
    "len",
    "print",
    "str",
    "repr",
    "int",
    "float",
    "bool",
    "sum",
    "any",
    "all",
    "isinstance",
    "issubclass",
    "type",
    "id",
    "hash",
    "range",
    "round",
    "abs",
    "format",
    "callable",
    "hasattr",
    "getattr",
    "ord",
    "chr",
    "bytes",
    "bytearray",
    "str.join",
    "str.maketrans",
    "super",
    "divmod",
    "pow",
    "bin",
    "hex",
    "oct",
    "ascii",
    "json.dumps",
    "json.dump",
    "pprint.pprint",
    "pprint.pformat",
    "functools.wraps",
    "dataclasses.asdict",
    "dataclasses.astuple",
    "dataclasses.field",
];

/// Those among them that hand what they are given to hooks, as operators do.
const OPERATING: [&str; 7] =
    ["isinstance", "issubclass", "sum", "round", "divmod", "pow", "format"];

/// Libraries that copy the collections that they are given, or only look at them.
const COPIERS: [&str; 15] = [
    "pandas",
    "numpy",
    "matplotlib",
    "statistics",
    "math",
    "csv",
    "json",
    "re",
    "random",
    "itertools",
    "datetime",
    "textwrap",
    "string",
    "logging",
    "sqlite3",
];

/// Builtins that walk or make collections.
const COLLECTORS: [&str; 17] = [
    "sorted",
    "list",
    "tuple",
    "set",
    "frozenset",
    "reversed",
    "min",
    "max",
    "next",
    "iter",
    "enumerate",
    "zip",
    "dict",
    "map",
    "filter",
    "collections.deque",
    "random.choice",
];

/// Functions that run a coroutine and give what it gives.
const RUNNERS: [&str; 6] = [
    "asyncio.run",
    "asyncio.create_task",
    "asyncio.ensure_future",
    "asyncio.wait_for",
    "asyncio.shield",
    "copy.copy",
];

impl Values<'_> {
    pub(super) fn named_call(&mut self, place: (Val, Val), name: Sym, arguments: Operands) -> Set {
        let text = self.program.symbols.shared(name);
        if COLLECTORS.contains(&&*text)
            && let Some(set) = self.collecting(place, &text, arguments)
        {
            return set;
        }
        let passed = self.passed(arguments);
        match &*text {
            // A class that is made by a call derives from what it is given.
            "type" if passed.len() > 1 => self.loosen(),
            "getattr" => return self.getattr(&passed),
            "setattr" => self.set_attribute(&passed),
            "dataclasses.replace" => self.replace_fields(&passed),
            "dataclasses.field" => return self.field(place, &passed),
            "functools.partial" => self.partial(&passed),
            "functools.reduce" => return self.reduced(&passed),
            "collections.defaultdict" => return self.defaulting(place, &passed),
            _ => self.look(&text, &passed),
        }
        if RUNNERS.contains(&&*text)
            && let Some(first) = position(&passed, 0)
        {
            return first;
        }
        self.named_result(name, &text, arguments)
    }

    /// What is given to a function of a library, or looked at by it.
    pub(super) fn look(&mut self, name: &str, passed: &[Passed]) {
        if !LOOKERS.contains(&name) && !RUNNERS.contains(&name) {
            let root = name.split('.').next().unwrap_or_default();
            if COPIERS.contains(&root) {
                self.copy_passed(matches!(root, "random" | "numpy"), passed);
            } else {
                self.lose_passed(passed);
            }
            return;
        }
        if OPERATING.contains(&name) {
            for passed in passed {
                self.hand_to_hooks(passed.value);
            }
        }
        // A function that is given beside the data will be called.
        for passed in passed.iter().filter(|passed| matches!(passed.by, By::Keyword(_))) {
            for atom in passed.value.iter() {
                if matches!(atom, Atom::Own(_) | Atom::Bound(_)) {
                    self.lose(Set::one(atom));
                }
            }
        }
    }

    /// What is given to a library that copies the collections that it is given. What they hold is
    /// not copied, and a function would be given everything else.
    fn copy_passed(&mut self, shuffles: bool, passed: &[Passed]) {
        let function = |atom: Atom| atom.is_followed() && !matches!(atom, Atom::Held(_));
        if passed.iter().any(|passed| passed.value.iter().any(function)) {
            self.lose_passed(passed);
            return;
        }
        for atom in passed.iter().flat_map(|passed| passed.value.iter().collect::<Vec<_>>()) {
            if let Atom::Held(site) = atom {
                let (keys, held) = (self.draw(Pool::Keys(site)), self.read(site, None));
                self.lose(keys);
                self.lose(held);
                if shuffles {
                    self.mix(site);
                }
            }
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
        let makes =
            self.names.meaning(name, &self.program.symbols).entry.and_then(|entry| entry.makes);
        match makes {
            Some(Makes::Path) => self.made_path(arguments),
            Some(Makes::Handle) | None => Set::one(Atom::From(name)),
        }
    }

    /// `setattr(object, "name", value)`; where the name is not known, any attribute is written.
    fn set_attribute(&mut self, passed: &[Passed]) {
        let [base, names, value] = [0, 1, 2].map(|place| position(passed, place));
        let (Some(base), Some(names), Some(value)) = (base, names, value) else {
            self.loosen();
            return;
        };
        if !names.all(|atom| matches!(atom, Atom::Text(_))) {
            self.loosen();
        }
        for name in names.iter().filter_map(Atom::text) {
            self.write_attribute(base, name, value);
        }
        self.lose(value);
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
        let site = self.hold(at, Collection::Dictionary);
        let factories = position(passed, 0).unwrap_or_default();
        let made = self.each(factories, |values, atom| values.factory(callee, atom));
        self.pour(Pool::Rest(site), made);
        for passed in passed.iter().skip(1) {
            self.merge(site, passed.value);
        }
        Set::one(Atom::Held(site))
    }

    /// A function with some of its arguments: the others may be anything.
    fn partial(&mut self, passed: &[Passed]) {
        let Some((function, rest)) = passed.split_first() else {
            return;
        };
        let mut rest = rest.to_vec();
        rest.push(Passed { by: By::Positions, value: Set::unknown() });
        for atom in function.value.iter() {
            if atom.is_followed() {
                self.own_call(atom, &rest);
                self.open_keywords(atom);
            }
        }
        self.lose_results(function.value);
        for passed in rest {
            if !function.value.all(|atom| matches!(atom, Atom::Own(_) | Atom::Bound(_))) {
                self.lose(passed.value);
            }
        }
    }

    /// What is passed by keyword alone may be anything at a later call, whatever it was before.
    fn open_keywords(&mut self, callee: Atom) {
        let (Atom::Own(def) | Atom::Bound(def)) = callee else { return };
        let functions = if self.is_function(def) { vec![def] } else { self.makers(def) };
        let given = functions.into_iter().flat_map(|def| self.functions.parameters(def));
        for number in given.collect::<Vec<_>>() {
            let takes = self.program.parameters.get(number as usize).map(|one| one.takes);
            if matches!(takes, Some(Takes::Named | Takes::Keywords)) {
                self.pour(Pool::Given(number), Set::unknown());
            }
        }
    }

    /// The initialisers of a class and of those that it derives from.
    fn makers(&mut self, class: DefId) -> Vec<DefId> {
        let Some(init) = self.program.symbols.find("__init__") else { return Vec::new() };
        let line = self.family(class);
        line.into_iter().filter_map(|class| self.method(class, init)).collect()
    }

    /// What functions give goes where it is not followed.
    fn lose_results(&mut self, functions: Set) {
        for atom in functions.iter() {
            if let Atom::Own(def) | Atom::Bound(def) = atom
                && self.is_function(def)
            {
                let given = self.result(def);
                self.lose(given);
            }
        }
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
