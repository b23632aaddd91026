//! What a class holds that is made of a mapping: of names that are not known any may be one that
//! says more than data.
//!
//! Must never take a mapping for the body of a class whose keys are not known.

use crate::facts::GapKind;
use crate::facts::python::program::{DefId, Op, Operand, Operator, Slot, Val};
use crate::facts::python::report::Teller;
use crate::facts::python::report::calls::Callee;
use crate::facts::python::values::{Atom, Set};

/// Classes of classes.
const METACLASSES: [&str; 4] = ["abc.ABCMeta", "enum.EnumMeta", "enum.EnumType", "type"];

/// Methods that put into a mapping what another holds, or one item.
const MERGING: [&str; 2] = ["update", "__ior__"];
const PUTTING: [&str; 2] = ["setdefault", "__setitem__"];

const WHY: &str = "which names a class is given is not known";

impl Teller<'_, '_> {
    /// Whether the program has a class of classes of its own, which is given what others hold.
    pub(in super::super) fn makes_metaclasses(&self) -> bool {
        self.bases.iter().any(|base| {
            let names = self.values.of(*base);
            let mut names = names.names().map(|name| self.values.program.symbols.text(name));
            names.any(|name| METACLASSES.contains(&name))
        })
    }

    /// A class that is made by a call: `type(name, bases, members)`.
    pub(in super::super) fn tell_members_given(
        &mut self,
        op: &Op,
        (callee, callees): (Val, &[Callee<'_>]),
        operands: &[Operand],
    ) {
        let [_, _, members, ..] = operands else { return };
        let own = self.metaclasses && {
            let classes: Vec<DefId> = self.values.of(callee).iter().filter_map(Atom::own).collect();
            classes.into_iter().any(|class| self.is_metaclass(class))
        };
        let library = callees.iter().any(|callee| METACLASSES.contains(&&*callee.name));
        if (own || library) && !self.has_known_keys(self.values.of(members.value)) {
            self.gap(GapKind::OwnAttribute, WHY, op);
        }
    }

    fn is_metaclass(&self, class: DefId) -> bool {
        self.library_bases(class)
            .iter()
            .filter_map(|base| base.name())
            .any(|name| METACLASSES.contains(&self.values.program.symbols.text(name)))
    }

    /// Whether no name that a mapping holds came out of data. What is not known of a mapping that
    /// is written in the program is what has become of it since.
    fn has_known_keys(&mut self, set: Set) -> bool {
        set.iter().all(|atom| {
            let Atom::Held(site) = atom else { return atom.is_plain() };
            self.values.keys_of(site).into_iter().all(is_known)
        })
    }

    /// What class bodies are made of may be this mapping, where it is handed to a function: names
    /// are put into it.
    pub(in super::super) fn tell_names_put(&mut self, op: &Op, (base, key): (Val, Set)) {
        if self.metaclasses && self.is_handed_over(base) && !key.all(is_known) {
            self.gap(GapKind::OwnAttribute, WHY, op);
        }
    }

    fn is_handed_over(&self, value: Val) -> bool {
        let attribute = self.values.program.kind(value).attribute().is_some();
        !attribute && self.values.of(value).has(Atom::Unknown)
    }

    /// The same by a method of the mapping.
    pub(in super::super) fn tell_names_merged(
        &mut self,
        op: &Op,
        callee: Val,
        operands: &[Operand],
    ) {
        let attribute = self.values.program.kind(callee).attribute();
        let Some((base, name)) = attribute.filter(|_| self.metaclasses) else { return };
        let word = self.word(name);
        let Some(first) = operands.first() else { return };
        let set = self.values.of(first.value);
        if PUTTING.contains(&&*word) {
            self.tell_names_put(op, (base, set));
        } else if MERGING.contains(&&*word) && self.is_handed_over(base) {
            let keyword = matches!(first.slot, Slot::Keyword(_));
            if !keyword && !set.has(Atom::Unknown) && !self.has_known_keys(set) {
                self.gap(GapKind::OwnAttribute, WHY, op);
            }
        }
    }

    /// The same by an operator, or in a display.
    pub(in super::super) fn tell_names_joined(
        &mut self,
        op: &Op,
        (operator, left, right): (Operator, Val, Val),
    ) {
        let known = |teller: &mut Self, value: Val| {
            let set = teller.values.of(value);
            set.has(Atom::Unknown) || teller.has_known_keys(set)
        };
        let unknown =
            self.values.of(left).has(Atom::Unknown) || self.values.of(right).has(Atom::Unknown);
        if self.metaclasses
            && operator == Operator::Other
            && unknown
            && !(known(self, left) && known(self, right))
        {
            self.gap(GapKind::OwnAttribute, WHY, op);
        }
    }

    /// The same of mappings that are written out in a display or in a class statement.
    pub(in super::super) fn tell_names_spread(&mut self, op: &Op, operands: &[Operand]) {
        for operand in operands.iter().filter(|operand| operand.slot == Slot::DoubleStar) {
            let set = self.values.of(operand.value);
            if self.metaclasses && !set.has(Atom::Unknown) && !self.has_known_keys(set) {
                self.gap(GapKind::OwnAttribute, WHY, op);
            }
        }
    }
}

/// Whether a name is known, or is one of those that the interpreter handed over.
fn is_known(name: Atom) -> bool {
    matches!(name, Atom::Unknown | Atom::Text(_) | Atom::Literal(_) | Atom::Own(_) | Atom::Bytes(_))
}
