//! The root: its moves are known by name, each keeps its score and line, and the driver walks below them.

use super::Driver;
use super::pvs::{Descent, NonPv, Pv};
use crate::position::Position;
use crate::search::events::Event;
use crate::search::heuristics::NodeContext;
use crate::search::heuristics::correction_history::Traits;
use crate::search::heuristics::history::{Landing, Surroundings};
use crate::search::heuristics::late_move_reductions::{self, LateMove};
use crate::search::switches::{Toggles, on};
use crate::search::worker::{Known, Search, Stopped};
use crate::types::{Bound, Depth, Move, Ply, Score, Window};

/// Before so many nodes no such time has passed, and reading the clock at every root move costs a short search dear.
const CURRENT_MOVE_AFTER_NODES: u64 = 20_000;
/// After so many seconds a user wants to see which move is being searched.
const CURRENT_MOVE_AFTER_SECONDS: u64 = 3;

impl<T: Toggles> Search<'_, T> {
    /// The best of the root moves from `first` on (those before it are the better lines of MultiPV), among those of the
    /// same rank.
    pub(super) fn root(&mut self, window: Window, depth: Depth, first: usize) -> Result<Score, Stopped> {
        self.enter_node(Ply::ROOT)?;
        let position = *self.job.game.position();
        let node = self.root_context(&position, depth);
        let at = Surroundings::of(&position, self.worker.frames.landings(Ply::ROOT), Ply::ROOT);
        let mut alpha = window.alpha;
        let mut best = -Score::INFINITE;
        let rank = self.worker.root_moves[first].rank;
        let equals =
            self.worker.root_moves[first..].iter_mut().take_while(|root_move| root_move.rank == rank);
        let mut last = first;
        for root_move in equals {
            root_move.known = Known::NOTHING;
            last += 1;
        }
        self.worker.frames[Ply::ROOT].threats = at.threats;
        self.worker.keys.push(position.key());
        for index in first..last {
            let mv = self.worker.root_moves[index].mv;
            self.announce(depth, mv, index + 1);
            let child = self.play(&position, mv, Ply::ROOT, 0);
            let inner = Window::new(alpha, window.beta);
            let next = Ply::ROOT.next();
            self.worker.frames.line(next).clear();
            self.worker.seldepth = 0;
            let full = depth - 1;
            let nodes = self.worker.nodes;
            let score = match self.job.driver {
                Driver::Negamax => -self.negamax(&child, full, next)?,
                Driver::AlphaBeta => -self.alphabeta(&child, -inner, full, next)?,
                Driver::Pvs | Driver::Mtdf => {
                    let reduced =
                        full - self.root_reduction(&position, &child, &node, &at, mv, index - first);
                    let descent = Descent { full, reduced, searched: index - first, is_cut: false, best };
                    if window.is_null() {
                        self.descend::<NonPv>(&child, inner, descent, Ply::ROOT)?
                    } else {
                        self.descend::<Pv>(&child, inner, descent, Ply::ROOT)?
                    }
                }
            };
            // Other lines of MultiPV say nothing about the choice of the best move.
            if first == 0 {
                self.worker.root_moves[index].nodes += self.worker.nodes - nodes;
            }
            // The first move's score is kept even when it fails low: a search cut short then has one at least.
            if index == first || score > alpha {
                self.keep(index, Known { score, bound: Bound::of(score, window) });
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

    /// The root as the heuristics see it; its frame is made ready for the nodes below.
    fn root_context(&mut self, position: &Position, depth: Depth) -> NodeContext {
        let is_check = position.is_check();
        let static_eval = (!is_check).then(|| {
            let raw = self.evaluate(position, Ply::ROOT);
            let traits = Traits::of(position, [Landing::NONE; 2]);
            self.judged(raw, self.corrections.correction(self.toggles, &traits), position)
        });
        let frames = &mut self.worker.frames;
        frames[Ply::ROOT].static_eval = static_eval;
        frames[Ply::ROOT].doubled = 0;
        frames.after(Ply::ROOT, 1).cutoffs = 0;
        frames.after(Ply::ROOT, 2).cutoffs = 0;
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

    /// How much less deeply a root move is searched at first. Units: plies.
    fn root_reduction(
        &self,
        position: &Position,
        child: &Position,
        node: &NodeContext,
        at: &Surroundings,
        mv: Move,
        searched: usize,
    ) -> i32 {
        if !on!(self.toggles, LateMoveReductions) {
            return 0;
        }
        let is_quiet = !position.is_noisy(mv);
        let histories = self.histories;
        let history = if is_quiet {
            histories.merit(self.toggles, position, at, mv)
        } else {
            histories.noisy(self.toggles, position, mv)
        };
        let late = LateMove {
            searched,
            is_quiet,
            gives_check: child.is_check(),
            is_refutation: false,
            history,
            cutoffs: self.worker.frames.before(Ply::ROOT.next(), 0).cutoffs,
            noise: self.reduction_noise(),
        };
        let full = node.depth - 1;
        (full - late_move_reductions::reduced_depth(self.toggles, node, late, full).0).0
    }

    /// A root move has the best score so far.
    fn keep(&mut self, index: usize, known: Known) {
        let worker = &mut *self.worker;
        let root_move = &mut worker.root_moves[index];
        root_move.known = known;
        root_move.seldepth = worker.seldepth;
        root_move.pv.truncate(1);
        root_move.pv.extend(worker.frames.line(Ply::ROOT.next()).iter());
    }

    /// Tells which move is being searched, once a search takes long.
    fn announce(&self, depth: Depth, mv: Move, number: usize) {
        let is_time = self.is_main() && self.worker.nodes >= CURRENT_MOVE_AFTER_NODES;
        if is_time && self.job.elapsed().as_secs() >= CURRENT_MOVE_AFTER_SECONDS {
            self.job.sink.event(&Event::CurrentMove(depth, mv, number));
        }
    }
}
