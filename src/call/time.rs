//! A moment, handed in from outside: nothing here reads a clock.

use std::fmt;
use std::time::Duration;

/// A moment in UTC with millisecond precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp {
    unix_ms: i64,
}

impl Timestamp {
    /// The moment this many milliseconds after 1970-01-01T00:00:00Z.
    pub const fn from_unix_ms(unix_ms: i64) -> Self {
        Self { unix_ms }
    }

    /// The moment so many milliseconds before this one.
    pub fn before(self, ms: u64) -> Self {
        Self { unix_ms: self.unix_ms.saturating_sub_unsigned(ms) }
    }

    /// The moment so many milliseconds after this one.
    pub fn after(self, ms: u64) -> Self {
        Self { unix_ms: self.unix_ms.saturating_add_unsigned(ms) }
    }

    /// The time since 1970-01-01T00:00:00Z; zero for moments before it.
    pub fn since_epoch(self) -> Duration {
        Duration::from_millis(u64::try_from(self.unix_ms).unwrap_or(0))
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub const fn unix_ms(self) -> i64 {
        self.unix_ms
    }
}

/// RFC 3339 in UTC, with milliseconds: `2026-01-01T00:00:00.000Z`.
impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.unix_ms) {
            Ok(moment) => write!(formatter, "{moment:.3}"),
            Err(_) => write!(formatter, "{}ms", self.unix_ms),
        }
    }
}
