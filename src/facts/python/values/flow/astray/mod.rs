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
use std::collections::HashSet;

impl Values<'_> {
    /// Loses everything that may have gone astray, where it matters; tells whether that changes
    /// anything. To be asked when the sets stopped growing.
    pub(in crate::facts::python::values) fn lose_astray(&mut self) -> bool {
        if self.pools.loose || !self.acts_on_unknown() {
            return false;
        }
        for atom in self.loose_ends() {
            self.lose(Set::one(atom));
        }
        self.lose_attributes();
        self.pools.stale
    }

    /// What objects hold that left our sight, and what their classes bind.
    fn lose_attributes(&mut self) {
        let mut seen = HashSet::new();
        loop {
            let lost = self.pools.lost_definitions();
            let new: Vec<DefId> = lost.into_iter().filter(|def| seen.insert(*def)).collect();
            if new.is_empty() {
                return;
            }
            for def in new {
                self.lose_attributes_of(def);
            }
        }
    }

    fn lose_attributes_of(&mut self, def: DefId) {
        let within = self.program.def(def).map(|def| DefId(def.within.0));
        let class = if self.is_function(def) { within } else { Some(def) };
        for class in class.map(|class| self.family(class)).unwrap_or_default() {
            for name in self.classes.attributes(class) {
                for atom in self.leak(Pool::Attribute(Some(class), name)) {
                    self.lose(Set::one(atom));
                }
            }
            for cell in self.classes.parts.of(class) {
                self.lose(self.cell(cell));
            }
        }
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
