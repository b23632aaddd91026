//! What a text surely begins with, as it is written, where the rest of it is not known.
//!
//! Must never look through anything that a program could give another meaning to.

use crate::facts::python::program::{Kind, Lookup, Operator, Val};
use crate::facts::python::values::{Atom, Values};

/// Steps that are gone back from a text to where it begins.
const STEPS_MAX: u32 = 8;

/// The operators that an object on the right of a text may have of its own.
const ADDED: &str = "__radd__";
const FILLED_IN: &str = "__rmod__";

/// What stands in a format for something else, or may.
const FIELDS: [char; 3] = ['%', '{', '}'];

/// Methods of a text that fill in its fields.
const FORMATTING: [&str; 2] = ["format", "format_map"];

/// The step that a text begins with.
enum Begins {
    /// As it is.
    With(Val),
    /// As it is up to the first field.
    Format(Val),
}

impl Values<'_> {
    /// The constant that a text begins with: an f-string, a sum of texts, or a format that is
    /// filled in.
    pub(in crate::facts::python::values) fn beginning(&self, text: Val) -> Option<String> {
        let mut at = text;
        let mut format = false;
        for _ in 0..STEPS_MAX {
            if let Some(Atom::Text(start)) = self.of(at).single() {
                let start = self.program.symbols.text(start);
                let plain = start.split(FIELDS).next().unwrap_or_default();
                return Some(if format { plain } else { start }.to_owned());
            }
            at = match self.begins_with(at)? {
                Begins::With(step) => step,
                Begins::Format(step) => {
                    format = true;
                    step
                }
            };
        }
        None
    }

    fn begins_with(&self, at: Val) -> Option<Begins> {
        let kind = self.program.kind(at);
        let unhooked = |hook| self.program.symbols.find(hook).is_none();
        if let Kind::Format(parts) = kind {
            let first = self.program.operands(parts).first();
            return first.map(|part| Begins::With(part.value));
        }
        if let Kind::Binary { operator: Operator::Add, left, .. } = kind {
            return unhooked(ADDED).then_some(Begins::With(left));
        }
        if let Kind::Binary { operator: Operator::Percent, left, .. } = kind {
            return unhooked(FILLED_IN).then_some(Begins::Format(left));
        }
        if let Kind::Call { callee, implicit: None, .. } = kind {
            let (base, name) = self.program.kind(callee).attribute()?;
            let formats = FORMATTING.contains(&self.program.symbols.text(name));
            return formats.then_some(Begins::Format(base));
        }
        let Lookup { exact, .. } = self.lookup(at)?;
        exact.filter(|_| !self.pools.unbound).map(Begins::With)
    }
}
