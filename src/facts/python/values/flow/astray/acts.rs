//! What is done to things of which it is not known what they are.

use super::is_object;
use crate::facts::python::program::{Access, Kind, Operands, Sym, Val, number};
use crate::facts::python::values::flow::Pool;
use crate::facts::python::values::{Atom, Set, Values};
use crate::facts::{Handling, Implicit};

/// Hooks that answer for attributes of any name.
const ANSWERING: [&str; 2] = ["__getattr__", "__getattribute__"];

impl Values<'_> {
    /// Whether something unknown is called with anything, or changed.
    pub(super) fn acts_on_unknown(&mut self) -> bool {
        let steps = 0..number(self.program.ops.len());
        steps.into_iter().any(|at| self.acts(self.program.kind(Val(at))))
    }

    fn acts(&mut self, kind: Kind) -> bool {
        if let Kind::Call { callee, arguments, implicit } = kind {
            return self.calls_unknown(callee, arguments, implicit);
        }
        if let Kind::Item { base, access: Access::Delete, .. } = kind {
            return self.is_strange(self.of(base));
        }
        matches!(kind, Kind::Store { target, .. } if self.stores_strange(target))
    }

    fn calls_unknown(
        &mut self,
        callee: Val,
        arguments: Operands,
        implicit: Option<Implicit>,
    ) -> bool {
        if implicit == Some(Implicit::Decorator) {
            return self.accessor(callee).is_none() && self.calls_strange(callee);
        }
        if self.program.operands(arguments).is_empty() {
            return false;
        }
        match self.method_of(callee) {
            Some((base, name)) => self.calls_method(callee, (base, name)),
            None => self.calls_strange(callee) || self.changes_strange(callee, arguments),
        }
    }

    /// Whether a value may be something that went astray. What was never seen to be given may be
    /// anything.
    fn is_strange(&self, set: Set) -> bool {
        set.is_empty() || self.may_be_lent(set)
    }

    /// What a library is known to hand out for that leaves what it is given as it is.
    fn calls_strange(&self, callee: Val) -> bool {
        let known = |atom: Atom| {
            let handling = atom.library().map(|name| self.library_handling(callee, name));
            matches!(handling, Some(Handling::Decorates | Handling::Wraps))
        };
        let callees = self.of(callee);
        callees.is_empty() || (self.is_strange(callees) && !callees.all(known))
    }

    /// A function such as `heapq.heappush` changes what it is given.
    fn changes_strange(&self, callee: Val, arguments: Operands) -> bool {
        let text = |name| self.program.symbols.text(name);
        self.of(callee).names().any(|name| self.changes_by_name(text(name)))
            && self
                .program
                .operands(arguments)
                .iter()
                .any(|one| self.is_strange(self.of(one.value)))
    }

    /// A method of something unknown is found by its name, unless a collection has it or nobody
    /// knows what goes by that name.
    fn calls_method(&mut self, callee: Val, (base, name): (Set, Sym)) -> bool {
        let changing = !self.is_super_of_known(callee, base);
        let listed = |atom: Atom| {
            let handling = atom.library().map(|name| self.library_handling(callee, name));
            handling.is_some_and(|handling| handling != Handling::Keeps)
        };
        let changing = changing && self.changes_by_name(self.program.symbols.text(name));
        base.is_empty()
            || (changing && self.is_strange(base) && !base.all(listed))
            || (self.may_be_bound(name) && self.holds_strange(base, callee, name))
    }

    /// Whether it is `super()` in a class of which it is known what it derives from, and whose
    /// objects hold nothing but their attributes.
    fn is_super_of_known(&mut self, callee: Val, base: Set) -> bool {
        let known = base.single().and_then(|base| self.relatives_of_super(callee, base));
        known.is_some_and(|family| !family.iter().any(|class| self.is_holding(*class)))
    }

    /// Whether the program may have put something under this name.
    fn may_be_bound(&self, name: Sym) -> bool {
        let asked = ANSWERING.iter().any(|hook| self.program.symbols.find(hook).is_some());
        asked || self.classes.is_written(name) || !self.classes.members(name).is_empty()
    }

    /// Whether what an object has under a name may be strange.
    fn holds_strange(&mut self, base: Set, callee: Val, name: Sym) -> bool {
        if base.all(is_object) {
            return self.is_strange(self.of(callee));
        }
        let hidden =
            |atom: Atom| is_object(atom) || atom == Atom::Unknown || atom.library().is_some();
        base.iter().any(hidden) && {
            let held = self.held_by_any(name);
            self.is_strange(held)
        }
    }

    /// What attributes of this name hold, of whatever object.
    fn held_by_any(&mut self, name: Sym) -> Set {
        let owners = self.classes.owners(name).into_iter().map(Some);
        let mut held = Set::default();
        for owner in owners.chain([None]) {
            let written = self.draw(Pool::Attribute(owner, name));
            self.join(&mut held, &written);
        }
        for (_, cell) in self.classes.members(name) {
            self.join(&mut held, &self.cell(cell));
        }
        held
    }

    /// Attributes of something unknown are found by their names.
    fn stores_strange(&self, target: Val) -> bool {
        let kind = self.program.kind(target);
        if let Kind::Item { base, .. } = kind {
            return self.is_strange(self.of(base));
        }
        kind.attribute().is_none_or(|(base, _)| self.of(base).is_empty())
    }
}
