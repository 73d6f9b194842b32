//! The mapping between positions and table indices.
//!
//! The placement of the kings selects a slice of the table. Placements that are equal by a symmetry
//! of the board are merged: without pawns the board has eight symmetries, which leave 462 king
//! placements; with pawns it has two, which leave 1806. Within a slice, the squares of the other
//! pieces are digits: a pawn has 48 squares, any other piece 64. Identical pieces are sorted by
//! square. Without pawns, if both kings stand on the long diagonal, a position and its mirror image
//! lie in the same slice, and the smaller index is used. Each position thus has one index; indices
//! of overlapping or unsorted pieces are unused.

use std::sync::LazyLock;

use arrayvec::ArrayVec;

use super::material::{MAX_OTHERS, Material};
use super::symmetry::Symmetry;
use crate::attacks;
use crate::types::{Color, Piece, PieceType, Square};

/// Squares of all pieces: White's king, Black's king, then the others in the order of
/// [`Material::others`].
pub type PieceSquares = ArrayVec<Square, { MAX_OTHERS + 2 }>;

/// Number of squares of a pawn, and the first of them.
const PAWN_SQUARES: usize = 48;
const FIRST_PAWN_SQUARE: usize = 8;
/// Number of squares of another piece.
const SQUARES: usize = 64;
/// Marks king placements without a slice: adjacent kings.
const NONE: u16 = u16::MAX;

/// All placements of the kings.
struct Kings {
    /// By squares of White's and Black's king: the slice, and the symmetry that maps to it.
    places: Vec<(u16, Symmetry)>,
    /// By slice: the squares of the kings.
    slices: Vec<(usize, usize)>,
    /// By slice: whether both kings stand on the long diagonal.
    on_diagonal: Vec<bool>,
}

impl Kings {
    fn new(symmetry_of: fn(usize, usize) -> Symmetry, has_diagonal: bool) -> Self {
        let mut kings = Self {
            places: vec![(NONE, Symmetry::NONE); SQUARES * SQUARES],
            slices: Vec::new(),
            on_diagonal: Vec::new(),
        };
        for white in 0..SQUARES {
            for black in 0..SQUARES {
                let touch = attacks::king(Square::from_index(white)).has(Square::from_index(black));
                if touch || white == black {
                    continue;
                }
                let symmetry = symmetry_of(white, black);
                let home = (symmetry.square(white), symmetry.square(black));
                let slice = kings.slices.iter().position(|&known| known == home).unwrap_or_else(|| {
                    let is_on = |square: usize| square >> 3 == square & 7;
                    kings.slices.push(home);
                    kings.on_diagonal.push(has_diagonal && is_on(home.0) && is_on(home.1));
                    kings.slices.len() - 1
                });
                kings.places[SQUARES * white + black] = (slice as u16, symmetry);
            }
        }
        kings
    }
}

/// Maps White's king to the triangle a1-d1-d4; if it stands on the diagonal, maps Black's king to
/// or below it.
fn without_pawns(white: usize, black: usize) -> Symmetry {
    let mut symmetry = Symmetry::NONE;
    if white & 7 >= 4 {
        symmetry = symmetry.and(Symmetry::LEFT_RIGHT);
    }
    if white >> 3 >= 4 {
        symmetry = symmetry.and(Symmetry::UP_DOWN);
    }
    let (white, black) = (symmetry.square(white), symmetry.square(black));
    let above = |square: usize| (square >> 3).cmp(&(square & 7));
    if above(white).then(above(black)).is_gt() {
        symmetry = symmetry.and(Symmetry::DIAGONAL);
    }
    symmetry
}

/// Maps White's king to the files a to d.
fn with_pawns(white: usize, _: usize) -> Symmetry {
    if white & 7 >= 4 { Symmetry::LEFT_RIGHT } else { Symmetry::NONE }
}

static WITHOUT_PAWNS: LazyLock<Kings> = LazyLock::new(|| Kings::new(without_pawns, true));
static WITH_PAWNS: LazyLock<Kings> = LazyLock::new(|| Kings::new(with_pawns, false));

/// The index mapping of one table.
#[derive(Clone)]
pub struct Index {
    material: Material,
    others: ArrayVec<Piece, MAX_OTHERS>,
    kings: &'static Kings,
    /// Number of indices per slice.
    slice: usize,
}

impl Index {
    /// Creates the mapping for a table.
    pub fn new(material: Material) -> Self {
        let others = material.others();
        let slice = others.iter().map(|piece| Self::squares_of(*piece)).product();
        let kings: &Kings = if material.has_pawns() { &WITH_PAWNS } else { &WITHOUT_PAWNS };
        Self { material, others, kings, slice }
    }

    #[inline]
    pub(super) fn squares_of(piece: Piece) -> usize {
        if piece.kind == PieceType::Pawn { PAWN_SQUARES } else { SQUARES }
    }

    /// Returns the material of the table.
    pub fn material(&self) -> Material {
        self.material
    }

    /// Returns the pieces other than kings, in the order of [`PieceSquares`].
    pub fn others(&self) -> &[Piece] {
        &self.others
    }

    /// Returns the piece at a position of [`PieceSquares`].
    #[inline]
    pub fn piece(&self, place: usize) -> Piece {
        match place {
            0 => Piece::new(Color::White, PieceType::King),
            1 => Piece::new(Color::Black, PieceType::King),
            other => self.others[other - 2],
        }
    }

    /// Returns the number of slices, i.e. king placements.
    pub fn slices(&self) -> usize {
        self.kings.slices.len()
    }

    /// Returns the number of indices per slice.
    pub fn slice_len(&self) -> usize {
        self.slice
    }

    /// Returns the pieces other than kings that are fixed within a row: all but the last.
    #[inline]
    pub(super) fn fixed(&self) -> &[Piece] {
        self.others.split_last().map_or(&[], |(_, fixed)| fixed)
    }

    /// Returns the number of indices per row: the squares of the last piece.
    #[inline]
    pub fn row_len(&self) -> usize {
        self.others.last().map_or(1, |&piece| Self::squares_of(piece))
    }

    /// Returns the square of the last piece at the first index of a row.
    #[inline]
    pub fn first_square(&self) -> usize {
        (SQUARES - self.row_len()) / 2 % SQUARES
    }

    /// Returns the number of rows per slice.
    #[inline]
    pub fn rows_in_slice(&self) -> usize {
        self.slice / self.row_len()
    }

    /// Returns the squares of the kings of a slice.
    #[inline]
    pub fn kings(&self, slice: usize) -> (Square, Square) {
        let (white, black) = self.kings.slices[slice];
        (Square::from_index(white), Square::from_index(black))
    }

    /// Returns the slice of two kings and the symmetry that maps to it; `None` for adjacent kings.
    #[inline]
    pub fn slice_of(&self, white: Square, black: Square) -> Option<(usize, Symmetry)> {
        let (slice, symmetry) = self.kings.places[SQUARES * white.index() + black.index()];
        (slice != NONE).then_some((usize::from(slice), symmetry))
    }

    /// Whether both kings of a slice stand on the long diagonal, so that it contains mirrored
    /// positions.
    #[inline]
    pub(super) fn is_on_diagonal(&self, slice: usize) -> bool {
        self.kings.on_diagonal[slice]
    }

    /// Returns the number of indices per side to move.
    pub fn len(&self) -> usize {
        self.slices() * self.slice
    }

    /// Whether the table has no indices, which never happens.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the index of a position; `None` for adjacent kings. Identical pieces may be in any
    /// order. Pieces must not overlap, and pawns must not stand on a back rank.
    #[inline]
    pub fn index_of(&self, squares: &[Square]) -> Option<usize> {
        let (white, black) = (squares[0].index(), squares[1].index());
        let (slice, symmetry) = self.kings.places[SQUARES * white + black];
        if slice == NONE {
            return None;
        }
        let slice = usize::from(slice);
        let here = Self::digits(&self.others, &squares[2..], symmetry);
        let within = if self.kings.on_diagonal[slice] {
            here.min(Self::digits(&self.others, &squares[2..], symmetry.toggled(Symmetry::DIAGONAL)))
        } else {
            here
        };
        Some(slice * self.slice + within)
    }

    /// Combines the squares of pieces other than kings, after a symmetry, as digits of a number:
    /// the index within the slice of all of them, or the row of the fixed ones.
    #[inline]
    pub(super) fn digits(pieces: &[Piece], squares: &[Square], symmetry: Symmetry) -> usize {
        let mut mapped = [0_usize; MAX_OTHERS];
        for (place, square) in mapped.iter_mut().zip(squares) {
            *place = symmetry.square(square.index());
        }
        // Identical pieces are adjacent, so a few swaps sort them.
        for last in (1..pieces.len()).rev() {
            for place in 0..last {
                if pieces[place] == pieces[place + 1] && mapped[place] > mapped[place + 1] {
                    mapped.swap(place, place + 1);
                }
            }
        }
        mapped.iter().zip(pieces).fold(0, |sum, (&square, &piece)| {
            if piece.kind == PieceType::Pawn {
                sum * PAWN_SQUARES + square - FIRST_PAWN_SQUARE
            } else {
                sum * SQUARES + square
            }
        })
    }

    /// Returns the number of positions that an index stands for if identical pieces are
    /// distinguished, as some statistics do.
    ///
    /// Two identical pieces exchanged by a symmetry of the whole position remain indistinguishable.
    pub fn orderings(&self, squares: &[Square]) -> u64 {
        let mut count = 1;
        let mut run = 1;
        for pair in self.others.windows(2) {
            run = if pair[0] == pair[1] { run + 1 } else { 1 };
            count *= run;
        }
        let (slice, symmetry) = self.kings.places[SQUARES * squares[0].index() + squares[1].index()];
        let is_on_diagonal = slice != NONE && self.kings.on_diagonal[usize::from(slice)];
        let is_symmetric = is_on_diagonal
            && Self::digits(&self.others, &squares[2..], symmetry)
                == Self::digits(&self.others, &squares[2..], symmetry.toggled(Symmetry::DIAGONAL));
        let is_at_home = |square: &Square| {
            let square = symmetry.square(square.index());
            square >> 3 == square & 7
        };
        if is_symmetric && !squares[2..].iter().all(is_at_home) { count / 2 } else { count }
    }

    /// Returns the squares of the pieces at an index; `None` if it is unused.
    #[inline]
    pub fn squares_at(&self, place: usize) -> Option<PieceSquares> {
        let (slice, mut within) = (place / self.slice, place % self.slice);
        let (white, black) = *self.kings.slices.get(slice)?;
        let mut squares = [0_usize; MAX_OTHERS];
        for (index, &piece) in self.others.iter().enumerate().rev() {
            let count = Self::squares_of(piece);
            squares[index] = within % count + (SQUARES - count) / 2;
            within /= count;
        }
        let mut taken = 1_u64 << white | 1 << black;
        for (index, &square) in squares[..self.others.len()].iter().enumerate() {
            if taken >> square & 1 != 0 {
                return None;
            }
            taken |= 1 << square;
            if index > 0 && self.others[index] == self.others[index - 1] && squares[index - 1] > square {
                return None;
            }
        }
        let squares: PieceSquares = [white, black]
            .iter()
            .chain(&squares[..self.others.len()])
            .map(|&square| Square::from_index(square))
            .collect();
        if self.kings.on_diagonal[slice] && self.index_of(&squares) != Some(place) {
            return None;
        }
        Some(squares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn index(name: &str) -> Index {
        Index::new(name.parse().expect("a material"))
    }

    #[test]
    fn king_placements_match_published_counts() {
        assert_eq!((index("KQvK").slices(), index("KPvK").slices()), (462, 1806));
        assert_eq!((index("KQvK").len(), index("KPvK").len()), (462 * 64, 1806 * 48));
    }

    #[test]
    fn squares_and_indices_round_trip() {
        for name in ["KQvK", "KPvK", "KRvKN", "KBBvK", "KPvKP", "KPPvK"] {
            let index = index(name);
            for place in (0..index.len()).step_by(7) {
                if let Some(squares) = index.squares_at(place) {
                    assert_eq!(index.index_of(&squares), Some(place), "{name}");
                }
            }
        }
    }

    #[test]
    fn symmetric_positions_share_an_index() {
        for (name, symmetries) in [("KQvK", 8), ("KRvKN", 8), ("KBBvK", 8), ("KPvK", 2), ("KPvKP", 2)] {
            let index = index(name);
            for place in (0..index.len()).step_by(11) {
                let Some(squares) = index.squares_at(place) else { continue };
                for symmetry in 0..symmetries {
                    let there: PieceSquares = squares
                        .iter()
                        .map(|square| {
                            Square::from_index(Symmetry::from_index(symmetry).square(square.index()))
                        })
                        .collect();
                    assert_eq!(index.index_of(&there), Some(place), "{name} {squares:?} {symmetry}");
                }
            }
        }
    }

    #[test]
    fn identical_pieces_may_be_in_any_order() {
        let index = index("KBBvKN");
        let squares: Vec<Square> = [0, 20, 33, 12, 50].map(Square::from_index).to_vec();
        let turned: Vec<Square> = [0, 20, 12, 33, 50].map(Square::from_index).to_vec();
        assert_eq!(index.index_of(&squares), index.index_of(&turned));
    }

    #[test]
    fn three_piece_positions_map_to_all_used_indices() {
        // All placements of three pieces up to symmetry: kings not adjacent, the third anywhere
        // else.
        let index = index("KQvK");
        let places: HashSet<usize> =
            (0..index.len()).filter(|&place| index.squares_at(place).is_some()).collect();
        let mut reached = HashSet::new();
        for white in Square::all() {
            for black in Square::all() {
                for queen in Square::all() {
                    if queen != white
                        && queen != black
                        && white != black
                        && let Some(place) = index.index_of(&[white, black, queen])
                    {
                        reached.insert(place);
                    }
                }
            }
        }
        assert_eq!(reached, places);
    }
}
