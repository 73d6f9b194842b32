//! Lines through and between squares, used for pins, checks and castling paths.

use super::rays::{cast_ray, step_towards};
use crate::types::{Bitboard, Square};

type Pairs = [[Bitboard; 64]; 64];

#[expect(clippy::large_stack_arrays, reason = "evaluated by the compiler, never on a stack")]
const fn between_table() -> Pairs {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut b = 0;
        while b < 64 {
            if let Some(step) = step_towards(a, b) {
                table[a][b] = Bitboard(cast_ray(a, step, 1 << b) & !(1 << b));
            }
            b += 1;
        }
        a += 1;
    }
    table
}

#[expect(clippy::large_stack_arrays, reason = "evaluated by the compiler, never on a stack")]
const fn line_table() -> Pairs {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut b = 0;
        while b < 64 {
            if let Some((files, ranks)) = step_towards(a, b) {
                table[a][b] =
                    Bitboard(cast_ray(a, (files, ranks), 0) | cast_ray(a, (-files, -ranks), 0) | 1 << a);
            }
            b += 1;
        }
        a += 1;
    }
    table
}

/// Builds the table of the whole lines through each square in one direction and its opposite.
const fn full_lines(step: (i32, i32)) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        table[square] =
            Bitboard(cast_ray(square, step, 0) | cast_ray(square, (-step.0, -step.1), 0) | 1 << square);
        square += 1;
    }
    table
}

static BETWEEN: Pairs = between_table();
static LINE: Pairs = line_table();
static DIAGONAL: [Bitboard; 64] = full_lines((1, 1));
static ANTIDIAGONAL: [Bitboard; 64] = full_lines((1, -1));

/// Returns the squares strictly between two squares of one rank, file or diagonal; empty for other
/// pairs.
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// Returns the whole rank, file or diagonal through two squares, both included; empty for other
/// pairs.
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

/// Returns the diagonal through a square in the direction of a1-h8.
#[inline]
pub fn diagonal(square: Square) -> Bitboard {
    DIAGONAL[square.index()]
}

/// Returns the diagonal through a square in the direction of a8-h1.
#[inline]
pub fn antidiagonal(square: Square) -> Bitboard {
    ANTIDIAGONAL[square.index()]
}

/// Whether two squares share a diagonal.
#[inline]
pub fn is_diagonal(a: Square, b: Square) -> bool {
    (diagonal(a) | antidiagonal(a)).has(b)
}

/// Whether two squares share a rank or file.
#[inline]
pub fn is_orthogonal(a: Square, b: Square) -> bool {
    a.file() == b.file() || a.rank() == b.rank()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(text: &str) -> Square {
        text.parse().unwrap()
    }

    #[test]
    fn lines_and_squares_between_are_correct_and_symmetric() {
        let (a1, d4, h8, b1) = (square("a1"), square("d4"), square("h8"), square("b1"));
        assert_eq!(between(a1, d4).count(), 2);
        assert_eq!(between(d4, a1), between(a1, d4));
        assert_eq!(line(a1, d4), diagonal(h8));
        assert_eq!(line(a1, d4).count(), 8);
        assert!(is_diagonal(a1, d4) && !is_orthogonal(a1, d4));
        assert!(is_orthogonal(a1, b1) && !is_diagonal(a1, b1));
        assert!(!is_orthogonal(b1, h8) && !is_diagonal(b1, h8));
        assert_eq!(between(a1, b1), Bitboard::EMPTY);
        assert_eq!(line(b1, h8), Bitboard::EMPTY);
        assert_eq!(line(a1, a1), Bitboard::EMPTY);
        assert_eq!(antidiagonal(h8).count(), 1);
        for a in Square::all() {
            for b in Square::all() {
                assert_eq!(line(a, b), line(b, a));
                assert_eq!(between(a, b), between(b, a));
                assert_eq!(between(a, b) & !line(a, b), Bitboard::EMPTY);
            }
        }
    }
}
