//! Threats: pieces attacked by cheaper pieces, undefended pieces, and attacks by pawn pushes.

use super::sets::{pawn_attacks, ranks};
use super::state::EvalState;
use super::trace::Tracer;
use super::weights::{
    HANGING, KING_THREATENS, MINOR_THREATENS, PAWN_THREATENS, PUSH_THREATENS, RESTRICTED, ROOK_THREATENS,
};
use crate::types::{Bitboard, PieceType, Side, Square};

/// Evaluates the threats made by one side.
#[inline]
pub(super) fn term<S: Side, T: Tracer>(state: &mut EvalState<'_, T>) {
    let (ours, theirs) = (state.attacks[S::US], state.attacks[S::THEM]);
    let by_pawn = ours.by[PieceType::Pawn.index()];
    let enemies = state.position.side(S::THEM) & !state.of(S::THEM, PieceType::King);
    let pieces = enemies & !state.pawns(S::THEM);
    let held = theirs.by[PieceType::Pawn.index()] | (theirs.twice & !ours.twice);
    let weak = enemies & ours.all & !held;

    for square in pieces & by_pawn {
        let kind = kind_index(state, square);
        state.add::<S, _>(&PAWN_THREATENS, kind - 1);
    }
    let by_minor = ours.by[PieceType::Knight.index()] | ours.by[PieceType::Bishop.index()];
    for square in by_minor & (pieces | weak) {
        let kind = kind_index(state, square);
        state.add::<S, _>(&MINOR_THREATENS, kind);
    }
    let queens = state.of(S::THEM, PieceType::Queen);
    for square in ours.by[PieceType::Rook.index()] & (queens | weak) {
        let kind = kind_index(state, square);
        state.add::<S, _>(&ROOK_THREATENS, kind);
    }
    if (ours.by[PieceType::King.index()] & weak).any() {
        state.add::<S, _>(&KING_THREATENS, 0);
    }
    state.add_each::<S>(&HANGING, weak & (!theirs.all | (pieces & ours.twice)));
    state.add_each::<S>(&PUSH_THREATENS, pieces & !by_pawn & pushed_attacks::<S, T>(state));
    state.add_each::<S>(&RESTRICTED, theirs.all & ours.all & !held);
}

#[inline]
fn kind_index<T: Tracer>(state: &EvalState<'_, T>, square: Square) -> usize {
    // The tables end with the queen; the king is never among the squares.
    state.position.kind_on(square).map_or(0, |kind| kind.index().min(PieceType::Queen.index()))
}

/// Returns the squares that the pawns would attack after a single or double step to a safe square.
#[inline]
fn pushed_attacks<S: Side, T: Tracer>(state: &EvalState<'_, T>) -> Bitboard {
    let (ours, theirs) = (&state.attacks[S::US], &state.attacks[S::THEM]);
    let empty = !state.occupied;
    let once = state.pawns(S::US).forward(S::US) & empty;
    let twice = (once & ranks::<S>(2, 2)).forward(S::US) & empty;
    let safe = !theirs.by[PieceType::Pawn.index()] & (ours.all | !theirs.all);
    pawn_attacks::<S>((once | twice) & safe)
}
