//! All histories that one worker uses: its own, and those that it shares with others.

use zerocopy::{FromBytes, IntoBytes, KnownLayout};

use super::butterfly::ButterflyHistory;
use super::capture::CaptureHistory;
use super::context::{Cutoff, HistoryContext, LastMove, PreviousMoves};
use super::continuation::ContinuationHistory;
use super::pawn::{PawnEntries, PawnHistory};
use crate::position::Position;
use crate::search::heuristics::piece_to::PieceTo;
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::sync::coherence::{self, Watched};
use crate::types::{Depth, Move};

/// The history tables of fixed size. Range of an entry: `±HistoryLimit`.
///
/// With the pawn history almost 2 MiB; they lie in [`HistoryMemory`](super::memory::HistoryMemory).
#[derive(FromBytes, IntoBytes, KnownLayout)]
#[repr(C)]
pub(super) struct FixedTables {
    butterfly: ButterflyHistory,
    capture: CaptureHistory,
    continuation: ContinuationHistory,
}

/// The histories that a worker reads and updates. Each table may be another set's.
#[derive(Clone, Copy)]
pub(crate) struct Histories<'a> {
    butterfly: &'a ButterflyHistory,
    capture: &'a CaptureHistory,
    continuation: &'a ContinuationHistory,
    pawn: PawnHistory<'a>,
}

impl<'a> Histories<'a> {
    /// Returns the tables of one set.
    pub(super) fn of(tables: &'a FixedTables, pawn: &'a [PawnEntries]) -> Self {
        let FixedTables { butterfly, capture, continuation } = tables;
        Self { butterfly, capture, continuation, pawn: PawnHistory(pawn) }
    }

    /// Replaces the pawn history by that of `other`.
    pub(crate) fn with_pawn_of(self, other: Self) -> Self {
        Self { pawn: other.pawn, ..self }
    }

    /// Replaces the butterfly and capture histories by those of `other`.
    pub(crate) fn with_butterfly_of(self, other: Self) -> Self {
        Self { butterfly: other.butterfly, capture: other.capture, ..self }
    }

    /// Replaces the continuation history by that of `other`.
    pub(crate) fn with_continuation_of(self, other: Self) -> Self {
        Self { continuation: other.continuation, ..self }
    }
}

impl Histories<'_> {
    /// Returns the names and addresses of the tables that threads may share.
    pub(crate) fn watched(&self) -> Vec<Watched> {
        let parts = [
            ("butterfly", coherence::extent(self.butterfly)),
            ("capture", coherence::extent(self.capture)),
            ("continuation", coherence::extent(self.continuation)),
            ("pawn", coherence::extent(self.pawn.0)),
        ];
        parts.into_iter().map(|(name, part)| (name, vec![part])).collect()
    }

    /// Returns the ordering score of the quiet moves of a node, as a function that has looked up
    /// the rows of the tables. Units: percent of a unit of history, so that weights need no division.
    #[inline]
    pub(crate) fn ordering_score<T: Toggles>(
        &self,
        toggles: T,
        position: &Position,
        context: &HistoryContext,
    ) -> impl Fn(Move) -> i32 {
        let [last, second, fourth, sixth] = context.before.map(|before| self.continuation.row(before));
        let pawns = self.pawn.row(context.pawns);
        let weight = |tunable| toggles.value(tunable);
        let (butterfly, pawn) = (weight(Tunable::ButterflyWeight), weight(Tunable::PawnHistoryWeight));
        let far = weight(Tunable::ContinuationFar);
        move |mv| {
            let index = PieceTo::of(position, mv).move_index();
            let mut sum = 0;
            if on!(toggles, History) {
                sum += self.butterfly.score(context.side, context.threats, mv) * butterfly;
            }
            if on!(toggles, ContinuationHistory) {
                sum += (last[index].get() + second[index].get()) * 100;
                sum += (fourth[index].get() + sixth[index].get()) * far;
            }
            if on!(toggles, PawnHistory) {
                sum += pawns[index].get() * pawn;
            }
            sum
        }
    }

    /// Returns the history of the quiet moves of a node, as reductions and pruning use it, as a
    /// function that has looked up the rows of the tables. It leaves out what only the order uses: the
    /// moves four and six plies ago.
    #[inline]
    pub(crate) fn quiet_score<T: Toggles>(
        &self,
        toggles: T,
        position: &Position,
        context: &HistoryContext,
    ) -> impl Fn(Move) -> i32 {
        let [last, second, ..] = context.before;
        let [last, second] = [last, second].map(|before| self.continuation.row(before));
        let pawns = self.pawn.row(context.pawns);
        move |mv| {
            let index = PieceTo::of(position, mv).move_index();
            let mut sum = 0;
            if on!(toggles, History) {
                sum += self.butterfly.score(context.side, context.threats, mv);
            }
            if on!(toggles, ContinuationHistory) {
                sum += last[index].get() + second[index].get();
            }
            if on!(toggles, PawnHistory) {
                sum += pawns[index].get();
            }
            sum
        }
    }

    /// Returns the history of a capture or promotion.
    #[inline]
    pub(crate) fn capture_score<T: Toggles>(&self, toggles: T, position: &Position, mv: Move) -> i32 {
        if on!(toggles, CaptureHistory) { self.capture.score(position, mv) } else { 0 }
    }

    /// Returns the history of a move of either kind, as reductions and pruning use it.
    #[inline]
    pub(crate) fn move_score<T: Toggles>(
        &self,
        toggles: T,
        position: &Position,
        context: &HistoryContext,
        mv: Move,
        is_quiet: bool,
    ) -> i32 {
        if is_quiet {
            self.quiet_score(toggles, position, context)(mv)
        } else {
            self.capture_score(toggles, position, mv)
        }
    }

    /// Rewards the move that caused a cutoff, and penalizes those tried before it. Quiet moves are
    /// penalized only by a quiet one, since a capture is tried before most of them.
    pub(crate) fn learn_cutoff<T: Toggles>(
        &self,
        toggles: T,
        position: &Position,
        context: &HistoryContext,
        cutoff: Cutoff<'_>,
    ) {
        let bonus = bonus(toggles, cutoff.depth);
        let malus = if on!(toggles, HistoryMalus) { malus(toggles, cutoff.depth) } else { 0 };
        if position.is_noisy(cutoff.best) {
            self.add_capture(toggles, position, cutoff.best, bonus);
        } else {
            self.add_quiet(toggles, position, context, cutoff.best, bonus);
            for &mv in cutoff.quiets {
                self.add_quiet(toggles, position, context, mv, -malus);
            }
        }
        for &mv in cutoff.captures {
            self.add_capture(toggles, position, mv, -malus);
        }
    }

    /// Rewards the quiet move that led to a node that failed low.
    pub(crate) fn learn_fail_low<T: Toggles>(&self, toggles: T, last: &LastMove, depth: Depth) {
        let bonus = bonus(toggles, depth) * toggles.value(Tunable::FailLowBonus) / 100;
        self.add_last(toggles, last, bonus);
        if on!(toggles, ContinuationHistory) {
            self.add_continuations(toggles, last.before, last.piece_to, bonus);
        }
    }

    /// Rewards or penalizes the quiet move that led to a node by how much it improved the static
    /// evaluation for its side.
    pub(crate) fn learn_from_eval<T: Toggles>(&self, toggles: T, last: &LastMove, gain: i32) {
        let most = toggles.value(Tunable::EvalHistoryMax);
        let bonus = (gain * toggles.value(Tunable::EvalHistoryWeight)).clamp(-most, most);
        if bonus != 0 {
            self.add_last(toggles, last, bonus);
        }
    }

    fn add_last<T: Toggles>(&self, toggles: T, last: &LastMove, bonus: i32) {
        if on!(toggles, History) {
            let limit = toggles.value(Tunable::HistoryLimit);
            self.butterfly.add(last.mover, last.threats, last.mv, bonus, limit);
        }
    }

    fn add_quiet<T: Toggles>(
        &self,
        toggles: T,
        position: &Position,
        context: &HistoryContext,
        mv: Move,
        bonus: i32,
    ) {
        let piece_to = PieceTo::of(position, mv);
        let limit = toggles.value(Tunable::HistoryLimit);
        if on!(toggles, History) {
            self.butterfly.add(context.side, context.threats, mv, bonus, limit);
        }
        if on!(toggles, ContinuationHistory) {
            self.add_continuations(toggles, context.before, piece_to, bonus);
        }
        if on!(toggles, PawnHistory) {
            self.pawn.add(context.pawns, piece_to, bonus, limit);
        }
    }

    fn add_continuations<T: Toggles>(
        &self,
        toggles: T,
        before: PreviousMoves,
        piece_to: PieceTo,
        bonus: i32,
    ) {
        for earlier in before {
            self.continuation.add(earlier, piece_to, bonus, toggles.value(Tunable::HistoryLimit));
        }
    }

    fn add_capture<T: Toggles>(&self, toggles: T, position: &Position, mv: Move, bonus: i32) {
        if on!(toggles, CaptureHistory) {
            self.capture.add(position, mv, bonus, toggles.value(Tunable::HistoryLimit));
        }
    }
}

/// Returns the bonus of a cutoff at `depth`.
fn bonus<T: Toggles>(toggles: T, depth: Depth) -> i32 {
    let linear = toggles.value(Tunable::HistoryBonus) * depth.0 - toggles.value(Tunable::HistoryOffset);
    linear.clamp(0, toggles.value(Tunable::HistoryMax))
}

/// Returns the malus of a move tried before a cutoff at `depth`.
fn malus<T: Toggles>(toggles: T, depth: Depth) -> i32 {
    (toggles.value(Tunable::MalusSlope) * depth.0).clamp(0, toggles.value(Tunable::MalusMax))
}

#[cfg(test)]
mod tests {
    use super::super::context::PLIES_BACK;
    use super::super::memory::HistoryMemory;
    use super::*;
    use crate::search::switches::{Fixed, Settings};

    #[test]
    fn repeated_cutoffs_raise_the_best_move_and_lower_those_tried_before() {
        let limit = Fixed.value(Tunable::HistoryLimit);
        let position = Position::startpos();
        let moves = position.quiets();
        let context = HistoryContext::of(&position, [PieceTo::NONE; PLIES_BACK.len()]);
        let memory = HistoryMemory::new(1).expect("some memory");
        let histories = memory.histories();
        for _ in 0..1000 {
            let cutoff = Cutoff { best: moves[0], quiets: &moves[1..3], captures: &[], depth: Depth(30) };
            histories.learn_cutoff(Fixed, &position, &context, cutoff);
        }
        let score = histories.ordering_score(Fixed, &position, &context);
        assert!(score(moves[0]) > 100 * limit);
        assert!(score(moves[1]) < -100 * limit && score(moves[2]) < -100 * limit);
        assert_eq!(score(moves[3]), 0);
    }

    /// A table counts at the percentage of its weight.
    #[test]
    fn order_is_linear_in_the_weight_of_each_table() {
        let position = Position::startpos();
        let moves = position.quiets();
        let before = [PieceTo::of(&position, moves[5]); PLIES_BACK.len()];
        let context = HistoryContext::of(&position, before);
        let memory = HistoryMemory::new(1).expect("some memory");
        let histories = memory.histories();
        let cutoff = Cutoff { best: moves[0], quiets: &[], captures: &[], depth: Depth(30) };
        let all = Settings::default();
        histories.learn_cutoff(&all, &position, &context, cutoff);
        for weight in [Tunable::ButterflyWeight, Tunable::PawnHistoryWeight, Tunable::ContinuationFar] {
            let score = |percent| {
                let mut settings = all.clone();
                settings.tune(weight, percent);
                histories.ordering_score(&settings, &position, &context)(moves[0])
            };
            let [none, half, whole] = [0, 50, 100].map(score);
            assert!(none < half && whole - half == half - none, "{weight:?}: {none} {half} {whole}");
            // Of two tables at most.
            assert!(whole - none <= 200 * Fixed.value(Tunable::HistoryLimit), "{weight:?}: {none} {whole}");
        }
    }

    #[test]
    fn cutoff_lowers_the_captures_tried_before_it_whatever_caused_it() {
        let position: Position = "4k3/8/2p2r2/3p4/4P1N1/8/8/4K3 w - - 0 1".parse().expect("a position");
        let context = HistoryContext::of(&position, [PieceTo::NONE; PLIES_BACK.len()]);
        let [pawn, knight, quiet] =
            ["e4d5", "g4f6", "e1d1"].map(|mv| position.parse_uci(mv).expect("a legal move"));
        for best in [knight, quiet] {
            let memory = HistoryMemory::new(1).expect("some memory");
            let histories = memory.histories();
            let cutoff = Cutoff { best, quiets: &[], captures: &[pawn], depth: Depth(8) };
            histories.learn_cutoff(Fixed, &position, &context, cutoff);
            let score = |mv, is_quiet| histories.move_score(Fixed, &position, &context, mv, is_quiet);
            assert!(score(pawn, false) < 0);
            assert!(score(best, best == quiet) > 0);
        }
    }
}
