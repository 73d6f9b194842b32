//! Material and where it stands.
//!
//! The square tables are computed from a few weights each (distance from the centre, rank), so that every number
//! has a reason and the tables can be read.

use super::{Tapered, tapered};
use crate::position::Position;
use crate::types::{Color, PieceType};

/// Value of each kind, king last.
const VALUES: [Tapered; 6] = [
    tapered(84, 104),
    tapered(335, 305),
    tapered(350, 325),
    tapered(475, 545),
    tapered(1000, 980),
    tapered(0, 0),
];
/// Two bishops see all squares.
const BISHOP_PAIR: Tapered = tapered(26, 48);

/// How near a file or rank is to the middle. Range: 0 (edge) to 3 (centre).
const fn inwards(index: i32) -> i32 {
    if index < 4 { index } else { 7 - index }
}

const fn pawn(file: i32, rank: i32) -> Tapered {
    let steps = rank - 1;
    let centre = inwards(file);
    // Centre pawns want two steps; the c- and f-pawn one of them as support.
    let early = match (centre, rank) {
        (3, 3) => 24,
        (3, 2) => 6,
        (3, 1) => -14,
        (2, 3) => 12,
        _ => 0,
    };
    tapered(early + steps * 3 - if centre == 0 { 6 } else { 0 }, steps * steps * 2)
}

const fn knight(file: i32, rank: i32) -> Tapered {
    let centre = inwards(file) + inwards(rank);
    let outpost = if rank >= 3 && rank <= 5 { 8 } else { 0 };
    let undeveloped = if rank == 0 { 10 } else { 0 };
    tapered(centre * 10 - 40 + outpost - undeveloped, centre * 8 - 32)
}

const fn bishop(file: i32, rank: i32) -> Tapered {
    let centre = inwards(file) + inwards(rank);
    let undeveloped = if rank == 0 { 12 } else { 0 };
    // The long diagonals' home squares of a fianchetto.
    let fianchetto = if rank == 1 && inwards(file) == 1 { 12 } else { 0 };
    tapered(centre * 3 - 6 + fianchetto - undeveloped, centre * 3 - 10)
}

const fn rook(file: i32, rank: i32) -> Tapered {
    let seventh = if rank == 6 { 18 } else { 0 };
    let home = if rank == 0 { inwards(file) * 4 } else { 0 };
    tapered(home - 6 + seventh, if rank >= 6 { 8 } else { 0 })
}

const fn queen(file: i32, rank: i32) -> Tapered {
    let centre = inwards(file) + inwards(rank);
    let early = if rank >= 2 { 4 } else { 0 };
    tapered(centre - early, centre * 6 - 18)
}

const fn king(file: i32, rank: i32) -> Tapered {
    let wing = match inwards(file) {
        0 => 14,
        1 => 28,
        2 => 0,
        _ => -8,
    };
    let exposed = if rank == 0 { 0 } else { 18 + 14 * rank };
    tapered(wing - exposed, (inwards(file) + inwards(rank)) * 10 - 34)
}

/// Value and place of every piece as White sees it. Shape: `[kind][square]`.
static TABLE: [[Tapered; 64]; 6] = {
    let mut table = [[tapered(0, 0); 64]; 6];
    let mut square = 0;
    while square < 64 {
        let (file, rank) = (square as i32 % 8, square as i32 / 8);
        let places = [
            pawn(file, rank),
            knight(file, rank),
            bishop(file, rank),
            rook(file, rank),
            queen(file, rank),
            king(file, rank),
        ];
        let mut kind = 0;
        while kind < 6 {
            table[kind][square] =
                tapered(VALUES[kind].middle + places[kind].middle, VALUES[kind].end + places[kind].end);
            kind += 1;
        }
        square += 1;
    }
    table
};

/// Material, squares and the bishop pair of one side.
pub(super) fn term(position: &Position, color: Color) -> Tapered {
    let mut sum = Tapered::default();
    for kind in PieceType::ALL {
        for square in position.pieces_of(color, kind) {
            sum += TABLE[kind.index()][square.relative_to(color).index()];
        }
    }
    if position.pieces_of(color, PieceType::Bishop).has_many() {
        sum += BISHOP_PAIR;
    }
    sum
}
