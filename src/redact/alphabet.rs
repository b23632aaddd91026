//! What tokens are spelt with.
//!
//! All of it ASCII, so that what is spelt so ends between characters.

/// The characters of a token's body; all of them ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// `A-Z2-7`
    Base32,
    /// `A-Za-z0-9`
    Base62,
    /// `A-Za-z0-9_-`
    Base64Url,
    /// The same, and `.` between parts.
    Dotted,
    /// `A-Za-z0-9+/=`
    Base64,
    /// `0-9a-f`
    Hex,
}

impl Alphabet {
    pub(super) const COUNT: usize = 6;

    pub(super) const fn contains(self, byte: u8) -> bool {
        match self {
            Self::Base32 => matches!(byte, b'A'..=b'Z' | b'2'..=b'7'),
            Self::Base62 => byte.is_ascii_alphanumeric(),
            Self::Base64Url => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='),
            Self::Hex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        }
    }
}
