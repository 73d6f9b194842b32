//! The traversal of a block: predicts each value from its neighbours and codes what differs.

use super::coder::{Coder, Decoder, Encoder};
use super::mixer::Mixer;
use crate::attacks;
use crate::tablebase::index::Index;
use crate::tablebase::rows::Row;
use crate::types::{Bitboard, Color, Square};

/// Number of predictions tried before a literal.
const PREDICTIONS: usize = 3;
/// Bits of the pattern of agreement among neighbours.
const PATTERN_BITS: usize = 8;
/// Bits of the position class, which is known without the value.
const CLASS_BITS: usize = 3;
/// Bits of the hash that selects a literal's context.
const LITERAL_BITS: usize = 13;

/// Offsets of the groups of contexts.
const BY_PATTERN: usize = 0;
const BY_PREDICTION: usize = BY_PATTERN + (PREDICTIONS << (PATTERN_BITS + CLASS_BITS));
const BY_NEIGHBOUR: usize = BY_PREDICTION + (PREDICTIONS << (8 + 5));
const BY_SQUARE: usize = BY_NEIGHBOUR + (PREDICTIONS << (8 + 3 + CLASS_BITS));
const LITERAL: usize = BY_SQUARE + (PREDICTIONS << (6 + 3 + CLASS_BITS));
const CONTEXTS: usize = LITERAL + 4 * (1 << LITERAL_BITS);
/// Number of weight sets: one per prediction and pattern, and one for literals.
const SETS: usize = (PREDICTIONS << PATTERN_BITS) + 1;

/// A block while it is coded.
struct Block<'a, C> {
    index: &'a Index,
    side: Color,
    coder: C,
    mixer: Mixer,
    /// Bits of a literal.
    bits: u32,
    values: &'a mut [u8],
}

/// The neighbouring values of a value to be coded.
#[derive(Clone, Copy)]
struct Neighbours {
    /// In the previous row, and in the one before it.
    before: u8,
    before_that: u8,
    /// In the row eight back, in which the piece before the last is one rank away.
    rank_before: u8,
    /// In this row, one square and one rank away.
    left: u8,
    below: u8,
    /// The same two in the previous row.
    left_before: u8,
    below_before: u8,
}

/// Encodes the values of a block that begins at `first_row`. Values are below `count`; those of
/// positions that are not coded are ignored.
pub fn encode(index: &Index, side: Color, first_row: usize, count: usize, values: &[u8]) -> Vec<u8> {
    if count < 2 {
        return Vec::new();
    }
    let mut values = values.to_vec();
    let mut block = Block::new(index, side, Encoder::new(), count, &mut values);
    block.code_rows(first_row);
    block.coder.finish()
}

/// Decodes the values of a block. Range: the values are below the next power of two of `count`.
pub(in crate::tablebase) fn decode(
    index: &Index,
    side: Color,
    first_row: usize,
    count: usize,
    bytes: &[u8],
    values: &mut [u8],
) {
    values.fill(0);
    if count >= 2 {
        Block::new(index, side, Decoder::new(bytes), count, values).code_rows(first_row);
    }
}

impl<'a, C: Coder> Block<'a, C> {
    fn new(index: &'a Index, side: Color, coder: C, count: usize, values: &'a mut [u8]) -> Self {
        let bits = usize::BITS - (count - 1).leading_zeros();
        Self { index, side, coder, mixer: Mixer::new(CONTEXTS, SETS), bits, values }
    }

    fn code_rows(&mut self, first_row: usize) {
        let len = self.index.row_len();
        let (mut before, mut before_that) = (None, None);
        for within in 0..self.values.len() / len {
            let Some(row) = self.index.row(first_row + within) else { continue };
            let rank_before =
                within.checked_sub(8).filter(|&there| self.index.row(first_row + there).is_some());
            self.code_row(&row, within, [before, before_that, rank_before]);
            before_that = before;
            before = Some(within);
        }
    }

    /// Codes one row. `others` are the previous row, the one before it, and the one eight back.
    fn code_row(&mut self, row: &Row<'_>, within: usize, others: [Option<usize>; 3]) {
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
                self.code_value(near, classes.of(square), square, self.values[start + place])
            } else {
                before
            };
            self.values[start + place] = value;
            last = value;
        }
    }

    /// Codes the value of a square: reads or writes it, and returns it.
    #[inline]
    fn code_value(&mut self, near: Neighbours, class: usize, square: Square, actual: u8) -> u8 {
        let Neighbours { before, before_that, rank_before, left, below, left_before, below_before } = near;
        let pattern = usize::from(before == left)
            | usize::from(before == below) << 1
            | usize::from(left == below) << 2
            | usize::from(before == before_that) << 3
            | usize::from(before == rank_before) << 4
            | usize::from(left == left_before) << 5
            | usize::from(below == below_before) << 6
            | usize::from(left == rank_before) << 7;
        let predictions = [before, left, below, rank_before, before_that];
        let mut tried = 0;
        for (number, &prediction) in predictions.iter().enumerate() {
            if predictions[..number].contains(&prediction) {
                continue;
            }
            let known = usize::from(prediction);
            let contexts = [
                BY_PATTERN + ((tried << PATTERN_BITS | pattern) << CLASS_BITS | class),
                BY_PREDICTION + ((tried << 8 | known) << 5 | pattern & 31),
                BY_NEIGHBOUR + (((tried << 8 | known) << 3 | usize::from(left & 7)) << CLASS_BITS | class),
                BY_SQUARE + (((tried << 6 | square.index()) << 3 | pattern & 7) << CLASS_BITS | class),
            ];
            let set = tried << PATTERN_BITS | pattern;
            if self.mixer.code(&mut self.coder, actual == prediction, contexts, set) {
                return prediction;
            }
            tried += 1;
            if tried == PREDICTIONS {
                break;
            }
        }
        self.code_literal(near, class, actual)
    }

    /// Codes a literal bit by bit.
    fn code_literal(&mut self, near: Neighbours, class: usize, actual: u8) -> u8 {
        let mut node = 1_usize;
        for bit in (0..self.bits).rev() {
            let context = |number: usize, key: usize| {
                let hash = ((key << 8 | node) as u32).wrapping_mul(0x9E37_79B1) >> (32 - LITERAL_BITS);
                LITERAL + (number << LITERAL_BITS) + hash as usize
            };
            let contexts = [
                context(0, 0),
                context(1, usize::from(near.before)),
                context(2, usize::from(near.left)),
                context(3, class | usize::from(near.below) << CLASS_BITS),
            ];
            let is_set = actual >> bit & 1 != 0;
            let is_set = self.mixer.code(&mut self.coder, is_set, contexts, SETS - 1);
            node = node << 1 | usize::from(is_set);
        }
        (node - (1 << self.bits)) as u8
    }
}

/// The position classes of a row, which are known without the values.
struct Classes {
    check: Bitboard,
    attacked: Bitboard,
    defended: Bitboard,
}

impl Classes {
    fn new(row: &Row<'_>, side: Color) -> Self {
        let reached = |color: Color| {
            let pieces = row.fixed_of(color);
            pieces.fold(Bitboard::EMPTY, |set, (_, piece, square)| {
                set | attacks::of(piece.kind, piece.color, square, row.occupied())
            })
        };
        let color = row.last().color;
        Self { check: row.checks(side), attacked: reached(!color), defended: reached(color) }
    }

    /// Returns the class: whether the side to move is in check, and the last piece is attacked and
    /// defended. Range: below 2^[`CLASS_BITS`].
    #[inline]
    fn of(&self, square: Square) -> usize {
        usize::from(self.check.has(square))
            | usize::from(self.attacked.has(square)) << 1
            | usize::from(self.defended.has(square)) << 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_values_decode_to_the_same_values() {
        for (name, count) in [("KQvK", 12), ("KPvK", 2), ("KRvKN", 200), ("KPvKP", 256), ("KBBvK", 1)] {
            let index = Index::new(name.parse().expect("a material"));
            let first_row = index.rows() / 2;
            let len = 64.min(index.rows() - first_row) * index.row_len();
            // A mixture of regular and random values.
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
                        let place = row.index_of(square) - first_row * index.row_len();
                        assert_eq!(back[place], values[place], "{name} {place}");
                        coded += 1;
                    }
                }
                assert!(coded > 0 && (count > 1) != bytes.is_empty(), "{name}");
            }
        }
    }
}
