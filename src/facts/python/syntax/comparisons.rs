//! Comparisons: what is compared with what, and whether anybody is asked.

use super::walk::{Frame, Item, Walk};
use crate::facts::Role;
use crate::facts::python::program::{Kind, Operand, Operator, Slot, Val};

impl Walk<'_, '_> {
    /// Whether a comparison of two asks their methods.
    fn comparing(&self, items: &[Item]) -> Operator {
        let [left, right] = items else { return Operator::Compare };
        let between = self.slice((left.range.1, right.range.0));
        let same = between.split_whitespace().next() == Some("is");
        if same { Operator::Same } else { Operator::Compare }
    }

    /// A comparison hands its operands to each other's methods.
    pub(super) fn comparison(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let compared: Vec<Val> = items.iter().filter_map(|item| item.value).collect();
        let operator = self.comparing(items);
        for value in compared.iter().filter(|_| operator == Operator::Compare) {
            self.escape(*value, Role::Argument, None);
        }
        let pairs = compared.iter().zip(compared.iter().skip(1));
        let answers: Vec<Operand> = pairs
            .map(|(left, right)| Kind::Binary { operator, left: *left, right: *right })
            .map(|answer| self.push(answer, frame.range))
            .map(|value| Operand { slot: Slot::Position, value })
            .collect();
        if let ([left, right], [answer]) = (items, answers.as_slice())
            && self.slice((left.range.1, right.range.0)).trim() == "in"
        {
            self.program.memberships.insert(answer.value);
        }
        match answers.as_slice() {
            [] => self.data(frame, "bool"),
            [only] => Item::of(frame, Some(only.value)),
            _ => {
                let answers = self.program.push_operands(answers);
                let value = self.push(Kind::Either(answers), frame.range);
                Item::of(frame, Some(value))
            }
        }
    }
}
