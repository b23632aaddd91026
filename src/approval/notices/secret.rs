//! What notices are signed with, in the manner of Standard Webhooks 1.0: HMAC-SHA256 over
//! `id.timestamp.body`.
//!
//! Must never show itself.

use data_encoding::BASE64;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;
use std::ops::RangeInclusive;

/// What a secret's text begins with.
const PREFIX: &str = "whsec_";
/// The bytes that a secret may have.
const BYTES: RangeInclusive<usize> = 24..=64;

/// A secret that both sides know.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

impl Secret {
    /// Reads `whsec_` and the base64 of 24 to 64 bytes. `None` for anything else.
    pub fn new(text: &str) -> Option<Self> {
        let bytes = BASE64.decode(text.trim().strip_prefix(PREFIX)?.as_bytes()).ok()?;
        BYTES.contains(&bytes.len()).then_some(Self(bytes))
    }

    /// The value of the header `webhook-signature`. HMAC takes keys of any length, so that there
    /// always is one.
    pub(super) fn sign(&self, id: &str, unix_s: u64, body: &str) -> Option<String> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(format!("{id}.{unix_s}.{body}").as_bytes());
        Some(format!("v1,{}", BASE64.encode(&mac.finalize().into_bytes())))
    }
}
