//! Keys and places of collections that are told apart.
//!
//! Must never tell those of a collection apart that something unseen happened to.

use crate::facts::python::program::Val;
use crate::facts::python::values::flow::Pool;
use crate::facts::python::values::{Atom, Set, Values};

impl Values<'_> {
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
}
