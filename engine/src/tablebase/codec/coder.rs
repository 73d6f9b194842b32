//! Binary arithmetic coding: converts bits with probabilities to bytes and back.
//!
//! The coder maintains an interval of 32-bit numbers and divides it at each bit in proportion to
//! the probability of a one. Leading bytes on which both ends agree are output. Beyond the end of
//! its input the decoder reads zeros, so the encoder omits trailing zeros.

/// Resolution of a probability. Units: bits.
pub(super) const PROBABILITY_BITS: u32 = 12;

/// A coder of bits in one direction.
pub(super) trait Coder {
    /// Encodes `bit`, or decodes and returns the next one. `one` is the probability of a one.
    /// Range: 1 to 4095 of 4096.
    fn code(&mut self, bit: bool, one: u32) -> bool;
}

/// The encoder from bits to bytes.
pub(super) struct Encoder {
    low: u32,
    high: u32,
    bytes: Vec<u8>,
}

/// The decoder from bytes to bits.
pub(super) struct Decoder<'a> {
    low: u32,
    high: u32,
    word: u32,
    bytes: std::slice::Iter<'a, u8>,
}

/// Returns the last number of the subinterval that stands for a one.
#[inline]
fn middle(low: u32, high: u32, one: u32) -> u32 {
    let length = high - low;
    // Both factors of the second product are below 2^12.
    low + (length >> PROBABILITY_BITS) * one
        + (((length & ((1 << PROBABILITY_BITS) - 1)) * one) >> PROBABILITY_BITS)
}

/// Whether both ends agree on the first byte.
#[inline]
const fn is_settled(low: u32, high: u32) -> bool {
    (low ^ high) >> 24 == 0
}

impl Encoder {
    pub(super) fn new() -> Self {
        Self { low: 0, high: u32::MAX, bytes: Vec::new() }
    }

    /// Returns all bytes, ending with the shortest number in the last interval.
    pub(super) fn finish(mut self) -> Vec<u8> {
        if self.low > 0 {
            let shortest = (0..4).map(|count| {
                let step = 1_u64 << (24 - 8 * count);
                (u64::from(self.low).div_ceil(step) * step, count + 1)
            });
            let found = shortest.into_iter().find(|&(number, _)| number <= u64::from(self.high));
            let (number, count) = found.unwrap_or((u64::from(self.low), 4));
            self.bytes.extend_from_slice(&(number as u32).to_be_bytes()[..count]);
        }
        while self.bytes.last() == Some(&0) {
            self.bytes.pop();
        }
        self.bytes
    }
}

impl Coder for Encoder {
    #[inline]
    fn code(&mut self, bit: bool, one: u32) -> bool {
        let middle = middle(self.low, self.high, one);
        if bit {
            self.high = middle;
        } else {
            self.low = middle + 1;
        }
        while is_settled(self.low, self.high) {
            self.bytes.push((self.high >> 24) as u8);
            self.low <<= 8;
            self.high = self.high << 8 | 0xFF;
        }
        bit
    }
}

impl<'a> Decoder<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let mut decoder = Self { low: 0, high: u32::MAX, word: 0, bytes: bytes.iter() };
        for _ in 0..4 {
            decoder.shift();
        }
        decoder
    }

    #[inline]
    fn shift(&mut self) {
        self.word = self.word << 8 | u32::from(self.bytes.next().copied().unwrap_or(0));
    }
}

impl Coder for Decoder<'_> {
    #[inline]
    fn code(&mut self, _: bool, one: u32) -> bool {
        let middle = middle(self.low, self.high, one);
        let bit = self.word <= middle;
        if bit {
            self.high = middle;
        } else {
            self.low = middle + 1;
        }
        while is_settled(self.low, self.high) {
            self.low <<= 8;
            self.high = self.high << 8 | 0xFF;
            self.shift();
        }
        bit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::SplitMix64;

    #[test]
    fn encoded_bits_decode_to_the_same_bits() {
        let mut random = SplitMix64::new(1);
        for length in [0, 1, 2, 100, 10_000] {
            let bits: Vec<(bool, u32)> = (0..length)
                .map(|_| {
                    let one = [1, 40, 2048, 4000, 4095][random.below(5) as usize];
                    (random.below(4096) < u64::from(one), one)
                })
                .collect();
            let mut encoder = Encoder::new();
            for &(bit, one) in &bits {
                encoder.code(bit, one);
            }
            let bytes = encoder.finish();
            let mut decoder = Decoder::new(&bytes);
            for &(bit, one) in &bits {
                assert_eq!(decoder.code(false, one), bit, "{length}");
            }
        }
    }

    #[test]
    fn probable_bits_take_little_space() {
        let mut encoder = Encoder::new();
        for _ in 0..100_000 {
            encoder.code(true, 4095);
        }
        assert!(encoder.finish().len() < 10);
    }
}
