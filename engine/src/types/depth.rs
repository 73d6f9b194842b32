//! Remaining search depth and distance from the root.

use std::ops::{Add, AddAssign, Sub};

/// Maximum distance from the root that the search reaches. Units: plies.
pub const MAX_PLY: usize = 246;

/// Remaining search depth. Units: plies. Zero or less means quiescence search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Depth(pub i32);

impl Depth {
    /// Depth zero, at which quiescence search takes over.
    pub const ZERO: Self = Self(0);
    /// Maximum depth of an iteration.
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
    /// The ply of the root position.
    pub const ROOT: Self = Self(0);

    /// Returns the ply as an index into arrays by ply.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the ply one deeper.
    #[inline]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}
