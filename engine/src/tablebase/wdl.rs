//! Win-draw-loss (WDL) and distance-to-zeroing (DTZ) values.

use std::ops::Neg;

/// The result of best play for the side to move under the fifty-move rule, just after a capture or
/// pawn move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wdl {
    /// A loss within the fifty-move rule.
    Loss,
    /// A loss that the fifty-move rule turns into a draw.
    BlessedLoss,
    /// A draw with or without the fifty-move rule.
    Draw,
    /// A win that the fifty-move rule turns into a draw.
    CursedWin,
    /// A win within the fifty-move rule.
    Win,
}

impl Wdl {
    /// Returns the result without the fifty-move rule.
    #[must_use]
    pub const fn without_fifty_moves(self) -> Self {
        match self {
            Self::BlessedLoss => Self::Loss,
            Self::CursedWin => Self::Win,
            other => other,
        }
    }
}

/// Returns the result from the opponent's point of view.
impl Neg for Wdl {
    type Output = Self;

    fn neg(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::BlessedLoss => Self::CursedWin,
            Self::Draw => Self::Draw,
            Self::CursedWin => Self::BlessedLoss,
            Self::Win => Self::Loss,
        }
    }
}

/// The distance to zeroing (DTZ): plies to the next capture or pawn move that preserves the result,
/// or to mate.
///
/// Just after a zeroing move, more than 100 plies mean that the fifty-move rule intervenes.
/// Otherwise the fifty-move clock has to be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dtz {
    /// Positive for a win, negative for a loss, zero for a draw. Units: plies.
    pub plies: i32,
    /// Whether the true distance may be one ply more, because the table stores full moves.
    pub is_rounded: bool,
}

impl Dtz {
    /// The value of a draw.
    pub const DRAW: Self = Self { plies: 0, is_rounded: false };

    /// Returns the value of a position before a move that reaches this one: negated and one ply
    /// longer.
    #[must_use]
    pub const fn before(self) -> Self {
        Self { plies: -(self.plies + self.plies.signum()), ..self }
    }

    /// Returns the value for the side that has just made a zeroing move, given the opponent's
    /// result.
    #[must_use]
    pub const fn after_zeroing(result: Wdl) -> Self {
        // Cursed wins and blessed losses start beyond the fifty-move limit.
        let plies = match result {
            Wdl::Loss => 1,
            Wdl::BlessedLoss => 101,
            Wdl::Draw => 0,
            Wdl::CursedWin => -101,
            Wdl::Win => -1,
        };
        Self { plies, is_rounded: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negated_results_are_mirrored() {
        let all = [Wdl::Loss, Wdl::BlessedLoss, Wdl::Draw, Wdl::CursedWin, Wdl::Win];
        for (index, result) in all.into_iter().enumerate() {
            assert_eq!(-result, all[4 - index]);
            assert_eq!(-(-result), result);
        }
        assert!(all.is_sorted());
        assert_eq!(Wdl::CursedWin.without_fifty_moves(), Wdl::Win);
    }

    #[test]
    fn distances_grow_by_one_ply_towards_the_root() {
        let dtz = |plies| Dtz { plies, is_rounded: true };
        assert_eq!(dtz(-7).before(), dtz(8));
        assert_eq!(dtz(7).before(), dtz(-8));
        assert_eq!(Dtz::DRAW.before(), Dtz::DRAW);
        assert_eq!(Dtz::after_zeroing(Wdl::Loss).plies, 1);
        assert_eq!(Dtz::after_zeroing(Wdl::CursedWin).plies, -101);
    }
}
