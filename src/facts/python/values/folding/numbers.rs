//! Numbers: which values are surely some, and what is reckoned of them.
//!
//! Must never take an object of the program's own for a number.

use crate::facts::python::program::{Operands, Operator};
use crate::facts::python::values::flow::builtin_hooks;
use crate::facts::python::values::{Atom, Set, Values};

impl Values<'_> {
    /// An operator on numbers gives a number.
    pub(in crate::facts::python::values) fn reckon(
        &mut self,
        operator: Operator,
        left: Set,
        right: Set,
    ) -> Set {
        let numbers = [left, right];
        if !numbers.iter().all(|set| set.all(|atom| self.is_number(atom))) {
            return self.combined(left, right);
        }
        let single = |set: Set| set.single().and_then(|atom| self.whole_number(atom));
        if let (Some(left), Some(right)) = (single(left), single(right))
            && let Some(number) = reckoned(operator, left, right)
            && let Some(literal) = self.fold(&number.to_string())
        {
            return Set::one(Atom::Literal(literal));
        }
        let whole = numbers.iter().all(|set| set.all(|atom| atom.is_whole(&self.program.symbols)));
        match operator {
            Operator::Add
            | Operator::Subtract
            | Operator::Multiply
            | Operator::Floor
            | Operator::Percent
            | Operator::Xor
                if whole =>
            {
                self.plain("int")
            }
            Operator::Add
            | Operator::Subtract
            | Operator::Multiply
            | Operator::Divide
            | Operator::Floor
            | Operator::Percent
            | Operator::Xor
            | Operator::Compare
            | Operator::Other => self.plain("number"),
        }
    }

    /// The number that a literal stands for.
    pub(in crate::facts::python::values) fn whole_number(&self, atom: Atom) -> Option<i128> {
        let Atom::Literal(text) = atom else { return None };
        let text = self.program.symbols.text(text).replace('_', "").to_ascii_lowercase();
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, text.as_str()),
        };
        let radix = match digits.get(..2) {
            Some("0x") => 16,
            Some("0o") => 8,
            Some("0b") => 2,
            _ => 10,
        };
        let digits = if radix == 10 { digits } else { digits.get(2..)? };
        i128::from_str_radix(digits, radix).ok().map(|number| sign * number)
    }

    /// Whether a value is surely a number of a builtin type, or `None`.
    pub(in crate::facts::python) fn is_number_or_none(&self, atom: Atom) -> bool {
        matches!(atom, Atom::Literal(_)) || self.is_number(atom)
    }

    /// Whether a value is surely a number of a builtin type.
    pub(in crate::facts::python::values) fn is_number(&self, atom: Atom) -> bool {
        match atom {
            Atom::Literal(text) => self.program.symbols.text(text) != "None",
            Atom::Plain(kind) => {
                matches!(self.program.symbols.text(kind), "int" | "float" | "number" | "bool")
            }
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Partial(_)
            | Atom::Bytes(_)
            | Atom::Name(_)
            | Atom::From(_)
            | Atom::Path(_)
            | Atom::Own(_)
            | Atom::Instance(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Held(_) => false,
        }
    }

    /// What `sum`, `round` and `abs` give: a number of numbers, and of other objects what those
    /// say.
    pub(in crate::facts::python::values) fn reckoned(
        &mut self,
        name: &str,
        arguments: Operands,
    ) -> Set {
        let operands = self.program.operands(arguments).to_vec();
        let mut parts = Set::default();
        for operand in operands {
            let value = self.of(operand.value);
            let range = self.program.symbols.find("range").map(Atom::Plain);
            let walked = |atom| matches!(atom, Atom::Held(_)) || Some(atom) == range;
            let value = if value.iter().any(walked) { self.elements_of(value) } else { value };
            self.join(&mut parts, &value);
        }
        if parts.all(|atom| atom.is_whole(&self.program.symbols)) {
            return self.plain("int");
        }
        if parts.all(|atom| self.is_number(atom)) {
            return self.plain("number");
        }
        let data = self.data_of("data", parts, builtin_hooks(name));
        self.or_objects(data, parts)
    }

    /// Whether operators and functions may be answered by methods of the program's own.
    pub(in crate::facts::python::values) fn is_hooked(&self) -> bool {
        self.functions.hooked
    }
}

/// What an operator makes of two whole numbers, where that is a whole number.
pub(super) fn reckoned(operator: Operator, left: i128, right: i128) -> Option<i128> {
    match operator {
        Operator::Add => left.checked_add(right),
        Operator::Subtract => left.checked_sub(right),
        Operator::Multiply => left.checked_mul(right),
        // The interpreter rounds down, and a remainder has the sign of the right side.
        Operator::Floor if right > 0 => left.checked_div_euclid(right),
        Operator::Percent if right > 0 => left.checked_rem_euclid(right),
        Operator::Xor => Some(left ^ right),
        Operator::Divide
        | Operator::Floor
        | Operator::Percent
        | Operator::Compare
        | Operator::Other => None,
    }
}
