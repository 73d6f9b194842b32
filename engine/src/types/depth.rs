//! What remains to be searched, and how far from the root we are.

use std::ops::{Add, AddAssign, Sub};

/// The deepest line the search follows from the root; arrays by [`Ply`] are this long.
pub const MAX_PLY: usize = 246;

/// Remaining depth. Units: plies. Zero or less means quiescence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Depth(pub i32);

impl Depth {
    /// Nothing left: quiescence.
    pub const ZERO: Self = Self(0);
    /// The deepest iteration asked for.
    pub const MAX: Self = Self(MAX_PLY as i32 - 1);
}

impl Add<i32> for Depth {
    type Output = Self;

    #[inline]
    fn add(self, plies: i32) -> Self {
        Self(self.0 + plies)
    }
}

impl Sub<i32> for Depth {
    type Output = Self;

    #[inline]
    fn sub(self, plies: i32) -> Self {
        Self(self.0 - plies)
    }
}

impl AddAssign<i32> for Depth {
    #[inline]
    fn add_assign(&mut self, plies: i32) {
        self.0 += plies;
    }
}

/// Distance from the root. Units: plies. Range: 0 to [`MAX_PLY`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ply(pub u16);

impl Ply {
    /// The root itself.
    pub const ROOT: Self = Self(0);

    /// Index into arrays by ply.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The ply after this one.
    #[inline]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}
