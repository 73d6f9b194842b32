//! How many useful squares the pieces reach.

use super::{Tapered, tapered};
use crate::attacks;
use crate::position::Position;
use crate::types::{Bitboard, Color, PieceType};

/// Worth of one square more, and the count that is worth nothing, by kind from knight to queen.
const KNIGHT: (Tapered, i32) = (tapered(4, 4), 4);
const BISHOP: (Tapered, i32) = (tapered(4, 4), 6);
const ROOK: (Tapered, i32) = (tapered(2, 4), 6);
const QUEEN: (Tapered, i32) = (tapered(1, 3), 12);
/// A rook on a file without pawns, and without own pawns.
const OPEN_FILE: Tapered = tapered(24, 8);
const HALF_OPEN_FILE: Tapered = tapered(11, 6);

/// The squares one side's pawns attack.
pub(super) fn pawn_attacks(position: &Position, color: Color) -> Bitboard {
    let ahead = position.pieces_of(color, PieceType::Pawn).forward(color);
    ahead.east() | ahead.west()
}

/// Squares reached that are neither own nor covered by an enemy pawn, and rooks on open files.
pub(super) fn term(position: &Position, color: Color) -> Tapered {
    let occupied = position.occupied();
    let useful = !position.side(color) & !pawn_attacks(position, !color);
    let mut sum = Tapered::default();
    let mut add = |reached: Bitboard, (weight, even): (Tapered, i32)| {
        sum += weight * ((reached & useful).count() as i32 - even);
    };
    for square in position.pieces_of(color, PieceType::Knight) {
        add(attacks::knight(square), KNIGHT);
    }
    for square in position.pieces_of(color, PieceType::Bishop) {
        add(attacks::bishop(square, occupied), BISHOP);
    }
    for square in position.pieces_of(color, PieceType::Rook) {
        add(attacks::rook(square, occupied), ROOK);
    }
    for square in position.pieces_of(color, PieceType::Queen) {
        add(attacks::queen(square, occupied), QUEEN);
    }
    sum + files(position, color)
}

/// Rooks on files that pawns have left.
fn files(position: &Position, color: Color) -> Tapered {
    let own = position.pieces_of(color, PieceType::Pawn);
    let all = position.pieces(PieceType::Pawn);
    let mut sum = Tapered::default();
    for rook in position.pieces_of(color, PieceType::Rook) {
        let file = Bitboard::file(rook.file());
        if (all & file).is_empty() {
            sum += OPEN_FILE;
        } else if (own & file).is_empty() {
            sum += HALF_OPEN_FILE;
        }
    }
    sum
}
