//! By what takes what, where: captures and promotions.

use super::continuation::{LANDINGS, Landing};
use super::pull;
use crate::position::Position;
use crate::types::{Move, PieceType};

/// Kinds of victim, and none: a promotion without a capture.
const VICTIMS: usize = 7;

/// How well each capture did. Shape: `[piece and target][victim]`. Range: `±LIMIT`.
pub(super) struct CaptureHistory(Box<[[i16; VICTIMS]; LANDINGS]>);

impl CaptureHistory {
    pub(super) fn new() -> Self {
        Self(Box::new([[0; VICTIMS]; LANDINGS]))
    }

    #[inline]
    pub(super) fn score(&self, position: &Position, mv: Move) -> i32 {
        self.0[Landing::of(position, mv).index()][victim(position, mv)].into()
    }

    #[inline]
    pub(super) fn add(&mut self, position: &Position, mv: Move, bonus: i32) {
        pull(&mut self.0[Landing::of(position, mv).index()][victim(position, mv)], bonus);
    }
}

#[inline]
fn victim(position: &Position, mv: Move) -> usize {
    position.captured(mv).map_or(VICTIMS - 1, PieceType::index)
}
