//! What a text of a token's shape must prove, so that no placeholder is taken for a token.

use data_encoding::BASE64URL_NOPAD;

/// What is asked beyond the shape. A token that was cut proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proof {
    /// It is no repetition of a few characters.
    Varied,
    /// Nor words alone: capitals or digits are in it.
    Random,
    /// Capitals, small letters and digits are in it.
    Mixed,
    /// Its last six characters are the CRC-32 of the others, in base 62.
    Checksum,
    /// Two parts, of 22 and 59 characters, with `_` between.
    Halves,
    /// It is a signed or encrypted JSON web token.
    Jwt,
}

impl Proof {
    /// Whether a token, and its body after the prefix, prove it.
    pub(super) fn holds(self, token: &[u8], body: &[u8]) -> bool {
        match self {
            Self::Varied => varied(body),
            Self::Random => varied(body) && beginning(body).iter().any(|byte| rare(*byte)),
            Self::Mixed => varied(body) && mixed(body),
            Self::Checksum => checksum(body).unwrap_or(false),
            Self::Halves => halves(body),
            Self::Jwt => jwt(token).unwrap_or(false),
        }
    }
}

/// What of a body is looked at: a real one shows early what it is made of.
const LOOKED_AT_BYTES: usize = 64;
/// How many different characters a real body has at least.
const DIFFERENT_MIN: u32 = 8;

fn beginning(body: &[u8]) -> &[u8] {
    body.get(..LOOKED_AT_BYTES).unwrap_or(body)
}

fn varied(body: &[u8]) -> bool {
    let seen = beginning(body).iter().fold(0_u128, |seen, byte| seen | (1 << (byte & 0x7f)));
    seen.count_ones() >= DIFFERENT_MIN
}

const fn rare(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn mixed(body: &[u8]) -> bool {
    let body = beginning(body);
    let any = |of_kind: fn(&u8) -> bool| body.iter().any(of_kind);
    any(u8::is_ascii_uppercase) && any(u8::is_ascii_lowercase) && any(u8::is_ascii_digit)
}

fn halves(body: &[u8]) -> bool {
    let mut parts = body.split(|byte| *byte == b'_');
    let lengths = [parts.next().map(<[u8]>::len), parts.next().map(<[u8]>::len)];
    let whole = lengths == [Some(22), Some(59)] && parts.next().is_none();
    whole && !body.contains(&b'-') && varied(body)
}

/// How long a checksum is.
const CHECKSUM_BYTES: usize = 6;
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

fn checksum(body: &[u8]) -> Option<bool> {
    let (entropy, written) = body.split_at_checked(body.len().checked_sub(CHECKSUM_BYTES)?)?;
    let told = written.iter().try_fold(0_u64, |value, byte| {
        let digit = DIGITS.iter().position(|digit| digit == byte)?;
        Some(value * 62 + u64::try_from(digit).ok()?)
    })?;
    Some(told == u64::from(crc32(entropy)))
}

/// The CRC-32 of IEEE 802.3, bit by bit: a body is short.
fn crc32(bytes: &[u8]) -> u32 {
    let crc = bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            let carried = if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
            (crc >> 1) ^ carried
        })
    });
    !crc
}

/// The longest header that is read.
const HEADER_BYTES_MAX: usize = 1_024;

/// Three parts where it is signed, five where it is encrypted, and a header that says how.
fn jwt(token: &[u8]) -> Option<bool> {
    let end = token.iter().take(HEADER_BYTES_MAX).position(|byte| *byte == b'.')?;
    let header = BASE64URL_NOPAD.decode(token.get(..end)?).ok()?;
    let header: serde_json::Value = serde_json::from_slice(&header).ok()?;
    let says_how = header.get("alg").is_some_and(serde_json::Value::is_string);
    // One part more than there may be shows that it is something else.
    let parts: Vec<&[u8]> = token.split(|byte| *byte == b'.').take(6).collect();
    let whole = match *parts {
        [_, claims, signature] => !claims.is_empty() && !signature.is_empty(),
        [_, _, _, text, tag] => !text.is_empty() && !tag.is_empty(),
        _ => false,
    };
    Some(says_how && whole)
}
