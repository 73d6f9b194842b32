//! Killer moves.
//!
//! Bet: a quiet move that refuted one move refutes its siblings too.
//! Preconditions: the killer is legal here.
//! Soundness: ordering only.
//! Knobs: none.
//! Source: Huberman (1968), Slate and Atkin, "Chess 4.5" (1977); the project's source text on tree search.
//! Evidence: `harness sprt` with the switch off; none recorded yet.

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
