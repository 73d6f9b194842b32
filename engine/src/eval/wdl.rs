//! Chances of win, draw and loss that a score stands for.

use super::EvalType;
use crate::types::{Permille, Score};

/// Chances of the side to move. Range: the three sum to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wdl {
    /// It wins.
    pub win: Permille,
    /// Nobody wins.
    pub draw: Permille,
    /// It loses.
    pub loss: Permille,
}

/// What scores of a sort of evaluation stand for: two logistic curves, win at `+even` and loss at `-even`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Curve {
    /// Score at which a win is as likely as not. Units: centipawns.
    even: f64,
    /// How slowly chances change with the score. Units: centipawns.
    spread: f64,
}

impl Curve {
    /// The likeliest for 2,000 games each of this engine with itself at 4,000 nodes a move: with the fourth network (227,891
    /// scores, `harness fit-wdl`, `results/network.md`) and with the classical evaluation (217,824, `harness tune-eval`).
    /// Material is told like the latter, whose scale it has. Longer thought draws more.
    const fn of(evaluation: EvalType) -> Self {
        match evaluation {
            EvalType::Network => Self { even: 114.0, spread: 114.0 },
            EvalType::Classical | EvalType::Material => Self { even: 84.0, spread: 127.0 },
        }
    }

    /// The chance of a win. Units: permille.
    fn win(self, centipawns: f64) -> u16 {
        (1000.0 / (1.0 + ((self.even - centipawns) / self.spread).exp())).round() as u16
    }
}

/// The chances behind a score that this sort of evaluation has led to.
pub fn wdl(score: Score, evaluation: EvalType) -> Wdl {
    if score.is_decisive() {
        let won = score > Score::DRAW;
        return Wdl {
            win: Permille(1000 * u16::from(won)),
            draw: Permille(0),
            loss: Permille(1000 * u16::from(!won)),
        };
    }
    let (curve, value) = (Curve::of(evaluation), f64::from(score.0));
    let (win, loss) = (curve.win(value), curve.win(-value));
    Wdl { win: Permille(win), draw: Permille(1000 - win - loss), loss: Permille(loss) }
}

/// The least score at which a win is as likely as not. Units: centipawns.
pub fn winning_pawn(evaluation: EvalType) -> Score {
    (1..1000).map(Score).find(|&score| wdl(score, evaluation).win.0 >= 500).unwrap_or(Score(100))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Ply;

    #[test]
    fn chances_sum_to_one_and_mirror() {
        for evaluation in EvalType::ALL {
            for score in (-3000..3000).step_by(7).map(Score) {
                let (here, there) = (wdl(score, evaluation), wdl(-score, evaluation));
                assert_eq!(here.win.0 + here.draw.0 + here.loss.0, 1000);
                assert_eq!((here.win, here.loss), (there.loss, there.win));
            }
            assert_eq!(wdl(Score::mate_in(Ply(3)), evaluation).win, Permille(1000));
            assert_eq!(wdl(Score::mated_in(Ply(4)), evaluation).loss, Permille(1000));
        }
    }

    #[test]
    fn a_winning_pawn_wins_half_of_the_games() {
        for evaluation in EvalType::ALL {
            let pawn = winning_pawn(evaluation);
            assert!(wdl(pawn, evaluation).win.0 >= 500 && wdl(pawn - Score(1), evaluation).win.0 < 500);
        }
    }
}
