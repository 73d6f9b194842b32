//! A middlegame and an endgame value packed into one word.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A pair of a middlegame and an endgame value that is added and multiplied as one number.
///
/// The endgame value is the lower half; a negative one borrows from the upper half, which reading
/// compensates.
/// Units: `UNITS_PER_CENTIPAWN` per centipawn. Range: 32 bits each, far more than any evaluation
/// needs.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Tapered(i64);

impl Tapered {
    /// A middlegame and an endgame value of zero.
    pub const ZERO: Self = Self(0);

    /// Returns the pair of these values.
    #[inline]
    pub const fn new(middle: i32, end: i32) -> Self {
        Self(((middle as i64) << 32) + end as i64)
    }

    /// Returns the middlegame value.
    #[inline]
    pub const fn middle(self) -> i32 {
        ((self.0 + (1 << 31)) >> 32) as i32
    }

    /// Returns the endgame value.
    #[inline]
    pub const fn end(self) -> i32 {
        self.0 as i32
    }
}

impl Add for Tapered {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Tapered {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Tapered {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl SubAssign for Tapered {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

impl Neg for Tapered {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Mul<i32> for Tapered {
    type Output = Self;

    #[inline]
    fn mul(self, factor: i32) -> Self {
        Self(self.0 * i64::from(factor))
    }
}

impl fmt::Debug for Tapered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.middle(), self.end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_independent_in_arithmetic() {
        let values = [-40_000, -129, -1, 0, 1, 7, 40_000];
        for (a, b) in values.into_iter().flat_map(|a| values.map(|b| (a, b))) {
            let pair = Tapered::new(a, b);
            assert_eq!((pair.middle(), pair.end()), (a, b));
            assert_eq!(-pair, Tapered::new(-a, -b));
            assert_eq!(pair * -3 + pair, Tapered::new(-2 * a, -2 * b));
            assert_eq!(Tapered::new(5, -5) - pair, Tapered::new(5 - a, -5 - b));
        }
    }
}
