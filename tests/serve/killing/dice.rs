//! Dice that fall the same way each time.

/// The generator of Marsaglia, 64 bits.
pub(super) struct Dice(u64);

impl Dice {
    /// Thrown from a seed that is not 0.
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Other dice, for somebody else.
    pub(super) fn split(&mut self) -> Self {
        self.below(1);
        Self(self.0 ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// A number below this one.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }
}
