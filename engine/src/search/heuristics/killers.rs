//! Killer moves and counter-moves.
//!
//! Bet: a quiet move that refuted one move refutes its siblings too (killer); what refuted a move elsewhere refutes it
//! here (counter-move).
//! Preconditions: the killer is legal here.
//! Soundness: ordering only.
//! Knobs: none.
//! Source: Huberman (1968), Slate and Atkin, "Chess 4.5" (1977), the project's source text on tree search; Uiterwijk,
//! "The countermove heuristic" (1992).
//! Evidence: `results/search.md`, "One switch at a time": both together -2 ± 24 Elo beside the continuation histories,
//! so they are off in play.

use super::history::{LANDINGS, Landing};
use crate::types::Move;

/// The last two quiet moves that cut off at a ply, the latest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Killers(pub(crate) [Option<Move>; 2]);

impl Killers {
    /// A quiet move cut off.
    #[inline]
    pub(crate) fn add(&mut self, mv: Move) {
        if self.0[0] != Some(mv) {
            self.0 = [Some(mv), self.0[0]];
        }
    }
}

/// The quiet move that last refuted a move. Shape: `[refuted move]`.
pub(crate) struct CounterMoves(Box<[Option<Move>; LANDINGS + 1]>);

impl CounterMoves {
    /// Nothing known.
    pub(crate) fn new() -> Self {
        Self(Box::new([None; LANDINGS + 1]))
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self.0 = [None; LANDINGS + 1];
    }

    /// The reply to a move. Nothing answers passing.
    #[inline]
    pub(crate) fn reply(&self, to: Landing) -> Option<Move> {
        self.0[to.index()]
    }

    /// A quiet move refuted the move before it.
    #[inline]
    pub(crate) fn add(&mut self, refuted: Landing, mv: Move) {
        if refuted != Landing::NONE {
            self.0[refuted.index()] = Some(mv);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_two_different_moves() {
        let (one, two) = (Move::from_bits(0x100), Move::from_bits(0x200));
        let mut killers = Killers::default();
        for mv in [one, one, two, two, one].into_iter().flatten() {
            killers.add(mv);
        }
        assert_eq!(killers.0, [one, two]);
    }
}
