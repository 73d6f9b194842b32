//! Updates of killers, counter-moves and histories after a node.

use arrayvec::ArrayVec;

use crate::position::Position;
use crate::search::context::Search;
use crate::search::heuristics::history::context::{Cutoff, HistoryContext, LastMove, PLIES_BACK};
use crate::search::picker::Refutations;
use crate::search::switches::{Toggles, on};
use crate::types::{Depth, Move, Ply};

impl<T: Toggles> Search<'_, T> {
    /// Returns the killers and the counter-move of a ply, as far as they are switched on.
    #[inline]
    pub(super) fn refutations(&self, ply: Ply) -> Refutations {
        let worker = &self.worker;
        let killers = if on!(self.toggles, Killers) { worker.stack[ply].killers.0 } else { [None; 2] };
        let counter = if on!(self.toggles, CounterMoves) {
            worker.counter_moves.reply(worker.stack.before(ply, 1).piece_to)
        } else {
            None
        };
        [killers[0], killers[1], counter]
    }

    /// Updates killers, counter-moves and histories after a cutoff. Learning from exact nodes and
    /// from the root as well cost strength: see `results/history.md`, "Changes tried".
    #[inline]
    pub(super) fn learn_cutoff(
        &mut self,
        position: &Position,
        context: &HistoryContext,
        mv: Move,
        tried: &TriedMoves,
        depth: Depth,
        ply: Ply,
    ) {
        let worker = &mut *self.worker;
        if !position.is_noisy(mv) {
            if on!(self.toggles, Killers) {
                worker.stack[ply].killers.add(mv);
            }
            if on!(self.toggles, CounterMoves) {
                let refuted = worker.stack.before(ply, 1).piece_to;
                worker.counter_moves.add(refuted, mv);
            }
        }
        let cutoff = Cutoff { best: mv, quiets: &tried.quiets, captures: &tried.captures, depth };
        self.histories.learn_cutoff(self.toggles, position, context, cutoff);
    }

    /// Rewards or penalizes the quiet move that led to a node by how much it improved the static
    /// evaluation.
    #[inline]
    pub(super) fn learn_from_eval(&mut self, position: &Position, ply: Ply) {
        let stack = &self.worker.stack;
        let evals = stack[ply].static_eval.zip(stack.before(ply, 1).static_eval);
        if on!(self.toggles, EvalHistory)
            && let Some((here, there)) = evals
            && let Some(last) = self.last_quiet(position, ply)
        {
            self.histories.learn_from_eval(self.toggles, &last, -(here.0 + there.0));
        }
    }

    /// Rewards the quiet move that led to a node that failed low.
    pub(super) fn learn_fail_low(&mut self, position: &Position, depth: Depth, ply: Ply) {
        if let Some(last) = self.last_quiet(position, ply) {
            self.histories.learn_fail_low(self.toggles, &last, depth);
        }
    }

    /// Returns the move that led here if it was quiet.
    pub(super) fn last_quiet(&self, position: &Position, ply: Ply) -> Option<LastMove> {
        let stack = &self.worker.stack;
        let parent = stack.before(ply, 1);
        let mv = parent.current.filter(|mv| parent.capture.is_none() && mv.promotion().is_none())?;
        Some(LastMove {
            mover: !position.side_to_move(),
            mv,
            piece_to: parent.piece_to,
            threats: parent.threats,
            before: PLIES_BACK.map(|back| stack.before(ply, back + 1).piece_to),
        })
    }
}

/// The capacity of each list of [`TriedMoves`].
const MAX_TRIED: usize = 32;

/// The moves searched before a cutoff, for the malus. Moves beyond the capacity are dropped.
#[derive(Default)]
pub(super) struct TriedMoves {
    pub(super) quiets: ArrayVec<Move, MAX_TRIED>,
    pub(super) captures: ArrayVec<Move, MAX_TRIED>,
}

impl TriedMoves {
    #[inline]
    pub(super) fn push(&mut self, mv: Move, is_quiet: bool) {
        let moves = if is_quiet { &mut self.quiets } else { &mut self.captures };
        if !moves.is_full() {
            moves.push(mv);
        }
    }
}
