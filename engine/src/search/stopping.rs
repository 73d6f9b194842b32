//! The checks that end a search: between nodes `stop`, node limits, the deadline and a mate that a
//! helper has found; between iterations the soft limit, a mate that was asked for, and a soft node
//! limit.

use std::time::Duration;

use super::context::{Search, Stopped};
use super::events::Event;
use super::job::IterationResult;
use super::switches::Toggles;
use super::time::{self, Deadline, RootStability, Signals};
use super::worker::PROGRESS_INTERVAL;
use crate::sync::atomic::Ordering;
use crate::threads::node_budget::NodeBudget;
use crate::types::{Depth, Nodes, Permille, Ply};

/// Nodes between two polls.
const POLL_INTERVAL: u64 = 1024;
/// The shortest interval where a clock counts nodes. In lockstep the workers may pass its hard limit by
/// this much each, otherwise by up to [`POLL_INTERVAL`].
const LEAST_POLL_INTERVAL: u64 = 64;
/// The node count up to which the first iteration is completed regardless of the clock. It is also
/// the part of a node limit that is kept for that iteration. A few hundred nodes are usual, but with
/// nine queens a side the captures never end.
pub(crate) const FIRST_ITERATION_NODES: Nodes = Nodes(5_000);

impl<T: Toggles> Search<'_, T> {
    /// Counts a node.
    ///
    /// Errors: the search is over.
    #[inline]
    pub(crate) fn enter_node(&mut self, ply: Ply) -> Result<(), Stopped> {
        if self.worker.nodes >= self.worker.poll_at {
            self.poll()?;
        }
        if self.job.control.should_stop() && !self.must_finish_first_iteration() {
            return Err(Stopped);
        }
        self.worker.nodes += 1;
        self.worker.seldepth = self.worker.seldepth.max(ply.0);
        Ok(())
    }

    /// Publishes the worker's node count and tablebase hits.
    pub(crate) fn publish_counts(&self) {
        self.job.publish(self.worker.id, self.worker.nodes, self.worker.tb_hits);
    }

    /// Gives back the nodes that the worker has reserved and will not visit.
    pub(crate) fn give_back_nodes(&mut self) {
        if let Some(budget) = &self.job.node_budget {
            budget.give_back(self.worker.poll_at - self.worker.nodes);
            self.worker.poll_at = self.worker.nodes;
        }
        self.open_node_budget();
    }

    /// Lets the helpers use the nodes kept for the main worker, which has completed an iteration or is
    /// finished.
    pub(crate) fn open_node_budget(&self) {
        if let Some(budget) = self.job.node_budget.as_ref().filter(|_| self.is_main()) {
            budget.open();
        }
    }

    /// Reserves up to `most` nodes of the node limit. Returns zero if none are left. For a helper there
    /// are none while those left are kept for the main worker: waiting would take its processor. In
    /// lockstep the helper waits for its turns.
    fn reserve_nodes(&self, budget: &NodeBudget, most: u64) -> u64 {
        if self.is_main() {
            return budget.reserve(most);
        }
        loop {
            if let Some(reserved) = budget.reserve_as_helper(most) {
                return reserved;
            }
            let Some(lockstep) = self.job.lockstep.as_ref().filter(|_| !self.job.control.should_stop())
            else {
                return 0;
            };
            lockstep.yield_turn(self.worker.id);
        }
    }

    /// Publishes the worker's result, for the vote and the relay.
    pub(crate) fn publish_result(&mut self) {
        let since = self.worker.best_since();
        let worker = &*self.worker;
        let lines = worker.root_moves.iter().take(self.job.multipv).cloned().collect();
        let ballot = worker.ballot();
        let depth = ballot.map_or(Depth::ZERO, |ballot| ballot.depth);
        let result = IterationResult { depth, lines, since, nodes: Nodes(worker.nodes) };
        self.job.results.post(worker.id, ballot, result);
    }

    /// Whether the main worker must go on although the search was stopped: `go` is always answered
    /// with a searched move. A node limit ends it all the same, in [`Self::poll`].
    #[cold]
    fn must_finish_first_iteration(&self) -> bool {
        self.is_main() && self.worker.completed == Depth::ZERO && self.worker.nodes < FIRST_ITERATION_NODES.0
    }

    /// Reports the counts so far, once a second. An iteration may take minutes, and its line comes last.
    fn report_progress(&mut self) {
        let elapsed = self.job.elapsed();
        if elapsed >= self.worker.progress_at && self.job.sink.wants_reports() {
            self.worker.progress_at = elapsed + PROGRESS_INTERVAL;
            self.job.sink.event(&Event::Progress(self.job.progress()));
        }
    }

    /// Publishes the node count, and checks the node limit and the deadline.
    #[cold]
    #[inline(never)]
    fn poll(&mut self) -> Result<(), Stopped> {
        let nodes = self.worker.nodes;
        self.publish_counts();
        // Reading a clock is the main worker's task. A deadline in nodes costs a helper nothing to check,
        // and holds while the main thread is off the processor.
        let is_in_nodes = matches!(self.job.deadline, Some(Deadline::After(_)));
        if (self.is_main() || is_in_nodes) && self.job.is_overdue() {
            self.job.control.stop();
        }
        if self.is_main() {
            self.report_progress();
            // The main worker ends for good, but the search only once its hold is released.
            if self.worker.completed > Depth::ZERO && self.job.is_mate_found.load(Ordering::Acquire) {
                return Err(Stopped);
            }
        }
        let interval =
            self.job.lockstep.as_ref().map_or(POLL_INTERVAL, |lockstep| lockstep.turn_length().get());
        if let Some(lockstep) = self.job.lockstep.as_ref().filter(|_| nodes > 0) {
            lockstep.yield_turn(self.worker.id);
        }
        self.worker.poll_at = nodes + interval;
        if let Some(Deadline::After(Nodes(last))) = self.job.deadline {
            // Each running worker takes its share of the rest, so that together they meet the limit.
            let running = if self.job.lockstep.is_some() { 1 } else { self.job.counters.len() as u64 };
            let left = last.saturating_sub(self.job.nodes().0) / running;
            self.worker.poll_at = nodes + left.clamp(LEAST_POLL_INTERVAL.min(interval), interval);
        }
        if let Some(budget) = &self.job.node_budget {
            let reserved = self.reserve_nodes(budget, self.worker.poll_at - nodes);
            self.worker.poll_at = nodes + reserved;
            if reserved == 0 {
                // Only this worker stops: `control.stop()` would also release a search that is held by
                // `infinite` or `ponder`.
                return Err(Stopped);
            }
        }
        Ok(())
    }

    /// Whether the main worker may stop after a completed iteration.
    pub(crate) fn is_time_to_stop(&self, stability: &RootStability) -> bool {
        let limits = &self.job.limits;
        // A mate within the limit, for either side, ends the search.
        if self.mate_asked_for().is_some() {
            return true;
        }
        if limits.soft_nodes.is_some_and(|soft| self.job.nodes() >= soft) {
            return true;
        }
        let Some(budget) = self.job.budget else { return false };
        let has_no_choice = self.worker.root_moves.len() == 1 || self.job.tb_config.is_mate_distance_known;
        let is_forced = has_no_choice && !self.job.is_analysis;
        let limit = if is_forced {
            Duration::ZERO
        } else {
            let signals = Signals { disagreement: self.disagreement(), ..stability.signals() };
            time::soft_limit(self.toggles, budget, signals)
        };
        // Also set while pondering, for a ponder hit to compare with. One that comes at this moment
        // may take effect after the next iteration.
        self.job.soft_limit.set(limit);
        !self.job.control.is_pondering() && self.job.spent() >= limit
    }

    /// Returns the mate that this worker has found, if it is within the limit of `go mate`. Units:
    /// moves, negative for a loss.
    fn mate_asked_for(&self) -> Option<i32> {
        let best = self.worker.root_moves.first()?;
        let found = best.reported_score(best.current.score, best.current.bound).0.mate_moves()?;
        (found.unsigned_abs() <= self.job.limits.mate?).then_some(found)
    }

    /// Whether a helper has found the mate that was asked for, as the winner. It then ends the search,
    /// because its move wins every vote. A loss that a helper finds does not.
    pub(crate) fn tells_mate(&self) -> bool {
        let has_told = self.job.is_decided_by_vote() && self.mate_asked_for().is_some_and(|moves| moves > 0);
        if has_told {
            self.job.is_mate_found.store(true, Ordering::Release);
        }
        has_told
    }

    /// Returns the share of helpers that prefer another move than the main worker.
    pub(crate) fn disagreement(&self) -> Permille {
        let best = self.worker.root_moves[0].mv;
        if !self.job.teamwork.agreed_stop {
            return Permille(0);
        }
        let helpers = (1..self.job.counters.len()).filter_map(|helper| self.job.results.ballot_of(helper));
        let (others, all) = helpers
            .filter(|ballot| ballot.depth > Depth::ZERO)
            .fold((0, 0), |(others, all), ballot| (others + usize::from(ballot.mv != best), all + 1));
        Permille((others * 1000 / all.max(1)) as u16)
    }
}
