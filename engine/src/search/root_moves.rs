//! The root moves, with their scores and lines.

use crate::tablebase::RankedMove;
use crate::types::{Bound, Depth, Move, Score};

/// The score of a root move, its bound, and the depth of the iteration that found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RootScore {
    pub(crate) score: Score,
    pub(crate) bound: Bound,
    pub(crate) depth: Depth,
}

impl RootScore {
    /// The move was not searched, or did not raise alpha.
    pub(crate) const NONE: Self =
        Self { score: Score(-Score::INFINITE.0), bound: Bound::Upper, depth: Depth::ZERO };

    /// Whether there is a score.
    pub(crate) fn is_searched(self) -> bool {
        self.score > Self::NONE.score
    }
}

/// A root move and the results of its search.
#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    pub(crate) mv: Move,
    /// The tablebase rank, greater is better. The search chooses among moves of equal rank only.
    pub(crate) rank: i32,
    /// The tablebase score, if known.
    pub(crate) tb_score: Option<Score>,
    /// The score in the running iteration.
    pub(crate) current: RootScore,
    /// The score of the last completed iteration, or a bound that the running one has proved since.
    pub(crate) previous: RootScore,
    pub(crate) seldepth: u16,
    /// Nodes spent on the move in all iterations of this search, while the first line was searched.
    pub(crate) nodes: u64,
    pub(crate) pv: Vec<Move>,
}

impl RootMove {
    /// Creates a root move that has not been searched.
    pub(crate) fn new(ranked: &RankedMove) -> Self {
        Self {
            mv: ranked.mv,
            rank: ranked.rank,
            tb_score: ranked.score,
            current: RootScore::NONE,
            previous: RootScore::NONE,
            seldepth: 0,
            nodes: 0,
            pv: vec![ranked.mv],
        }
    }

    /// Returns the score to report when the search found `found`. A tablebase score is exact and
    /// takes precedence, except over a mate that the search has found for the same side.
    pub(crate) fn reported_score(&self, found: RootScore) -> RootScore {
        match self.tb_score {
            Some(score) if score.is_mate() => RootScore { score, bound: Bound::Exact, ..found },
            Some(score)
                if found.score.is_mate()
                    && found.score.is_lost() == score.is_lost()
                    && score != Score::DRAW =>
            {
                found
            }
            Some(score) => RootScore { score, bound: Bound::Exact, ..found },
            None => found,
        }
    }
}
