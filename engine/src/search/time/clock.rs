//! The clock of the side to move, in time or in nodes.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::types::{Millis, Nodes};

/// The largest time accepted, about thirty years, so that sums and products of times cannot overflow.
/// Units: ms.
pub const MAX_CLOCK: i64 = 1_000_000_000_000;

/// The clock of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Remaining time. Range: any; some match tools send negative values.
    pub remaining: Millis,
    /// Time added to the clock after each move.
    pub increment: Millis,
    /// Moves until the next time control; `None` in sudden death.
    pub moves_to_go: Option<u32>,
    /// Number of the move to play, from 1.
    pub move_number: u16,
}

/// The rate of a clock that counts nodes instead of time, so that results do not depend on the
/// machine; a single thread reproduces its games. Source: the option `nodestime` of Stockfish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeClock(NonZeroU32);

impl NodeClock {
    /// Creates a rate in nodes of all threads per millisecond; `None` for 0.
    pub fn new(nodes_per_millisecond: u32) -> Option<Self> {
        NonZeroU32::new(nodes_per_millisecond).map(Self)
    }

    /// Converts nodes to time.
    pub fn time(self, nodes: Nodes) -> Duration {
        let micros = u128::from(nodes.0) * 1000 / u128::from(self.0.get());
        Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
    }

    /// Converts time to nodes.
    pub fn nodes(self, time: Duration) -> Nodes {
        let nodes = time.as_micros().saturating_mul(self.0.get().into()) / 1000;
        Nodes(u64::try_from(nodes).unwrap_or(u64::MAX))
    }
}
