//! The relay: what a completed iteration of one thread changes in the next one of another.
//!
//! A thread that falls behind starts with the move and near the score of the thread with the deepest
//! completed iteration; with [`Relay::Ahead`] it also skips what another has completed. The results
//! are on the board of `threads::result_board`. A first move that came from another thread counts in an
//! aborted iteration only once it has raised alpha.

use crate::search::context::Search;
use crate::search::root_moves::{RootMove, bring_to_front};
use crate::search::switches::Toggles;
use crate::threads::result_board::Relay;
use crate::types::{Bound, Depth, Score};

impl<T: Toggles> Search<'_, T> {
    /// Returns the relay: none with several lines.
    fn relay(&self) -> Relay {
        if self.job.multipv == 1 { self.job.teamwork.relay } else { Relay::Off }
    }

    /// Whether there is a relay.
    pub(super) fn has_relay(&self) -> bool {
        self.relay() != Relay::Off
    }

    /// Returns the least depth of the next iteration: with [`Relay::Ahead`] the first that no thread
    /// has completed, except in the main worker's first iteration, which is to end soon.
    pub(super) fn least_depth(&self) -> Depth {
        let must_end_soon = self.is_main() && self.worker.completed == Depth::ZERO;
        if self.relay() != Relay::Ahead || must_end_soon {
            return Depth(1);
        }
        self.job.results.deepest_ballot().map_or(Depth(1), |ballot| ballot.depth + 1)
    }

    /// Returns the expected score of an iteration: that of the last one, unless the team knows
    /// better. In a relay, the move of a deeper thread comes to the front.
    pub(super) fn expected_score(&mut self, first: usize) -> Option<Score> {
        let previous = &self.worker.root_moves[first].previous;
        let own = previous.is_searched().then_some(previous.score);
        if !self.has_relay() {
            return own;
        }
        let Some(deepest) = self.job.results.deepest_ballot() else { return own };
        let is_ahead = deepest.depth > self.worker.completed;
        if is_ahead && self.worker.prefer(deepest.mv) { Some(deepest.score) } else { own }
    }
}

/// Moves the best move of the last completed iteration back to the front, if the relay has put
/// another move before it that has only failed low since. There is at least one move.
///
/// A first move with a lower bound of this iteration stays: it has raised alpha before it failed low
/// in a wider window.
pub(super) fn restore_completed_move(root_moves: &mut [RootMove], iteration: Depth) {
    let RootMove { current, previous, .. } = &root_moves[0];
    let has_raised_alpha = previous.bound == Bound::Lower && previous.depth == iteration;
    if current.bound == Bound::Upper && !has_raised_alpha {
        bring_to_front(root_moves, |root_move| Some(root_move.previous.score));
    }
}
