//! The root moves, with their scores and lines.

use std::cmp::Reverse;
use std::iter;

use crate::tablebase::RankedMove;
use crate::types::{Bound, Depth, Move, Score};

/// The result of searching a root move. Score, bound, depth, selective depth and line are found by one
/// search, so they are saved and restored together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RootResult {
    pub(crate) score: Score,
    pub(crate) bound: Bound,
    /// The iteration that found the score.
    pub(crate) depth: Depth,
    pub(crate) seldepth: u16,
    /// The moves that follow the root move.
    pub(crate) replies: Vec<Move>,
}

impl RootResult {
    /// The move was not searched, or did not raise alpha.
    pub(crate) const NONE: Self = Self::without_line(Score(-Score::INFINITE.0), Bound::Upper, Depth::ZERO);

    /// Returns a result whose line is the root move alone.
    pub(crate) const fn without_line(score: Score, bound: Bound, depth: Depth) -> Self {
        Self { score, bound, depth, seldepth: 0, replies: Vec::new() }
    }

    /// Whether there is a score.
    pub(crate) fn is_searched(&self) -> bool {
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
    /// The result of the running iteration.
    pub(crate) current: RootResult,
    /// The result to fall back to: that of the last completed iteration, or one that the running
    /// iteration has found before it began the present window or line.
    pub(crate) previous: RootResult,
    /// Whether the last search of the move has proved that it loses, by mate or by the tables.
    pub(crate) is_lost: bool,
    /// Nodes spent on the move in all iterations of this search, while the first line was searched.
    pub(crate) nodes: u64,
}

impl RootMove {
    /// Creates a root move that has not been searched.
    pub(crate) fn new(ranked: &RankedMove) -> Self {
        Self {
            mv: ranked.mv,
            rank: ranked.rank,
            tb_score: ranked.score,
            current: RootResult::NONE,
            previous: RootResult::NONE,
            is_lost: false,
            nodes: 0,
        }
    }

    /// Returns the principal variation of a result of this move.
    pub(crate) fn line_of(&self, found: &RootResult) -> Vec<Move> {
        iter::once(self.mv).chain(found.replies.iter().copied()).collect()
    }

    /// Returns the score to report when the search found `score`, and its bound. A tablebase score is
    /// exact and takes precedence, except over a mate that the search has found for the same side.
    pub(crate) fn reported_score(&self, score: Score, bound: Bound) -> (Score, Bound) {
        let is_refined = |known: Score| {
            !known.is_mate() && score.is_mate() && score.is_lost() == known.is_lost() && known != Score::DRAW
        };
        match self.tb_score {
            Some(known) if !is_refined(known) => (known, Bound::Exact),
            _ => (score, bound),
        }
    }
}

/// Moves the first of the best moves to the front, among those of the first rank that have a score.
/// Returns whether there is one.
pub(crate) fn bring_to_front(
    root_moves: &mut [RootMove],
    score: impl Fn(&RootMove) -> Option<Score>,
) -> bool {
    let rank = root_moves[0].rank;
    let equals = root_moves.iter().take_while(|root_move| root_move.rank == rank).enumerate();
    let scored = equals.filter_map(|(index, root_move)| Some((score(root_move)?, Reverse(index))));
    let best = scored.max();
    if let Some((_, Reverse(index))) = best {
        root_moves[..=index].rotate_right(1);
    }
    best.is_some()
}
