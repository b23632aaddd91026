//! Methods of bytes.

use super::codecs::{as_text, decoded};
use super::{Constant, Given, texts};

/// What a method of bytes gives.
pub(super) fn method(bytes: &[u8], name: &str, given: &Given) -> Option<Constant> {
    match name {
        "decode" if given.is_within(2, &["encoding", "errors"]) => {
            let encoding = given.at(0, "encoding").map_or(Some("utf-8"), Constant::text)?;
            decoded(bytes, encoding).map(Constant::Text)
        }
        "hex" if given.is_within(0, &[]) => {
            String::from_utf8(as_text(bytes, "hex")?).ok().map(Constant::Text)
        }
        "decode" | "hex" => None,
        _ => as_texts(bytes, name, given),
    }
}

/// The methods that bytes share with texts, as long as all is ASCII.
fn as_texts(bytes: &[u8], name: &str, given: &Given) -> Option<Constant> {
    // Separators of ASCII are blanks in texts alone.
    if !given.keywords.is_empty() || bytes.iter().any(|byte| (0x1c..=0x1f).contains(byte)) {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.is_ascii())?;
    let turned = given.positions.iter().map(|one| match one {
        Constant::Bytes(bytes) => {
            String::from_utf8(bytes.clone()).ok().filter(|text| text.is_ascii()).map(Constant::Text)
        }
        Constant::Whole(number) => Some(Constant::Whole(*number)),
        Constant::Text(_)
        | Constant::Other(_)
        | Constant::Sequence(_)
        | Constant::Pairs(_)
        | Constant::Slice(_) => None,
    });
    let shared = matches!(
        name,
        "upper"
            | "lower"
            | "strip"
            | "lstrip"
            | "rstrip"
            | "replace"
            | "split"
            | "rsplit"
            | "removeprefix"
            | "removesuffix"
    );
    let given = Given { positions: turned.collect::<Option<_>>()?, keywords: Vec::new() };
    back(texts::method(text, name, &given).filter(|_| shared)?)
}

fn back(constant: Constant) -> Option<Constant> {
    match constant {
        Constant::Text(text) => Some(Constant::Bytes(text.into_bytes())),
        Constant::Sequence(parts) => {
            let parts = parts.into_iter().map(|part| {
                if let Constant::Text(text) = part {
                    Some(Constant::Bytes(text.into_bytes()))
                } else {
                    None
                }
            });
            parts.collect::<Option<_>>().map(Constant::Sequence)
        }
        Constant::Bytes(_)
        | Constant::Whole(_)
        | Constant::Other(_)
        | Constant::Pairs(_)
        | Constant::Slice(_) => None,
    }
}
