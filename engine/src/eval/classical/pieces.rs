//! Piece terms: placement, mobility, and good or bad squares of single pieces.
//!
//! The terms also fill the attack maps, so they run before all terms that read them.

use super::sets::{CENTRE_FILES, ranks};
use super::state::EvalState;
use super::trace::Tracer;
use super::weight_table::WeightTable;
use super::weights::{
    BISHOP_BLOCKED_CENTRE, BISHOP_MOBILITY, BISHOP_OUTPOST, BISHOP_OWN_PAWNS, BISHOP_SQUARES, KING_SQUARES,
    KNIGHT_MOBILITY, KNIGHT_OUTPOST, KNIGHT_SQUARES, LONG_DIAGONAL, MINOR_BEHIND_PAWN, MINOR_FAR_FROM_KING,
    OUTPOST_WITHIN_REACH, QUEEN_MOBILITY, QUEEN_SQUARES, ROOK_BEHIND_OWN_PAWN, ROOK_MOBILITY, ROOK_ON_FILE,
    ROOK_SQUARES, TRAPPED_ROOK,
};
use crate::attacks;
use crate::types::{Bitboard, File, PieceType, Rank, Side, Square};

/// The squares d4, e4, d5 and e5.
const CENTRE: Bitboard = Bitboard(
    (Bitboard::file(File::D).0 | Bitboard::file(File::E).0)
        & (Bitboard::rank(Rank::FOURTH).0 | Bitboard::rank(Rank::FIFTH).0),
);
/// A rook with lower mobility than this may be trapped.
const TRAPPED_MOBILITY: u32 = 4;

/// Evaluates all pieces of one side except pawns.
#[inline]
pub(super) fn term<S: Side, T: Tracer>(state: &mut EvalState<'_, T>) {
    for square in state.of(S::US, PieceType::Knight) {
        knight::<S, T>(state, square);
    }
    for square in state.of(S::US, PieceType::Bishop) {
        bishop::<S, T>(state, square);
    }
    for square in state.of(S::US, PieceType::Rook) {
        rook::<S, T>(state, square);
    }
    for square in state.of(S::US, PieceType::Queen) {
        queen::<S, T>(state, square);
    }
    let king = state.position.king(S::US);
    add_square_value::<S, T>(state, &KING_SQUARES, king);
}

#[inline]
fn add_square_value<S: Side, T: Tracer>(
    state: &mut EvalState<'_, T>,
    table: &'static WeightTable<64>,
    square: Square,
) {
    state.add::<S, _>(table, square.relative_to(S::US).index());
}

/// Adds a piece to the attack maps and its mobility to the sum. Returns the number of squares
/// counted.
#[inline]
fn mobility<S: Side, T: Tracer, const N: usize>(
    state: &mut EvalState<'_, T>,
    table: &'static WeightTable<N>,
    kind: PieceType,
    attacked: Bitboard,
) -> u32 {
    state.add_attacks::<S>(kind, attacked);
    let open = (attacked & state.attacks[S::US].free).count();
    state.add::<S, _>(table, open as usize);
    open
}

#[inline]
fn knight<S: Side, T: Tracer>(state: &mut EvalState<'_, T>, square: Square) {
    let attacked = attacks::knight(square);
    mobility::<S, T, _>(state, &KNIGHT_MOBILITY, PieceType::Knight, attacked);
    add_square_value::<S, T>(state, &KNIGHT_SQUARES, square);
    minor::<S, T>(state, square, 0);
    let posts = outposts::<S, T>(state);
    if posts.has(square) {
        state.add::<S, _>(&KNIGHT_OUTPOST, usize::from(is_protected_by_pawn::<S, T>(state, square)));
    } else if (attacked & posts & state.attacked_by(S::US, PieceType::Pawn) & !state.position.side(S::US))
        .any()
    {
        state.add::<S, _>(&OUTPOST_WITHIN_REACH, 0);
    }
}

#[inline]
fn bishop<S: Side, T: Tracer>(state: &mut EvalState<'_, T>, square: Square) {
    // X-ray through queens: an attack on the square behind a queen counts.
    let attacked = attacks::bishop(square, state.occupied & !state.position.pieces(PieceType::Queen));
    mobility::<S, T, _>(state, &BISHOP_MOBILITY, PieceType::Bishop, attacked);
    add_square_value::<S, T>(state, &BISHOP_SQUARES, square);
    minor::<S, T>(state, square, 1);
    if outposts::<S, T>(state).has(square) {
        state.add::<S, _>(&BISHOP_OUTPOST, usize::from(is_protected_by_pawn::<S, T>(state, square)));
    }
    let pawns = state.pawns(S::US);
    let shade = if Bitboard::LIGHT.has(square) { Bitboard::LIGHT } else { Bitboard::DARK };
    state.add_each::<S>(&BISHOP_OWN_PAWNS, pawns & shade);
    state.add_each::<S>(&BISHOP_BLOCKED_CENTRE, pawns & CENTRE_FILES & state.occupied.forward(S::THEM));
    let past_pawns = attacks::bishop(square, state.position.pieces(PieceType::Pawn)) | Bitboard::from(square);
    if (past_pawns & CENTRE).has_many() {
        state.add::<S, _>(&LONG_DIAGONAL, 0);
    }
}

#[inline]
fn rook<S: Side, T: Tracer>(state: &mut EvalState<'_, T>, square: Square) {
    // X-ray through queens and own rooks, which form batteries.
    let seen_through = state.position.pieces(PieceType::Queen) | state.of(S::US, PieceType::Rook);
    let attacked = attacks::rook(square, state.occupied & !seen_through);
    let open = mobility::<S, T, _>(state, &ROOK_MOBILITY, PieceType::Rook, attacked);
    add_square_value::<S, T>(state, &ROOK_SQUARES, square);
    let file = Bitboard::file(square.file());
    let own = state.pawns(S::US) & file;
    if own.is_empty() {
        let is_open = (state.pawns(S::THEM) & file).is_empty();
        state.add::<S, _>(&ROOK_ON_FILE, usize::from(is_open));
        return;
    }
    if (own & state.occupied.forward(S::THEM)).any() {
        state.add::<S, _>(&ROOK_BEHIND_OWN_PAWN, 0);
    }
    if open < TRAPPED_MOBILITY {
        let king = state.position.king(S::US).file().index();
        // Enclosed on the same wing as the king.
        if (king < 4) == (square.file().index() < king) {
            let rights = state.position.castling_rooks() & ranks::<S>(0, 0);
            state.add::<S, _>(&TRAPPED_ROOK, usize::from(rights.is_empty()));
        }
    }
}

#[inline]
fn queen<S: Side, T: Tracer>(state: &mut EvalState<'_, T>, square: Square) {
    let attacked = attacks::queen(square, state.occupied);
    mobility::<S, T, _>(state, &QUEEN_MOBILITY, PieceType::Queen, attacked);
    add_square_value::<S, T>(state, &QUEEN_SQUARES, square);
}

/// Adds the terms common to knights (`which` = 0) and bishops (1).
#[inline]
fn minor<S: Side, T: Tracer>(state: &mut EvalState<'_, T>, square: Square, which: usize) {
    if state.position.pieces(PieceType::Pawn).has(square.forward(S::US)) {
        state.add::<S, _>(&MINOR_BEHIND_PAWN, 0);
    }
    let steps = i32::from(square.distance(state.position.king(S::US)));
    state.add_times::<S, _>(&MINOR_FAR_FROM_KING, which, steps);
}

/// Returns squares on the fourth to sixth rank that enemy pawns can no longer attack.
#[inline]
fn outposts<S: Side, T: Tracer>(state: &EvalState<'_, T>) -> Bitboard {
    ranks::<S>(3, 5) & !state.attacks[S::THEM].pawn_span
}

/// Whether an own pawn protects the square.
#[inline]
fn is_protected_by_pawn<S: Side, T: Tracer>(state: &EvalState<'_, T>, square: Square) -> bool {
    state.attacked_by(S::US, PieceType::Pawn).has(square)
}
