//! Zobrist keys: the random words that position keys are made of.
//!
//! They come from a fixed seed, so keys and node counts are the same on every machine and build. A
//! position key is the XOR of one word per piece and square, the castling rights, the en passant
//! file and the side to move; `position` combines them. The words of the fifty-move clock are used
//! by the hash table only, because two positions that differ only in the clock are the same
//! position.

use crate::types::{Bitboard, Color, FIFTY_MOVES, Key, PieceType, SplitMix64, Square};

/// Number of words for the content of a square of one side: the six piece types, and two that are
/// zero, as for an empty square.
const CONTENTS: usize = 8;

struct ZobristKeys {
    /// Shape: color, piece type, square.
    pieces: [[[u64; 64]; CONTENTS]; 2],
    /// Shape: side, set of the files of the rooks that may castle.
    castling: [[u64; 256]; 2],
    en_passant: [u64; 8],
    black_to_move: u64,
    /// By fifty-move clock: zero at first, then one word per group of plies, finally one per ply.
    clock: [u64; FIFTY_MOVES as usize],
}

/// Below this clock the key is unaffected, because the clock hardly influences the score. Units:
/// plies.
pub const CLOCK_START: usize = 20;
/// Number of plies that share one word beyond that. Units: plies.
const CLOCK_BUCKET: usize = 8;
/// From here on each ply has its own word, because it decides which results are still reachable.
/// Units: plies.
const CLOCK_EXACT: usize = 92;

const fn zobrist_keys() -> ZobristKeys {
    let mut words = ZobristKeys {
        pieces: [[[0; 64]; CONTENTS]; 2],
        castling: [[0; 256]; 2],
        en_passant: [0; 8],
        black_to_move: 0,
        clock: [0; FIFTY_MOVES as usize],
    };
    let mut random = SplitMix64::new(0x5374_7265_7474_6F00);
    let mut code = 0;
    while code < 2 * CONTENTS {
        let (color, kind) = (code / CONTENTS, code % CONTENTS);
        let mut square = 0;
        while square < 64 && kind < PieceType::ALL.len() {
            words.pieces[color][kind][square] = random.next_u64();
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
    let mut clock = CLOCK_START;
    while clock < words.clock.len() {
        if clock >= CLOCK_EXACT || (clock - CLOCK_START).is_multiple_of(CLOCK_BUCKET) {
            word = random.next_u64();
        }
        words.clock[clock] = word;
        clock += 1;
    }
    words
}

static KEYS: ZobristKeys = zobrist_keys();

/// Returns the word of a piece on a square; zero for none.
#[inline]
pub const fn piece(color: Color, kind: Option<PieceType>, square: Square) -> Key {
    let content = match kind {
        Some(kind) => kind.index(),
        None => PieceType::ALL.len(),
    };
    Key(KEYS.pieces[color.index()][content][square.index()])
}

/// Returns the word of the castling rights, given as the set of rooks that may castle.
#[inline]
pub fn castling(rooks: Bitboard) -> Key {
    let white = KEYS.castling[0][(rooks.0 & 0xFF) as usize];
    let black = KEYS.castling[1][(rooks.0 >> 56) as usize];
    Key(white ^ black)
}

/// Returns the word of an en passant target square.
#[inline]
pub fn en_passant(target: Square) -> Key {
    Key(KEYS.en_passant[target.file().index()])
}

/// Returns the word of the side to move: zero for White.
#[inline]
pub fn side(color: Color) -> Key {
    match color {
        Color::White => Key(0),
        Color::Black => Key(KEYS.black_to_move),
    }
}

/// Returns the word of the fifty-move clock: zero while the limit is far. Range: clamped to the
/// last ply.
#[inline]
pub fn clock(halfmove_clock: u16) -> Key {
    Key(KEYS.clock[usize::from(halfmove_clock.min(FIFTY_MOVES - 1))])
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn all_zobrist_words_differ() {
        let mut seen = HashSet::new();
        for color in Color::ALL {
            for kind in PieceType::ALL {
                for square in Square::all() {
                    assert!(seen.insert(piece(color, Some(kind), square).0));
                }
            }
        }
        for square in Square::all().filter(|square| square.index() < 8 || square.index() >= 56) {
            assert!(seen.insert(castling(square.into()).0));
        }
        for square in Square::all().take(8) {
            assert!(seen.insert(en_passant(square).0));
        }
        assert!(seen.insert(side(Color::Black).0) && !seen.contains(&0));
        assert_eq!(piece(Color::Black, None, Square::from_index(0)), Key(0));
        for plies in (CLOCK_START..CLOCK_EXACT).step_by(CLOCK_BUCKET).chain(CLOCK_EXACT..FIFTY_MOVES.into()) {
            assert!(seen.insert(clock(plies as u16).0));
        }
    }

    #[test]
    fn clock_words_are_zero_far_from_the_limit() {
        let clock = |plies: usize| clock(plies as u16);
        assert!((0..CLOCK_START).all(|plies| clock(plies) == Key(0)));
        assert_ne!(clock(CLOCK_START), Key(0));
        assert_eq!(clock(CLOCK_START), clock(CLOCK_START + CLOCK_BUCKET - 1));
        assert_ne!(clock(CLOCK_START), clock(CLOCK_START + CLOCK_BUCKET));
        assert_eq!(clock(FIFTY_MOVES as usize - 1), clock(u16::MAX.into()));
    }

    #[test]
    fn castling_words_combine_by_xor() {
        let (a1, h8) = (Square::from_index(0), Square::from_index(63));
        let both = Bitboard::from(a1) | Bitboard::from(h8);
        assert_eq!(castling(both), castling(a1.into()) ^ castling(h8.into()));
        assert_eq!(castling(Bitboard::EMPTY), Key(0));
    }
}
