//! Members that a text names: `getattr` and its kin.
//!
//! Must never take a name for known of which only the beginning is.

use crate::facts::python::program::{Operands, Sym, Val};
use crate::facts::python::values::flow::Passed;
use crate::facts::python::values::held::position;
use crate::facts::python::values::{Atom, Set, Values};

/// Methods of which one is meant that are followed one by one.
const METHODS_MAX: usize = 4;

impl Values<'_> {
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
        let listed = written.and_then(|(_, name)| self.names_meant(name));
        let mut set = self.each(names, |values, name| {
            if let Some(among) = among.as_ref().filter(|_| name.text().is_none()) {
                return values.either_member(base, among);
            }
            if let Some(listed) = listed.as_ref().filter(|_| name.text().is_none()) {
                return values.members_of(base, listed);
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
        let closed = base.all(|atom| match atom {
            Atom::Own(class) | Atom::Instance(class) => {
                !self.is_function(class)
                    && !self.is_open(class)
                    && !self.is_enumeration(class)
                    && self.classes.holds_its_own(class)
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
            | Atom::Several(_)
            | Atom::Held(_) => false,
        });
        if !closed || base.is_empty() {
            return None;
        }
        let start = self
            .beginning(name)
            .filter(|start| !start.starts_with("__") && !start.trim_start_matches('_').is_empty());
        match start {
            Some(start) => Some(self.members_beginning(&start)),
            None => {
                let names = self.names_meant(name)?;
                let dunder = |name: &Sym| self.program.symbols.text(*name).starts_with("__");
                (!names.iter().any(dunder)).then_some(names)
            }
        }
    }

    /// The members of these names, of whatever object.
    fn members_of(&mut self, base: Set, names: &[Sym]) -> Set {
        let mut set = Set::default();
        for name in names {
            self.lose_owners(base, *name);
            let member = self.each(base, |values, atom| values.attribute(atom, *name));
            self.join(&mut set, &member);
        }
        set
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
        let mut methods = Vec::new();
        for name in names {
            self.lose_owners(base, *name);
            let member = self.each(base, |values, atom| values.known_member(atom, *name));
            set.overflowed |= member.overflowed;
            for atom in member.iter() {
                if let Atom::Bound(method) = atom {
                    methods.push(method);
                } else {
                    self.add(&mut set, atom);
                }
            }
        }
        if methods.len() > METHODS_MAX {
            let list = self.functions.one_of(methods);
            self.add(&mut set, Atom::Several(list));
        } else {
            for method in methods {
                self.add(&mut set, Atom::Bound(method));
            }
        }
        set
    }

    /// The names of the methods of which one is meant.
    pub(in crate::facts::python) fn names_of_several(&self, list: u32) -> Vec<Sym> {
        let methods = self.functions.several(list).into_iter();
        methods.filter_map(|method| self.program.def(method).map(|def| def.name)).collect()
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
}
