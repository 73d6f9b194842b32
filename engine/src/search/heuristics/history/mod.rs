//! What earlier cutoffs teach about the order of moves.
//!
//! Bet: a move that refuted one position refutes those like it, and one that was tried in vain fails again. Each table
//! has its own idea of "like": same squares ([`butterfly`]), same moves before ([`continuation`]), same pawns
//! ([`pawn`]), same distance from the root ([`low_ply`]), same piece and victim ([`capture`]).
//! Preconditions: none.
//! Soundness: ordering only; reductions and pruning read the sums too, and they are the unsound ones.
//! Knobs: `HistoryBonus`, `HistoryOffset`, `HistoryMax`, `MalusSlope`, `MalusMax`, `FailLowBonus`, and the weights.
//! Source: Schaeffer, "The history heuristic" (1983); the bounded update and the malus are the field's common ones.
//! Evidence: `results/search.md`, "histories".

mod butterfly;
mod capture;
mod continuation;
mod low_ply;
mod pawn;

pub(crate) use continuation::{LANDINGS, Landing};

use butterfly::ButterflyHistory;
use capture::CaptureHistory;
use continuation::ContinuationHistory;
use low_ply::LowPlyHistory;
use pawn::PawnHistory;

use crate::memory::OutOfMemory;
use crate::position::Position;
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::types::{Bitboard, Color, Depth, Move, Ply};

/// No entry exceeds this.
pub(crate) const LIMIT: i32 = 16_384;

/// One number of a history.
type Entry = super::entry::Entry<LIMIT>;

/// How many plies back each continuation looks: our own moves (2, 4, 6) and the opponent's last (1).
pub(crate) const PLIES_BACK: [usize; 4] = [1, 2, 4, 6];

/// What the histories need to know of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings {
    /// Who moves.
    side: Color,
    /// The squares the opponent attacks.
    pub(crate) threats: Bitboard,
    /// Where the pawn structure has its row.
    pawns: pawn::Structure,
    /// The moves before, by [`PLIES_BACK`].
    before: [Landing; PLIES_BACK.len()],
    ply: Ply,
}

impl Surroundings {
    /// Those of a node that was reached by the moves `before`.
    #[inline]
    pub(crate) fn of(position: &Position, before: [Landing; PLIES_BACK.len()], ply: Ply) -> Self {
        let side = position.side_to_move();
        Self { side, threats: position.threats(), pawns: pawn::Structure::of(position), before, ply }
    }
}

/// The moves of a node that was cut, and how deep it was searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cutoff<'a> {
    /// The move that cut.
    pub(crate) best: Move,
    /// Quiet moves searched before it.
    pub(crate) quiets: &'a [Move],
    /// Captures and promotions searched before it.
    pub(crate) noisy: &'a [Move],
    pub(crate) depth: Depth,
}

/// The quiet move that led to a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastMove {
    pub(crate) mover: Color,
    pub(crate) mv: Move,
    pub(crate) landing: Landing,
    /// The squares its opponent attacked before it.
    pub(crate) threats: Bitboard,
    /// The moves before it.
    pub(crate) before: [Landing; PLIES_BACK.len()],
}

/// All histories: of one worker, or of all that work together.
pub(crate) struct Histories {
    butterfly: ButterflyHistory,
    capture: CaptureHistory,
    continuation: ContinuationHistory,
    pawn: PawnHistory,
    low_ply: LowPlyHistory,
}

impl Histories {
    /// Nothing known.
    pub(crate) fn new() -> Result<Self, OutOfMemory> {
        Ok(Self {
            butterfly: ButterflyHistory::new()?,
            capture: CaptureHistory::new()?,
            continuation: ContinuationHistory::new()?,
            pawn: PawnHistory::new()?,
            low_ply: LowPlyHistory::new()?,
        })
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.butterfly.clear();
        self.capture.clear();
        self.continuation.clear();
        self.pawn.clear();
        self.low_ply.clear();
    }

    /// Forgets what belongs to one search only: plies are counted from its root.
    pub(crate) fn start_search(&self) {
        self.low_ply.start_search();
    }

    /// What the histories say of a quiet move: the order in which it is tried.
    #[inline]
    pub(crate) fn quiet<T: Toggles>(
        &self,
        toggles: T,
        position: &Position,
        at: &Surroundings,
        mv: Move,
    ) -> i32 {
        let mut sum = self.merit(toggles, position, at, mv);
        if on!(toggles, ContinuationHistory) {
            let landing = Landing::of(position, mv);
            let far = self.continuation.score(at.before[2], landing)
                + self.continuation.score(at.before[3], landing);
            sum += far * toggles.value(Tunable::ContinuationFar) / 100;
        }
        if on!(toggles, LowPlyHistory) {
            sum += self.low_ply.score(at.ply, mv) * toggles.value(Tunable::LowPlyWeight) / 100;
        }
        sum
    }

    /// The part of it that reductions and pruning trust. What is known of a move at this very ply only says where it
    /// stood in the iterations before: a move that is late already must not be reduced for that again.
    #[inline]
    pub(crate) fn merit<T: Toggles>(
        &self,
        toggles: T,
        position: &Position,
        at: &Surroundings,
        mv: Move,
    ) -> i32 {
        let landing = Landing::of(position, mv);
        let mut sum = 0;
        if on!(toggles, History) {
            sum += self.butterfly.score(at.side, at.threats, mv);
        }
        if on!(toggles, ContinuationHistory) {
            sum += self.continuation.score(at.before[0], landing)
                + self.continuation.score(at.before[1], landing);
        }
        if on!(toggles, PawnHistory) {
            sum += self.pawn.score(at.pawns, landing);
        }
        sum
    }

    /// What the history says of a capture or promotion.
    #[inline]
    pub(crate) fn noisy<T: Toggles>(&self, toggles: T, position: &Position, mv: Move) -> i32 {
        if on!(toggles, CaptureHistory) { self.capture.score(position, mv) } else { 0 }
    }

    /// A node was cut: its best move gains, those tried before it lose.
    pub(crate) fn reward<T: Toggles>(
        &self,
        toggles: T,
        position: &Position,
        at: &Surroundings,
        cutoff: Cutoff<'_>,
    ) {
        let bonus = bonus(toggles, cutoff.depth);
        let malus = if on!(toggles, HistoryMalus) { malus(toggles, cutoff.depth) } else { 0 };
        if position.is_noisy(cutoff.best) {
            self.add_noisy(toggles, position, cutoff.best, bonus);
        } else {
            self.add_quiet(toggles, position, at, cutoff.best, bonus);
            for &mv in cutoff.quiets {
                self.add_quiet(toggles, position, at, mv, -malus);
            }
        }
        for &mv in cutoff.noisy {
            self.add_noisy(toggles, position, mv, -malus);
        }
    }

    /// A node failed low: the quiet move that led to it did well.
    pub(crate) fn reward_unrefuted<T: Toggles>(&self, toggles: T, last: &LastMove, depth: Depth) {
        let bonus = bonus(toggles, depth) * toggles.value(Tunable::FailLowBonus) / 100;
        self.add_last(toggles, last, bonus);
        if on!(toggles, ContinuationHistory) {
            self.add_continuations(last.before, last.landing, bonus);
        }
    }

    /// The quiet move that led to a node improved the evaluation by so much, from its own side's view, or spoilt it.
    pub(crate) fn reward_by_eval<T: Toggles>(&self, toggles: T, last: &LastMove, gain: i32) {
        let most = toggles.value(Tunable::EvalHistoryMax);
        let bonus = (gain * toggles.value(Tunable::EvalHistoryWeight)).clamp(-most, most);
        self.add_last(toggles, last, bonus);
    }

    fn add_last<T: Toggles>(&self, toggles: T, last: &LastMove, bonus: i32) {
        if on!(toggles, History) {
            self.butterfly.add(last.mover, last.threats, last.mv, bonus);
        }
    }

    fn add_quiet<T: Toggles>(
        &self,
        toggles: T,
        position: &Position,
        at: &Surroundings,
        mv: Move,
        bonus: i32,
    ) {
        let landing = Landing::of(position, mv);
        if on!(toggles, History) {
            self.butterfly.add(at.side, at.threats, mv, bonus);
        }
        if on!(toggles, ContinuationHistory) {
            self.add_continuations(at.before, landing, bonus);
        }
        if on!(toggles, PawnHistory) {
            self.pawn.add(at.pawns, landing, bonus);
        }
        if on!(toggles, LowPlyHistory) {
            self.low_ply.add(at.ply, mv, bonus);
        }
    }

    fn add_continuations(&self, before: [Landing; PLIES_BACK.len()], landing: Landing, bonus: i32) {
        for earlier in before {
            self.continuation.add(earlier, landing, bonus);
        }
    }

    fn add_noisy<T: Toggles>(&self, toggles: T, position: &Position, mv: Move, bonus: i32) {
        if on!(toggles, CaptureHistory) {
            self.capture.add(position, mv, bonus);
        }
    }
}

/// What a cutoff at this depth adds.
fn bonus<T: Toggles>(toggles: T, depth: Depth) -> i32 {
    let linear = toggles.value(Tunable::HistoryBonus) * depth.0 - toggles.value(Tunable::HistoryOffset);
    linear.clamp(0, toggles.value(Tunable::HistoryMax))
}

/// What a move loses that was tried before a cutoff at this depth.
fn malus<T: Toggles>(toggles: T, depth: Depth) -> i32 {
    (toggles.value(Tunable::MalusSlope) * depth.0).clamp(0, toggles.value(Tunable::MalusMax))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::Fixed;

    #[test]
    fn stays_in_range_and_remembers() {
        let position = Position::startpos();
        let moves = position.quiets();
        let at = Surroundings::of(&position, [Landing::NONE; PLIES_BACK.len()], Ply(1));
        let histories = Histories::new().expect("some memory");
        for _ in 0..1000 {
            let cutoff = Cutoff { best: moves[0], quiets: &moves[1..3], noisy: &[], depth: Depth(30) };
            histories.reward(Fixed, &position, &at, cutoff);
        }
        let score = |mv| histories.quiet(Fixed, &position, &at, mv);
        assert!(score(moves[0]) > LIMIT);
        assert!(score(moves[1]) < -LIMIT && score(moves[2]) < -LIMIT);
        assert_eq!(score(moves[3]), 0);
    }
}
