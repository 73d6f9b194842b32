//! Options of the lab by which the threads of a team exchange more about a node than its table entry. All are off
//! in play and have no effect on one thread.

use crate::position::Position;
use crate::search::context::Search;
use crate::search::node_types::{NodeContext, NodeKind};
use crate::search::switches::Toggles;
use crate::tt::Record;
use crate::types::{Bound, Depth, Move, Ply, Score};

/// The reduction that a move loses which another thread had to search again. Units: 1/1024 ply.
const RESEARCHED: i32 = 1024;

impl<T: Toggles> Search<'_, T> {
    /// Returns what this worker adds to the reduction of the move to `child`, which would be searched at
    /// `full` depth. Units: 1/1024 ply.
    #[inline]
    pub(super) fn team_reduction(&self, child: &Position, full: Depth) -> i32 {
        let noise = self.reduction_noise();
        if !T::IS_LAB {
            return noise;
        }
        let teamwork = &self.job.teamwork;
        let of_group = if self.job.shared_tables.is_in_even_group(self.worker.id) {
            i32::from(teamwork.group_reduction)
        } else {
            0
        };
        let was_searched_again = teamwork.shares_researches
            && self.agreement.is_some_and(|known| known.was_searched_again(child.key(), full));
        noise + of_group - if was_searched_again { RESEARCHED } else { 0 }
    }

    /// Tells the group that the move to `child` had to be searched again after a reduced search.
    #[inline]
    pub(super) fn share_research(&self, child: &Position, full: Depth) {
        if T::IS_LAB
            && self.job.teamwork.shares_researches
            && let Some(known) = self.agreement
        {
            known.note_searched_again(child.key(), full);
        }
    }

    /// Returns the number of cutoffs among the children of a node and of its siblings, or among those that
    /// another thread of the group has found below the same position.
    #[inline]
    pub(super) fn cutoffs_below(&self, position: &Position, depth: Depth, ply: Ply) -> u8 {
        let own = self.worker.stack[ply.next()].cutoffs;
        if T::IS_LAB
            && self.job.teamwork.shares_cutoffs
            && let Some(known) = self.agreement
        {
            return own.max(known.cutoffs(position.key(), depth));
        }
        own
    }

    /// Tells the group the number of cutoffs below a node that has been searched.
    #[inline]
    pub(super) fn share_cutoffs(&self, position: &Position, depth: Depth, ply: Ply) {
        if T::IS_LAB
            && self.job.teamwork.shares_cutoffs
            && let Some(known) = self.agreement
        {
            known.note_cutoffs(position.key(), depth, self.worker.stack[ply.next()].cutoffs);
        }
    }

    /// Stores the score of a move that has raised alpha in a PV node, so that helpers need not wait for the
    /// rest of its moves. A singular search, which passes the TT move as `excluded`, stores nothing.
    ///
    /// Source: Reckless, since April 2026.
    #[inline]
    pub(super) fn share_bound<N: NodeKind>(
        &self,
        position: &Position,
        node: &NodeContext,
        (mv, score): (Move, Score),
        ply: Ply,
        excluded: Option<Move>,
    ) {
        let is_shared =
            T::IS_LAB && N::IS_PV && self.job.teamwork.shares_bounds && self.job.counters.len() > 1;
        if is_shared && excluded.is_none() {
            let record = Record {
                mv: Some(mv),
                score: score.to_tt(ply),
                static_eval: node.raw_eval,
                depth: node.depth,
                bound: Bound::Lower,
                is_pv: true,
            };
            self.store(position, record);
        }
    }
}
