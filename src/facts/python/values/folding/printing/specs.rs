//! Formats of single values: what stands after the colon of a replacement field, or between `%`
//! and its letter.
//!
//! Must never take a format for one that it does not know whole.

use crate::facts::python::values::folding::patterns::{DIGITS, WORD};

/// Characters that one value may be padded to.
pub(in crate::facts::python::values::folding) const WIDTH_MAX: usize = 256;

/// What is made of a value before it is printed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conversion {
    /// Nothing: the value prints itself.
    #[default]
    Nothing,
    /// A text.
    Text,
    /// A number, or the program ends there.
    Number,
}

/// A format, read.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spec {
    fill: Option<char>,
    align: Option<char>,
    plus: bool,
    zero: bool,
    width: usize,
    grouping: Option<char>,
    precision: Option<usize>,
    letter: Option<char>,
    pub(super) conversion: Conversion,
}

impl Spec {
    /// Reads what stands after a colon.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut spec = Self::default();
        let mut rest = text;
        let mut letters = text.chars();
        let (first, second) = (letters.next(), letters.next());
        if let (Some(fill), Some(align @ ('<' | '>' | '^' | '='))) = (first, second) {
            (spec.fill, spec.align) = (Some(fill), Some(align));
            rest = letters.as_str();
        } else if let Some(align @ ('<' | '>' | '^' | '=')) = first {
            spec.align = Some(align);
            rest = rest.get(1..)?;
        }
        if let Some(after) = rest.strip_prefix('+') {
            spec.plus = true;
            rest = after;
        } else {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        spec.rest(rest)
    }

    /// Reads the flags, width and letter after a `%`.
    pub(super) fn percent(flags: &str, rest: &str) -> Option<Self> {
        let spec = Self {
            align: flags.contains('-').then_some('<'),
            plus: flags.contains('+'),
            zero: flags.contains('0') && !flags.contains('-'),
            ..Self::default()
        };
        (!flags.contains([' ', '#'])).then_some(())?;
        let spec = spec.numbers(rest)?;
        let conversion =
            if spec.letter == Some('s') { Conversion::Text } else { Conversion::Number };
        Some(Self { conversion, ..spec })
    }

    fn rest(mut self, mut rest: &str) -> Option<Self> {
        if let Some(after) = rest.strip_prefix('0') {
            self.zero = true;
            rest = after;
        }
        self.numbers(rest)
    }

    /// Reads the width, the grouping, the precision and the letter.
    fn numbers(mut self, rest: &str) -> Option<Self> {
        let (width, mut rest) = digits(rest);
        if !width.is_empty() {
            self.width = width.parse().ok().filter(|width| *width <= WIDTH_MAX)?;
        }
        if let Some(grouping) = rest.chars().next().filter(|letter| ",_".contains(*letter)) {
            self.grouping = Some(grouping);
            rest = rest.get(1..)?;
        }
        if let Some(after) = rest.strip_prefix('.') {
            let (precision, after) = digits(after);
            self.precision = Some(precision.parse().ok()?);
            rest = after;
        }
        let mut letters = rest.chars();
        self.letter = letters.next();
        letters.next().is_none().then_some(self)
    }

    /// What a text is printed as.
    pub(super) fn text(self, text: &str) -> Option<String> {
        let plain = !self.plus && !self.zero && self.grouping.is_none() && self.align != Some('=');
        (plain && matches!(self.letter, None | Some('s'))).then_some(())?;
        let cut: String = text.chars().take(self.precision.unwrap_or(usize::MAX)).collect();
        let side = if self.conversion == Conversion::Text { '>' } else { '<' };
        Some(padded(&cut, self.width, (self.align.unwrap_or(side), self.fill.unwrap_or(' '))))
    }

    /// Whether a pattern is printed as it is.
    pub(super) fn leaves(self) -> bool {
        self.width == 0 && self.text("").is_some() && self.precision.is_none()
    }

    /// What a whole number is printed as.
    pub(super) fn whole(self, number: i128) -> Option<String> {
        let magnitude = number.unsigned_abs();
        let digits = match self.letter {
            None | Some('d' | 'i' | 'u') => magnitude.to_string(),
            Some('x') => format!("{magnitude:x}"),
            Some('X') => format!("{magnitude:X}"),
            Some('o') => format!("{magnitude:o}"),
            Some('b') => format!("{magnitude:b}"),
            Some(_) => return self.number().map(String::from),
        };
        (self.precision.is_none() && self.grouping.is_none()).then_some(())?;
        let sign = match (number < 0, self.plus) {
            (true, _) => "-",
            (false, true) => "+",
            (false, false) => "",
        };
        let fill = if self.zero && self.fill.is_none() { '0' } else { self.fill.unwrap_or(' ') };
        if (self.zero && self.align.is_none()) || self.align == Some('=') {
            let width = self.width.saturating_sub(sign.len());
            return Some(format!("{sign}{}", padded(&digits, width, ('>', fill))));
        }
        let whole = format!("{sign}{digits}");
        Some(padded(&whole, self.width, (self.align.unwrap_or('>'), fill)))
    }

    /// Whether it is written for whole numbers alone.
    pub(super) fn takes_whole(self) -> bool {
        self.letter == Some('d') && self.precision.is_none()
    }

    /// What a whole number that is not known is printed as.
    pub(super) fn some_whole(self) -> Option<char> {
        let plain = matches!(self.letter, None | Some('d' | 'i' | 'u'));
        self.number().map(|wild| if plain { DIGITS } else { wild })
    }

    /// What a number that is not known is printed as.
    pub(super) fn number(self) -> Option<char> {
        let fills = self.fill.is_none_or(|fill| " 0-_".contains(fill));
        let known = self.letter.is_none_or(|letter| "diuxXobeEfFgG%".contains(letter));
        (fills && known).then_some(WORD)
    }
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len()))
}

/// A text with a fill on the other side.
pub(in crate::facts::python::values::folding) fn padded(
    text: &str,
    width: usize,
    (align, fill): (char, char),
) -> String {
    let missing = width.saturating_sub(text.chars().count());
    let before = match align {
        '>' => missing,
        '^' => missing / 2,
        _ => 0,
    };
    let of = |count: usize| fill.to_string().repeat(count);
    format!("{}{text}{}", of(before), of(missing - before))
}

/// What a date or a time is printed as by a constant format.
pub(in crate::facts::python::values::folding) fn dated(format: &str) -> Option<String> {
    let mut whole = String::new();
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            whole.push(letter);
            continue;
        }
        match letters.next()? {
            'Y' | 'm' | 'd' | 'H' | 'M' | 'S' | 'j' | 'y' | 'U' | 'W' | 'w' | 'u' | 'V' | 'G'
            | 'f' | 'I' | 'F' | 'T' => whole.push(DIGITS),
            'b' | 'B' | 'a' | 'A' => whole.push(WORD),
            '%' => whole.push('%'),
            _ => return None,
        }
    }
    Some(whole)
}
