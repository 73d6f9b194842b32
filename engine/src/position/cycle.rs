//! The move that leads back to an earlier position, found by the difference of two keys.
//!
//! A piece other than a pawn that goes from one empty square to another changes the key by two words (and the
//! side's). All such differences, some 3,700, are kept in a table where each lies in one of two slots, so that one
//! look at each says whether a single move joins two positions, and which. The table is built at compile time.
//!
//! Source: Marcel van Kervinck's upcoming repetition detection, in many engines since Stockfish 9; cuckoo hashing
//! is by Pagh and Rodler, 2001.

use super::Position;
use crate::types::{Color, Key, Move, Square};
use crate::zobrist::{self, CODES};

/// Slots; a power of two, and more than twice the moves, so that each finds a place.
const SLOTS: usize = 8192;
/// Moves of pieces other than pawns on an empty board, both ways counted as one, both colours.
const MOVES: usize = 3668;

/// Shape of both: by slot.
struct Table {
    /// What the move does to the key; zero in an empty slot.
    differences: [u64; SLOTS],
    /// Its two squares.
    squares: [[u8; 2]; SLOTS],
}

/// The slots a difference may lie in.
const fn slots(difference: u64) -> [usize; 2] {
    [difference as usize % SLOTS, (difference >> 16) as usize % SLOTS]
}

/// Does a piece go from one square to the other on an empty board? Range: `kind` from knight, 1, to king, 5.
const fn is_move(kind: usize, a: usize, b: usize) -> bool {
    let (files, ranks) = ((a % 8).abs_diff(b % 8), (a / 8).abs_diff(b / 8));
    let (is_diagonal, is_straight) = (files == ranks, files == 0 || ranks == 0);
    match kind {
        1 => files * ranks == 2,
        2 => is_diagonal,
        3 => is_straight,
        4 => is_diagonal || is_straight,
        _ => files < 2 && ranks < 2,
    }
}

#[expect(clippy::large_stack_arrays, reason = "on the stack of the compiler")]
const fn build() -> Table {
    let mut table = Table { differences: [0; SLOTS], squares: [[0; 2]; SLOTS] };
    let mut count = 0;
    let mut code = 0;
    while code < CODES {
        let kind = code % 8;
        let mut a = 0;
        while a < 64 && 1 <= kind && kind <= 5 {
            let mut b = a + 1;
            while b < 64 {
                if is_move(kind, a, b) {
                    let (one, other) = (Square::from_index(a), Square::from_index(b));
                    let difference = zobrist::piece(code as u8, one).0 ^ zobrist::piece(code as u8, other).0;
                    table = insert(table, difference, [a as u8, b as u8]);
                    count += 1;
                }
                b += 1;
            }
            a += 1;
        }
        code += 1;
    }
    assert!(count == MOVES);
    table
}

/// Puts an entry into its first slot; whoever lies there moves on to its other one, and so forth.
const fn insert(mut table: Table, mut difference: u64, mut squares: [u8; 2]) -> Table {
    let mut slot = slots(difference)[0];
    let mut moved = 0;
    loop {
        let evicted = (table.differences[slot], table.squares[slot]);
        table.differences[slot] = difference;
        table.squares[slot] = squares;
        (difference, squares) = evicted;
        if difference == 0 {
            return table;
        }
        let [first, second] = slots(difference);
        slot = if slot == first { second } else { first };
        moved += 1;
        assert!(moved < MOVES, "the words of zobrist do not fit into these slots; choose other bits");
    }
}

static TABLE: Table = build();

impl Position {
    /// The legal move of a piece, no pawn, to an empty square that gives the position with this key; none if there
    /// is no such move. Castling is not among them: it cannot be taken back.
    #[inline]
    pub fn reversible_move_to(&self, target: Key) -> Option<Move> {
        let difference = self.key() ^ target ^ zobrist::side(Color::Black);
        let slot = slots(difference.0).into_iter().find(|&slot| TABLE.differences[slot] == difference.0)?;
        if difference == Key(0) {
            return None;
        }
        let [one, other] = TABLE.squares[slot].map(|square| Square::from_index(square.into()));
        let (from, to) = if self.piece_on(one).is_some() { (one, other) } else { (other, one) };
        let mv = Move::normal(from, to);
        // The table knows an empty board only, and two keys say little about who stands where.
        let is_found = self.piece_on(to).is_none() && self.is_legal(mv) && self.key_after(mv) == target;
        is_found.then_some(mv)
    }
}
