//! Outcomes as comparable numbers.

use stretto::tablebase::Outcome;

/// The value of a position for a side, greater is better; [`Value::NONE`] is less than any outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Value(u16);

/// Value of a draw: losses are below, wins above.
const DRAW: u16 = 1 << 12;

/// Returns the distance of an outcome; 0 for a draw. Units: plies.
#[inline]
pub(super) const fn plies(outcome: Outcome) -> u16 {
    match outcome {
        Outcome::Draw => 0,
        Outcome::Win(plies) | Outcome::Loss(plies) => plies,
    }
}

impl Value {
    /// The value without an outcome, less than any other.
    pub(super) const NONE: Self = Self(0);

    /// Converts an outcome. Range: at most 2000 plies.
    #[inline]
    pub(super) const fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Draw => Self(DRAW),
            Outcome::Win(plies) => Self(2 * DRAW - plies),
            Outcome::Loss(plies) => Self(plies + 1),
        }
    }

    /// Returns the value of a zeroing move to a position of this value, counted to the move: a decisive
    /// one is 1 ply away.
    #[inline]
    pub(super) const fn zeroed(self) -> Self {
        match self.outcome() {
            Some(Outcome::Win(_)) => Self::of(Outcome::Win(1)),
            Some(Outcome::Loss(_)) => Self::of(Outcome::Loss(1)),
            Some(Outcome::Draw) | None => self,
        }
    }

    /// Returns the outcome, if any.
    #[inline]
    pub(super) const fn outcome(self) -> Option<Outcome> {
        match self.0 {
            0 => None,
            DRAW => Some(Outcome::Draw),
            loss @ ..DRAW => Some(Outcome::Loss(loss - 1)),
            win => Some(Outcome::Win(2 * DRAW - win)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_ordered_like_outcomes() {
        let all: Vec<Outcome> = (0..600)
            .map(Outcome::Loss)
            .chain([Outcome::Draw])
            .chain((1..600).rev().map(Outcome::Win))
            .collect();
        for pair in all.windows(2) {
            assert!(Value::of(pair[0]) < Value::of(pair[1]), "{pair:?}");
            assert_eq!(pair[0].better(pair[1]), pair[1]);
        }
        assert!(all.iter().all(|&outcome| Value::of(outcome).outcome() == Some(outcome)));
        assert!(Value::NONE < Value::of(Outcome::Loss(0)) && Value::NONE.outcome().is_none());
    }

    #[test]
    fn decisive_values_are_one_ply_from_a_zeroing_move() {
        let zeroed = |outcome| Value::of(outcome).zeroed().outcome();
        assert_eq!(zeroed(Outcome::Win(17)), Some(Outcome::Win(1)));
        assert_eq!(zeroed(Outcome::Loss(16)), Some(Outcome::Loss(1)));
        assert_eq!(zeroed(Outcome::Draw), Some(Outcome::Draw));
        assert_eq!(Value::NONE.zeroed(), Value::NONE);
    }
}
