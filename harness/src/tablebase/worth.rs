//! Outcomes as numbers of which the greater is the better.

use stretto::tablebase::Outcome;

/// What a position is worth to somebody: [`Worth::NONE`] is less than any outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Worth(u16);

/// A draw: all losses are below, all wins above.
const DRAW: u16 = 1 << 12;

impl Worth {
    /// There is nothing.
    pub(super) const NONE: Self = Self(0);

    /// Of an outcome. Range: at most 2000 plies.
    #[inline]
    pub(super) const fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Draw => Self(DRAW),
            Outcome::Win(plies) => Self(2 * DRAW - plies),
            Outcome::Loss(plies) => Self(plies + 1),
        }
    }

    /// The outcome, if there is one.
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
    fn worths_are_in_the_order_of_outcomes() {
        let all: Vec<Outcome> = (0..600)
            .map(Outcome::Loss)
            .chain([Outcome::Draw])
            .chain((1..600).rev().map(Outcome::Win))
            .collect();
        for pair in all.windows(2) {
            assert!(Worth::of(pair[0]) < Worth::of(pair[1]), "{pair:?}");
            assert_eq!(pair[0].better(pair[1]), pair[1]);
        }
        assert!(all.iter().all(|&outcome| Worth::of(outcome).outcome() == Some(outcome)));
        assert!(Worth::NONE < Worth::of(Outcome::Loss(0)) && Worth::NONE.outcome().is_none());
    }
}
