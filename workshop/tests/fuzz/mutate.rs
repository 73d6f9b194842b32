//! Mutation of inputs: a few small changes at a time, typical of damaged files and of parser
//! errors.

use stretto::types::SplitMix64;

/// Numbers at common limits.
const NUMBERS: [&str; 14] = [
    "0",
    "-1",
    "1",
    "255",
    "256",
    "65535",
    "65536",
    "-2147483648",
    "2147483647",
    "4294967296",
    "9223372036854775807",
    "18446744073709551616",
    "1e308",
    "NaN",
];
/// Maximum number of changes to one input.
const MAX_CHANGES: u64 = 6;

/// A generator of mutated inputs.
pub(crate) struct Mutator {
    random: SplitMix64,
    words: &'static [&'static str],
    max_len: usize,
}

impl Mutator {
    /// Returns a generator. `words` are tokens of the target's format; inputs are at most `max_len`
    /// bytes long.
    pub(crate) fn new(random: SplitMix64, words: &'static [&'static str], max_len: usize) -> Self {
        Self { random, words, max_len }
    }

    /// Returns true with a probability of one in `times`.
    pub(crate) fn chance(&mut self, times: u64) -> bool {
        self.random.below(times) == 0
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit.max(1) as u64) as usize
    }

    /// Returns a mutated input of `corpus`.
    pub(crate) fn mutate(&mut self, corpus: &[Vec<u8>]) -> Vec<u8> {
        let mut input = corpus[self.below(corpus.len())].clone();
        for _ in 0..=self.random.below(MAX_CHANGES) {
            self.change(&mut input, corpus);
        }
        input.truncate(self.max_len);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>, corpus: &[Vec<u8>]) {
        let at = self.below(input.len() + 1);
        let (start, end) = self.range(input);
        match self.random.below(11) {
            0 if at < input.len() => input[at] ^= 1 << self.random.below(8),
            1 if at < input.len() => input[at] = self.random.next_u64() as u8,
            2 if at < input.len() => {
                input[at] = [0, 0x7f, 0x80, 0xff, b'\n', b'"', b'{', b' '][self.below(8)];
            }
            3 => drop(input.drain(start..end)),
            4 => {
                let copy = input[start..end].to_vec();
                input.splice(at..at, copy);
            }
            5 => input.truncate(at),
            6 => {
                let other = &corpus[self.random.below(corpus.len() as u64) as usize];
                let from = self.below(other.len() + 1);
                let to = from + self.below(other.len() - from + 1);
                input.splice(at..at, other[from..to].iter().copied());
            }
            7 => {
                // The rest is replaced by the end of another input.
                let other = &corpus[self.random.below(corpus.len() as u64) as usize];
                let from = self.below(other.len() + 1);
                input.splice(at.., other[from..].iter().copied());
            }
            8 => self.replace_number(input),
            9 if !self.words.is_empty() => {
                let word = self.words[self.random.below(self.words.len() as u64) as usize];
                input.splice(at..at, word.bytes());
            }
            _ => {
                let count = 1 + self.below(8);
                let bytes: Vec<u8> = (0..count).map(|_| self.random.next_u64() as u8).collect();
                input.splice(at..at, bytes);
            }
        }
    }

    /// Returns a random range of bytes, mostly short.
    fn range(&mut self, input: &[u8]) -> (usize, usize) {
        let start = self.below(input.len() + 1);
        let longest = if self.chance(4) { input.len() - start } else { (input.len() - start).min(16) };
        (start, start + self.below(longest + 1))
    }

    fn replace_number(&mut self, input: &mut Vec<u8>) {
        let from = self.below(input.len() + 1);
        let Some(start) = input[from..].iter().position(u8::is_ascii_digit).map(|offset| from + offset)
        else {
            return;
        };
        let length = input[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = NUMBERS[self.below(NUMBERS.len())];
        input.splice(start..start + length, number.bytes());
    }
}
