//! The games that a block shows: those of the complete pairs, in a test up to the decision.

use super::score::Score;
use crate::play::pairings::{HalfPairs, Pairings};
use crate::play::record::GameRecord;

/// Counts the games that blocks show.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    pairings: Pairings,
    /// Wins, draws and losses of each pairing's first engine.
    scores: Vec<Score>,
    /// Half points of the first engine.
    half_pairs: HalfPairs<u8>,
    is_closed: bool,
}

impl Tally {
    /// Returns a tally without games.
    pub(crate) fn new(pairings: &Pairings) -> Self {
        Self {
            scores: vec![Score::default(); pairings.as_slice().len()],
            pairings: pairings.clone(),
            half_pairs: HalfPairs::default(),
            is_closed: false,
        }
    }

    /// Counts a game. `counts` tells whether it completed a pair that is not left out, and `is_decided` whether the test is decided
    /// with it: later games are not counted, as `OpenBench` and fishtest drop them and fastchess does not play them.
    pub(crate) fn add(&mut self, game: &GameRecord, counts: bool, is_decided: bool) {
        let half_points = self.half_pairs.add(game.pair, game.first_half_points());
        if let Some(half_points) = half_points
            && counts
            && !self.is_closed
        {
            self.scores[self.pairings.index_of(game.pair)] += Score::of_pair(half_points);
        }
        self.is_closed |= is_decided;
    }

    /// Returns the scores by pairing.
    pub(crate) fn scores(&self) -> &[Score] {
        &self.scores
    }
}
