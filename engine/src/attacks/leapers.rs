//! Knights, kings and pawns: one step, whatever stands in between.

use crate::types::{Bitboard, ByColor, Color, Square};

/// For each square the squares reached by these steps (files, ranks), those off the board left out.
const fn leaps<const N: usize>(steps: [(i32, i32); N]) -> [Bitboard; 64] {
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
    leaps([(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]);
static KING: [Bitboard; 64] = leaps([(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]);
static PAWN: ByColor<[Bitboard; 64]> = ByColor([leaps([(-1, 1), (1, 1)]), leaps([(-1, -1), (1, -1)])]);

/// Squares a knight on `square` attacks.
#[inline]
pub fn knight(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// Squares a king on `square` attacks.
#[inline]
pub fn king(square: Square) -> Bitboard {
    KING[square.index()]
}

/// Squares a pawn of `color` on `square` attacks; also the squares from which the other side's pawns attack it.
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
    fn steps_stop_at_the_edge() {
        assert_eq!(knight(square("a1")), set("b3") | set("c2"));
        assert_eq!(king(square("h8")).count(), 3);
        assert_eq!(king(square("e4")).count(), 8);
        assert_eq!(pawn(Color::White, square("a2")), set("b3"));
        assert_eq!(pawn(Color::Black, square("h7")), set("g6"));
        assert_eq!(pawn(Color::White, square("e8")), Bitboard::EMPTY);
    }
}
