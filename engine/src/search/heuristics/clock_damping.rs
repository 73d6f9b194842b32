//! Clock damping.
//!
//! Bet: who has made no progress for many moves will not win as surely as the evaluation says, and who is to make some had
//! better begin before the fifty-move rule comes into sight.
//! Preconditions: none.
//! Soundness: unsound, since it changes the evaluation. What the hash table keeps of an evaluation is not damped, since there
//! positions with other clocks are one.
//! Knobs: `ClockDampingPlies`.
//! Source: known through Stockfish; common to the strongest engines.
//! Evidence: `results/search.md`, "Changes tried": -18 ± 29 Elo, so it is off in play.

use crate::position::Position;
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::types::Score;

/// An evaluation as the clock leaves it.
#[inline]
pub(crate) fn damped(toggles: impl Toggles, raw: Score, position: &Position) -> Score {
    if !on!(toggles, ClockDamping) {
        return raw;
    }
    let whole = toggles.value(Tunable::ClockDampingPlies);
    let left = (whole - i32::from(position.halfmove_clock())).max(0);
    Score(raw.0 * left / whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::{Settings, Switch};

    #[test]
    fn what_does_not_move_on_is_worth_less() {
        let on = Settings::default().with(Switch::ClockDamping, true);
        let off = Settings::default().with(Switch::ClockDamping, false);
        let at = |clock: u16, settings: &Settings, raw: i32| {
            let fen = format!("4k3/8/8/8/8/8/4P3/R3K3 w - - {clock} 80");
            damped(settings, Score(raw), &fen.parse().expect("a position")).0
        };
        assert_eq!([0, 50, 100].map(|clock| at(clock, &on, 1000)), [1000, 750, 500]);
        assert_eq!([0, 50, 100].map(|clock| at(clock, &on, -1000)), [-1000, -750, -500]);
        assert_eq!(at(65_535, &on, 1000), 0);
        assert_eq!(at(100, &off, 1000), 1000);
    }
}
