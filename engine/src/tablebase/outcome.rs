//! The value of a tablebase position: win, draw or loss with a distance.

use std::fmt;

/// The result of best play for the side to move. Units: plies to the end counted by the metric.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Neither side can force a win.
    #[default]
    Draw,
    /// The side to move wins in this many plies.
    Win(u16),
    /// The side to move loses in this many plies.
    Loss(u16),
}

impl Outcome {
    /// Returns the value of a position before a move that reaches this one: negated and one ply
    /// longer.
    #[must_use]
    pub const fn before(self) -> Self {
        match self {
            Self::Draw => Self::Draw,
            Self::Win(plies) => Self::Loss(plies + 1),
            Self::Loss(plies) => Self::Win(plies + 1),
        }
    }

    /// Returns a number that orders values: short wins first, then long wins, draws, long losses,
    /// short losses.
    const fn rank(self) -> i32 {
        match self {
            Self::Draw => 0,
            Self::Win(plies) => 1_000_000 - plies as i32,
            Self::Loss(plies) => plies as i32 - 1_000_000,
        }
    }

    /// Returns the value preferred by the side to move.
    #[must_use]
    pub const fn better(self, other: Self) -> Self {
        if other.rank() > self.rank() { other } else { self }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Draw => f.write_str("draw"),
            Self::Win(plies) => write!(f, "win in {plies}"),
            Self::Loss(plies) => write!(f, "loss in {plies}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Outcome::{Draw, Loss, Win};

    #[test]
    fn short_wins_and_long_losses_are_preferred() {
        let order = [Loss(0), Loss(2), Loss(300), Draw, Win(301), Win(3), Win(1)];
        for pair in order.windows(2) {
            assert_eq!(pair[0].better(pair[1]), pair[1]);
            assert_eq!(pair[1].better(pair[0]), pair[1]);
        }
        assert_eq!(Loss(0).before(), Win(1));
        assert_eq!(Win(1).before(), Loss(2));
    }
}
