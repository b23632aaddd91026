//! Which values a step takes.

use super::{Kind, Operands, Program, Val};

impl Program {
    /// The values that a step takes, its callee left out.
    pub(in super::super) fn inputs(&self, kind: Kind) -> Vec<Val> {
        match kind {
            Kind::Attribute { base: value, .. }
            | Kind::Element(value)
            | Kind::Part { value, .. }
            | Kind::Entered(value)
            | Kind::Awaited(value)
            | Kind::Bind { value, .. }
            | Kind::Lost(value)
            | Kind::Formatted { value, .. }
            | Kind::Store { value, .. }
            | Kind::Escape { value, .. } => vec![value],
            Kind::Item { base, key, .. } => std::iter::once(base).chain(key).collect(),
            Kind::Binary { left, right, .. } => vec![left, right],
            Kind::Call { arguments: operands, .. }
            | Kind::Either(operands)
            | Kind::Collect(_, operands)
            | Kind::Gather(_, operands)
            | Kind::Format(operands) => self.values_of(operands),
            Kind::Dead
            | Kind::Opaque
            | Kind::Constant(_)
            | Kind::Docstring(_)
            | Kind::Load(_)
            | Kind::Caught
            | Kind::Import(_)
            | Kind::Member { .. }
            | Kind::Define(_)
            | Kind::Parameter(_)
            | Kind::Receiver(_)
            | Kind::Owner(_)
            | Kind::Unbind
            | Kind::Matched(_) => Vec::new(),
        }
    }

    fn values_of(&self, operands: Operands) -> Vec<Val> {
        self.operands(operands).iter().map(|operand| operand.value).collect()
    }
}
