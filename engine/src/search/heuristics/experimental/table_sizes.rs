//! Larger and split tables (`LargePawnHistory`, `LargeCorrections`, `SplitContinuation`).
//!
//! Bets: with more rows fewer pawn structures and pieces share one, which matters in long searches; a
//! move after a capture or a check evasion is followed by other moves than the same one otherwise.
//! Preconditions: none.
//! Soundness: ordering only for histories; corrections are unsound.
//! Knobs: none.
//! Source: common to the strongest engines.
//! Evidence: none yet: `results/ablation.md`, "Switches without games".

use crate::search::switches::{Fixed, Toggles, on};

/// The sizes of the tables of histories and corrections, as multiples of those in play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableSizes {
    /// The rows of the pawn history.
    pub(crate) pawn: usize,
    /// The rows of the correction history.
    pub(crate) corrections: usize,
    /// Whether the continuation history is split by the class of the earlier move.
    pub(crate) is_split: bool,
}

/// The factor of `LargePawnHistory`. A power of two.
const PAWN: usize = 16;

/// The factor of `LargeCorrections`. A power of two.
const CORRECTIONS: usize = 4;

impl TableSizes {
    /// Returns the sizes for these switches.
    pub(crate) fn of(toggles: impl Toggles) -> Self {
        Self {
            pawn: if on!(toggles, LargePawnHistory) { PAWN } else { 1 },
            corrections: if on!(toggles, LargeCorrections) { CORRECTIONS } else { 1 },
            is_split: on!(toggles, SplitContinuation),
        }
    }
}

impl Default for TableSizes {
    /// Returns the sizes in play.
    fn default() -> Self {
        Self::of(Fixed)
    }
}
