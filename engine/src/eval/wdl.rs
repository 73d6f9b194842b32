//! Win, draw and loss (WDL) probabilities estimated from a score.

use super::EvalType;
use crate::types::{Permille, Score};

/// Outcome probabilities for the side to move. Range: the three sum to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wdl {
    /// Probability of a win.
    pub win: Permille,
    /// Probability of a draw.
    pub draw: Permille,
    /// Probability of a loss.
    pub loss: Permille,
}

impl Wdl {
    /// A certain draw.
    pub const DRAW: Self = Self { win: Permille(0), draw: Permille(1000), loss: Permille(0) };
    /// A certain loss.
    pub const LOSS: Self = Self { win: Permille(0), draw: Permille(0), loss: Permille(1000) };
}

/// Two logistic curves that map scores to probabilities: a win at `+even` and a loss at `-even`
/// have probability 1/2.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Curve {
    /// Score at which the probability of a win is 1/2. Units: centipawns.
    even: f64,
    /// Width of the curve. Units: centipawns.
    spread: f64,
}

impl Curve {
    /// Returns the maximum-likelihood fit to self-play games at a fixed number of nodes: `harness
    /// fit-wdl` for the network (`results/network.md`), `harness tune-eval` for the classical
    /// evaluation. Material uses the latter's curve, because their scales agree. Longer searches
    /// draw more.
    const fn of(evaluation: EvalType) -> Self {
        match evaluation {
            EvalType::Network => Self { even: 124.0, spread: 106.0 },
            EvalType::Classical | EvalType::Material => Self { even: 84.0, spread: 127.0 },
        }
    }

    /// Returns the probability of a win. Units: permille.
    fn win(self, centipawns: f64) -> u16 {
        (1000.0 / (1.0 + ((self.even - centipawns) / self.spread).exp())).round() as u16
    }
}

/// Returns the probabilities for a score of this type of evaluation.
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

/// Returns the smallest score with a win probability of at least 1/2. Units: centipawns.
pub fn winning_pawn(evaluation: EvalType) -> Score {
    (1..1000).map(Score).find(|&score| wdl(score, evaluation).win.0 >= 500).unwrap_or(Score(100))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Ply;

    #[test]
    fn probabilities_sum_to_one_and_are_symmetric() {
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
    fn winning_pawn_is_the_smallest_score_with_even_chances() {
        for evaluation in EvalType::ALL {
            let pawn = winning_pawn(evaluation);
            assert!(wdl(pawn, evaluation).win.0 >= 500 && wdl(pawn - Score(1), evaluation).win.0 < 500);
        }
    }
}
