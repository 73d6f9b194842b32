//! Moves within the table, for all squares of the last piece at once: escapes and predecessors.

use stretto::tablebase::{Row, Symmetry};
use stretto::types::{Bitboard, Color, PieceType, Square};

use super::super::steps::{
    double_step, fixed_en_passant, fixed_en_passant_before, fixed_retro_steps, fixed_steps, last_en_passant,
    last_origins, last_targets, row_after_king,
};
use super::Generator;
use super::state::{Frozen, Marks};

impl Generator<'_> {
    /// Returns the squares of the last piece for which the move of a fixed piece does not allow en
    /// passant.
    #[inline]
    fn without_en_passant(&self, row: &Row<'_>, place: usize, to: Square) -> Bitboard {
        if self.has_en_passant { !fixed_en_passant(row, place, to) } else { Bitboard::ALL }
    }

    /// Returns whether moves of this piece stay in the table without zeroing.
    #[inline]
    fn is_counted(&self, row: &Row<'_>, place: usize) -> bool {
        self.classes.is_none() || row.piece(place).kind != PieceType::Pawn
    }

    /// Returns those of `squares` for which a side has no move to an open position of the other
    /// side.
    pub(super) fn without_escape(&self, row: &Row<'_>, side: Color, mut squares: Bitboard) -> Bitboard {
        let other = !side;
        fixed_steps(row, side, |place, to, after, between| {
            if self.is_counted(row, place) {
                let (frozen, within) = self.frozen(other, after);
                squares &=
                    !(Bitboard(frozen.open[within]) & !between & self.without_en_passant(row, place, to));
            }
            squares.any()
        });
        for &step in self.kings.of(side, row.slice()) {
            if squares.is_empty() {
                return squares;
            }
            let open = self.frozen[other.index()][step.slice].open[row_after_king(self.index, row, step)];
            squares &= !step.symmetry.preimage(Bitboard(open));
        }
        let last = row.fixed_squares().len();
        if row.last().color == side && squares.any() && self.is_counted(row, last) {
            let (frozen, within) = self.frozen(other, row.number());
            let open = Bitboard(frozen.open[within]);
            let passing = if self.has_en_passant { last_en_passant(row) } else { Bitboard::EMPTY };
            for from in squares {
                let mut to = last_targets(row, from) & open;
                if (to & passing).any() {
                    to &= !(passing & double_step(from));
                }
                if to.any() {
                    squares &= !Bitboard::from(from);
                }
            }
        }
        squares
    }

    /// Computes the predecessors of a set of positions with the other side to move, by row of a
    /// slice, legal or not. Returns whether there may be any.
    pub(super) fn predecessors<'s>(
        &'s self,
        number: usize,
        side: Color,
        set: impl Fn(&'s Frozen) -> &'s Marks,
        words: &mut [u64],
    ) -> bool {
        let frozen = &self.frozen[(!side).index()];
        let here = set(&frozen[number]);
        let kings = self.kings.of(side, number).iter().filter(|step| set(&frozen[step.slice]).is_any());
        if !here.is_any() && kings.clone().next().is_none() {
            return false;
        }
        words.fill(0);
        if here.is_any() {
            self.predecessors_in_slice(number, side, &here.0, words);
        }
        let first = number * words.len();
        for &step in kings {
            let there = &set(&frozen[step.slice]).0;
            if step.symmetry == Symmetry::NONE {
                for (word, there) in words.iter_mut().zip(there) {
                    *word |= there;
                }
                continue;
            }
            for (within, word) in words.iter_mut().enumerate() {
                let Some(row) = self.index.row(first + within) else { continue };
                let there = there[row_after_king(self.index, &row, step)];
                if there != 0 {
                    *word |= step.symmetry.preimage(Bitboard(there)).0;
                }
            }
        }
        true
    }

    /// Adds the predecessors by moves of all pieces other than the kings, which stay in the slice.
    fn predecessors_in_slice(&self, number: usize, side: Color, set: &[u64], words: &mut [u64]) {
        let first = number * words.len();
        for (within, &set) in set.iter().enumerate().filter(|(_, set)| **set != 0) {
            let Some(row) = self.index.row(first + within) else { continue };
            fixed_retro_steps(&row, side, |place, from, before, between| {
                if !self.is_counted(&row, place) {
                    return;
                }
                let to = row.fixed_squares()[place];
                let mut without_en_passant = Bitboard::ALL;
                if self.has_en_passant
                    && from.index().abs_diff(to.index()) == 16
                    && let Some(before) = self.index.row(before)
                {
                    without_en_passant = !fixed_en_passant_before(&before, from, to);
                }
                words[before - first] |= (Bitboard(set) & !between & without_en_passant).0;
            });
            if row.last().color == side && self.is_counted(&row, row.fixed_squares().len()) {
                words[within] |= self.last_predecessors(&row, Bitboard(set)).0;
            }
        }
    }

    fn last_predecessors(&self, row: &Row<'_>, set: Bitboard) -> Bitboard {
        let passing = if self.has_en_passant { last_en_passant(row) & set } else { Bitboard::EMPTY };
        let doubles = passing
            .into_iter()
            .fold(Bitboard::EMPTY, |from, to| from | last_origins(row, to.into()) & !double_step(to));
        last_origins(row, set & !passing) | doubles
    }
}
