//! String literals as the interpreter decodes them.
//!
//! Must never guess: a literal that cannot be decoded is text of which nothing is known.

use super::kinds::Syntax;
use super::walk::{Frame, Item, Walk};
use crate::facts::python::program::{Kind, Val};
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
        let start = items.first().filter(|item| item.syntax == Syntax::StringStart);
        let prefix = Prefix::read(start.map_or("", |item| self.slice(item.range)));
        let interpolated = items.iter().any(|item| item.value.is_some());
        if !interpolated {
            let contents = items.iter().find(|item| item.syntax == Syntax::StringContent);
            let atom =
                contents.map_or(Some(String::new()), |item| decode(self.slice(item.range), prefix));
            let value = self.text_constant(atom, prefix, frame.range);
            return Item::of(frame, Some(value));
        }
        let mut parts = Vec::new();
        for item in items {
            match (item.syntax, item.value) {
                (Syntax::StringContent, _) => {
                    let text = decode(self.slice(item.range), prefix);
                    parts.push(self.text_constant(text, prefix, item.range));
                }
                (_, Some(value)) => parts.push(value),
                (_, None) => {}
            }
        }
        let value = self.format(frame, parts);
        Item::of(frame, Some(value))
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
