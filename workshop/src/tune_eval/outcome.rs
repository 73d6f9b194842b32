//! The recorded scores with their results, and their scale.

use super::games::{RecordedScore, ScoredGame};
use super::scale::of_values;

/// Scores beyond this limit are ignored as decided. Units: centipawns.
pub(super) const LIMIT: i32 = 1000;
/// Minimum number of scores for a fit.
pub(super) const ENOUGH: f64 = 1000.0;

/// Triples of recorded score, points of the mover and 1.
pub(super) struct RecordedScores(Vec<(f64, f64, f64)>);

impl RecordedScores {
    /// Collects all recorded scores.
    pub(super) fn of(games: &[ScoredGame]) -> Self {
        let mut scores = Vec::new();
        for game in games {
            let mut mover = game.start.position().side_to_move();
            for played in &game.moves {
                if let Some(RecordedScore::Centipawns(cp)) = played.score
                    && cp.abs() <= LIMIT
                {
                    scores.push((f64::from(cp), f64::from(game.half_points_of(mover)) / 2.0, 1.0));
                }
                mover = !mover;
            }
        }
        Self(scores)
    }

    /// Returns the number of scores.
    pub(super) fn count(&self) -> f64 {
        self.0.len() as f64
    }

    /// Returns the scale of the curve from score to expected points; `None` with too few scores.
    pub(super) fn scale(&self) -> Option<f64> {
        (self.count() >= ENOUGH).then(|| of_values(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_scale_is_recovered_from_enough_scores() {
        // At 100 centipawns three of four games are won: the scale is 100 / ln 3.
        let scores = |count: u32| {
            let score = |number: u32| (100.0, f64::from(u8::from(!number.is_multiple_of(4))), 1.0);
            RecordedScores((0..count).map(score).collect())
        };
        let scale = scores(1000).scale().unwrap();
        assert!((scale - 100.0 / 3.0_f64.ln()).abs() < 0.1, "{scale}");
        assert!(scores(999).scale().is_none());
    }
}
