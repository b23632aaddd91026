//! Step 3: the code is read, once for each source, bundle and set of caps.

use crate::call::Source;
use crate::facts::{self, Limits};
use crate::policy::{Code, Policy};
use moka::sync::Cache;

/// Facts by what they depend on, so that a repeated program is not read again.
#[derive(Debug)]
pub(super) struct Readings {
    cache: Cache<Key, Code>,
    limits: Limits,
}

/// blake3 over the catalogue, the version of the extractor, the language and the source.
type Key = [u8; 32];

impl Readings {
    pub(super) fn new(limits: Limits, bytes_max: u64) -> Self {
        let cache = Cache::builder()
            .max_capacity(bytes_max)
            .weigher(|_, code: &Code| weight_bytes(code))
            .build();
        Self { cache, limits }
    }

    /// The facts of a source, from the cache or read now.
    pub(super) fn read(&self, source: &Source, policy: &Policy) -> Code {
        let key = key(source, policy);
        if let Some(code) = self.cache.get(&key) {
            return code;
        }
        let code = Code::new(facts::extract(source, policy.catalogue(), &self.limits));
        self.cache.insert(key, code.clone());
        code
    }
}

/// The caps are the process's own and need no place in the key; every part has a fixed length but
/// the last, so that no two sets of parts run together.
fn key(source: &Source, policy: &Policy) -> Key {
    let mut hasher = blake3::Hasher::new();
    hasher.update(blake3::hash(policy.catalogue().digest.as_bytes()).as_bytes());
    hasher.update(&facts::VERSION.to_le_bytes());
    hasher.update(blake3::hash(source.language.as_str().as_bytes()).as_bytes());
    hasher.update(source.bytes());
    *hasher.finalize().as_bytes()
}

/// About what facts take in memory: their lists grow with the source.
fn weight_bytes(code: &Code) -> u32 {
    const AT_LEAST: u64 = 16 << 10;
    const FOR_EACH_BYTE: u64 = 64;
    let bytes = code.facts().parse.bytes.saturating_mul(FOR_EACH_BYTE).saturating_add(AT_LEAST);
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
