//! Iterative deepening: one depth after another until a limit is reached.
//!
//! The main worker keeps the time and reports. Helpers run the same loop silently, skip the
//! iterations that their stagger scheme names, and ignore the depth limit. The result of a worker
//! is that of its last completed iteration, or a better move that raised alpha in an aborted one. The
//! score of the main worker may then be a bound.

use std::cmp::Reverse;

use super::kind::Driver;
use crate::search::context::{Search, Stopped};
use crate::search::heuristics::aspiration::Aspiration;
use crate::search::job::Teamwork;
use crate::search::root_moves::{RootMove, RootScore};
use crate::search::switches::{Toggles, on};
use crate::search::timing::RootStability;
use crate::threads::result_board::Relay;
use crate::types::{Bound, Depth, Score, Window};

/// Failed aspiration windows are reported only after this time. Units: seconds.
const BOUNDS_AFTER_SECONDS: u64 = 3;

/// The first depth without iterative deepening and without an earlier search. Any search completes
/// it in little time.
const DEPTH_WITHOUT_DEEPENING: Depth = Depth(4);

/// The number of different window widths, where helpers vary them. It is not a tunable: it has no
/// effect on one thread.
const WIDTHS: usize = 8;

impl<T: Toggles> Search<'_, T> {
    /// Deepens until a limit is reached or the search is stopped.
    pub(in crate::search) fn deepen(&mut self) {
        let lines = self.job.multipv.clamp(1, self.worker.root_moves.len().max(1));
        let last = match self.job.limits.depth {
            Some(depth) if self.is_main() => depth.min(Depth::MAX),
            _ => Depth::MAX,
        };
        let mut stability = RootStability::after(self.worker.last_score);
        let mut depth = self.first_depth(last);
        while depth <= last && !self.worker.root_moves.is_empty() {
            let occupancy = || self.job.occupancy(self.worker.id, depth);
            if self.job.teamwork.stagger.skips(self.worker.id, depth, occupancy) {
                depth += 1;
                continue;
            }
            let offset = self.job.teamwork.stagger.depth_offset(self.worker.id);
            self.worker.iteration = (depth + offset).min(Depth::MAX);
            self.job.counters[self.worker.id].0.begin(self.worker.iteration);
            for root_move in &mut self.worker.root_moves {
                root_move.previous = RootScore { bound: Bound::Exact, ..root_move.current };
            }
            match self.iterate_lines(lines) {
                Ok(()) => {
                    self.worker.completed = self.worker.iteration;
                    self.publish_result();
                }
                Err(Stopped::Overtaken) => depth = depth.max(self.adopt_completed_iteration(last)),
                Err(Stopped::ForGood) => return,
            }
            if self.is_main() {
                // The limits of nodes, and the clock that counts them, read the published counts.
                self.publish_counts();
                self.open_node_budget();
                self.report_lines(lines);
                self.worker.last_score = stability.note(self.toggles, &self.worker.root_moves);
                if self.is_time_to_stop(&stability) {
                    return;
                }
            }
            depth += 1;
        }
    }

    /// Returns the depth of the first iteration.
    ///
    /// Without iterative deepening the depth must be known in advance: it is the limit, or else
    /// guessed from the last search.
    fn first_depth(&self, last: Depth) -> Depth {
        let first = if on!(self.toggles, IterativeDeepening) {
            self.job.limits.first_depth.unwrap_or(Depth(1))
        } else if last < Depth::MAX {
            last
        } else {
            (self.worker.reached - 1).max(DEPTH_WITHOUT_DEEPENING)
        };
        first.max(Depth(1))
    }

    /// Searches one iteration of all MultiPV lines.
    fn iterate_lines(&mut self, lines: usize) -> Result<(), Stopped> {
        for first in 0..lines {
            if let Err(stopped) = self.iterate(self.worker.iteration, first) {
                self.finish_aborted_iteration(first);
                return Err(stopped);
            }
        }
        Ok(())
    }

    /// Adopts the result of the worker that has completed the running iteration. Returns the depth
    /// completed, at most `last`.
    ///
    /// A helper does not vote for an adopted result: its ballot remains that of its own last
    /// completed iteration.
    fn adopt_completed_iteration(&mut self, last: Depth) -> Depth {
        self.worker.unwind(self.job);
        let Some((depth, other)) = self.relay_completed() else { return self.worker.iteration };
        for line in self.job.results.result_of(other).iter().flat_map(|result| &result.lines) {
            self.worker.adopt(line);
        }
        self.worker.iteration = depth.min(last);
        if self.is_main() {
            self.worker.completed = self.worker.iteration;
        }
        self.worker.iteration
    }

    /// Searches one line of one iteration, with as many aspiration windows as it takes.
    fn iterate(&mut self, depth: Depth, first: usize) -> Result<(), Stopped> {
        let guess = self.expected_score(first);
        match self.job.driver {
            Driver::Negamax => {
                self.root(Window::FULL, depth, first)?;
            }
            Driver::Mtd(sequence) => {
                self.mtd(sequence, guess.unwrap_or(Score::DRAW), depth, first)?;
            }
            Driver::AlphaBeta | Driver::Pvs => {
                let mut aspiration = Aspiration::around(self.toggles, guess, depth, self.extra_width());
                let mut reduced = depth;
                loop {
                    let window = aspiration.window();
                    let score = self.root(window, reduced, first)?;
                    self.sort_root_moves(first);
                    if !aspiration.widen(score) {
                        break;
                    }
                    // Plain alpha-beta searches every depth that it reports.
                    let may_reduce = self.job.driver == Driver::Pvs && on!(self.toggles, AspirationReduction);
                    reduced = if may_reduce && score >= window.beta {
                        // The move is good; a shallower search is enough to bound its score.
                        (reduced - 1).max(Depth(1))
                    } else {
                        depth
                    };
                    self.keep_lower_bound(first);
                    if self.is_main() && self.job.elapsed().as_secs() >= BOUNDS_AFTER_SECONDS {
                        let bound = Bound::of(score, window);
                        self.report_line(first, RootScore { score, bound, depth });
                    }
                }
            }
        }
        self.sort_root_moves(0);
        Ok(())
    }

    /// Returns how much wider this worker's windows are than those of the main worker. Units:
    /// centipawns.
    fn extra_width(&self) -> i32 {
        (self.worker.id % WIDTHS) as i32 * i32::from(self.job.teamwork.window_step)
    }

    /// Returns the expected score of an iteration: that of the last one, unless the team knows
    /// better. In a soft relay, the move of a deeper thread comes to the front.
    fn expected_score(&mut self, first: usize) -> Option<Score> {
        let previous = self.worker.root_moves[first].previous;
        let own = previous.is_searched().then_some(previous.score);
        let Teamwork { relay, has_common_score, .. } = self.job.teamwork;
        if self.job.multipv > 1 || !(relay == Relay::Soft || has_common_score) {
            return own;
        }
        let Some(deepest) = self.job.results.deepest_ballot() else { return own };
        let is_ahead = deepest.depth > self.worker.completed;
        if relay == Relay::Soft && is_ahead && self.worker.prefer(deepest.mv) {
            return Some(deepest.score);
        }
        let is_common = has_common_score && !deepest.score.is_decisive();
        own.map(|own| {
            if is_common && !own.is_decisive() { Score(i32::midpoint(own.0, deepest.score.0)) } else { own }
        })
    }

    /// Sorts the root moves from `first` by rank, then by score. The sort is stable.
    pub(super) fn sort_root_moves(&mut self, first: usize) {
        self.worker.root_moves[first..].sort_by_key(|root_move| {
            Reverse((root_move.rank, root_move.current.score, root_move.previous.score))
        });
    }

    /// Keeps the bound of a move that failed high, in case the next, wider window is aborted.
    pub(super) fn keep_lower_bound(&mut self, first: usize) {
        let best = &mut self.worker.root_moves[first];
        if best.current.bound == Bound::Lower {
            best.previous = best.current;
        }
    }

    /// Completes the root moves of an aborted iteration: scores it has found count, the rest come
    /// from the last one. Each score keeps the depth of the iteration that found it.
    fn finish_aborted_iteration(&mut self, first: usize) {
        self.sort_root_moves(first);
        for root_move in &mut self.worker.root_moves[first..] {
            if !root_move.current.is_searched() {
                root_move.current = root_move.previous;
            }
        }
        let lines = self.job.multipv.min(self.worker.root_moves.len());
        if lines > 1 {
            order_aborted_lines(&mut self.worker.root_moves[..lines], self.worker.iteration);
        } else if self.job.teamwork.relay == Relay::Soft {
            restore_completed_move(&mut self.worker.root_moves);
        }
    }

    /// Reports the best `lines` moves of a completed iteration.
    fn report_lines(&self, lines: usize) {
        for index in 0..lines {
            self.report_line(index, self.worker.root_moves[index].current);
        }
    }

    /// Reports the line at `index` of the root moves with the score `found`.
    fn report_line(&self, index: usize, found: RootScore) {
        self.publish_counts();
        let line = &self.worker.root_moves[index];
        let found = RootScore { depth: self.worker.iteration, ..found };
        self.job.report(index, line, found, self.worker.tally);
    }
}

/// Orders the lines of an aborted iteration, at least one. The best move of this iteration comes
/// first. The other lines come from two iterations and are sorted by score.
///
/// The first line keeps its place unless this iteration has resolved its score and has proved that
/// a later move is better: the score of another iteration proves nothing.
fn order_aborted_lines(lines: &mut [RootMove], iteration: Depth) {
    let first = lines[0].current;
    if first.bound == Bound::Exact && first.depth == iteration {
        let rank = lines[0].rank;
        let is_better = |line: &RootMove| {
            let RootScore { score, bound, depth } = line.current;
            line.rank == rank && depth == iteration && bound != Bound::Upper && score > first.score
        };
        let better = (1..lines.len()).filter(|&index| is_better(&lines[index]));
        if let Some(best) = better.max_by_key(|&index| (lines[index].current.score, Reverse(index))) {
            lines[..=best].rotate_right(1);
        }
    }
    lines[1..].sort_by_key(|line| Reverse((line.rank, line.current.score)));
}

/// Moves the best move of the last completed iteration back to the front, if the soft relay has put
/// another move before it that has only failed low since. There is at least one move.
///
/// A first move with a lower bound stays: it has raised alpha before it failed low in a wider window.
fn restore_completed_move(root_moves: &mut [RootMove]) {
    let first = &root_moves[0];
    if first.current.bound != Bound::Upper || first.previous.bound == Bound::Lower {
        return;
    }
    let rank = first.rank;
    let equals = root_moves.iter().take_while(|root_move| root_move.rank == rank).enumerate();
    let completed = equals.max_by_key(|&(index, root_move)| (root_move.previous.score, Reverse(index)));
    if let Some((index, _)) = completed {
        root_moves[..=index].rotate_right(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::tablebase::RankedMove;

    /// Returns the lines that an aborted iteration of depth 8 leaves, from score, bound and depth of
    /// each, as the original indices in their new order.
    fn order(lines: &[(i32, Bound, i32)]) -> Vec<usize> {
        let moves = Position::startpos().legal_moves();
        let line = |(&(score, bound, depth), &mv): (&(i32, Bound, i32), _)| {
            let current = RootScore { score: Score(score), bound, depth: Depth(depth) };
            RootMove { current, ..RootMove::new(&RankedMove { mv, rank: 0, score: None }) }
        };
        let before: Vec<RootMove> = lines.iter().zip(moves.iter()).map(line).collect();
        let mut after = before.clone();
        order_aborted_lines(&mut after, Depth(8));
        let place = |line: &RootMove| before.iter().position(|other| other.mv == line.mv);
        after.iter().filter_map(place).collect()
    }

    #[test]
    fn better_line_of_the_aborted_iteration_comes_first() {
        use Bound::{Exact, Lower, Upper};
        assert_eq!(order(&[(400, Exact, 8), (409, Exact, 8), (300, Exact, 7)]), [1, 0, 2]);
        assert_eq!(order(&[(400, Exact, 8), (300, Exact, 7), (409, Lower, 8)]), [2, 0, 1]);
        assert_eq!(order(&[(400, Exact, 8), (409, Exact, 8), (420, Exact, 8)]), [2, 1, 0]);
        // Scores of the iteration before, and upper bounds, prove nothing.
        assert_eq!(order(&[(400, Exact, 8), (300, Exact, 8), (409, Exact, 7)]), [0, 2, 1]);
        assert_eq!(order(&[(400, Exact, 8), (409, Upper, 8)]), [0, 1]);
        // The score of the first line is not resolved.
        assert_eq!(order(&[(400, Lower, 8), (409, Exact, 8)]), [0, 1]);
        assert_eq!(order(&[(400, Exact, 7), (409, Exact, 7)]), [0, 1]);
    }

    /// Returns the move that is best after an aborted iteration of depth 8, as its index. Each move
    /// has a rank, the current and the previous score.
    fn best(moves: &[(i32, RootScore, RootScore)]) -> usize {
        let legal = Position::startpos().legal_moves();
        let root_move = |(&(rank, current, previous), &mv): (&(i32, RootScore, RootScore), _)| RootMove {
            current,
            previous,
            ..RootMove::new(&RankedMove { mv, rank, score: None })
        };
        let mut root_moves: Vec<RootMove> = moves.iter().zip(legal.iter()).map(root_move).collect();
        restore_completed_move(&mut root_moves);
        legal.iter().position(|&mv| mv == root_moves[0].mv).expect("a legal move")
    }

    #[test]
    fn relayed_move_that_failed_low_is_not_played() {
        use Bound::{Exact, Lower, Upper};
        let found = |score, bound, depth| RootScore { score: Score(score), bound, depth: Depth(depth) };
        let none = RootScore { bound: Exact, ..RootScore::NONE };
        let completed = (0, found(30, Exact, 7), found(30, Exact, 7));
        let other = (0, found(20, Exact, 7), found(20, Exact, 7));
        assert_eq!(best(&[(0, found(10, Upper, 8), none), other, completed]), 2);
        assert_eq!(best(&[(0, found(10, Upper, 8), found(20, Exact, 7)), completed]), 1);
        // The completed move fails low itself.
        assert_eq!(best(&[(0, found(10, Upper, 8), found(30, Exact, 7)), other]), 0);
        // The relayed move has raised alpha, in this window or in an earlier one.
        assert_eq!(best(&[(0, found(25, Exact, 8), none), completed]), 0);
        assert_eq!(best(&[(0, found(25, Lower, 8), found(25, Lower, 8)), completed]), 0);
        assert_eq!(best(&[(0, found(10, Upper, 8), found(25, Lower, 8)), completed]), 0);
        // No move has a score of a completed iteration, or only one that a tablebase ranks lower.
        assert_eq!(best(&[(0, found(10, Upper, 8), none), (0, none, none)]), 0);
        assert_eq!(best(&[(1, found(10, Upper, 8), none), completed]), 0);
    }
}
