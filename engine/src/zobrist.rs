//! The random words position keys are made of.
//!
//! Fixed by a seed, so keys, and with them node counts, are the same on every machine and build. A key is the
//! exclusive or of one word for each piece on its square, each castling right, the en passant file and the side;
//! who combines them, and when, is `position`'s business. The words of the fifty-move clock are the hash table's
//! alone: two positions that differ in the clock are the same position.

use crate::types::{Bitboard, Color, FIFTY_MOVES, Key, SplitMix64, Square};

/// How many codes a square's content has: kind, plus 8 for Black, and one for "empty".
pub const CODES: usize = 16;

struct Words {
    /// Shape: by content code, by square. Codes that name no piece have zero words.
    pieces: [[u64; 64]; CODES],
    /// Shape: side, by the set of files on whose back-rank rook a right rests.
    castling: [[u64; 256]; 2],
    en_passant: [u64; 8],
    black_to_move: u64,
    /// By fifty-move clock: zero at first, then the same for some plies in a row, in the end one for each.
    clock: [u64; FIFTY_MOVES as usize],
}

/// Up to here the fifty-move clock has no say: what a position is worth hardly depends on it. Units: plies.
const CLOCK_FREE: usize = 20;
/// From there on so many plies share a word. Units: plies.
const CLOCK_WIDTH: usize = 8;
/// From here on each ply decides what can still be reached, and has its own word. Units: plies.
const CLOCK_FINE: usize = 92;

const fn words() -> Words {
    let mut words = Words {
        pieces: [[0; 64]; CODES],
        castling: [[0; 256]; 2],
        en_passant: [0; 8],
        black_to_move: 0,
        clock: [0; FIFTY_MOVES as usize],
    };
    let mut random = SplitMix64::new(0x5374_7265_7474_6F00);
    let mut code = 0;
    while code < CODES {
        let mut square = 0;
        while square < 64 && code & 7 < 6 {
            words.pieces[code][square] = random.next_u64();
            square += 1;
        }
        code += 1;
    }
    let mut side = 0;
    while side < 2 {
        let mut file = 0;
        while file < 8 {
            let word = random.next_u64();
            let mut files = 0;
            while files < 256 {
                if files >> file & 1 != 0 {
                    words.castling[side][files] ^= word;
                }
                files += 1;
            }
            file += 1;
        }
        side += 1;
    }
    let mut file = 0;
    while file < 8 {
        words.en_passant[file] = random.next_u64();
        file += 1;
    }
    words.black_to_move = random.next_u64();
    let mut word = words.black_to_move;
    let mut clock = CLOCK_FREE;
    while clock < words.clock.len() {
        if clock >= CLOCK_FINE || (clock - CLOCK_FREE).is_multiple_of(CLOCK_WIDTH) {
            word = random.next_u64();
        }
        words.clock[clock] = word;
        clock += 1;
    }
    words
}

static WORDS: Words = words();

/// The word of a square's content. Range: `code` is taken modulo 16; codes of no piece give zero.
#[inline]
pub const fn piece(code: u8, square: Square) -> Key {
    Key(WORDS.pieces[code as usize & 15][square.index()])
}

/// The word of all castling rights, given as the set of rooks they rest on.
#[inline]
pub fn castling(rooks: Bitboard) -> Key {
    let white = WORDS.castling[0][(rooks.0 & 0xFF) as usize];
    let black = WORDS.castling[1][(rooks.0 >> 56) as usize];
    Key(white ^ black)
}

/// The word of an en passant target.
#[inline]
pub fn en_passant(target: Square) -> Key {
    Key(WORDS.en_passant[target.file().index()])
}

/// The word of the side to move: zero for White.
#[inline]
pub fn side(color: Color) -> Key {
    match color {
        Color::White => Key(0),
        Color::Black => Key(WORDS.black_to_move),
    }
}

/// The word of the fifty-move clock: zero while the limit is far. Range: beyond the limit, that of the last ply.
#[inline]
pub fn clock(halfmove_clock: u16) -> Key {
    Key(WORDS.clock[usize::from(halfmove_clock.min(FIFTY_MOVES - 1))])
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn words_differ() {
        let mut seen = HashSet::new();
        for code in (0..6).chain(8..14) {
            for square in Square::all() {
                assert!(seen.insert(piece(code, square).0));
            }
        }
        for square in Square::all().filter(|square| square.index() < 8 || square.index() >= 56) {
            assert!(seen.insert(castling(square.into()).0));
        }
        for square in Square::all().take(8) {
            assert!(seen.insert(en_passant(square).0));
        }
        assert!(seen.insert(side(Color::Black).0) && !seen.contains(&0));
        assert_eq!(piece(7, Square::from_index(0)), Key(0));
        for plies in (CLOCK_FREE..CLOCK_FINE).step_by(CLOCK_WIDTH).chain(CLOCK_FINE..FIFTY_MOVES.into()) {
            assert!(seen.insert(clock(plies as u16).0));
        }
    }

    #[test]
    fn the_clock_counts_near_the_limit_only() {
        let clock = |plies: usize| clock(plies as u16);
        assert!((0..CLOCK_FREE).all(|plies| clock(plies) == Key(0)));
        assert_ne!(clock(CLOCK_FREE), Key(0));
        assert_eq!(clock(CLOCK_FREE), clock(CLOCK_FREE + CLOCK_WIDTH - 1));
        assert_ne!(clock(CLOCK_FREE), clock(CLOCK_FREE + CLOCK_WIDTH));
        assert_eq!(clock(FIFTY_MOVES as usize - 1), clock(u16::MAX.into()));
    }

    #[test]
    fn rights_add_up() {
        let (a1, h8) = (Square::from_index(0), Square::from_index(63));
        let both = Bitboard::from(a1) | Bitboard::from(h8);
        assert_eq!(castling(both), castling(a1.into()) ^ castling(h8.into()));
        assert_eq!(castling(Bitboard::EMPTY), Key(0));
    }
}
