//! Node counting, and the checks that end a search: `stop`, node limits, the deadline and a
//! completed relay.

use super::context::{Search, Stopped};
use super::job::{Deadline, IterationResult};
use super::switches::Toggles;
use crate::types::{Depth, Nodes, Ply};

/// Nodes between two polls.
const POLL_INTERVAL: u64 = 1024;
/// The shortest interval where many workers watch a node limit, since each poll reads every
/// worker's counter.
const LEAST_POLL_INTERVAL: u64 = 64;
/// The node count up to which the first iteration is completed regardless of the clock. A few
/// hundred nodes are usual, but with nine queens a side the captures never end.
const FIRST_ITERATION_NODES: u64 = 5_000;

impl<T: Toggles> Search<'_, T> {
    /// Counts a node.
    ///
    /// Errors: the search is over, or another worker has completed the iteration.
    #[inline]
    pub(crate) fn enter_node(&mut self, ply: Ply) -> Result<(), Stopped> {
        if self.worker.nodes >= self.worker.poll_at {
            self.poll()?;
        }
        if self.job.control.should_stop() && !self.must_finish_first_iteration() {
            return Err(Stopped::ForGood);
        }
        self.worker.nodes += 1;
        self.worker.seldepth = self.worker.seldepth.max(ply.0);
        Ok(())
    }

    /// Publishes the worker's node count and tablebase hits.
    pub(crate) fn publish_counts(&self) {
        self.job.counters[self.worker.id].set(self.worker.nodes, self.worker.table_hits);
    }

    /// Publishes the worker's result, for the vote and the relay.
    pub(crate) fn publish_result(&self) {
        let worker = &*self.worker;
        let lines = worker.root_moves.iter().take(self.job.multipv).cloned().collect();
        let result = IterationResult { ballot: worker.ballot(), lines };
        self.job.results.post(worker.id, worker.completed, result);
    }

    /// Whether the main worker must go on although the search was stopped: `go` is always answered
    /// with a searched move.
    #[cold]
    fn must_finish_first_iteration(&self) -> bool {
        let is_out_of_nodes = self.job.limits.nodes.is_some_and(|limit| self.job.nodes() >= limit);
        self.is_main()
            && self.worker.completed == Depth::ZERO
            && self.worker.nodes < FIRST_ITERATION_NODES
            && !is_out_of_nodes
    }

    /// Returns the depth that a relay has completed, at least this worker's, and the worker that
    /// completed it.
    pub(crate) fn relay_completed(&self) -> Option<(Depth, usize)> {
        self.job.results.completed(self.worker.iteration).filter(|_| self.job.multipv == 1)
    }

    /// Publishes the node count, and checks the node limit, the deadline and the relay.
    #[cold]
    #[inline(never)]
    fn poll(&mut self) -> Result<(), Stopped> {
        let nodes = self.worker.nodes;
        self.publish_counts();
        if self.is_main() && self.job.is_overdue() {
            self.job.control.stop();
        }
        let interval =
            self.job.lockstep.as_ref().map_or(POLL_INTERVAL, |lockstep| lockstep.turn_length().get());
        if let Some(lockstep) = self.job.lockstep.as_ref().filter(|_| nodes > 0) {
            lockstep.yield_turn(self.worker.id);
        }
        self.worker.poll_at = nodes + interval;
        if let Some(Deadline::After(Nodes(last))) = self.job.deadline {
            // Poll more often as the end comes near.
            let left = last.saturating_sub(self.job.nodes().0);
            self.worker.poll_at = nodes + left.clamp(LEAST_POLL_INTERVAL.min(interval), interval);
        }
        if let Some(Nodes(limit)) = self.job.limits.nodes {
            let total = self.job.nodes().0;
            if total >= limit {
                // Only this worker stops. A search held by `infinite` or `ponder` may not report
                // yet, and a main worker waiting for its turn must not leave the others running.
                return Err(Stopped::ForGood);
            }
            // The workers share the remaining nodes in small batches. They overshoot by at most one
            // batch for each other worker's unpublished nodes. Alone, or during its turn, a worker
            // meets the limit exactly.
            let is_alone = self.job.lockstep.is_some();
            let threads = if is_alone { 1 } else { self.job.counters.len() as u64 };
            let batch = (interval / threads).max(LEAST_POLL_INTERVAL.min(interval));
            self.worker.poll_at = nodes + (limit - total).div_ceil(threads).min(batch);
        }
        if self.relay_completed().is_some() {
            return Err(Stopped::Overtaken);
        }
        Ok(())
    }
}
