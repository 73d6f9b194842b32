//! Where in its table a position stands.
//!
//! The kings come first: of all placements of both that are the same by a symmetry of the board, one is kept, and the other
//! men follow it. Without pawns the board has eight symmetries, which leave 462 placements of two kings apart; with pawns it
//! has two, which leave 1806. Each such placement is a slice of the table. Within it the other men are digits: a pawn has 48
//! squares, any other man 64; like men stand in the order of their squares. Where both kings stand on the long
//! diagonal, a position and its mirror image share the slice, and the smaller place counts. So each position has one
//! place; places of overlapping or unordered men are left empty.

use std::sync::LazyLock;

use arrayvec::ArrayVec;

use super::material::{MAX_OTHERS, Material};
use super::symmetry::Symmetry;
use crate::attacks;
use crate::types::{Color, Piece, PieceType, Square};

/// Where the men stand: White's king, Black's king, then the others in the order of [`Material::others`].
pub type Men = ArrayVec<Square, { MAX_OTHERS + 2 }>;

/// Squares of a pawn, and the first of them.
const PAWN_SQUARES: usize = 48;
const FIRST_PAWN_SQUARE: usize = 8;
/// Squares of another man.
const SQUARES: usize = 64;
/// No slice: the kings touch.
const NONE: u16 = u16::MAX;

/// All placements of the kings.
struct Kings {
    /// By White's and Black's king: the slice and the symmetry that brings them there.
    places: Vec<(u16, Symmetry)>,
    /// By slice: where they stand.
    slices: Vec<(usize, usize)>,
    /// By slice: are both on the long diagonal?
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

/// White's king to the triangle a1, d1, d4; where it stands on the diagonal, Black's below it or on it.
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

/// White's king to the files a to d.
fn with_pawns(white: usize, _: usize) -> Symmetry {
    if white & 7 >= 4 { Symmetry::LEFT_RIGHT } else { Symmetry::NONE }
}

static WITHOUT_PAWNS: LazyLock<Kings> = LazyLock::new(|| Kings::new(without_pawns, true));
static WITH_PAWNS: LazyLock<Kings> = LazyLock::new(|| Kings::new(with_pawns, false));

/// The places of a table.
#[derive(Clone)]
pub struct Index {
    material: Material,
    others: ArrayVec<Piece, MAX_OTHERS>,
    kings: &'static Kings,
    /// Places of a slice.
    slice: usize,
}

impl Index {
    /// Of the table of these men.
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

    /// The men.
    pub fn material(&self) -> Material {
        self.material
    }

    /// The men besides the kings, in the order of [`Men`].
    pub fn others(&self) -> &[Piece] {
        &self.others
    }

    /// What stands at a place of [`Men`].
    #[inline]
    pub fn piece(&self, place: usize) -> Piece {
        match place {
            0 => Piece::new(Color::White, PieceType::King),
            1 => Piece::new(Color::Black, PieceType::King),
            other => self.others[other - 2],
        }
    }

    /// Placements of the kings.
    pub fn slices(&self) -> usize {
        self.kings.slices.len()
    }

    /// Places of one slice.
    pub fn slice_len(&self) -> usize {
        self.slice
    }

    /// The men besides the kings that are fixed in a row: all but the last.
    #[inline]
    pub(super) fn fixed(&self) -> &[Piece] {
        self.others.split_last().map_or(&[], |(_, fixed)| fixed)
    }

    /// Places of a row: the squares of the last man.
    #[inline]
    pub fn row_len(&self) -> usize {
        self.others.last().map_or(1, |&piece| Self::squares_of(piece))
    }

    /// The square of the last man at the first place of a row.
    #[inline]
    pub fn first_square(&self) -> usize {
        (SQUARES - self.row_len()) / 2 % SQUARES
    }

    /// Rows of one slice.
    #[inline]
    pub fn rows_in_slice(&self) -> usize {
        self.slice / self.row_len()
    }

    /// Where the kings of a slice stand.
    #[inline]
    pub fn kings(&self, slice: usize) -> (Square, Square) {
        let (white, black) = self.kings.slices[slice];
        (Square::from_index(white), Square::from_index(black))
    }

    /// The slice of two kings and the symmetry that brings them there; `None` if they touch.
    #[inline]
    pub fn slice_of(&self, white: Square, black: Square) -> Option<(usize, Symmetry)> {
        let (slice, symmetry) = self.kings.places[SQUARES * white.index() + black.index()];
        (slice != NONE).then_some((usize::from(slice), symmetry))
    }

    /// Do both kings of a slice stand on the long diagonal, so that it has positions that mirror each other?
    #[inline]
    pub(super) fn is_on_diagonal(&self, slice: usize) -> bool {
        self.kings.on_diagonal[slice]
    }

    /// All places, for one side to move.
    pub fn len(&self) -> usize {
        self.slices() * self.slice
    }

    /// Is there no place? There always is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where these men stand; `None` if the kings touch. Men may stand in any order among their like. They must not
    /// overlap, nor pawns stand on a back rank.
    #[inline]
    pub fn place(&self, men: &[Square]) -> Option<usize> {
        let (white, black) = (men[0].index(), men[1].index());
        let (slice, symmetry) = self.kings.places[SQUARES * white + black];
        if slice == NONE {
            return None;
        }
        let slice = usize::from(slice);
        let here = self.digits(&men[2..], symmetry);
        let within = if self.kings.on_diagonal[slice] {
            here.min(self.digits(&men[2..], symmetry.toggled(Symmetry::DIAGONAL)))
        } else {
            here
        };
        Some(slice * self.slice + within)
    }

    /// The other men as digits.
    #[inline]
    fn digits(&self, others: &[Square], symmetry: Symmetry) -> usize {
        let mut squares = [0_usize; MAX_OTHERS];
        for (place, square) in squares.iter_mut().zip(others) {
            *place = symmetry.square(square.index());
        }
        // Like men stand together, so a few swaps of neighbours put them in order.
        for last in (1..others.len()).rev() {
            for place in 0..last {
                if self.others[place] == self.others[place + 1] && squares[place] > squares[place + 1] {
                    squares.swap(place, place + 1);
                }
            }
        }
        Self::number_of(&self.others, &squares)
    }

    /// Squares of these men as digits.
    #[inline]
    pub(super) fn number_of(pieces: &[Piece], squares: &[usize]) -> usize {
        squares.iter().zip(pieces).fold(0, |sum, (&square, &piece)| {
            if piece.kind == PieceType::Pawn {
                sum * PAWN_SQUARES + square - FIRST_PAWN_SQUARE
            } else {
                sum * SQUARES + square
            }
        })
    }

    /// How many positions a place would stand for if like men could be told apart: some counts are taken so.
    ///
    /// Two like men that a symmetry of the whole position exchanges cannot be told apart even then.
    pub fn orderings(&self, men: &[Square]) -> u64 {
        let mut count = 1;
        let mut run = 1;
        for pair in self.others.windows(2) {
            run = if pair[0] == pair[1] { run + 1 } else { 1 };
            count *= run;
        }
        let (slice, symmetry) = self.kings.places[SQUARES * men[0].index() + men[1].index()];
        let is_on_diagonal = slice != NONE && self.kings.on_diagonal[usize::from(slice)];
        let is_symmetric = is_on_diagonal
            && self.digits(&men[2..], symmetry)
                == self.digits(&men[2..], symmetry.toggled(Symmetry::DIAGONAL));
        let is_at_home = |square: &Square| {
            let square = symmetry.square(square.index());
            square >> 3 == square & 7
        };
        if is_symmetric && !men[2..].iter().all(is_at_home) { count / 2 } else { count }
    }

    /// The men at a place; `None` if it is left empty: they overlap, or their position has another place.
    #[inline]
    pub fn men(&self, place: usize) -> Option<Men> {
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
        let men: Men = [white, black]
            .iter()
            .chain(&squares[..self.others.len()])
            .map(|&square| Square::from_index(square))
            .collect();
        if self.kings.on_diagonal[slice] && self.place(&men) != Some(place) {
            return None;
        }
        Some(men)
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
    fn kings_have_as_many_placements_as_counted_elsewhere() {
        assert_eq!((index("KQvK").slices(), index("KPvK").slices()), (462, 1806));
        assert_eq!((index("KQvK").len(), index("KPvK").len()), (462 * 64, 1806 * 48));
    }

    #[test]
    fn men_come_back_from_their_place() {
        for name in ["KQvK", "KPvK", "KRvKN", "KBBvK", "KPvKP", "KPPvK"] {
            let index = index(name);
            for place in (0..index.len()).step_by(7) {
                if let Some(men) = index.men(place) {
                    assert_eq!(index.place(&men), Some(place), "{name}");
                }
            }
        }
    }

    #[test]
    fn symmetric_positions_share_a_place() {
        for (name, symmetries) in [("KQvK", 8), ("KRvKN", 8), ("KBBvK", 8), ("KPvK", 2), ("KPvKP", 2)] {
            let index = index(name);
            for place in (0..index.len()).step_by(11) {
                let Some(men) = index.men(place) else { continue };
                for symmetry in 0..symmetries {
                    let there: Men = men
                        .iter()
                        .map(|square| {
                            Square::from_index(Symmetry::from_index(symmetry).square(square.index()))
                        })
                        .collect();
                    assert_eq!(index.place(&there), Some(place), "{name} {men:?} {symmetry}");
                }
            }
        }
    }

    #[test]
    fn like_men_may_stand_in_any_order() {
        let index = index("KBBvKN");
        let men: Vec<Square> = [0, 20, 33, 12, 50].map(Square::from_index).to_vec();
        let turned: Vec<Square> = [0, 20, 12, 33, 50].map(Square::from_index).to_vec();
        assert_eq!(index.place(&men), index.place(&turned));
    }

    #[test]
    fn every_position_of_three_men_has_one_place() {
        // All placements of three men on the board, up to symmetry: kings apart, the third anywhere else.
        let index = index("KQvK");
        let places: HashSet<usize> = (0..index.len()).filter(|&place| index.men(place).is_some()).collect();
        let mut reached = HashSet::new();
        for white in Square::all() {
            for black in Square::all() {
                for queen in Square::all() {
                    if queen != white
                        && queen != black
                        && white != black
                        && let Some(place) = index.place(&[white, black, queen])
                    {
                        reached.insert(place);
                    }
                }
            }
        }
        assert_eq!(reached, places);
    }
}
