//! By the pawns: where pieces belong depends on them, and they change slowly.

use super::Entry;
use super::continuation::{LANDINGS, Landing};
use crate::memory::{OutOfMemory, boxed};
use crate::position::Position;
use crate::search::heuristics::entry::row;

/// Rows of the table; structures share them by key.
const ROWS: usize = 512;

/// The row of a pawn structure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Structure(u16);

impl Structure {
    #[inline]
    pub(super) fn of(position: &Position) -> Self {
        Self((position.pawn_key().0 % ROWS as u64) as u16)
    }
}

/// How well a move did with these pawns. Shape: `[structure][piece and target]`. Range: `±LIMIT`.
pub(super) struct PawnHistory(Box<[[Entry; LANDINGS]]>);

impl PawnHistory {
    pub(super) fn new() -> Result<Self, OutOfMemory> {
        boxed(ROWS, row).map(Self)
    }

    pub(super) fn clear(&mut self) {
        self.0.as_flattened_mut().fill_with(Entry::default);
    }

    #[inline]
    pub(super) fn score(&self, pawns: Structure, landing: Landing) -> i32 {
        self.0[usize::from(pawns.0)][landing.index()].get()
    }

    #[inline]
    pub(super) fn add(&self, pawns: Structure, landing: Landing, bonus: i32) {
        self.0[usize::from(pawns.0)][landing.index()].pull(bonus);
    }
}
