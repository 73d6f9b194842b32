//! Squares, files and ranks.

use std::fmt;
use std::str::FromStr;

use super::Color;

/// A column of the board, `a` = 0 to `h` = 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct File(u8);

impl File {
    /// The a-file.
    pub const A: Self = Self(0);
    /// The b-file.
    pub const B: Self = Self(1);
    /// The c-file.
    pub const C: Self = Self(2);
    /// The d-file.
    pub const D: Self = Self(3);
    /// The e-file.
    pub const E: Self = Self(4);
    /// The f-file.
    pub const F: Self = Self(5);
    /// The g-file.
    pub const G: Self = Self(6);
    /// The h-file.
    pub const H: Self = Self(7);

    /// The file with this index. Range: taken modulo 8.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        Self((index & 7) as u8)
    }

    /// 0 to 7.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// `a` to `h`.
    pub const fn to_char(self) -> char {
        (b'a' + self.0) as char
    }

    /// The file a letter of either case names.
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
    /// White's back rank.
    pub const FIRST: Self = Self(0);
    /// White's pawns start here.
    pub const SECOND: Self = Self(1);
    /// The third rank.
    pub const THIRD: Self = Self(2);
    /// The fourth rank.
    pub const FOURTH: Self = Self(3);
    /// The fifth rank.
    pub const FIFTH: Self = Self(4);
    /// The sixth rank.
    pub const SIXTH: Self = Self(5);
    /// Black's pawns start here.
    pub const SEVENTH: Self = Self(6);
    /// Black's back rank.
    pub const EIGHTH: Self = Self(7);

    /// The rank with this index. Range: taken modulo 8.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        Self((index & 7) as u8)
    }

    /// 0 to 7.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The rank seen from the other side.
    #[inline]
    pub const fn mirrored(self) -> Self {
        Self(7 - self.0)
    }

    /// `1` to `8`.
    pub const fn to_char(self) -> char {
        (b'1' + self.0) as char
    }

    /// The rank a digit names.
    pub const fn from_char(digit: char) -> Option<Self> {
        match digit {
            '1'..='8' => Some(Self(digit as u8 - b'1')),
            _ => None,
        }
    }
}

/// A square: a1 = 0, b1 = 1, … h8 = 63.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// How many there are.
    pub const COUNT: usize = 64;

    /// The square with this index. Range: taken modulo 64.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        Self((index & 63) as u8)
    }

    /// The square at a file and rank.
    #[inline]
    pub const fn new(file: File, rank: Rank) -> Self {
        Self(rank.0 * 8 + file.0)
    }

    /// All squares, a1 first, h8 last.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..64).map(Self)
    }

    /// 0 to 63. The mask tells the optimiser so.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The column.
    #[inline]
    pub const fn file(self) -> File {
        File(self.0 & 7)
    }

    /// The row.
    #[inline]
    pub const fn rank(self) -> Rank {
        Rank((self.0 & 63) >> 3)
    }

    /// The square as `color` sees it: Black's view is flipped top to bottom.
    #[inline]
    pub const fn relative_to(self, color: Color) -> Self {
        match color {
            Color::White => self,
            Color::Black => Self(self.0 ^ 0x38),
        }
    }

    /// One step forward for `color`, wrapping past the last rank (callers stay off it).
    #[inline]
    pub const fn forward(self, color: Color) -> Self {
        match color {
            Color::White => Self((self.0 + 8) & 63),
            Color::Black => Self(self.0.wrapping_sub(8) & 63),
        }
    }

    /// How many king steps lie between two squares. Range: 0 to 7.
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

    /// Reads `e4`; letters of either case.
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
    fn text_round_trips() {
        for square in Square::all() {
            assert_eq!(square.to_string().parse(), Ok(square));
        }
        for bad in ["", "e", "e9", "i1", "e44", "é4"] {
            assert_eq!(bad.parse::<Square>(), Err(()), "{bad}");
        }
    }

    #[test]
    fn views_and_steps() {
        let e2: Square = "e2".parse().expect("a square");
        assert_eq!(e2.relative_to(Color::Black).to_string(), "e7");
        assert_eq!(e2.forward(Color::White).to_string(), "e3");
        assert_eq!(e2.forward(Color::Black).to_string(), "e1");
        assert_eq!(e2.distance("h8".parse().expect("a square")), 6);
    }
}
