//! How the values of a block of rows become bytes.
//!
//! Only places are coded at which a legal position stands that stands for all that are the same; the others are filled with
//! a neighbour's value. A value is guessed from those beside it: the last man one square away in the row, or the man before him one
//! square away with the last where he is. So many guesses are tried in turn, a bit each; what none of them meets
//! is spelt out. The same walk encodes and decodes, so the two cannot part.

mod coder;
mod mixer;

use coder::{Coder, Decoder, Encoder};
use mixer::Mixer;

use super::index::Index;
use super::rows::Row;
use crate::attacks;
use crate::types::{Bitboard, Color, Square};

/// Guesses that are tried before a value is spelt out.
const GUESSES: usize = 3;
/// Which neighbours agree with each other, in so many bits.
const PATTERN_BITS: usize = 8;
/// What is known of the position without its value, in so many bits.
const CLASS_BITS: usize = 3;
/// Cases of a spelt value share so many places.
const SPELT_BITS: usize = 13;

/// Where the parts of the cases begin.
const BY_PATTERN: usize = 0;
const BY_GUESS: usize = BY_PATTERN + (GUESSES << (PATTERN_BITS + CLASS_BITS));
const BY_NEIGHBOUR: usize = BY_GUESS + (GUESSES << (8 + 5));
const BY_SQUARE: usize = BY_NEIGHBOUR + (GUESSES << (8 + 3 + CLASS_BITS));
const SPELT: usize = BY_SQUARE + (GUESSES << (6 + 3 + CLASS_BITS));
const CASES: usize = SPELT + 4 * (1 << SPELT_BITS);
/// Sets of weights: one for each guess and pattern, one for what is spelt.
const SETS: usize = (GUESSES << PATTERN_BITS) + 1;

/// The rows of a block and what stands in them.
struct Block<'a, C> {
    index: &'a Index,
    side: Color,
    coder: C,
    mixer: Mixer,
    /// Bits of a spelt value.
    bits: u32,
    values: &'a mut [u8],
}

/// Values beside one that is to be coded.
#[derive(Clone, Copy)]
struct Neighbours {
    /// In the row before, and the one before that.
    before: u8,
    before_that: u8,
    /// In the row eight back, where the man before the last is one rank away.
    rank_before: u8,
    /// In this row, one square and one rank away.
    left: u8,
    below: u8,
    /// Those two in the row before.
    left_before: u8,
    below_before: u8,
}

/// Makes bytes of the values of a block, which begins at `first_row`. Values are numbers below `count`; where nothing is to be
/// coded they do not matter.
pub fn encode(index: &Index, side: Color, first_row: usize, count: usize, values: &[u8]) -> Vec<u8> {
    if count < 2 {
        return Vec::new();
    }
    let mut values = values.to_vec();
    let mut block = Block::new(index, side, Encoder::new(), count, &mut values);
    block.walk(first_row);
    block.coder.finish()
}

/// Makes values of bytes. Range: values are below the power of two next to `count`.
pub(super) fn decode(
    index: &Index,
    side: Color,
    first_row: usize,
    count: usize,
    bytes: &[u8],
    values: &mut [u8],
) {
    values.fill(0);
    if count >= 2 {
        Block::new(index, side, Decoder::new(bytes), count, values).walk(first_row);
    }
}

impl<'a, C: Coder> Block<'a, C> {
    fn new(index: &'a Index, side: Color, coder: C, count: usize, values: &'a mut [u8]) -> Self {
        let bits = usize::BITS - (count - 1).leading_zeros();
        Self { index, side, coder, mixer: Mixer::new(CASES, SETS), bits, values }
    }

    fn walk(&mut self, first_row: usize) {
        let len = self.index.row_len();
        let (mut before, mut before_that) = (None, None);
        for within in 0..self.values.len() / len {
            let Some(row) = self.index.row(first_row + within) else { continue };
            let rank_before =
                within.checked_sub(8).filter(|&there| self.index.row(first_row + there).is_some());
            self.walk_row(&row, within, [before, before_that, rank_before]);
            before_that = before;
            before = Some(within);
        }
    }

    /// One row, after the one before, the one before that, and the one eight back.
    fn walk_row(&mut self, row: &Row<'_>, within: usize, others: [Option<usize>; 3]) {
        let (len, first) = (self.index.row_len(), self.index.first_square());
        let coded = row.legal(self.side) & row.canonical();
        let classes = Classes::new(row, self.side);
        let starts = others.map(|other| other.map(|number| number * len));
        let start = within * len;
        let mut last = starts[0].map_or(0, |start| self.values[start]);
        for place in 0..len {
            let square = Square::from_index(place + first);
            let at = |start: Option<usize>, place: usize| start.map(|start| self.values[start + place]);
            let here = Some(start);
            let left = if place > 0 { self.values[start + place - 1] } else { last };
            let before = at(starts[0], place).unwrap_or(left);
            let below = if place >= 8 { at(here, place - 8).unwrap_or(left) } else { left };
            let near = Neighbours {
                before,
                before_that: at(starts[1], place).unwrap_or(before),
                rank_before: at(starts[2], place).unwrap_or(before),
                left,
                below,
                left_before: if place > 0 { at(starts[0], place - 1).unwrap_or(left) } else { before },
                below_before: if place >= 8 { at(starts[0], place - 8).unwrap_or(below) } else { before },
            };
            let value = if coded.has(square) {
                self.value(near, classes.of(square), square, self.values[start + place])
            } else {
                before
            };
            self.values[start + place] = value;
            last = value;
        }
    }

    /// Codes one value.
    #[inline]
    fn value(&mut self, near: Neighbours, class: usize, square: Square, wanted: u8) -> u8 {
        let Neighbours { before, before_that, rank_before, left, below, left_before, below_before } = near;
        let pattern = usize::from(before == left)
            | usize::from(before == below) << 1
            | usize::from(left == below) << 2
            | usize::from(before == before_that) << 3
            | usize::from(before == rank_before) << 4
            | usize::from(left == left_before) << 5
            | usize::from(below == below_before) << 6
            | usize::from(left == rank_before) << 7;
        let guesses = [before, left, below, rank_before, before_that];
        let mut tried = 0;
        for (number, &guess) in guesses.iter().enumerate() {
            if guesses[..number].contains(&guess) {
                continue;
            }
            let known = usize::from(guess);
            let cases = [
                BY_PATTERN + ((tried << PATTERN_BITS | pattern) << CLASS_BITS | class),
                BY_GUESS + ((tried << 8 | known) << 5 | pattern & 31),
                BY_NEIGHBOUR + (((tried << 8 | known) << 3 | usize::from(left & 7)) << CLASS_BITS | class),
                BY_SQUARE + (((tried << 6 | square.index()) << 3 | pattern & 7) << CLASS_BITS | class),
            ];
            let set = tried << PATTERN_BITS | pattern;
            if self.mixer.code(&mut self.coder, wanted == guess, cases, set) {
                return guess;
            }
            tried += 1;
            if tried == GUESSES {
                break;
            }
        }
        self.spelt(near, class, wanted)
    }

    /// Codes a value bit by bit.
    fn spelt(&mut self, near: Neighbours, class: usize, wanted: u8) -> u8 {
        let mut node = 1_usize;
        for bit in (0..self.bits).rev() {
            let case = |number: usize, key: usize| {
                let hash = ((key << 8 | node) as u32).wrapping_mul(0x9E37_79B1) >> (32 - SPELT_BITS);
                SPELT + (number << SPELT_BITS) + hash as usize
            };
            let cases = [
                case(0, 0),
                case(1, usize::from(near.before)),
                case(2, usize::from(near.left)),
                case(3, class | usize::from(near.below) << CLASS_BITS),
            ];
            let is_set = wanted >> bit & 1 != 0;
            let is_set = self.mixer.code(&mut self.coder, is_set, cases, SETS - 1);
            node = node << 1 | usize::from(is_set);
        }
        (node - (1 << self.bits)) as u8
    }
}

/// What is known of the positions of a row without their values.
struct Classes {
    check: Bitboard,
    attacked: Bitboard,
    guarded: Bitboard,
}

impl Classes {
    fn new(row: &Row<'_>, side: Color) -> Self {
        let reached = |color: Color| {
            let men = row.fixed_of(color);
            men.fold(Bitboard::EMPTY, |set, (_, piece, square)| {
                set | attacks::of(piece.kind, piece.color, square, row.occupied())
            })
        };
        let color = row.last().color;
        Self { check: row.checks(side), attacked: reached(!color), guarded: reached(color) }
    }

    /// Is the side to move in check, may the last man be taken, and is he guarded? Range: below 2^[`CLASS_BITS`].
    #[inline]
    fn of(&self, square: Square) -> usize {
        usize::from(self.check.has(square))
            | usize::from(self.attacked.has(square)) << 1
            | usize::from(self.guarded.has(square)) << 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back() {
        for (name, count) in [("KQvK", 12), ("KPvK", 2), ("KRvKN", 200), ("KPvKP", 256), ("KBBvK", 1)] {
            let index = Index::new(name.parse().expect("a material"));
            let first_row = index.rows() / 2;
            let len = 64.min(index.rows() - first_row) * index.row_len();
            // Some order and some noise.
            let values: Vec<u8> = (0..len)
                .map(|place| {
                    let noise = (place as u32).wrapping_mul(0x9E37_79B1) >> 28;
                    ((place / 7 + if noise == 0 { place * 13 } else { 0 }) % count) as u8
                })
                .collect();
            for side in Color::ALL {
                let bytes = encode(&index, side, first_row, count, &values);
                let mut back = vec![9; len];
                decode(&index, side, first_row, count, &bytes, &mut back);
                let mut coded = 0;
                for within in 0..len / index.row_len() {
                    let Some(row) = index.row(first_row + within) else { continue };
                    for square in row.legal(side) & row.canonical() {
                        let place = row.place(square) - first_row * index.row_len();
                        assert_eq!(back[place], values[place], "{name} {place}");
                        coded += 1;
                    }
                }
                assert!(coded > 0 && (count > 1) != bytes.is_empty(), "{name}");
            }
        }
    }
}
