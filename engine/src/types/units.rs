//! Quantities that carry their unit.

use std::time::Duration;

/// A span of time in milliseconds; negative where a GUI reports an overdrawn clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub i64);

impl Millis {
    /// The span as a [`Duration`]; negative spans are zero.
    pub fn to_duration(self) -> Duration {
        Duration::from_millis(self.0.max(0) as u64)
    }

    /// Whole milliseconds of a duration.
    pub fn from_duration(duration: Duration) -> Self {
        Self(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX))
    }
}

/// A count of positions entered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nodes(pub u64);

/// A size of memory in 1024 * 1024 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mebibytes(pub u64);

/// A share in thousandths. Range: 0 to 1000.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Permille(pub u16);
