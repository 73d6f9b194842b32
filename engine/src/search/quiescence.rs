//! Quiescence: captures until the position is quiet enough to evaluate.
//!
//! The answer to the horizon effect of the project's source texts. In check every evasion is tried, since standing
//! pat would be a claim without proof; otherwise the evaluation is a lower bound and captures may raise it.

use super::draw;
use super::heuristics::killers::Killers;
use super::picker::{Ordering, Picker};
use super::switches::{Toggles, on};
use super::worker::{Search, Stopped};
use crate::position::Position;
use crate::tt::Record;
use crate::types::{Bound, Depth, MAX_PLY, Ply, Score, Window};

impl<T: Toggles> Search<'_, T> {
    /// The value of a node with no depth left: quiescence, or the bare evaluation where that is switched off.
    #[inline]
    pub(crate) fn leaf(&mut self, position: &Position, window: Window, ply: Ply) -> Result<Score, Stopped> {
        if on!(self.toggles, Quiescence) {
            return self.quiescence(position, window, ply);
        }
        self.enter_node(ply)?;
        Ok(draw::at_node(position, &self.worker.keys, ply).unwrap_or_else(|| self.evaluate(position)))
    }

    /// Fail-soft alpha-beta over captures, or over all moves in check.
    pub(crate) fn quiescence(
        &mut self,
        position: &Position,
        window: Window,
        ply: Ply,
    ) -> Result<Score, Stopped> {
        self.enter_node(ply)?;
        if let Some(score) = draw::at_node(position, &self.worker.keys, ply) {
            return Ok(score);
        }
        if ply.index() >= MAX_PLY {
            return Ok(self.evaluate(position));
        }
        if self.has_draw_in_hand(position, window, ply) {
            return self.above_draw(window, |search, above| search.quiescence(position, above, ply));
        }

        let record = self.probe(position);
        if let Some(record) = record
            && window.is_null()
            && let Some(score) = self.hash_cutoff(position, &record, window, Depth::ZERO, ply)
        {
            return Ok(score);
        }

        let is_check = position.is_check();
        let mut best = if is_check {
            Score::mated_in(ply)
        } else {
            record.and_then(|record| record.static_eval).unwrap_or_else(|| self.evaluate(position))
        };
        let static_eval = (!is_check).then_some(best);
        if best >= window.beta {
            return Ok(best);
        }
        let mut alpha = window.alpha.max(best);
        let mut best_move = None;

        let hash_move = self.hash_move(record);
        let mut picker = if is_check {
            Picker::all(position, hash_move, Killers::default())
        } else {
            Picker::captures(position, hash_move)
        };
        self.worker.keys.push(position.key());
        loop {
            let order = Ordering { toggles: self.toggles, history: &self.worker.history };
            let Some(mv) = picker.next(position, &order) else { break };
            if !is_check && on!(self.toggles, QuiescenceSee) && !position.see_at_least(mv, Score::DRAW) {
                continue;
            }
            self.prefetch(position, mv);
            let child = position.after(mv);
            let score = -self.quiescence(&child, -Window::new(alpha, window.beta), ply.next())?;
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_move = Some(mv);
                    if score >= window.beta {
                        break;
                    }
                }
            }
        }
        self.worker.keys.pop();

        let record = Record {
            mv: best_move,
            score: best.to_table(ply),
            static_eval,
            depth: Depth::ZERO,
            bound: Bound::of(best, window),
            is_pv: false,
        };
        self.store(position, record);
        Ok(best)
    }
}
