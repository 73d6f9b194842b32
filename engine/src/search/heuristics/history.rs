//! Butterfly history.
//!
//! Bet: a quiet move that cut off elsewhere in the tree will cut off here.
//! Preconditions: none.
//! Soundness: ordering only; late move reductions read it, and they are the unsound ones.
//! Knobs: `HistoryBonus`, `HistoryMax`.
//! Source: Schaeffer, "The history heuristic" (1983); the bounded update is the field's common one.
//! Evidence: `harness sprt` with the switch off; none recorded yet.

use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::types::{Color, Depth, Move};

/// No entry exceeds this.
pub(crate) const LIMIT: i32 = 16_384;

/// How well each quiet move did. Shape: `[side][from][to]`. Range: `±LIMIT`.
pub(crate) struct ButterflyHistory(Box<[[[i16; 64]; 64]; 2]>);

impl ButterflyHistory {
    /// Nothing known.
    pub(crate) fn new() -> Self {
        Self(Box::new([[[0; 64]; 64]; 2]))
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self.0 = [[[0; 64]; 64]; 2];
    }

    /// How well `mv` did for `color`.
    #[inline]
    pub(crate) fn score(&self, color: Color, mv: Move) -> i32 {
        self.0[color.index()][mv.from().index()][mv.to().index()].into()
    }

    /// Moves an entry towards `±LIMIT`, the less the nearer it is already.
    #[inline]
    fn add(&mut self, color: Color, mv: Move, bonus: i32) {
        let entry = &mut self.0[color.index()][mv.from().index()][mv.to().index()];
        let value = i32::from(*entry);
        *entry = (value + bonus - value * bonus.abs() / LIMIT) as i16;
    }

    /// A quiet move cut off: it gains, the quiet moves tried before it lose.
    pub(crate) fn reward(
        &mut self,
        toggles: impl Toggles,
        color: Color,
        best: Move,
        tried: &[Move],
        depth: Depth,
    ) {
        let bonus = (toggles.value(Tunable::HistoryBonus) * depth.0).min(toggles.value(Tunable::HistoryMax));
        self.add(color, best, bonus);
        for &mv in tried {
            self.add(color, mv, -bonus);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::Fixed;

    #[test]
    fn stays_in_range_and_remembers() {
        let mut history = ButterflyHistory::new();
        let good = Move::from_bits(0x0A1C).expect("a move");
        let bad = Move::from_bits(0x0B1D).expect("a move");
        for _ in 0..1000 {
            history.reward(Fixed, Color::White, good, &[bad], Depth(30));
        }
        assert!(history.score(Color::White, good) > LIMIT * 9 / 10);
        assert!(history.score(Color::White, bad) < -LIMIT * 9 / 10);
        assert!(history.score(Color::White, good) <= LIMIT);
        assert_eq!(history.score(Color::Black, good), 0);
        history.clear();
        assert_eq!(history.score(Color::White, good), 0);
    }
}
