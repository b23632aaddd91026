//! Dice that fall the same way each time.

/// The generator of Marsaglia, 64 bits.
pub(crate) struct Dice(u64);

impl Dice {
    /// Thrown from a seed that is not 0.
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below this one.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }
}
