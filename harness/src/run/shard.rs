//! A part of a match, so that several machines can play one match.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Every `count`-th round, starting with round `index`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// Index of the part. Range: 0 to `count - 1`.
    index: u64,
    /// Number of parts of the whole. Range: from 1.
    count: u64,
}

impl Default for Shard {
    fn default() -> Self {
        Self { index: 0, count: 1 }
    }
}

impl Shard {
    /// Whether this is the whole match.
    pub fn is_whole(&self) -> bool {
        self.count == 1
    }

    /// Whether `round` belongs to this part.
    pub fn has(self, round: u64) -> bool {
        round % self.count == self.index
    }

    /// Returns the number of parts.
    pub(crate) fn count(self) -> u64 {
        self.count
    }

    /// Returns the number of this part, from 1.
    pub(crate) fn number(self) -> u64 {
        self.index + 1
    }

    /// Returns all parts of the division that this part belongs to.
    pub(crate) fn all(self) -> impl Iterator<Item = Self> {
        (0..self.count).map(move |index| Self { index, ..self })
    }

    /// Returns the number of the first `rounds` rounds that belong to this part.
    pub fn part_of(self, rounds: u64) -> u64 {
        rounds / self.count + u64::from(rounds % self.count > self.index)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let error = || format!("`{text}`: expected a part of a whole, such as 1/3 for the first of three");
        let (index, count) = text.split_once('/').ok_or_else(error)?;
        let (index, count): (u64, u64) =
            index.trim().parse().ok().zip(count.trim().parse().ok()).ok_or_else(error)?;
        if (1..=count).contains(&index) { Ok(Self { index: index - 1, count }) } else { Err(error()) }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.count)
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_make_the_whole() {
        let parts: Vec<Shard> = ["1/3", "2/3", "3/3"].iter().map(|text| text.parse().unwrap()).collect();
        for round in 0..10 {
            assert_eq!(parts.iter().filter(|part| part.has(round)).count(), 1);
        }
        for rounds in 0..10 {
            assert_eq!(parts.iter().map(|part| part.part_of(rounds)).sum::<u64>(), rounds);
            for part in &parts {
                assert_eq!((0..rounds).filter(|&round| part.has(round)).count() as u64, part.part_of(rounds));
            }
        }
        assert_eq!(parts[1].to_string(), "2/3");
        assert!(Shard::default().is_whole() && !parts[0].is_whole());
    }

    #[test]
    fn invalid_shards_are_rejected() {
        for text in ["", "1", "0/3", "4/3", "1/0", "a/b", "1/2/3", "-1/2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
