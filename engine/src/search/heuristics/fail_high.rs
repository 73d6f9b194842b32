//! Fail-high blending: a score above beta is moved towards beta.
//!
//! Bet: the excess over beta of a shallow search means little; a score nearer to beta misleads less
//! where it is returned or stored.
//! Preconditions: the score is above beta, and neither is decisive.
//! Soundness: unsound: a cutoff remains one, but its bound is weaker.
//! Knobs: none.
//! Source: Stockfish (2024), "fail-high interpolation".
//! Evidence: `results/history.md`, "Changes tried".

use crate::types::{Depth, Score};

/// Returns the score moved towards beta, by more the shallower the search. Range: at least beta if
/// the score was.
#[inline]
pub(crate) fn blend(score: Score, beta: Score, depth: Depth) -> Score {
    if score <= beta || score.is_decisive() || beta.is_decisive() {
        return score;
    }
    let weight = depth.0.max(1);
    beta + (score - beta).0 * weight / (weight + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blended_score_is_still_a_cutoff() {
        assert_eq!(blend(Score(100), Score(0), Depth(1)), Score(50));
        assert_eq!(blend(Score(100), Score(0), Depth(9)), Score(90));
        assert_eq!(blend(Score(1), Score(0), Depth(1)), Score(0));
        assert_eq!(blend(Score(-5), Score(0), Depth(1)), Score(-5));
        assert_eq!(blend(Score(-5), Score(-10), Depth(1)), Score(-8));
    }
}
