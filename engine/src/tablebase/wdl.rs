//! What a table of results says of a position.

use std::ops::Neg;

/// The result of best play for the side to move, the fifty-move rule in mind, right after a capture or pawn move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wdl {
    /// It loses.
    Loss,
    /// It would lose, but for the fifty-move rule.
    BlessedLoss,
    /// Nobody wins.
    Draw,
    /// It would win, but for the fifty-move rule.
    CursedWin,
    /// It wins.
    Win,
}

impl Wdl {
    /// The same where the fifty-move rule does not hold.
    #[must_use]
    pub const fn without_fifty_moves(self) -> Self {
        match self {
            Self::BlessedLoss => Self::Loss,
            Self::CursedWin => Self::Win,
            other => other,
        }
    }
}

/// The same from the opponent's view.
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

/// How far it is to the next capture or pawn move that keeps the result, or to mate (DTZ, distance to zeroing).
///
/// Right after such a move more than a hundred plies mean that the fifty-move rule comes first; in between, the plies
/// already played count too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dtz {
    /// Above zero the side to move wins, below it loses, zero is a draw. Units: plies.
    pub plies: i32,
    /// Can it be a ply more? Tables store full moves where a ply does not decide.
    pub is_rounded: bool,
}

impl Dtz {
    /// A draw.
    pub const DRAW: Self = Self { plies: 0, is_rounded: false };

    /// The same for the side that made the last move: a ply farther away.
    #[must_use]
    pub const fn before(self) -> Self {
        Self { plies: -(self.plies + self.plies.signum()), ..self }
    }

    /// For the side that has just made a capture or pawn move, whose opponent's result is this.
    #[must_use]
    pub const fn by_zeroing(result: Wdl) -> Self {
        // Wins that the rule takes away are counted from beyond its limit on.
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
    fn results_turn_round() {
        let all = [Wdl::Loss, Wdl::BlessedLoss, Wdl::Draw, Wdl::CursedWin, Wdl::Win];
        for (index, result) in all.into_iter().enumerate() {
            assert_eq!(-result, all[4 - index]);
            assert_eq!(-(-result), result);
        }
        assert!(all.is_sorted());
        assert_eq!(Wdl::CursedWin.without_fifty_moves(), Wdl::Win);
    }

    #[test]
    fn distances_grow_backwards() {
        let dtz = |plies| Dtz { plies, is_rounded: true };
        assert_eq!(dtz(-7).before(), dtz(8));
        assert_eq!(dtz(7).before(), dtz(-8));
        assert_eq!(Dtz::DRAW.before(), Dtz::DRAW);
        assert_eq!(Dtz::by_zeroing(Wdl::Loss).plies, 1);
        assert_eq!(Dtz::by_zeroing(Wdl::CursedWin).plies, -101);
    }
}
