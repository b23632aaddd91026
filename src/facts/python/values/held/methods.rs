//! What the methods of collections give and change.
//!
//! Must never treat a method as harmless that it does not know: then the collection is lost.

use crate::facts::python::program::{Collection, Operands, Sym, Val};
use crate::facts::python::values::flow::{By, Passed, Pool};
use crate::facts::python::values::{Atom, Set, Values};

impl Values<'_> {
    /// What a method of a collection gives, called at a step through the attribute `method`.
    pub(in crate::facts::python::values) fn collection_method(
        &mut self,
        (at, method): (Val, Val),
        site: Val,
        name: Sym,
        arguments: Operands,
    ) -> Set {
        let passed = self.passed(arguments);
        let word = self.program.symbols.shared(name);
        let [first, second] = [0, 1].map(|place| position(&passed, place));
        if !self.is_passed_plainly(&word, &passed) {
            self.lose(Set::one(Atom::Held(site)));
            self.lose_passed(&passed);
            return Set::unknown();
        }
        match &*word {
            "append" | "add" | "appendleft" | "insert" | "extend" | "extendleft" | "update" => {
                self.grow(site, &word, &passed);
                self.none()
            }
            "get" | "setdefault" | "pop" => self.taken(site, &word, (first, second)),
            "popleft" => {
                self.mix(site);
                self.read(site, None)
            }
            "items" => self.pairs((at, method), site),
            "popitem" => {
                let pairs = self.pairs((at, method), site);
                self.elements_of(pairs)
            }
            "keys" => {
                let keys = self.draw(Pool::Keys(site));
                self.made_of(at, Collection::List, keys)
            }
            "values" => {
                let values = self.read(site, None);
                self.made_of(at, Collection::List, values)
            }
            "copy" => Set::one(Atom::Held(site)),
            "sort" | "reverse" | "clear" | "remove" | "discard" | "move_to_end" | "rotate" => {
                self.mix(site);
                let elements = self.walk(site);
                self.keyed(&passed, elements);
                self.compare_with(site, first);
                self.none()
            }
            "union" | "intersection" | "difference" | "symmetric_difference" => {
                let elements = self.walk(site);
                self.made_of(at, Collection::Set, elements);
                for passed in &passed {
                    let elements = self.elements_of(passed.value);
                    self.pour(Pool::Rest(at), elements);
                }
                Set::one(Atom::Held(at))
            }
            "index" | "count" => {
                self.compare_with(site, first);
                self.plain("int")
            }
            "issubset" | "issuperset" | "isdisjoint" => self.plain("bool"),
            _ => {
                self.lose(Set::one(Atom::Held(site)));
                self.lose_passed(&passed);
                Set::unknown()
            }
        }
    }

    /// Whether a method is given what it takes as its parameters have it: by position, but for the
    /// keywords of `update` and of a sort.
    fn is_passed_plainly(&self, word: &str, passed: &[Passed]) -> bool {
        passed.iter().all(|passed| match passed.by {
            By::Position => true,
            By::Positions => matches!(word, "append" | "add"),
            By::Keyword(name) => {
                let name = self.program.symbols.text(name);
                word == "update" || (word == "sort" && matches!(name, "key" | "reverse"))
            }
            By::Keywords => word == "update",
        })
    }

    fn none(&mut self) -> Set {
        Set::one(Atom::Literal(self.program.symbols.intern("None")))
    }

    /// What a collection holds is compared, with each other or with this.
    pub(super) fn compare_with(&mut self, site: Val, other: Option<Set>) {
        if self.functions.hooked {
            let mut all = self.walk(site);
            self.join(&mut all, &other.unwrap_or_default());
            self.compare_all(all);
        }
    }

    /// Puts what a method is given into the collection.
    pub(super) fn grow(&mut self, site: Val, word: &str, passed: &[Passed]) {
        self.note_growth(site);
        if matches!(word, "insert" | "appendleft" | "extendleft") {
            self.mix(site);
        }
        if word == "add" {
            self.compare_with(site, position(passed, 0));
        }
        let whole = matches!(word, "append" | "add" | "appendleft" | "insert");
        for passed in passed {
            match passed.by {
                By::Position if !whole => self.merge(site, passed.value),
                By::Keyword(name) => {
                    self.put(site, Set::one(Atom::Text(name)), passed.value);
                }
                By::Keywords => {
                    self.pour(Pool::Rest(site), passed.value);
                    self.pour(Pool::Keys(site), Set::unknown());
                }
                By::Position | By::Positions => self.pour(Pool::Rest(site), passed.value),
            }
        }
    }

    /// What is taken out under a key, or the default that is given for it.
    fn taken(&mut self, site: Val, word: &str, (key, default): (Option<Set>, Option<Set>)) -> Set {
        let keys = key.unwrap_or_default();
        if word == "setdefault" {
            let none = self.none();
            self.put(site, keys, default.unwrap_or(none));
        }
        if !self.heap.is_dictionary(site) {
            self.mix(site);
            return self.read(site, None);
        }
        let mut set = self.read_keys(site, keys);
        // What is not there is `None`; `pop` would raise.
        let default = default.or_else(|| (word == "get").then(|| self.none()));
        if let Some(default) = default {
            self.join(&mut set, &default);
        }
        set
    }

    /// Puts keys in, under which stands what the dictionary makes for them.
    pub(in crate::facts::python::values) fn put_key(&mut self, site: Val, keys: Set) {
        self.note_growth(site);
        self.pour(Pool::Keys(site), keys);
        self.compare_with(site, None);
    }

    /// What a collection holds under these keys.
    pub(in crate::facts::python::values) fn read_keys(&mut self, site: Val, keys: Set) -> Set {
        self.each(keys, |values, key| values.read_key(site, key))
    }

    /// A list has nothing under a text.
    fn read_key(&mut self, site: Val, key: Atom) -> Set {
        if matches!(key, Atom::Text(_) | Atom::Partial(_)) && !self.heap.is_dictionary(site) {
            return Set::default();
        }
        let known = matches!(key, Atom::Text(_) | Atom::Literal(_));
        self.read(site, Some(key).filter(|_| known))
    }

    /// The keys of a dictionary with their values.
    fn pairs(&mut self, (at, row): (Val, Val), site: Val) -> Set {
        let keys = self.draw(Pool::Keys(site));
        let values = self.read(site, None);
        self.rows((at, row), &[keys, values])
    }

    /// A collection of tuples with these columns. The tuples are known by the step of the callee.
    pub(in crate::facts::python::values) fn rows(
        &mut self,
        (at, row): (Val, Val),
        columns: &[Set],
    ) -> Set {
        let row = self.hold(row, Collection::Tuple);
        for (column, index) in columns.iter().zip(0..) {
            let place = self.place(index);
            self.write(row, place, *column);
        }
        self.made_of(at, Collection::List, Set::one(Atom::Held(row)))
    }

    /// A new collection with these elements.
    pub(in crate::facts::python::values) fn made_of(
        &mut self,
        at: Val,
        collection: Collection,
        elements: Set,
    ) -> Set {
        let site = self.hold(at, collection);
        self.pour(Pool::Rest(site), elements);
        Set::one(Atom::Held(site))
    }

    /// Passes elements to the function that is given as a key.
    pub(super) fn keyed(&mut self, passed: &[Passed], elements: Set) {
        for passed in passed {
            if let By::Keyword(name) = passed.by
                && self.program.symbols.text(name) == "key"
            {
                self.apply(passed.value, &[elements]);
            }
        }
    }

    /// Calls what may be functions of the program's own with these; gives what they give.
    pub(in crate::facts::python::values) fn apply(
        &mut self,
        functions: Set,
        arguments: &[Set],
    ) -> Set {
        let passed: Vec<Passed> =
            arguments.iter().map(|value| Passed { by: By::Position, value: *value }).collect();
        self.each(functions, |values, atom| match (atom, arguments) {
            (Atom::Name(name), [only]) if values.program.symbols.text(name) == "type" => {
                values.class_of(*only)
            }
            _ => values.own_call(atom, &passed),
        })
    }
}

/// What is passed at a position.
pub(in crate::facts::python::values) fn position(passed: &[Passed], place: usize) -> Option<Set> {
    passed.get(place).filter(|passed| passed.by == By::Position).map(|passed| passed.value)
}
