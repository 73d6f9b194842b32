//! The inputs of the histories at a node, and the events they learn from.

use super::pawn::PawnRow;
use crate::position::Position;
use crate::search::heuristics::piece_to::PieceTo;
use crate::types::{Bitboard, Color, Depth, Move};

/// The distances of the continuation histories: the opponent's last move (1) and our own (2, 4, 6).
/// Units: plies.
pub(crate) const PLIES_BACK: [usize; 4] = [1, 2, 4, 6];

/// The previous moves at the distances of [`PLIES_BACK`].
pub(crate) type PreviousMoves = [PieceTo; PLIES_BACK.len()];

/// The part of a node that the histories are indexed by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HistoryContext {
    pub(super) side: Color,
    /// The squares attacked by the opponent.
    pub(crate) threats: Bitboard,
    pub(super) pawns: PawnRow,
    pub(super) before: PreviousMoves,
}

impl HistoryContext {
    /// Returns the context of a node reached by the moves `before`.
    #[inline]
    pub(crate) fn of(position: &Position, before: PreviousMoves) -> Self {
        let side = position.side_to_move();
        Self { side, threats: position.threats(), pawns: PawnRow::of(position), before }
    }
}

/// A cutoff to learn from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cutoff<'a> {
    /// The move that caused it.
    pub(crate) best: Move,
    /// Quiet moves searched before it.
    pub(crate) quiets: &'a [Move],
    /// Captures and promotions searched before it.
    pub(crate) captures: &'a [Move],
    pub(crate) depth: Depth,
}

/// The quiet move that led to a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastMove {
    pub(crate) mover: Color,
    pub(crate) mv: Move,
    pub(crate) piece_to: PieceTo,
    /// The squares its opponent attacked before it.
    pub(crate) threats: Bitboard,
    /// The moves before it.
    pub(crate) before: PreviousMoves,
}
