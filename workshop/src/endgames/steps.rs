//! Moves within a table, for all squares of the last piece at once.
//!
//! The last piece is a bit of a 64-bit word. A move of another piece leads from row to row and
//! keeps all bits except the squares between, where the last piece is in the way. A move of the
//! last piece changes bits within its row. A king move leads to another slice, where a symmetry may
//! transform the word. Predecessors of a set of positions thus take a few operations on words.
//! Captures and promotions leave the table and are handled elsewhere.

use arrayvec::ArrayVec;
use stretto::attacks;
use stretto::tablebase::{Index, Row, Symmetry};
use stretto::types::{Bitboard, Color, Piece, PieceType, Rank, Square};

/// The destination of a king move.
#[derive(Clone, Copy, Debug)]
pub(super) struct KingStep {
    /// Slice of the kings after the move.
    pub(super) slice: usize,
    /// Symmetry that maps the position into that slice.
    pub(super) symmetry: Symmetry,
}

/// King moves by side and slice.
pub(super) struct KingSteps([Vec<ArrayVec<KingStep, 8>>; 2]);

impl KingSteps {
    pub(super) fn new(index: &Index) -> Self {
        let of = |color: Color, slice: usize| {
            let (white, black) = index.kings(slice);
            let from = if color == Color::White { white } else { black };
            let steps = attacks::king(from).into_iter().filter_map(|to| {
                let kings = if color == Color::White { (to, black) } else { (white, to) };
                let (slice, symmetry) = (kings.0 != kings.1).then(|| index.slice_of(kings.0, kings.1))??;
                Some(KingStep { slice, symmetry })
            });
            steps.collect()
        };
        Self(Color::ALL.map(|color| (0..index.slices()).map(|slice| of(color, slice)).collect()))
    }

    /// Returns the king moves of a side from a slice, ignoring other pieces.
    #[inline]
    pub(super) fn of(&self, color: Color, slice: usize) -> &[KingStep] {
        &self.0[color.index()][slice]
    }
}

/// Returns the squares that a pawn can advance to.
#[inline]
pub(super) fn pawn_steps(color: Color, from: Square, occupied: Bitboard) -> Bitboard {
    let one = Bitboard::from(from).forward(color) & !occupied;
    let third = Bitboard::rank(color.relative_rank(Rank::THIRD));
    one | (one & third).forward(color) & !occupied
}

/// Returns the squares two ranks from a square.
#[inline]
pub(super) fn double_step(square: Square) -> Bitboard {
    let at = Bitboard::from(square);
    Bitboard(at.0 << 16 | at.0 >> 16)
}

/// Returns the squares that a pawn may have advanced from.
#[inline]
fn pawn_retro_steps(color: Color, to: Square, occupied: Bitboard) -> Bitboard {
    let one = Bitboard::from(to).forward(!color) & !occupied;
    let third = Bitboard::rank(color.relative_rank(Rank::THIRD));
    let first = Bitboard::rank(color.relative_rank(Rank::FIRST));
    (one | (one & third).forward(!color) & !occupied) & !first
}

/// Returns the squares that a piece can move to without capture and promotion.
#[inline]
pub(super) fn targets(piece: Piece, from: Square, occupied: Bitboard) -> Bitboard {
    match piece.kind {
        PieceType::Pawn => {
            pawn_steps(piece.color, from, occupied) & !Bitboard::rank(piece.color.relative_rank(Rank::EIGHTH))
        }
        kind => attacks::of(kind, piece.color, from, occupied) & !occupied,
    }
}

#[inline]
fn origins(piece: Piece, to: Square, occupied: Bitboard) -> Bitboard {
    match piece.kind {
        PieceType::Pawn => pawn_retro_steps(piece.color, to, occupied),
        kind => attacks::of(kind, piece.color, to, occupied) & !occupied,
    }
}

/// Visits every move of a fixed piece other than a king: its index, target, the row after it, and
/// the squares of the last piece that block it. `visit` returns whether to continue.
#[inline]
pub(super) fn fixed_steps(
    row: &Row<'_>,
    color: Color,
    mut visit: impl FnMut(usize, Square, usize, Bitboard) -> bool,
) {
    for (place, piece, from) in row.fixed_of(color) {
        if piece.kind == PieceType::King {
            continue;
        }
        for to in targets(piece, from, row.occupied()) {
            if !visit(place, to, row.after(place, to), attacks::between(from, to)) {
                return;
            }
        }
    }
}

/// Visits every retro move of a fixed piece other than a king: its index, origin, the row before
/// it, and the squares of the last piece that block it.
#[inline]
pub(super) fn fixed_retro_steps(
    row: &Row<'_>,
    color: Color,
    mut visit: impl FnMut(usize, Square, usize, Bitboard),
) {
    for (place, piece, to) in row.fixed_of(color) {
        if piece.kind == PieceType::King {
            continue;
        }
        for from in origins(piece, to, row.occupied()) {
            visit(place, from, row.after(place, from), attacks::between(from, to));
        }
    }
}

/// Returns the squares that the last piece can move to.
#[inline]
pub(super) fn last_targets(row: &Row<'_>, from: Square) -> Bitboard {
    targets(row.last(), from, row.occupied())
}

/// Returns the squares that the last piece may have come from.
#[inline]
pub(super) fn last_origins(row: &Row<'_>, to: Bitboard) -> Bitboard {
    let (last, occupied) = (row.last(), row.occupied());
    to.into_iter().fold(Bitboard::EMPTY, |from, square| from | origins(last, square, occupied))
}

/// Returns the squares of the last piece for which a fixed pawn's double step to `to` allows en
/// passant.
#[inline]
pub(super) fn fixed_en_passant(row: &Row<'_>, place: usize, to: Square) -> Bitboard {
    let (pawn, from) = (row.piece(place), row.fixed_squares()[place]);
    if pawn.kind != PieceType::Pawn || from.index().abs_diff(to.index()) != 16 {
        return Bitboard::EMPTY;
    }
    let beside = Bitboard::from(to).east() | Bitboard::from(to).west();
    let is_taker = |piece: Piece| piece.kind == PieceType::Pawn && piece.color != pawn.color;
    if row.fixed_of(!pawn.color).any(|(_, piece, square)| is_taker(piece) && beside.has(square)) {
        return !Bitboard::EMPTY;
    }
    if is_taker(row.last()) { beside } else { Bitboard::EMPTY }
}

/// Returns the squares of [`fixed_en_passant`] for the row before a retro move. The pawn's index
/// may differ there, because identical pieces are sorted within a row.
#[inline]
pub(super) fn fixed_en_passant_before(before: &Row<'_>, from: Square, to: Square) -> Bitboard {
    let place = before.fixed_squares().iter().position(|&square| square == from);
    place.map_or(Bitboard::EMPTY, |place| fixed_en_passant(before, place, to))
}

/// Returns the target squares of the last piece's double steps that allow en passant.
#[inline]
pub(super) fn last_en_passant(row: &Row<'_>) -> Bitboard {
    let last = row.last();
    if last.kind != PieceType::Pawn {
        return Bitboard::EMPTY;
    }
    let fourth = Bitboard::rank(last.color.relative_rank(Rank::FOURTH));
    let takers = row
        .fixed_of(!last.color)
        .filter(|(_, piece, _)| piece.kind == PieceType::Pawn)
        .fold(Bitboard::EMPTY, |set, (.., square)| set | square.into());
    (takers.east() | takers.west()) & fourth
}

/// Returns the row within the other slice after a king move.
#[inline]
pub(super) fn row_after_king(index: &Index, row: &Row<'_>, step: KingStep) -> usize {
    index.row_in_slice(&row.fixed_squares()[2..], step.symmetry)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn en_passant_steps_agree_forwards_and_backwards() {
        for name in ["KPvKP", "KPPvKP", "KQPvKP"] {
            let index = Index::new(name.parse().unwrap());
            let row = |number: usize| index.row(number);
            let (mut found, mut moved) = (0, 0);
            let slice = index.rows_in_slice();
            for number in (0..2).flat_map(|one| one * 700 * slice..(one * 700 + 1) * slice) {
                let Some(here) = row(number) else { continue };
                let mut after: HashSet<(usize, Square, Square, u64)> = HashSet::new();
                fixed_steps(&here, Color::White, |place, to, there, _| {
                    if here.piece(place).kind == PieceType::Pawn {
                        let passing = fixed_en_passant(&here, place, to);
                        after.insert((there, here.fixed_squares()[place], to, passing.0));
                    }
                    true
                });
                for &(there, from, to, passing) in &after {
                    let mut is_met = false;
                    fixed_retro_steps(&row(there).unwrap(), Color::White, |place, origin, before, _| {
                        if before == number && origin == from {
                            is_met = true;
                            moved += u32::from(here.fixed_squares()[place] != origin);
                            let backwards = fixed_en_passant_before(&row(before).unwrap(), origin, to);
                            assert_eq!(backwards.0, passing, "{name} {:?} {from}{to}", here.fixed_squares());
                        }
                    });
                    assert!(is_met, "{name} {:?} {from}{to}", here.fixed_squares());
                    found += u32::from(passing != 0);
                }
            }
            assert!(found > 10, "{name}: {found}");
            assert_eq!(moved > 0, name == "KPPvKP", "a pawn that passes an identical one changes its index");
        }
    }
}
