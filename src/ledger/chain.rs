//! The chain: each record's hash covers its body and the hash before it.
//!
//! Pure. Must never change: a ledger that was written is verified by the same sum.

use blake3::Hash;

/// The end of a chain: the last record's number, from 1, and its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) seq: i64,
    pub(super) hash: Hash,
}

impl Head {
    /// The head of a ledger without records, which no other ledger shares.
    pub(super) fn genesis(id: &[u8]) -> Self {
        let hash = blake3::derive_key("regate ledger/1 genesis", id).into();
        Self { seq: 0, hash }
    }

    /// The head after one more record: blake3 over the hash before it (32 bytes), the body's
    /// length (8 bytes, the least first) and the body, so that what is hashed reads one way only.
    pub(super) fn next(&self, body: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.hash.as_bytes());
        hasher.update(&(body.len() as u64).to_le_bytes());
        hasher.update(body.as_bytes());
        Self { seq: self.seq.saturating_add(1), hash: hasher.finalize() }
    }
}
