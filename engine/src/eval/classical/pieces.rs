//! The pieces one by one: where they stand, how far they see, and what is good or bad about their places.
//!
//! This walk also fills the attack maps, so it comes before all terms that read them.

use super::sets::{CENTRE_FILES, ranks};
use super::sheet::Sheet;
use super::table::Table;
use super::trace::Tracer;
use super::weights::{
    BISHOP_BLOCKED_CENTRE, BISHOP_MOBILITY, BISHOP_OUTPOST, BISHOP_OWN_PAWNS, BISHOP_SQUARES, KING_SQUARES,
    KNIGHT_MOBILITY, KNIGHT_OUTPOST, KNIGHT_SQUARES, LONG_DIAGONAL, MINOR_BEHIND_PAWN, MINOR_FAR_FROM_KING,
    OUTPOST_WITHIN_REACH, QUEEN_MOBILITY, QUEEN_SQUARES, ROOK_BEHIND_OWN_PAWN, ROOK_MOBILITY, ROOK_ON_FILE,
    ROOK_SQUARES, TRAPPED_ROOK,
};
use crate::attacks;
use crate::types::{Bitboard, File, PieceType, Rank, Side, Square};

/// d4, e4, d5 and e5.
const CENTRE: Bitboard = Bitboard(
    (Bitboard::file(File::D).0 | Bitboard::file(File::E).0)
        & (Bitboard::rank(Rank::FOURTH).0 | Bitboard::rank(Rank::FIFTH).0),
);
/// A rook with fewer squares than this may be trapped.
const LITTLE_ROOM: u32 = 4;

/// The pieces of one side but its pawns.
#[inline]
pub(super) fn term<S: Side, T: Tracer>(sheet: &mut Sheet<'_, T>) {
    for square in sheet.of(S::US, PieceType::Knight) {
        knight::<S, T>(sheet, square);
    }
    for square in sheet.of(S::US, PieceType::Bishop) {
        bishop::<S, T>(sheet, square);
    }
    for square in sheet.of(S::US, PieceType::Rook) {
        rook::<S, T>(sheet, square);
    }
    for square in sheet.of(S::US, PieceType::Queen) {
        queen::<S, T>(sheet, square);
    }
    let king = sheet.position.king(S::US);
    place::<S, T>(sheet, &KING_SQUARES, king);
}

/// Adds what a place is worth.
#[inline]
fn place<S: Side, T: Tracer>(sheet: &mut Sheet<'_, T>, table: &'static Table<64>, square: Square) {
    sheet.add::<S, _>(table, square.relative_to(S::US).index());
}

/// Enters a piece's attacks and adds what its freedom is worth. Returns the squares open to it.
#[inline]
fn mobility<S: Side, T: Tracer, const N: usize>(
    sheet: &mut Sheet<'_, T>,
    table: &'static Table<N>,
    kind: PieceType,
    attacked: Bitboard,
) -> u32 {
    sheet.enter::<S>(kind, attacked);
    let open = (attacked & sheet.reach[S::US].free).count();
    sheet.add::<S, _>(table, open as usize);
    open
}

#[inline]
fn knight<S: Side, T: Tracer>(sheet: &mut Sheet<'_, T>, square: Square) {
    let attacked = attacks::knight(square);
    mobility::<S, T, _>(sheet, &KNIGHT_MOBILITY, PieceType::Knight, attacked);
    place::<S, T>(sheet, &KNIGHT_SQUARES, square);
    minor::<S, T>(sheet, square, 0);
    let posts = outposts::<S, T>(sheet);
    if posts.has(square) {
        sheet.add::<S, _>(&KNIGHT_OUTPOST, usize::from(is_backed::<S, T>(sheet, square)));
    } else if (attacked & posts & sheet.attacked_by(S::US, PieceType::Pawn) & !sheet.position.side(S::US))
        .any()
    {
        sheet.add::<S, _>(&OUTPOST_WITHIN_REACH, 0);
    }
}

#[inline]
fn bishop<S: Side, T: Tracer>(sheet: &mut Sheet<'_, T>, square: Square) {
    // Through the queens: what stands before one is as good as attacked.
    let attacked = attacks::bishop(square, sheet.occupied & !sheet.position.pieces(PieceType::Queen));
    mobility::<S, T, _>(sheet, &BISHOP_MOBILITY, PieceType::Bishop, attacked);
    place::<S, T>(sheet, &BISHOP_SQUARES, square);
    minor::<S, T>(sheet, square, 1);
    if outposts::<S, T>(sheet).has(square) {
        sheet.add::<S, _>(&BISHOP_OUTPOST, usize::from(is_backed::<S, T>(sheet, square)));
    }
    let pawns = sheet.pawns(S::US);
    let shade = if Bitboard::LIGHT.has(square) { Bitboard::LIGHT } else { Bitboard::DARK };
    sheet.add_each::<S>(&BISHOP_OWN_PAWNS, pawns & shade);
    sheet.add_each::<S>(&BISHOP_BLOCKED_CENTRE, pawns & CENTRE_FILES & sheet.occupied.forward(S::THEM));
    let past_pawns = attacks::bishop(square, sheet.position.pieces(PieceType::Pawn)) | Bitboard::from(square);
    if (past_pawns & CENTRE).has_many() {
        sheet.add::<S, _>(&LONG_DIAGONAL, 0);
    }
}

#[inline]
fn rook<S: Side, T: Tracer>(sheet: &mut Sheet<'_, T>, square: Square) {
    // Through queens and own rooks: a battery attacks as one.
    let seen_through = sheet.position.pieces(PieceType::Queen) | sheet.of(S::US, PieceType::Rook);
    let attacked = attacks::rook(square, sheet.occupied & !seen_through);
    let open = mobility::<S, T, _>(sheet, &ROOK_MOBILITY, PieceType::Rook, attacked);
    place::<S, T>(sheet, &ROOK_SQUARES, square);
    let file = Bitboard::file(square.file());
    let own = sheet.pawns(S::US) & file;
    if own.is_empty() {
        let is_open = (sheet.pawns(S::THEM) & file).is_empty();
        sheet.add::<S, _>(&ROOK_ON_FILE, usize::from(is_open));
        return;
    }
    if (own & sheet.occupied.forward(S::THEM)).any() {
        sheet.add::<S, _>(&ROOK_BEHIND_OWN_PAWN, 0);
    }
    if open < LITTLE_ROOM {
        let king = sheet.position.king(S::US).file().index();
        // Shut in on the wing that the king is on.
        if (king < 4) == (square.file().index() < king) {
            let rights = sheet.position.castling_rooks() & ranks::<S>(0, 0);
            sheet.add::<S, _>(&TRAPPED_ROOK, usize::from(rights.is_empty()));
        }
    }
}

#[inline]
fn queen<S: Side, T: Tracer>(sheet: &mut Sheet<'_, T>, square: Square) {
    let attacked = attacks::queen(square, sheet.occupied);
    mobility::<S, T, _>(sheet, &QUEEN_MOBILITY, PieceType::Queen, attacked);
    place::<S, T>(sheet, &QUEEN_SQUARES, square);
}

/// What knights (0) and bishops (1) have in common.
#[inline]
fn minor<S: Side, T: Tracer>(sheet: &mut Sheet<'_, T>, square: Square, which: usize) {
    if sheet.position.pieces(PieceType::Pawn).has(square.forward(S::US)) {
        sheet.add::<S, _>(&MINOR_BEHIND_PAWN, 0);
    }
    let steps = i32::from(square.distance(sheet.position.king(S::US)));
    sheet.add_times::<S, _>(&MINOR_FAR_FROM_KING, which, steps);
}

/// Squares in the enemy's half or before it that its pawns cannot attack any more.
#[inline]
fn outposts<S: Side, T: Tracer>(sheet: &Sheet<'_, T>) -> Bitboard {
    ranks::<S>(3, 5) & !sheet.reach[S::THEM].pawn_span
}

/// Does an own pawn protect the square?
#[inline]
fn is_backed<S: Side, T: Tracer>(sheet: &Sheet<'_, T>, square: Square) -> bool {
    sheet.attacked_by(S::US, PieceType::Pawn).has(square)
}
