//! What methods of texts give, and `%`, where all that goes in is known.
//!
//! Must never treat characters beyond ASCII: their case and width are the interpreter's.

use super::patterns::{self, MARKS, WORD, is_marks, is_wild, is_word};
use super::printing::{self, dated};
use crate::call::Text;
use crate::facts::python::program::{Collection, Kind, Operands, Sym};
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
        if let Some(set) = self.method_of_made(base, name, arguments) {
            return Some(set);
        }
        base.written()?;
        let word = self.program.symbols.shared(name);
        let passed = self.passed(arguments);
        if passed.iter().any(|passed| passed.value.is_empty()) {
            return Some(Set::default());
        }
        if GIVING_TEXTS.contains(&&*word) || !GIVING_TEXT.contains(&&*word) || &*word == "encode" {
            return None;
        }
        if let Some(made) = self.method_of_constant(base, &word, &passed) {
            return Some(self.either_text(&[made]));
        }
        let Some(text) = self.pattern_of(base) else {
            return Some(self.plain("str"));
        };
        if &*word == "join"
            && let Some(letters) = self.joined_letters(&text, arguments)
        {
            return Some(letters);
        }
        let set = match &*word {
            "join" => self.joined_texts(&text, &passed),
            "format" => {
                let pieces = printing::fields(&text).filter(|_| base.text().is_some());
                self.filled(pieces, |values, field| values.given(&passed, field))
            }
            _ => self.changed(&text, &word, &passed),
        };
        Some(if word.starts_with("format") { self.told_by(set, &passed) } else { set })
    }

    /// A text, and whatever the objects that are printed in it give in its place.
    fn told_by(&mut self, text: Set, passed: &[Passed]) -> Set {
        let mut asked = Set::default();
        for passed in passed {
            let held = self.elements_of(passed.value);
            self.join(&mut asked, &passed.value);
            self.join(&mut asked, &held);
        }
        self.answered_by(text, asked, &TEXT_HOOKS)
    }

    /// What is given for a field of a template.
    fn given(&self, passed: &[Passed], field: &str) -> Option<Set> {
        // A sign makes a keyword of it, and digits of other scripts are the interpreter's.
        let digits = field.bytes().all(|byte| byte.is_ascii_digit());
        if !field.is_ascii() {
            return None;
        }
        if let Some(place) = field.parse::<usize>().ok().filter(|_| digits) {
            let before = passed.get(..=place)?;
            let plain = before.iter().all(|passed| passed.by == By::Position);
            return before.last().filter(|_| plain).map(|passed| passed.value);
        }
        let named = |passed: &&Passed| matches!(passed.by, By::Keyword(name) if self.program.symbols.text(name) == field);
        passed.iter().find(named).map(|passed| passed.value)
    }

    /// A method of a text, for each combination of what it is given.
    fn changed(&mut self, text: &str, word: &str, passed: &[Passed]) -> Set {
        let Some(given) = self.plain_arguments(passed) else {
            return self.plain("str");
        };
        let made = patterns::changed(text, word, &given).map(|made| vec![made]);
        match made.or_else(|| patterns::changed_plain(text, word, &given)) {
            Some(made) => self.either_text(&made),
            None => self.plain("str"),
        }
    }

    /// The texts and whole numbers that are passed by position, where nothing else is.
    fn plain_arguments(&self, passed: &[Passed]) -> Option<Vec<String>> {
        let one = |passed: &Passed| {
            let atom = passed.value.single().filter(|_| passed.by == By::Position)?;
            if let Some(number) = self.whole_number(atom) {
                return Some(number.to_string());
            }
            Some(self.pattern_of(atom).filter(|text| !is_wild(text))?.as_ref().to_owned())
        };
        passed.iter().map(one).collect()
    }

    /// What stands between the parts is repeated; of parts without number it is enough that they
    /// are marks.
    fn joined_texts(&mut self, text: &str, passed: &[Passed]) -> Set {
        let Some(Atom::Held(site)) = position(passed, 0).and_then(|parts| parts.single()) else {
            let parts = position(passed, 0).unwrap_or_default();
            return self.marks_of(text, parts);
        };
        let Some(places) = self.places(site) else {
            let parts = self.walk(site);
            return self.marks_of(text, parts);
        };
        let mut parts = Vec::new();
        for place in places {
            if !parts.is_empty() {
                parts.push(vec![text.into()]);
            }
            let Some(texts) = self.patterns_of(place) else {
                return self.plain("str");
            };
            parts.push(texts);
        }
        self.multiplied(parts)
    }

    fn marks_of(&mut self, text: &str, parts: Set) -> Set {
        let marks = |parts: &[Text]| parts.iter().all(|part| is_marks(part)) && is_marks(text);
        let Some(parts) = self.patterns_of(parts) else { return self.plain("str") };
        let words = (text.is_empty() || is_word(text)) && parts.iter().all(|part| is_word(part));
        if marks(&parts) {
            return self.either_text(&[MARKS.to_string()]);
        }
        if words {
            return self.either_text(&[String::new(), WORD.to_string()]);
        }
        self.plain("str")
    }

    /// `text * number`.
    pub(in crate::facts::python::values) fn repeated(
        &mut self,
        left: Set,
        right: Set,
    ) -> Option<Set> {
        let (text, count) = match (left.single()?, right.single()?) {
            (text, count) if text.written().is_some() => (text, count),
            (count, text) if text.written().is_some() => (text, count),
            _ => return None,
        };
        if !self.is_number(count) {
            return None;
        }
        let text = self.pattern_of(text)?;
        let made = match self.whole_number(count).map(|count| usize::try_from(count).unwrap_or(0)) {
            Some(count) if count.saturating_mul(text.len()) <= super::texts::TEXT_BYTES_MAX => {
                Some(text.repeat(count))
            }
            Some(_) => None,
            None => is_marks(&text).then(|| MARKS.to_string()),
        };
        Some(match made {
            Some(made) => self.either_text(&[made]),
            None => self.plain("str"),
        })
    }

    /// `template % values`.
    pub(in crate::facts::python::values) fn percent(&mut self, left: Set, right: Set) -> Set {
        let text = self.by_percents(left, right);
        let mut asked = self.elements_of(right);
        self.join(&mut asked, &right);
        let mut text = self.answered_by(text, asked, &TEXT_HOOKS);
        // A text of a class that derives from it answers before the template does.
        if self.is_own_with(right, &["__rmod__"]) {
            self.add(&mut text, Atom::Unknown);
        }
        text
    }

    fn by_percents(&mut self, left: Set, right: Set) -> Set {
        let template = left.single().filter(|atom| atom.text().is_some());
        let template = template.and_then(|atom| self.pattern_of(atom));
        let pieces = template.and_then(|template| printing::percents(&template));
        let held = right.iter().any(|atom| matches!(atom, Atom::Held(_)));
        let Some(Atom::Held(site)) = right.single().filter(|_| held) else {
            let whole = Some(vec![right]).filter(|_| !held).unwrap_or_default();
            return self
                .filled(pieces, |_, field| whole.get(field.parse::<usize>().ok()?).copied());
        };
        let Kind::Collect(collection, _) = self.program.kind(site) else {
            return self.plain("str");
        };
        let places = self.places(site).filter(|_| collection == Collection::Tuple);
        let places = places.unwrap_or_default();
        self.filled(pieces, |values, field| {
            if collection == Collection::Dictionary {
                let key = values.program.symbols.find(field.strip_prefix('(')?)?;
                return Some(values.read_keys(site, Set::one(Atom::Text(key))));
            }
            places.get(field.parse::<usize>().ok()?).copied()
        })
    }

    pub(in crate::facts::python::values) fn by_date_format(&mut self, format: Set) -> Set {
        let made: Option<Vec<String>> = self
            .patterns_of(format)
            .map(|formats| formats.iter().map(|format| dated(format)).collect())
            .unwrap_or_default();
        match made {
            Some(made) => self.either_text(&made),
            None => self.plain("str"),
        }
    }
}
