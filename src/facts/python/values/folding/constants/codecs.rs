//! Encodings: of texts as bytes, and of bytes as other bytes.

use data_encoding::{BASE32, BASE64, BASE64URL, Encoding, HEXLOWER, HEXLOWER_PERMISSIVE};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// A text as bytes of an encoding.
pub(super) fn encoded(text: &str, encoding: &str) -> Option<Vec<u8>> {
    match canonical(encoding).as_str() {
        "utf8" | "u8" => Some(text.as_bytes().to_vec()),
        "ascii" | "usascii" => text.is_ascii().then(|| text.as_bytes().to_vec()),
        "latin1" | "iso88591" | "l1" => {
            text.chars().map(|letter| u8::try_from(u32::from(letter)).ok()).collect()
        }
        "utf16le" => Some(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        "utf16be" => Some(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
        _ => None,
    }
}

/// Bytes as the text of an encoding.
pub(super) fn decoded(bytes: &[u8], encoding: &str) -> Option<String> {
    let wide = |of: fn([u8; 2]) -> u16| {
        let (pairs, rest) = bytes.as_chunks::<2>();
        let units: Vec<u16> = pairs.iter().map(|pair| of(*pair)).collect();
        String::from_utf16(&units).ok().filter(|_| rest.is_empty())
    };
    match canonical(encoding).as_str() {
        "utf8" | "u8" => String::from_utf8(bytes.to_vec()).ok(),
        "ascii" | "usascii" => {
            bytes.is_ascii().then(|| bytes.iter().copied().map(char::from).collect())
        }
        "latin1" | "iso88591" | "l1" => Some(bytes.iter().copied().map(char::from).collect()),
        "utf16le" => wide(u16::from_le_bytes),
        "utf16be" => wide(u16::from_be_bytes),
        _ => None,
    }
}

/// The name of an encoding as it is compared.
pub(super) fn canonical(name: &str) -> String {
    name.chars().filter(|letter| !"-_ ".contains(*letter)).collect::<String>().to_ascii_lowercase()
}

/// Letters moved by half the alphabet.
pub(super) fn rot13(text: &str) -> String {
    let moved = |letter: char| {
        let turn = |first: u8| {
            u8::try_from(u32::from(letter))
                .map_or(letter, |byte| char::from(first + (byte - first + 13) % 26))
        };
        match letter {
            'a'..='z' => turn(b'a'),
            'A'..='Z' => turn(b'A'),
            _ => letter,
        }
    };
    text.chars().map(moved).collect()
}

/// The bytes that base64 stands for. Other characters between are left out, as the interpreter
/// leaves them out.
pub(super) fn from_base64(bytes: &[u8]) -> Option<Vec<u8>> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    let kept: Vec<u8> = bytes.iter().copied().filter(plain).collect();
    // The interpreter stops at the first padding.
    let mut behind = kept.iter().skip_while(|byte| **byte != b'=');
    if behind.any(|byte| *byte != b'=') {
        return None;
    }
    BASE64.decode(&kept).ok()
}

/// The same of the alphabet for addresses.
pub(super) fn from_base64_url(bytes: &[u8]) -> Option<Vec<u8>> {
    let turned = |byte: &u8| match byte {
        b'-' => b'+',
        b'_' => b'/',
        other => *other,
    };
    from_base64(&bytes.iter().map(turned).collect::<Vec<u8>>())
}

pub(super) fn from_base32(bytes: &[u8]) -> Option<Vec<u8>> {
    BASE32.decode(bytes).ok()
}

/// Hexadecimal digits in pairs.
pub(super) fn from_hex(bytes: &[u8]) -> Option<Vec<u8>> {
    HEXLOWER_PERMISSIVE.decode(bytes).ok()
}

/// Bytes in an encoding by its name.
pub(super) fn as_text(bytes: &[u8], which: &str) -> Option<Vec<u8>> {
    let encoding: &Encoding = match which {
        "base64" => &BASE64,
        "base64url" => &BASE64URL,
        "base32" => &BASE32,
        "hex" => &HEXLOWER,
        _ => return None,
    };
    Some(encoding.encode(bytes).into_bytes())
}

/// What `quote` leaves as it is.
const QUOTED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'.').remove(b'-').remove(b'~');

/// The same of paths.
const QUOTED_PATH: &AsciiSet = &QUOTED.remove(b'/');

pub(super) fn quoted(text: &str, safe: &str) -> Option<String> {
    match safe {
        "/" => Some(utf8_percent_encode(text, QUOTED_PATH).to_string()),
        "" => Some(utf8_percent_encode(text, QUOTED).to_string()),
        _ => None,
    }
}

pub(super) fn unquoted(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(String::from)
}
