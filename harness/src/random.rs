//! A small seeded generator for choices that must repeat from a seed on every machine and with every crate version.

/// `SplitMix64`. Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A stream that depends only on `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A stream for item `index` of a seeded family; neighbours are unrelated.
    pub fn for_item(seed: u64, index: u64) -> Self {
        let mut first = Self(seed);
        let base = first.next_u64();
        Self(base ^ Self(index).next_u64())
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`. Range: `bound` is at least 1; the bias is below `bound / 2^64`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_the_published_stream() {
        // Reference values of splitmix64 seeded with 1234567 (Rosetta Code).
        let mut random = SplitMix64::new(1234567);
        let expected = [6457827717110365317u64, 3203168211198807973, 9817491932198370423];
        for value in expected {
            assert_eq!(random.next_u64(), value);
        }
    }

    #[test]
    fn stays_below_the_bound_and_reaches_it() {
        let mut random = SplitMix64::for_item(7, 3);
        let mut seen = [false; 6];
        for _ in 0..500 {
            seen[random.below(6)] = true;
        }
        assert_eq!(seen, [true; 6]);
    }
}
