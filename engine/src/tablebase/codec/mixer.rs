//! Prediction of bits by context mixing.
//!
//! Each context has a probability that moves towards the bits seen in it, more slowly with each
//! observation. The probabilities of the active contexts are mixed in the logistic domain, `ln(p /
//! (1 - p))`, with learned weights. All arithmetic is in integers, so that all machines decode
//! equally.
//!
//! Source: M. Mahoney, "Adaptive Weighing of Context Models for Lossless Data Compression" (2005).

/// Number of contexts mixed per bit.
pub(super) const CONTEXTS: usize = 4;
/// Fractional bits of a weight.
const WEIGHT_BITS: u32 = 16;
/// Number of observations after which a context's learning rate stays constant.
const LIMIT: u32 = 30;
/// Limit of logistic values. Units: 1/256.
const MAX_STRETCH: i32 = 2047;

/// The logistic function at multiples of 1/2 from -8 to 8. Units: 1/4096.
const SQUASH_POINTS: [i32; 33] = [
    1, 2, 4, 6, 10, 17, 27, 45, 74, 120, 194, 311, 488, 747, 1102, 1546, 2048, 2550, 2994, 3349, 3608, 3785,
    3902, 3976, 4022, 4051, 4069, 4079, 4086, 4090, 4092, 4094, 4095,
];

/// Computes `1 / (1 + e^-x)` by linear interpolation. Units: `x` 1/256, the result 1/4096.
const fn squash(x: i32) -> i32 {
    let x = if x > MAX_STRETCH {
        MAX_STRETCH
    } else if x < -MAX_STRETCH {
        -MAX_STRETCH
    } else {
        x
    };
    let (step, rest) = ((x >> 7) + 16, x & 127);
    let value =
        (SQUASH_POINTS[step as usize] * (128 - rest) + SQUASH_POINTS[step as usize + 1] * rest + 64) >> 7;
    if value < 1 {
        1
    } else if value > 4095 {
        4095
    } else {
        value
    }
}

/// The inverse of `squash`, by probability in units of 1/4096.
static STRETCH_TABLE: [i16; 4096] = {
    let mut table = [MAX_STRETCH as i16; 4096];
    let (mut x, mut next) = (-MAX_STRETCH, 0);
    while x <= MAX_STRETCH {
        let value = squash(x);
        while next <= value && next < 4096 {
            table[next as usize] = x as i16;
            next += 1;
        }
        x += 1;
    }
    table
};

/// Learning rate by number of observations. Units: 2^-16.
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

/// The probability of a one in a context, in the upper 22 bits, and the number of observations in
/// the lower ten.
#[derive(Clone, Copy)]
struct BitProbability(u32);

impl BitProbability {
    const EVEN: Self = Self(1 << 31);

    /// Returns the probability of a one. Units: 1/4096.
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

/// The learned state of a block.
pub(super) struct Mixer {
    probabilities: Vec<BitProbability>,
    weights: Vec<[i32; CONTEXTS]>,
}

impl Mixer {
    /// Creates the initial state for a number of contexts and weight sets.
    pub(super) fn new(contexts: usize, sets: usize) -> Self {
        // The sum of the weights exceeds 1: agreement of contexts increases confidence.
        let weight = (1 << WEIGHT_BITS) * 2 / 5;
        Self { probabilities: vec![BitProbability::EVEN; contexts], weights: vec![[weight; CONTEXTS]; sets] }
    }

    /// Codes a bit in these contexts with a weight set, and learns from it.
    #[inline]
    pub(super) fn code(
        &mut self,
        coder: &mut impl super::coder::Coder,
        bit: bool,
        contexts: [usize; CONTEXTS],
        set: usize,
    ) -> bool {
        let inputs =
            contexts.map(|context| i32::from(STRETCH_TABLE[self.probabilities[context].probability()]));
        let weights = &mut self.weights[set];
        let sum: i64 =
            inputs.iter().zip(&*weights).map(|(&input, &weight)| i64::from(input) * i64::from(weight)).sum();
        let one = squash((sum >> WEIGHT_BITS) as i32);
        let bit = coder.code(bit, one as u32);
        let error = (i32::from(bit) << 12) - one;
        for (weight, input) in weights.iter_mut().zip(inputs) {
            // Learning rate 0.02 in the units of all three factors.
            *weight += (input * error * 5 + (1 << 9)) >> 10;
        }
        for context in contexts {
            self.probabilities[context].learn(bit);
        }
        bit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretch_inverts_squash() {
        // Around the middle the curve rises by four per step.
        assert!((1..4096).all(|p| (squash(STRETCH_TABLE[p as usize].into()) - p).abs() <= 4));
        assert!((-2047..2047).all(|x| squash(x) <= squash(x + 1)));
        assert_eq!(squash(0), 2048);
    }

    #[test]
    fn probabilities_move_towards_observed_bits() {
        let mut probability = BitProbability::EVEN;
        for _ in 0..100 {
            probability.learn(true);
        }
        assert!(probability.probability() > 3900);
        for _ in 0..200 {
            probability.learn(false);
        }
        assert!(probability.probability() < 100);
    }
}
