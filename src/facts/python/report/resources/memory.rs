//! Arrays over memory that was filled by something else: where its items count as objects, each is
//! an address of the program's choice.
//!
//! Must never take a type of items that is not known for one of numbers.

use super::Passed;
use crate::facts::python::program::{Op, Operand, Val};
use crate::facts::python::report::Teller;
use crate::facts::python::report::calls::Callee;
use crate::facts::python::values::Atom;
use crate::facts::{GapKind, Slots};

/// Builtins that are types of numbers and of truth.
const NUMBERS: [&str; 4] = ["bool", "complex", "float", "int"];

impl Teller<'_, '_> {
    /// An array that is made over a file, or out of bytes.
    pub(in super::super) fn tell_memory(
        &mut self,
        op: &Op,
        callee: &Callee<'_>,
        operands: &[Operand],
    ) {
        let safe = match &*callee.name {
            "numpy.memmap" => {
                let slots = Slots { position: Some(1), keyword: Some("dtype".into()) };
                match self.passed(&slots, operands) {
                    Passed::Not => true,
                    Passed::Unseen => false,
                    Passed::As(value) => self.are_numbers(value),
                }
            }
            "numpy.rec.array" => {
                let first = operands.first().map(|operand| self.values.of(operand.value));
                first.unwrap_or_default().all(|atom| matches!(atom, Atom::Held(_)))
            }
            _ => true,
        };
        if !safe {
            let why = "an array is made over memory whose items may be objects";
            self.gap(GapKind::Arguments, why, op);
        }
    }

    /// Whether a type of items surely holds no objects.
    fn are_numbers(&mut self, value: Val) -> bool {
        let named = self.values.written_out(value);
        let symbols = &self.values.program.symbols;
        named.into_iter().all(|atom| match atom {
            Atom::Text(text) => {
                let text = symbols.text(text);
                !text.contains('O') && !text.contains("obj")
            }
            Atom::Name(name) => {
                let name = symbols.text(name);
                NUMBERS.contains(&name) || (name.starts_with("numpy.") && !name.contains("object"))
            }
            Atom::Literal(_) | Atom::Held(_) => true,
            Atom::Unknown
            | Atom::Partial(_)
            | Atom::Bytes(_)
            | Atom::Plain(_)
            | Atom::From(_)
            | Atom::Path(_)
            | Atom::Own(_)
            | Atom::Instance(_)
            | Atom::Bound(_)
            | Atom::Several(_) => false,
        })
    }
}
