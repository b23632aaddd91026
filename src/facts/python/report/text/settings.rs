//! The settings of a library that plots: mappings that are kept, and judged where they change.
//!
//! Must never let settings out of sight that something may change by keys that are not seen.

use super::mappings::{DEPTH_MAX, PLOTTING};
use crate::facts::GapKind;
use crate::facts::python::program::{Op, Operand, Operator, Sym, Val};
use crate::facts::python::report::Teller;
use crate::facts::python::values::Atom;

/// What the names of its settings hold.
const SETTINGS: [&str; 2] = [".rcParams", ".style.library"];

/// Functions that settings may be given to as a whole, since they only look at them.
const LOOKING: [&str; 11] = [
    "copy.copy",
    "copy.deepcopy",
    "dict",
    "isinstance",
    "iter",
    "len",
    "list",
    "print",
    "repr",
    "sorted",
    "str",
];

impl Teller<'_, '_> {
    pub(super) fn are_settings(&self, name: Sym) -> bool {
        let name = self.values.program.symbols.text(name);
        SETTINGS.iter().any(|settings| name.contains(settings))
    }

    pub(in super::super) fn may_be_settings(&self, value: Val) -> bool {
        self.values.of(value).iter().filter_map(Atom::library).any(|name| self.are_settings(name))
    }

    /// Settings that are handed to what may change them by keys that are not seen here.
    pub(super) fn tell_settings_handed_on(&mut self, op: &Op, callee: Val, operands: &[Operand]) {
        let looks = self.values.of(callee).all(|atom| {
            let name = atom.library().map(|name| self.values.program.symbols.text(name));
            let looks = |name: &str| LOOKING.contains(&name) || name.starts_with(PLOTTING);
            name.is_some_and(looks) || atom.own().is_some()
        });
        if !looks && operands.iter().any(|operand| self.may_be_settings(operand.value)) {
            self.gap(GapKind::Arguments, "settings of a library are handed on", op);
        }
    }

    /// `settings | mapping`, and the same in place.
    pub(in super::super) fn tell_merged(
        &mut self,
        op: &Op,
        operator: Operator,
        (left, right): (Val, Val),
    ) {
        if operator == Operator::Other && self.may_be_settings(left) {
            self.tell_mapping(op, self.values.of(right), DEPTH_MAX);
        }
    }

    /// What a setting is set to, where its name is known.
    pub(super) fn tell_setting_value(&mut self, op: &Op, key: Val, value: Val) {
        for key in self.values.of(key).iter().filter_map(Atom::text) {
            let key = self.word(key);
            self.tell_property_value(op, &key, self.values.of(value), DEPTH_MAX);
        }
    }
}
