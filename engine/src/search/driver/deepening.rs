//! Iterative deepening: one depth after another until a limit is reached.
//!
//! The main worker keeps the time and reports. Helpers run the same loop silently, skip the
//! iterations that their stagger scheme names, and ignore the depth limit. The result of a worker
//! is that of its last completed iteration, or a better move that raised alpha in an aborted one. The
//! score of the main worker may then be a bound. A score of an aborted iteration bounds that of the
//! position from below only, so it never proves a loss. Several lines (MultiPV) are all of the last
//! completed iteration.

use std::cmp::Reverse;

use super::relay;
use crate::search::context::{Search, Stopped};
use crate::search::driver_kind::Driver;
use crate::search::heuristics::aspiration::Aspiration;
use crate::search::job::IterationResult;
use crate::search::root_moves::{RootMove, RootResult, bring_to_front};
use crate::search::switches::{Toggles, on};
use crate::search::time::RootStability;
use crate::types::{Bound, Depth, Score, Window};

/// Failed aspiration windows are reported only after this time. Units: seconds.
const BOUNDS_AFTER_SECONDS: u64 = 3;

/// The first depth without iterative deepening and without an earlier search. Any search completes
/// it in little time.
const DEPTH_WITHOUT_DEEPENING: Depth = Depth(4);

impl<T: Toggles> Search<'_, T> {
    /// Deepens until a limit is reached or the search is stopped.
    pub(in crate::search) fn deepen(&mut self) {
        let lines = self.job.multipv;
        let last = match self.job.limits.depth {
            Some(depth) if self.is_main() => depth.min(Depth::MAX),
            _ => Depth::MAX,
        };
        let mut stability = RootStability::default();
        let mut depth = self.first_depth(last);
        while depth <= last && !self.worker.root_moves.is_empty() {
            depth = depth.max(self.least_depth()).min(last);
            let occupancy = || self.job.occupancy(self.worker.id, depth);
            if self.job.teamwork.stagger.skips(self.worker.id, depth, occupancy) {
                depth += 1;
                continue;
            }
            let offset = self.job.teamwork.stagger.depth_offset(self.worker.id);
            self.worker.iteration = (depth + offset).min(Depth::MAX);
            self.job.counters[self.worker.id].0.begin(self.worker.iteration);
            for root_move in &mut self.worker.root_moves {
                root_move.previous = root_move.current.clone();
            }
            if self.iterate_lines(lines) == Err(Stopped) {
                return;
            }
            self.worker.completed = self.worker.iteration;
            self.publish_result();
            if self.is_main() {
                // The limits of nodes, and the clock that counts them, read the published counts.
                self.publish_counts();
                self.open_node_budget();
                self.report_lines(lines);
                stability.note(self.toggles, &self.worker.root_moves);
                if self.is_time_to_stop(&stability) {
                    return;
                }
            } else if self.tells_mate() {
                return;
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
            if let Err(stopped) = self.iterate(first) {
                self.finish_aborted_iteration(first);
                return Err(stopped);
            }
        }
        Ok(())
    }

    /// Searches one line of one iteration, with as many aspiration windows as it takes.
    fn iterate(&mut self, first: usize) -> Result<(), Stopped> {
        let depth = self.worker.iteration;
        let guess = self.expected_score(first);
        match self.job.driver {
            Driver::Negamax => {
                self.root(Window::FULL, depth, first)?;
            }
            Driver::Mtd(sequence) => {
                self.mtd(sequence, guess.unwrap_or(Score::DRAW), depth, first)?;
            }
            Driver::AlphaBeta | Driver::Pvs => {
                let mut aspiration = Aspiration::around(self.toggles, guess, depth);
                loop {
                    let window = aspiration.window();
                    let score = self.root(window, depth, first)?;
                    self.sort_root_moves(first);
                    if !aspiration.widen(score) {
                        break;
                    }
                    self.keep_lower_bound(first);
                    if self.is_main() && self.job.elapsed().as_secs() >= BOUNDS_AFTER_SECONDS {
                        let bound = Bound::of(score, window);
                        let line = &self.worker.root_moves[first];
                        self.report_line(first, &RootResult { score, bound, ..line.current.clone() });
                    }
                }
            }
        }
        self.sort_root_moves(0);
        Ok(())
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
            best.previous = best.current.clone();
        }
    }

    /// Completes the root moves of an aborted iteration: results it has found count, the rest come
    /// from the last one. Each result keeps the depth of the iteration that found it.
    fn finish_aborted_iteration(&mut self, first: usize) {
        if self.job.multipv > 1 && self.return_to_completed_lines() {
            return;
        }
        self.sort_root_moves(first);
        let (iteration, has_relay) = (self.worker.iteration, self.has_relay());
        let root_moves = &mut self.worker.root_moves;
        for root_move in &mut root_moves[first..] {
            if !root_move.current.is_searched() {
                root_move.current = root_move.previous.clone();
            }
        }
        if has_relay {
            relay::restore_completed_move(root_moves, iteration);
        }
        if first == 0 {
            avoid_unproven_loss(root_moves, iteration);
        }
        if self.job.multipv > 1 {
            root_moves[1..].sort_by_key(|line| Reverse((line.rank, line.current.score)));
        }
    }

    /// Returns to the lines of the last completed iteration, which this worker has published. Returns
    /// whether it did: it does not in the first iteration, nor if the aborted iteration has proved that
    /// the first line loses.
    fn return_to_completed_lines(&mut self) -> bool {
        let Some(IterationResult { lines, .. }) = self.job.results.result_of(self.worker.id) else {
            return false;
        };
        let is_refuted = |line: &RootMove| {
            !line.is_lost && self.worker.root_moves.iter().any(|own| own.mv == line.mv && own.is_lost)
        };
        if lines.first().is_none_or(is_refuted) {
            return false;
        }
        for line in lines.iter().rev() {
            self.worker.adopt(line);
        }
        true
    }

    /// Reports the best `lines` moves of a completed iteration.
    fn report_lines(&self, lines: usize) {
        for index in 0..lines {
            self.report_line(index, &self.worker.root_moves[index].current);
        }
    }

    /// Reports the line at `index` of the root moves with the result `found`.
    fn report_line(&self, index: usize, found: &RootResult) {
        self.publish_counts();
        self.job.report(index, &self.worker.root_moves[index], found, self.worker.tally);
    }
}

/// Replaces a first move that an aborted iteration has proved to lose: another move of its rank may
/// not lose, or may lose later. There is at least one move.
///
/// The best move not proved to lose comes first. Without a score of its own it gets the score of the last
/// completed iteration as an upper bound. In the first iteration the score of the lost move is a lower
/// bound of the position. If all moves lose, the result of the last completed iteration returns.
fn avoid_unproven_loss(root_moves: &mut [RootMove], iteration: Depth) {
    let RootMove { rank, is_lost, ref current, .. } = root_moves[0];
    let is_completed_loss = current.depth < iteration && current.score.is_lost();
    if !is_lost || is_completed_loss {
        return;
    }
    // By the tables all moves of the rank lose. Others may lose later, which the search has not found so far.
    if root_moves[0].tb_score.is_some_and(Score::is_lost) {
        root_moves[0].current.bound = Bound::Lower;
        return;
    }
    let lost = RootResult::without_line(current.score, Bound::Lower, iteration);
    let equals = root_moves.iter().take_while(|root_move| root_move.rank == rank);
    let completed = equals.map(|root_move| &root_move.previous).max_by_key(|previous| previous.score);
    let known = completed
        .filter(|completed| completed.is_searched())
        .map(|completed| RootResult::without_line(completed.score, Bound::Upper, completed.depth));
    let is_open =
        bring_to_front(root_moves, |root_move| (!root_move.is_lost).then_some(root_move.current.score));
    let best = &mut root_moves[0];
    if is_open {
        match known {
            None => best.current = lost,
            Some(known) if !best.current.is_searched() => best.current = known,
            Some(_) => {}
        }
    } else if known.is_none() {
        best.current.bound = Bound::Lower;
    } else {
        bring_to_front(root_moves, |root_move| Some(root_move.previous.score));
        root_moves[0].current = root_moves[0].previous.clone();
    }
}

#[cfg(test)]
mod tests;
