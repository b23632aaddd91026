//! Texts that are made of other texts: joined, formatted, converted, within a budget.

use crate::call::Text;
use crate::facts::python::program::{Operands, Sym};
use crate::facts::python::values::flow::TEXT_HOOKS;
use crate::facts::python::values::{Atom, Set, Values};

/// Bytes that one folded text may have.
pub(super) const TEXT_BYTES_MAX: usize = 4_096;

/// Texts that one format may make.
const COMBINATIONS_MAX: usize = 6;

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
    /// `str(path)` is the text of the path.
    pub(in crate::facts::python::values) fn text_of(&mut self, arguments: Operands) -> Set {
        let value = self.positional(arguments, 0).map(|value| self.of(value));
        if value.is_some_and(|set| set.is_empty()) {
            return Set::default();
        }
        match value.and_then(|set| set.single()) {
            Some(Atom::Text(text) | Atom::Path(text)) => Set::one(Atom::Text(text)),
            _ => self.data_of("str", value.unwrap_or_default(), &TEXT_HOOKS),
        }
    }

    /// Whether texts have a member of this name.
    pub(in crate::facts::python::values) fn is_text_member(&self, name: Sym) -> bool {
        let name = self.program.symbols.text(name);
        name.starts_with('_') || TEXT_MEMBERS.contains(&name)
    }

    pub(in crate::facts::python::values) fn concatenate(&mut self, parts: &[Sym]) -> Set {
        let symbols = &self.program.symbols;
        let bytes: usize = parts.iter().map(|part| symbols.text(*part).len()).sum();
        if bytes > TEXT_BYTES_MAX {
            return self.plain("str");
        }
        let whole: String = parts.iter().map(|part| symbols.text(*part)).collect();
        match self.fold(&whole) {
            Some(text) => Set::one(Atom::Text(text)),
            None => self.plain("str"),
        }
    }

    /// A formatted string is known where all of its parts are: one text for each combination.
    pub(in crate::facts::python::values) fn format(&mut self, parts: Operands) -> Set {
        let mut whole = vec![String::new()];
        for part in self.program.operands(parts).to_vec() {
            let part = self.of(part.value);
            if part.is_empty() {
                return part;
            }
            let Some(texts) = self.printed(part) else {
                // Alone it is what the object gives as its text.
                let alone = parts.end == parts.start + 1;
                let asked = if alone { part } else { Set::default() };
                return self.data_of("str", asked, &TEXT_HOOKS);
            };
            let bytes: usize = whole.iter().map(String::len).sum();
            if whole.len() * texts.len() > COMBINATIONS_MAX || bytes > TEXT_BYTES_MAX {
                return self.plain("str");
            }
            whole = whole
                .iter()
                .flat_map(|start| texts.iter().map(move |text| format!("{start}{text}")))
                .collect();
        }
        let mut union = Set::default();
        for text in &whole {
            let Some(text) = self.fold(text) else {
                return self.plain("str");
            };
            self.add(&mut union, Atom::Text(text));
        }
        union
    }

    /// The texts that possible values are printed as, where all are known.
    fn printed(&self, set: Set) -> Option<Vec<Text>> {
        if set.is_empty() || set.overflowed {
            return None;
        }
        let printed = |atom: Atom| {
            if let Atom::Literal(text) = atom
                && self.is_decimal(text)
            {
                return Some(self.program.symbols.shared(text));
            }
            Some(self.program.symbols.shared(atom.text()?))
        };
        set.iter().map(printed).collect()
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
