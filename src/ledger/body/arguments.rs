//! What is kept of a call's arguments.
//!
//! Must never let through a part of a text that is to be masked.

use super::{number, object, text};
use crate::call::{Json, Number};

/// How much of the arguments the ledger keeps. The chain covers what is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arguments {
    /// All, as they were sent.
    Whole,
    /// The blake3 of their canonical text, and its length.
    Digest,
    /// Keys, truth values and the shapes of numbers; of each text its length and its blake3.
    /// Short texts can be guessed from that.
    Masked,
}

impl Arguments {
    /// The word for it in records and settings.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Digest => "digest",
            Self::Masked => "masked",
        }
    }

    pub(super) fn of(self, arguments: Json) -> Json {
        match self {
            Self::Whole => arguments,
            Self::Digest => digest(&arguments.canonical()),
            Self::Masked => masked(arguments),
        }
    }
}

fn masked(value: Json) -> Json {
    match value {
        Json::Null | Json::Bool(_) => value,
        Json::Number(written) => Json::Number(Number::new(shape(written.as_str()))),
        Json::String(string) => digest(&string),
        Json::Array(items) => Json::Array(items.into_iter().map(masked).collect()),
        Json::Object(members) => {
            let member = |(key, value)| (key, masked(value));
            Json::Object(members.into_iter().map(member).collect())
        }
    }
}

fn digest(string: &str) -> Json {
    object([
        ("blake3", text(&blake3::hash(string.as_bytes()).to_hex())),
        ("bytes", number(string.len())),
    ])
}

/// The number with a 9 for each digit, which is a number again.
fn shape(written: &str) -> String {
    let digit = |letter: char| if letter.is_ascii_digit() { '9' } else { letter };
    written.chars().map(digit).collect()
}
