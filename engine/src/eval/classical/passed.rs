//! Passed pawns: how far they have come, what stands in their way, and which king is nearer.

use super::sets::{fill_forward, widened};
use super::sheet::Sheet;
use super::trace::Tracer;
use super::weights::{
    PASSED, PASSED_ENEMY_KING, PASSED_FREE, PASSED_OWN_KING, PASSED_SAFE_PATH, PASSED_SAFE_STEP,
    ROOK_BEHIND_PASSED, UNSTOPPABLE,
};
use crate::types::{Bitboard, File, PieceType, Rank, Side, Square};

/// The passed pawns of one side.
#[inline]
pub(super) fn term<S: Side, T: Tracer>(sheet: &mut Sheet<'_, T>) {
    for pawn in passed::<S, T>(sheet) {
        one::<S, T>(sheet, pawn);
    }
}

/// Pawns that no enemy pawn can stop or take, the foremost of each file.
#[inline]
fn passed<S: Side, T: Tracer>(sheet: &Sheet<'_, T>) -> Bitboard {
    let own = sheet.pawns(S::US);
    let held = widened(fill_forward::<S::Other>(sheet.pawns(S::THEM).forward(S::THEM)));
    own & !held & !fill_forward::<S::Other>(own.forward(S::THEM))
}

#[inline]
fn one<S: Side, T: Tracer>(sheet: &mut Sheet<'_, T>, pawn: Square) {
    let rank = S::US.relative_rank(pawn.rank()).index();
    let step = pawn.forward(S::US);
    let path = fill_forward::<S>(Bitboard::from(step));
    sheet.add::<S, _>(&PASSED, rank);
    if !sheet.occupied.has(step) {
        sheet.add::<S, _>(&PASSED_FREE, rank);
    }
    let attacked = sheet.reach[S::THEM].all;
    if !attacked.has(step) {
        sheet.add::<S, _>(&PASSED_SAFE_STEP, rank);
        if (path & attacked).is_empty() {
            sheet.add::<S, _>(&PASSED_SAFE_PATH, rank);
        }
    }
    let steps = |king: Square| i32::from(king.distance(step));
    let (own_king, enemy_king) = (sheet.position.king(S::US), sheet.position.king(S::THEM));
    sheet.add_times::<S, _>(&PASSED_OWN_KING, rank, steps(own_king));
    sheet.add_times::<S, _>(&PASSED_ENEMY_KING, rank, steps(enemy_king));

    let behind = fill_forward::<S::Other>(Bitboard::from(pawn));
    let rooks = sheet.position.pieces(PieceType::Rook) & behind;
    if rooks.any() {
        let is_own = (rooks & sheet.position.side(S::US)).any();
        sheet.add::<S, _>(&ROOK_BEHIND_PASSED, usize::from(!is_own));
    }
    if !sheet.position.has_non_pawn_material(S::THEM) && runs_free::<S, T>(sheet, pawn, path) {
        sheet.add::<S, _>(&UNSTOPPABLE, 0);
    }
}

/// Does a pawn outrun the enemy king on an empty path? A start from its home square saves a move.
#[inline]
fn runs_free<S: Side, T: Tracer>(sheet: &Sheet<'_, T>, pawn: Square, path: Bitboard) -> bool {
    let goal = Square::new(File::from_index(pawn.file().index()), S::US.relative_rank(Rank::EIGHTH));
    let is_home = S::US.relative_rank(pawn.rank()) == Rank::SECOND;
    let moves = pawn.distance(goal) - u8::from(is_home);
    let is_their_turn = u8::from(sheet.position.side_to_move() == S::THEM);
    (path & sheet.occupied).is_empty() && sheet.position.king(S::THEM).distance(goal) > moves + is_their_turn
}
