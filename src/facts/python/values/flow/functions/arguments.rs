//! What a call passes, stars taken apart.
//!
//! Must never leave out what a star may pass.

use crate::facts::python::program::{Operand, Operands, Slot, Sym, Val};
use crate::facts::python::values::flow::Pool;
use crate::facts::python::values::{Atom, Set, Values};

/// One thing that a call passes.
#[derive(Debug, Clone, Copy)]
pub(in crate::facts::python::values) struct Passed {
    pub(in crate::facts::python::values) by: By,
    pub(in crate::facts::python::values) value: Set,
}

/// How it is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::facts::python::values) enum By {
    Position,
    /// Any number of positions.
    Positions,
    Keyword(Sym),
    /// Any keywords.
    Keywords,
}

impl Values<'_> {
    /// What is passed by a call, stars taken apart as far as what they hold is known.
    pub(in crate::facts::python::values) fn passed(&mut self, arguments: Operands) -> Vec<Passed> {
        let mut passed = Vec::new();
        for operand in self.program.operands(arguments).to_vec() {
            let value = self.of(operand.value);
            match operand.slot {
                Slot::Position => passed.push(Passed { by: By::Position, value }),
                Slot::Keyword(name) => passed.push(Passed { by: By::Keyword(name), value }),
                Slot::Star => self.pass_star(value, &mut passed),
                Slot::DoubleStar => self.pass_stars(value, &mut passed),
            }
        }
        passed
    }

    pub(in crate::facts::python::values) fn pass_star(
        &mut self,
        value: Set,
        passed: &mut Vec<Passed>,
    ) {
        let places = match value.single() {
            Some(Atom::Held(site)) => self.places(site),
            _ => None,
        };
        if let Some(places) = places {
            passed.extend(places.into_iter().map(|value| Passed { by: By::Position, value }));
            return;
        }
        let value = self.elements_of(value);
        passed.push(Passed { by: By::Positions, value });
    }

    /// What a call gives, stars taken apart where what they hold is known: the operand that stands
    /// for each, and its values. A star of which not everything is known stays one.
    pub(in crate::facts::python) fn spread(&mut self, operands: &[Operand]) -> Vec<(Operand, Set)> {
        let mut given = Vec::new();
        for operand in operands {
            let value = self.of(operand.value);
            match operand.slot {
                Slot::Position | Slot::Keyword(_) => given.push((*operand, value)),
                Slot::Star => {
                    let mut passed = Vec::new();
                    self.pass_star(value, &mut passed);
                    given.extend(passed.into_iter().map(|passed| {
                        let known = passed.by == By::Position;
                        let slot = if known { Slot::Position } else { Slot::Star };
                        (Operand { slot, ..*operand }, passed.value)
                    }));
                }
                Slot::DoubleStar => self.spread_mapping(*operand, value, &mut given),
            }
        }
        given
    }

    /// How many positions a star surely passes.
    pub(in crate::facts::python) fn star_length(&self, star: Val) -> Option<usize> {
        let Some(Atom::Held(site)) = self.of(star).single() else { return None };
        self.length_of(site).filter(|_| self.holds_nothing(Pool::Rest(site)))
    }

    /// Whether a mapping of keywords surely does not hold this one.
    pub(in crate::facts::python) fn lacks(&self, mapping: Val, keyword: &str) -> bool {
        let set = self.of(mapping);
        let other =
            |key: &Atom| key.text().is_some_and(|text| self.program.symbols.text(text) != keyword);
        !set.is_empty()
            && set.all(|atom| {
                let Atom::Held(site) = atom else { return self.is_none(atom) };
                self.holds_nothing(Pool::Rest(site))
                    && self.keys_told(site).is_some_and(|keys| keys.iter().all(other))
            })
    }

    fn spread_mapping(&mut self, operand: Operand, value: Set, given: &mut Vec<(Operand, Set)>) {
        let mut known = !value.is_empty() && !value.overflowed;
        for atom in value.iter() {
            let Atom::Held(site) = atom else {
                known &= self.is_none(atom);
                continue;
            };
            let keys = self.keys_of(site);
            known &= keys.iter().all(|key| matches!(key, Atom::Text(_)));
            for name in keys.into_iter().filter_map(Atom::text) {
                let slot = Slot::Keyword(name);
                given.push((Operand { slot, ..operand }, self.held_under(site, Atom::Text(name))));
            }
        }
        if !known {
            given.push((operand, value));
        }
    }

    fn pass_stars(&mut self, value: Set, passed: &mut Vec<Passed>) {
        let mapping = |atom: Atom| matches!(atom, Atom::Held(_)) || self.is_none(atom);
        if value.is_empty() || !value.all(mapping) {
            // What one of them holds may be passed all the same.
            self.lose(value);
            let value = if value.is_empty() { value } else { Set::unknown() };
            passed.push(Passed { by: By::Keywords, value });
            return;
        }
        for atom in value.iter() {
            if let Atom::Held(site) = atom {
                self.pass_mapping(site, passed);
            }
        }
    }

    fn pass_mapping(&mut self, site: Val, passed: &mut Vec<Passed>) {
        let keys = self.draw(Pool::Keys(site));
        let texts: Vec<_> = keys.iter().filter_map(Atom::text).collect();
        let named = keys.all(|atom| matches!(atom, Atom::Text(_)));
        if !named {
            let value = self.read(site, None);
            passed.push(Passed { by: By::Keywords, value });
        }
        for name in texts {
            let value = self.read(site, Some(Atom::Text(name)));
            passed.push(Passed { by: By::Keyword(name), value });
        }
    }
}
