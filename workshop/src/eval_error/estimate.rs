//! Figures with bootstrap intervals.

use serde::Serialize;
use stretto_harness::base::random::SplitMix64;

/// Number of bootstrap samples.
const SAMPLES: usize = 2000;
/// Seed of the bootstrap: the same data give the same interval.
const SEED: u64 = 68;

/// Sums over the positions of one game: count, a value and that of the first column.
pub(super) type Sums = [f64; 3];

/// A figure with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Estimate {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Estimate {
    /// Returns a figure of the sums of all games, with its interval by bootstrap: positions of one game are not independent, so
    /// whole games are drawn with replacement.
    ///
    /// Source: Efron, "Bootstrap methods: another look at the jackknife" (1979), percentile interval.
    pub(super) fn of(games: &[Sums], figure: impl Fn(Sums) -> f64) -> Self {
        let add = |sums: Sums, game: &Sums| [0, 1, 2].map(|index| sums[index] + game[index]);
        let mut random = SplitMix64::new(SEED);
        let mut drawn = |_| &games[random.below(games.len() as u64) as usize];
        let mut figures: Vec<f64> =
            (0..SAMPLES).map(|_| figure(games.iter().map(&mut drawn).fold([0.0; 3], add))).collect();
        figures.sort_by(f64::total_cmp);
        let quantile = |share: f64| figures[(share * (SAMPLES - 1) as f64).round() as usize];
        let value = figure(games.iter().fold([0.0; 3], add));
        Self { value, low: quantile(0.025), high: quantile(0.975) }
    }

    /// Formats the figure with its interval.
    pub(super) fn text(&self, digits: usize) -> String {
        let Self { value, low, high } = self;
        format!("{value:.digits$} [{low:.digits$}, {high:.digits$}]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_of_games_and_not_of_positions() {
        let mean = |sums: Sums| sums[1] / sums[0];
        // 100 games of one position, with a mean of 1/2 and a standard error of 1/20.
        let games: Vec<Sums> = (0..100).map(|game| [1.0, f64::from(game % 2), 0.0]).collect();
        let estimate = Estimate::of(&games, mean);
        assert!((estimate.value - 0.5).abs() < 1e-12);
        assert!((estimate.low - 0.402).abs() < 0.02 && (estimate.high - 0.598).abs() < 0.02, "{estimate:?}");
        // The same games with ten like positions each know no more.
        let longer: Vec<Sums> = games.iter().map(|game| game.map(|sum| 10.0 * sum)).collect();
        let same = Estimate::of(&longer, mean);
        assert!((same.low - estimate.low).abs() < 1e-9 && (same.high - estimate.high).abs() < 1e-9);
        assert_eq!(Estimate { value: -1.25, low: -2.0, high: 0.5 }.text(1), "-1.2 [-2.0, 0.5]");
    }
}
