//! Chances of win, draw and loss behind the scores that engines recorded with their moves.

use serde::{Deserialize, Serialize};

use super::games::ScoredGame;
use super::scale::{of_values, smallest};

/// Scores beyond this are as good as decided and say nothing about the curve. Units: centipawns.
const LIMIT: i32 = 1000;
/// Fewer scores than this fit nothing.
const ENOUGH: f64 = 1000.0;

/// How often each score of the mover ended in loss, draw and win. Shape: `[score + LIMIT][points * 2]`.
pub(super) struct Histogram(Vec<[f64; 3]>);

/// Two logistic curves: a win is as likely as not at `even_chance`, a loss at minus that.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutcomeFit {
    /// Units: centipawns.
    pub even_chance: f64,
    /// How slowly chances change. Units: centipawns.
    pub spread: f64,
    /// Scores it rests on.
    pub scores: u64,
}

impl Histogram {
    /// Of all recorded scores.
    pub(super) fn of(games: &[ScoredGame]) -> Self {
        let mut counts = vec![[0.0; 3]; 2 * LIMIT as usize + 1];
        for game in games {
            let mut mover = game.start.position().side_to_move();
            for played in &game.moves {
                if let Some(cp) = played.score.filter(|cp| cp.abs() <= LIMIT) {
                    counts[(cp + LIMIT) as usize][usize::from(game.half_points_of(mover))] += 1.0;
                }
                mover = !mover;
            }
        }
        Self(counts)
    }

    fn scores(&self) -> f64 {
        self.0.iter().flatten().sum()
    }

    /// Scores with how often each result followed.
    fn cells(&self) -> impl Iterator<Item = (f64, [f64; 3])> + '_ {
        let scores = (-LIMIT..=LIMIT).map(f64::from);
        scores.zip(self.0.iter().copied()).filter(|(_, cell)| cell.iter().any(|&times| times > 0.0))
    }

    /// The scale of one curve from score to expected points; `None` where too few scores were recorded.
    pub(super) fn scale(&self) -> Option<f64> {
        let pairs: Vec<(f64, f64, f64)> = self
            .cells()
            .flat_map(|(score, [loss, draw, win])| {
                [(score, 0.0, loss), (score, 0.5, draw), (score, 1.0, win)]
            })
            .collect();
        (self.scores() >= ENOUGH).then(|| of_values(&pairs))
    }

    /// The two curves that make the results likeliest.
    pub(super) fn fit(&self) -> Option<OutcomeFit> {
        if self.scores() < ENOUGH {
            return None;
        }
        let best_spread = |even: f64| smallest(5.0, 500.0, 0.05, |spread| self.surprise(even, spread));
        let even_chance = smallest(1.0, 800.0, 0.05, |even| self.surprise(even, best_spread(even)));
        let spread = best_spread(even_chance);
        Some(OutcomeFit { even_chance, spread, scores: self.scores() as u64 })
    }

    /// How unlikely the results are under the two curves. Units: nats.
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
    fn known_curves_are_found() {
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
