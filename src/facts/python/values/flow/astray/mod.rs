//! The net under all that is followed. Where something is done to a thing of which it is not
//! known what it is, that thing may be any of the program's own that was ever used in a way that
//! is not wholly followed: all of those leave our sight.
//!
//! Must never take a use for followed, or a thing for known, that is not listed here.

mod acts;
mod uses;

use super::Pool;
use crate::facts::Handling;
use crate::facts::python::program::{DefId, Kind, Sym, Val};
use crate::facts::python::values::{Atom, Set, Values};
use acts::Acts;
use std::collections::HashSet;

impl Values<'_> {
    /// Loses everything that may have gone astray, where it matters; tells whether that changes
    /// anything. To be asked when the sets stopped growing.
    pub(in crate::facts::python::values) fn lose_astray(&mut self) -> bool {
        if self.pools.loose {
            return false;
        }
        let acts = self.acts();
        if acts == Acts::default() {
            return false;
        }
        let mut open = self.loose_ends();
        open.extend(self.pools.lost_definitions().into_iter().map(Atom::Instance));
        let mut seen = HashSet::new();
        while let Some(atom) = open.pop() {
            if seen.insert(atom) {
                open.extend(self.lose_by(acts, atom));
            }
        }
        self.pools.stale
    }

    /// Loses a value where what was done may have been done to it; gives what may be reached
    /// through it.
    fn lose_by(&mut self, acts: Acts, atom: Atom) -> Vec<Atom> {
        if let Atom::Several(list) = atom {
            return self.functions.several(list).into_iter().map(Atom::Bound).collect();
        }
        if self.concerns(acts, atom) {
            self.lose(Set::one(atom));
        } else if acts.changes {
            self.lose_results(Set::one(atom));
        }
        let (Atom::Instance(def) | Atom::Own(def) | Atom::Bound(def)) = atom else {
            return Vec::new();
        };
        self.reached_through(def)
    }

    /// What the objects of a class hold, or of the class that a method is of, and what it binds.
    fn reached_through(&mut self, def: DefId) -> Vec<Atom> {
        let within = self.program.def(def).map(|def| DefId(def.within.0));
        let class = if self.is_function(def) { within } else { Some(def) };
        let mut held = Vec::new();
        for class in class.map(|class| self.family(class)).unwrap_or_default() {
            for name in self.classes.attributes(class) {
                held.extend(self.draw(Pool::Attribute(Some(class), name)).iter());
            }
            for cell in self.classes.parts.of(class) {
                held.extend(self.cell(cell).iter());
            }
        }
        held.retain(|atom| atom.is_followed());
        held
    }

    /// Whether what was done may have been done to this, or to what it holds.
    fn concerns(&mut self, acts: Acts, atom: Atom) -> bool {
        if let Atom::Held(site) = atom {
            return acts.changes || (acts.calls && self.holds_callable(site));
        }
        let class = matches!(atom, Atom::Own(def) if !self.is_function(def));
        acts.calls || (class && acts.unbound)
    }

    /// Whether anything that can be called is in a collection, however deep.
    pub(in crate::facts::python::values::flow) fn holds_callable(&mut self, site: Val) -> bool {
        let (mut open, mut seen) = (vec![site], HashSet::from([site]));
        while let Some(site) = open.pop() {
            for atom in self.held_in(site).iter().filter(|atom| atom.is_followed()) {
                let Atom::Held(inner) = atom else { return true };
                if seen.insert(inner) {
                    open.push(inner);
                }
            }
        }
        false
    }

    /// What something of a library does that is called by this step.
    fn library_handling(&self, callee: Val, called: Sym) -> Handling {
        let text = self.program.symbols.text(called);
        let function = self.names.handling(text);
        match self.program.kind(callee).attribute() {
            Some((_, method)) if function == Handling::Keeps => {
                self.names.method_handling(text, self.program.symbols.text(method))
            }
            _ => function,
        }
    }

    /// The object and the name of a method, where a step reads one.
    fn method_of(&self, callee: Val) -> Option<(Set, Sym)> {
        let Kind::Attribute { base, name, .. } = self.program.kind(callee) else { return None };
        Some((self.of(base), name))
    }
}

fn is_object(atom: Atom) -> bool {
    matches!(atom, Atom::Own(_) | Atom::Instance(_))
}
