//! What values are printed as: by `str`, in formatted strings, and at the places of templates.

mod specs;
mod templates;

pub(super) use specs::{WIDTH_MAX, dated, padded};
pub(super) use templates::{fields, percents};

use super::patterns::{self, DIGITS, WORD, is_wild, simplified};
use crate::call::Text;
use crate::facts::python::program::{Sym, Val};
use crate::facts::python::values::{Atom, Set, Values};
use specs::{Conversion, Spec};
use templates::{Form, Piece};

/// Texts that one format may make; as many as a set tells apart.
const COMBINATIONS_MAX: usize = 8;

/// What dates, times and spans of time have as whole numbers.
const DATE_NUMBERS: [&str; 9] =
    ["year", "month", "day", "hour", "minute", "second", "microsecond", "days", "seconds"];

/// What of a library prints dates and times.
const DATES: &str = "datetime.";

impl Values<'_> {
    /// The texts that possible values are printed as, where all are known at least in part.
    pub(super) fn printed(&self, set: Set) -> Option<Vec<Text>> {
        if set.is_empty() || set.overflowed {
            None
        } else {
            set.iter().map(|atom| self.printed_one(atom)).collect()
        }
    }

    fn printed_one(&self, atom: Atom) -> Option<Text> {
        if let Some(text) = self.pattern_of(atom) {
            return Some(text);
        }
        if let Atom::Path(path) = atom {
            return Some(patterns::of_path(self.program.symbols.text(path)).into());
        }
        if let Some(number) = self.whole_number(atom) {
            return Some(number.to_string().into());
        }
        if let Atom::From(origin) = atom {
            return self.printed_made(origin);
        }
        if let Atom::Literal(text) = atom
            && matches!(self.program.symbols.text(text), "True" | "False" | "None")
        {
            return Some(self.program.symbols.shared(text));
        }
        let wild = if atom.is_whole(&self.program.symbols) { DIGITS } else { WORD };
        self.is_number(atom).then(|| String::from(wild).into())
    }

    /// The text or pattern of what is text; a text that holds wild characters of its own is none.
    pub(super) fn pattern_of(&self, atom: Atom) -> Option<Text> {
        let text = self.program.symbols.shared(atom.written()?);
        let own = matches!(atom, Atom::Text(_)) && is_wild(&text);
        (!own).then_some(text)
    }

    /// The texts or patterns of what is text, where all are known.
    pub(super) fn patterns_of(&self, set: Set) -> Option<Vec<Text>> {
        if set.is_empty() || set.overflowed {
            None
        } else {
            set.iter().map(|atom| self.pattern_of(atom)).collect()
        }
    }

    /// Whether a member of what came out of a library is a number of a date's.
    pub(in crate::facts::python::values) fn is_date_number(&self, origin: Sym, name: Sym) -> bool {
        self.is_dated(origin) && DATE_NUMBERS.contains(&self.program.symbols.text(name))
    }

    /// Whether what came out of a thing prints as dates and times do: no class of the program's
    /// own derives from one of those.
    pub(super) fn is_dated(&self, origin: Sym) -> bool {
        self.gives_dates(origin) && !self.classes.dates
    }

    /// Notes the bases of a class, which make dates and times of its objects where one of them is
    /// such a class.
    pub(in crate::facts::python::values) fn note_dates(&mut self, bases: Set) {
        let date = |atom: Atom| {
            atom == Atom::Unknown || atom.library().is_some_and(|name| self.gives_dates(name))
        };
        let own = !self.classes.dates && bases.iter().any(date);
        self.classes.dates |= own;
        self.pools.stale |= own;
    }

    fn gives_dates(&self, origin: Sym) -> bool {
        self.program.symbols.text(origin).starts_with(DATES)
    }

    /// A text made of parts, each of which may be several: one text for each combination.
    pub(super) fn multiplied(&mut self, mut parts: Vec<Vec<Text>>) -> Set {
        while parts.iter().map(Vec::len).fold(1, usize::saturating_mul) > COMBINATIONS_MAX {
            let Some(most) = parts.iter_mut().max_by_key(|part| part.len()) else { break };
            let texts: Vec<&str> = most.iter().map(|text| &**text).collect();
            let Some(pattern) = patterns::around(&texts) else {
                return self.plain("str");
            };
            *most = vec![pattern.into()];
        }
        let mut whole = vec![String::new()];
        for part in &parts {
            let bytes: usize = whole.iter().map(String::len).sum();
            if bytes > super::texts::TEXT_BYTES_MAX {
                return self.plain("str");
            }
            whole = whole
                .iter()
                .flat_map(|start| part.iter().map(move |text| format!("{start}{text}")))
                .collect();
        }
        self.either_text(&whole)
    }

    /// Each of these texts or patterns.
    pub(super) fn either_text(&mut self, texts: &[String]) -> Set {
        let mut union = Set::default();
        for text in texts {
            let atom = if is_wild(text) {
                self.fold(&simplified(text)).map(Atom::Partial)
            } else {
                self.fold(text).map(Atom::Text)
            };
            let Some(atom) = atom else {
                return self.plain("str");
            };
            self.add(&mut union, atom);
        }
        union
    }

    /// `{value:format}`.
    pub(in crate::facts::python::values) fn formatted(&mut self, value: Val, format: Sym) -> Set {
        let set = self.of(value);
        if set.is_empty() {
            return set;
        }
        let format = self.program.symbols.shared(format);
        match self.formed(set, &Form::Colon(format.as_ref().to_owned())) {
            Some(texts) => self.multiplied(vec![texts]),
            None => self.plain("str"),
        }
    }

    /// The texts that values are printed as at a place of a template.
    fn formed(&self, set: Set, form: &Form) -> Option<Vec<Text>> {
        if set.is_empty() || set.overflowed {
            return None;
        }
        let spec = match form {
            Form::Colon(format) if format.is_empty() => return self.printed(set),
            Form::Colon(format) => Spec::read(format),
            Form::Percent(flags, rest) => Some(Spec::percent(flags, rest)?),
        };
        set.iter()
            .map(|atom| {
                if let (Form::Colon(format), Atom::From(origin)) = (form, atom)
                    && self.is_dated(origin)
                {
                    // Without a `%` it may be a text of the library that is padded.
                    return dated(format).filter(|_| format.contains('%')).map(Text::from);
                }
                self.formed_one(atom, spec?)
            })
            .collect()
    }

    fn formed_one(&self, atom: Atom, spec: Spec) -> Option<Text> {
        let converts = spec.conversion == Conversion::Number;
        if spec.conversion == Conversion::Text {
            return self.padded_text(&self.printed_one(atom)?, spec);
        }
        if let Some(number) = self.whole_number(atom) {
            return spec.whole(number).map(Text::from);
        }
        if let Some(text) = self.pattern_of(atom).filter(|_| !converts) {
            return self.padded_text(&text, spec);
        }
        // `%d` takes numbers alone, whatever it is given.
        let wild = if atom.is_whole(&self.program.symbols) || converts {
            spec.some_whole()
        } else {
            spec.number()
        };
        let told = self.is_number(atom)
            || (converts && !self.may_answer(atom))
            || (spec.takes_whole() && self.formats_itself(atom));
        wild.filter(|_| told).map(|wild| String::from(wild).into())
    }

    /// Whether only a whole number or a date can print itself by a format for whole numbers.
    fn formats_itself(&self, atom: Atom) -> bool {
        let library = matches!(atom, Atom::Unknown | Atom::From(_));
        library && !self.pools.loose && self.program.symbols.find("__format__").is_none()
    }

    /// Whether an operator may be answered by a method of the program's own.
    fn may_answer(&self, atom: Atom) -> bool {
        self.is_hooked() && !atom.is_plain()
    }

    fn padded_text(&self, text: &str, spec: Spec) -> Option<Text> {
        if is_wild(text) {
            return spec.leaves().then(|| text.into());
        }
        spec.text(text).map(Text::from)
    }

    /// A template with its fields filled.
    pub(super) fn filled(
        &mut self,
        pieces: Option<Vec<Piece>>,
        value: impl Fn(&mut Self, &str) -> Option<Set>,
    ) -> Set {
        let Some(pieces) = pieces else {
            return self.plain("str");
        };
        let mut parts = Vec::new();
        for piece in pieces {
            let part = match piece {
                Piece::Said(text) => Some(vec![text.into()]),
                Piece::Field(name, form) => {
                    value(self, &name).and_then(|set| self.formed(set, &form))
                }
            };
            let Some(part) = part else {
                return self.plain("str");
            };
            parts.push(part);
        }
        self.multiplied(parts)
    }
}
