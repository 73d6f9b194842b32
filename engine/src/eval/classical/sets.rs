//! Bitboard helpers relative to a side.

use crate::types::{Bitboard, Color, File, Rank, Side};

/// The files c to f.
pub(super) const CENTRE_FILES: Bitboard = Bitboard(
    Bitboard::file(File::C).0
        | Bitboard::file(File::D).0
        | Bitboard::file(File::E).0
        | Bitboard::file(File::F).0,
);

/// Returns the ranks from `first` to `last`, relative to the side.
pub(super) const fn ranks<S: Side>(first: usize, last: usize) -> Bitboard {
    let mut set = 0;
    let mut rank = first;
    while rank <= last {
        set |= Bitboard::rank(S::US.relative_rank(Rank::from_index(rank))).0;
        rank += 1;
    }
    Bitboard(set)
}

/// Returns the squares of a set and all squares ahead of them.
#[inline]
pub(super) const fn fill_forward<S: Side>(set: Bitboard) -> Bitboard {
    let mut bits = set.0;
    match S::US {
        Color::White => {
            bits |= bits << 8;
            bits |= bits << 16;
            bits |= bits << 32;
        }
        Color::Black => {
            bits |= bits >> 8;
            bits |= bits >> 16;
            bits |= bits >> 32;
        }
    }
    Bitboard(bits)
}

/// Returns the squares of a set and their neighbours on the same rank.
#[inline]
pub(super) const fn with_adjacent_files(set: Bitboard) -> Bitboard {
    Bitboard(set.0 | adjacent_files(set).0)
}

/// Returns the neighbours on the same rank of the squares of a set.
#[inline]
pub(super) const fn adjacent_files(set: Bitboard) -> Bitboard {
    Bitboard(set.east().0 | set.west().0)
}

/// Returns the squares attacked by pawns.
#[inline]
pub(super) const fn pawn_attacks<S: Side>(pawns: Bitboard) -> Bitboard {
    adjacent_files(pawns.forward(S::US))
}

/// Returns the squares attacked by two pawns.
#[inline]
pub(super) const fn double_pawn_attacks<S: Side>(pawns: Bitboard) -> Bitboard {
    let ahead = pawns.forward(S::US);
    Bitboard(ahead.east().0 & ahead.west().0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Black, Square, White};

    #[test]
    fn sets_are_relative_to_the_side() {
        let set = |text: &str| Bitboard::from(text.parse::<Square>().unwrap());
        assert_eq!(fill_forward::<White>(set("e6")), set("e6") | set("e7") | set("e8"));
        assert_eq!(fill_forward::<Black>(set("a2")), set("a2") | set("a1"));
        assert_eq!(ranks::<White>(1, 1), Bitboard::rank(Rank::SECOND));
        assert_eq!(ranks::<Black>(0, 1), Bitboard::rank(Rank::EIGHTH) | Bitboard::rank(Rank::SEVENTH));
        assert_eq!(pawn_attacks::<Black>(set("a7")), set("b6"));
        assert_eq!(double_pawn_attacks::<White>(set("c2") | set("e2")), set("d3"));
    }
}
