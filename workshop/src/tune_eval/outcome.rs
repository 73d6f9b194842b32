//! Win/draw/loss probabilities behind recorded scores.

use serde::{Deserialize, Serialize};

use super::games::{RecordedScore, ScoredGame};
use super::scale::{of_values, smallest};

/// Scores beyond this limit are ignored as decided. Units: centipawns.
pub(super) const LIMIT: i32 = 1000;
/// Minimum number of scores for a fit.
pub(super) const ENOUGH: f64 = 1000.0;

/// Counts of loss, draw and win by score of the mover. Shape: `[score + LIMIT][points * 2]`.
pub(super) struct Histogram(Vec<[f64; 3]>);

/// Two logistic curves: a win has a probability of 50 % at `even_chance`, a loss at `-even_chance`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct OutcomeFit {
    /// Score with a win probability of 50 %. Units: centipawns.
    pub even_chance: f64,
    /// Width of the curves. Units: centipawns.
    pub spread: f64,
    /// Number of scores used.
    pub scores: u64,
}

impl Histogram {
    /// Counts all recorded scores.
    pub(super) fn of(games: &[ScoredGame]) -> Self {
        let mut counts = vec![[0.0; 3]; 2 * LIMIT as usize + 1];
        for game in games {
            let mut mover = game.start.position().side_to_move();
            for played in &game.moves {
                if let Some(RecordedScore::Centipawns(cp)) = played.score
                    && cp.abs() <= LIMIT
                {
                    counts[(cp + LIMIT) as usize][usize::from(game.half_points_of(mover))] += 1.0;
                }
                mover = !mover;
            }
        }
        Self(counts)
    }

    /// Returns the number of scores.
    pub(super) fn scores(&self) -> f64 {
        self.0.iter().flatten().sum()
    }

    /// Returns the scores with their result counts.
    fn cells(&self) -> impl Iterator<Item = (f64, [f64; 3])> + '_ {
        let scores = (-LIMIT..=LIMIT).map(f64::from);
        scores.zip(self.0.iter().copied()).filter(|(_, cell)| cell.iter().any(|&times| times > 0.0))
    }

    /// Returns the scale of a single curve from score to expected points; `None` with too few
    /// scores.
    pub(super) fn scale(&self) -> Option<f64> {
        let pairs: Vec<(f64, f64, f64)> = self
            .cells()
            .flat_map(|(score, [loss, draw, win])| {
                [(score, 0.0, loss), (score, 0.5, draw), (score, 1.0, win)]
            })
            .collect();
        (self.scores() >= ENOUGH).then(|| of_values(&pairs))
    }

    /// Fits the two curves by maximum likelihood.
    pub(super) fn fit(&self) -> Option<OutcomeFit> {
        if self.scores() < ENOUGH {
            return None;
        }
        let best_spread = |even: f64| smallest(5.0, 500.0, 0.05, |spread| self.surprise(even, spread));
        let even_chance = smallest(1.0, 800.0, 0.05, |even| self.surprise(even, best_spread(even)));
        let spread = best_spread(even_chance);
        Some(OutcomeFit { even_chance, spread, scores: self.scores() as u64 })
    }

    /// Returns the negative log-likelihood of the results. Units: nats.
    fn surprise(&self, even: f64, spread: f64) -> f64 {
        let chance = |score: f64| 1.0 / (1.0 + ((even - score) / spread).exp());
        let surprise = |times: f64, chance: f64| -times * chance.max(1e-12).ln();
        self.cells()
            .map(|(score, [loss, draw, win])| {
                let (won, lost) = (chance(score), chance(-score));
                surprise(win, won) + surprise(loss, lost) + surprise(draw, 1.0 - won - lost)
            })
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_curves_are_recovered() {
        let chance = |score: f64| 1.0 / (1.0 + ((142.0 - score) / 68.0).exp());
        let cell = |score: i32| {
            let (win, loss) = (chance(f64::from(score)), chance(f64::from(-score)));
            [loss, 1.0 - win - loss, win]
        };
        let fit = Histogram((-LIMIT..=LIMIT).map(cell).collect()).fit().unwrap();
        assert!((fit.even_chance - 142.0).abs() < 1.0 && (fit.spread - 68.0).abs() < 1.0, "{fit:?}");
        assert!(Histogram(vec![[0.0; 3]; 2 * LIMIT as usize + 1]).fit().is_none());
    }
}
