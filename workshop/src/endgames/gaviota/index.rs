//! Places of positions in Gaviota's tables.
//!
//! Without pawns, the kings come first: mirroring brings Black's king to the triangle a1-d1-d4,
//! which leaves 462 placements. With pawns, the pawns come first, one of them on the files a to d,
//! then White's king and Black's. Then follow like pieces, as one number, and the other pieces, 64
//! squares each. With pawns, positions count from the seventh rank of their side downwards.

use std::sync::LazyLock;

use arrayvec::ArrayVec;
use stretto::attacks;
use stretto::tablebase::{Index, MAX_OTHERS, Material, Symmetry};
use stretto::types::{Color, Piece, PieceType, Square};

/// Number of squares of a piece, of a pawn, and of a pawn on the files a to d.
const SQUARES: usize = 64;
const PAWN_SQUARES: usize = 48;
const HALF: usize = 24;
/// Placements of the kings, and of two and three pawns of one side.
const KINGS: usize = 462;
const TWO_PAWNS: usize = 576;
const THREE_PAWNS: usize = 8648;
/// Marks placements without a number.
const NONE: u16 = u16::MAX;

/// The pieces whose placement is the leading digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leading {
    Kings,
    WhitePawn,
    BlackPawn,
    TwoPawns,
    ThreePawns,
    PawnEach,
    TwoAgainstOne,
}

/// The mapping of positions of one material to places.
#[derive(Clone, Debug)]
pub(super) struct Places {
    leading: Leading,
    /// Positions of the pawns, of like pieces and of single pieces in
    /// [`stretto::tablebase::PieceSquares`].
    pawns: ArrayVec<usize, MAX_OTHERS>,
    alike: ArrayVec<usize, MAX_OTHERS>,
    single: ArrayVec<usize, MAX_OTHERS>,
}

impl Places {
    /// Returns the mapping; `None` if Gaviota has no such table: only those of three to five pieces
    /// exist, with White as the stronger side.
    pub(super) fn new(index: &Index) -> Option<Self> {
        let material = index.material();
        if !material.is_canonical() || !(3..=5).contains(&material.piece_count()) {
            return None;
        }
        let mut places = Self {
            leading: Leading::of(material)?,
            pawns: ArrayVec::new(),
            alike: ArrayVec::new(),
            single: ArrayVec::new(),
        };
        for (other, &piece) in index.others().iter().enumerate() {
            let list = match piece.kind {
                PieceType::Pawn => &mut places.pawns,
                _ if material.count(piece) > 1 => &mut places.alike,
                _ => &mut places.single,
            };
            list.push(other + 2);
        }
        Some(places)
    }

    /// Returns the number of places per side to move.
    pub(super) fn len(&self) -> usize {
        let leading = match self.leading {
            Leading::Kings => KINGS,
            Leading::WhitePawn | Leading::BlackPawn => HALF,
            Leading::TwoPawns => TWO_PAWNS,
            Leading::ThreePawns => THREE_PAWNS,
            Leading::PawnEach => HALF * PAWN_SQUARES,
            Leading::TwoAgainstOne => HALF * choose_two(PAWN_SQUARES),
        };
        let kings = if self.leading == Leading::Kings { 1 } else { SQUARES * SQUARES };
        leading * kings * self.placements_of_like() * SQUARES.pow(self.single.len() as u32)
    }

    fn placements_of_like(&self) -> usize {
        match self.alike.len() {
            2 => choose_two(SQUARES),
            3 => choose_three(SQUARES),
            _ => 1,
        }
    }

    /// Returns the place of a position; `None` for adjacent kings. Pieces must not overlap.
    pub(super) fn of(&self, squares: &[Square]) -> Option<usize> {
        let at = |place: usize| squares[place].index();
        let pawns: ArrayVec<usize, MAX_OTHERS> = self.pawns.iter().map(|&place| at(place)).collect();
        let (leading, symmetry) = self.leading.number(at(0), at(1), &pawns)?;
        let at = |place: usize| symmetry.square(squares[place].index());
        let mut number = leading;
        if self.leading != Leading::Kings {
            number = (number * SQUARES + at(0)) * SQUARES + at(1);
        }
        let mut alike: ArrayVec<usize, MAX_OTHERS> = self.alike.iter().map(|&place| at(place)).collect();
        alike.sort_unstable();
        number = number * self.placements_of_like()
            + match alike[..] {
                [low, high] => pair(SQUARES, low, high),
                [low, middle, high] => low + choose_two(middle) + choose_three(high),
                _ => 0,
            };
        Some(self.single.iter().fold(number, |number, &place| number * SQUARES + at(place)))
    }
}

impl Leading {
    /// Returns the leading pieces; `None` for more pawns than five pieces allow.
    fn of(material: Material) -> Option<Self> {
        let pawns = Color::ALL.map(|color| material.count(Piece::new(color, PieceType::Pawn)));
        Some(match pawns {
            [0, 0] => Self::Kings,
            [1, 0] => Self::WhitePawn,
            [0, 1] => Self::BlackPawn,
            [2, 0] => Self::TwoPawns,
            [3, 0] => Self::ThreePawns,
            [1, 1] => Self::PawnEach,
            [2, 1] => Self::TwoAgainstOne,
            _ => return None,
        })
    }

    /// Returns the number of the placement, and the symmetry to apply to the other pieces.
    fn number(self, white: usize, black: usize, pawns: &[usize]) -> Option<(usize, Symmetry)> {
        let to_left = |square: usize| if is_right(square) { Symmetry::LEFT_RIGHT } else { Symmetry::NONE };
        match (self, pawns) {
            (Self::Kings, _) => {
                let symmetry = to_triangle(black, white);
                let number = KING_NUMBERS[SQUARES * symmetry.square(black) + symmetry.square(white)];
                (number != NONE).then_some((usize::from(number), symmetry))
            }
            (Self::WhitePawn, &[pawn]) => {
                let symmetry = to_left(pawn);
                Some((of_half(symmetry.square(pawn)), symmetry))
            }
            (Self::BlackPawn, &[pawn]) => {
                let symmetry = to_left(pawn);
                Some((of_half(up_down(symmetry.square(pawn))), symmetry))
            }
            (Self::TwoPawns, &[one, other]) => {
                let (anchor, other) = anchor_first(one, other);
                let symmetry = to_left(anchor);
                let (anchor, other) = (symmetry.square(anchor), symmetry.square(other));
                Some((usize::from(PAWN_PAIRS[of_half(anchor)][of_board(other)]), symmetry))
            }
            (Self::ThreePawns, pawns) => {
                let right = pawns.iter().filter(|&&pawn| is_right(pawn)).count();
                let symmetry = if right > 1 { Symmetry::LEFT_RIGHT } else { Symmetry::NONE };
                let mut order: ArrayVec<usize, 3> =
                    pawns.iter().map(|&pawn| right_first(symmetry.square(pawn))).collect();
                order.sort_unstable();
                Some((three_pawns(order[0], order[1], order[2]), symmetry))
            }
            (Self::PawnEach, &[white, black]) => {
                let symmetry = to_left(white);
                let (white, black) = (symmetry.square(white), symmetry.square(black));
                Some((of_half(white) * PAWN_SQUARES + of_board(up_down(black)), symmetry))
            }
            (Self::TwoAgainstOne, &[one, other, black]) => {
                let symmetry = to_left(black);
                let number = |pawn: usize| of_board(left_right(symmetry.square(pawn)));
                let (low, high) = (number(one).min(number(other)), number(one).max(number(other)));
                let black = of_half(up_down(symmetry.square(black)));
                Some((black * choose_two(PAWN_SQUARES) + pair(PAWN_SQUARES, low, high), symmetry))
            }
            _ => None,
        }
    }
}

/// Returns the number of pairs or triples of `count` squares.
const fn choose_two(count: usize) -> usize {
    count * count.saturating_sub(1) / 2
}

const fn choose_three(count: usize) -> usize {
    count * count.saturating_sub(1) * count.saturating_sub(2) / 6
}

/// Returns the number of a pair in lexicographic order. Range: `low < high < count`.
const fn pair(count: usize, low: usize, high: usize) -> usize {
    low * (2 * count - 1 - low) / 2 + high - low - 1
}

/// Returns whether a square is on the files e to h.
const fn is_right(square: usize) -> bool {
    square & 4 != 0
}

const fn left_right(square: usize) -> usize {
    Symmetry::LEFT_RIGHT.square(square)
}

const fn up_down(square: usize) -> usize {
    Symmetry::UP_DOWN.square(square)
}

/// Returns the number of a pawn's square, from the seventh rank downwards: among all, and among
/// those on the files a to d.
const fn of_board(pawn: usize) -> usize {
    8 * (6 - (pawn >> 3)) + (pawn & 7)
}

const fn of_half(pawn: usize) -> usize {
    4 * (6 - (pawn >> 3)) + (pawn & 7)
}

/// Returns the number of a pawn's square with the right half first, each from h or d to the left.
const fn right_first(pawn: usize) -> usize {
    let within = 4 * (6 - (pawn >> 3)) + 3 - (pawn & 3);
    if is_right(pawn) { within } else { HALF + within }
}

/// Returns the number of three pawns, at least two of them in the left half, by their numbers of
/// [`right_first`] in ascending order.
const fn three_pawns(first: usize, second: usize, third: usize) -> usize {
    if first < HALF {
        return first * choose_two(HALF) + pair(HALF, second - HALF, third - HALF);
    }
    let (first, second, third) = (first - HALF, second - HALF, third - HALF);
    let left = HALF - first;
    let before = choose_three(HALF) - choose_three(left);
    HALF * choose_two(HALF) + before + pair(left - 1, second - first - 1, third - first - 1)
}

/// Returns two pawns with the anchor first: the more advanced, then the one nearer to the edge, then
/// the one further to the left.
fn anchor_first(one: usize, other: usize) -> (usize, usize) {
    let rank = |pawn: usize| {
        let file = pawn & 7;
        (pawn >> 3, file.max(7 - file), std::cmp::Reverse(pawn))
    };
    if rank(one) >= rank(other) { (one, other) } else { (other, one) }
}

/// Returns the symmetry that brings the first king to the triangle a1-d1-d4 and, if that one is on
/// the diagonal, the second to or below it.
fn to_triangle(first: usize, second: usize) -> Symmetry {
    let mut symmetry = if is_right(first) { Symmetry::LEFT_RIGHT } else { Symmetry::NONE };
    if first >> 3 >= 4 {
        symmetry = symmetry.and(Symmetry::UP_DOWN);
    }
    let above = |square: usize| {
        let square = symmetry.square(square);
        (square >> 3).cmp(&(square & 7))
    };
    if above(first).then(above(second)).is_gt() { symmetry.and(Symmetry::DIAGONAL) } else { symmetry }
}

/// Numbers of king placements, by Black's and White's square after [`to_triangle`].
static KING_NUMBERS: LazyLock<Vec<u16>> = LazyLock::new(|| {
    let mut numbers = vec![NONE; SQUARES * SQUARES];
    let mut next = 0;
    for black in Square::all() {
        for white in Square::all().filter(|&white| white != black && !attacks::king(black).has(white)) {
            let symmetry = to_triangle(black.index(), white.index());
            let place = SQUARES * symmetry.square(black.index()) + symmetry.square(white.index());
            if numbers[place] == NONE {
                numbers[place] = next;
                next += 1;
            }
        }
    }
    debug_assert_eq!(usize::from(next), KINGS, "king placements");
    numbers
});

/// Numbers of two pawns of one side, by anchor and other pawn.
static PAWN_PAIRS: LazyLock<Vec<[u16; PAWN_SQUARES]>> = LazyLock::new(|| {
    let mut numbers = vec![[NONE; PAWN_SQUARES]; HALF];
    let mut next = 0;
    let squares = || (SQUARES - 8 - PAWN_SQUARES..SQUARES - 8).rev();
    for one in squares().filter(|&one| is_right(one)) {
        for other in squares().filter(|&other| other < one) {
            let (anchor, other) = anchor_first(one, other);
            let mirror = if is_right(anchor) { left_right } else { |square| square };
            let number = &mut numbers[of_half(mirror(anchor))][of_board(mirror(other))];
            if *number == NONE {
                *number = next;
                next += 1;
            }
        }
    }
    debug_assert_eq!(usize::from(next), TWO_PAWNS, "placements of two pawns");
    numbers
});

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::path::Path;

    use stretto::position::Position;
    use stretto::tablebase::piece_squares;

    use super::*;

    fn places(name: &str) -> (Index, Places) {
        let index = Index::new(name.parse().unwrap());
        let places = Places::new(&index).unwrap();
        (index, places)
    }

    /// The places that python-chess computes, in the tables of all materials.
    #[test]
    fn places_match_those_of_another_reader() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/gaviota/places.tsv");
        let text = std::fs::read_to_string(file).unwrap();
        let mut tables = HashMap::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split('\t').collect();
            let [fen, length, place] = fields[..] else { panic!("{line}") };
            let position = Position::from_fen(fen).unwrap();
            let material = Material::of(&position).unwrap();
            let (index, places) = places(&material.to_string());
            let squares = piece_squares(&position, &index, false).unwrap();
            assert_eq!(places.len(), length.parse::<usize>().unwrap(), "{line}");
            assert_eq!(places.of(&squares), Some(place.parse().unwrap()), "{line}");
            *tables.entry(material).or_insert(0) += 1;
        }
        assert_eq!(tables.len(), 145);
        assert!(tables.values().all(|&count| count >= 4));
    }

    #[test]
    fn tables_of_other_sizes_do_not_exist() {
        for name in ["KvK", "KQQQQvK", "KRvKQ", "KPvKPP"] {
            assert!(Places::new(&Index::new(name.parse().unwrap())).is_none(), "{name}");
        }
    }

    #[test]
    fn different_positions_have_different_places() {
        for name in ["KQvK", "KPvK", "KNNvK", "KPPvK", "KPvKP"] {
            let (index, places) = places(name);
            let mut owners = vec![false; places.len()];
            for squares in (0..index.len()).filter_map(|place| index.squares_at(place)) {
                let place = places.of(&squares).unwrap();
                assert!(!std::mem::replace(&mut owners[place], true), "{name} {squares:?}");
            }
        }
    }

    #[test]
    fn mirrored_positions_with_pawns_share_a_place() {
        for name in ["KPvK", "KRvKP", "KPPvK", "KPvKP", "KPPPvK", "KPPvKP", "KBNvKP", "KQQPvK"] {
            let (index, places) = places(name);
            for squares in (0..index.len()).step_by(10_007).filter_map(|place| index.squares_at(place)) {
                let mirrored: Vec<Square> =
                    squares.iter().map(|square| Square::from_index(left_right(square.index()))).collect();
                // Two pawns in one row at mirrored squares, and the like, have two places.
                let is_ambiguous = places.leading == Leading::TwoPawns && {
                    let (one, other) = (squares[places.pawns[0]].index(), squares[places.pawns[1]].index());
                    left_right(one) == other
                };
                assert!(is_ambiguous || places.of(&squares) == places.of(&mirrored), "{name} {squares:?}");
            }
        }
    }
}
