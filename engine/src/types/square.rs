//! Squares, files and ranks.

use std::fmt;
use std::str::FromStr;

use super::Color;

/// A column of the board, `a` = 0 to `h` = 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct File(u8);

#[expect(missing_docs, reason = "the letter names the file")]
impl File {
    pub const A: Self = Self(0);
    pub const B: Self = Self(1);
    pub const C: Self = Self(2);
    pub const D: Self = Self(3);
    pub const E: Self = Self(4);
    pub const F: Self = Self(5);
    pub const G: Self = Self(6);
    pub const H: Self = Self(7);
}

impl File {
    /// Returns the file with this index. Range: `index` is taken modulo 8.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        Self((index & 7) as u8)
    }

    /// Returns the index of the file: 0 (a) to 7 (h).
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the letter of the file, `a` to `h`.
    pub const fn to_char(self) -> char {
        (b'a' + self.0) as char
    }

    /// Parses a file letter of either case.
    pub const fn from_char(letter: char) -> Option<Self> {
        match letter.to_ascii_lowercase() {
            lower @ 'a'..='h' => Some(Self(lower as u8 - b'a')),
            _ => None,
        }
    }
}

/// A row of the board, rank 1 = 0 to rank 8 = 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rank(u8);

impl Rank {
    /// The first rank, on which White's pieces start.
    pub const FIRST: Self = Self(0);
    /// The second rank, on which White's pawns start.
    pub const SECOND: Self = Self(1);
    /// The third rank, which a double step of White passes.
    pub const THIRD: Self = Self(2);
    /// The fourth rank, on which a double step of White ends.
    pub const FOURTH: Self = Self(3);
    /// The fifth rank, on which a double step of Black ends.
    pub const FIFTH: Self = Self(4);
    /// The seventh rank, on which Black's pawns start.
    pub const SEVENTH: Self = Self(6);
    /// The eighth rank, on which Black's pieces start.
    pub const EIGHTH: Self = Self(7);

    /// Returns the rank with this index. Range: `index` is taken modulo 8.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        Self((index & 7) as u8)
    }

    /// Returns the index of the rank: 0 (rank 1) to 7 (rank 8).
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the rank as seen from the other side of the board.
    #[inline]
    pub const fn mirrored(self) -> Self {
        Self(7 - self.0)
    }

    /// Returns the digit of the rank, `1` to `8`.
    pub const fn to_char(self) -> char {
        (b'1' + self.0) as char
    }

    /// Parses a rank digit.
    pub const fn from_char(digit: char) -> Option<Self> {
        match digit {
            '1'..='8' => Some(Self(digit as u8 - b'1')),
            _ => None,
        }
    }
}

impl Color {
    /// Returns the rank as this side counts it: unchanged for White, mirrored for Black.
    #[inline]
    pub const fn relative_rank(self, rank: Rank) -> Rank {
        match self {
            Self::White => rank,
            Self::Black => rank.mirrored(),
        }
    }
}

/// A square: a1 = 0, b1 = 1, … h8 = 63.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// Number of squares on the board.
    pub const COUNT: usize = 64;

    /// Returns the square with this index. Range: `index` is taken modulo 64.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        Self((index & 63) as u8)
    }

    /// Returns the square at a file and rank.
    #[inline]
    pub const fn new(file: File, rank: Rank) -> Self {
        Self(rank.0 * 8 + file.0)
    }

    /// Returns all squares from a1 to h8, in order of their index.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..64).map(Self)
    }

    /// Returns the index, 0 to 63. The mask lets the compiler omit bounds checks.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// Returns the file of the square.
    #[inline]
    pub const fn file(self) -> File {
        File(self.0 & 7)
    }

    /// Returns the rank of the square.
    #[inline]
    pub const fn rank(self) -> Rank {
        Rank((self.0 & 63) >> 3)
    }

    /// Returns the square as `color` sees it: flipped vertically for Black.
    #[inline]
    pub const fn relative_to(self, color: Color) -> Self {
        match color {
            Color::White => self,
            Color::Black => Self(self.0 ^ 0x38),
        }
    }

    /// Returns the square one step forward for `color`. Wraps around from the last rank, which
    /// callers avoid.
    #[inline]
    pub const fn forward(self, color: Color) -> Self {
        match color {
            Color::White => Self((self.0 + 8) & 63),
            Color::Black => Self(self.0.wrapping_sub(8) & 63),
        }
    }

    /// Returns the distance in king moves. Range: 0 to 7.
    pub const fn distance(self, other: Self) -> u8 {
        let files = (self.0 & 7).abs_diff(other.0 & 7);
        let ranks = (self.0 >> 3).abs_diff(other.0 >> 3);
        if files > ranks { files } else { ranks }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file().to_char(), self.rank().to_char())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Square {
    type Err = ();

    /// Parses a square such as `e4`; letters may be of either case.
    fn from_str(text: &str) -> Result<Self, ()> {
        let mut chars = text.chars();
        match (chars.next(), chars.next(), chars.next()) {
            (Some(file), Some(rank), None) => {
                let file = File::from_char(file).ok_or(())?;
                let rank = Rank::from_char(rank).ok_or(())?;
                Ok(Self::new(file, rank))
            }
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn square_text_round_trips_and_bad_text_is_rejected() {
        for square in Square::all() {
            assert_eq!(square.to_string().parse(), Ok(square));
        }
        for bad in ["", "e", "e9", "i1", "e44", "é4"] {
            assert_eq!(bad.parse::<Square>(), Err(()), "{bad}");
        }
    }

    #[test]
    fn relative_squares_steps_and_distances_are_correct() {
        let e2: Square = "e2".parse().expect("a square");
        assert_eq!(e2.relative_to(Color::Black).to_string(), "e7");
        assert_eq!(e2.forward(Color::White).to_string(), "e3");
        assert_eq!(e2.forward(Color::Black).to_string(), "e1");
        assert_eq!(e2.distance("h8".parse().expect("a square")), 6);
    }
}
