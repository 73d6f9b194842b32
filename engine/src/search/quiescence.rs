//! Quiescence search: captures until the position is quiet enough to evaluate.
//!
//! It counters the horizon effect. Out of check the static evaluation is a lower bound (stand pat)
//! that captures may raise. In check evasions are searched instead.

use super::context::{Search, Stopped};
use super::draw;
use super::heuristics::correction_history::CorrectionKeys;
use super::heuristics::experimental::hanging;
use super::heuristics::history::context::HistoryContext;
use super::heuristics::move_pruning::PruneDecision;
use super::heuristics::{mate_distance, quiescence_pruning};
use super::node_types::NodeKind;
use super::params::Tunable;
use super::picker::{MoveOrder, Picker};
use super::switches::{Toggles, on};
use crate::position::Position;
use crate::tt::Record;
use crate::types::{Bound, Depth, MAX_PLY, Move, Ply, Score, Window};

/// The TT depth of a quiescence search that includes some quiet moves, such as checks, and of one
/// that does not.
const WITH_QUIETS: Depth = Depth(0);
const WITHOUT_QUIETS: Depth = Depth(-1);

/// A move that may be pruned.
#[derive(Clone, Copy, Debug)]
struct QuiescenceMove {
    mv: Move,
    /// The number of moves searched before.
    searched: i32,
    /// Whether the TT cluster of the child has been prefetched.
    is_prefetched: bool,
}

impl<T: Toggles> Search<'_, T> {
    /// Returns the score of a node with no depth left: by quiescence search, or the static
    /// evaluation if that is off.
    #[inline]
    pub(crate) fn leaf<N: NodeKind>(
        &mut self,
        position: &Position,
        window: Window,
        ply: Ply,
    ) -> Result<Score, Stopped> {
        if on!(self.toggles, Quiescence) {
            let has_quiets =
                on!(self.toggles, QuiescenceChecks) || on!(self.toggles, QuiescencePromotionThreats);
            let depth = if has_quiets { WITH_QUIETS } else { WITHOUT_QUIETS };
            return self.quiescence::<N>(position, window, depth, ply);
        }
        self.enter_node(ply)?;
        Ok(draw::at_node(position, &self.worker.keys, ply).unwrap_or_else(|| self.evaluate(position, ply)))
    }

    /// Searches captures, also checks at depth zero, or evasions in check; fail-soft. Below a PV node it
    /// keeps the line, which may end in mate.
    fn quiescence<N: NodeKind>(
        &mut self,
        position: &Position,
        window: Window,
        depth: Depth,
        ply: Ply,
    ) -> Result<Score, Stopped> {
        if N::IS_PV {
            self.worker.stack.line(ply).clear();
        }

        // 1. Draws by rule, mate distance pruning and upcoming repetitions. Unlike `node`, which looks for
        // repetitions before it counts, a node with one counts twice.
        self.enter_node(ply)?;
        if T::COUNTS {
            self.worker.tally.quiescence += 1;
        }
        if let Some(score) = draw::at_node(position, &self.worker.keys, ply) {
            return Ok(score);
        }
        if ply.index() >= MAX_PLY {
            return Ok(self.evaluate(position, ply));
        }
        let window = if on!(self.toggles, MateDistance) { mate_distance::clip(window, ply) } else { window };
        if window.alpha >= window.beta {
            return Ok(window.alpha);
        }
        if self.can_repeat_above_alpha(position, window, ply) {
            return self.search_above_draw(window, |search, above| {
                search.quiescence::<N>(position, above, depth, ply)
            });
        }

        // 2. TT cutoff.
        let record = self.probe(position, ply);
        if let Some(record) = record
            && window.is_null()
            && let Some(score) = self.tt_cutoff(&record, window, depth)
        {
            return Ok(self.returned(score, window));
        }

        let tt_move = self.tt_move(position, record);
        if let Some(mv) = tt_move {
            self.prefetch(position, mv);
        }

        // 3. Stand pat.
        let pat = if position.is_check() { None } else { Some(self.stand_pat(position, record, ply)) };
        if let Some(pat) = pat
            && pat.score >= window.beta
        {
            if record.is_none() {
                self.store_eval(position, pat.raw, false);
            }
            return Ok(self.returned(pat.score, window));
        }

        // 4. The moves.
        let (best, best_move) = self.quiescence_moves::<N>(position, window, depth, ply, pat, tt_move)?;

        // 5. Store the result. It is never exact: a move that was not tried may be better.
        let best = self.returned(best, window);
        let record = Record {
            mv: best_move,
            score: best.to_tt(ply),
            static_eval: pat.map(|pat| pat.raw),
            depth,
            bound: if best >= window.beta { Bound::Lower } else { Bound::Upper },
            is_pv: record.is_some_and(|record| record.is_pv),
        };
        self.store(position, record);
        Ok(best)
    }

    /// Searches the moves of a quiescence node. Returns the best score, at least that of standing
    /// pat, and its move.
    #[inline]
    fn quiescence_moves<N: NodeKind>(
        &mut self,
        position: &Position,
        window: Window,
        depth: Depth,
        ply: Ply,
        pat: Option<StandPat>,
        tt_move: Option<Move>,
    ) -> Result<(Score, Option<Move>), Stopped> {
        let is_check = pat.is_none();
        let static_eval = pat.map_or(Score::mated_in(ply), |pat| pat.static_eval);
        let mut best = pat.map_or(static_eval, |pat| pat.score);
        let mut alpha = window.alpha.max(best);
        let mut best_move = None;
        let mut searched = 0;
        let wants_quiets = is_check || depth >= WITH_QUIETS;
        let context =
            wants_quiets.then(|| HistoryContext::of(position, self.worker.stack.previous_moves(ply)));
        let mut picker =
            if wants_quiets { Picker::all(tt_move, [None; 3]) } else { Picker::captures(position, tt_move) };
        // The move whose TT cluster was prefetched last.
        let mut prefetched = tt_move;
        self.worker.keys.push(position.key());
        loop {
            let order =
                MoveOrder { toggles: self.toggles, histories: self.histories, context: context.as_ref() };
            let Some(mv) = picker.next(position, &order) else { break };

            // Pruning.
            let candidate = QuiescenceMove { mv, searched, is_prefetched: prefetched == Some(mv) };
            if is_check {
                self.prefetch_unless(candidate.is_prefetched, position, mv);
                if on!(self.toggles, QuiescenceEvasions) && !best.is_lost() {
                    picker.skip_quiets();
                    if !position.is_noisy(mv) {
                        continue;
                    }
                }
            } else if let PruneDecision::Skip(credited) =
                self.prune_quiescence_move(position, candidate, static_eval, alpha, ply)
            {
                best = credited.map_or(best, |score| best.max(score));
                continue;
            }

            // The search of the move.
            prefetched = self.prefetch_next(position, &mut picker);
            self.note_move(position, mv, ply, 0);
            let mut child = *position;
            child.play(mv);
            let inner = -Window::new(alpha, window.beta);
            let score = -self.quiescence::<N>(&child, inner, WITHOUT_QUIETS, ply.next())?;
            searched += 1;
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_move = Some(mv);
                    if N::IS_PV {
                        self.worker.stack.extend_line(ply, mv);
                    }
                    if score >= window.beta {
                        break;
                    }
                }
            }
        }
        self.worker.keys.pop();
        Ok((best, best_move))
    }

    /// Decides whether to search a move where standing pat is possible.
    #[inline]
    fn prune_quiescence_move(
        &self,
        position: &Position,
        candidate: QuiescenceMove,
        static_eval: Score,
        alpha: Score,
        ply: Ply,
    ) -> PruneDecision {
        let toggles = self.toggles;
        let QuiescenceMove { mv, searched, is_prefetched } = candidate;
        // Asked by few of the rules.
        let gives_check = || position.gives_check(mv);
        let is_promotion_threat =
            on!(toggles, QuiescencePromotionThreats) && quiescence_pruning::is_promotion_threat(position, mv);
        let is_wanted =
            position.is_noisy(mv) || on!(toggles, QuiescenceChecks) && gives_check() || is_promotion_threat;
        if !is_wanted {
            return PruneDecision::Skip(None);
        }
        if on!(toggles, QuiescenceMoveCount)
            && searched >= toggles.value(Tunable::QuiescenceMoves)
            && mv.promotion().is_none()
            && self.worker.stack.before(ply, 1).capture != Some(mv.to())
            && !gives_check()
        {
            return PruneDecision::Skip(None);
        }
        if on!(toggles, QuiescenceFutility)
            && !gives_check()
            && !is_promotion_threat
            && let Some(score) = quiescence_pruning::futile_score(toggles, position, mv, static_eval, alpha)
        {
            return PruneDecision::Skip(Some(score));
        }
        // Before the most expensive rule, which few moves fail.
        self.prefetch_unless(is_prefetched, position, mv);
        if on!(toggles, QuiescenceSee) {
            return self.prune_by_exchange_in_quiescence(position, mv, static_eval, alpha);
        }
        PruneDecision::Search
    }

    /// Prunes a capture that loses too much material.
    #[inline]
    fn prune_by_exchange_in_quiescence(
        &self,
        position: &Position,
        mv: Move,
        static_eval: Score,
        alpha: Score,
    ) -> PruneDecision {
        let toggles = self.toggles;
        let history = if on!(toggles, AdaptiveQuiescenceSee) && position.is_noisy(mv) {
            self.histories.capture_score(toggles, position, mv)
        } else {
            0
        };
        let limit = quiescence_pruning::exchange_limit(toggles, history, static_eval, alpha);
        if position.see_at_least(mv, limit) { PruneDecision::Search } else { PruneDecision::Skip(None) }
    }

    /// Evaluates a node that is not in check.
    #[inline]
    fn stand_pat(&mut self, position: &Position, record: Option<Record>, ply: Ply) -> StandPat {
        let raw =
            record.and_then(|record| record.static_eval).unwrap_or_else(|| self.evaluate(position, ply));
        let keys = CorrectionKeys::of(position, self.worker.stack.last_two_moves(ply));
        let correction = self.corrections.correction(self.toggles, &keys);
        let static_eval = self.corrected_eval(raw, correction, position);
        let mut pat = static_eval;
        if on!(self.toggles, QuiescenceHanging) {
            pat = pat - hanging::second_loss(position).0;
        }
        // Last, since a TT score already comes from a search of the hanging pieces.
        StandPat { raw, static_eval, score: self.tt_adjusted_eval(pat, record) }
    }
}

/// The static evaluation in its three stages.
#[derive(Clone, Copy, Debug)]
struct StandPat {
    /// As evaluated, before any correction.
    raw: Score,
    /// After fifty-move scaling and correction history.
    static_eval: Score,
    /// The TT score where that is tighter, otherwise `static_eval`, less the second hanging piece
    /// with `QuiescenceHanging`.
    score: Score,
}
