//! The root node: each move keeps its own score and line, and the driver searches the tree below
//! it.

use std::mem;

use super::play::ChildSearch;
use crate::position::Position;
use crate::search::context::{Search, Stopped};
use crate::search::driver_kind::Driver;
use crate::search::events::Event;
use crate::search::heuristics::correction_history::CorrectionKeys;
use crate::search::heuristics::history::context::HistoryContext;
use crate::search::heuristics::late_move_reductions::{self, LateMove, Reduced};
use crate::search::heuristics::piece_to::PieceTo;
use crate::search::node_types::{NodeContext, NonPv, Pv};
use crate::search::root_moves::{RootMove, RootResult};
use crate::search::switches::{Toggles, on};
use crate::types::{Bound, Depth, Move, Ply, Score, Window};

/// The node count before which the clock is not read at every root move, which would slow short
/// searches.
const CURRENT_MOVE_AFTER_NODES: u64 = 20_000;
/// The root move being searched is reported only after this time. Units: seconds.
const CURRENT_MOVE_AFTER_SECONDS: u64 = 3;

impl<T: Toggles> Search<'_, T> {
    /// Searches the root moves from `first` on that have the same tablebase rank as the first. The
    /// moves before are the better MultiPV lines. Returns the best score.
    pub(super) fn root(&mut self, window: Window, depth: Depth, first: usize) -> Result<Score, Stopped> {
        self.enter_node(Ply::ROOT)?;
        let position = *self.job.game.position();
        let node = self.root_context(&position, depth);
        let context = HistoryContext::of(&position, self.worker.stack.previous_moves(Ply::ROOT));
        let mut alpha = window.alpha;
        let mut best = -Score::INFINITE;
        let rank = self.worker.root_moves[first].rank;
        let equals =
            self.worker.root_moves[first..].iter_mut().take_while(|root_move| root_move.rank == rank);
        let mut last = first;
        for root_move in equals {
            let found = mem::replace(&mut root_move.current, RootResult::NONE);
            // An exact score that the move had while a better line was searched is newer than that of
            // the last iteration.
            if first > 0 && found.bound == Bound::Exact && found.depth == self.worker.iteration {
                root_move.previous = found;
            }
            last += 1;
        }
        let has_mate = |root_move: &RootMove| root_move.tb_score.is_some_and(Score::is_mate);
        let is_mixed = !self.worker.root_moves[first..last].iter().all(has_mate);
        self.worker.stack[Ply::ROOT].threats = context.threats;
        self.worker.keys.push(position.key());
        for index in first..last {
            let mv = self.worker.root_moves[index].mv;
            self.report_current_move(depth, mv, index + 1);
            self.prefetch(&position, mv);
            self.note_move(&position, mv, Ply::ROOT, 0);
            let mut child = position;
            child.play(mv);
            let inner = Window::new(alpha, window.beta);
            let next = Ply::ROOT.next();
            self.worker.stack.line(next).clear();
            self.worker.seldepth = 0;
            let full = depth - 1;
            let nodes = self.worker.nodes;
            // Of winning moves whose mates are not all known, only those with a shorter one are better.
            let known = self.worker.root_moves[index].tb_score;
            let known = known.filter(|&score| is_mixed && score.is_mate() && score > Score::DRAW);
            let score = match (known, self.job.driver) {
                (Some(known), _) => known,
                (None, Driver::Negamax) => -self.negamax(&child, full, next)?,
                (None, Driver::AlphaBeta) => -self.alphabeta(&child, -inner, full, next)?,
                (None, Driver::Pvs | Driver::Mtd(_)) => {
                    let searched = index - first;
                    let reduced = self.reduced_root_depth(&position, &child, &node, &context, mv, searched);
                    let request = ChildSearch { full, reduced, searched, parent_is_cut: false, best };
                    if window.is_null() {
                        self.search_child::<NonPv>(&child, inner, request, Ply::ROOT)?
                    } else {
                        self.search_child::<Pv>(&child, inner, request, Ply::ROOT)?
                    }
                }
            };
            // The other MultiPV lines do not show how clear the choice of the best move is.
            if first == 0 {
                self.worker.root_moves[index].nodes += self.worker.nodes - nodes;
            }
            self.worker.root_moves[index].is_lost = score.is_lost() && score < window.beta;
            // The first move's score is kept even when it fails low, so that an aborted search has
            // one.
            if index == first || score > alpha {
                self.worker.root_moves[index].current = RootResult {
                    score,
                    bound: Bound::of(score, window),
                    depth: self.worker.iteration,
                    seldepth: self.worker.seldepth,
                    replies: self.worker.stack.line(next).iter().collect(),
                };
            }
            best = best.max(score);
            if score > alpha {
                alpha = score;
                if score >= window.beta {
                    break;
                }
            }
        }
        self.worker.keys.pop();
        Ok(best)
    }

    /// Returns the facts about the root, and prepares its frame for the nodes below.
    fn root_context(&mut self, position: &Position, depth: Depth) -> NodeContext {
        let is_check = position.is_check();
        let static_eval = (!is_check).then(|| {
            let raw = self.evaluate(position, Ply::ROOT);
            let keys = CorrectionKeys::of(position, [PieceTo::NONE; 2]);
            self.corrected_eval(raw, self.corrections.correction(self.toggles, &keys), position)
        });
        let stack = &mut self.worker.stack;
        stack[Ply::ROOT].static_eval = static_eval;
        stack[Ply::ROOT].was_pv = true;
        stack[Ply::ROOT].double_extensions = 0;
        stack.after_mut(Ply::ROOT, 1).cutoffs = 0;
        stack.after_mut(Ply::ROOT, 2).cutoffs = 0;
        NodeContext {
            depth,
            is_pv: true,
            was_pv: true,
            is_improving: true,
            static_eval,
            eval: static_eval,
            ..NodeContext::default()
        }
    }

    /// Returns the depth of the first search of a root move.
    fn reduced_root_depth(
        &self,
        position: &Position,
        child: &Position,
        node: &NodeContext,
        context: &HistoryContext,
        mv: Move,
        searched: usize,
    ) -> Reduced {
        let full = node.depth - 1;
        if !on!(self.toggles, LateMoveReductions) {
            return Reduced::none(full, 0);
        }
        let is_quiet = !position.is_noisy(mv);
        let late = LateMove {
            searched,
            is_quiet,
            gives_check: child.is_check(),
            is_refutation: false,
            history: self.histories.move_score(self.toggles, position, context, mv, is_quiet),
            cutoffs: self.worker.stack[Ply::ROOT.next()].cutoffs,
            fraction: 0,
        };
        late_move_reductions::reduced_depth(self.toggles, node, late, full)
    }

    /// Reports the root move being searched, once the search takes long.
    fn report_current_move(&self, depth: Depth, mv: Move, number: usize) {
        let is_time = self.is_main() && self.worker.nodes >= CURRENT_MOVE_AFTER_NODES;
        if is_time && self.job.elapsed().as_secs() >= CURRENT_MOVE_AFTER_SECONDS {
            self.job.sink.event(&Event::CurrentMove(depth, mv, number));
        }
    }
}
