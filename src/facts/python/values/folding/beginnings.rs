//! What a text surely begins with, as it is written, where the rest of it is not known.
//!
//! Must never look through anything that a program could give another meaning to.

use crate::facts::python::program::{Kind, Lookup, Operator, Sym, Val};
use crate::facts::python::values::{Atom, Values};

/// Steps that are gone back from a text to where it begins.
const STEPS_MAX: u32 = 8;

/// The operator that an object on the right of a text may have of its own.
const ADDED: &str = "__radd__";

impl Values<'_> {
    /// The constant that a text begins with: of an f-string, or of a sum of texts.
    pub(in crate::facts::python::values) fn beginning(&self, text: Val) -> Option<Sym> {
        let mut at = text;
        for _ in 0..STEPS_MAX {
            let kind = self.program.kind(at);
            if let Kind::Constant(Atom::Text(start)) = kind {
                return Some(start);
            }
            at = self.begins_with(at, kind)?;
        }
        None
    }

    fn begins_with(&self, at: Val, kind: Kind) -> Option<Val> {
        if let Kind::Format(parts) = kind {
            return self.program.operands(parts).first().map(|part| part.value);
        }
        if let Kind::Binary { operator: Operator::Add, left, .. } = kind {
            return Some(left).filter(|_| self.program.symbols.find(ADDED).is_none());
        }
        let Lookup { exact, .. } = self.lookup(at)?;
        exact.filter(|_| !self.pools.unbound)
    }
}
