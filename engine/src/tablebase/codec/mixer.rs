//! How probable a bit is, by several counts of what came in like cases.
//!
//! Each case has a probability that moves towards the bits seen in it, the slower the more there were. The probabilities of the
//! cases that apply are mixed in the logistic domain, `ln(p / (1 - p))`, with weights that learn which of them to trust.
//! Everything is whole numbers, so that all machines read the same.
//!
//! Source: M. Mahoney, "Adaptive Weighing of Context Models for Lossless Data Compression" (2005).

/// Cases that are mixed for one bit.
pub(super) const CASES: usize = 4;
/// Weights are in units of 2^-16.
const WEIGHT_BITS: u32 = 16;
/// A case seen more often than this is as steady as it gets.
const LIMIT: u32 = 30;
/// Logistic values are in units of 1/256, and go this far.
const FARTHEST: i32 = 2047;

/// The logistic function at multiples of 1/2 from -8 to 8. Units: 1/4096.
const SQUASHED: [i32; 33] = [
    1, 2, 4, 6, 10, 17, 27, 45, 74, 120, 194, 311, 488, 747, 1102, 1546, 2048, 2550, 2994, 3349, 3608, 3785,
    3902, 3976, 4022, 4051, 4069, 4079, 4086, 4090, 4092, 4094, 4095,
];

/// `1 / (1 + e^-x)`, straight between the points of the table. Units: `x` 1/256, the result 1/4096.
const fn squash(x: i32) -> i32 {
    let x = if x > FARTHEST {
        FARTHEST
    } else if x < -FARTHEST {
        -FARTHEST
    } else {
        x
    };
    let (step, rest) = ((x >> 7) + 16, x & 127);
    let value = (SQUASHED[step as usize] * (128 - rest) + SQUASHED[step as usize + 1] * rest + 64) >> 7;
    if value < 1 {
        1
    } else if value > 4095 {
        4095
    } else {
        value
    }
}

/// The way back: by probability, in units of 1/4096.
static STRETCHED: [i16; 4096] = {
    let mut table = [FARTHEST as i16; 4096];
    let (mut x, mut next) = (-FARTHEST, 0);
    while x <= FARTHEST {
        let value = squash(x);
        while next <= value && next < 4096 {
            table[next as usize] = x as i16;
            next += 1;
        }
        x += 1;
    }
    table
};

/// By number of times seen: how far to move. Units: 2^-16.
static RATES: [u32; LIMIT as usize + 1] = {
    let mut table = [0; LIMIT as usize + 1];
    let mut count = 0;
    while count <= LIMIT {
        // 1 / (count + 1.5)
        table[count as usize] = (2 << 16) / (2 * count + 3);
        count += 1;
    }
    table
};

/// The probability of a one in a case, in the upper 22 bits, and how often it was seen below.
#[derive(Clone, Copy)]
struct Chance(u32);

impl Chance {
    const EVEN: Self = Self(1 << 31);

    /// Units: 1/4096.
    #[inline]
    fn probability(self) -> usize {
        (self.0 >> 20) as usize
    }

    #[inline]
    fn learn(&mut self, bit: bool) {
        let (probability, count) = (self.0 >> 10, self.0 & 1023);
        let rate = u64::from(RATES[count as usize]);
        let probability = if bit {
            probability + ((u64::from((1 << 22) - 1 - probability) * rate) >> 16) as u32
        } else {
            probability - ((u64::from(probability) * rate) >> 16) as u32
        };
        self.0 = probability << 10 | (count + 1).min(LIMIT);
    }
}

/// All that is learnt in a block.
pub(super) struct Mixer {
    chances: Vec<Chance>,
    weights: Vec<[i32; CASES]>,
}

impl Mixer {
    /// With so many cases in all, and so many sets of weights.
    pub(super) fn new(cases: usize, sets: usize) -> Self {
        // Together they trust what they agree on a little more than each.
        let weight = (1 << WEIGHT_BITS) * 2 / 5;
        Self { chances: vec![Chance::EVEN; cases], weights: vec![[weight; CASES]; sets] }
    }

    /// Codes a bit in these cases, by this set of weights, and learns from it.
    #[inline]
    pub(super) fn code(
        &mut self,
        coder: &mut impl super::coder::Coder,
        bit: bool,
        cases: [usize; CASES],
        set: usize,
    ) -> bool {
        let inputs = cases.map(|case| i32::from(STRETCHED[self.chances[case].probability()]));
        let weights = &mut self.weights[set];
        let sum: i64 =
            inputs.iter().zip(&*weights).map(|(&input, &weight)| i64::from(input) * i64::from(weight)).sum();
        let one = squash((sum >> WEIGHT_BITS) as i32);
        let bit = coder.code(bit, one as u32);
        let error = (i32::from(bit) << 12) - one;
        for (weight, input) in weights.iter_mut().zip(inputs) {
            // Learning rate 0.02, in the units of all three.
            *weight += (input * error * 5 + (1 << 9)) >> 10;
        }
        for case in cases {
            self.chances[case].learn(bit);
        }
        bit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretching_undoes_squashing() {
        // In the middle the curve rises by four a step.
        assert!((1..4096).all(|p| (squash(STRETCHED[p as usize].into()) - p).abs() <= 4));
        assert!((-2047..2047).all(|x| squash(x) <= squash(x + 1)));
        assert_eq!(squash(0), 2048);
    }

    #[test]
    fn chances_move_to_what_is_seen() {
        let mut chance = Chance::EVEN;
        for _ in 0..100 {
            chance.learn(true);
        }
        assert!(chance.probability() > 3900);
        for _ in 0..200 {
            chance.learn(false);
        }
        assert!(chance.probability() < 100);
    }
}
