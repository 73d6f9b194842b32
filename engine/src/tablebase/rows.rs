//! A table by rows: all men but the last stand still, and the squares of the last fit a word.
//!
//! What can be said of all squares of the last man at once, whether a position is legal, which of the positions that are the
//! same it stands for, is said here in a few operations. Callers are the reader of files, and in the harness what makes
//! tables.

use arrayvec::ArrayVec;

use super::index::{Index, Men};
use super::material::MAX_OTHERS;
use super::symmetry::Symmetry;
use crate::attacks;
use crate::types::{Bitboard, Color, Piece, PieceType, Rank, Square};

/// The men that stand still: both kings, and the others without the last.
pub type FixedMen = ArrayVec<Square, { MAX_OTHERS + 1 }>;

/// Where all men but the last stand.
#[derive(Clone)]
pub struct Row<'a> {
    index: &'a Index,
    number: usize,
    men: FixedMen,
    occupied: Bitboard,
}

impl Index {
    /// All rows. A table of bare kings has none.
    pub fn rows(&self) -> usize {
        self.slices() * self.rows_in_slice()
    }

    /// The row with this number; `None` if men overlap there or stand in the wrong order among their like.
    #[inline]
    pub fn row(&self, number: usize) -> Option<Row<'_>> {
        let (slice, mut within) = (number / self.rows_in_slice(), number % self.rows_in_slice());
        let (white, black) = self.kings(slice);
        let fixed = self.fixed();
        let mut squares = [0_usize; MAX_OTHERS];
        for (place, &piece) in fixed.iter().enumerate().rev() {
            let count = Self::squares_of(piece);
            squares[place] = within % count + (Square::COUNT - count) / 2;
            within /= count;
        }
        let mut men: FixedMen = [white, black].into_iter().collect();
        let mut occupied = Bitboard::from(white) | Bitboard::from(black);
        for (place, &square) in squares[..fixed.len()].iter().enumerate() {
            let at = Bitboard::from(Square::from_index(square));
            let is_out_of_order =
                place > 0 && fixed[place] == fixed[place - 1] && squares[place - 1] > square;
            if (occupied & at).any() || is_out_of_order {
                return None;
            }
            occupied |= at;
            men.push(Square::from_index(square));
        }
        Some(Row { index: self, number, men, occupied })
    }

    /// The row within its slice of these fixed men, kings left out, which may stand in any order among their like.
    #[inline]
    pub fn row_in_slice(&self, fixed: &[Square], symmetry: Symmetry) -> usize {
        let pieces = self.fixed();
        let mut squares = [0_usize; MAX_OTHERS];
        for (place, square) in squares.iter_mut().zip(fixed) {
            *place = symmetry.square(square.index());
        }
        for last in (1..pieces.len()).rev() {
            for place in 0..last {
                if pieces[place] == pieces[place + 1] && squares[place] > squares[place + 1] {
                    squares.swap(place, place + 1);
                }
            }
        }
        Self::number_of(pieces, &squares)
    }
}

impl Row<'_> {
    /// The number of the row after a fixed man other than a king has gone to a square.
    #[inline]
    pub fn after(&self, place: usize, to: Square) -> usize {
        let fixed = self.index.fixed();
        let other = place - 2;
        let has_like = other > 0 && fixed[other - 1] == fixed[other]
            || other + 1 < fixed.len() && fixed[other + 1] == fixed[other];
        if has_like {
            let mut men = self.men.clone();
            men[place] = to;
            let rows = self.index.rows_in_slice();
            return self.number / rows * rows + self.index.row_in_slice(&men[2..], Symmetry::NONE);
        }
        let step: usize = fixed[other + 1..].iter().map(|&piece| Index::squares_of(piece)).product();
        self.number + to.index() * step - self.men[place].index() * step
    }

    /// Its slice.
    #[inline]
    pub fn slice(&self) -> usize {
        self.number / self.index.rows_in_slice()
    }

    /// Its number among the rows of the table.
    #[inline]
    pub fn number(&self) -> usize {
        self.number
    }

    /// Where the fixed men stand: the kings first.
    #[inline]
    pub fn men(&self) -> &[Square] {
        &self.men
    }

    /// The squares of the fixed men.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.occupied
    }

    /// What stands at a place of [`Self::men`], or moves at the one after them.
    #[inline]
    pub fn piece(&self, place: usize) -> Piece {
        self.index.piece(place)
    }

    /// The table it is of.
    #[inline]
    pub fn index(&self) -> &Index {
        self.index
    }

    /// All men, the last on this square, in the order of [`super::Men`].
    #[inline]
    pub fn with_last(&self, last: Square) -> Men {
        let mut men: Men = self.men.iter().copied().collect();
        men.push(last);
        men
    }

    /// The man that is not fixed.
    #[inline]
    pub fn last(&self) -> Piece {
        self.index.piece(self.men.len())
    }

    /// The fixed men of a side with their places.
    #[inline]
    pub fn fixed_of(&self, color: Color) -> impl Iterator<Item = (usize, Piece, Square)> + '_ {
        let men = self.men.iter().enumerate();
        men.map(|(place, &square)| (place, self.index.piece(place), square))
            .filter(move |(_, piece, _)| piece.color == color)
    }

    /// The place in the table of the position with the last man on this square.
    #[inline]
    pub fn place(&self, last: Square) -> usize {
        self.number * self.index.row_len() + last.index() - self.index.first_square()
    }

    /// Squares on which the last man may stand.
    #[inline]
    pub fn free(&self) -> Bitboard {
        let free = !self.occupied;
        if self.last().kind == PieceType::Pawn {
            free & !(Bitboard::rank(Rank::FIRST) | Bitboard::rank(Rank::EIGHTH))
        } else {
            free
        }
    }

    /// Squares of the last man with which the king of `color` is in check.
    #[inline]
    pub fn checks(&self, color: Color) -> Bitboard {
        let king = self.men[color.index()];
        let mut checks = Bitboard::EMPTY;
        for (_, piece, square) in self.fixed_of(!color) {
            if attacks::of(piece.kind, piece.color, square, self.occupied).has(king) {
                // What stands between stops a slider.
                checks |= !attacks::between(square, king);
            }
        }
        let last = self.last();
        if last.color != color {
            checks |= attacks::of(last.kind, color, king, self.occupied);
        }
        checks & self.free()
    }

    /// Squares of the last man with which the position can stand on a board with this side to move.
    #[inline]
    pub fn legal(&self, to_move: Color) -> Bitboard {
        self.free() & !self.checks(!to_move)
    }

    /// Squares of the last man whose place stands for all positions that are the same.
    pub fn canonical(&self) -> Bitboard {
        let mut squares = self.free();
        let (last, place) = (self.last(), self.men.len() - 1);
        if place >= 2 && self.index.piece(place) == last {
            squares &= !Bitboard((2_u64 << self.men[place].index()).wrapping_sub(1));
        }
        if !self.index.is_on_diagonal(self.slice()) {
            return squares;
        }
        let is_kept =
            |&square: &Square| self.index.place(&self.with_last(square)) == Some(self.place(square));
        squares.into_iter().filter(is_kept).fold(Bitboard::EMPTY, |set, square| set | square.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The position by places, as [`Index::men`] knows it.
    #[test]
    fn rows_agree_with_places() {
        for name in ["KQvK", "KPvK", "KRvKN", "KBBvK", "KPvKP", "KPPvK", "KBBvKB"] {
            let index = Index::new(name.parse().expect("a material"));
            assert_eq!(index.rows() * index.row_len(), index.len(), "{name}");
            for number in (0..index.rows()).step_by(if index.rows() > 100_000 { 1001 } else { 7 }) {
                let row = index.row(number);
                let canonical = row.as_ref().map_or(Bitboard::EMPTY, Row::canonical);
                for within in 0..index.row_len() {
                    let place = number * index.row_len() + within;
                    let square = Square::from_index(within + index.first_square());
                    let men = index.men(place);
                    assert_eq!(men.is_some(), canonical.has(square), "{name} {number} {square}");
                    if let (Some(men), Some(row)) = (men, &row) {
                        assert_eq!((&men[..men.len() - 1], men.last()), (row.men(), Some(&square)));
                        assert_eq!(row.place(square), place);
                    }
                }
            }
        }
    }

    #[test]
    fn checks_are_seen_from_every_square() {
        for name in ["KQvKR", "KPvKP", "KBvKN", "KRNvK"] {
            let index = Index::new(name.parse().expect("a material"));
            for row in (0..index.rows()).step_by(97).filter_map(|number| index.row(number)) {
                for (color, square) in
                    Color::ALL.into_iter().flat_map(|color| row.free().into_iter().map(move |at| (color, at)))
                {
                    let occupied = row.occupied() | square.into();
                    let king = row.men()[color.index()];
                    let mut men: Vec<(Piece, Square)> =
                        row.fixed_of(!color).map(|(_, piece, at)| (piece, at)).collect();
                    if row.last().color != color {
                        men.push((row.last(), square));
                    }
                    let is_check = men
                        .iter()
                        .any(|&(piece, at)| attacks::of(piece.kind, piece.color, at, occupied).has(king));
                    assert_eq!(row.checks(color).has(square), is_check, "{name} {:?} {square}", row.men());
                }
            }
        }
    }
}
