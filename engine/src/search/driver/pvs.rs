//! Principal variation search: the node function that plays.
//!
//! A conductor: numbered steps, each asking one heuristic. What a heuristic bets on stands in its own file under
//! `heuristics`; the order of the steps is what this file decides.

use crate::position::Position;
use crate::search::draw;
use crate::search::heuristics::{check_extension, late_move_reductions, null_move};
use crate::search::picker::{Ordering, Picker};
use crate::search::switches::{Toggles, on};
use crate::search::worker::{Search, Stopped};
use crate::tt::Record;
use crate::types::{Bound, Depth, MAX_PLY, Move, Ply, Score, Window};

/// Is the node on the principal variation? A type, so that each kind is compiled on its own.
pub(super) trait Node {
    const IS_PV: bool;
}

/// A node whose exact value matters.
pub(super) struct Pv;

/// A node asked only whether it beats a bound.
pub(super) struct NonPv;

impl Node for Pv {
    const IS_PV: bool = true;
}

impl Node for NonPv {
    const IS_PV: bool = false;
}

/// Quiet moves that are remembered for the malus of a cutoff.
const MAX_TRIED: usize = 32;

impl<T: Toggles> Search<'_, T> {
    /// The value of the node if it lies inside the window, otherwise a bound on it (fail-soft).
    pub(super) fn pvs<N: Node>(
        &mut self,
        position: &Position,
        window: Window,
        depth: Depth,
        ply: Ply,
    ) -> Result<Score, Stopped> {
        let is_check = position.is_check();
        if N::IS_PV {
            self.worker.frames[ply.index()].pv.clear();
        }

        // 1. Extension: a check is resolved before the leaf is judged.
        let (asked, mut depth) = (depth, depth);
        if on!(self.toggles, CheckExtension) {
            depth += check_extension::plies(is_check, ply, self.worker.iteration);
        }

        // 2. The leaf.
        if depth <= Depth::ZERO || ply.index() >= MAX_PLY {
            return self.leaf(position, window, ply);
        }
        self.enter_node(ply)?;

        // 3. Draws by rule.
        if let Some(score) = draw::at_node(position, &self.worker.keys, ply) {
            return Ok(score);
        }

        // A draw is in hand where the next move can repeat: the question is only whether there is more.
        if self.has_draw_in_hand(position, window, ply) {
            return self.above_draw(window, |search, above| search.pvs::<N>(position, above, asked, ply));
        }

        // 4. The hash table may know the answer. Not on the principal variation, which must not be cut short.
        let record = self.probe(position);
        if let Some(record) = record
            && !N::IS_PV
            && let Some(score) = self.hash_cutoff(position, &record, window, depth, ply)
        {
            return Ok(score);
        }

        // 5. Static evaluation; a position in check has none.
        let static_eval = if is_check {
            None
        } else {
            Some(record.and_then(|record| record.static_eval).unwrap_or_else(|| self.evaluate(position)))
        };

        // 6. Null move: may the opponent move twice?
        if !N::IS_PV
            && on!(self.toggles, NullMove)
            && let Some(eval) = static_eval
            && self.worker.frames[ply.index() - 1].current.is_some()
            && let Some(reduced) = null_move::depth(self.toggles, position, eval, window.beta, depth)
            && let Some(score) = self.pass(position, window.beta, reduced, ply)?
        {
            return Ok(score);
        }

        // 7. The moves, best first.
        let mut alpha = window.alpha;
        let mut best = -Score::INFINITE;
        let mut best_move = None;
        let mut searched = 0;
        let mut tried = Tried::default();
        let mut picker = Picker::all(position, self.hash_move(record), self.killers(ply));
        self.worker.keys.push(position.key());
        loop {
            let order = Ordering { toggles: self.toggles, history: &self.worker.history };
            let Some(mv) = picker.next(position, &order) else { break };
            let is_quiet = !position.is_noisy(mv);
            self.prefetch(position, mv);
            let child = position.after(mv);
            self.worker.frames[ply.index()].current = Some(mv);
            if N::IS_PV {
                // A move that cuts by its null window brings no line; what stands there is a sibling's.
                self.worker.frames[ply.next().index()].pv.clear();
            }

            // 8. Reduction of late quiet moves.
            let reduction = if on!(self.toggles, LateMoveReductions)
                && is_quiet
                && !is_check
                && !child.is_check()
            {
                let history =
                    if on!(self.toggles, History) { self.history(position.side_to_move(), mv) } else { 0 };
                late_move_reductions::plies(
                    self.toggles,
                    late_move_reductions::LateMove { depth, searched, is_pv: N::IS_PV, history },
                )
            } else {
                0
            };

            // 9. The search of the move.
            let inner = Window::new(alpha, window.beta);
            let score = self.child::<N>(&child, inner, depth - 1, reduction, searched, ply)?;
            searched += 1;

            // 10. Better than all before?
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    if N::IS_PV {
                        self.extend_pv(mv, ply);
                    }
                    if score >= window.beta {
                        self.note_cutoff(position, mv, tried.moves(), depth, ply);
                        break;
                    }
                    alpha = score;
                }
            }
            if is_quiet {
                tried.push(mv);
            }
        }
        self.worker.keys.pop();

        // 11. No legal move: mate or stalemate.
        if searched == 0 {
            return Ok(if is_check { Score::mated_in(ply) } else { Score::DRAW });
        }

        // 12. Remember.
        let bound = Bound::of(best, window);
        let record =
            Record { mv: best_move, score: best.to_table(ply), static_eval, depth, bound, is_pv: N::IS_PV };
        self.store(position, record);
        Ok(best)
    }

    /// Searches the position after passing; a score if that cuts the node.
    fn pass(
        &mut self,
        position: &Position,
        beta: Score,
        depth: Depth,
        ply: Ply,
    ) -> Result<Option<Score>, Stopped> {
        self.worker.frames[ply.index()].current = None;
        self.worker.keys.push(position.key());
        let below = -Window::null_below(beta);
        let score = -self.pvs::<NonPv>(&position.after_null(), below, depth, ply.next())?;
        self.worker.keys.pop();
        Ok(null_move::verdict(score, beta))
    }

    /// The value of a move: the first in full, the others by a null window, reduced at first, and again in full
    /// where that shows more.
    #[inline]
    pub(super) fn child<N: Node>(
        &mut self,
        child: &Position,
        window: Window,
        depth: Depth,
        reduction: i32,
        searched: usize,
        ply: Ply,
    ) -> Result<Score, Stopped> {
        let next = ply.next();
        let is_full = searched == 0 || !on!(self.toggles, NullWindow);
        if N::IS_PV && is_full && reduction == 0 {
            return Ok(-self.pvs::<Pv>(child, -window, depth, next)?);
        }
        let null = -Window::null_above(window.alpha);
        let mut score = -self.pvs::<NonPv>(child, null, depth - reduction, next)?;
        if score > window.alpha && reduction > 0 {
            score = -self.pvs::<NonPv>(child, null, depth, next)?;
        }
        if N::IS_PV && score > window.alpha && (score < window.beta || !on!(self.toggles, NullWindow)) {
            score = -self.pvs::<Pv>(child, -window, depth, next)?;
        }
        Ok(score)
    }

    /// The line from `ply`: the move, then the line of the child.
    fn extend_pv(&mut self, mv: Move, ply: Ply) {
        let (here, below) = self.worker.frames.split_at_mut(ply.index() + 1);
        here[ply.index()].pv.set(mv, &below[0].pv);
    }
}

/// Quiet moves searched before a cutoff. Beyond [`MAX_TRIED`] they are not worth remembering.
struct Tried {
    moves: [Move; MAX_TRIED],
    len: usize,
}

impl Default for Tried {
    fn default() -> Self {
        Self { moves: [PLACEHOLDER; MAX_TRIED], len: 0 }
    }
}

/// Fills slots that are never read.
const PLACEHOLDER: Move = match Move::from_bits(1) {
    Some(mv) => mv,
    None => panic!("1 is not 0"),
};

impl Tried {
    #[inline]
    fn push(&mut self, mv: Move) {
        if self.len < MAX_TRIED {
            self.moves[self.len] = mv;
            self.len += 1;
        }
    }

    #[inline]
    fn moves(&self) -> &[Move] {
        &self.moves[..self.len]
    }
}
