//! Texts that are put together letter by letter, of letters that were looked at one by one.
//!
//! Must never take a condition for one that leaves letters alone which it does not know whole.

use crate::facts::python::program::{Kind, Operands, Slot, Val};
use crate::facts::python::values::folding::constants::Constant;
use crate::facts::python::values::folding::patterns::is_plain;
use crate::facts::python::values::{Atom, Set, Values};

/// Methods that say whether a text is made of letters and digits alone.
const ASKING: [&str; 5] = ["isalnum", "isalpha", "isdecimal", "isdigit", "isnumeric"];

/// Methods that leave letters what they are.
const CASES: [&str; 2] = ["lower", "upper"];

/// How deep conditions may lie within each other.
const DEPTH_MAX: u32 = 4;

impl Values<'_> {
    /// What `join` gives of a comprehension that takes letters, digits, dashes and the like alone.
    /// No text is one of a class of the program's own, which could say anything of itself.
    pub(in crate::facts::python::values::folding) fn joined_letters(
        &mut self,
        between: &str,
        arguments: Operands,
    ) -> Option<Set> {
        let [given] = self.program.operands(arguments) else { return None };
        let made = Some(given.value).filter(|_| given.slot == Slot::Position)?;
        let told = !self.classes.texts && !self.pools.loose;
        if !told || !(between.is_empty() || is_plain(between)) {
            return None;
        }
        let Kind::Gather(_, body) = self.program.kind(made) else { return None };
        let [letter] = self.program.operands(body) else { return None };
        let (letter, condition) = (letter.value, self.program.conditions.get(&made).copied());
        self.gives_letters(letter, condition).then(|| self.some_or_no_letters())
    }

    /// Whether a step gives letters alone, where a condition holds.
    fn gives_letters(&mut self, step: Val, condition: Option<Val>) -> bool {
        if let Some(Constant::Text(text)) = self.constant_at(step) {
            return text.is_empty() || is_plain(&text);
        }
        let own = self.program.conditions.get(&step).copied();
        if let (Kind::Either(sides), Some(own)) = (self.program.kind(step), own) {
            let [then, other] = self.program.operands(sides) else { return false };
            let (then, other) = (then.value, other.value);
            return self.gives_letters(then, Some(own)) && self.gives_letters(other, condition);
        }
        let letter = self.in_other_case(step).unwrap_or(step);
        let turn = self.turn_of(letter);
        turn.zip(condition).is_some_and(|(turn, condition)| self.asks(condition, turn, DEPTH_MAX))
    }

    /// What a text is in lower or upper case.
    fn in_other_case(&self, step: Val) -> Option<Val> {
        let Kind::Call { callee, arguments, .. } = self.program.kind(step) else { return None };
        let (base, name) = self.program.kind(callee).attribute()?;
        let alone = self.program.operands(arguments).is_empty();
        (alone && CASES.contains(&self.program.symbols.text(name))).then_some(base)
    }

    /// The element that a name surely stands for.
    fn turn_of(&self, step: Val) -> Option<Val> {
        let bound = self.bound(step)?;
        matches!(self.program.kind(bound), Kind::Element(_)).then_some(bound)
    }

    /// Whether a condition holds of an element only where that is letters alone.
    fn asks(&mut self, condition: Val, turn: Val, depth: u32) -> bool {
        let kind = self.program.kind(condition);
        if let Kind::Either(sides) = kind {
            // Of `and` and `or` alike every side says so.
            let sides = self.program.operands(sides).to_vec();
            let plain = depth > 0 && !self.program.conditions.contains_key(&condition);
            return plain && sides.iter().all(|side| self.asks(side.value, turn, depth - 1));
        }
        if let Kind::Binary { left, right, .. } = kind {
            return self.program.memberships.contains(&condition)
                && self.turn_of(left) == Some(turn)
                && self.holds_letters(right);
        }
        let Kind::Call { callee, arguments, .. } = kind else { return false };
        let asked = self.program.kind(callee).attribute();
        self.program.operands(arguments).is_empty()
            && asked.is_some_and(|(base, name)| {
                self.turn_of(base) == Some(turn)
                    && ASKING.contains(&self.program.symbols.text(name))
            })
    }

    /// Whether a text or a collection holds letters alone.
    fn holds_letters(&mut self, value: Val) -> bool {
        if let Some(Constant::Text(text)) = self.constant_at(value) {
            return is_plain(&text);
        }
        let set = self.of(value);
        let held = set.single().is_some_and(|atom| matches!(atom, Atom::Held(_)));
        let elements = self.elements_of(set);
        held && !elements.is_empty()
            && elements.all(|atom| self.pattern_of(atom).is_some_and(|text| is_plain(&text)))
    }
}
