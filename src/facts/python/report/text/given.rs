//! What a call gives to parameters that texts and mappings matter to: stars taken apart, whatever
//! way the function is called.
//!
//! Must never count places for sure where they may be others.

use crate::facts::python::program::{Op, Operand, Slot, Sym, Val};
use crate::facts::python::report::Teller;
use crate::facts::python::values::{Atom, Set};

/// How a function calls what it is given first with what follows.
#[derive(Debug, Clone, Copy)]
enum Applied {
    /// With more that is not seen here.
    Later,
    /// With what each of the others holds.
    Each,
    /// With the parts of what the other holds.
    Rows,
}

/// What is called, and what it is given.
pub(in super::super) struct Called<'given> {
    pub(in super::super) callee: Val,
    pub(in super::super) given: &'given [(Operand, Set)],
    /// Whether it may be a method that is called on its class, the object given first.
    unbound: bool,
}

impl Called<'_> {
    /// Whether what stands at a place may be passed at a position.
    pub(in super::super) fn takes(&self, place: usize, position: Option<usize>) -> bool {
        let (Some(position), Some((operand, _))) = (position, self.given.get(place)) else {
            return false;
        };
        let before = self.given.get(..place).unwrap_or_default();
        let floating = before.iter().any(|(operand, _)| operand.slot == Slot::Star);
        match operand.slot {
            Slot::Position if floating => true,
            Slot::Position => place == position || (self.unbound && place == position + 1),
            Slot::Star => true,
            Slot::Keyword(_) | Slot::DoubleStar => false,
        }
    }
}

impl Teller<'_, '_> {
    /// Zones, properties and options that a call is given, or that what it calls will be given.
    pub(in super::super) fn tell_texts_given(
        &mut self,
        op: &Op,
        callee: Val,
        operands: &[Operand],
    ) {
        let given = self.values.spread(operands);
        self.tell_texts_of(op, callee, (operands, &given));
        for base in self.bases_of_call(op, callee) {
            self.tell_texts_of(op, base, (operands, &given));
        }
        if let (Some(applied), Some((function, rest))) =
            (self.applied(callee), operands.split_first())
        {
            let given = self.given_on(applied, rest);
            self.tell_texts_of(op, function.value, (rest, &given));
        }
    }

    fn applied(&self, callee: Val) -> Option<Applied> {
        self.values.of(callee).names().find_map(|name| {
            match self.values.program.symbols.text(name) {
                "functools.partial" | "functools.partialmethod" => Some(Applied::Later),
                "map" | "filter" => Some(Applied::Each),
                "itertools.starmap" => Some(Applied::Rows),
                _ => None,
            }
        })
    }

    /// What a function will be given by what it is handed to.
    fn given_on(&mut self, applied: Applied, rest: &[Operand]) -> Vec<(Operand, Set)> {
        let mut given = self.values.spread(rest);
        match applied {
            Applied::Later => {
                let value = Val(u32::MAX);
                given.push((Operand { slot: Slot::Star, value }, Set::unknown()));
            }
            Applied::Each => {
                for (_, set) in &mut given {
                    *set = self.each_of(*set);
                }
            }
            Applied::Rows => {
                for (operand, set) in &mut given {
                    operand.slot = Slot::Star;
                    let rows = self.each_of(*set);
                    *set = self.each_of(rows);
                }
            }
        }
        given
    }

    /// What a collection holds, which is walked.
    fn each_of(&mut self, set: Set) -> Set {
        let mut all = Set::default();
        for atom in set.iter() {
            let held = if let Atom::Held(site) = atom {
                self.values.elements_under(site)
            } else {
                Set::one(atom)
            };
            all.join(&held, &mut self.values.program.symbols);
        }
        all
    }

    fn tell_texts_of(
        &mut self,
        op: &Op,
        callee: Val,
        (operands, given): (&[Operand], &[(Operand, Set)]),
    ) {
        let called = Called { callee, given, unbound: self.is_unbound(callee) };
        self.tell_mappings(op, &called, operands);
        self.tell_zones(op, &called);
        self.tell_options(op, &called);
    }

    /// Whether it is a member of a class, or of what may be one.
    fn is_unbound(&self, callee: Val) -> bool {
        let class = |name: Sym| {
            let text = self.values.program.symbols.text(name);
            let owner = text.rsplit('.').nth(1).unwrap_or_default();
            owner.starts_with(|first: char| first.is_ascii_uppercase())
        };
        self.values.of(callee).iter().any(|atom| match atom {
            Atom::Name(name) => class(name),
            Atom::From(name) => self.values.program.symbols.text(name) == "type",
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Partial(_)
            | Atom::Path(_)
            | Atom::Own(_)
            | Atom::Instance(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Held(_) => false,
        })
    }
}
