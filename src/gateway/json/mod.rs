//! Strict JSON: text in, one tree out, or the place where it stops being unambiguous.
//!
//! Written by hand, since the readers at hand accept what two readers may understand differently:
//! duplicate keys, keys equal but for case, a lone surrogate, a number beyond every machine type.
//! Must never echo what it read, and never recurse deeper than its cap.

mod lexis;
#[cfg(test)]
mod tests;

use crate::call::{Json, Number, Text};
use lexis::Cursor;
use std::collections::HashSet;

/// Why a text is not read. Says the place and never the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at line {line}, column {column}")]
pub(super) struct Malformed {
    /// What is wrong.
    pub(super) reason: Reason,
    /// The line, from 1.
    pub(super) line: usize,
    /// The column in characters, from 1.
    pub(super) column: usize,
}

/// What is wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Reason {
    /// Bytes that are not UTF-8.
    #[error("the text is not UTF-8")]
    Encoding,
    /// Not JSON.
    #[error("the text is not JSON")]
    Syntax,
    /// The text ends before its value does.
    #[error("the text ends too early")]
    End,
    /// Something follows the value.
    #[error("something follows the JSON value")]
    Trailing,
    /// A key stands twice in one object.
    #[error("an object has a key twice")]
    DuplicateKey,
    /// Two keys of one object differ in case alone.
    #[error("an object has two keys that differ in case alone")]
    CaseEqualKey,
    /// A key that a JSON library takes for something else.
    #[error("an object has a reserved key")]
    ReservedKey,
    /// Half of a surrogate pair.
    #[error("a string has a lone surrogate")]
    Surrogate,
    /// A number that no usual type holds.
    #[error("a number is out of range")]
    Number,
    /// Nested deeper than the cap.
    #[error("the value is nested too deeply")]
    Depth,
}

/// The longest number, in characters: what an exact 128-bit float may need, and far more than
/// any argument does.
const NUMBER_CHARS_MAX: usize = 64;

/// The key by which serde_json marks its own numbers; an object with it would be read as one.
const RESERVED_PREFIX: &str = "$serde_json::private::";

/// Reads one JSON value that is the whole text.
///
/// # Errors
/// Where the text is not UTF-8, not JSON, ambiguous, or nested deeper than `depth_max`.
pub(super) fn parse(bytes: &[u8], depth_max: usize) -> Result<Json, Malformed> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
        place(&String::from_utf8_lossy(valid), usize::MAX, Reason::Encoding)
    })?;
    let mut reader = Reader { cursor: Cursor::new(text), depth_left: depth_max };
    reader.document().map_err(|reason| place(text, reader.cursor.offset(), reason))
}

fn place(text: &str, offset: usize, reason: Reason) -> Malformed {
    let read = text.get(..offset.min(text.len())).unwrap_or_default();
    let line_text = read.rsplit('\n').next().unwrap_or_default();
    Malformed {
        reason,
        line: read.matches('\n').count().saturating_add(1),
        column: line_text.chars().count().saturating_add(1),
    }
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    depth_left: usize,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<Json, Reason> {
        self.cursor.skip_space();
        let value = self.value()?;
        self.cursor.skip_space();
        match self.cursor.peek() {
            None => Ok(value),
            Some(_) => Err(Reason::Trailing),
        }
    }

    fn value(&mut self) -> Result<Json, Reason> {
        match self.cursor.peek().ok_or(Reason::End)? {
            b'{' => self.nested(Self::object),
            b'[' => self.nested(Self::array),
            b'"' => Ok(Json::String(self.cursor.string()?.into())),
            b't' => self.cursor.word("true").map(|()| Json::Bool(true)),
            b'f' => self.cursor.word("false").map(|()| Json::Bool(false)),
            b'n' => self.cursor.word("null").map(|()| Json::Null),
            b'-' | b'0'..=b'9' => self.number(),
            _ => Err(Reason::Syntax),
        }
    }

    fn nested(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Json, Reason>,
    ) -> Result<Json, Reason> {
        self.depth_left = self.depth_left.checked_sub(1).ok_or(Reason::Depth)?;
        let value = read(self)?;
        self.depth_left = self.depth_left.saturating_add(1);
        Ok(value)
    }

    fn array(&mut self) -> Result<Json, Reason> {
        let mut items = Vec::new();
        self.cursor.expect(b'[')?;
        self.cursor.skip_space();
        if self.cursor.take(b']') {
            return Ok(Json::Array(items));
        }
        loop {
            self.cursor.skip_space();
            items.push(self.value()?);
            self.cursor.skip_space();
            if self.cursor.take(b']') {
                return Ok(Json::Array(items));
            }
            self.cursor.expect(b',')?;
        }
    }

    fn object(&mut self) -> Result<Json, Reason> {
        let mut members = Vec::new();
        let mut keys = Keys::default();
        self.cursor.expect(b'{')?;
        self.cursor.skip_space();
        if self.cursor.take(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.cursor.skip_space();
            let key: Text = self.cursor.string()?.into();
            keys.admit(&key)?;
            self.cursor.skip_space();
            self.cursor.expect(b':')?;
            self.cursor.skip_space();
            members.push((key, self.value()?));
            self.cursor.skip_space();
            if self.cursor.take(b'}') {
                return Ok(Json::Object(members));
            }
            self.cursor.expect(b',')?;
        }
    }

    fn number(&mut self) -> Result<Json, Reason> {
        let text = self.cursor.number()?;
        let in_range = text.parse::<f64>().is_ok_and(f64::is_finite);
        if text.len() > NUMBER_CHARS_MAX || !in_range {
            return Err(Reason::Number);
        }
        Ok(Json::Number(Number::new(text)))
    }
}

/// The keys of one object so far.
#[derive(Default)]
struct Keys {
    exact: HashSet<Text>,
    folded: HashSet<String>,
}

impl Keys {
    fn admit(&mut self, key: &Text) -> Result<(), Reason> {
        if key.starts_with(RESERVED_PREFIX) {
            return Err(Reason::ReservedKey);
        }
        if !self.exact.insert(key.clone()) {
            return Err(Reason::DuplicateKey);
        }
        // Upper, then lower: folds the letters whose lower case alone would keep them apart.
        if !self.folded.insert(key.to_uppercase().to_lowercase()) {
            return Err(Reason::CaseEqualKey);
        }
        Ok(())
    }
}

/// The same value as the JSON library's type, for replies and for libraries that want it.
pub(super) fn to_value(json: &Json) -> serde_json::Value {
    match json {
        Json::Null => serde_json::Value::Null,
        Json::Bool(value) => serde_json::Value::Bool(*value),
        // A number that was read as one is one; the text stays as it was written.
        Json::Number(number) => serde_json::from_str(number.as_str()).unwrap_or_default(),
        Json::String(text) => serde_json::Value::String(text.to_string()),
        Json::Array(items) => items.iter().map(to_value).collect(),
        Json::Object(members) => {
            members.iter().map(|(key, value)| (key.to_string(), to_value(value))).collect()
        }
    }
}
