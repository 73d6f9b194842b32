//! The state of a slice during the analysis.

use stretto::types::Square;

use super::super::codes::DRAW;
use super::super::en_passant::EnPassantReply;

/// A set of positions of a slice: one word per row, allocated on first use.
#[derive(Default)]
pub(super) struct Marks(pub(super) Vec<u64>);

impl Marks {
    #[inline]
    pub(super) fn add(&mut self, within: usize, squares: u64, rows: usize) {
        if self.0.is_empty() {
            self.0 = vec![0; rows];
        }
        self.0[within] |= squares;
    }

    #[inline]
    pub(super) fn has(&self, within: usize, last: Square) -> bool {
        self.0.get(within).is_some_and(|word| word >> last.index() & 1 != 0)
    }

    pub(super) fn is_any(&self) -> bool {
        !self.0.is_empty()
    }
}

/// The state of a slice that all threads may read, for one side to move. Words are indexed by row.
pub(super) struct Frozen {
    /// Legal positions that are not won so far: an escape for the other side.
    pub(super) open: Vec<u64>,
    /// Positions won in the previous round.
    pub(super) won: Marks,
    /// Positions lost in the previous round.
    pub(super) lost: Marks,
    /// Positions lost in any earlier round; only kept if en passant is possible.
    pub(super) ever_lost: Vec<u64>,
}

/// The state of a slice that one thread writes, for one side to move.
pub(super) struct Slice {
    /// Codes by index. An undecided position has the win of its best conversion, the loss that its
    /// conversions delay, or no value.
    pub(super) values: Vec<u8>,
    /// Undecided positions that no conversion saves.
    pub(super) may_lose: Vec<u64>,
    /// Positions with only losing conversions left; they become lost in the round of their value.
    pub(super) delayed_losses: Marks,
    pub(super) won: Marks,
    pub(super) lost: Marks,
    /// By code: whether positions were initialized with it and it takes effect in its round.
    pub(super) scheduled: [bool; 256],
    /// Double steps that may be answered en passant.
    pub(super) passing: Vec<(u32, EnPassantReply)>,
}

impl Frozen {
    #[inline]
    pub(super) fn is_ever_lost(&self, within: usize, last: Square) -> bool {
        self.ever_lost[within] >> last.index() & 1 != 0
    }
}

impl Slice {
    pub(super) fn new(rows: usize, places: usize) -> Self {
        Self {
            values: vec![DRAW; places],
            may_lose: vec![0; rows],
            delayed_losses: Marks::default(),
            won: Marks::default(),
            lost: Marks::default(),
            scheduled: [false; 256],
            passing: Vec::new(),
        }
    }
}
