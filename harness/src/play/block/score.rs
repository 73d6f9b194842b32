//! Results and estimates as fastchess computes and prints them.
//!
//! Unlike [`stretto_stats::elo`], which leaves out what the data do not bound, the output of fastchess
//! prints `inf` and `-nan` in these places, and scripts expect a number in each. The error of normalized
//! Elo and the likelihood of superiority (LOS) are fastchess's too: narrower in lopsided matches, and
//! from the normal distribution. Sums have its order, so that values equal it to the last bit.
//!
//! Source: fastchess, `app/src/matchmaking/stats.hpp` and `elo/`.

use Unit::{Games, Pairs};

use stretto_stats::numeric::{Z95, normal_cdf};
use stretto_stats::units::NELO_PER_T;

/// Results of games and complete pairs, from the first engine's point of view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Score {
    pub(crate) wins: u64,
    pub(crate) losses: u64,
    pub(crate) draws: u64,
    /// Pairs: LL, LD, WL and DD together, WD, WW.
    pub(crate) pairs: [u64; 5],
    /// Pairs of a win and a loss.
    pub(crate) split: u64,
}

/// The unit of an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Games, which counts the two games of a pair as independent.
    Games,
    /// Pairs.
    Pairs,
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

impl Score {
    /// Counts a game by the half points of the first engine.
    pub(crate) fn add_game(&mut self, half_points: u8) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }

    /// Counts a pair and its games by the half points of the first engine in both games.
    pub(crate) fn add_pair(&mut self, half_points: [u8; 2]) {
        let [one, other] = half_points;
        self.add_game(one);
        self.add_game(other);
        self.pairs[usize::from(one + other).min(4)] += 1;
        self.split += u64::from(one + other == 2 && one != other);
    }

    /// Adds the games and pairs of another score to this one.
    pub(crate) fn add(&mut self, other: &Self) {
        self.wins += other.wins;
        self.losses += other.losses;
        self.draws += other.draws;
        for (sum, count) in self.pairs.iter_mut().zip(other.pairs) {
            *sum += count;
        }
        self.split += other.split;
    }

    /// Returns the results from the other engine's point of view.
    pub(crate) fn reversed(mut self) -> Self {
        std::mem::swap(&mut self.wins, &mut self.losses);
        self.pairs.reverse();
        self
    }

    pub(crate) fn games(&self) -> u64 {
        self.wins + self.losses + self.draws
    }

    pub(crate) fn points(&self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }

    /// Returns the share of points. Units: percent.
    pub(crate) fn points_ratio(&self) -> f64 {
        self.points() / self.games() as f64 * 100.0
    }

    /// Returns the share of draws, of even pairs or drawn games. Units: percent.
    pub(crate) fn draw_ratio(&self, unit: Unit) -> f64 {
        match unit {
            Games => 100.0 * self.draws as f64 / self.games() as f64,
            Pairs => 100.0 * self.pairs[2] as f64 / self.pairs.iter().sum::<u64>() as f64,
        }
    }

    /// Returns the ratio of won to lost pairs.
    pub(crate) fn pairs_ratio(&self) -> f64 {
        let [ll, ld, _, wd, ww] = self.pairs;
        (ww + wd) as f64 / (ld + ll) as f64
    }

    /// Returns the ratio of pairs of a win and a loss to pairs of two draws.
    pub(crate) fn split_ratio(&self) -> f64 {
        self.split as f64 / (self.pairs[2] - self.split) as f64
    }

    /// Returns the estimates from results counted in this unit.
    pub(crate) fn estimates(&self, unit: Unit) -> Estimates {
        // The best outcome first, as fastchess adds them.
        let (counts, games_per_item): (&[u64], f64) = match unit {
            Games => (&[self.wins, self.draws, self.losses], 1.0),
            Pairs => {
                let [ll, ld, even, wd, ww] = self.pairs;
                (&[ww, wd, even, ld, ll], 2.0)
            }
        };
        let items = counts.iter().sum::<u64>() as f64;
        let steps = (counts.len() - 1) as f64;
        let mean_of = |value: &dyn Fn(f64) -> f64| -> f64 {
            counts
                .iter()
                .enumerate()
                .map(|(k, &count)| count as f64 / items * value(1.0 - k as f64 / steps))
                .sum()
        };
        let score = mean_of(&|value| value);
        let variance = mean_of(&|value| (value - score).powi(2));
        let deviation = (variance / items).sqrt();
        let (low, high) = (score - Z95 * deviation, score + Z95 * deviation);
        let elo = |score: f64| -400.0 * (1.0 / score - 1.0).log10();
        let nelo = |score: f64| (score - 0.5) / (games_per_item * variance).sqrt() * NELO_PER_T;
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
                score.add_pair(half_points);
            }
        }
        score
    }

    /// The block in a comment of fishtest's worker, which fastchess printed.
    #[test]
    fn estimates_equal_those_of_a_block_that_fastchess_printed() {
        let score =
            of_pairs(&[([0, 0], 43), ([0, 1], 61), ([1, 1], 25), ([2, 0], 119), ([2, 1], 55), ([2, 2], 37)]);
        assert_eq!((score.games(), score.wins, score.losses, score.draws), (680, 248, 266, 166));
        let Estimates { elo, elo_error, nelo, nelo_error, los } = score.estimates(Pairs);
        let shown = [elo, elo_error, nelo, nelo_error, 100.0 * los].map(|value| number(value, 2));
        assert_eq!(shown, ["-9.20", "20.93", "-11.50", "26.11", "19.41"]);
        let shown = [score.draw_ratio(Pairs), score.pairs_ratio(), score.points_ratio(), score.split_ratio()];
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
            published(Score { pairs, ..Score::default() }.estimates(Pairs), expected, los_tolerance);
        }
        for ([losses, draws, wins], expected, los_tolerance) in [
            ([89, 123, 76], [-15.693_521, 30.458_001, -20.756_450, 40.126_026, 0.155_326_43], 5e-9),
            ([96, 111, 136], [40.702_458, 30.427_218, 49.768_415, 36.768_451, 0.996_010_24], 5e-9),
            ([356, 0, 34], [-407.988_432, 63.164_515, -508.435_325, 34.481_812, 0.0], 1e-90),
        ] {
            let score = Score { wins, losses, draws, ..Score::default() };
            published(score.estimates(Games), expected, los_tolerance);
        }
    }

    #[test]
    fn values_without_bounds_are_written_as_fastchess_does() {
        let won = of_pairs(&[([2, 2], 3)]);
        assert_eq!(number(won.estimates(Pairs).elo, 2), "inf");
        assert_eq!(number(won.reversed().estimates(Pairs).elo, 2), "-inf");
        let drawn = of_pairs(&[([1, 1], 3)]);
        let Estimates { elo, elo_error, nelo, los, .. } = drawn.estimates(Pairs);
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
    fn results_of_games_are_estimated_without_pairs() {
        let score = of_pairs(&[([2, 1], 1), ([2, 0], 1)]);
        let reversed = score.reversed();
        assert_eq!((score.wins, score.losses, reversed.wins, reversed.losses), (2, 1, 1, 2));
        assert_eq!(reversed.pairs, [0, 1, 1, 0, 0]);
        assert!((score.estimates(Games).elo + reversed.estimates(Games).elo).abs() < 1e-9);
        assert_eq!(number(score.draw_ratio(Games), 2), "25.00");
    }
}
