//! Attacks of knights, kings and pawns, which no piece can block.

use crate::types::{Bitboard, ByColor, Color, Square};

/// Builds the table of target squares for the given steps (files, ranks), dropping targets off the
/// board.
const fn leaper_table<const N: usize>(steps: [(i32, i32); N]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        let mut step = 0;
        while step < N {
            let file = (square as i32 & 7) + steps[step].0;
            let rank = (square as i32 >> 3) + steps[step].1;
            if 0 <= file && file < 8 && 0 <= rank && rank < 8 {
                table[square].0 |= 1 << (8 * rank + file);
            }
            step += 1;
        }
        square += 1;
    }
    table
}

static KNIGHT: [Bitboard; 64] =
    leaper_table([(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]);
static KING: [Bitboard; 64] =
    leaper_table([(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]);
static PAWN: ByColor<[Bitboard; 64]> =
    ByColor([leaper_table([(-1, 1), (1, 1)]), leaper_table([(-1, -1), (1, -1)])]);

/// Returns the squares attacked by a knight on `square`.
#[inline]
pub fn knight(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// Returns the squares attacked by a king on `square`.
#[inline]
pub fn king(square: Square) -> Bitboard {
    KING[square.index()]
}

/// Returns the squares attacked by a pawn of `color` on `square`: the squares from which enemy
/// pawns attack it.
#[inline]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN[color][square.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(text: &str) -> Square {
        text.parse().unwrap()
    }

    fn set(text: &str) -> Bitboard {
        square(text).into()
    }

    #[test]
    fn leaper_attacks_stop_at_the_board_edge() {
        assert_eq!(knight(square("a1")), set("b3") | set("c2"));
        assert_eq!(king(square("h8")).count(), 3);
        assert_eq!(king(square("e4")).count(), 8);
        assert_eq!(pawn(Color::White, square("a2")), set("b3"));
        assert_eq!(pawn(Color::Black, square("h7")), set("g6"));
        assert_eq!(pawn(Color::White, square("e8")), Bitboard::EMPTY);
    }
}
