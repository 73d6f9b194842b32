//! Moves within a table, for all squares of the last man at once.
//!
//! The last man is a bit of a word. A step of another man leads from row to row and takes all bits along but those between, where
//! the last man is in the way; a step of the last man changes bits within its row; and a step of a king leads to another slice,
//! where a symmetry may turn the word. What a set of positions can be reached from is then a matter of a few operations on
//! words. Captures and promotions leave the table and are no matter of this module.

use arrayvec::ArrayVec;
use stretto::attacks;
use stretto::tablebase::{Index, Row, Symmetry};
use stretto::types::{Bitboard, Color, Piece, PieceType, Rank, Square};

/// Where a king's step leads.
#[derive(Clone, Copy, Debug)]
pub(super) struct KingStep {
    /// The slice of the kings after it.
    pub(super) slice: usize,
    /// How the board is turned there.
    pub(super) symmetry: Symmetry,
}

/// Steps of the kings by side, then by slice.
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

    /// Where the king of a side may go from a slice, other men apart.
    #[inline]
    pub(super) fn of(&self, color: Color, slice: usize) -> &[KingStep] {
        &self.0[color.index()][slice]
    }
}

/// Squares a pawn steps to without promoting.
#[inline]
fn pawn_steps(color: Color, from: Square, occupied: Bitboard) -> Bitboard {
    let one = Bitboard::from(from).forward(color) & !occupied;
    let third = Bitboard::rank(color.relative_rank(Rank::THIRD));
    let last = Bitboard::rank(color.relative_rank(Rank::EIGHTH));
    (one | (one & third).forward(color) & !occupied) & !last
}

/// Squares a pawn may have stepped from.
#[inline]
fn pawn_unsteps(color: Color, to: Square, occupied: Bitboard) -> Bitboard {
    let one = Bitboard::from(to).forward(!color) & !occupied;
    let third = Bitboard::rank(color.relative_rank(Rank::THIRD));
    let first = Bitboard::rank(color.relative_rank(Rank::FIRST));
    (one | (one & third).forward(!color) & !occupied) & !first
}

#[inline]
fn targets(piece: Piece, from: Square, occupied: Bitboard) -> Bitboard {
    match piece.kind {
        PieceType::Pawn => pawn_steps(piece.color, from, occupied),
        kind => attacks::of(kind, piece.color, from, occupied) & !occupied,
    }
}

#[inline]
fn origins(piece: Piece, to: Square, occupied: Bitboard) -> Bitboard {
    match piece.kind {
        PieceType::Pawn => pawn_unsteps(piece.color, to, occupied),
        kind => attacks::of(kind, piece.color, to, occupied) & !occupied,
    }
}

/// Every step of a fixed man other than a king: its place, where it goes, the row it leads to, and the squares of the last
/// man that are in its way. `visit` says whether to go on.
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

/// Every step of a fixed man other than a king that may have led to the row: its place, where it came from, that row, and
/// the squares of the last man that are in its way.
#[inline]
pub(super) fn fixed_unsteps(
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

/// Squares the last man steps to from one.
#[inline]
pub(super) fn last_targets(row: &Row<'_>, from: Square) -> Bitboard {
    targets(row.last(), from, row.occupied())
}

/// Squares the last man may have stepped from to one of a set.
#[inline]
pub(super) fn last_origins(row: &Row<'_>, to: Bitboard) -> Bitboard {
    let (last, occupied) = (row.last(), row.occupied());
    to.into_iter().fold(Bitboard::EMPTY, |from, square| from | origins(last, square, occupied))
}

/// The double steps of this side's pawns that a pawn of the other side stands ready to take in passing: the squares of the
/// last man with which the step of a fixed pawn to `to` is one.
#[inline]
pub(super) fn fixed_passing(row: &Row<'_>, place: usize, to: Square) -> Bitboard {
    let (pawn, from) = (row.piece(place), row.men()[place]);
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

/// The same from the row that the step leads to, where the pawn may have another place: like men stand in order in a row.
#[inline]
pub(super) fn fixed_passing_before(before: &Row<'_>, from: Square, to: Square) -> Bitboard {
    let place = before.men().iter().position(|&square| square == from);
    place.map_or(Bitboard::EMPTY, |place| fixed_passing(before, place, to))
}

/// The same for double steps of the last man: the squares they go to.
#[inline]
pub(super) fn last_passing(row: &Row<'_>) -> Bitboard {
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

/// The rows of one slice after a king's step: which row of the other slice each becomes.
#[inline]
pub(super) fn row_after_king(index: &Index, row: &Row<'_>, step: KingStep) -> usize {
    index.row_in_slice(&row.men()[2..], step.symmetry)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn steps_to_be_taken_in_passing_are_the_same_backwards() {
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
                        let passing = fixed_passing(&here, place, to);
                        after.insert((there, here.men()[place], to, passing.0));
                    }
                    true
                });
                for &(there, from, to, passing) in &after {
                    let mut is_met = false;
                    fixed_unsteps(&row(there).unwrap(), Color::White, |place, origin, before, _| {
                        if before == number && origin == from {
                            is_met = true;
                            moved += u32::from(here.men()[place] != origin);
                            let backwards = fixed_passing_before(&row(before).unwrap(), origin, to);
                            assert_eq!(backwards.0, passing, "{name} {:?} {from}{to}", here.men());
                        }
                    });
                    assert!(is_met, "{name} {:?} {from}{to}", here.men());
                    found += u32::from(passing != 0);
                }
            }
            assert!(found > 10, "{name}: {found}");
            assert_eq!(moved > 0, name == "KPPvKP", "a pawn that passes its like has another place");
        }
    }
}
