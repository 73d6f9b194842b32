//! Principal variation search: the node function that plays, steps 1 to 10. The moves follow in
//! `moves`.
//!
//! Each step calls one heuristic. The rationale of a heuristic is in its own file under
//! `heuristics`; this file decides the order of the steps.

use crate::position::Position;
use crate::search::context::{Search, Stopped};
use crate::search::draw;
use crate::search::heuristics::experimental::{check_extension, mate_threat};
use crate::search::heuristics::singular::SingularResult;
use crate::search::heuristics::{internal_iterative_reduction, mate_distance};
use crate::search::node_types::{NodeContext, NodeKind};
use crate::search::switches::{Toggles, on};
use crate::tt::Record;
use crate::types::{Depth, MAX_PLY, Ply, Score, Window};

impl<T: Toggles> Search<'_, T> {
    /// Returns the score of the node if it lies inside the window, otherwise a bound on it
    /// (fail-soft). `is_cut` says that a cutoff is expected: the node is neither on the principal variation nor one
    /// whose moves must all fail low.
    pub(in crate::search) fn node<N: NodeKind>(
        &mut self,
        position: &Position,
        window: Window,
        depth: Depth,
        ply: Ply,
        is_cut: bool,
    ) -> Result<Score, Stopped> {
        if N::IS_PV {
            self.worker.stack.line(ply).clear();
        }

        // 1. Check extension. Re-entries for the same node pass the depth before it.
        let extended = depth + self.check_extension(position, ply);

        // 2. Leaf: quiescence search.
        if extended <= Depth::ZERO || ply.index() >= MAX_PLY {
            return self.leaf::<N>(position, window, ply);
        }

        // 3. Upcoming repetition: the score is at least a draw.
        if self.can_repeat_above_alpha(position, window, ply) {
            return self.search_above_draw(window, |search, above| {
                search.node::<N>(position, above, depth, ply, is_cut)
            });
        }
        self.enter_node(ply)?;

        // 4. Draws by rule, and mate distance pruning.
        if let Some(score) = draw::at_node(position, &self.worker.keys, ply) {
            return Ok(score);
        }
        let window = if on!(self.toggles, MateDistance) { mate_distance::clip(window, ply) } else { window };
        if window.alpha >= window.beta {
            return Ok(window.alpha);
        }

        // 5. TT probe and cutoff. No cutoff in PV nodes, which would cut the line short.
        let record = self.probe(position, ply);
        let tt_move = self.tt_move(position, record);
        if !N::IS_PV
            && let Some(score) = self.tt_or_enhanced_cutoff(position, record, window, extended, ply)
        {
            return Ok(self.returned(score, window));
        }

        if let Some(mv) = tt_move {
            self.prefetch(position, mv);
        }

        // 6. Tablebase probe.
        if self.job.tb_config.max_pieces != 0
            && let Some(score) = self.probe_tb::<N>(position, window, depth, ply, is_cut)?
        {
            return Ok(score);
        }

        // 7. Static evaluation and correction. The evaluation judges the move that led here, and goes
        // into the TT.
        let mut node = self.assess::<N>(position, record, tt_move, extended, ply, is_cut);
        self.learn_from_eval(position, ply);
        if let Some(raw) = node.raw_eval.filter(|_| record.is_none()) {
            self.store_eval(position, raw, N::IS_PV);
        }

        // 8. Pruning of the whole node.
        if !N::IS_PV
            && let Some(score) = self.prune_node(position, &node, window, record, ply)?
        {
            return Ok(self.returned(score, window));
        }
        node.depth += self.mate_threat_extension(ply);
        node.is_improving |= self.improves_above_beta(&node, window.beta);

        // 9. Internal iterative reduction.
        if on!(self.toggles, InternalIterativeReduction) {
            node.depth = node.depth - internal_iterative_reduction::plies(self.toggles, &node);
        }

        // 10. Singular extension of the TT move, or multicut.
        match self.singular_extension(position, &mut node, window.beta, record, ply)? {
            SingularResult::Extend(plies) => self.moves::<N>(position, window, node, ply, plies, None),
            SingularResult::Cut(score) => Ok(self.returned(score, window)),
        }
    }

    /// Whether a node counts as improving because its static evaluation is a cutoff already.
    #[inline]
    fn improves_above_beta(&self, node: &NodeContext, beta: Score) -> bool {
        on!(self.toggles, ImprovingAboveBeta)
            && on!(self.toggles, Improving)
            && node.static_eval.is_some_and(|eval| eval >= beta)
    }

    /// Returns the check extension of a node. Units: plies.
    #[inline]
    pub(super) fn check_extension(&self, position: &Position, ply: Ply) -> i32 {
        if on!(self.toggles, CheckExtension) {
            check_extension::plies(self.toggles, position.is_check(), ply, self.worker.iteration)
        } else {
            0
        }
    }

    /// Returns the extension of a node in which the null move has shown a threat of mate. Units:
    /// plies.
    #[inline]
    fn mate_threat_extension(&self, ply: Ply) -> i32 {
        let is_threatened = self.worker.stack[ply].is_mate_threatened;
        if on!(self.toggles, MateThreatExtension) && is_threatened {
            mate_threat::plies(self.toggles, ply, self.worker.iteration)
        } else {
            0
        }
    }

    /// Returns the score of a node cut off by its own TT entry, or by that of a child (enhanced
    /// cutoff).
    #[inline]
    fn tt_or_enhanced_cutoff(
        &self,
        position: &Position,
        record: Option<Record>,
        window: Window,
        depth: Depth,
        ply: Ply,
    ) -> Option<Score> {
        if let Some(score) = record.and_then(|record| self.tt_cutoff(&record, window, depth)) {
            return Some(score);
        }
        if on!(self.toggles, EnhancedCutoff) {
            return self.enhanced_cutoff(position, window.beta, depth, ply);
        }
        None
    }
}
