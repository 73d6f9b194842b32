//! Win, draw and loss (WDL) probabilities of a score.
//!
//! The same score wins more often with more pieces on the board, and a longer search makes results more
//! certain. Both are parts of the model, which `workshop fit-wdl` fits to games (`results/network.md`).
//! Source: the idea of a scale that depends on material is Stockfish's win-rate model.

use super::EvalType;
use crate::position::Position;
use crate::types::{Nodes, Permille, PieceType, Score};

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
    /// A draw with probability 1.
    pub const DRAW: Self = Self { win: Permille(0), draw: Permille(1000), loss: Permille(0) };
    /// A win with probability 1.
    pub const WIN: Self = Self { win: Permille(1000), draw: Permille(0), loss: Permille(0) };
    /// A loss with probability 1.
    pub const LOSS: Self = Self { win: Permille(0), draw: Permille(0), loss: Permille(1000) };
}

/// Two logistic curves that map scores to probabilities: a win at `+even` and a loss at `-even`
/// have probability 1/2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WdlCurve {
    /// Score at which the probability of a win is 1/2. Units: centipawns.
    pub even: f64,
    /// Width of the curve. Units: centipawns.
    pub spread: f64,
}

impl WdlCurve {
    /// Returns the probability of a win. Range: 0 to 1.
    pub fn win(self, centipawns: f64) -> f64 {
        1.0 / (1.0 + ((self.even - centipawns) / self.spread).exp())
    }

    /// Returns the probabilities of a score.
    pub fn wdl(self, score: Score) -> Wdl {
        if score.is_decisive() {
            return if score > Score::DRAW { Wdl::WIN } else { Wdl::LOSS };
        }
        let permille = |score: Score| (1000.0 * self.win(f64::from(score.0))).round() as u16;
        let (win, loss) = (permille(score), permille(-score));
        Wdl { win: Permille(win), draw: Permille(1000 - win - loss), loss: Permille(loss) }
    }

    /// Returns the smallest score with a win probability of at least 1/2. Units: centipawns.
    pub fn winning_pawn(self) -> Score {
        Score(self.even.ceil() as i32)
    }
}

/// A quantity that is a product of powers of the material and of the nodes per move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Value at [`REFERENCE_MATERIAL`] and [`REFERENCE_NODES`].
    pub value: f64,
    /// Exponent of the material.
    pub material: f64,
    /// Exponent of the nodes.
    pub nodes: f64,
}

impl Trend {
    const fn constant(value: f64) -> Self {
        Self { value, material: 0.0, nodes: 0.0 }
    }

    fn at(self, material: f64, nodes: f64) -> f64 {
        let [material, nodes] = [material / REFERENCE_MATERIAL, nodes / REFERENCE_NODES];
        self.value * material.powf(self.material) * nodes.powf(self.nodes)
    }
}

/// The material at which a [`Trend`] has its value: that of a late middlegame. Units: points.
const REFERENCE_MATERIAL: f64 = 40.0;
/// The nodes per move at which a [`Trend`] has its value.
pub const REFERENCE_NODES: f64 = 10_000.0;
/// The nodes per move of the games of the fit. Beyond them the curves stay the same.
const FITTED_NODES: [f64; 2] = [1_000.0, 100_000.0];
/// The material between bare endings and the start position. Beyond it the curves stay the same. Units: points.
const MATERIAL: [u32; 2] = [10, 78];

/// The curves for any material and thinking time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WdlModel {
    /// Score at which the probability of a win is 1/2. Units: centipawns.
    pub even: Trend,
    /// Width of the curve. Units: centipawns.
    pub spread: Trend,
}

impl WdlModel {
    /// Returns the maximum-likelihood fit to self-play games: `workshop fit-wdl` for the network, `workshop
    /// tune-eval` for the classical evaluation, whose games had one number of nodes. Material uses the
    /// latter's curve, because their scales agree.
    pub const fn of(evaluation: EvalType) -> Self {
        match evaluation {
            EvalType::Network => Self {
                even: Trend { value: 95.2, material: -0.908, nodes: 0.045 },
                spread: Trend { value: 64.4, material: 0.168, nodes: -0.195 },
            },
            EvalType::Classical | EvalType::Material => {
                Self { even: Trend::constant(84.0), spread: Trend::constant(127.0) }
            }
        }
    }

    /// Returns the curve of a position with this material after a search of `nodes`. Units of the material:
    /// points.
    pub fn curve(self, material: u32, nodes: Nodes) -> WdlCurve {
        let [least, most] = FITTED_NODES;
        self.curve_beyond(material, (nodes.0 as f64).clamp(least, most))
    }

    /// Returns the curve for any number of nodes per move, also beyond those of the engine's fit.
    pub fn curve_beyond(self, material: u32, nodes: f64) -> WdlCurve {
        let [least, most] = MATERIAL;
        let material = f64::from(material.clamp(least, most));
        WdlCurve { even: self.even.at(material, nodes), spread: self.spread.at(material, nodes) }
    }
}

/// Returns the material of both sides. Units: points, of which a pawn has one and a queen nine.
pub fn material_points(position: &Position) -> u32 {
    const POINTS: [u32; 6] = [1, 3, 3, 5, 9, 0];
    PieceType::ALL.into_iter().map(|kind| POINTS[kind.index()] * position.pieces(kind).count()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Ply;

    /// Returns curves of every evaluation, from bare endings to the start position and beyond.
    fn curves() -> impl Iterator<Item = WdlCurve> {
        EvalType::ALL.into_iter().flat_map(|evaluation| {
            [0, 5, 15, 40, 78, 200].into_iter().flat_map(move |material| {
                let nodes = [0, 1_000, 30_000, u64::MAX].map(Nodes).into_iter();
                nodes.map(move |nodes| WdlModel::of(evaluation).curve(material, nodes))
            })
        })
    }

    #[test]
    fn probabilities_sum_to_one_and_are_symmetric() {
        for curve in curves() {
            for score in (-3000..3000).step_by(7).map(Score) {
                let (here, there) = (curve.wdl(score), curve.wdl(-score));
                assert_eq!(here.win.0 + here.draw.0 + here.loss.0, 1000);
                assert_eq!((here.win, here.loss), (there.loss, there.win));
            }
            assert_eq!(curve.wdl(Score::mate_in(Ply(3))), Wdl::WIN);
            assert_eq!(curve.wdl(Score::mated_in(Ply(4))), Wdl::LOSS);
        }
    }

    #[test]
    fn higher_scores_win_more_often() {
        for curve in curves() {
            let of = |score| curve.wdl(Score(score));
            let is_monotonic = |score| {
                let (low, high) = (of(score), of(score + 1));
                low.win <= high.win && low.loss >= high.loss
            };
            assert!((-2000..2000).all(is_monotonic), "{curve:?}");
            assert!(of(1).win >= of(1).loss && of(-1).win <= of(-1).loss);
        }
    }

    #[test]
    fn winning_pawn_is_the_smallest_score_with_even_chances() {
        for curve in curves() {
            let pawn = curve.winning_pawn();
            assert!(curve.win(f64::from(pawn.0)) >= 0.5 && curve.win(f64::from(pawn.0 - 1)) < 0.5);
        }
    }

    #[test]
    fn endings_and_long_searches_are_drawn_more_often() {
        let model = WdlModel::of(EvalType::Network);
        let draw = |material, nodes| model.curve(material, Nodes(nodes)).wdl(Score(20)).draw;
        assert!(draw(15, 10_000) > draw(40, 10_000) && draw(40, 10_000) > draw(78, 10_000));
        assert!(draw(78, 100_000) > draw(78, 10_000) && draw(78, 10_000) > draw(78, 1_000));
        // A clear advantage is won more often with more time.
        let win = |nodes| model.curve(78, Nodes(nodes)).wdl(Score(150)).win;
        assert!(win(100_000) > win(10_000) && win(10_000) > win(1_000));
    }

    #[test]
    fn material_of_both_sides_is_counted() {
        let points = |fen| material_points(&Position::from_fen(fen).expect("a position"));
        assert_eq!(material_points(&Position::startpos()), MATERIAL[1]);
        assert_eq!(points("8/5pk1/6p1/8/1R3P2/6P1/r4PK1/8 w - - 0 1"), 15);
        assert_eq!(points("4k3/8/8/8/8/8/8/QN2KB2 b - - 0 1"), 15);
    }
}
