//! Texts out of which a program takes everything but letters, digits, dashes and the like, as for
//! the name of a file.
//!
//! Must never take a pattern for one that leaves no dots and slashes that it does not know whole.

mod letters;

use super::patterns::{PLAIN, is_plain};
use crate::facts::python::program::{Kind, Operand, Operands, Slot, Val};
use crate::facts::python::values::{Atom, Set, Values};

/// What replaces what a pattern finds in a text.
const REPLACING: &str = "re.sub";

/// What makes a pattern that replaces by a method.
const COMPILING: &str = "re.compile";

impl Values<'_> {
    /// What replacing by a pattern gives, where that leaves letters, digits, dashes and the like.
    pub(in crate::facts::python::values) fn replaced_by(
        &mut self,
        name: &str,
        arguments: Operands,
    ) -> Option<Set> {
        if name != REPLACING {
            return None;
        }
        let operands = self.program.operands(arguments).to_vec();
        let (pattern, rest) = operands.split_first()?;
        let flagged = |one: &Operand| self.is_keyword(one, "flags");
        let (rest, flags) = rest.split_at(rest.len().min(2));
        (pattern.slot == Slot::Position && flags.iter().all(flagged)).then_some(())?;
        self.cleaned(pattern.value, rest)
    }

    /// What `sub` gives of a pattern that was compiled.
    pub(in crate::facts::python::values) fn replaced_by_method(
        &mut self,
        origin: Atom,
        callee: Val,
        arguments: Operands,
    ) -> Option<Set> {
        let compiled = origin.library().map(|name| self.program.symbols.text(name));
        (compiled == Some(COMPILING)).then_some(())?;
        let (base, name) = self.program.kind(callee).attribute()?;
        (self.program.symbols.text(name) == "sub").then_some(())?;
        let made = self.bound(base).unwrap_or(base);
        let Kind::Call { callee: maker, arguments: given, .. } = self.program.kind(made) else {
            return None;
        };
        let compiled = self.of(maker).single()?.name()?;
        let [pattern] = self.program.operands(given) else { return None };
        let plain =
            pattern.slot == Slot::Position && self.program.symbols.text(compiled) == COMPILING;
        let pattern = Some(pattern.value).filter(|_| plain && !self.pools.unbound)?;
        let operands = self.program.operands(arguments).to_vec();
        self.cleaned(pattern, &operands)
    }

    fn is_keyword(&self, operand: &Operand, keyword: &str) -> bool {
        matches!(operand.slot, Slot::Keyword(name) if self.program.symbols.text(name) == keyword)
    }

    /// What is left of a text where what a pattern finds is replaced.
    fn cleaned(&mut self, pattern: Val, given: &[Operand]) -> Option<Set> {
        let [by, text] = given else { return None };
        let text_given = text.slot == Slot::Position || self.is_keyword(text, "string");
        (by.slot == Slot::Position && text_given).then_some(())?;
        let pattern = self.known_text(pattern)?;
        self.known_text(by.value).filter(|by| by.is_empty() || is_plain(by))?;
        let left = left_by(&pattern)?;
        let before = self.of(text.value);
        let already = !before.is_empty()
            && before.all(|atom| {
                let text = self.pattern_of(atom);
                text.is_some_and(|text| text.is_empty() || is_plain(&text))
            });
        (left == Left::Plain || already).then(|| self.some_or_no_letters())
    }

    fn known_text(&self, value: Val) -> Option<String> {
        let text = self.of(value).single()?.text()?;
        Some(self.program.symbols.text(text).to_owned())
    }

    /// A text of letters, digits, dashes and the like, or an empty one.
    fn some_or_no_letters(&mut self) -> Set {
        self.either_text(&[String::new(), PLAIN.to_string()])
    }

    /// A part of such a text: a letter, or a slice that may be empty.
    pub(in crate::facts::python::values) fn part_of_letters(
        &mut self,
        text: Atom,
        key: Option<Val>,
    ) -> Set {
        let empty = |text: &str| text.is_empty() || is_plain(text);
        let plain = self.pattern_of(text).is_some_and(|text| empty(&text));
        let Some(key) = key.filter(|_| plain) else { return Set::unknown() };
        let some = self.pattern_of(text).is_some_and(|text| !text.is_empty());
        let letter = !self.program.slices.contains_key(&key);
        if letter || (some && self.is_beginning(key)) {
            return self.either_text(&[PLAIN.to_string()]);
        }
        self.some_or_no_letters()
    }

    /// Whether a slice takes the first letter, and others perhaps.
    fn is_beginning(&self, key: Val) -> bool {
        let Some(parts) = self.program.slices.get(&key) else { return false };
        let parts: Vec<Set> =
            self.program.operands(*parts).iter().map(|part| self.of(part.value)).collect();
        let [start, stop, step] = parts.as_slice() else { return false };
        let number = |set: &Set| set.single().and_then(|atom| self.whole_number(atom));
        let none = |set: &Set| set.single().is_some_and(|atom| self.is_none(atom));
        (none(start) || number(start) == Some(0))
            && number(stop).is_some_and(|stop| stop > 0)
            && (none(step) || number(step) == Some(1))
    }
}

/// What is left where everything that a pattern finds is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    /// Letters, digits, dashes, underscores and blanks alone.
    Plain,
    /// Nothing that was not there before.
    Fewer,
}

/// What a pattern leaves that is one class of characters, once or more.
fn left_by(pattern: &str) -> Option<Left> {
    let class = pattern.strip_suffix('+').unwrap_or(pattern);
    if class == r"\W" {
        return Some(Left::Plain);
    }
    if matches!(class, r"\s" | r"\d" | "_" | "-" | " ") {
        return Some(Left::Fewer);
    }
    let inner = class.strip_prefix('[')?.strip_suffix(']')?;
    match inner.strip_prefix('^') {
        Some(kept) => is_plain_class(kept).then_some(Left::Plain),
        None => is_plain_class(inner).then_some(Left::Fewer),
    }
}

/// Whether what stands between the brackets of a class is letters, digits, dashes, underscores
/// and blanks.
fn is_plain_class(class: &str) -> bool {
    let mut rest = class;
    while let Some(first) = rest.chars().next() {
        let known = [r"\w", r"\d", r"\s", r"\-"].iter().find_map(|known| rest.strip_prefix(known));
        if let Some(after) = known {
            rest = after;
            continue;
        }
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        let range = after.strip_prefix('-').and_then(|after| after.chars().next());
        rest = match (first, range) {
            ('-', _) if rest.len() == class.len() || after.is_empty() => after,
            (start, Some(end)) if is_range(start, end) => after.get(2..).unwrap_or_default(),
            (_, Some(_)) if !after.ends_with('-') || after.len() > 1 => return false,
            ('_' | ' ', _) => after,
            (letter, _) if letter.is_ascii_alphanumeric() => after,
            _ => return false,
        };
    }
    !class.is_empty()
}

/// Whether a range holds letters or digits alone.
fn is_range(start: char, end: char) -> bool {
    let both = |kind: fn(&char) -> bool| kind(&start) && kind(&end);
    start <= end
        && (both(char::is_ascii_lowercase)
            || both(char::is_ascii_uppercase)
            || both(char::is_ascii_digit))
}
