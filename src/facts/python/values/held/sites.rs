//! The collections of a program, by the step that makes them: what they hold, and where.
//!
//! Must never tell places apart that something may have moved.

use crate::facts::python::program::{
    Collection, Kind, Operand, Operands, Program, Slot, Val, number,
};
use crate::facts::python::values::flow::Pool;
use crate::facts::python::values::{Atom, Set, Values};
use std::collections::HashMap;

/// Places of one collection that are told apart.
const FIELDS_MAX: usize = 32;

/// Collections side by side in one that are told apart.
const ROWS_MAX: usize = 4;

/// Names by which a program makes slices that are values, or is given them. Those that `pandas`
/// and `numpy` give are among them.
const SLICES: [&str; 15] = [
    "slice",
    "__getitem__",
    "__setitem__",
    "__delitem__",
    "__class_getitem__",
    "s_",
    "index_exp",
    "IndexSlice",
    "get_loc",
    "get_loc_level",
    "slice_indexer",
    "clump_masked",
    "clump_unmasked",
    "flatnotmasked_contiguous",
    "notmasked_contiguous",
];

/// One collection.
#[derive(Debug, Default)]
pub(super) struct Site {
    dictionary: bool,
    set: bool,
    /// The keys or places that are told apart.
    fields: Vec<Atom>,
    /// Whether something may have moved.
    pub(super) mixed: bool,
    /// Whether it left our sight.
    pub(super) lost: bool,
    /// Whether anything was put in after it was made.
    pub(super) grown: bool,
    /// How many it was made of, where that is known.
    length: Option<usize>,
    /// Whether asking for a key puts it in.
    defaulting: bool,
}

/// All collections.
#[derive(Debug, Default)]
pub(in crate::facts::python::values) struct Heap {
    pub(super) sites: HashMap<Val, Site>,
    /// Rows of a table, which count as one.
    rows: HashMap<Val, Val>,
    /// Whether the program can come by a slice that is a value.
    slices: bool,
    /// The collections that libraries hold.
    pub(super) lent: Vec<Val>,
    /// Whether something of unknown origin is changed.
    pub(super) changed: bool,
}

impl Heap {
    pub(in crate::facts::python::values) fn new(program: &Program) -> Self {
        let slices = SLICES.iter().any(|name| program.symbols.find(name).is_some());
        let mut heap = Self { slices, ..Self::default() };
        for op in &program.ops {
            if let Kind::Collect(_, operands) = op.kind {
                heap.note_rows(program, operands);
            }
        }
        heap
    }

    fn note_rows(&mut self, program: &Program, operands: Operands) {
        let operands = program.operands(operands);
        if operands.len() <= ROWS_MAX {
            return;
        }
        for wanted in [Collection::Tuple, Collection::List, Collection::Set, Collection::Dictionary]
        {
            let row = |operand: &&Operand| matches!(program.kind(operand.value), Kind::Collect(kind, _) if kind == wanted);
            let mut rows = operands.iter().filter(row).map(|operand| operand.value);
            let Some(first) = rows.next() else { continue };
            let first = self.rows.get(&first).copied().unwrap_or(first);
            self.rows.extend(rows.map(|row| (row, first)));
        }
    }

    /// Whether the program can come by a slice that is a value.
    pub(in crate::facts::python::values) fn has_slices(&self) -> bool {
        self.slices
    }

    /// Marks a collection as lost; gives its fields where it was not.
    pub(in crate::facts::python::values) fn lose(&mut self, site: Val) -> Option<Vec<Atom>> {
        let site = self.sites.entry(site).or_default();
        if site.lost {
            return None;
        }
        site.lost = true;
        Some(site.fields.clone())
    }

    pub(in crate::facts::python::values) fn is_dictionary(&self, site: Val) -> bool {
        self.sites.get(&site).is_some_and(|site| site.dictionary)
    }

    /// Notes that asking a dictionary for a key puts it in.
    pub(in crate::facts::python::values) fn note_defaulting(&mut self, site: Val) {
        self.sites.entry(site).or_default().defaulting = true;
    }

    pub(in crate::facts::python::values) fn is_defaulting(&self, site: Val) -> bool {
        self.sites.get(&site).is_some_and(|site| site.defaulting)
    }

    /// Whether what a collection holds stands in an order.
    pub(in crate::facts::python::values) fn is_ordered(&self, site: Val) -> bool {
        self.sites.get(&site).is_some_and(|site| !site.dictionary && !site.set)
    }
}

impl Values<'_> {
    /// The collection that a step makes.
    pub(in crate::facts::python::values) fn hold(
        &mut self,
        at: Val,
        collection: Collection,
    ) -> Val {
        let site = self.heap.rows.get(&at).copied().unwrap_or(at);
        let known = self.heap.sites.entry(site).or_default();
        known.dictionary |= collection == Collection::Dictionary;
        known.set |= collection == Collection::Set;
        site
    }

    /// Notes how many a collection is made of. One that is made of now more and now fewer has
    /// places that are not known from its end.
    pub(in crate::facts::python::values) fn note_length(&mut self, site: Val, length: usize) {
        let known = self.heap.sites.entry(site).or_default();
        if known.length.replace(length).is_some_and(|before| before != length) {
            self.mix(site);
            self.note_growth(site);
        }
    }

    /// A display: what stands in it, at its places.
    pub(in crate::facts::python::values) fn collect(
        &mut self,
        at: Val,
        collection: Collection,
        operands: Operands,
    ) -> Set {
        let site = self.hold(at, collection);
        let operands = self.program.operands(operands).to_vec();
        if collection == Collection::Dictionary {
            self.collect_pairs(site, &operands);
        } else if operands.len() > FIELDS_MAX || collection == Collection::Set {
            let mut all = Set::default();
            for operand in operands {
                let value = self.collected(operand);
                self.join(&mut all, &value);
            }
            if collection == Collection::Set {
                self.compare_all(all);
            }
            self.pour(Pool::Rest(site), all);
        } else {
            self.note_length(site, operands.len());
            self.collect_places(site, &operands);
        }
        Set::one(Atom::Held(site))
    }

    fn collected(&mut self, operand: Operand) -> Set {
        let value = self.of(operand.value);
        if operand.slot == Slot::Position { value } else { self.elements_of(value) }
    }

    fn collect_places(&mut self, site: Val, operands: &[Operand]) {
        let mut moved = false;
        for (place, operand) in operands.iter().enumerate() {
            let value = self.collected(*operand);
            moved |= operand.slot != Slot::Position;
            if moved {
                self.pour(Pool::Rest(site), value);
            } else {
                let place = self.place(number(place));
                self.write(site, place, value);
            }
        }
        if moved {
            self.mix(site);
        }
    }

    /// The place of this number, as a key.
    pub(in crate::facts::python::values) fn place(&mut self, place: u32) -> Option<Atom> {
        Some(Atom::Literal(self.program.symbols.intern(&place.to_string())))
    }

    fn collect_pairs(&mut self, site: Val, operands: &[Operand]) {
        let mut operands = operands.iter();
        while let Some(key) = operands.next() {
            if key.slot != Slot::Position {
                let merged = self.of(key.value);
                self.merge(site, merged);
                continue;
            }
            let keys = self.of(key.value);
            let value = operands.next().map(|value| self.of(value.value));
            self.put_first(site, keys, value.unwrap_or_else(Set::unknown));
        }
    }

    /// What a comprehension collects.
    pub(in crate::facts::python::values) fn gather(
        &mut self,
        at: Val,
        collection: Collection,
        operands: Operands,
    ) -> Set {
        let site = self.hold(at, collection);
        let operands = self.program.operands(operands).to_vec();
        match operands.as_slice() {
            [key, value] if collection == Collection::Dictionary => {
                let (keys, value) = (self.of(key.value), self.of(value.value));
                self.put(site, keys, value);
            }
            _ => {
                for operand in operands {
                    let value = self.collected(operand);
                    self.pour(Pool::Rest(site), value);
                }
            }
        }
        Set::one(Atom::Held(site))
    }

    /// Puts a value under each of these keys.
    pub(in crate::facts::python::values) fn put(&mut self, site: Val, keys: Set, value: Set) {
        self.note_growth(site);
        self.put_first(site, keys, value);
    }

    /// Puts a value under each of these keys as the collection is made.
    fn put_first(&mut self, site: Val, keys: Set, value: Set) {
        self.pour(Pool::Keys(site), keys);
        if self.heap.is_dictionary(site) {
            self.compare_with(site, None);
        }
        if keys.overflowed || keys.is_empty() {
            self.write(site, None, value);
        }
        for key in keys.iter() {
            let key = Some(key).filter(|key| self.is_key(*key));
            self.write(site, key, value);
        }
    }

    /// Whether equal keys are the same: a number may be written in several ways.
    fn is_key(&self, key: Atom) -> bool {
        match key {
            Atom::Text(_) => true,
            Atom::Literal(text) => self.is_decimal(text),
            Atom::Unknown
            | Atom::Bytes(_)
            | Atom::Plain(_)
            | Atom::Partial(_)
            | Atom::Name(_)
            | Atom::From(_)
            | Atom::Path(_)
            | Atom::Own(_)
            | Atom::Instance(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Held(_) => false,
        }
    }

    /// Writes to one place, or to one that is not known.
    pub(in crate::facts::python::values) fn write(
        &mut self,
        site: Val,
        key: Option<Atom>,
        value: Set,
    ) {
        let known = self.heap.sites.entry(site).or_default();
        let told = !known.mixed && !known.lost;
        let Some(key) = key.filter(|_| told) else {
            self.pour(Pool::Rest(site), value);
            return;
        };
        if !known.fields.contains(&key) {
            if known.fields.len() >= FIELDS_MAX {
                self.pour(Pool::Rest(site), value);
                self.mix(site);
                return;
            }
            known.fields.push(key);
            self.pools.touch(Pool::Rest(site));
        }
        self.pour(Pool::Field(site, key), value);
    }

    /// Notes that the places of a collection are told apart no longer.
    pub(in crate::facts::python::values) fn mix(&mut self, site: Val) {
        let known = self.heap.sites.entry(site).or_default();
        if !std::mem::replace(&mut known.mixed, true) {
            self.pools.touch(Pool::Rest(site));
        }
    }

    /// What a collection holds under a key, or anywhere.
    pub(in crate::facts::python::values) fn read(&mut self, site: Val, key: Option<Atom>) -> Set {
        let mut set = self.draw(Pool::Rest(site));
        let Some(known) = self.heap.sites.get(&site) else {
            return set;
        };
        let told = !known.mixed && !known.lost;
        let fields = match key.filter(|key| told && self.is_key(*key)) {
            Some(key) if known.fields.contains(&key) => vec![key],
            Some(_) => Vec::new(),
            None => known.fields.clone(),
        };
        for key in fields {
            let field = self.draw(Pool::Field(site, key));
            self.join(&mut set, &field);
        }
        set
    }

    /// What walking a collection gives.
    pub(in crate::facts::python::values) fn walk(&mut self, site: Val) -> Set {
        if self.heap.is_dictionary(site) {
            return self.draw(Pool::Keys(site));
        }
        self.read(site, None)
    }

    /// The values of a collection at places that are known to follow each other, where they are.
    pub(in crate::facts::python::values) fn places(&mut self, site: Val) -> Option<Vec<Set>> {
        let rest = self.draw(Pool::Rest(site));
        let known = self.heap.sites.get(&site)?;
        if known.mixed || known.lost || known.dictionary || !rest.is_empty() {
            return None;
        }
        let fields = known.fields.clone();
        Some(fields.into_iter().map(|key| self.draw(Pool::Field(site, key))).collect())
    }

    /// The keys of a collection, where all of them are told apart.
    pub(in crate::facts::python::values) fn told_apart(&mut self, site: Val) -> Option<Vec<Atom>> {
        let rest = self.draw(Pool::Rest(site));
        let known = self.heap.sites.get(&site)?;
        let apart = rest.is_empty() && !known.mixed && !known.lost;
        apart.then(|| known.fields.clone())
    }

    /// How many places a list has, where they are known to follow each other.
    pub(in crate::facts::python::values) fn length_of(&self, site: Val) -> Option<usize> {
        let known = self.heap.sites.get(&site)?;
        let told = !known.dictionary && !known.set && !known.mixed && !known.lost;
        told.then_some(known.fields.len())
    }

    /// The keys that are told apart in a dictionary that nothing unseen happened to.
    pub(in crate::facts::python::values) fn keys_told(&self, site: Val) -> Option<&[Atom]> {
        let known = self.heap.sites.get(&site)?;
        let told = known.dictionary && !known.mixed && !known.lost;
        told.then_some(known.fields.as_slice())
    }

    /// Puts what another collection holds into this one.
    pub(in crate::facts::python::values) fn merge(&mut self, site: Val, from: Set) {
        for atom in from.iter() {
            let Atom::Held(other) = atom else {
                let elements = self.elements_of(Set::one(atom));
                self.pour(Pool::Rest(site), elements);
                self.pour(Pool::Keys(site), Set::unknown());
                continue;
            };
            if other == site {
                continue;
            }
            if !self.heap.is_dictionary(other) || !self.heap.is_dictionary(site) {
                let elements = self.walk(other);
                self.merge_elements(site, elements);
                continue;
            }
            let keys = self.draw(Pool::Keys(other));
            self.pour(Pool::Keys(site), keys);
            let rest = self.draw(Pool::Rest(other));
            self.pour(Pool::Rest(site), rest);
            let fields = self.heap.sites.get(&other).map(|known| known.fields.clone());
            for key in fields.unwrap_or_default() {
                let field = self.draw(Pool::Field(other, key));
                self.write(site, Some(key), field);
            }
        }
    }

    /// The elements of what is walked; for a dictionary they are pairs.
    fn merge_elements(&mut self, site: Val, elements: Set) {
        if !self.heap.is_dictionary(site) {
            self.pour(Pool::Rest(site), elements);
            return;
        }
        let keys = self.parts_of(elements, 0);
        let values = self.parts_of(elements, 1);
        self.put(site, keys, values);
    }
}
