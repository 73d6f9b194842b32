//! Staggering: schemes by which helper threads skip iterations, so that they do not all search the
//! same depth at once.
//!
//! Pure functions of thread, depth and, in one scheme, the depths of other threads. The main thread
//! 0 never skips. Play uses [`Stagger::SkipTable`]; the other schemes exist to be compared with it.

use std::fmt;

use crate::types::Depth;

/// A scheme by which helpers skip depths, so that their searches differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Stagger {
    /// Every thread searches every depth; threads diverge by timing only.
    None,
    /// Blocks of `k` depths searched and `k` skipped, for `k` = 1 to 4, each in all `2k` rotations:
    /// 20 patterns.
    ///
    /// Source: the rule of Stockfish 10, here generated from the block size.
    #[default]
    SkipTable,
    /// Pairs of helpers with complementary patterns of half density; two helpers of different pairs
    /// agree on exactly half of all depths. The patterns are rows of a Hadamard matrix of order 8:
    /// 14 patterns.
    ///
    /// Source: the half-density patterns per helper of Stockfish 7; J. J. Sylvester, 1867, for the
    /// rows.
    HalfDensity,
    /// Skips the larger half of each period. The periods count down from increasing starts: 1, 2, 3
    /// 2, 4 3 2, 5 4 3 2, 6 5 4 3 2, for 16 helpers.
    ///
    /// Source: skip size and period of Laser and of Ethereal in 2018; all but two of their 16 rows
    /// are reproduced.
    SizePeriod,
    /// No thread skips, but every second thread searches one ply deeper than its iteration.
    ///
    /// Source: the Lazy SMP of Cheng, as described in the Chess Programming Wiki.
    OneDeeper,
    /// Helpers skip a depth that at least half of the threads are searching or have passed.
    ///
    /// Source: Demolito (Lucas Braesch), and Ethereal's first scheme.
    Spread,
}

/// The number of other threads that are searching a depth or a greater one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// Threads at this depth or beyond, not counting the asking thread.
    pub at_or_above: usize,
    /// Number of all threads.
    pub threads: usize,
}

impl Stagger {
    /// All schemes, in the order of the option's choices.
    pub const ALL: [Self; 6] =
        [Self::None, Self::SkipTable, Self::HalfDensity, Self::SizePeriod, Self::OneDeeper, Self::Spread];

    /// Returns the name used in options and configurations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::SkipTable => "skip-table",
            Self::HalfDensity => "half-density",
            Self::SizePeriod => "size-period",
            Self::OneDeeper => "one-deeper",
            Self::Spread => "spread",
        }
    }

    /// Whether this thread skips this iteration. `occupancy` reads the depths of the other threads
    /// and is called only if the scheme uses them.
    ///
    /// Range: any thread; depths below 0 count as 0.
    pub fn skips(self, thread: usize, depth: Depth, occupancy: impl FnOnce() -> Occupancy) -> bool {
        let Some(helper) = thread.checked_sub(1) else { return false };
        let depth = depth.0.max(0) as usize;
        match self {
            Self::None | Self::OneDeeper => false,
            Self::SkipTable => skips_block(helper, depth),
            Self::HalfDensity => skips_by_parity(helper, depth),
            Self::SizePeriod => skips_greater_half(helper, depth),
            Self::Spread => {
                let Occupancy { at_or_above, threads } = occupancy();
                at_or_above > 0 && 2 * at_or_above >= threads
            }
        }
    }

    /// Returns the number of plies that this thread searches deeper than its iteration. Units:
    /// plies.
    pub const fn depth_offset(self, thread: usize) -> i32 {
        match self {
            Self::OneDeeper => (thread % 2) as i32,
            Self::None | Self::SkipTable | Self::HalfDensity | Self::SizePeriod | Self::Spread => 0,
        }
    }
}

impl fmt::Display for Stagger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Largest block of [`Stagger::SkipTable`]; larger ones would idle a helper at depths that matter.
const LARGEST_BLOCK: usize = 4;
/// Order of the matrix of [`Stagger::HalfDensity`], limited for the same reason: its longest block
/// is half of it.
const ORDER: usize = 8;
/// Longest period of [`Stagger::SizePeriod`].
const LARGEST_PERIOD: usize = 6;

/// Implements [`Stagger::SkipTable`]: block size `k` has `2k` rows, one per rotation.
fn skips_block(helper: usize, depth: usize) -> bool {
    let mut rows =
        (1..=LARGEST_BLOCK).flat_map(|block| (0..2 * block).map(move |rotation| (block, rotation)));
    let row = helper % (LARGEST_BLOCK * (LARGEST_BLOCK + 1));
    rows.nth(row).is_some_and(|(block, rotation)| (depth + rotation) / block % 2 == 1)
}

/// Implements [`Stagger::HalfDensity`]: row `r` of a Sylvester-Hadamard matrix is negative in
/// column `d` if `r & d` has an odd number of ones.
fn skips_by_parity(helper: usize, depth: usize) -> bool {
    // Row 0 is constant and unsuitable.
    let row = helper / 2 % (ORDER - 1) + 1;
    let is_complement = helper % 2 == 1;
    ((row & (depth % ORDER)).count_ones() % 2 == 1) != is_complement
}

/// Implements [`Stagger::SizePeriod`]: one row for period 1, then periods falling to 2 from 2, from
/// 3 and so on; the row index is the phase.
fn skips_greater_half(helper: usize, depth: usize) -> bool {
    let periods = (2..=LARGEST_PERIOD).flat_map(|top| (2..=top).rev());
    let row = helper % (1 + LARGEST_PERIOD * (LARGEST_PERIOD - 1) / 2);
    let period = std::iter::once(1).chain(periods).nth(row).unwrap_or(1);
    let size: usize = period.div_ceil(2);
    // A period no longer than its skip would never search: alternate skipping and searching
    // instead.
    let cycle = if period > size { period } else { period + size };
    (depth + row) % cycle < size
}

#[cfg(test)]
mod tests;
