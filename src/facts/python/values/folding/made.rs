//! Objects that a library surely made itself: what comes out of them, and what they print as.
//!
//! Must never take what came out of such an object for the object.

use super::patterns::{DIGITS, PLAIN, WORD};
use crate::call::Text;
use crate::facts::python::program::{Operand, Operands, Slot, Sym};
use crate::facts::python::values::evaluate::OUT;
use crate::facts::python::values::{Atom, Set, Values};

/// What makes dates, times and spans of time.
const DATES: [&str; 19] = [
    "datetime.date",
    "datetime.date.fromisoformat",
    "datetime.date.fromordinal",
    "datetime.date.fromtimestamp",
    "datetime.date.today",
    "datetime.datetime",
    "datetime.datetime.combine",
    "datetime.datetime.fromisoformat",
    "datetime.datetime.fromordinal",
    "datetime.datetime.fromtimestamp",
    "datetime.datetime.now",
    "datetime.datetime.strptime",
    "datetime.datetime.today",
    "datetime.datetime.utcfromtimestamp",
    "datetime.datetime.utcnow",
    "datetime.time",
    "datetime.time.fromisoformat",
    "datetime.timedelta",
    "datetime.date.fromisocalendar",
];

/// What makes digests of one byte or more.
const DIGESTS: [&str; 13] = [
    "hashlib.blake2b",
    "hashlib.blake2s",
    "hashlib.md5",
    "hashlib.new",
    "hashlib.sha1",
    "hashlib.sha224",
    "hashlib.sha256",
    "hashlib.sha384",
    "hashlib.sha3_224",
    "hashlib.sha3_256",
    "hashlib.sha3_384",
    "hashlib.sha3_512",
    "hashlib.sha512",
];

/// What makes identifiers.
const IDENTIFIERS: [&str; 5] =
    ["uuid.UUID", "uuid.uuid1", "uuid.uuid3", "uuid.uuid4", "uuid.uuid5"];

/// What makes objects that write rows.
const WRITERS: [&str; 2] = ["csv.DictWriter", "csv.writer"];

/// The origin of what holds whole numbers alone; no library name looks like it.
const NUMBERS: &str = "datetime.<numbers>";

/// Methods of dates and times that give another one.
const GIVING_DATES: [&str; 5] = ["astimezone", "date", "replace", "time", "timetz"];

/// Functions that give texts of letters, digits, dashes and underscores, as long as they are asked.
const GIVING_LETTERS: [&str; 2] = ["secrets.token_hex", "secrets.token_urlsafe"];

/// What counts on and on.
const COUNTING: &str = "itertools.count";

/// What a library made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    Date,
    Digest,
    Identifier,
    Writer,
    Handle,
}

impl Values<'_> {
    /// What calling the thing of this name surely made, where this is no more than that.
    fn made_by(&self, origin: Sym) -> Option<Made> {
        let text = self.program.symbols.text(origin);
        let lists =
            [(&DATES[..], Made::Date), (&DIGESTS, Made::Digest), (&IDENTIFIERS, Made::Identifier)];
        let listed = lists.into_iter().chain([(&WRITERS[..], Made::Writer)]);
        let listed = listed.into_iter().find(|(names, _)| names.contains(&text));
        match listed {
            Some((_, Made::Date)) if self.classes.dates => None,
            Some((_, made)) => Some(made),
            None if text.ends_with(OUT) => None,
            None => self.names.makes_handle(text).then_some(Made::Handle),
        }
    }

    /// Whether it is surely no object of the program's own that has a member of this name: the
    /// library made it, and nothing was put there. One of a class of the program's own that
    /// derives from it is known as such beside it, and one that was given to it left our sight.
    pub(in crate::facts::python::values) fn is_librarys_own(
        &self,
        origin: Sym,
        member: Sym,
    ) -> bool {
        self.made_by(origin).is_some() && !self.classes.is_written(member)
    }

    /// What comes out of an object of a library. What comes out of an open file is no open file:
    /// it may be the text of a path.
    pub(in crate::facts::python::values) fn out_of(&mut self, origin: Sym) -> Set {
        let text = self.program.symbols.text(origin);
        if text == NUMBERS {
            return self.plain("int");
        }
        if self.made_by(origin).is_none() {
            return Set::one(Atom::From(origin));
        }
        let out = format!("{text}{OUT}");
        Set::one(Atom::From(self.program.symbols.intern(&out)))
    }

    /// An attribute of what a library made, where it is known what that is.
    pub(in crate::facts::python::values) fn part_of_made(
        &mut self,
        origin: Sym,
        name: Sym,
    ) -> Option<Set> {
        let name = self.program.symbols.shared(name);
        match (self.made_by(origin)?, &*name) {
            (Made::Identifier, "hex") => Some(self.either_text(&[PLAIN.to_string()])),
            (Made::Identifier, "int") => Some(self.plain("int")),
            _ => None,
        }
    }

    /// What a method gives of what a library made, where it is known what that is.
    pub(super) fn method_of_made(
        &mut self,
        base: Atom,
        name: Sym,
        arguments: Operands,
    ) -> Option<Set> {
        let Atom::From(origin) = base else { return None };
        let operands = self.program.operands(arguments).to_vec();
        if let Some(set) = self.dated(origin, name, &operands) {
            return Some(set);
        }
        let name = self.program.symbols.shared(name);
        match (self.made_by(origin)?, &*name, operands.as_slice()) {
            (Made::Digest, "hexdigest", []) => Some(self.either_text(&[PLAIN.to_string()])),
            (Made::Digest, "copy", []) => Some(Set::one(base)),
            (Made::Date, "isocalendar", []) => {
                Some(Set::one(Atom::From(self.program.symbols.intern(NUMBERS))))
            }
            (Made::Date, "total_seconds" | "timestamp", []) => Some(self.plain("float")),
            (Made::Date, method, given) if GIVING_DATES.contains(&method) => {
                given.iter().all(|one| self.is_of_library(*one)).then(|| Set::one(base))
            }
            _ => None,
        }
    }

    /// Whether what is given is data, or a library's.
    fn is_of_library(&self, operand: Operand) -> bool {
        let given = self.of(operand.value);
        let plain = matches!(operand.slot, Slot::Position | Slot::Keyword(_));
        plain && given.all(|atom| atom.is_plain() || atom.library().is_some())
    }

    /// What prints dates and times, by a constant format.
    fn dated(&mut self, origin: Sym, name: Sym, operands: &[Operand]) -> Option<Set> {
        if !self.is_dated(origin) {
            return None;
        }
        let symbols = &self.program.symbols;
        let parts = |one: &Operand| matches!(one.slot, Slot::Keyword(name) if symbols.text(name) == "timespec");
        match (symbols.text(name), operands) {
            ("isoformat", given) if given.iter().all(parts) => {
                let date = DIGITS.to_string();
                let time = format!("{DIGITS}T{DIGITS}");
                Some(self.either_text(&[date, time]))
            }
            ("strftime", [format]) if format.slot == Slot::Position => {
                let format = self.of(format.value);
                Some(self.by_date_format(format))
            }
            ("weekday" | "isoweekday" | "toordinal", []) => Some(self.plain("int")),
            _ => None,
        }
    }

    /// What an object that a library made is printed as. What is reckoned of dates may be a span
    /// of time, which is printed in words.
    pub(super) fn printed_made(&self, origin: Sym) -> Option<Text> {
        let wild = match self.made_by(origin)? {
            Made::Date => WORD,
            Made::Identifier => PLAIN,
            Made::Digest | Made::Writer | Made::Handle => return None,
        };
        Some(String::from(wild).into())
    }

    /// Whether what an operator makes of these is a date, a time or a span of time.
    pub(in crate::facts::python::values) fn reckons_dates(&self, left: Set, right: Set) -> bool {
        let made = |origin| self.made_by(origin) == Some(Made::Date);
        let date =
            |atom: Atom| self.is_number(atom) || matches!(atom, Atom::From(origin) if made(origin));
        left.all(date) && right.all(date)
    }

    /// What counts in whole numbers: as far as walking it goes it is a range.
    pub(in crate::facts::python::values) fn counted(
        &mut self,
        name: &str,
        arguments: Operands,
    ) -> Option<Set> {
        let whole = |one: &Operand| {
            self.of(one.value).all(|atom| atom.is_whole(&self.program.symbols))
                && matches!(one.slot, Slot::Position | Slot::Keyword(_))
        };
        let counts = name == COUNTING && self.program.operands(arguments).iter().all(whole);
        counts.then(|| self.plain("range"))
    }

    /// What a function gives that makes texts of letters.
    pub(in crate::facts::python::values) fn letters_of(
        &mut self,
        name: &str,
        arguments: Operands,
    ) -> Option<Set> {
        if !GIVING_LETTERS.contains(&name) {
            return None;
        }
        let asked = self.program.operands(arguments).to_vec();
        let some = match asked.as_slice() {
            [] => true,
            [one] => {
                let count = self.of(one.value).single().and_then(|atom| self.whole_number(atom));
                count.is_some_and(|count| count > 0)
            }
            _ => false,
        };
        let none = Some(String::new()).filter(|_| !some);
        let texts: Vec<String> = none.into_iter().chain([PLAIN.to_string()]).collect();
        Some(self.either_text(&texts))
    }
}
