//! The MTD family: converges on the root score by null-window searches, each of which moves one of
//! two bounds. Its members differ in the sequence of windows.
//!
//! They depend on the TT: without one, every pass is a search from scratch.
//!
//! Source: Plaat, Schaeffer, Pijls and de Bruin, "Best-first fixed-depth minimax algorithms"
//! (1996).

use crate::search::context::{Search, Stopped};
use crate::search::driver_kind::MtdSequence;
use crate::search::root_moves::RootResult;
use crate::search::switches::{Toggles, on};
use crate::types::{Bound, Depth, Move, Ply, Score, Window};

/// The step of MTD(step). Units: centipawns.
const STEP: i32 = 20;
/// Number of fail-hard passes after which all members bisect. Such a pass (`FailSoft` off) returns the edge
/// of its window, which a sequence may follow a centipawn at a time.
const PATIENCE: usize = 32;

impl<T: Toggles> Search<'_, T> {
    /// Returns the minimax score of the root. `guess` is the score of the last iteration.
    pub(super) fn mtd(
        &mut self,
        sequence: MtdSequence,
        guess: Score,
        depth: Depth,
        first: usize,
    ) -> Result<Score, Stopped> {
        let mut bounds = (-Score::INFINITE, Score::INFINITE);
        let mut score = match sequence {
            MtdSequence::Sss => Score::INFINITE,
            MtdSequence::Dual => -Score::INFINITE,
            MtdSequence::F | MtdSequence::Bisection | MtdSequence::Step => guess,
        };
        let mut passes = 0;
        while bounds.0 < bounds.1 {
            let is_slow = passes >= PATIENCE && !on!(self.toggles, FailSoft);
            let beta = next_beta(sequence, bounds, score, passes == 0, is_slow);
            passes += 1;
            score = self.root(Window::null_below(beta), depth, first)?;
            if score < beta {
                bounds.1 = score;
            } else {
                bounds.0 = score;
                // The next pass starts with the move that failed high.
                self.sort_root_moves(first);
                self.keep_lower_bound(first);
            }
        }
        // The two bounds met, so together they are exact, though no single pass was.
        let replies = self.replies_of_table(self.worker.root_moves[first].mv, depth);
        let best = &mut self.worker.root_moves[first].current;
        *best = RootResult { score, bound: Bound::Exact, depth, seldepth: best.seldepth, replies };
        Ok(score)
    }

    /// Returns the moves of the TT that follow `mv`, so that the line has up to `depth` moves, or up to
    /// a repetition. Null windows leave no other line.
    fn replies_of_table(&self, mv: Move, depth: Depth) -> Vec<Move> {
        let root = self.job.game.position();
        let mut keys = vec![root.key()];
        let mut replies = Vec::new();
        let mut position = root.after(mv);
        while keys.len() < depth.0.max(1) as usize && !keys.contains(&position.key()) {
            let record = self.probe(&position, Ply(keys.len() as u16));
            let Some(mv) = self.tt_move(&position, record) else { break };
            keys.push(position.key());
            replies.push(mv);
            position = position.after(mv);
        }
        replies
    }
}

/// Returns the beta of the next null window. The last pass returned `score`, which is one of the
/// bounds; before the first it is the starting point. A slow sequence bisects. Range: above the lower
/// bound, at most the upper one.
fn next_beta(
    sequence: MtdSequence,
    bounds: (Score, Score),
    score: Score,
    is_first: bool,
    is_slow: bool,
) -> Score {
    let (lower, upper) = bounds;
    let middle = Score(i32::midpoint(lower.0, upper.0));
    let beta = match sequence {
        _ if is_first => score,
        _ if is_slow => middle,
        MtdSequence::F | MtdSequence::Sss | MtdSequence::Dual => score,
        MtdSequence::Bisection => middle,
        MtdSequence::Step if score == upper => score - STEP,
        MtdSequence::Step => score + STEP,
    };
    beta.clamp(lower + 1, upper)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of passes that find `truth`, if each returns it exactly (fail-soft) or
    /// only the bound (fail-hard).
    fn passes(sequence: MtdSequence, start: Score, truth: Score, is_soft: bool) -> usize {
        let (mut bounds, mut score, mut count) = ((-Score::INFINITE, Score::INFINITE), start, 0);
        while bounds.0 < bounds.1 {
            let beta = next_beta(sequence, bounds, score, count == 0, !is_soft && count >= PATIENCE);
            assert!(beta > bounds.0 && beta <= bounds.1, "{sequence:?} {bounds:?} {beta:?}");
            count += 1;
            assert!(count < 2 * PATIENCE, "{sequence:?} does not converge on {truth:?}");
            if truth < beta {
                score = if is_soft { truth } else { beta - 1 };
                bounds.1 = score;
            } else {
                score = if is_soft { truth } else { beta };
                bounds.0 = score;
            }
        }
        assert_eq!(score, truth);
        count
    }

    #[test]
    fn sequences_converge_on_the_score() {
        let all =
            [MtdSequence::F, MtdSequence::Sss, MtdSequence::Dual, MtdSequence::Bisection, MtdSequence::Step];
        for sequence in all {
            for truth in [-31_000, -25, 0, 1, 19, 20, 333, 31_000].map(Score) {
                assert!(passes(sequence, Score(20), truth, true) <= 3, "{sequence:?} {truth:?}");
                for start in [Score(20), Score::INFINITE, -Score::INFINITE] {
                    passes(sequence, start, truth, false);
                }
            }
        }
        let hard = |sequence| passes(sequence, Score(20), Score(50), false);
        assert!(hard(MtdSequence::Bisection) > 10 && hard(MtdSequence::F) > 25);
        assert!(hard(MtdSequence::Step) > hard(MtdSequence::F) / 2);
    }
}
