//! API keys: made here, stored as hashes, compared in constant time.
//!
//! Must never log a key, and must never answer sooner because a guess was nearly right.

use crate::call::{Authentication, Subject, Text};
use http::{HeaderMap, HeaderName, header};
use subtle::{ConditionallySelectable, ConstantTimeEq};

/// An API key, by its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// blake3 of the key's text.
    pub hash: [u8; 32],
    /// The subject's id.
    pub subject: Text,
    /// The subject's tenant.
    pub tenant: Text,
    /// The subject's roles, sorted.
    pub roles: Vec<Text>,
}

/// The system has no randomness to give.
#[derive(Debug, thiserror::Error)]
#[error("the system gave no random bytes: {0}")]
pub struct NoEntropy(String);

impl Key {
    /// What every key's text begins with, so that scanners for leaked secrets know it.
    pub const PREFIX: &'static str = "rgt_";

    /// A new key: its text, which is the prefix and 256 random bits in hex, and the hash of that
    /// text. Only the hash is to be kept.
    ///
    /// # Errors
    /// Where the system has no randomness to give.
    pub fn generate() -> Result<(String, blake3::Hash), NoEntropy> {
        let mut bits = [0_u8; 32];
        getrandom::fill(&mut bits).map_err(|error| NoEntropy(error.to_string()))?;
        let text = format!("{}{}", Self::PREFIX, blake3::Hash::from_bytes(bits).to_hex());
        let hash = blake3::hash(text.as_bytes());
        Ok((text, hash))
    }

    /// The hash of a key's text, as settings hold it.
    pub fn hash(text: &str) -> [u8; 32] {
        *blake3::hash(text.as_bytes()).as_bytes()
    }

    fn subject(&self) -> Subject {
        Subject {
            id: self.subject.clone(),
            tenant: self.tenant.clone(),
            roles: self.roles.clone(),
            authentication: Authentication::ApiKey,
        }
    }
}

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Who asks; `None` where keys are configured and none of them was presented.
pub(super) fn authenticate(headers: &HeaderMap, keys: &[Key]) -> Option<Subject> {
    if keys.is_empty() {
        return Some(local());
    }
    find(Key::hash(presented(headers)?), keys).map(Key::subject)
}

/// The operator, where the key is presented that lies in the gateway's own folder of state.
pub(super) fn operator(headers: &HeaderMap, key: Option<&[u8; 32]>) -> Option<Subject> {
    let presented = Key::hash(presented(headers)?);
    bool::from(key?.ct_eq(&presented)).then(|| Subject {
        id: "operator".into(),
        tenant: "operator".into(),
        roles: Vec::new(),
        authentication: Authentication::Operator,
    })
}

/// Whoever reaches the loopback address of a gateway without keys.
fn local() -> Subject {
    Subject {
        id: "local".into(),
        tenant: "local".into(),
        roles: Vec::new(),
        authentication: Authentication::Loopback,
    }
}

/// The one key that was presented. Two are none: whoever reads the first one only would take the
/// message for somebody else's.
fn presented(headers: &HeaderMap) -> Option<&str> {
    let bearers = headers.get_all(header::AUTHORIZATION).iter();
    let mut presented = bearers.chain(headers.get_all(API_KEY).iter());
    let (first, None) = (presented.next()?, presented.next()) else {
        return None;
    };
    let text = first.to_str().ok()?;
    if !headers.contains_key(header::AUTHORIZATION) {
        return Some(text);
    }
    let (scheme, key) = text.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}

/// Compares with every key, whichever matches, so that time tells nothing.
fn find(hash: [u8; 32], keys: &[Key]) -> Option<&Key> {
    let mut found = u32::MAX;
    for (index, key) in (0_u32..).zip(keys) {
        found.conditional_assign(&index, key.hash.ct_eq(&hash));
    }
    keys.get(usize::try_from(found).ok()?)
}
