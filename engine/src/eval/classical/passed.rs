//! Passed pawns: their rank, obstacles on their path, and the distance of the kings.

use super::sets::{fill_forward, with_adjacent_files};
use super::state::EvalState;
use super::trace::Tracer;
use super::weights::{
    PASSED, PASSED_ENEMY_KING, PASSED_FREE, PASSED_OWN_KING, PASSED_SAFE_PATH, PASSED_SAFE_STEP,
    ROOK_BEHIND_PASSED, UNSTOPPABLE,
};
use crate::types::{Bitboard, File, PieceType, Rank, Side, Square};

/// Evaluates the passed pawns of one side.
#[inline]
pub(super) fn term<S: Side, T: Tracer>(state: &mut EvalState<'_, T>) {
    for pawn in passed::<S, T>(state) {
        one::<S, T>(state, pawn);
    }
}

/// Returns pawns that no enemy pawn can block or capture, the foremost one of each file.
#[inline]
fn passed<S: Side, T: Tracer>(state: &EvalState<'_, T>) -> Bitboard {
    let own = state.pawns(S::US);
    let held = with_adjacent_files(fill_forward::<S::Other>(state.pawns(S::THEM).forward(S::THEM)));
    own & !held & !fill_forward::<S::Other>(own.forward(S::THEM))
}

#[inline]
fn one<S: Side, T: Tracer>(state: &mut EvalState<'_, T>, pawn: Square) {
    let rank = S::US.relative_rank(pawn.rank()).index();
    let step = pawn.forward(S::US);
    let path = fill_forward::<S>(Bitboard::from(step));
    state.add::<S, _>(&PASSED, rank);
    if !state.occupied.has(step) {
        state.add::<S, _>(&PASSED_FREE, rank);
    }
    let attacked = state.attacks[S::THEM].all;
    if !attacked.has(step) {
        state.add::<S, _>(&PASSED_SAFE_STEP, rank);
        if (path & attacked).is_empty() {
            state.add::<S, _>(&PASSED_SAFE_PATH, rank);
        }
    }
    let steps = |king: Square| i32::from(king.distance(step));
    let (own_king, enemy_king) = (state.position.king(S::US), state.position.king(S::THEM));
    state.add_times::<S, _>(&PASSED_OWN_KING, rank, steps(own_king));
    state.add_times::<S, _>(&PASSED_ENEMY_KING, rank, steps(enemy_king));

    let behind = fill_forward::<S::Other>(Bitboard::from(pawn));
    let rooks = state.position.pieces(PieceType::Rook) & behind;
    if rooks.any() {
        let is_own = (rooks & state.position.side(S::US)).any();
        state.add::<S, _>(&ROOK_BEHIND_PASSED, usize::from(!is_own));
    }
    if !state.position.has_non_pawn_material(S::THEM) && is_unstoppable::<S, T>(state, pawn, path) {
        state.add::<S, _>(&UNSTOPPABLE, 0);
    }
}

/// Whether a pawn on an empty path outruns the enemy king. The double step from the second rank
/// saves a move.
#[inline]
fn is_unstoppable<S: Side, T: Tracer>(state: &EvalState<'_, T>, pawn: Square, path: Bitboard) -> bool {
    let goal = Square::new(File::from_index(pawn.file().index()), S::US.relative_rank(Rank::EIGHTH));
    let is_home = S::US.relative_rank(pawn.rank()) == Rank::SECOND;
    let moves = pawn.distance(goal) - u8::from(is_home);
    let is_their_turn = u8::from(state.position.side_to_move() == S::THEM);
    (path & state.occupied).is_empty() && state.position.king(S::THEM).distance(goal) > moves + is_their_turn
}
