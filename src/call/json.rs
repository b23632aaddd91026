//! Arguments as a tree: what was sent, in the order in which it was sent.
//!
//! The doors build it from text that they checked for duplicate keys; policy judges it, the
//! ledger records it and effects forward it, so that all of them see one meaning.

use super::Text;
use std::fmt::{self, Write};

/// A number as it was written, so that nothing is lost by rounding.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Number(Text);

impl Number {
    /// Takes the text of a JSON number, which the caller has parsed as one.
    pub fn new(text: impl Into<Text>) -> Self {
        Self(text.into())
    }

    /// The number as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A JSON value whose objects keep their order and have no key twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as written.
    Number(Number),
    /// A string.
    String(Text),
    /// A list.
    Array(Vec<Json>),
    /// An object: pairs in the order in which they were sent.
    Object(Vec<(Text, Json)>),
}

impl Json {
    /// The member of an object; `None` for other values and absent keys.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => {
                members.iter().find(|(name, _)| &**name == key).map(|(_, value)| value)
            }
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) | Self::Array(_) => None,
        }
    }

    /// The text of a string; `None` for other values.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Array(_) | Self::Object(_) => None,
        }
    }

    /// The canonical text: no white space, keys sorted by their bytes, so that two spellings of
    /// one value have one digest.
    pub fn canonical(&self) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        match self {
            Self::Null => out.write_str("null"),
            Self::Bool(value) => write!(out, "{value}"),
            Self::Number(number) => out.write_str(number.as_str()),
            Self::String(text) => write_string(text, out),
            Self::Array(items) => {
                out.write_char('[')?;
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.write_char(',')?;
                    }
                    item.write(out)?;
                }
                out.write_char(']')
            }
            Self::Object(members) => {
                let mut sorted: Vec<_> = members.iter().collect();
                sorted.sort_by(|left, right| left.0.cmp(&right.0));
                out.write_char('{')?;
                for (index, (key, value)) in sorted.into_iter().enumerate() {
                    if index > 0 {
                        out.write_char(',')?;
                    }
                    write_string(key, out)?;
                    out.write_char(':')?;
                    value.write(out)?;
                }
                out.write_char('}')
            }
        }
    }
}

fn write_string(text: &str, out: &mut String) -> fmt::Result {
    out.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            control if control < ' ' => write!(out, "\\u{:04x}", u32::from(control))?,
            other => out.write_char(other)?,
        }
    }
    out.write_char('"')
}
