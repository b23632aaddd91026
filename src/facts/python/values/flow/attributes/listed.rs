//! Names of attributes that are known one by one however many they are: the elements of a list
//! that is written out, the fields of a class.
//!
//! Must never take a list for whole to which something may have been added.

use crate::facts::python::program::{DefId, Kind, Operands, Sym, Val};
use crate::facts::python::values::{Atom, Values};

/// Names of one list.
const NAMES_MAX: usize = 64;

/// Steps that are gone back from a name to the list that it stands in.
const STEPS_MAX: u32 = 6;

/// What gives the fields of a class.
pub(in crate::facts::python::values) const FIELDS: &str = "dataclasses.fields";

/// What gives the elements of what it is given.
const WALKING: [&str; 6] = ["iter", "list", "reversed", "set", "sorted", "tuple"];

impl Values<'_> {
    /// The texts that a value may be, where all of them are known.
    pub(in crate::facts::python) fn names_meant(&mut self, value: Val) -> Option<Vec<Sym>> {
        let set = self.of(value);
        if !set.is_empty() && set.all(|atom| atom.text().is_some()) {
            return Some(set.iter().filter_map(Atom::text).collect());
        }
        if self.pools.loose {
            return None;
        }
        self.listed(value, STEPS_MAX).filter(|names| names.len() <= NAMES_MAX)
    }

    fn listed(&mut self, value: Val, left: u32) -> Option<Vec<Sym>> {
        let left = left.checked_sub(1)?;
        let step = self.bound(value).unwrap_or(value);
        if let Some(Atom::Text(text)) = self.of(step).single() {
            return Some(vec![text]);
        }
        let kind = self.program.kind(step);
        if let Kind::Element(source) = kind {
            return self.listed_in(source, left);
        }
        if let Kind::Part { value: pair, index: 0 } = kind {
            return self.listed_keys(pair, left);
        }
        if let Some((base, name)) = kind.attribute() {
            let named = self.program.symbols.text(name) == "name";
            return if named { self.fields_walked(base) } else { None };
        }
        (step != value).then(|| self.listed(step, left))?
    }

    /// The elements of a collection that nothing was added to.
    fn listed_in(&mut self, source: Val, left: u32) -> Option<Vec<Sym>> {
        let left = left.checked_sub(1)?;
        if let Some(texts) = self.texts_in(source) {
            return texts.iter().map(|text| self.fold(text)).collect();
        }
        let made = self.bound(source).unwrap_or(source);
        let kind = self.program.kind(made);
        if let Some((base, name)) = kind.attribute() {
            let fields = self.program.symbols.text(name) == "_fields";
            return if fields { self.fields_of_tuple(base) } else { None };
        }
        let Some(Atom::Held(site)) = self.of(source).single() else { return None };
        if self.is_changed(site) {
            return None;
        }
        if let Kind::Gather(_, body) = kind {
            let [only] = self.program.operands(body) else { return None };
            let only = only.value;
            return self.listed(only, left);
        }
        let Kind::Call { callee, arguments, .. } = kind else { return None };
        let walked = self.walked_by(callee, arguments)?;
        self.listed_in(walked, left)
    }

    /// What a call walks that gives the elements of something.
    fn walked_by(&self, callee: Val, arguments: Operands) -> Option<Val> {
        let keys = self.program.kind(callee).attribute().filter(|(_, name)| {
            self.program.symbols.text(*name) == "keys" && arguments.start == arguments.end
        });
        if let Some((base, _)) = keys {
            return Some(base);
        }
        let name = self.of(callee).single()?.name()?;
        let walks = WALKING.contains(&self.program.symbols.text(name));
        self.positional(arguments, 0).filter(|_| walks)
    }

    /// The keys of a dictionary whose pairs are walked.
    fn listed_keys(&mut self, pair: Val, left: u32) -> Option<Vec<Sym>> {
        let Kind::Element(pairs) = self.program.kind(pair) else { return None };
        let Kind::Call { callee, .. } = self.program.kind(pairs) else { return None };
        let (base, name) = self.program.kind(callee).attribute()?;
        (self.program.symbols.text(name) == "items").then_some(())?;
        self.listed_in(base, left)
    }

    /// The names of the fields of a class, where a value is one of its fields.
    fn fields_walked(&mut self, field: Val) -> Option<Vec<Sym>> {
        let field = self.bound(field).unwrap_or(field);
        let Kind::Element(fields) = self.program.kind(field) else { return None };
        let fields = self.bound(fields).unwrap_or(fields);
        let Kind::Call { callee, arguments, .. } = self.program.kind(fields) else { return None };
        let asked = self.of(callee).single()?.name()?;
        (self.program.symbols.text(asked) == FIELDS).then_some(())?;
        let of = self.positional(arguments, 0)?;
        self.names_of_fields(of)
    }

    /// The names of the fields of a class of tuples.
    fn fields_of_tuple(&mut self, class: Val) -> Option<Vec<Sym>> {
        let made = self.bound(class).unwrap_or(class);
        let Kind::Call { callee, arguments, .. } = self.program.kind(made) else {
            return self.names_of_fields(class);
        };
        let maker = self.of(callee).single()?.name()?;
        (self.program.symbols.text(maker) == "collections.namedtuple").then_some(())?;
        let names = self.positional(arguments, 1)?;
        if let Some(Atom::Text(names)) = self.of(names).single() {
            let names = self.program.symbols.text(names).replace(',', " ");
            return names.split_whitespace().map(|name| self.fold(name)).collect();
        }
        self.listed_in(names, 1)
    }

    /// The names of the fields of what is surely of the program's own classes. There are none as
    /// long as nothing is known of it.
    fn names_of_fields(&mut self, of: Val) -> Option<Vec<Sym>> {
        let set = self.of(of);
        let mut names = Vec::new();
        for atom in set.iter() {
            let (Atom::Own(class) | Atom::Instance(class)) = atom else { return None };
            names.extend(self.names_of_class(class)?);
        }
        names.sort_unstable();
        names.dedup();
        (!set.overflowed).then_some(names)
    }

    fn names_of_class(&mut self, class: DefId) -> Option<Vec<Sym>> {
        let family = self.family(class);
        let known = |class: &DefId| !self.is_function(*class) && !self.is_open(*class);
        let fields = || family.iter().flat_map(|class| self.classes.fields(*class)).collect();
        family.iter().all(known).then(fields)
    }

    /// The program asks for the fields of classes: these say what the fields are made of, and what
    /// they are annotated with.
    pub(in crate::facts::python::values) fn ask_fields(&mut self) {
        if self.changes.asks_types() {
            self.loosen();
        }
        for class in self.classes.all() {
            for name in self.classes.fields(class) {
                for (owner, cell) in self.classes.members(name) {
                    if owner == class {
                        self.lose(self.cell(cell));
                    }
                }
            }
        }
    }
}
