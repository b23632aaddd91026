//! The words of JSON: white space, punctuation, strings and numbers, as RFC 8259 has them.
//!
//! Must never accept a word that the standard does not have.

use super::Reason;

/// A place in the text.
pub(super) struct Cursor<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, offset: 0 }
    }

    /// How many bytes have been read.
    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.offset).copied()
    }

    fn next(&mut self) -> Result<u8, Reason> {
        let byte = self.peek().ok_or(Reason::End)?;
        self.offset = self.offset.saturating_add(1);
        Ok(byte)
    }

    pub(super) fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.offset = self.offset.saturating_add(1);
        }
    }

    /// Whether this byte came next; if so it is read.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.offset = self.offset.saturating_add(1);
        }
        found
    }

    pub(super) fn expect(&mut self, byte: u8) -> Result<(), Reason> {
        match self.peek() {
            Some(next) if next == byte => {
                self.offset = self.offset.saturating_add(1);
                Ok(())
            }
            Some(_) => Err(Reason::Syntax),
            None => Err(Reason::End),
        }
    }

    pub(super) fn word(&mut self, word: &str) -> Result<(), Reason> {
        word.bytes().try_for_each(|byte| self.expect(byte))
    }

    /// A number's own text.
    pub(super) fn number(&mut self) -> Result<&'a str, Reason> {
        let start = self.offset;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            if !self.take(b'+') {
                self.take(b'-');
            }
            self.digits()?;
        }
        self.text.get(start..self.offset).ok_or(Reason::Syntax)
    }

    fn digits(&mut self) -> Result<(), Reason> {
        let start = self.offset;
        while let Some(b'0'..=b'9') = self.peek() {
            self.offset = self.offset.saturating_add(1);
        }
        if self.offset > start {
            return Ok(());
        }
        Err(self.peek().map_or(Reason::End, |_| Reason::Syntax))
    }

    /// A string's value.
    pub(super) fn string(&mut self) -> Result<String, Reason> {
        self.expect(b'"')?;
        let mut value = String::new();
        loop {
            value.push_str(self.plain()?);
            match self.next()? {
                b'"' => return Ok(value),
                // The one other byte at which `plain` stops without an error.
                _ => value.push(self.escape()?),
            }
        }
    }

    /// The run of characters up to the next quote or backslash.
    fn plain(&mut self) -> Result<&'a str, Reason> {
        let start = self.offset;
        loop {
            match self.peek().ok_or(Reason::End)? {
                b'"' | b'\\' => break,
                0..=0x1f => return Err(Reason::Syntax),
                _ => self.offset = self.offset.saturating_add(1),
            }
        }
        self.text.get(start..self.offset).ok_or(Reason::Syntax)
    }

    fn escape(&mut self) -> Result<char, Reason> {
        match self.next()? {
            b'"' => Ok('"'),
            b'\\' => Ok('\\'),
            b'/' => Ok('/'),
            b'b' => Ok('\u{8}'),
            b'f' => Ok('\u{c}'),
            b'n' => Ok('\n'),
            b'r' => Ok('\r'),
            b't' => Ok('\t'),
            b'u' => self.unicode(),
            _ => Err(Reason::Syntax),
        }
    }

    fn unicode(&mut self) -> Result<char, Reason> {
        let first = self.hex()?;
        if !(0xd800..0xe000).contains(&first) {
            return char::from_u32(first).ok_or(Reason::Surrogate);
        }
        if first >= 0xdc00 || !self.take(b'\\') || !self.take(b'u') {
            return Err(Reason::Surrogate);
        }
        let second = self.hex()?;
        if !(0xdc00..0xe000).contains(&second) {
            return Err(Reason::Surrogate);
        }
        let high = first.saturating_sub(0xd800) << 10;
        let low = second.saturating_sub(0xdc00);
        char::from_u32(0x1_0000_u32.saturating_add(high | low)).ok_or(Reason::Surrogate)
    }

    fn hex(&mut self) -> Result<u32, Reason> {
        let mut value = 0;
        for _ in 0..4 {
            let digit = char::from(self.next()?).to_digit(16).ok_or(Reason::Syntax)?;
            value = value << 4 | digit;
        }
        Ok(value)
    }
}
