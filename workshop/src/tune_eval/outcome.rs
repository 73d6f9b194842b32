//! The scale of recorded scores.

use super::games::{RecordedScore, ScoredGame};
use super::scale::of_values;

/// Scores beyond this limit are ignored as decided. Units: centipawns.
pub(super) const LIMIT: i32 = 1000;
/// Minimum number of scores for a fit.
pub(super) const ENOUGH: f64 = 1000.0;

/// Counts of loss, draw and win by score of the mover. Shape: `[score + LIMIT][points * 2]`.
pub(super) struct Histogram(Vec<[f64; 3]>);

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

    /// Returns the scale of the curve from score to expected points; `None` with too few scores.
    pub(super) fn scale(&self) -> Option<f64> {
        let cells = (-LIMIT..=LIMIT).map(f64::from).zip(&self.0);
        let pairs = cells.flat_map(|(score, [loss, draw, win])| {
            [(score, 0.0, *loss), (score, 0.5, *draw), (score, 1.0, *win)]
        });
        (self.scores() >= ENOUGH).then(|| of_values(&pairs.collect::<Vec<_>>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune_eval::model::sigmoid;

    #[test]
    fn known_scale_is_recovered() {
        let cell = |score: i32| {
            let win = sigmoid(f64::from(score) / 142.0);
            [1.0 - win, 0.0, win]
        };
        let scale = Histogram((-LIMIT..=LIMIT).map(cell).collect()).scale().unwrap();
        assert!((scale - 142.0).abs() < 0.1, "{scale}");
        assert!(Histogram(vec![[0.0; 3]; 2 * LIMIT as usize + 1]).scale().is_none());
    }
}
