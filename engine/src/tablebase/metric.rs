//! Distance metrics of tables.

use std::fmt;

use super::Outcome;

/// The event to which a table counts distances. Units: plies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Distance to mate (DTM).
    #[default]
    Dtm,
    /// Distance to conversion (DTC): mate, a capture or a promotion.
    Dtc,
    /// Distance to zeroing (DTZ): mate, a capture or a pawn move, which reset the fifty-move clock.
    Dtz,
    /// DTZ without distinguishing the shortest distances, which take the most space in a file and
    /// are found by a short search. See [`Metric::NEAR_WIN`].
    Near,
}

impl Metric {
    /// The metrics of generated tables. [`Metric::Near`] is a compact encoding of the last one.
    pub const ALL: [Self; 3] = [Self::Dtm, Self::Dtc, Self::Dtz];
    /// All shorter wins are stored as this distance under [`Metric::Near`]. Units: plies.
    pub const NEAR_WIN: u16 = 5;
    /// The same for losses. Units: plies.
    pub const NEAR_LOSS: u16 = 4;

    /// Returns the name, which is also the file extension.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dtm => "dtm",
            Self::Dtc => "dtc",
            Self::Dtz => "dtz",
            Self::Near => "near",
        }
    }

    /// Returns the stored form of an exact value.
    #[must_use]
    pub const fn stored_form(self, outcome: Outcome) -> Outcome {
        match (self, outcome) {
            (Self::Near, Outcome::Win(..Self::NEAR_WIN)) => Outcome::Win(Self::NEAR_WIN),
            (Self::Near, Outcome::Loss(..Self::NEAR_LOSS)) => Outcome::Loss(Self::NEAR_LOSS),
            (_, exact) => exact,
        }
    }

    /// Returns the value of a move that ends the count, given the value of the next position for
    /// the opponent.
    #[inline]
    pub const fn converted(self, next: Outcome) -> Outcome {
        match (self, next.before()) {
            (Self::Dtc | Self::Dtz | Self::Near, Outcome::Win(_)) => Outcome::Win(1),
            (Self::Dtc | Self::Dtz | Self::Near, Outcome::Loss(_)) => Outcome::Loss(1),
            (_, outcome) => outcome,
        }
    }

    /// Whether a conversion (capture or promotion) or another pawn move ends the count.
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
    fn only_dtm_counts_beyond_a_capture() {
        assert_eq!(Metric::Dtm.converted(Outcome::Loss(6)), Outcome::Win(7));
        assert_eq!(Metric::Dtc.converted(Outcome::Loss(6)), Outcome::Win(1));
        assert_eq!(Metric::Dtz.converted(Outcome::Win(6)), Outcome::Loss(1));
        assert_eq!(Metric::Dtz.converted(Outcome::Draw), Outcome::Draw);
        assert!(!Metric::Dtc.ends_with(false, true) && Metric::Dtz.ends_with(false, true));
    }

    #[test]
    fn near_merges_only_the_shortest_distances() {
        for (exact, stored_form) in [
            (Outcome::Win(1), Outcome::Win(5)),
            (Outcome::Win(5), Outcome::Win(5)),
            (Outcome::Win(6), Outcome::Win(6)),
            (Outcome::Loss(0), Outcome::Loss(4)),
            (Outcome::Loss(5), Outcome::Loss(5)),
            (Outcome::Draw, Outcome::Draw),
        ] {
            assert_eq!(Metric::Near.stored_form(exact), stored_form);
            assert!(Metric::ALL.into_iter().all(|metric| metric.stored_form(exact) == exact));
        }
    }
}
