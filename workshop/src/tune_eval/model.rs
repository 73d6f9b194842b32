//! The evaluation as a differentiable formula of its weights.
//!
//! It is the formula of `stretto::eval::classical` without rounding: terms are linear in the
//! weights, king danger counts quadratically in the middlegame, the endgame is scaled for the side
//! that is ahead in it, and the phase interpolates.

use std::ops::Range;

use rayon::prelude::*;
use stretto::eval::classical::{
    DANGER_END, DANGER_SQUARE, FULL_PHASE, FULL_SCALE, TABLES, Term, Trace, UNITS_PER_CENTIPAWN, WEIGHTS,
};
use stretto::types::Color;

/// Number of positions summed by one thread; fixed, so that the sum does not depend on the number
/// of threads.
const CHUNK: usize = 512;

/// Returns the logistic function `1 / (1 + e^-x)`.
pub(crate) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The fitted weights. Shape: `[weight]`, middlegame and endgame; units as in the engine's source.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weights(pub(super) Vec<[f64; 2]>);

impl Weights {
    /// Returns the weights of the engine.
    pub(super) fn played() -> Self {
        let all = TABLES.iter().flat_map(|table| table.weights);
        Self(all.map(|weight| [f64::from(weight.middle()), f64::from(weight.end())]).collect())
    }

    /// Returns the weights rounded to integers, as in the source.
    pub(super) fn rounded(&self) -> Vec<[i32; 2]> {
        self.0.iter().map(|weight| weight.map(|value| value.round() as i32)).collect()
    }

    /// Converts rounded weights back.
    pub(super) fn from_rounded(rounded: &[[i32; 2]]) -> Self {
        Self(rounded.iter().map(|weight| weight.map(f64::from)).collect())
    }
}

/// A weight index and its coefficient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Count {
    weight: u16,
    times: i16,
}

/// The trace of a position: coefficients of White's balance, then of the danger to White's and to
/// Black's king.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Position {
    counts: Box<[Count]>,
    /// Start indices of the two dangers in `counts`.
    dangers: [u32; 2],
    phase: f32,
    /// Endgame scale factor by side ahead. Range: 0 to 1.
    scale: [f32; 2],
    /// White's points in the game.
    points: f32,
    /// Target of the evaluation, as expected score.
    target: f32,
}

/// The sums of a position before phase interpolation.
struct Sums {
    balance: [f64; 2],
    dangers: [[f64; 2]; 2],
}

impl Position {
    /// Builds a position from the nonzero counts of a trace.
    pub(super) fn new(trace: &Trace, points: f64, target: f64) -> Self {
        let mut counts = Vec::with_capacity(128);
        let (white, black) = (&trace.counts[Color::White], &trace.counts[Color::Black]);
        let mut push = |weight: usize, times: i32| {
            if times != 0 {
                counts.push(Count { weight: weight as u16, times: times as i16 });
            }
            counts.len() as u32
        };
        let mut dangers = [0; 2];
        let weights_of = |is_danger: bool| {
            let tables = TABLES.iter().filter(move |table| (table.term == Term::Danger) == is_danger);
            tables.flat_map(|table| table.start..table.start + table.weights.len())
        };
        for weight in weights_of(false) {
            dangers[0] = push(weight, white[weight] - black[weight]);
        }
        dangers[1] = dangers[0];
        for weight in weights_of(true) {
            dangers[1] = push(weight, white[weight]);
        }
        for weight in weights_of(true) {
            push(weight, black[weight]);
        }
        let scale = |color| trace.scale[color] as f32 / FULL_SCALE as f32;
        Self {
            counts: counts.into(),
            dangers,
            phase: trace.phase as f32 / FULL_PHASE as f32,
            scale: [scale(Color::White), scale(Color::Black)],
            points: points as f32,
            target: target as f32,
        }
    }

    /// Returns the ranges of the linear terms and of each danger.
    fn parts(&self) -> [Range<usize>; 3] {
        let [white, black] = self.dangers.map(|start| start as usize);
        [0..white, white..black, black..self.counts.len()]
    }

    /// Returns White's points in the game.
    pub(super) fn points(&self) -> f64 {
        f64::from(self.points)
    }

    fn sums(&self, weights: &Weights) -> Sums {
        let sum = |part: Range<usize>| {
            self.counts[part].iter().fold([0.0; 2], |[middle, end], count| {
                let [m, e] = weights.0[usize::from(count.weight)];
                let times = f64::from(count.times);
                [middle + m * times, end + e * times]
            })
        };
        let [linear, white, black] = self.parts();
        let dangers = [sum(white), sum(black)];
        let [white, black] = dangers.map(penalty);
        let [middle, end] = sum(linear);
        Sums { balance: [middle - white[0] + black[0], end - white[1] + black[1]], dangers }
    }

    /// Returns the endgame scale for the side ahead, without the phase.
    fn end_scale(&self, sums: &Sums) -> f64 {
        f64::from(self.scale[usize::from(sums.balance[1] < 0.0)])
    }

    fn blend(&self, sums: &Sums) -> f64 {
        let phase = f64::from(self.phase);
        let [middle, end] = sums.balance;
        (middle * phase + end * self.end_scale(sums) * (1.0 - phase)) / f64::from(UNITS_PER_CENTIPAWN)
    }

    /// Returns White's evaluation. Units: centipawns.
    pub(super) fn value(&self, weights: &Weights) -> f64 {
        self.blend(&self.sums(weights))
    }

    /// Adds `slope` times the gradient of the evaluation to `gradient`.
    fn add_gradient(&self, sums: &Sums, slope: f64, gradient: &mut [[f64; 2]]) {
        let phase = f64::from(self.phase);
        let per_unit = slope / f64::from(UNITS_PER_CENTIPAWN);
        let balance = [per_unit * phase, per_unit * self.end_scale(sums) * (1.0 - phase)];
        let of_danger = |[middle, end]: [f64; 2]| {
            let rise = [
                2.0 * middle.max(0.0) / f64::from(DANGER_SQUARE),
                f64::from(end > 0.0) / f64::from(DANGER_END),
            ];
            [balance[0] * rise[0], balance[1] * rise[1]]
        };
        let [white, black] = sums.dangers.map(of_danger);
        let slopes = [balance, white.map(|slope| -slope), black];
        for (part, [middle, end]) in self.parts().into_iter().zip(slopes) {
            for count in &self.counts[part] {
                let times = f64::from(count.times);
                let cell = &mut gradient[usize::from(count.weight)];
                cell[0] += middle * times;
                cell[1] += end * times;
            }
        }
    }
}

/// Returns the penalty of a danger.
fn penalty([middle, end]: [f64; 2]) -> [f64; 2] {
    [middle.max(0.0).powi(2) / f64::from(DANGER_SQUARE), end.max(0.0) / f64::from(DANGER_END)]
}

/// Returns the cross entropy between a target and the logistic function of `x`. Units: nats.
pub(super) fn cross_entropy(target: f64, x: f64) -> f64 {
    // ln(1 + e^x) - target x, without overflow.
    x.max(0.0) + (-x.abs()).exp().ln_1p() - target * x
}

/// The logistic curve from evaluation to expected score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Model {
    /// Scale of the curve. Units: centipawns.
    pub(super) scale: f64,
}

impl Model {
    /// Returns the mean loss against the targets.
    pub(super) fn loss(self, weights: &Weights, positions: &[Position]) -> f64 {
        self.mean(weights, positions, |position| f64::from(position.target))
    }

    /// Returns the mean loss against the results.
    pub(super) fn loss_on_results(self, weights: &Weights, positions: &[Position]) -> f64 {
        self.mean(weights, positions, |position| f64::from(position.points))
    }

    fn mean(
        self,
        weights: &Weights,
        positions: &[Position],
        target: impl Fn(&Position) -> f64 + Sync,
    ) -> f64 {
        let loss =
            |position: &Position| cross_entropy(target(position), position.value(weights) / self.scale);
        let sums: Vec<f64> =
            positions.par_chunks(CHUNK).map(|chunk| chunk.iter().map(loss).sum::<f64>()).collect();
        sums.iter().sum::<f64>() / positions.len() as f64
    }

    /// Returns the mean loss and its gradient.
    pub(super) fn gradient(self, weights: &Weights, positions: &[Position]) -> (f64, Vec<[f64; 2]>) {
        let chunks: Vec<(f64, Vec<[f64; 2]>)> = positions
            .par_chunks(CHUNK)
            .map(|chunk| {
                let mut gradient = vec![[0.0; 2]; WEIGHTS];
                let mut loss = 0.0;
                for position in chunk {
                    let sums = position.sums(weights);
                    let x = position.blend(&sums) / self.scale;
                    let target = f64::from(position.target);
                    loss += cross_entropy(target, x);
                    position.add_gradient(&sums, (sigmoid(x) - target) / self.scale, &mut gradient);
                }
                (loss, gradient)
            })
            .collect();
        // Summed in chunk order, so the result does not depend on the number of threads.
        let (mut loss, mut gradient) = (0.0, vec![[0.0; 2]; WEIGHTS]);
        let share = 1.0 / positions.len() as f64;
        for (part, cells) in chunks {
            loss += part * share;
            for (sum, cell) in gradient.iter_mut().zip(cells) {
                sum[0] += cell[0] * share;
                sum[1] += cell[1] * share;
            }
        }
        (loss, gradient)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use stretto::eval::Evaluation;
    use stretto::eval::classical::trace;
    use stretto::position::Position as Board;

    use super::*;
    use stretto_harness::base::random::SplitMix64;

    /// Returns positions from random games.
    pub(in crate::tune_eval) fn boards(games: u64) -> Vec<Board> {
        let mut random = SplitMix64::new(7);
        let mut boards = Vec::new();
        for _ in 0..games {
            let mut board = Board::startpos();
            for _ in 0..100 {
                let moves = board.legal_moves();
                if moves.is_empty() {
                    break;
                }
                board = board.after(moves[random.below(moves.len() as u64) as usize]);
                boards.push(board);
            }
        }
        boards
    }

    #[test]
    fn model_equals_the_evaluation() {
        let weights = Weights::played();
        for board in boards(40) {
            let Some(trace) = trace(&board) else { continue };
            let sign = if board.side_to_move() == Color::White { 1.0 } else { -1.0 };
            let expected = sign * f64::from(Evaluation::Classical.evaluate(&board).0);
            let found = Position::new(&trace, 0.5, 0.5).value(&weights);
            // Each integer division may lose one unit.
            assert!((found - expected).abs() < 2.0, "{board}: {found} for {expected}");
        }
    }

    #[test]
    fn gradient_matches_finite_differences() {
        let boards = boards(3);
        let positions: Vec<Position> = boards
            .iter()
            .step_by(7)
            .filter_map(trace)
            .enumerate()
            .map(|(i, trace)| Position::new(&trace, 1.0, [0.0, 0.3, 1.0][i % 3]))
            .collect();
        let model = Model { scale: 150.0 };
        let weights = Weights::played();

        let (loss, gradient) = model.gradient(&weights, &positions);
        assert!((loss - model.loss(&weights, &positions)).abs() < 1e-12);
        let at = |weight: usize, half: usize, by: f64| {
            let mut moved = weights.clone();
            moved.0[weight][half] += by;
            model.loss(&moved, &positions)
        };
        for (weight, found) in gradient.into_iter().enumerate() {
            for (half, found) in found.into_iter().enumerate() {
                let slope = (at(weight, half, 0.01) - at(weight, half, -0.01)) / 0.02;
                assert!((slope - found).abs() < 1e-6, "weight {weight}, half {half}");
            }
        }
    }

    #[test]
    fn cross_entropy_is_stable_at_extremes() {
        assert!((cross_entropy(0.5, 0.0) - 2.0_f64.ln()).abs() < 1e-12);
        assert!(cross_entropy(1.0, 800.0).abs() < 1e-12);
        assert!((cross_entropy(0.0, 800.0) - 800.0).abs() < 1e-9);
    }
}
