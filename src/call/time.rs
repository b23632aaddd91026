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

    /// The moment that a text means: RFC 3339, or a span such as `90s`, `15m`, `2h`, `1d` or `3w`
    /// before `now`. `None` where it is neither.
    pub fn told(text: &str, now: Self) -> Option<Self> {
        if let Some(ms) = span_ms(text) {
            return Some(now.before(ms));
        }
        let moment: jiff::Timestamp = text.parse().ok()?;
        Some(Self::from_unix_ms(moment.as_millisecond()))
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

fn span_ms(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let unit_ms: u64 = match unit {
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        "w" => 604_800_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(unit_ms)
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
