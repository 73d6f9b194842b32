//! Results and estimates as fastchess computes and prints them.
//!
//! Unlike [`stretto_stats::elo`], which leaves out what the data do not bound, the output of fastchess
//! prints `inf` and `-nan` in these places, and scripts expect a number in each. The error of normalized
//! Elo and the likelihood of superiority (LOS) are fastchess's too: narrower in lopsided matches, and
//! from the normal distribution. Sums have its order, so that values equal it to the last bit.
//!
//! Source: fastchess, `app/src/matchmaking/stats.hpp` and `elo/`.

use std::ops::AddAssign;

use stretto_stats::counts::{Pentanomial, Trinomial};
use stretto_stats::numeric::{Z95, normal_cdf};
use stretto_stats::units::NELO_PER_T;

/// Results of complete pairs and of their games, from the first engine's point of view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Score {
    pub(crate) games: Trinomial,
    pub(crate) pairs: Pentanomial,
    /// Pairs of a win and a loss.
    pub(crate) split: u64,
}

/// Estimates of the strength of the first engine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimates {
    pub(crate) elo: f64,
    pub(crate) elo_error: f64,
    pub(crate) nelo: f64,
    pub(crate) nelo_error: f64,
    /// Likelihood of superiority. Range: 0 to 1.
    pub(crate) los: f64,
}

impl AddAssign for Score {
    fn add_assign(&mut self, other: Self) {
        self.games += other.games;
        self.pairs += other.pairs;
        self.split += other.split;
    }
}

impl Score {
    /// Returns the score of a pair by the half points of the first engine in both games.
    pub(crate) fn of_pair(half_points: [u8; 2]) -> Self {
        let [one, other] = half_points;
        Self {
            games: half_points.into_iter().filter_map(Trinomial::from_game).sum(),
            pairs: Pentanomial::from_pair(one + other).unwrap_or_default(),
            split: u64::from(one + other == 2 && one != other),
        }
    }

    /// Returns the results from the other engine's point of view.
    pub(crate) fn reversed(self) -> Self {
        Self { games: self.games.reversed(), pairs: self.pairs.reversed(), ..self }
    }

    pub(crate) fn points(&self) -> f64 {
        self.games.wins as f64 + 0.5 * self.games.draws as f64
    }

    /// Returns the share of points. Units: percent.
    pub(crate) fn points_ratio(&self) -> f64 {
        self.points() / self.games.games() as f64 * 100.0
    }

    /// Returns the share of even pairs, which fastchess calls draws. Units: percent.
    pub(crate) fn draw_ratio(&self) -> f64 {
        100.0 * self.pairs.0[2] as f64 / self.pairs.pairs() as f64
    }

    /// Returns the ratio of won to lost pairs.
    pub(crate) fn pairs_ratio(&self) -> f64 {
        let [ll, ld, _, wd, ww] = self.pairs.0;
        (ww + wd) as f64 / (ld + ll) as f64
    }

    /// Returns the ratio of pairs of a win and a loss to pairs of two draws.
    pub(crate) fn split_ratio(&self) -> f64 {
        self.split as f64 / (self.pairs.0[2] - self.split) as f64
    }

    pub(crate) fn estimates(&self) -> Estimates {
        const STEPS: f64 = 4.0;
        const GAMES_PER_PAIR: f64 = 2.0;
        // The best outcome first, as fastchess adds them.
        let counts = self.pairs.reversed().0;
        let items = self.pairs.pairs() as f64;
        let mean_of = |value: &dyn Fn(f64) -> f64| -> f64 {
            counts
                .iter()
                .enumerate()
                .map(|(k, &count)| count as f64 / items * value(1.0 - k as f64 / STEPS))
                .sum()
        };
        let score = mean_of(&|value| value);
        let variance = mean_of(&|value| (value - score).powi(2));
        let deviation = (variance / items).sqrt();
        let (low, high) = (score - Z95 * deviation, score + Z95 * deviation);
        let elo = |score: f64| -400.0 * (1.0 / score - 1.0).log10();
        let nelo = |score: f64| (score - 0.5) / (GAMES_PER_PAIR * variance).sqrt() * NELO_PER_T;
        Estimates {
            elo: elo(score),
            elo_error: (elo(high) - elo(low)) / 2.0,
            nelo: nelo(score),
            nelo_error: (nelo(high) - nelo(low)) / 2.0,
            los: superiority((score - 0.5) / deviation),
        }
    }
}

impl Estimates {
    /// Writes the error of Elo. If the interval of the score reaches beyond 0 or 1, fastchess takes the
    /// logarithm of a negative number, and this `nan` has no sign.
    pub(crate) fn elo_error_text(&self) -> String {
        let is_beyond = self.elo_error.is_nan() && self.elo.is_finite();
        if is_beyond { "nan".to_owned() } else { number(self.elo_error, 2) }
    }
}

/// Returns the probability below a z-value, which is infinite or not a number where all items are
/// equal.
fn superiority(z: f64) -> f64 {
    if z.is_infinite() {
        return if z > 0.0 { 1.0 } else { 0.0 };
    }
    if z.is_nan() { z } else { normal_cdf(z) }
}

/// Returns the Elo of a score that is limited to 0.001 to 0.999, as fishtest and OpenBench do.
pub(super) fn limited_elo(score: f64) -> f64 {
    let score = score.clamp(1e-3, 1.0 - 1e-3);
    -400.0 * (1.0 / score - 1.0).log10()
}

/// Writes a number as the formatter of fastchess does on x86-64: `-nan` and `inf` in lower case.
pub(crate) fn number(value: f64, digits: usize) -> String {
    if value.is_nan() {
        return "-nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_pairs(pairs: &[([u8; 2], usize)]) -> Score {
        let mut score = Score::default();
        for &(half_points, count) in pairs {
            for _ in 0..count {
                score += Score::of_pair(half_points);
            }
        }
        score
    }

    /// The block in a comment of fishtest's worker, which fastchess printed.
    #[test]
    fn estimates_equal_those_of_a_block_that_fastchess_printed() {
        let score =
            of_pairs(&[([0, 0], 43), ([0, 1], 61), ([1, 1], 25), ([2, 0], 119), ([2, 1], 55), ([2, 2], 37)]);
        assert_eq!(score.games, Trinomial { wins: 248, losses: 266, draws: 166 });
        let Estimates { elo, elo_error, nelo, nelo_error, los } = score.estimates();
        let shown = [elo, elo_error, nelo, nelo_error, 100.0 * los].map(|value| number(value, 2));
        assert_eq!(shown, ["-9.20", "20.93", "-11.50", "26.11", "19.41"]);
        let shown = [score.draw_ratio(), score.pairs_ratio(), score.points_ratio(), score.split_ratio()];
        assert_eq!(shown.map(|value| number(value, 2)), ["42.35", "0.88", "48.68", "4.76"]);
    }

    /// Figures of fastchess's test suite: Elo, error, nElo, error and LOS.
    #[test]
    fn estimates_equal_published_ones() {
        let published = |found: Estimates, expected: [f64; 5], los_tolerance: f64| {
            let Estimates { elo, elo_error, nelo, nelo_error, los } = found;
            for (found, expected) in [elo, elo_error, nelo, nelo_error].into_iter().zip(expected) {
                assert!((found - expected).abs() < 5e-7, "{found} instead of {expected}");
            }
            assert!((los - expected[4]).abs() < los_tolerance, "{los} instead of {}", expected[4]);
        };
        for (pairs, expected, los_tolerance) in [
            ([34, 54, 63, 64, 75], [55.579_780, 27.653_430, 57.935_600, 28.275_376, 0.999_970_39], 5e-9),
            ([332, 433, 498, 333, 334], [-8.642_667, 10.334_194, -9.172_914, 10.960_459, 0.050_470_07], 5e-9),
            ([7895, 8757, 5685, 568, 9999], [-21.043_521, 2.945_281, -19.012_834, 2.654_502, 4.5e-45], 5e-47),
            ([43, 61, 144, 55, 37], [-9.198_973, 20.927_237, -11.498_051, 26.113_671, 0.194_072_23], 5e-9),
        ] {
            published(
                Score { pairs: Pentanomial(pairs), ..Score::default() }.estimates(),
                expected,
                los_tolerance,
            );
        }
    }

    #[test]
    fn values_without_bounds_are_written_as_fastchess_does() {
        let won = of_pairs(&[([2, 2], 3)]);
        assert_eq!(number(won.estimates().elo, 2), "inf");
        assert_eq!(number(won.reversed().estimates().elo, 2), "-inf");
        let drawn = of_pairs(&[([1, 1], 3)]);
        let Estimates { elo, elo_error, nelo, los, .. } = drawn.estimates();
        assert_eq!(
            [elo, elo_error, nelo, los].map(|value| number(value, 2)),
            ["-0.00", "0.00", "-nan", "-nan"]
        );
        assert_eq!(
            [drawn.split_ratio(), drawn.pairs_ratio()].map(|value| number(value, 2)),
            ["0.00", "-nan"]
        );
    }

    #[test]
    fn reversed_score_is_that_of_the_other_engine() {
        let score = of_pairs(&[([2, 1], 1), ([2, 0], 1)]);
        let reversed = score.reversed();
        assert_eq!(reversed.games, Trinomial { wins: 1, losses: 2, draws: 1 });
        assert_eq!(reversed.pairs.0, [0, 1, 1, 0, 0]);
        assert!((score.estimates().elo + reversed.estimates().elo).abs() < 1e-9);
    }
}
