//! What the builtins give.
//!
//! Must never give data where a method of the program's own may answer.

use super::flow::builtin_hooks;
use super::{Set, Values};
use crate::facts::python::program::{Operands, Slot, Val};

impl Values<'_> {
    /// What the builtins give that give data, or what they were given.
    pub(super) fn builtin_call(&mut self, name: &str, arguments: Operands) -> Option<Set> {
        match name {
            "str" => Some(self.text_of(arguments)),
            "int" | "len" | "ord" | "hash" | "id" => Some(self.plain("int")),
            "float" | "range" | "input" => Some(self.plain(name)),
            "any" | "all" | "bool" | "isinstance" | "issubclass" | "callable" | "hasattr" => {
                Some(self.plain("bool"))
            }
            "repr" | "bytes" => Some(self.answered(name, arguments)),
            "sum" | "round" | "abs" => Some(self.reckoned(name, arguments)),
            "type" => Some(self.type_of(arguments)),
            "vars" => Some(self.namespace_of(arguments)),
            "super" | "open" | "slice" => None,
            "random.randint" | "random.randrange" | "time.time_ns" => Some(self.plain("int")),
            "random.random" | "time.time" | "time.perf_counter" => Some(self.plain("float")),
            _ if name.contains('.') => None,
            _ => Some(Set::unknown()),
        }
    }

    /// What a builtin gives that asks an object for data.
    fn answered(&mut self, name: &str, arguments: Operands) -> Set {
        let given = self.passed(arguments);
        let mut asked = Set::default();
        for passed in given {
            self.join(&mut asked, &passed.value);
        }
        self.data_of(name, asked, builtin_hooks(name))
    }

    /// The value passed at this position, where no star comes before it.
    pub(in super::super) fn positional(&self, arguments: Operands, position: usize) -> Option<Val> {
        let operands = self.program.operands(arguments);
        let before = operands.get(..=position)?;
        before
            .iter()
            .all(|operand| operand.slot == Slot::Position)
            .then(|| before.last().map(|operand| operand.value))?
    }

    pub(super) fn imported(&mut self, arguments: Operands) -> Set {
        let names = self.positional(arguments, 0).map(|name| self.of(name));
        self.each(names.unwrap_or_else(Set::unknown), |values, atom| {
            atom.text().map_or_else(Set::unknown, |module| values.module(module))
        })
    }
}
