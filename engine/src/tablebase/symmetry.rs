//! Symmetries of the board.

use crate::types::Bitboard;

/// A symmetry of the board: a combination of two mirrorings and a transposition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Symmetry(u8);

impl Symmetry {
    /// The identity, which maps each square to itself.
    pub const NONE: Self = Self(0);
    /// Mirrors the files: a becomes h.
    pub const LEFT_RIGHT: Self = Self(1);
    /// Mirrors the ranks: 1 becomes 8.
    pub const UP_DOWN: Self = Self(2);
    /// Transposes files and ranks, after the mirrorings.
    pub const DIAGONAL: Self = Self(4);

    /// Returns the symmetry with this number, modulo 8. Without pawns all are symmetries of the
    /// game, with pawns 0 and 1.
    #[cfg(test)]
    pub(super) const fn from_index(index: u8) -> Self {
        Self(index & 7)
    }

    /// Returns the combination of both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns this symmetry with another one added, or removed if it is part of this one.
    #[must_use]
    pub const fn toggled(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }

    /// Whether the other symmetry is part of this one.
    #[inline]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the image of a square.
    #[inline]
    pub const fn square(self, square: usize) -> usize {
        let mut square = square;
        if self.has(Self::LEFT_RIGHT) {
            square ^= 0b000_111;
        }
        if self.has(Self::UP_DOWN) {
            square ^= 0b111_000;
        }
        if self.has(Self::DIAGONAL) {
            square = square >> 3 | (square & 7) << 3;
        }
        square
    }

    /// Returns the squares whose images lie in the set.
    #[inline]
    pub const fn preimage(self, set: Bitboard) -> Bitboard {
        let mut word = set.0;
        if self.has(Self::DIAGONAL) {
            word = transposed(word);
        }
        if self.has(Self::UP_DOWN) {
            word = word.swap_bytes();
        }
        if self.has(Self::LEFT_RIGHT) {
            word = word.swap_bytes().reverse_bits();
        }
        Bitboard(word)
    }
}

/// Transposes files and ranks by exchanging blocks beside the diagonal in three steps.
#[inline]
const fn transposed(mut word: u64) -> u64 {
    let mut t = (word ^ word >> 7) & 0x00AA_00AA_00AA_00AA;
    word ^= t ^ t << 7;
    t = (word ^ word >> 14) & 0x0000_CCCC_0000_CCCC;
    word ^= t ^ t << 14;
    t = (word ^ word >> 28) & 0x0000_0000_F0F0_F0F0;
    word ^ t ^ t << 28
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Square;

    #[test]
    fn set_and_square_transformations_agree() {
        for symmetry in (0..8).map(Symmetry::from_index) {
            for square in Square::all() {
                let brought = Bitboard::from(Square::from_index(symmetry.square(square.index())));
                assert_eq!(symmetry.preimage(brought), Bitboard::from(square), "{symmetry:?} {square}");
            }
            let some = Bitboard(0x0123_4567_89AB_CDEF);
            let expected = Square::all()
                .filter(|square| some.has(Square::from_index(symmetry.square(square.index()))))
                .fold(Bitboard::EMPTY, |set, square| set | square.into());
            assert_eq!(symmetry.preimage(some), expected, "{symmetry:?}");
        }
    }
}
