//! Correction history.
//!
//! Bet: where the evaluation was wrong with these pawns, these pieces or after these moves, it is wrong again, by as
//! much and in the same direction.
//! Preconditions: not in check; the best move is quiet; the bound of the score speaks against the evaluation.
//! Soundness: unsound, since it changes the evaluation.
//! Knobs: `PawnCorrectionWeight`, `MinorCorrectionWeight`, `NonPawnCorrectionWeight`, `ContinuationCorrectionWeight`.
//! Source: Caissa (Witczak, 2023) made it known; now common to the strongest engines.
//! Evidence: `results/search.md`, "correction history".

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

type Rows = Box<[ByColor<i16>]>;

fn rows() -> Rows {
    vec![ByColor::default(); ROWS].into_boxed_slice()
}

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
    /// Shape: `[move before the last][last move]`.
    moves: Box<[[i16; LANDINGS + 1]]>,
}

impl CorrectionHistory {
    /// Nothing known.
    pub(crate) fn new() -> Self {
        Self {
            pawns: rows(),
            minors: rows(),
            pieces: [rows(), rows()],
            moves: vec![[0; LANDINGS + 1]; LANDINGS + 1].into_boxed_slice(),
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Self::new();
    }

    /// What to add to the evaluation. Units: centipawns.
    #[inline]
    pub(crate) fn correction<T: Toggles>(&self, toggles: T, at: &Traits) -> i32 {
        let mut sum = 0;
        let mut add = |entry: i16, weight: Tunable| sum += i32::from(entry) * toggles.value(weight);
        if on!(toggles, PawnCorrection) {
            add(self.pawns[at.pawns][at.side], Tunable::PawnCorrectionWeight);
        }
        if on!(toggles, MinorCorrection) {
            add(self.minors[at.minors][at.side], Tunable::MinorCorrectionWeight);
        }
        if on!(toggles, NonPawnCorrection) {
            for (table, row) in self.pieces.iter().zip(at.pieces) {
                add(table[row][at.side], Tunable::NonPawnCorrectionWeight);
            }
        }
        if on!(toggles, ContinuationCorrection) {
            let entry = self.moves[at.moves[1].index()][at.moves[0].index()];
            add(entry, Tunable::ContinuationCorrectionWeight);
        }
        sum / (100 * GRAIN)
    }

    /// The search found `score` where the evaluation, as corrected, said `eval`.
    pub(crate) fn learn<T: Toggles>(
        &mut self,
        toggles: T,
        at: &Traits,
        depth: Depth,
        score: Score,
        eval: Score,
    ) {
        let error = (score - eval).0 * depth.0 / DEPTH_DIVISOR;
        let step = error.clamp(-MAX_STEP, MAX_STEP);
        let pull = |entry: &mut i16| {
            let value = i32::from(*entry);
            *entry = (value + step - value * step.abs() / LIMIT) as i16;
        };
        if on!(toggles, PawnCorrection) {
            pull(&mut self.pawns[at.pawns][at.side]);
        }
        if on!(toggles, MinorCorrection) {
            pull(&mut self.minors[at.minors][at.side]);
        }
        if on!(toggles, NonPawnCorrection) {
            for (table, row) in self.pieces.iter_mut().zip(at.pieces) {
                pull(&mut table[row][at.side]);
            }
        }
        if on!(toggles, ContinuationCorrection)
            && at.moves[1] != Landing::NONE
            && at.moves[0] != Landing::NONE
        {
            pull(&mut self.moves[at.moves[1].index()][at.moves[0].index()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::Fixed;

    #[test]
    fn learns_the_direction_and_stays_in_range() {
        let position = Position::startpos();
        let at = Traits::of(&position, [Landing::NONE; 2]);
        let mut history = CorrectionHistory::new();
        assert_eq!(history.correction(Fixed, &at), 0);
        history.learn(Fixed, &at, Depth(8), Score(60), Score(10));
        let first = history.correction(Fixed, &at);
        assert!(first > 0);
        for _ in 0..1000 {
            history.learn(Fixed, &at, Depth(60), Score(30_000), Score(-30_000));
        }
        let most = history.correction(Fixed, &at);
        assert!(most > first && most <= 5 * 3 * LIMIT / GRAIN);
        let black = Traits::of(&position.after_null(), [Landing::NONE; 2]);
        assert_eq!(history.correction(Fixed, &black), 0, "each side has its own");
        history.clear();
        assert_eq!(history.correction(Fixed, &at), 0);
    }
}
