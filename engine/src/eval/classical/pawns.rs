//! Pawn structure: doubled, isolated and passed pawns.

use super::{Tapered, tapered};
use crate::position::Position;
use crate::types::{Bitboard, Color, PieceType, Square};

/// A pawn with an own pawn before it.
const DOUBLED: Tapered = tapered(-9, -18);
/// No own pawn on the files beside.
const ISOLATED: Tapered = tapered(-11, -12);
/// A passed pawn, by how many ranks it has come. Shape: `[relative rank]`.
const PASSED: [Tapered; 8] = [
    tapered(0, 0),
    tapered(2, 8),
    tapered(4, 14),
    tapered(10, 30),
    tapered(28, 58),
    tapered(60, 105),
    tapered(105, 170),
    tapered(0, 0),
];
/// A passed pawn that stands before a piece.
const BLOCKED_PASSED: Tapered = tapered(-6, -24);
/// For each king step nearer to the square before the pawn than the other king, times its rank.
const KING_RACE: i32 = 3;

/// The squares before `square` on its own file, as `color` moves.
fn ahead(color: Color, square: Square) -> Bitboard {
    let file = Bitboard::file(square.file());
    let beyond = match color {
        Color::White => u64::MAX.checked_shl(8 * (square.rank().index() as u32 + 1)).unwrap_or(0),
        Color::Black => !(u64::MAX << (8 * square.rank().index())),
    };
    file & Bitboard(beyond)
}

/// A set and the files beside it.
fn widened(set: Bitboard) -> Bitboard {
    set | set.east() | set.west()
}

/// All pawn terms of one side.
pub(super) fn term(position: &Position, color: Color) -> Tapered {
    let own = position.pieces_of(color, PieceType::Pawn);
    let enemy = position.pieces_of(!color, PieceType::Pawn);
    let mut sum = Tapered::default();
    for pawn in own {
        let front = ahead(color, pawn);
        let file = Bitboard::file(pawn.file());
        if (own & front).any() {
            sum += DOUBLED;
        }
        if (own & (file.east() | file.west())).is_empty() {
            sum += ISOLATED;
        }
        if (enemy & widened(front)).is_empty() && (own & front).is_empty() {
            sum += passed(position, color, pawn);
        }
    }
    sum
}

/// What a passed pawn is worth: its rank, what blocks it, and which king is nearer.
fn passed(position: &Position, color: Color, pawn: Square) -> Tapered {
    let rank = color.relative_rank(pawn.rank()).index();
    let stop = pawn.forward(color);
    let mut sum = PASSED[rank];
    if position.occupied().has(stop) {
        sum += BLOCKED_PASSED;
    }
    let lead =
        i32::from(stop.distance(position.king(!color))) - i32::from(stop.distance(position.king(color)));
    sum + tapered(0, KING_RACE * lead * rank as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{File, Rank};

    #[test]
    fn ahead_stays_on_the_file() {
        let square = |text: &str| text.parse::<Square>().expect("a square");
        assert_eq!(
            ahead(Color::White, square("e6")).into_iter().map(|s| s.to_string()).collect::<Vec<_>>(),
            ["e7", "e8"]
        );
        assert_eq!(ahead(Color::Black, square("a2")), Bitboard::from(square("a1")));
        assert_eq!(ahead(Color::White, Square::new(File::H, Rank::EIGHTH)), Bitboard::EMPTY);
    }
}
