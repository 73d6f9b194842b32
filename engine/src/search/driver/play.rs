//! Playing a move, and searching the child with the null windows and reductions of principal
//! variation search.

use crate::position::Position;
use crate::search::context::{Search, Stopped};
use crate::search::heuristics::late_move_reductions::{self, Reduced};
use crate::search::heuristics::piece_to::PieceTo;
use crate::search::node_types::{NodeKind, NonPv, Pv};
use crate::search::switches::{Toggles, on};
use crate::types::{Depth, Move, Ply, Score, Window};

/// The depths and expectations for the search of a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChildSearch {
    /// The depth without reduction.
    pub(super) full: Depth,
    /// The depth of the first search; `full` where the move is not reduced.
    pub(super) reduced: Reduced,
    /// The number of moves searched before.
    pub(super) searched: usize,
    /// Whether the node that plays the move is expected to fail high.
    pub(super) parent_is_cut: bool,
    /// The best score before.
    pub(super) best: Score,
}

/// The depth up to which `NegaScout` takes a null-window score as exact.
///
/// Source: A. Reinefeld, "An improvement to the Scout tree search algorithm" (1983).
const NEGASCOUT_DEPTH: Depth = Depth(1);

impl<T: Toggles> Search<'_, T> {
    /// Records a move that is played from the node at `ply` in its frame.
    ///
    /// The caller plays it ([`Position::play`]).
    #[inline]
    pub(in crate::search) fn note_move(&mut self, position: &Position, mv: Move, ply: Ply, extension: i32) {
        self.worker.accumulators.note_move(position, mv, ply);
        let stack = &mut self.worker.stack;
        let frame = &mut stack[ply];
        frame.current = Some(mv);
        frame.piece_to = PieceTo::of(position, mv);
        frame.capture = position.is_capture(mv).then(|| mv.to());
        if on!(self.toggles, SiblingSingularExtension) {
            frame.is_extended = extension > 0;
        }
        let double_extensions = frame.double_extensions + u8::from(extension > 1);
        let fraction = frame.fraction;
        stack.after_mut(ply, 1).double_extensions = double_extensions;
        self.carry_fraction(ply, fraction);
    }

    /// Gives the child the fraction of a ply that its reduction left.
    #[inline]
    pub(super) fn carry_fraction(&mut self, ply: Ply, fraction: i32) {
        if on!(self.toggles, FractionalPlies) {
            self.worker.stack.after_mut(ply, 1).fraction = fraction;
        }
    }

    /// Returns the score of a move. The first move is searched with the full window. The others are
    /// searched with a null window, at first reduced, and again at full depth and window where they
    /// exceed alpha. With the switch `NullWindow` off, a PV node searches every move with the full
    /// window, reduced or not.
    #[inline]
    pub(super) fn search_child<N: NodeKind>(
        &mut self,
        child: &Position,
        window: Window,
        request: ChildSearch,
        ply: Ply,
    ) -> Result<Score, Stopped> {
        let next = ply.next();
        let ChildSearch {
            full,
            reduced: Reduced { depth: reduced, fraction },
            searched,
            parent_is_cut,
            best,
        } = request;
        self.carry_fraction(ply, fraction);
        if N::IS_PV {
            // A null-window search that fails high leaves no line, so that of a sibling would
            // remain.
            self.worker.stack.line(next).clear();
        }
        if N::IS_PV && !on!(self.toggles, NullWindow) {
            return self.search_full_window(child, window, request, ply);
        }
        if N::IS_PV && searched == 0 && reduced == full {
            return Ok(-self.node::<Pv>(child, -window, full, next, false)?);
        }
        if T::COUNTS && N::IS_PV {
            self.worker.tally.null_windows += 1;
        }
        let null = -Window::null_above(window.alpha);
        let mut depth = full;
        let mut score;
        if reduced < full {
            score = -self.node::<NonPv>(child, null, reduced, next, true)?;
            self.carry_fraction(ply, self.worker.stack[ply].fraction);
            if score > window.alpha {
                depth = late_move_reductions::research_depth(self.toggles, full, score, best);
                if depth > reduced {
                    score = -self.node::<NonPv>(child, null, depth, next, !parent_is_cut)?;
                }
            }
        } else {
            score = -self.node::<NonPv>(child, null, full, next, !parent_is_cut)?;
        }
        if N::IS_PV
            && score > window.alpha
            && score < window.beta
            && let Some(again) = self.research_window(window, score, depth)
        {
            score = -self.node::<Pv>(child, -again, depth, next, false)?;
            if score <= again.alpha && again.alpha > window.alpha {
                // Reductions and the TT can contradict the null window. The result is then only an
                // upper bound.
                let below = Window::new(window.alpha, again.alpha + 1);
                score = -self.node::<Pv>(child, -below, depth, next, false)?;
            }
        }
        Ok(score)
    }

    /// Returns the window of the last search of a move whose null-window score lies inside `window`;
    /// `None` if that score counts as exact.
    #[inline]
    fn research_window(&self, window: Window, score: Score, depth: Depth) -> Option<Window> {
        if !on!(self.toggles, NegaScout) {
            return Some(window);
        }
        // One less, so that an equal score is not a fail low.
        (depth > NEGASCOUT_DEPTH).then(|| Window::new(window.alpha.max(score - 1), window.beta))
    }

    /// Returns the score of a move of a PV node without null windows: first reduced, and again
    /// where it exceeds alpha, each time with the full window.
    fn search_full_window(
        &mut self,
        child: &Position,
        window: Window,
        request: ChildSearch,
        ply: Ply,
    ) -> Result<Score, Stopped> {
        let next = ply.next();
        let ChildSearch { full, reduced: Reduced { depth: reduced, .. }, best, .. } = request;
        let mut depth = full;
        if reduced < full {
            let score = -self.node::<Pv>(child, -window, reduced, next, false)?;
            depth = late_move_reductions::research_depth(self.toggles, full, score, best);
            if score <= window.alpha || depth <= reduced {
                return Ok(score);
            }
            self.worker.stack.line(next).clear();
        }
        Ok(-self.node::<Pv>(child, -window, depth, next, false)?)
    }
}
