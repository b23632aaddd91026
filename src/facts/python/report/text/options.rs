//! Options of a library of tables, one of which names a module that plots.
//!
//! Must never take a name that is not known for the name of another option.

use super::given::Called;
use crate::facts::GapKind;
use crate::facts::python::program::{Op, Slot};
use crate::facts::python::report::Teller;
use crate::facts::python::values::{Atom, Set};

/// Functions that take names of options, each with a value.
const SETTING: [&str; 3] = [".set_option", ".option_context", ".reset_option"];

impl Teller<'_, '_> {
    /// Options that are named by a pattern: by a part of their name, or by what matches it.
    pub(super) fn tell_options(&mut self, op: &Op, called: &Called<'_>) {
        let sets = self.values.of(called.callee).names().any(|name| {
            let name = self.values.program.symbols.text(name);
            SETTING.iter().any(|option| name.ends_with(option))
        });
        if !sets {
            return;
        }
        // Names and values take turns; of a single name the value may be one of many.
        for (place, (operand, set)) in called.given.iter().enumerate() {
            let value = called.given.get(place + 1).map(|(_, value)| *value).unwrap_or_default();
            match operand.slot {
                Slot::Position if place % 2 == 1 => {}
                Slot::Star | Slot::DoubleStar => self.tell_option(op, Set::unknown(), *set),
                Slot::Keyword(_) => self.tell_option(op, *set, Set::unknown()),
                Slot::Position => self.tell_option(op, *set, value),
            }
        }
    }

    fn tell_option(&mut self, op: &Op, names: Set, value: Set) {
        for atom in names.iter() {
            match atom {
                Atom::Text(text) => {
                    let pattern = self.word(text);
                    self.tell_option_like(op, &pattern);
                }
                Atom::Held(site) => {
                    let values = self.values.elements_under(site);
                    for name in self.values.keys_of(site) {
                        let held = matches!(name, Atom::Held(_));
                        let name = if held { Atom::Unknown } else { name };
                        self.tell_option(op, Set::one(name), values);
                    }
                }
                Atom::Literal(_) => {}
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
                | Atom::Several(_) => {
                    // Numbers and truths name no module.
                    if value.is_empty() || !value.all(|atom| self.values.is_number_or_none(atom)) {
                        self.gap(GapKind::Attribute, "which option is meant is not known", op);
                    }
                }
            }
        }
    }

    fn tell_option_like(&mut self, op: &Op, pattern: &str) {
        if pattern.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._".contains(&byte)) {
            self.tell_properties_like(pattern, op);
        } else {
            self.gap(GapKind::Attribute, "an option is named by a pattern", op);
        }
    }
}
