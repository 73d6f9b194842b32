//! How much of an endgame advantage is worth having.
//!
//! Some endings are drawn although one side has more: without pawns it cannot win with a minor piece, bishops of
//! opposite colours hold almost anything, and the wrong bishop never takes the corner. The constants are rules, not
//! weights: the tuner takes them as they are.

use super::FULL_SCALE;
use crate::position::Position;
use crate::types::{Bitboard, ByColor, Color, File, PieceType, Rank, Square};

/// Rough values to compare pieces by, pawns and kings left out. Units: pawns.
const PIECES: [i32; 6] = [0, 3, 3, 5, 9, 0];
/// Without pawns, this much more in pieces is needed to win.
const ENOUGH: i32 = 4;
/// Without pawns and not enough more: against anything, with at least a rook on the board.
const NO_PAWNS: i32 = 8;
/// Only bishops, of opposite colours, and what each pawn of the stronger side adds.
const OPPOSITE_BISHOPS: (i32, i32) = (14, 5);
/// Bishops of opposite colours beside other pieces, and what each pawn adds.
const OPPOSITE_BISHOPS_AND_PIECES: (i32, i32) = (40, 4);
/// Few pawns: the last ones get exchanged. The scale with one pawn, and what each more adds.
const FEW_PAWNS: (i32, i32) = (46, 6);

/// For each side, what remains of its advantage in the endgame. Range: 0 to [`FULL_SCALE`].
#[inline]
pub(super) fn scales(position: &Position) -> ByColor<i32> {
    ByColor(Color::ALL.map(|color| scale(position, color)))
}

/// The pieces of a side. Units: pawns.
#[inline]
fn material(position: &Position, color: Color) -> i32 {
    [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen]
        .into_iter()
        .map(|kind| PIECES[kind.index()] * position.pieces_of(color, kind).count() as i32)
        .sum()
}

#[inline]
fn scale(position: &Position, color: Color) -> i32 {
    let pawns = position.pieces_of(color, PieceType::Pawn).count() as i32;
    if pawns > 3 && position.pieces(PieceType::Bishop).is_empty() {
        return FULL_SCALE;
    }
    let (own, enemy) = (material(position, color), material(position, !color));
    if pawns == 0 && own - enemy < ENOUGH {
        return if own < PIECES[PieceType::Rook.index()] { 0 } else { NO_PAWNS };
    }
    if has_wrong_bishop(position, color) {
        return 0;
    }
    let by_pawns = |(base, step): (i32, i32), count: i32| (base + step * count).min(FULL_SCALE);
    if has_opposite_bishops(position) {
        let bishop = PIECES[PieceType::Bishop.index()];
        let bare = own == bishop && enemy == bishop;
        return by_pawns(if bare { OPPOSITE_BISHOPS } else { OPPOSITE_BISHOPS_AND_PIECES }, pawns);
    }
    if own - enemy < ENOUGH { by_pawns(FEW_PAWNS, pawns - 1) } else { FULL_SCALE }
}

/// Has each side one bishop, on different colours?
#[inline]
fn has_opposite_bishops(position: &Position) -> bool {
    let bishops = position.pieces(PieceType::Bishop);
    bishops.count() == 2
        && (bishops & position.side(Color::White)).count() == 1
        && (bishops & Bitboard::LIGHT).count() == 1
}

/// Has a side only rook pawns of one file and bishops, none of which covers the corner, where the enemy king waits?
fn has_wrong_bishop(position: &Position, color: Color) -> bool {
    let pawns = position.pieces_of(color, PieceType::Pawn);
    let bishops = position.pieces_of(color, PieceType::Bishop);
    let king = Bitboard::from(position.king(color));
    if bishops.is_empty() || position.side(color) != (pawns | bishops | king) {
        return false;
    }
    [File::A, File::H].into_iter().any(|file| {
        let corner = Square::new(file, color.relative_rank(Rank::EIGHTH));
        let wrong = if Bitboard::LIGHT.has(corner) { Bitboard::DARK } else { Bitboard::LIGHT };
        (pawns & !Bitboard::file(file)).is_empty()
            && (bishops & !wrong).is_empty()
            && position.king(!color).distance(corner) <= 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(fen: &str, color: Color) -> i32 {
        scales(&Position::from_fen(fen).unwrap())[color]
    }

    #[test]
    fn drawn_endings_are_known() {
        // A minor piece alone, a rook against a minor piece.
        assert_eq!(of("4k3/4p3/8/8/8/8/8/2B1K3 w - - 0 1", Color::White), 0);
        assert_eq!(of("4k3/4b3/8/8/8/8/8/R3K3 w - - 0 1", Color::White), NO_PAWNS);
        // A queen against a rook is won, and so is a rook against a pawn most of the time.
        assert_eq!(of("4k3/4r3/8/8/8/8/8/Q3K3 w - - 0 1", Color::White), FULL_SCALE);
        assert_eq!(of("4k3/4p3/8/8/8/8/8/R3K3 w - - 0 1", Color::White), FULL_SCALE);
        // The wrong and the right bishop.
        assert_eq!(of("k7/8/P7/1K6/8/8/8/2B5 w - - 0 1", Color::White), 0);
        assert_ne!(of("k7/8/P7/1K6/8/8/8/3B4 w - - 0 1", Color::White), 0);
        assert_ne!(of("k7/8/1P6/1K6/8/8/8/2B5 w - - 0 1", Color::White), 0);
    }

    #[test]
    fn opposite_bishops_draw_more_than_others() {
        let opposite = "4k3/2b2p2/8/3P4/2P5/8/5P2/3BK3 w - - 0 1";
        let same = "4k3/1b3p2/8/3P4/2P5/8/5P2/3BK3 w - - 0 1";
        assert!(of(opposite, Color::White) < of(same, Color::White));
        let with_rooks = "r3k3/2b2p2/8/3P4/2P5/8/5P2/R2BK3 w - - 0 1";
        assert!(of(opposite, Color::White) < of(with_rooks, Color::White));
    }
}
