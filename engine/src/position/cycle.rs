//! Detection of upcoming repetitions: the move that leads back to an earlier position, found from
//! two keys.
//!
//! A piece other than a pawn that moves between two empty squares changes the key by two piece
//! words and the side word. A cuckoo hash table holds these differences, each in one of two slots.
//! Two look-ups tell whether a single move joins two positions, and which one. The table is built
//! at compile time.
//!
//! Source: Marcel van Kervinck's upcoming repetition detection, used by Stockfish since version 10;
//! cuckoo hashing by Pagh and Rodler, 2001.

use super::Position;
use crate::types::{Color, Key, Move, Piece, PieceType, Square};
use crate::zobrist;

/// Number of slots: a power of two, more than twice the number of moves, so that every insertion
/// succeeds.
const SLOTS: usize = 8192;
/// Moves of pieces other than pawns on an empty board, of both colors; a move and its reverse count
/// as one.
const MOVES: usize = 3668;

/// A cuckoo hash table, indexed by slot.
struct CuckooTable {
    /// The change of the key by the move; zero in an empty slot.
    differences: [u64; SLOTS],
    /// The two squares of the move.
    squares: [[u8; 2]; SLOTS],
}

/// Returns the two slots that a difference may occupy.
const fn slots(difference: u64) -> [usize; 2] {
    [difference as usize % SLOTS, (difference >> 16) as usize % SLOTS]
}

/// Whether a piece moves between two squares on an empty board. Range: `kind` from knight, 1, to
/// king, 5.
const fn is_move(kind: usize, a: usize, b: usize) -> bool {
    let (files, ranks) = ((a % 8).abs_diff(b % 8), (a / 8).abs_diff(b / 8));
    let (is_diagonal, is_orthogonal) = (files == ranks, files == 0 || ranks == 0);
    match kind {
        1 => files * ranks == 2,
        2 => is_diagonal,
        3 => is_orthogonal,
        4 => is_diagonal || is_orthogonal,
        _ => files < 2 && ranks < 2,
    }
}

#[expect(clippy::large_stack_arrays, reason = "evaluated by the compiler, never on a stack")]
const fn build() -> CuckooTable {
    let mut table = CuckooTable { differences: [0; SLOTS], squares: [[0; 2]; SLOTS] };
    let mut count = 0;
    let mut piece = 0;
    while piece < Piece::COUNT {
        let color = Color::ALL[piece / PieceType::ALL.len()];
        let kind = PieceType::ALL[piece % PieceType::ALL.len()];
        let mut a = 0;
        while a < 64 && !matches!(kind, PieceType::Pawn) {
            let mut b = a + 1;
            while b < 64 {
                if is_move(kind.index(), a, b) {
                    let (one, other) = (Square::from_index(a), Square::from_index(b));
                    let words =
                        [zobrist::piece(color, Some(kind), one), zobrist::piece(color, Some(kind), other)];
                    table = insert(table, words[0].0 ^ words[1].0, [a as u8, b as u8]);
                    count += 1;
                }
                b += 1;
            }
            a += 1;
        }
        piece += 1;
    }
    assert!(count == MOVES);
    table
}

/// Inserts an entry into its first slot; each evicted entry moves to its other slot.
const fn insert(mut table: CuckooTable, mut difference: u64, mut squares: [u8; 2]) -> CuckooTable {
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
        assert!(moved < MOVES, "cuckoo insertion cycles: derive the slots from other key bits");
    }
}

static TABLE: CuckooTable = build();

impl Position {
    /// Returns the legal move of a piece other than a pawn to an empty square that reaches the
    /// position with this key. Castling is not considered, because it cannot be reversed.
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
        // The table assumes an empty board, and equal key differences do not prove equal
        // placements.
        let is_found = self.piece_on(to).is_none() && self.is_legal(mv) && self.key_after(mv) == target;
        is_found.then_some(mv)
    }
}
