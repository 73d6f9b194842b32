//! Principal variation search: the node function that plays.
//!
//! A conductor: numbered steps, each asking one heuristic. What a heuristic bets on stands in its own file under
//! `heuristics`; the order of the steps is what this file decides. What cuts a whole node is in `node_pruning`, what a
//! node teaches the others in `learning`.

use super::learning::Tried;
use crate::position::Position;
use crate::search::draw;
use crate::search::heuristics::correction_history::Traits;
use crate::search::heuristics::history::{Landing, Surroundings};
use crate::search::heuristics::killers::Killers;
use crate::search::heuristics::late_move_reductions::{self, LateMove};
use crate::search::heuristics::move_pruning::Fate;
use crate::search::heuristics::singular::{self, Answer};
use crate::search::heuristics::{
    NodeContext, check_extension, classic_extensions, fail_high, hindsight, internal_iterative_reduction,
    mate_distance, move_pruning, raised_alpha,
};
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

/// A move about to be searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Descent {
    /// How deep.
    pub(super) full: Depth,
    /// How deep at first; `full` where it is not reduced.
    pub(super) reduced: Depth,
    /// How many moves came before.
    pub(super) searched: usize,
    /// Is the node expected to fail high?
    pub(super) is_cut: bool,
    /// The best score before.
    pub(super) best: Score,
}

impl<T: Toggles> Search<'_, T> {
    /// The value of the node if it lies inside the window, otherwise a bound on it (fail-soft).
    ///
    /// A singular search calls it for the same ply again, with the hash move noted as excluded in the frame: then
    /// what was settled before (draws, the table, the evaluation, pruning of the whole node) is not asked again.
    #[expect(
        clippy::too_many_lines,
        reason = "the conductor: one step after the other, to be read in one go"
    )]
    pub(super) fn pvs<N: Node>(
        &mut self,
        position: &Position,
        window: Window,
        depth: Depth,
        ply: Ply,
        is_cut: bool,
    ) -> Result<Score, Stopped> {
        let is_check = position.is_check();
        let excluded = self.worker.frames[ply].excluded;
        if N::IS_PV {
            self.worker.frames.line(ply).clear();
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

        // 3. A draw is in hand where the next move can repeat: the question is only whether there is more.
        if excluded.is_none() && self.has_draw_in_hand(position, window, ply) {
            return self
                .above_draw(window, |search, above| search.pvs::<N>(position, above, asked, ply, is_cut));
        }
        self.enter_node(ply)?;

        // 4. Draws by rule, and mates too far away to matter.
        let mut window = window;
        if excluded.is_none() {
            if let Some(score) = draw::at_node(position, &self.worker.keys, ply) {
                return Ok(score);
            }
            if on!(self.toggles, MateDistance) {
                window = mate_distance::clip(window, ply);
                if window.alpha >= window.beta {
                    return Ok(window.alpha);
                }
            }
        }

        // 5. The hash table may know the answer. Not on the principal variation, which must not be cut short.
        let record = self.probe(position, ply);
        let hash_move = self.hash_move(position, record);
        if !N::IS_PV && excluded.is_none() {
            if let Some(record) = record
                && let Some(score) = self.hash_cutoff(&record, window, depth)
            {
                if on!(self.toggles, HashCutHistory) && score >= window.beta {
                    self.note_hash_cutoff(position, hash_move, depth, ply);
                }
                return Ok(score);
            }
            if on!(self.toggles, EnhancedCutoff)
                && let Some(score) = self.enhanced_cutoff(position, window.beta, depth, ply)
            {
                return Ok(score);
            }
        }

        // 6. So may the endgame tables, where there are any.
        if self.job.consulted.men != 0
            && excluded.is_none()
            && let Some(score) = self.by_tables::<N>(position, window, asked, ply, is_cut)?
        {
            return Ok(score);
        }

        // 7. Static evaluation; a position in check has none.
        let traits = Traits::of(position, [1, 2].map(|back| self.worker.frames.before(ply, back).landing));
        let raw_eval = if is_check || excluded.is_some() {
            None
        } else {
            Some(record.and_then(|record| record.static_eval).unwrap_or_else(|| self.evaluate(position, ply)))
        };
        let correction = self.corrections.correction(self.toggles, &traits);
        if excluded.is_none() {
            let corrected = raw_eval.map(|raw| self.judged(raw, correction, position));
            self.worker.frames[ply].static_eval = corrected;
            let ahead = self.worker.frames.after(ply, 2);
            ahead.cutoffs = 0;
            ahead.killers = Killers::default();
            let parent = self.worker.frames.before(ply, 1);
            let evals = corrected.zip(parent.static_eval);
            if on!(self.toggles, Hindsight) {
                depth += hindsight::plies(self.toggles, depth, parent.reduction, evals);
            }
            if on!(self.toggles, EvalHistory)
                && let Some((here, there)) = evals
                && let Some(last) = self.last_quiet(position, ply)
            {
                self.histories.reward_by_eval(self.toggles, &last, -(here.0 + there.0));
            }
            if let Some(raw) = raw_eval.filter(|_| record.is_none()) {
                self.store_eval(position, raw, N::IS_PV);
            }
        }
        let static_eval = self.worker.frames[ply].static_eval;
        let parent_eval = self.worker.frames.before(ply, 1).static_eval;
        let mut node = NodeContext {
            depth,
            is_pv: N::IS_PV,
            was_pv: N::IS_PV || record.is_some_and(|record| record.is_pv),
            is_cut,
            is_improving: self.is_improving(static_eval, ply),
            is_opponent_worsening: on!(self.toggles, OpponentWorsening)
                && static_eval.zip(parent_eval).is_some_and(|(here, there)| here > -there),
            hash_move,
            hash_is_noisy: hash_move.is_some_and(|mv| position.is_noisy(mv)),
            static_eval,
            eval: static_eval.map(|eval| self.informed_eval(eval, record)),
            correction,
        };

        // 8. What cuts a whole node without trying its moves.
        if !N::IS_PV
            && !is_check
            && excluded.is_none()
            && let Some(score) = self.prune_node(position, &node, window, record, ply)?
        {
            return Ok(score);
        }

        // 9. Without a hash move a shallower search must do.
        if on!(self.toggles, InternalReduction) && excluded.is_none() {
            node.depth = node.depth - internal_iterative_reduction::plies(self.toggles, &node);
        }
        let depth = node.depth;

        // 10. Does the hash move stand alone, or is it one of many?
        let hash_extension = match self.ask_singular(position, &node, window.beta, record, ply)? {
            Answer::Extend(plies) => plies,
            Answer::Cut(score) => return Ok(score),
        };

        // 11. The moves, best first.
        let at = Surroundings::of(position, self.worker.frames.landings(ply), ply);
        self.worker.frames[ply].threats = at.threats;
        let mut picker = Picker::all(hash_move, self.refutations(ply));
        let mut alpha = window.alpha;
        let mut best = -Score::INFINITE;
        let mut best_move = None;
        let (mut met, mut searched) = (0, 0);
        let mut tried = Tried::default();
        self.worker.keys.push(position.key());
        loop {
            let order = Ordering { toggles: self.toggles, histories: self.histories, at: Some(&at) };
            let Some(mv) = picker.next(position, &order) else { break };
            if Some(mv) == excluded {
                continue;
            }
            let is_quiet = !position.is_noisy(mv);
            let history = if is_quiet {
                self.histories.merit(self.toggles, position, &at, mv)
            } else {
                self.histories.noisy(self.toggles, position, mv)
            };

            // 12. Pruning of the move, once there is one that does not certainly lose.
            met += 1;
            if !best.is_lost() && position.has_non_pawn_material(position.side_to_move()) {
                match self.fate(position, &node, mv, is_quiet, history, met, alpha) {
                    Fate::Search => {}
                    Fate::Skip(credited) => {
                        best = credited.map_or(best, |score| best.max(score));
                        continue;
                    }
                    Fate::SkipQuiets => {
                        met += picker.keep_checks(position);
                        continue;
                    }
                }
            }

            // 13. Extension of the move.
            let extension = if Some(mv) == hash_move { hash_extension } else { 0 };
            let last_capture = self.worker.frames.before(ply, 1).capture;
            let classic = classic_extensions::plies(
                self.toggles,
                position,
                mv,
                last_capture,
                ply,
                self.worker.iteration,
            );
            let full = node.depth - 1 + if extension == 0 { classic } else { extension };

            // 14. Reduction of a late move.
            let child = self.play(position, mv, ply, extension);
            let late = LateMove {
                searched,
                is_quiet,
                gives_check: child.is_check(),
                is_refutation: picker.is_refutation(mv),
                history,
                cutoffs: self.worker.frames.after(ply, 1).cutoffs,
                noise: self.reduction_noise(),
            };
            let reduced = if on!(self.toggles, LateMoveReductions) {
                late_move_reductions::reduced_depth(self.toggles, &node, late, full)
            } else {
                full
            };

            // 15. The search of the move.
            let inner = Window::new(alpha, window.beta);
            let descent = Descent { full, reduced, searched, is_cut, best };
            let score = self.descend::<N>(&child, inner, descent, ply)?;
            searched += 1;

            // 16. Better than all before?
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    if N::IS_PV {
                        self.worker.frames.extend_line(ply, mv);
                    }
                    if score >= window.beta {
                        self.worker.frames[ply].cutoffs = self.worker.frames[ply].cutoffs.saturating_add(1);
                        if T::COUNTS {
                            self.worker.tally.note_cutoff(searched);
                        }
                        break;
                    }
                    alpha = score;
                    if on!(self.toggles, RaisedAlpha) && raised_alpha::applies(depth, score) {
                        node.depth = depth - 1;
                    }
                }
            }
            tried.push(mv, is_quiet);
        }
        self.worker.keys.pop();

        // 17. No legal move: mate or stalemate. A singular search without another move has failed low.
        if met == 0 {
            return Ok(match (excluded, is_check) {
                (Some(_), _) => window.alpha,
                (None, true) => Score::mated_in(ply),
                (None, false) => Score::DRAW,
            });
        }

        // 18. Learn from the result, and remember it.
        if let Some(mv) = best_move.filter(|_| best >= window.beta) {
            self.note_cutoff(position, &at, mv, &tried, depth, ply);
        }
        if on!(self.toggles, FailHighBlend) {
            best = fail_high::blend(best, window.beta, depth);
        }
        if excluded.is_none() {
            let bound = Bound::of(best, window);
            if bound == Bound::Upper {
                self.note_fail_low(position, depth, ply);
            }
            let is_quiet = best_move.is_none_or(|mv| !position.is_noisy(mv));
            if let Some(eval) = static_eval
                && is_quiet
                && !best.is_decisive()
                && bound.contradicts(best, eval)
            {
                self.corrections.learn(self.toggles, &traits, depth, best, eval);
            }
            let record = Record {
                mv: best_move,
                score: best.to_table(ply),
                static_eval: raw_eval,
                depth,
                bound,
                is_pv: node.was_pv,
            };
            self.store(position, record);
        }
        Ok(best)
    }

    /// Did the evaluation rise since our last move? Where that is not known, yes.
    #[inline]
    fn is_improving(&self, static_eval: Option<Score>, ply: Ply) -> bool {
        if !on!(self.toggles, Improving) {
            return false;
        }
        let Some(eval) = static_eval else { return false };
        let frames = &self.worker.frames;
        let earlier = frames.before(ply, 2).static_eval.or(frames.before(ply, 4).static_eval);
        earlier.is_none_or(|earlier| eval > earlier)
    }

    /// The evaluation, or the table's score where that is known to be better.
    #[inline]
    pub(in crate::search) fn informed_eval(&self, eval: Score, record: Option<Record>) -> Score {
        let Some(record) = record.filter(|_| on!(self.toggles, HashEval)) else { return eval };
        let is_better = !record.score.is_decisive() && record.bound.contradicts(record.score, eval);
        if is_better { record.score } else { eval }
    }

    /// Asks whether the hash move is singular, by a search without it.
    #[inline]
    fn ask_singular(
        &mut self,
        position: &Position,
        node: &NodeContext,
        beta: Score,
        record: Option<Record>,
        ply: Ply,
    ) -> Result<Answer, Stopped> {
        let iteration = self.worker.iteration;
        if on!(self.toggles, SingularExtension)
            && self.worker.frames[ply].excluded.is_none()
            && let (Some(mv), Some(record)) = (node.hash_move, record)
            && let Some(question) = singular::question(self.toggles, node, &record, ply, iteration)
        {
            self.worker.frames[ply].excluded = Some(mv);
            let below = Window::null_below(question.beta);
            let score = self.pvs::<NonPv>(position, below, question.depth, ply, node.is_cut);
            self.worker.frames[ply].excluded = None;
            let doubled = self.worker.frames[ply].doubled;
            return Ok(singular::answer(self.toggles, node, question, score?, beta, doubled));
        }
        Ok(Answer::Extend(0))
    }

    /// Is a move worth a search? `met` counts it and those before it.
    #[expect(clippy::too_many_arguments, reason = "all that a bet on a move may depend on")]
    #[inline]
    fn fate(
        &self,
        position: &Position,
        node: &NodeContext,
        mv: Move,
        is_quiet: bool,
        history: i32,
        met: usize,
        alpha: Score,
    ) -> Fate {
        let toggles = self.toggles;
        let reduced = late_move_reductions::expected_depth(toggles, node, met);
        let loses_more_than =
            |limit: Option<Score>| limit.is_some_and(|limit| !position.see_at_least(mv, limit));
        let gives_check = position.gives_check(mv);
        if is_quiet && !gives_check {
            let is_evasion = position.is_check();
            if on!(toggles, LateMovePruning) && !is_evasion && move_pruning::is_late(toggles, node, met) {
                return Fate::SkipQuiets;
            }
            if on!(toggles, HistoryPruning) && move_pruning::has_failed_before(toggles, reduced, history) {
                return Fate::Skip(None);
            }
            if on!(toggles, Futility)
                && let Some(eval) = node.static_eval
                && let Some(score) = move_pruning::futile_score(toggles, eval, alpha, reduced, history)
            {
                return Fate::Skip(Some(score));
            }
            let limit = move_pruning::quiet_exchange_limit(toggles, node.depth, reduced);
            if on!(toggles, SeePruning) && loses_more_than(limit) {
                return Fate::Skip(None);
            }
            return Fate::Search;
        }
        if on!(toggles, CaptureFutility)
            && !gives_check
            && mv.promotion().is_none()
            && let Some(eval) = node.static_eval
            && move_pruning::is_futile_capture(toggles, eval, alpha, reduced, position.captured(mv))
        {
            return Fate::Skip(None);
        }
        let history = if is_quiet { 0 } else { history };
        let limit = move_pruning::capture_exchange_limit(toggles, node.depth, history);
        if on!(toggles, SeePruning) && loses_more_than(limit) {
            return Fate::Skip(None);
        }
        Fate::Search
    }

    /// Plays a move from the node at `ply` and notes it for the nodes below.
    #[inline]
    pub(in crate::search) fn play(
        &mut self,
        position: &Position,
        mv: Move,
        ply: Ply,
        extension: i32,
    ) -> Position {
        self.prefetch(position, mv);
        let frames = &mut self.worker.frames;
        let frame = &mut frames[ply];
        frame.current = Some(mv);
        frame.landing = Landing::of(position, mv);
        frame.capture = position.is_capture(mv).then(|| mv.to());
        frame.reduction = 0;
        let doubled = frame.doubled + u8::from(extension > 1);
        frames.after(ply, 1).doubled = doubled;
        position.after(mv)
    }

    /// The value of a move: the first in full, the others by a null window, reduced at first, and again in full
    /// where that shows more.
    #[inline]
    pub(super) fn descend<N: Node>(
        &mut self,
        child: &Position,
        window: Window,
        descent: Descent,
        ply: Ply,
    ) -> Result<Score, Stopped> {
        let next = ply.next();
        let Descent { full, reduced, searched, is_cut, best } = descent;
        if N::IS_PV {
            // A move that cuts by its null window brings no line; what stands there is a sibling's.
            self.worker.frames.line(next).clear();
        }
        let is_first = searched == 0 || !on!(self.toggles, NullWindow);
        if N::IS_PV && is_first && reduced == full {
            return Ok(-self.pvs::<Pv>(child, -window, full, next, false)?);
        }
        let null = -Window::null_above(window.alpha);
        let mut depth = full;
        let mut score;
        if reduced < full {
            self.worker.frames[ply].reduction = (full - reduced.0).0;
            score = -self.pvs::<NonPv>(child, null, reduced, next, true)?;
            self.worker.frames[ply].reduction = 0;
            if score > window.alpha {
                depth = late_move_reductions::research_depth(self.toggles, full, score, best);
                if depth > reduced {
                    score = -self.pvs::<NonPv>(child, null, depth, next, !is_cut)?;
                }
            }
        } else {
            score = -self.pvs::<NonPv>(child, null, full, next, !is_cut)?;
        }
        if N::IS_PV && score > window.alpha && (score < window.beta || !on!(self.toggles, NullWindow)) {
            score = -self.pvs::<Pv>(child, -window, depth, next, false)?;
        }
        Ok(score)
    }
}
