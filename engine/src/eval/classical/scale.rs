//! Scaling of endgame advantages that are hard or impossible to win.
//!
//! Drawish cases: no pawns and a small advantage in pieces, opposite-colored bishops, and the wrong
//! bishop for a rook pawn. The constants are rules, not weights; the tuner does not change them.

use super::formula::FULL_SCALE;
use crate::position::Position;
use crate::types::{Bitboard, ByColor, Color, File, PieceType, Rank, Square};

/// Approximate piece values without pawns and kings. Units: pawns.
const PIECES: [i32; 6] = [0, 3, 3, 5, 9, 0];
/// Advantage in pieces needed to win without pawns. Units: pawns.
const WINNING_ADVANTAGE: i32 = 4;
/// Scale without pawns and without that advantage, if the side has at least a rook.
const NO_PAWNS: i32 = 8;
/// Opposite-colored bishops without other pieces: base scale, and increment per pawn of the side
/// ahead.
const OPPOSITE_BISHOPS: (i32, i32) = (14, 5);
/// Opposite-colored bishops with other pieces: base scale and increment per pawn.
const OPPOSITE_BISHOPS_AND_PIECES: (i32, i32) = (40, 4);
/// Few pawns, which tend to be exchanged: scale with one pawn, and increment per further pawn.
const FEW_PAWNS: (i32, i32) = (46, 6);

/// Returns the scale of each side's endgame advantage. Range: 0 to [`FULL_SCALE`].
#[inline]
pub(super) fn scales(position: &Position) -> ByColor<i32> {
    ByColor(Color::ALL.map(|color| scale(position, color)))
}

/// Returns the value of a side's pieces without pawns. Units: pawns.
#[inline]
fn material(position: &Position, color: Color) -> i32 {
    [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen]
        .into_iter()
        .map(|kind| PIECES[kind.index()] * position.pieces_of(color, kind).count() as i32)
        .sum()
}

/// Returns the scale of a side's endgame advantage. Range: 0 to [`FULL_SCALE`].
#[inline]
pub fn scale(position: &Position, color: Color) -> i32 {
    let pawns = position.pieces_of(color, PieceType::Pawn).count() as i32;
    if pawns > 3 && position.pieces(PieceType::Bishop).is_empty() {
        return FULL_SCALE;
    }
    let (own, enemy) = (material(position, color), material(position, !color));
    if pawns == 0 && own - enemy < WINNING_ADVANTAGE {
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
    if own - enemy < WINNING_ADVANTAGE { by_pawns(FEW_PAWNS, pawns - 1) } else { FULL_SCALE }
}

/// Whether each side has exactly one bishop, on squares of different colors.
#[inline]
pub fn has_opposite_bishops(position: &Position) -> bool {
    let bishops = position.pieces(PieceType::Bishop);
    bishops.count() == 2
        && (bishops & position.side(Color::White)).count() == 1
        && (bishops & Bitboard::LIGHT).count() == 1
}

/// Whether a side has only rook pawns of one file and bishops that do not control the corner held
/// by the enemy king.
pub fn has_wrong_bishop(position: &Position, color: Color) -> bool {
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
    fn drawn_endgames_have_a_low_scale() {
        // A minor piece alone, a rook against a minor piece.
        assert_eq!(of("4k3/4p3/8/8/8/8/8/2B1K3 w - - 0 1", Color::White), 0);
        assert_eq!(of("4k3/4b3/8/8/8/8/8/R3K3 w - - 0 1", Color::White), NO_PAWNS);
        // A queen against a rook is a win, and so is a rook against a pawn in most cases.
        assert_eq!(of("4k3/4r3/8/8/8/8/8/Q3K3 w - - 0 1", Color::White), FULL_SCALE);
        assert_eq!(of("4k3/4p3/8/8/8/8/8/R3K3 w - - 0 1", Color::White), FULL_SCALE);
        // The wrong bishop for the corner, then the right one, then a pawn off the edge.
        assert_eq!(of("k7/8/P7/1K6/8/8/8/2B5 w - - 0 1", Color::White), 0);
        assert_ne!(of("k7/8/P7/1K6/8/8/8/3B4 w - - 0 1", Color::White), 0);
        assert_ne!(of("k7/8/1P6/1K6/8/8/8/2B5 w - - 0 1", Color::White), 0);
    }

    #[test]
    fn opposite_bishops_have_a_lower_scale_than_others() {
        let opposite = "4k3/2b2p2/8/3P4/2P5/8/5P2/3BK3 w - - 0 1";
        let same = "4k3/1b3p2/8/3P4/2P5/8/5P2/3BK3 w - - 0 1";
        assert!(of(opposite, Color::White) < of(same, Color::White));
        let with_rooks = "r3k3/2b2p2/8/3P4/2P5/8/5P2/R2BK3 w - - 0 1";
        assert!(of(opposite, Color::White) < of(with_rooks, Color::White));
    }
}
