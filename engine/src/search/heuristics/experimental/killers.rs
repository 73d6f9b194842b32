//! Killer moves and counter-moves.
//!
//! Bet: a quiet move that refuted one move refutes its siblings too (killer); the move that refuted
//! a move elsewhere refutes it here (counter-move).
//! Preconditions: the killer is legal here.
//! Soundness: ordering only.
//! Knobs: none.
//! Source: Huberman (1968), Slate and Atkin, "Chess 4.5" (1977), "Chess Tree
//! Search"; Uiterwijk, "The countermove heuristic" (1992).
//! Evidence: `results/history.md`, "One switch at a time".

use crate::search::heuristics::piece_to::{PIECE_TO, PieceTo};
use crate::types::Move;

/// The last two quiet moves that caused a cutoff at a ply, the latest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Killers(pub(crate) [Option<Move>; 2]);

impl Killers {
    #[inline]
    pub(crate) fn add(&mut self, mv: Move) {
        if self.0[0] != Some(mv) {
            self.0 = [Some(mv), self.0[0]];
        }
    }
}

/// The quiet move that last refuted a move. Shape: `[refuted move]`.
pub(crate) struct CounterMoves(Box<[Option<Move>; PIECE_TO + 1]>);

impl CounterMoves {
    pub(crate) fn new() -> Self {
        Self(Box::new([None; PIECE_TO + 1]))
    }

    pub(crate) fn clear(&mut self) {
        *self.0 = [None; PIECE_TO + 1];
    }

    /// Returns the reply to a move; none to a null move.
    #[inline]
    pub(crate) fn reply(&self, to: PieceTo) -> Option<Move> {
        self.0[to.index()]
    }

    /// Records that `mv` refuted the move before it.
    #[inline]
    pub(crate) fn add(&mut self, refuted: PieceTo, mv: Move) {
        if refuted != PieceTo::NONE {
            self.0[refuted.index()] = Some(mv);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn killers_are_two_different_moves() {
        let (one, two) = (Move::from_bits(0x100), Move::from_bits(0x200));
        let mut killers = Killers::default();
        for mv in [one, one, two, two, one].into_iter().flatten() {
            killers.add(mv);
        }
        assert_eq!(killers.0, [one, two]);
    }
}
