//! What the distances of a table count to.

use std::fmt;

use super::Outcome;

/// The end that is counted. Units of all: plies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Mate.
    #[default]
    Dtm,
    /// Mate, a capture or a promotion.
    Dtc,
    /// Mate, a capture or a move of a pawn: what sets the fifty-move clock to zero.
    Dtz,
    /// The same, but the shortest distances are not told apart: a look a few plies ahead finds them, and they take the most
    /// room. See [`Metric::NEAR_WIN`].
    Near,
}

impl Metric {
    /// Those that tables are made by. [`Metric::Near`] is a shorter way to write down the last.
    pub const ALL: [Self; 3] = [Self::Dtm, Self::Dtc, Self::Dtz];
    /// What every win up to this stands as in a table by [`Metric::Near`]. Units: plies.
    pub const NEAR_WIN: u16 = 5;
    /// The same of losses.
    pub const NEAR_LOSS: u16 = 4;

    /// The name, which is also the extension of files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dtm => "dtm",
            Self::Dtc => "dtc",
            Self::Dtz => "dtz",
            Self::Near => "near",
        }
    }

    /// How an outcome is written down that is exactly this.
    #[must_use]
    pub const fn noted(self, outcome: Outcome) -> Outcome {
        match (self, outcome) {
            (Self::Near, Outcome::Win(..Self::NEAR_WIN)) => Outcome::Win(Self::NEAR_WIN),
            (Self::Near, Outcome::Loss(..Self::NEAR_LOSS)) => Outcome::Loss(Self::NEAR_LOSS),
            (_, exact) => exact,
        }
    }

    /// What a move is worth that ends the count, to a position that is worth `next` to the other side.
    #[inline]
    pub const fn converted(self, next: Outcome) -> Outcome {
        match (self, next.before()) {
            (Self::Dtc | Self::Dtz | Self::Near, Outcome::Win(_)) => Outcome::Win(1),
            (Self::Dtc | Self::Dtz | Self::Near, Outcome::Loss(_)) => Outcome::Loss(1),
            (_, outcome) => outcome,
        }
    }

    /// Does the count end with a capture or promotion, and with other moves of pawns?
    pub const fn ends_with(self, is_conversion: bool, is_pawn: bool) -> bool {
        match self {
            Self::Dtm => false,
            Self::Dtc => is_conversion,
            Self::Dtz | Self::Near => is_conversion || is_pawn,
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mate_counts_beyond_a_capture() {
        assert_eq!(Metric::Dtm.converted(Outcome::Loss(6)), Outcome::Win(7));
        assert_eq!(Metric::Dtc.converted(Outcome::Loss(6)), Outcome::Win(1));
        assert_eq!(Metric::Dtz.converted(Outcome::Win(6)), Outcome::Loss(1));
        assert_eq!(Metric::Dtz.converted(Outcome::Draw), Outcome::Draw);
        assert!(!Metric::Dtc.ends_with(false, true) && Metric::Dtz.ends_with(false, true));
    }

    #[test]
    fn only_near_ends_are_noted_alike() {
        for (exact, noted) in [
            (Outcome::Win(1), Outcome::Win(5)),
            (Outcome::Win(5), Outcome::Win(5)),
            (Outcome::Win(6), Outcome::Win(6)),
            (Outcome::Loss(0), Outcome::Loss(4)),
            (Outcome::Loss(5), Outcome::Loss(5)),
            (Outcome::Draw, Outcome::Draw),
        ] {
            assert_eq!(Metric::Near.noted(exact), noted);
            assert!(Metric::ALL.into_iter().all(|metric| metric.noted(exact) == exact));
        }
    }
}
