//! Texts that are made of other texts: joined, formatted, converted, within a budget.

use super::patterns;
use crate::call::Text;
use crate::facts::python::program::{Operands, Sym, Val};
use crate::facts::python::values::atoms::data_around;
use crate::facts::python::values::flow::TEXT_HOOKS;
use crate::facts::python::values::{Atom, Set, Values};

/// Bytes that one folded text may have.
pub(super) const TEXT_BYTES_MAX: usize = 4_096;

/// The round from which on what one step makes grows no longer.
const STEADY_ROUND: u32 = 4;

/// The methods of texts.
const TEXT_MEMBERS: [&str; 47] = [
    "capitalize",
    "casefold",
    "center",
    "count",
    "encode",
    "endswith",
    "expandtabs",
    "find",
    "format",
    "format_map",
    "index",
    "isalnum",
    "isalpha",
    "isascii",
    "isdecimal",
    "isdigit",
    "isidentifier",
    "islower",
    "isnumeric",
    "isprintable",
    "isspace",
    "istitle",
    "isupper",
    "join",
    "ljust",
    "lower",
    "lstrip",
    "maketrans",
    "partition",
    "removeprefix",
    "removesuffix",
    "replace",
    "rfind",
    "rindex",
    "rjust",
    "rpartition",
    "rsplit",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "swapcase",
    "title",
    "translate",
    "upper",
    "zfill",
];

impl Values<'_> {
    /// `str(value)`.
    pub(in crate::facts::python::values) fn text_of(&mut self, arguments: Operands) -> Set {
        let Some(value) = self.positional(arguments, 0) else {
            return self.plain("str");
        };
        let set = self.of(value);
        if set.is_empty() {
            return set;
        }
        let alone = self.program.operands(arguments).len() == 1;
        match self.printed(set).filter(|_| alone) {
            Some(texts) => self.multiplied(vec![texts]),
            None => self.data_of("str", set, &TEXT_HOOKS),
        }
    }

    /// Whether texts have a member of this name.
    pub(in crate::facts::python::values) fn is_text_member(&self, name: Sym) -> bool {
        let name = self.program.symbols.text(name);
        name.starts_with('_') || TEXT_MEMBERS.contains(&name)
    }

    /// Texts side by side, where all that it may be is text.
    pub(in crate::facts::python::values) fn concatenated(
        &mut self,
        left: Set,
        right: Set,
    ) -> Option<Set> {
        let parts = vec![self.patterns_of(left)?, self.patterns_of(right)?];
        Some(self.multiplied(parts))
    }

    /// A formatted string: one text for each combination of what its parts may be.
    pub(in crate::facts::python::values) fn format(&mut self, at: Val, parts: Operands) -> Set {
        let (mut steps, mut texts) = (Vec::new(), Vec::new());
        for part in self.program.operands(parts).to_vec() {
            let step = part.value;
            let part = self.of(step);
            if part.is_empty() {
                return part;
            }
            let Some(printed) = self.printed(part) else {
                // Alone it is what the object gives as its text.
                let alone = parts.end == parts.start + 1;
                let asked = if alone { part } else { Set::default() };
                return self.data_of("str", asked, &TEXT_HOOKS);
            };
            let printed = self.after_name((&steps, &texts), step, printed);
            steps.push(step);
            texts.push(printed);
        }
        let set = self.multiplied(texts);
        self.steady(at, set)
    }

    /// What is printed after a name that has no ending. Without the suffix of a file that was found
    /// a name with a number in it, or with the stem of that file, stays one that nothing runs.
    fn after_name(
        &self,
        (steps, before): (&[Val], &[Vec<Text>]),
        step: Val,
        printed: Vec<Text>,
    ) -> Vec<Text> {
        let Some(found) = self.suffix_of_found(step) else { return printed };
        let each = |part: &[Text], passes: fn(&str) -> bool| part.iter().all(|text| passes(text));
        let mut named = false;
        for (step, part) in steps.iter().zip(before) {
            let stem = self.is_stem_of(*step, found);
            if !stem && !each(part, patterns::is_dotless) {
                return printed;
            }
            named |= stem || each(part, patterns::is_numbered);
        }
        printed.into_iter().filter(|text| !(named && text.is_empty())).collect()
    }

    /// What a fold gives that grew again and again is told apart no longer.
    pub(in crate::facts::python::values) fn steady(&mut self, at: Val, set: Set) -> Set {
        let before = self.of(at);
        let grew = |atom: Atom| atom.is_plain() && !before.has(atom);
        if self.pools.round < STEADY_ROUND || before.is_empty() || !set.iter().any(grew) {
            return set;
        }
        let plain: Vec<Atom> = set.iter().filter(|atom| atom.is_plain()).collect();
        let mut steady = Set::default();
        for atom in set.iter().filter(|atom| !atom.is_plain()) {
            self.add(&mut steady, atom);
        }
        let data = data_around(&plain, &mut self.program.symbols);
        self.add(&mut steady, data);
        steady
    }

    /// Whether a number is written as it is printed.
    pub(in crate::facts::python::values) fn is_decimal(&self, number: Sym) -> bool {
        let text = self.program.symbols.text(number);
        text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'))
    }

    /// The number of a made text, while the budget lasts.
    pub(in crate::facts::python::values) fn fold(&mut self, text: &str) -> Option<Sym> {
        if let Some(known) = self.program.symbols.find(text) {
            return Some(known);
        }
        if text.len() > TEXT_BYTES_MAX {
            return None;
        }
        self.folding_left = self.folding_left.checked_sub(text.len())?;
        Some(self.program.symbols.intern(text))
    }
}
