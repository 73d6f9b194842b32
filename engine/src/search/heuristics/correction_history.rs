//! Correction history.
//!
//! Bet: where the evaluation was wrong with these pawns, these pieces or after these moves, it is wrong again, by as
//! much and in the same direction.
//! Preconditions: not in check; the best move is quiet; the bound of the score speaks against the evaluation.
//! Soundness: unsound, since it changes the evaluation.
//! Knobs: `PawnCorrectionWeight`, `MinorCorrectionWeight`, `NonPawnCorrectionWeight`, `ContinuationCorrectionWeight`.
//! Source: Caissa (Witczak, 2023) made it known; now common to the strongest engines.
//! Evidence: `results/search.md`, "Groups": -9 ± 19 Elo, so it is off in play. It does bring the evaluation nearer to what
//! the search finds, but not the moves.

use super::history::{LANDINGS, Landing};
use crate::position::Position;
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::types::{Bitboard, ByColor, Color, Depth, PieceType, Score};

/// No entry exceeds this.
const LIMIT: i32 = 1024;
/// One centipawn in the units of an entry.
const GRAIN: i32 = 12;
/// Entries a table has for each side to move.
const ROWS: usize = 16_384;
/// A single update moves an entry at most so far.
const MAX_STEP: i32 = LIMIT / 4;
/// An update weighs the error by depth and divides by this.
const DEPTH_DIVISOR: i32 = 4;

/// One number of a table.
type Entry = super::entry::Entry<LIMIT>;

/// Shape: `[row][side to move]`.
type Rows = Box<[ByColor<Entry>]>;

fn rows() -> Rows {
    (0..ROWS).map(|_| ByColor::default()).collect()
}

/// Kinds of move a continuation tells apart, none among them.
const KINDS: usize = LANDINGS + 1;

/// What the corrections depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traits {
    side: Color,
    pawns: usize,
    minors: usize,
    /// By colour of the pieces.
    pieces: [usize; 2],
    /// The last two moves, the opponent's first.
    moves: [Landing; 2],
}

impl Traits {
    /// Those of a position that was reached by `moves`, the last one first.
    #[inline]
    pub(crate) fn of(position: &Position, moves: [Landing; 2]) -> Self {
        let row = |key: u64| (key % ROWS as u64) as usize;
        Self {
            side: position.side_to_move(),
            pawns: row(position.pawn_key().0),
            minors: row(minor_key(position)),
            pieces: [Color::White, Color::Black].map(|color| row(position.non_pawn_key(color).0)),
            moves,
        }
    }
}

/// A key of knights, bishops and kings. Computed when asked for: the position keeps no such key.
#[inline]
fn minor_key(position: &Position) -> u64 {
    let minors = position.pieces(PieceType::Knight) | position.pieces(PieceType::Bishop);
    let mix = |set: Bitboard, odd: u64| (set.0 ^ set.0 >> 29).wrapping_mul(odd);
    let mut key = mix(position.pieces(PieceType::Knight), 0x9E37_79B9_7F4A_7C15);
    key ^= mix(minors & position.side(Color::White), 0xC2B2_AE3D_27D4_EB4F).rotate_left(17);
    key ^= mix(minors & position.side(Color::Black), 0x1656_67B1_9E37_79F9).rotate_left(31);
    key ^= mix(position.pieces(PieceType::King), 0x27D4_EB2F_1656_67C5).rotate_left(43);
    key ^ key >> 32
}

/// How far off the evaluation was. Range of an entry: `±LIMIT`.
pub(crate) struct CorrectionHistory {
    pawns: Rows,
    minors: Rows,
    /// By colour of the pieces.
    pieces: [Rows; 2],
    /// Shape: `[move before the last][last move]`, in one dimension.
    moves: Box<[Entry]>,
}

impl CorrectionHistory {
    /// Nothing known.
    pub(crate) fn new() -> Self {
        Self {
            pawns: rows(),
            minors: rows(),
            pieces: [rows(), rows()],
            moves: (0..KINDS * KINDS).map(|_| Entry::default()).collect(),
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        let [white, black] = &mut self.pieces;
        for table in [&mut self.pawns, &mut self.minors, white, black] {
            table.fill_with(ByColor::default);
        }
        self.moves.fill_with(Entry::default);
    }

    /// The entry of the last two moves.
    #[inline]
    fn continuation(&self, moves: [Landing; 2]) -> &Entry {
        &self.moves[moves[1].index() * KINDS + moves[0].index()]
    }

    /// What to add to the evaluation. Units: centipawns.
    #[inline]
    pub(crate) fn correction<T: Toggles>(&self, toggles: T, at: &Traits) -> i32 {
        let mut sum = 0;
        let mut add = |entry: &Entry, weight: Tunable| sum += entry.get() * toggles.value(weight);
        if on!(toggles, PawnCorrection) {
            add(&self.pawns[at.pawns][at.side], Tunable::PawnCorrectionWeight);
        }
        if on!(toggles, MinorCorrection) {
            add(&self.minors[at.minors][at.side], Tunable::MinorCorrectionWeight);
        }
        if on!(toggles, NonPawnCorrection) {
            for (table, row) in self.pieces.iter().zip(at.pieces) {
                add(&table[row][at.side], Tunable::NonPawnCorrectionWeight);
            }
        }
        if on!(toggles, ContinuationCorrection) {
            add(self.continuation(at.moves), Tunable::ContinuationCorrectionWeight);
        }
        sum / (100 * GRAIN)
    }

    /// The search found `score` where the evaluation, as corrected, said `eval`.
    pub(crate) fn learn<T: Toggles>(&self, toggles: T, at: &Traits, depth: Depth, score: Score, eval: Score) {
        let error = (score - eval).0 * depth.0 / DEPTH_DIVISOR;
        let step = error.clamp(-MAX_STEP, MAX_STEP);
        if on!(toggles, PawnCorrection) {
            self.pawns[at.pawns][at.side].pull(step);
        }
        if on!(toggles, MinorCorrection) {
            self.minors[at.minors][at.side].pull(step);
        }
        if on!(toggles, NonPawnCorrection) {
            for (table, row) in self.pieces.iter().zip(at.pieces) {
                table[row][at.side].pull(step);
            }
        }
        if on!(toggles, ContinuationCorrection)
            && at.moves[1] != Landing::NONE
            && at.moves[0] != Landing::NONE
        {
            self.continuation(at.moves).pull(step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::{Settings, Switch};

    #[test]
    fn learns_the_direction_and_stays_in_range() {
        let switches = [
            Switch::PawnCorrection,
            Switch::MinorCorrection,
            Switch::NonPawnCorrection,
            Switch::ContinuationCorrection,
        ];
        let settings = switches.into_iter().fold(Settings::default(), |all, one| all.with(one, true));
        let position = Position::startpos();
        let at = Traits::of(&position, [Landing::NONE; 2]);
        let mut history = CorrectionHistory::new();
        assert_eq!(history.correction(&settings, &at), 0);
        history.learn(&settings, &at, Depth(8), Score(60), Score(10));
        let first = history.correction(&settings, &at);
        assert!(first > 0);
        for _ in 0..1000 {
            history.learn(&settings, &at, Depth(60), Score(30_000), Score(-30_000));
        }
        let most = history.correction(&settings, &at);
        assert!(most > first && most <= 5 * 3 * LIMIT / GRAIN);
        let black = Traits::of(&position.after_null(), [Landing::NONE; 2]);
        assert_eq!(history.correction(&settings, &black), 0, "each side has its own");
        history.clear();
        assert_eq!(history.correction(&settings, &at), 0);
    }
}
