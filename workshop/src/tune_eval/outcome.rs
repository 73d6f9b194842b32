//! The recorded scores with their results, and their scale.

use super::games::{RecordedScore, ScoredGame};
use super::scale::of_values;

/// Scores beyond this limit are ignored as decided. Units: centipawns.
pub(super) const LIMIT: i32 = 1000;
/// Minimum number of scores for a fit.
pub(super) const ENOUGH: f64 = 1000.0;

/// Returns all recorded scores as triples of score, points of the mover and 1.
pub(super) fn recorded_scores(games: &[ScoredGame]) -> Vec<(f64, f64, f64)> {
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
    scores
}

/// Returns the scale of the curve from recorded score to expected points; `None` with too few scores.
pub(super) fn scale_of_recorded(scores: &[(f64, f64, f64)]) -> Option<f64> {
    (scores.len() as f64 >= ENOUGH).then(|| of_values(scores))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_scale_is_recovered_from_enough_scores() {
        // At 100 centipawns three of four games are won: the scale is 100 / ln 3.
        let scale = |count: u32| {
            let score = |number: u32| (100.0, f64::from(u8::from(!number.is_multiple_of(4))), 1.0);
            scale_of_recorded(&(0..count).map(score).collect::<Vec<_>>())
        };
        let found = scale(1000).unwrap();
        assert!((found - 100.0 / 3.0_f64.ln()).abs() < 0.1, "{found}");
        assert!(scale(999).is_none());
    }
}
