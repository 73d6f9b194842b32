//! A pseudo-random generator of our own, so that a seed gives the same sequence in every version
//! and on every machine.

use std::hash::{BuildHasher, RandomState};

/// Returns `seed`, or a random seed if it is 0.
pub fn seed_or_random(seed: u64) -> u64 {
    if seed == 0 { RandomState::new().hash_one(0) } else { seed }
}

/// The splitmix64 generator: 64 bits of state, each state visited once.
///
/// Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (2014);
/// constants as in Vigna's public domain `splitmix64.c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Returns a generator with the given seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 random bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        Self::mix(self.0)
    }

    /// Mixes 64 bits: the output function of the generator, and a hash function on its own. No two
    /// inputs have the same output.
    pub const fn mix(bits: u64) -> u64 {
        let bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// Returns a uniformly distributed number below `bound`; 0 for a bound of 0.
    ///
    /// Source: Lemire, "Fast Random Integer Generation in an Interval" (2019), algorithm 5.
    pub fn below(&mut self, bound: u64) -> u64 {
        let mut product = u128::from(self.next_u64()) * u128::from(bound);
        if (product as u64) < bound {
            // The low part tells whether this draw belongs to an over-represented remainder.
            let threshold = bound.wrapping_neg() % bound;
            while (product as u64) < threshold {
                product = u128::from(self.next_u64()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// Shuffles the items; every order is equally likely.
    ///
    /// Source: Durstenfeld's form of the Fisher-Yates shuffle, Knuth, "The Art of Computer
    /// Programming" 3.4.2 P.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_matches_published_outputs() {
        // First outputs for seed 1234567, as listed with many ports of splitmix64.c.
        let mut random = SplitMix64::new(1_234_567);
        let found: Vec<u64> = (0..5).map(|_| random.next_u64()).collect();
        assert_eq!(
            found,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821
            ]
        );
    }

    #[test]
    fn bounded_numbers_are_uniform() {
        let mut random = SplitMix64::new(7);
        let mut seen = [0_u32; 6];
        for _ in 0..60_000 {
            seen[random.below(6) as usize] += 1;
        }
        // Standard deviation of each count is 91.
        assert!(seen.iter().all(|count| count.abs_diff(10_000) < 500), "{seen:?}");
        assert_eq!(random.below(1), 0);
        assert_eq!(random.below(0), 0);
    }

    #[test]
    fn shuffle_of_three_is_uniform() {
        let mut random = SplitMix64::new(3);
        let mut seen = std::collections::BTreeMap::new();
        for _ in 0..60_000 {
            let mut items = [0, 1, 2];
            random.shuffle(&mut items);
            *seen.entry(items).or_insert(0_u32) += 1;
        }
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|count| count.abs_diff(10_000) < 500), "{seen:?}");
    }
}
