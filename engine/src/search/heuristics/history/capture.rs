//! By what takes what, where: captures and promotions.

use super::Entry;
use super::continuation::{LANDINGS, Landing};
use crate::memory::{OutOfMemory, boxed};
use crate::position::Position;
use crate::search::heuristics::entry::row;
use crate::types::{Move, PieceType};

/// Kinds of victim, and none: a promotion without a capture.
const VICTIMS: usize = 7;

/// How well each capture did. Shape: `[piece and target][victim]`. Range: `±LIMIT`.
pub(super) struct CaptureHistory(Box<[[Entry; VICTIMS]]>);

impl CaptureHistory {
    pub(super) fn new() -> Result<Self, OutOfMemory> {
        boxed(LANDINGS, row).map(Self)
    }

    pub(super) fn clear(&mut self) {
        self.0.as_flattened_mut().fill_with(Entry::default);
    }

    #[inline]
    pub(super) fn score(&self, position: &Position, mv: Move) -> i32 {
        self.0[Landing::of(position, mv).index()][victim(position, mv)].get()
    }

    #[inline]
    pub(super) fn add(&self, position: &Position, mv: Move, bonus: i32) {
        self.0[Landing::of(position, mv).index()][victim(position, mv)].pull(bonus);
    }
}

#[inline]
fn victim(position: &Position, mv: Move) -> usize {
    position.captured(mv).map_or(VICTIMS - 1, PieceType::index)
}
