//! The root: its moves are known by name, each keeps its score and line, and the driver walks below them.

use super::Driver;
use super::pvs::Pv;
use crate::search::events::Event;
use crate::search::switches::Toggles;
use crate::search::worker::{Known, Search, Stopped};
use crate::types::{Bound, Depth, Move, Ply, Score, Window};

/// After so many seconds a user wants to see which move is being searched.
const CURRENT_MOVE_AFTER_SECONDS: u64 = 3;

impl<T: Toggles> Search<'_, T> {
    /// The best of the root moves from `first` on (those before it are the better lines of MultiPV).
    pub(super) fn root(&mut self, window: Window, depth: Depth, first: usize) -> Result<Score, Stopped> {
        self.enter_node(Ply::ROOT)?;
        let position = *self.job.game.position();
        let mut alpha = window.alpha;
        let mut best = -Score::INFINITE;
        for root_move in &mut self.worker.root_moves[first..] {
            root_move.known = Known::NOTHING;
        }
        self.worker.keys.push(position.key());
        for index in first..self.worker.root_moves.len() {
            let mv = self.worker.root_moves[index].mv;
            self.announce(depth, mv, index + 1);
            self.worker.frames[Ply::ROOT.index()].current = Some(mv);
            let child = position.after(mv);
            let inner = Window::new(alpha, window.beta);
            let next = Ply::ROOT.next();
            self.worker.frames[next.index()].pv.clear();
            self.worker.seldepth = 0;
            let nodes = self.worker.nodes;
            let score = match self.job.driver {
                Driver::Negamax => -self.negamax(&child, depth - 1, next)?,
                Driver::AlphaBeta => -self.alphabeta(&child, -inner, depth - 1, next)?,
                Driver::Pvs | Driver::Mtdf if window.is_null() => {
                    self.null_window_move(&child, inner, depth - 1)?
                }
                Driver::Pvs | Driver::Mtdf => {
                    self.child::<Pv>(&child, inner, depth - 1, 0, index - first, Ply::ROOT)?
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

    /// A root move of a null-window search.
    fn null_window_move(
        &mut self,
        child: &crate::position::Position,
        window: Window,
        depth: Depth,
    ) -> Result<Score, Stopped> {
        Ok(-self.pvs::<super::pvs::NonPv>(child, -window, depth, Ply::ROOT.next())?)
    }

    /// A root move has the best score so far.
    fn keep(&mut self, index: usize, known: Known) {
        let worker = &mut *self.worker;
        let root_move = &mut worker.root_moves[index];
        root_move.known = known;
        root_move.seldepth = worker.seldepth;
        root_move.pv.truncate(1);
        root_move.pv.extend(worker.frames[Ply::ROOT.next().index()].pv.iter());
    }

    /// Tells which move is being searched, once a search takes long.
    fn announce(&self, depth: Depth, mv: Move, number: usize) {
        if self.is_main() && self.job.elapsed().as_secs() >= CURRENT_MOVE_AFTER_SECONDS {
            self.job.sink.event(&Event::CurrentMove(depth, mv, number));
        }
    }
}
