//! Iterative deepening: depth after depth, until a limit says enough.
//!
//! The main worker keeps time and reports; helpers run the same loop silently, leave out the iterations that their
//! stagger tells them to, and go on past a depth limit until they are stopped. What a worker found is always that
//! of its last completed iteration, or better: a move that raised alpha in the iteration that was cut short.

use std::cmp::Reverse;
use std::time::Duration;

use super::Driver;
use crate::search::heuristics::aspiration::Aspiration;
use crate::search::switches::{Toggles, on};
use crate::search::timing::{self, Course};
use crate::search::worker::{Known, Search, Stopped};
use crate::time::Signals;
use crate::types::{Bound, Depth, Permille, Score, Window};

/// Failed windows are reported only after so many seconds; before that they are noise.
const BOUNDS_AFTER_SECONDS: u64 = 3;

/// So many workers in turn have windows of different widths, where they vary.
const WIDTHS: usize = 8;
/// From one width to the next. Units: centipawns.
const WIDTH_STEP: i32 = 2;

impl<T: Toggles> Search<'_, T> {
    /// Deepens until stopped or done.
    pub(crate) fn deepen(&mut self) {
        let lines = self.job.multipv.clamp(1, self.worker.root_moves.len().max(1));
        let last = match self.job.limits.depth {
            Some(depth) if self.is_main() => depth.min(Depth::MAX),
            _ => Depth::MAX,
        };
        let mut course = Course::default();
        let mut depth = self.job.limits.first_depth.unwrap_or(Depth(1)).max(Depth(1));
        while depth <= last && !self.worker.root_moves.is_empty() {
            let crowd = self.job.crowd(self.worker.id, depth);
            if self.job.teamwork.stagger.skips(self.worker.id, depth, crowd) {
                depth += 1;
                continue;
            }
            let offset = self.job.teamwork.stagger.depth_offset(self.worker.id);
            self.worker.iteration = (depth + offset).min(Depth::MAX);
            self.job.counters[self.worker.id].begin(self.worker.iteration);
            for root_move in &mut self.worker.root_moves {
                root_move.previous = Known { score: root_move.known.score, bound: Bound::Exact };
            }
            match self.iterate_lines(lines) {
                Ok(()) => {
                    self.worker.completed = self.worker.iteration;
                    self.job.publish(self.worker);
                }
                Err(Stopped::Overtaken) => depth = depth.max(self.take_over(last)),
                Err(Stopped::ForGood) => return,
            }
            if self.is_main() {
                self.report_lines(lines);
                course.note(&self.worker.root_moves);
                let signals = Signals { dissent: self.dissent(), ..course.signals() };
                if self.is_enough(signals) {
                    return;
                }
            }
            depth += 1;
        }
    }

    /// One iteration of all lines. Broken off, what it proved counts, and the rest is as the last one left it.
    fn iterate_lines(&mut self, lines: usize) -> Result<(), Stopped> {
        for first in 0..lines {
            if let Err(stopped) = self.iterate(self.worker.iteration, first) {
                self.settle(first);
                return Err(stopped);
            }
        }
        Ok(())
    }

    /// Another worker has completed the running iteration: what it found stands for what this one would have. `last` is
    /// the deepest iteration wanted; returns the one that is done now.
    ///
    /// A helper does not vote for what it has adopted: its ballot stays that of the last iteration it completed itself.
    fn take_over(&mut self, last: Depth) -> Depth {
        self.worker.unwind(self.job);
        let Some((depth, other)) = self.overtaken() else { return self.worker.iteration };
        for line in self.job.board.of(other).iter().flat_map(|findings| &findings.lines) {
            self.worker.adopt(line);
        }
        self.worker.iteration = depth.min(last);
        if self.is_main() {
            self.worker.completed = self.worker.iteration;
        }
        self.worker.iteration
    }

    /// One line of one iteration, with as many windows as it takes.
    fn iterate(&mut self, depth: Depth, first: usize) -> Result<(), Stopped> {
        let previous = self.worker.root_moves[first].previous;
        let guess = previous.is_something().then_some(previous.score);
        match self.job.driver {
            Driver::Negamax => {
                self.root(Window::FULL, depth, first)?;
            }
            Driver::Mtdf => {
                self.mtdf(guess.unwrap_or(Score::DRAW), depth, first)?;
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
                    reduced = if on!(self.toggles, AspirationReduction) && score >= window.beta {
                        // The move is good; by how much shows at less depth too.
                        (reduced - 1).max(Depth(1))
                    } else {
                        depth
                    };
                    self.keep_lower_bound(first);
                    if self.is_main() && self.job.elapsed().as_secs() >= BOUNDS_AFTER_SECONDS {
                        self.report_line(first, Known { score, bound: Bound::of(score, window) });
                    }
                }
            }
        }
        self.sort_root_moves(0);
        Ok(())
    }

    /// By how much this worker's windows are wider than those of the main worker. Units: centipawns.
    fn extra_width(&self) -> i32 {
        if self.job.teamwork.varies_windows { (self.worker.id % WIDTHS) as i32 * WIDTH_STEP } else { 0 }
    }

    /// Best first, by rank and then by score; moves that did not raise alpha keep their order.
    pub(super) fn sort_root_moves(&mut self, first: usize) {
        self.worker.root_moves[first..].sort_by_key(|root_move| {
            Reverse((root_move.rank, root_move.known.score, root_move.previous.score))
        });
    }

    /// A move that beat a window is the best so far; the next, wider window may be cut short before it says more.
    pub(super) fn keep_lower_bound(&mut self, first: usize) {
        let best = &mut self.worker.root_moves[first];
        if best.known.bound == Bound::Lower {
            best.previous = best.known;
        }
    }

    /// An iteration was cut short: what it proved counts, the rest is as the last iteration left it.
    fn settle(&mut self, first: usize) {
        self.sort_root_moves(first);
        for root_move in &mut self.worker.root_moves[first..] {
            if !root_move.known.is_something() {
                root_move.known = root_move.previous;
            }
        }
        // The best move stays; the other lines come from two iterations and are put in order of their scores.
        let lines = self.job.multipv.min(self.worker.root_moves.len());
        if lines > 1 {
            self.worker.root_moves[1..lines]
                .sort_by_key(|root_move| Reverse((root_move.rank, root_move.known.score)));
        }
    }

    /// May the main worker stop after a completed iteration?
    fn is_enough(&self, signals: Signals) -> bool {
        let limits = &self.job.limits;
        // A mate within the limit, by whichever side: there is nothing left to look for.
        let best = &self.worker.root_moves[0];
        let mate = best.told(best.known).score.mate_moves();
        if mate.zip(limits.mate).is_some_and(|(found, asked)| found.unsigned_abs() <= asked) {
            return true;
        }
        if limits.soft_nodes.is_some_and(|soft| self.job.nodes() >= soft) {
            return true;
        }
        let Some(budget) = self.job.budget else { return false };
        let has_no_choice = self.worker.root_moves.len() == 1 || self.job.consulted.is_settled;
        let is_forced = has_no_choice && !self.job.is_analysis;
        let limit =
            if is_forced { Duration::ZERO } else { timing::soft_limit(self.toggles, budget, signals) };
        // Told also while pondering: after the hit it counts at once.
        self.job.soft_limit.set(limit);
        !self.job.control.is_pondering() && self.job.spent() >= limit
    }

    /// The share of helpers that would play another move than the main worker.
    fn dissent(&self) -> Permille {
        let best = self.worker.root_moves[0].mv;
        if !self.job.teamwork.stops_by_agreement {
            return Permille(0);
        }
        let helpers = (1..self.job.counters.len()).filter_map(|helper| self.job.board.of(helper));
        let (others, all) = helpers
            .filter_map(|findings| findings.ballot)
            .filter(|ballot| ballot.depth > Depth::ZERO)
            .fold((0, 0), |(others, all), ballot| (others + usize::from(ballot.mv != best), all + 1));
        Permille((others * 1000 / all.max(1)) as u16)
    }

    /// Reports the best `lines` moves of a completed iteration.
    fn report_lines(&self, lines: usize) {
        for index in 0..lines {
            self.report_line(index, self.worker.root_moves[index].known);
        }
    }

    /// Reports the line at `index` of the root moves, and what is known of it.
    fn report_line(&self, index: usize, known: Known) {
        self.publish_counts();
        let line = &self.worker.root_moves[index];
        self.job.report(self.worker.iteration, index, line, known, self.worker.tally);
    }
}
