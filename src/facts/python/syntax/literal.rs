//! Strings, numbers and the bounds of slices as the interpreter decodes them.
//!
//! Must never guess: a literal that cannot be decoded is text of which nothing is known.

use super::kinds::Syntax;
use super::walk::{Frame, Item, Walk};
use crate::facts::python::program::{Collection, Kind, Literal, Operand, Slot, Val, number};
use crate::facts::python::values::Atom;

/// The letters before the quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Prefix {
    raw: bool,
    bytes: bool,
    formatted: bool,
}

impl Prefix {
    fn read(start: &str) -> Self {
        let has = |letter: char| start.chars().any(|one| one.eq_ignore_ascii_case(&letter));
        Self { raw: has('r'), bytes: has('b'), formatted: has('f') || has('t') }
    }
}

impl Walk<'_, '_> {
    /// A string is a constant, or a format of constants and interpolated values.
    pub(super) fn string(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let of = |syntax| items.iter().find(move |item| item.syntax == syntax);
        let opening = of(Syntax::StringStart).map_or((frame.range.0, frame.range.0), |i| i.range);
        let prefix = Prefix::read(self.slice(opening));
        let close = self.closing(frame, opening);
        if !items.iter().any(|item| item.value.is_some()) {
            let value = self.piece((frame, prefix), (opening.1, close), frame.range);
            return Item::of(frame, Some(value));
        }
        let mut parts = Vec::new();
        let mut from = opening.1;
        for (range, value) in items.iter().filter_map(|item| Some((item.range, item.value?))) {
            parts.extend(self.piece_between((frame, prefix), (from, range.0)));
            parts.push(value);
            from = range.1;
        }
        parts.extend(self.piece_between((frame, prefix), (from, close)));
        let value = self.format(frame, parts);
        Item::of(frame, Some(value))
    }

    /// Where the closing quotes begin. The parser's own node of them does not tell: of a raw string
    /// it takes in the backslashes before them.
    fn closing(&self, frame: &Frame, opening: (u32, u32)) -> u32 {
        let letters = self.slice(opening).trim_end_matches(['"', '\'']).len();
        let quotes = (opening.1 - opening.0).saturating_sub(number(letters));
        frame.range.1.saturating_sub(quotes).max(opening.1)
    }

    fn piece_between(&mut self, string: (&Frame, Prefix), range: (u32, u32)) -> Option<Val> {
        if range.0 < range.1 {
            return Some(self.piece(string, range, range));
        }
        // A literal that says nothing stands there all the same.
        let text = Some(self.program.symbols.intern(""));
        self.program.literals.push(Literal { range: string.0.range, text });
        None
    }

    /// What is written between two places of a literal.
    fn piece(
        &mut self,
        (frame, prefix): (&Frame, Prefix),
        content: (u32, u32),
        range: (u32, u32),
    ) -> Val {
        let text = decode(self.slice(content), prefix);
        let value = self.text_constant(text, prefix, range);
        let text = self.program.kind(value).literal();
        self.program.literals.push(Literal { range: frame.range, text });
        value
    }

    /// `{value}` in a string; a conversion, a format or a `=` makes other text of it.
    pub(super) fn interpolation(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let written = self.slice(frame.range).trim_end_matches('}').trim_end();
        match items {
            [only] if !written.ends_with('=') => Item::of(frame, only.value),
            [Item { value: Some(value), range, .. }, format]
                if format.syntax == Syntax::FormatSpecifier
                    && !self.slice((range.1, format.range.0)).contains('=') =>
            {
                self.formatted(frame, *value, format.range)
            }
            _ => self.opaque(frame),
        }
    }

    /// `{value:format}`; a format with fields or escapes of its own is not read.
    fn formatted(&mut self, frame: &Frame, value: Val, format: (u32, u32)) -> Item {
        let written = self.slice(format);
        let written = written.strip_prefix(':').unwrap_or(written);
        if written.contains(['{', '}', '\\']) {
            return self.opaque(frame);
        }
        let format = written.to_owned();
        let format = self.program.symbols.intern(&format);
        let value = self.push(Kind::Formatted { value, format }, frame.range);
        Item::of(frame, Some(value))
    }

    /// `start:stop:step`, any of which may be left out.
    pub(super) fn slice_of(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let item = self.collect(frame, items, Collection::Tuple);
        if let (Some(value), Some(parts)) = (item.value, self.parts_of_slice(frame, items)) {
            let none = self.program.symbols.intern("None");
            let none = self.push(Kind::Constant(Atom::Literal(none)), frame.range);
            let value_of =
                |part: Option<Val>| Operand { slot: Slot::Position, value: part.unwrap_or(none) };
            let operands = self.program.push_operands(parts.map(value_of));
            self.program.slices.insert(value, operands);
        }
        item
    }

    /// Each part of a slice, where it is written; nothing where the colons cannot be told.
    fn parts_of_slice(&self, frame: &Frame, items: &[Item]) -> Option<[Option<Val>; 3]> {
        let mut parts = [None; 3];
        let mut place = 0;
        let mut from = frame.range.0;
        for item in items {
            place += self.colons((from, item.range.0))?;
            *parts.get_mut(place)? = item.value;
            from = item.range.1;
        }
        self.colons((from, frame.range.1))?;
        Some(parts)
    }

    fn colons(&self, range: (u32, u32)) -> Option<usize> {
        let between = self.slice(range);
        (!between.contains('#')).then(|| between.matches(':').count())
    }

    /// The minus of a number is part of it.
    pub(super) fn unary(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let written = self.slice(frame.range);
        if let [only] = items
            && let Some(value) = only.value
            && let Kind::Constant(Atom::Literal(number)) = self.program.kind(value)
            && let number = self.program.symbols.text(number)
            && written.strip_prefix('-').is_some_and(|digits| digits.trim() == number)
            && number.starts_with(|first: char| first.is_ascii_digit())
        {
            let number = format!("-{number}");
            let number = self.program.symbols.intern(&number);
            self.set_kind(value, Kind::Constant(Atom::Literal(number)));
            return Item::of(frame, Some(value));
        }
        self.opaque(frame)
    }

    fn text_constant(&mut self, text: Option<String>, prefix: Prefix, range: (u32, u32)) -> Val {
        let atom = match text {
            Some(text) if prefix.bytes => Atom::Bytes(self.program.symbols.intern(&text)),
            Some(text) => Atom::Text(self.program.symbols.intern(&text)),
            None => Atom::Plain(self.program.symbols.intern("str")),
        };
        self.push(Kind::Constant(atom), range)
    }

    /// Literals that stand next to each other are one.
    pub(super) fn concatenated(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let parts: Vec<Val> = items.iter().filter_map(|item| item.value).collect();
        let mut whole = String::new();
        let mut bytes = false;
        for part in &parts {
            let Kind::Constant(atom @ (Atom::Text(text) | Atom::Bytes(text))) =
                self.program.kind(*part)
            else {
                let value = self.format(frame, parts);
                return Item::of(frame, Some(value));
            };
            bytes |= matches!(atom, Atom::Bytes(_));
            whole.push_str(self.program.symbols.text(text));
        }
        for part in &parts {
            self.set_kind(*part, Kind::Dead);
        }
        let prefix = Prefix { raw: false, bytes, formatted: false };
        let value = self.text_constant(Some(whole), prefix, frame.range);
        Item::of(frame, Some(value))
    }
}

/// The text of a literal; bytes above 127 stand as the characters of the same number.
fn decode(written: &str, prefix: Prefix) -> Option<String> {
    let mut text = String::with_capacity(written.len());
    let mut rest = written.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\\' if !prefix.raw => match escape(&mut rest, prefix)? {
                Escape::Nothing => {}
                Escape::Character(decoded) => text.push(decoded),
                Escape::Kept(kept) => text.extend(['\\', kept]),
            },
            '{' | '}' if prefix.formatted && rest.peek() == Some(&character) => {
                rest.next();
                text.push(character);
            }
            '\r' if rest.peek() == Some(&'\n') => {}
            other => text.push(other),
        }
    }
    Some(text)
}

enum Escape {
    Nothing,
    Character(char),
    /// Not an escape: both characters stay.
    Kept(char),
}

type Rest<'text> = std::iter::Peekable<std::str::Chars<'text>>;

fn escape(rest: &mut Rest<'_>, prefix: Prefix) -> Option<Escape> {
    let Some(letter) = rest.next() else {
        return Some(Escape::Kept('\\'));
    };
    let decoded = match letter {
        '\n' => return Some(Escape::Nothing),
        '\r' => {
            rest.next_if_eq(&'\n');
            return Some(Escape::Nothing);
        }
        '\\' | '\'' | '"' => letter,
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        '0'..='7' => octal(letter, rest)?,
        'x' => hexadecimal(rest, 2)?,
        'u' if !prefix.bytes => hexadecimal(rest, 4)?,
        'U' if !prefix.bytes => hexadecimal(rest, 8)?,
        'N' if !prefix.bytes => named(rest)?,
        other => return Some(Escape::Kept(other)),
    };
    Some(Escape::Character(decoded))
}

/// `\N{name}`, by the name or an alias of the character.
fn named(rest: &mut Rest<'_>) -> Option<char> {
    rest.next_if_eq(&'{')?;
    let name: String = rest.by_ref().take_while(|next| *next != '}').collect();
    unicode_names2::character(&name)
}

fn octal(first: char, rest: &mut Rest<'_>) -> Option<char> {
    let mut number = first.to_digit(8)?;
    for _ in 0..2 {
        let Some(digit) = rest.peek().and_then(|next| next.to_digit(8)) else {
            break;
        };
        rest.next();
        number = number * 8 + digit;
    }
    char::from_u32(number)
}

fn hexadecimal(rest: &mut Rest<'_>, digits: usize) -> Option<char> {
    let mut number = 0_u32;
    for _ in 0..digits {
        number = number.checked_mul(16)? + rest.next()?.to_digit(16)?;
    }
    char::from_u32(number)
}
