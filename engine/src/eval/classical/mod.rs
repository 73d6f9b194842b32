//! The hand-written evaluation: a sum of small terms, each weighed for the middlegame and the endgame.
//!
//! Every term is a function of the position that answers for one side; the difference of the two sides is blended
//! by the material left (tapered). One file a term. Weights are first guesses of round numbers, to be tuned on our
//! own games; the shape is what matters here.

mod king;
mod mobility;
mod pawns;
mod squares;

use std::ops::{Add, AddAssign, Mul, Sub};

use crate::position::Position;
use crate::types::{Color, PieceType, Score};

/// A weight for the middlegame and one for the endgame. Units: centipawns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tapered {
    middle: i32,
    end: i32,
}

/// Shorthand for the tables of weights.
const fn tapered(middle: i32, end: i32) -> Tapered {
    Tapered { middle, end }
}

impl Add for Tapered {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        tapered(self.middle + other.middle, self.end + other.end)
    }
}

impl AddAssign for Tapered {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Tapered {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        tapered(self.middle - other.middle, self.end - other.end)
    }
}

impl Mul<i32> for Tapered {
    type Output = Self;

    #[inline]
    fn mul(self, factor: i32) -> Self {
        tapered(self.middle * factor, self.end * factor)
    }
}

/// What each piece adds to the phase: 0 with bare kings and pawns, 24 at the start.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
/// The phase of a full board.
const FULL_PHASE: i32 = 24;
/// Having the move. Units: centipawns.
const TEMPO: i32 = 14;

/// The value for the side to move.
pub fn evaluate(position: &Position) -> Score {
    let own = position.side_to_move();
    let balance = side(position, own) - side(position, !own);
    let phase = phase(position);
    let blended = (balance.middle * phase + balance.end * (FULL_PHASE - phase)) / FULL_PHASE;
    Score(blended + TEMPO).clamp_to_eval()
}

/// How much of a middlegame is left. Range: 0 to 24.
fn phase(position: &Position) -> i32 {
    let sum: i32 = PieceType::ALL
        .into_iter()
        .map(|kind| PHASE[kind.index()] * position.pieces(kind).count() as i32)
        .sum();
    sum.min(FULL_PHASE)
}

/// The sum of all terms for one side.
fn side(position: &Position, color: Color) -> Tapered {
    squares::term(position, color)
        + mobility::term(position, color)
        + pawns::term(position, color)
        + king::term(position, color)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(fen: &str) -> i32 {
        evaluate(&Position::from_fen(fen).expect("a position")).0
    }

    #[test]
    fn the_start_is_worth_the_tempo() {
        assert_eq!(evaluate(&Position::startpos()), Score(TEMPO));
    }

    #[test]
    fn colours_are_treated_alike() {
        let pairs = [
            (
                "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
                "rnbqk2r/pppp1ppp/5n2/2b1p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R b KQkq - 4 4",
            ),
            ("8/5k2/8/3P4/8/8/5K2/8 w - - 0 1", "8/5k2/8/8/3p4/8/5K2/8 b - - 0 1"),
        ];
        for (white, black) in pairs {
            assert_eq!(value(white), value(black), "{white}");
        }
    }

    #[test]
    fn more_is_better() {
        assert!(value("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1") > 800);
        assert!(value("4k3/8/8/8/8/8/8/Q3K3 b - - 0 1") < -800);
        // A pawn about to promote beats one at home.
        assert!(value("8/P7/8/8/8/4k3/8/4K3 w - - 0 1") > value("8/8/8/8/8/4k3/P7/4K3 w - - 0 1"));
    }
}
