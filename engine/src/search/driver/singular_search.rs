//! The singular search: does any other move come near the TT move?

use crate::position::Position;
use crate::search::context::{Search, Stopped};
use crate::search::heuristics::singular::{self, SingularResult};
use crate::search::node_types::{NodeContext, NonPv};
use crate::search::switches::{Toggles, on};
use crate::tt::Record;
use crate::types::{Move, Ply, Score, Window};

impl<T: Toggles> Search<'_, T> {
    /// Returns the extension of the TT move, or the score of a multicut.
    #[inline]
    pub(super) fn singular_extension(
        &mut self,
        position: &Position,
        node: &NodeContext,
        beta: Score,
        record: Option<Record>,
        ply: Ply,
    ) -> Result<SingularResult, Stopped> {
        if on!(self.toggles, SingularExtension)
            && let (Some(mv), Some(record)) = (node.tt_move, record)
            && let Some(plan) = singular::plan(self.toggles, node, &record, ply, self.worker.iteration)
        {
            let score = self.search_excluding(position, node, plan, ply, mv)?;
            let double_extensions = self.worker.stack[ply].double_extensions;
            return Ok(singular::result(self.toggles, node, plan, score, beta, double_extensions));
        }
        Ok(SingularResult::Extend(0))
    }

    /// Searches the moves of the node again, without `excluded`.
    ///
    /// This is a node of its own: it counts one, extends checks, and probes the TT again, since
    /// pruning may have replaced the entry. It keeps the static evaluation in the frame, and is
    /// never pruned as a whole.
    fn search_excluding(
        &mut self,
        position: &Position,
        node: &NodeContext,
        plan: singular::Plan,
        ply: Ply,
        excluded: Move,
    ) -> Result<Score, Stopped> {
        let depth = plan.depth + self.check_extension(position, ply);
        self.enter_node(ply)?;
        let record = self.probe(position, ply);
        let tt_move = self.tt_move(position, record);
        let again = NodeContext {
            correction: self.correction(position, ply),
            ..self.node_context::<NonPv>(position, record, tt_move, depth, ply, node.is_cut)
        };
        self.moves::<NonPv>(position, Window::null_below(plan.beta), again, ply, 0, Some(excluded))
    }
}
