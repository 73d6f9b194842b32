//! Quiescence: captures until the position is quiet enough to evaluate.
//!
//! The answer to the horizon effect of the project's source texts. In check evasions are tried, since standing pat
//! would be a claim without proof; otherwise the evaluation is a lower bound and captures may raise it.

use super::draw;
use super::heuristics::correction_history::Traits;
use super::heuristics::history::Surroundings;
use super::heuristics::move_pruning::Fate;
use super::heuristics::{fail_high, mate_distance, quiescence_pruning};
use super::params::Tunable;
use super::picker::{Ordering, Picker};
use super::switches::{Toggles, on};
use super::worker::{Search, Stopped};
use crate::position::Position;
use crate::tt::Record;
use crate::types::{Bound, Depth, MAX_PLY, Move, Ply, Score, Window};

/// The record's depth of a quiescence that also tried checks; without them it is zero.
const WITH_CHECKS: Depth = Depth(0);
const WITHOUT_CHECKS: Depth = Depth(-1);

impl<T: Toggles> Search<'_, T> {
    /// The value of a node with no depth left: quiescence, or the bare evaluation where that is switched off.
    #[inline]
    pub(crate) fn leaf(&mut self, position: &Position, window: Window, ply: Ply) -> Result<Score, Stopped> {
        if on!(self.toggles, Quiescence) {
            let depth = if on!(self.toggles, QuiescenceChecks) { WITH_CHECKS } else { WITHOUT_CHECKS };
            return self.quiescence(position, window, depth, ply);
        }
        self.enter_node(ply)?;
        Ok(draw::at_node(position, &self.worker.keys, ply).unwrap_or_else(|| self.evaluate(position, ply)))
    }

    /// Fail-soft alpha-beta over captures, with checks at depth zero, or over evasions in check.
    fn quiescence(
        &mut self,
        position: &Position,
        window: Window,
        depth: Depth,
        ply: Ply,
    ) -> Result<Score, Stopped> {
        // 1. Draws by rule, and mates too far away to matter.
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
        let mut window = window;
        if on!(self.toggles, MateDistance) {
            window = mate_distance::clip(window, ply);
            if window.alpha >= window.beta {
                return Ok(window.alpha);
            }
        }
        if self.has_draw_in_hand(position, window, ply) {
            return self.above_draw(window, |search, above| search.quiescence(position, above, depth, ply));
        }

        // 2. The hash table may know the answer.
        let record = self.probe(position, ply);
        if let Some(record) = record
            && window.is_null()
            && let Some(score) = self.hash_cutoff(&record, window, depth)
        {
            return Ok(score);
        }

        // 3. Standing pat.
        let is_check = position.is_check();
        let pat = if is_check { None } else { Some(self.stand_pat(position, record, ply)) };
        let static_eval = pat.map_or(Score::mated_in(ply), |pat| pat.static_eval);
        let mut best = pat.map_or(static_eval, |pat| pat.score);
        if best >= window.beta {
            if let Some(pat) = pat.filter(|_| record.is_none()) {
                self.store_eval(position, pat.raw, false);
            }
            return Ok(self.blended(best, window.beta));
        }
        let mut alpha = window.alpha.max(best);
        let mut best_move = None;
        let mut searched = 0;

        // 4. The moves.
        let hash_move = self.hash_move(position, record);
        let wants_quiets = is_check || depth >= WITH_CHECKS;
        let at = wants_quiets.then(|| Surroundings::of(position, self.worker.frames.landings(ply), ply));
        let mut picker = if wants_quiets {
            Picker::all(hash_move, [None; 3])
        } else {
            Picker::captures(position, hash_move)
        };
        self.worker.keys.push(position.key());
        loop {
            let order = Ordering { toggles: self.toggles, histories: self.histories, at: at.as_ref() };
            let Some(mv) = picker.next(position, &order) else { break };

            // 5. Leave out what does not help.
            if is_check {
                if on!(self.toggles, QuiescenceEvasions) && !best.is_lost() {
                    picker.skip_quiets();
                    if !position.is_noisy(mv) {
                        continue;
                    }
                }
            } else if let Fate::Skip(credited) =
                self.quiet_fate(position, mv, static_eval, alpha, searched, ply)
            {
                best = credited.map_or(best, |score| best.max(score));
                continue;
            }

            // 6. The search of the move.
            let child = self.play(position, mv, ply, 0);
            let inner = -Window::new(alpha, window.beta);
            let score = -self.quiescence(&child, inner, WITHOUT_CHECKS, ply.next())?;
            searched += 1;
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
        best = self.blended(best, window.beta);

        // 7. Remember. Quiescence is never exact: what it left out may be better.
        let record = Record {
            mv: best_move,
            score: best.to_table(ply),
            static_eval: pat.map(|pat| pat.raw),
            depth,
            bound: if best >= window.beta { Bound::Lower } else { Bound::Upper },
            is_pv: record.is_some_and(|record| record.is_pv),
        };
        self.store(position, record);
        Ok(best)
    }

    /// Is a move worth a search where standing pat is possible? `searched` counts those that were.
    #[inline]
    fn quiet_fate(
        &self,
        position: &Position,
        mv: Move,
        static_eval: Score,
        alpha: Score,
        searched: i32,
        ply: Ply,
    ) -> Fate {
        let toggles = self.toggles;
        let gives_check = position.gives_check(mv);
        if !position.is_noisy(mv) && !gives_check {
            return Fate::Skip(None);
        }
        if on!(toggles, QuiescenceMoveCount)
            && searched >= toggles.value(Tunable::QuiescenceMoves)
            && mv.promotion().is_none()
            && self.worker.frames.before(ply, 1).capture != Some(mv.to())
            && !gives_check
        {
            return Fate::Skip(None);
        }
        if on!(toggles, QuiescenceFutility)
            && !gives_check
            && let Some(score) = quiescence_pruning::futile_score(toggles, position, mv, static_eval, alpha)
        {
            return Fate::Skip(Some(score));
        }
        if on!(toggles, QuiescenceSee)
            && !position.see_at_least(mv, quiescence_pruning::exchange_limit(toggles))
        {
            return Fate::Skip(None);
        }
        Fate::Search
    }

    /// A score as it is passed up and stored.
    #[inline]
    fn blended(&self, score: Score, beta: Score) -> Score {
        if on!(self.toggles, FailHighBlend) { fail_high::blend(score, beta, Depth::ZERO) } else { score }
    }

    /// The value of not moving at all.
    #[inline]
    fn stand_pat(&mut self, position: &Position, record: Option<Record>, ply: Ply) -> StandPat {
        let raw =
            record.and_then(|record| record.static_eval).unwrap_or_else(|| self.evaluate(position, ply));
        let traits = Traits::of(position, [1, 2].map(|back| self.worker.frames.before(ply, back).landing));
        let correction = self.corrections.correction(self.toggles, &traits);
        let static_eval = self.judged(raw, correction, position);
        StandPat { raw, static_eval, score: self.informed_eval(static_eval, record) }
    }
}

/// The evaluation at three degrees of knowledge.
#[derive(Clone, Copy, Debug)]
struct StandPat {
    /// As evaluated.
    raw: Score,
    /// As damped by the clock and corrected by experience.
    static_eval: Score,
    /// The table's word, where that is better.
    score: Score,
}
