//! Quantities whose type carries their unit.

use std::time::Duration;

/// A time span in milliseconds. Negative values occur when a GUI reports an overdrawn clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub i64);

impl Millis {
    /// Converts the span to a [`Duration`]; negative spans become zero.
    pub fn to_duration(self) -> Duration {
        Duration::from_millis(self.0.max(0) as u64)
    }
}

/// A number of positions searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nodes(pub u64);

/// A memory size in units of 1024 * 1024 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mebibytes(pub u64);

/// A proportion in thousandths. Range: 0 to 1000.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Permille(pub u16);
