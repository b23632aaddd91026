//! What methods of texts give, and `%`, where all that goes in is known.
//!
//! Must never treat characters beyond ASCII: their case and width are the interpreter's.

use crate::facts::python::program::{Operands, Sym};
use crate::facts::python::values::flow::{By, Passed, TEXT_HOOKS};
use crate::facts::python::values::held::position;
use crate::facts::python::values::{Atom, Set, Values};

/// Methods of texts that give a text.
const GIVING_TEXT: [&str; 24] = [
    "capitalize",
    "casefold",
    "center",
    "expandtabs",
    "format",
    "join",
    "ljust",
    "lower",
    "lstrip",
    "removeprefix",
    "removesuffix",
    "replace",
    "rjust",
    "rstrip",
    "strip",
    "swapcase",
    "title",
    "translate",
    "upper",
    "zfill",
    "format_map",
    "encode",
    "partition",
    "rpartition",
];

/// Methods of texts that give several texts.
const GIVING_TEXTS: [&str; 5] = ["split", "rsplit", "splitlines", "partition", "rpartition"];

impl Values<'_> {
    /// What a method of a text gives.
    pub(in crate::facts::python::values) fn text_method(
        &mut self,
        base: Atom,
        name: Sym,
        arguments: Operands,
    ) -> Option<Set> {
        let Atom::Text(text) = base else {
            return None;
        };
        let word = self.program.symbols.shared(name);
        let passed = self.passed(arguments);
        if passed.iter().any(|passed| passed.value.is_empty()) {
            return Some(Set::default());
        }
        if GIVING_TEXTS.contains(&&*word) || !GIVING_TEXT.contains(&&*word) || &*word == "encode" {
            return None;
        }
        let text = self.program.symbols.shared(text);
        let folded = if &*word == "join" {
            self.joined_texts(&text, &passed)
        } else {
            self.plain_arguments(&passed).and_then(|given| changed(&text, &word, &given))
        };
        if folded.is_none() && matches!(&*word, "format" | "format_map") {
            let mut asked = Set::default();
            for passed in passed {
                let held = self.elements_of(passed.value);
                self.join(&mut asked, &passed.value);
                self.join(&mut asked, &held);
            }
            return Some(self.data_of("str", asked, &TEXT_HOOKS));
        }
        Some(self.folded(folded))
    }

    fn folded(&mut self, folded: Option<String>) -> Set {
        match folded.and_then(|folded| self.fold(&folded)) {
            Some(text) => Set::one(Atom::Text(text)),
            None => self.plain("str"),
        }
    }

    /// The texts and whole numbers that are passed by position, where nothing else is.
    fn plain_arguments(&self, passed: &[Passed]) -> Option<Vec<String>> {
        let one = |passed: &Passed| {
            let plain = passed.by == By::Position;
            self.printed_one(passed.value).filter(|_| plain)
        };
        passed.iter().map(one).collect()
    }

    fn printed_one(&self, set: Set) -> Option<String> {
        match set.single()? {
            Atom::Text(text) => Some(self.program.symbols.text(text).to_owned()),
            Atom::Literal(text) if self.is_decimal(text) => {
                Some(self.program.symbols.text(text).to_owned())
            }
            Atom::Unknown
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Name(_)
            | Atom::From(_)
            | Atom::Path(_)
            | Atom::Own(_)
            | Atom::Instance(_)
            | Atom::Bound(_)
            | Atom::Held(_) => None,
        }
    }

    fn joined_texts(&mut self, text: &str, passed: &[Passed]) -> Option<String> {
        let Atom::Held(site) = position(passed, 0)?.single()? else {
            return None;
        };
        let places = self.places(site)?;
        let texts: Option<Vec<String>> = places
            .iter()
            .map(|place| place.single().filter(|atom| atom.text().is_some()))
            .map(|atom| self.printed_one(Set::one(atom?)))
            .collect();
        Some(texts?.join(text))
    }

    /// `template % values`.
    pub(in crate::facts::python::values) fn percent(&mut self, left: Set, right: Set) -> Set {
        let template = left.single().and_then(Atom::text);
        let template = template.map(|text| self.program.symbols.shared(text));
        let given = match right.single() {
            Some(Atom::Held(site)) => self.places(site),
            Some(_) => Some(vec![right]),
            None => None,
        };
        let given: Option<Vec<String>> =
            given.and_then(|given| given.iter().map(|set| self.printed_one(*set)).collect());
        let folded = template.zip(given).and_then(|(text, given)| filled(&text, "%s", &given));
        if folded.is_none() {
            let mut asked = self.elements_of(right);
            self.join(&mut asked, &right);
            return self.data_of("str", asked, &TEXT_HOOKS);
        }
        self.folded(folded)
    }
}

/// A text with each mark replaced by what is given for it, where there is nothing else to fill.
fn filled(template: &str, mark: &str, given: &[String]) -> Option<String> {
    let parts: Vec<&str> = template.split(mark).collect();
    let special = ['%', '{', '}'];
    let plain = parts.iter().all(|part| !part.contains(special));
    if !plain || parts.len() != given.len() + 1 {
        return None;
    }
    let mut parts = parts.into_iter();
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for (given, part) in given.iter().zip(parts) {
        whole.push_str(given);
        whole.push_str(part);
    }
    Some(whole)
}

/// What a method makes of a text.
fn changed(text: &str, method: &str, given: &[String]) -> Option<String> {
    if !text.is_ascii() || !given.iter().all(|given| given.is_ascii()) {
        return None;
    }
    let blank = |character: char| {
        character.is_ascii_whitespace() || matches!(character, '\x0b' | '\x1c'..='\x1f')
    };
    let set = |character: char| given.first().is_some_and(|set| set.contains(character));
    match (method, given) {
        ("upper", []) => Some(text.to_ascii_uppercase()),
        ("lower" | "casefold", []) => Some(text.to_ascii_lowercase()),
        ("strip", []) => Some(text.trim_matches(blank).to_owned()),
        ("lstrip", []) => Some(text.trim_start_matches(blank).to_owned()),
        ("rstrip", []) => Some(text.trim_end_matches(blank).to_owned()),
        ("strip", [_]) => Some(text.trim_matches(set).to_owned()),
        ("lstrip", [_]) => Some(text.trim_start_matches(set).to_owned()),
        ("rstrip", [_]) => Some(text.trim_end_matches(set).to_owned()),
        ("replace", [from, to]) => {
            let grows = to.len().saturating_mul(text.len().saturating_add(1));
            (grows <= super::texts::TEXT_BYTES_MAX).then(|| text.replace(from.as_str(), to))
        }
        ("removeprefix", [start]) => {
            Some(text.strip_prefix(start.as_str()).unwrap_or(text).to_owned())
        }
        ("removesuffix", [end]) => Some(text.strip_suffix(end.as_str()).unwrap_or(text).to_owned()),
        ("format", _) => filled(text, "{}", given),
        _ => None,
    }
}
