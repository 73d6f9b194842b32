//! Threats: what is attacked by something cheaper, or not held, or will be after a step of a pawn.

use super::sets::{pawn_attacks, ranks};
use super::sheet::Sheet;
use super::trace::Tracer;
use super::weights::{
    HANGING, KING_THREATENS, MINOR_THREATENS, PAWN_THREATENS, PUSH_THREATENS, RESTRICTED, ROOK_THREATENS,
};
use crate::types::{Bitboard, PieceType, Side, Square};

/// What one side threatens.
#[inline]
pub(super) fn term<S: Side, T: Tracer>(sheet: &mut Sheet<'_, T>) {
    let (ours, theirs) = (sheet.reach[S::US], sheet.reach[S::THEM]);
    let by_pawn = ours.by[PieceType::Pawn.index()];
    let enemies = sheet.position.side(S::THEM) & !sheet.of(S::THEM, PieceType::King);
    let pieces = enemies & !sheet.pawns(S::THEM);
    let held = theirs.by[PieceType::Pawn.index()] | (theirs.twice & !ours.twice);
    let weak = enemies & ours.all & !held;

    for square in pieces & by_pawn {
        let kind = kind_index(sheet, square);
        sheet.add::<S, _>(&PAWN_THREATENS, kind - 1);
    }
    let by_minor = ours.by[PieceType::Knight.index()] | ours.by[PieceType::Bishop.index()];
    for square in by_minor & (pieces | weak) {
        let kind = kind_index(sheet, square);
        sheet.add::<S, _>(&MINOR_THREATENS, kind);
    }
    let queens = sheet.of(S::THEM, PieceType::Queen);
    for square in ours.by[PieceType::Rook.index()] & (queens | weak) {
        let kind = kind_index(sheet, square);
        sheet.add::<S, _>(&ROOK_THREATENS, kind);
    }
    if (ours.by[PieceType::King.index()] & weak).any() {
        sheet.add::<S, _>(&KING_THREATENS, 0);
    }
    sheet.add_each::<S>(&HANGING, weak & (!theirs.all | (pieces & ours.twice)));
    sheet.add_each::<S>(&PUSH_THREATENS, pieces & !by_pawn & pushed_attacks::<S, T>(sheet));
    sheet.add_each::<S>(&RESTRICTED, theirs.all & ours.all & !held);
}

#[inline]
fn kind_index<T: Tracer>(sheet: &Sheet<'_, T>, square: Square) -> usize {
    // The tables end with the queen; a king is not among the squares asked about.
    sheet.position.kind_on(square).map_or(0, |kind| kind.index().min(PieceType::Queen.index()))
}

/// What the pawns would attack after a step, or two from home, onto a square where they are safe.
#[inline]
fn pushed_attacks<S: Side, T: Tracer>(sheet: &Sheet<'_, T>) -> Bitboard {
    let (ours, theirs) = (&sheet.reach[S::US], &sheet.reach[S::THEM]);
    let empty = !sheet.occupied;
    let once = sheet.pawns(S::US).forward(S::US) & empty;
    let twice = (once & ranks::<S>(2, 2)).forward(S::US) & empty;
    let safe = !theirs.by[PieceType::Pawn.index()] & (ours.all | !theirs.all);
    pawn_attacks::<S>((once | twice) & safe)
}
