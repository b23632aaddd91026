//! Maps and sets whose keys are numbers of ours: ids, values, symbols.
//!
//! Such keys count up from zero, so nothing in a source can make many of them meet. Must never be
//! used with keys that hold text.

use std::hash::{BuildHasherDefault, Hasher};

pub(in super::super) type NumberMap<K, V> =
    std::collections::HashMap<K, V, BuildHasherDefault<Mixer>>;

/// Mixes numbers by multiplication.
#[derive(Debug, Default, Clone, Copy)]
pub(in super::super) struct Mixer(u64);

/// An odd number whose bits are spread: 2 to the power of 64, divided by the golden ratio.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(SPREAD);
    }

    /// The map takes its place from the low bits, and the best ones are high.
    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}
