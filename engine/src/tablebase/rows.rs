//! Rows of a table: all pieces but the last are fixed, and the squares of the last one form a
//! bitboard.
//!
//! Legality and canonical form of all positions of a row are computed with a few bitboard
//! operations. Callers are the block codec and the table generator of the workshop.

use arrayvec::ArrayVec;

use super::index::{Index, PieceSquares};
use super::material::MAX_OTHERS;
use super::symmetry::Symmetry;
use crate::attacks;
use crate::types::{Bitboard, Color, Piece, PieceType, Rank, Square};

/// Squares of the fixed pieces: both kings, and the others without the last.
pub type FixedSquares = ArrayVec<Square, { MAX_OTHERS + 1 }>;

/// A row of a table.
#[derive(Clone)]
pub struct Row<'a> {
    index: &'a Index,
    number: usize,
    fixed_squares: FixedSquares,
    occupied: Bitboard,
}

impl Index {
    /// Returns the number of rows. Range: tables with a piece besides the kings; without one,
    /// [`Row::last`] and the functions that use it panic.
    pub fn rows(&self) -> usize {
        self.slices() * self.rows_in_slice()
    }

    /// Returns the row with this number; `None` if pieces overlap or identical ones are not sorted.
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
        let mut fixed_squares: FixedSquares = [white, black].into_iter().collect();
        let mut occupied = Bitboard::from(white) | Bitboard::from(black);
        for (place, &square) in squares[..fixed.len()].iter().enumerate() {
            let at = Bitboard::from(Square::from_index(square));
            let is_out_of_order =
                place > 0 && fixed[place] == fixed[place - 1] && squares[place - 1] > square;
            if (occupied & at).any() || is_out_of_order {
                return None;
            }
            occupied |= at;
            fixed_squares.push(Square::from_index(square));
        }
        Some(Row { index: self, number, fixed_squares, occupied })
    }

    /// Returns the number within its slice of the row with these fixed pieces, without kings, in
    /// any order.
    #[inline]
    pub fn row_in_slice(&self, fixed: &[Square], symmetry: Symmetry) -> usize {
        Self::digits(self.fixed(), fixed, symmetry)
    }
}

impl Row<'_> {
    /// Returns the number of the row after a fixed piece other than a king has moved to a square.
    #[inline]
    pub fn after(&self, place: usize, to: Square) -> usize {
        let fixed = self.index.fixed();
        let other = place - 2;
        let has_like = other > 0 && fixed[other - 1] == fixed[other]
            || other + 1 < fixed.len() && fixed[other + 1] == fixed[other];
        if has_like {
            let mut fixed_squares = self.fixed_squares.clone();
            fixed_squares[place] = to;
            let rows = self.index.rows_in_slice();
            return self.number / rows * rows + self.index.row_in_slice(&fixed_squares[2..], Symmetry::NONE);
        }
        let step: usize = fixed[other + 1..].iter().map(|&piece| Index::squares_of(piece)).product();
        self.number + to.index() * step - self.fixed_squares[place].index() * step
    }

    /// Returns the slice of the row.
    #[inline]
    pub fn slice(&self) -> usize {
        self.number / self.index.rows_in_slice()
    }

    /// Returns the number of the row in the table.
    #[inline]
    pub fn number(&self) -> usize {
        self.number
    }

    /// Returns the squares of the fixed pieces, kings first.
    #[inline]
    pub fn fixed_squares(&self) -> &[Square] {
        &self.fixed_squares
    }

    /// Returns the set of the fixed pieces' squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.occupied
    }

    /// Returns the piece at a position of [`Self::fixed_squares`], or the last piece at the
    /// position after them.
    #[inline]
    pub fn piece(&self, place: usize) -> Piece {
        self.index.piece(place)
    }

    /// Returns the index mapping of the table.
    #[inline]
    pub fn index(&self) -> &Index {
        self.index
    }

    /// Returns the squares of all pieces with the last one on this square, in the order of
    /// [`super::PieceSquares`].
    #[inline]
    pub fn with_last(&self, last: Square) -> PieceSquares {
        let mut squares: PieceSquares = self.fixed_squares.iter().copied().collect();
        squares.push(last);
        squares
    }

    /// Returns the piece that is not fixed.
    #[inline]
    pub fn last(&self) -> Piece {
        self.index.piece(self.fixed_squares.len())
    }

    /// Returns the fixed pieces of a side with their positions and squares.
    #[inline]
    pub fn fixed_of(&self, color: Color) -> impl Iterator<Item = (usize, Piece, Square)> + '_ {
        let fixed_squares = self.fixed_squares.iter().enumerate();
        fixed_squares
            .map(|(place, &square)| (place, self.index.piece(place), square))
            .filter(move |(_, piece, _)| piece.color == color)
    }

    /// Returns the index of the position with the last piece on this square.
    #[inline]
    pub fn index_of(&self, last: Square) -> usize {
        self.number * self.index.row_len() + last.index() - self.index.first_square()
    }

    /// Returns the squares on which the last piece may stand.
    #[inline]
    pub fn free(&self) -> Bitboard {
        let free = !self.occupied;
        if self.last().kind == PieceType::Pawn {
            free & !(Bitboard::rank(Rank::FIRST) | Bitboard::rank(Rank::EIGHTH))
        } else {
            free
        }
    }

    /// Returns the squares of the last piece with which the king of `color` is in check.
    #[inline]
    pub fn checks(&self, color: Color) -> Bitboard {
        let king = self.fixed_squares[color.index()];
        let mut checks = Bitboard::EMPTY;
        for (_, piece, square) in self.fixed_of(!color) {
            if attacks::of(piece.kind, piece.color, square, self.occupied).has(king) {
                // The last piece may block the check.
                checks |= !attacks::between(square, king);
            }
        }
        let last = self.last();
        if last.color != color {
            checks |= attacks::of(last.kind, color, king, self.occupied);
        }
        checks & self.free()
    }

    /// Returns the squares of the last piece with which the position is legal for this side to
    /// move.
    #[inline]
    pub fn legal(&self, to_move: Color) -> Bitboard {
        self.free() & !self.checks(!to_move)
    }

    /// Returns the squares of the last piece at which the position is canonical, i.e. owns its
    /// index.
    pub fn canonical(&self) -> Bitboard {
        let mut squares = self.free();
        let (last, place) = (self.last(), self.fixed_squares.len() - 1);
        if place >= 2 && self.index.piece(place) == last {
            squares &= !Bitboard((2_u64 << self.fixed_squares[place].index()).wrapping_sub(1));
        }
        if !self.index.is_on_diagonal(self.slice()) {
            return squares;
        }
        let is_kept =
            |&square: &Square| self.index.index_of(&self.with_last(square)) == Some(self.index_of(square));
        squares.into_iter().filter(is_kept).fold(Bitboard::EMPTY, |set, square| set | square.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows agree with [`Index::squares_at`].
    #[test]
    fn rows_agree_with_indices() {
        for name in ["KQvK", "KPvK", "KRvKN", "KBBvK", "KPvKP", "KPPvK", "KBBvKB"] {
            let index = Index::new(name.parse().expect("a material"));
            assert_eq!(index.rows() * index.row_len(), index.len(), "{name}");
            for number in (0..index.rows()).step_by(if index.rows() > 100_000 { 1001 } else { 7 }) {
                let row = index.row(number);
                let canonical = row.as_ref().map_or(Bitboard::EMPTY, Row::canonical);
                for within in 0..index.row_len() {
                    let place = number * index.row_len() + within;
                    let square = Square::from_index(within + index.first_square());
                    let pieces = index.squares_at(place);
                    assert_eq!(pieces.is_some(), canonical.has(square), "{name} {number} {square}");
                    if let (Some(pieces), Some(row)) = (pieces, &row) {
                        assert_eq!(
                            (&pieces[..pieces.len() - 1], pieces.last()),
                            (row.fixed_squares(), Some(&square))
                        );
                        assert_eq!(row.index_of(square), place);
                    }
                }
            }
        }
    }

    #[test]
    fn row_checks_agree_with_attacks_of_single_positions() {
        for name in ["KQvKR", "KPvKP", "KBvKN", "KRNvK"] {
            let index = Index::new(name.parse().expect("a material"));
            for row in (0..index.rows()).step_by(97).filter_map(|number| index.row(number)) {
                for (color, square) in
                    Color::ALL.into_iter().flat_map(|color| row.free().into_iter().map(move |at| (color, at)))
                {
                    let occupied = row.occupied() | square.into();
                    let king = row.fixed_squares()[color.index()];
                    let mut pieces: Vec<(Piece, Square)> =
                        row.fixed_of(!color).map(|(_, piece, at)| (piece, at)).collect();
                    if row.last().color != color {
                        pieces.push((row.last(), square));
                    }
                    let is_check = pieces
                        .iter()
                        .any(|&(piece, at)| attacks::of(piece.kind, piece.color, at, occupied).has(king));
                    assert_eq!(
                        row.checks(color).has(square),
                        is_check,
                        "{name} {:?} {square}",
                        row.fixed_squares()
                    );
                }
            }
        }
    }
}
