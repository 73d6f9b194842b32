//! Fifty-move scaling.
//!
//! Scales the evaluation towards zero as the fifty-move counter grows.
//!
//! Bet: an advantage without progress for many moves is worth less, and scaling makes the side that
//! has it act in time.
//! Preconditions: none.
//! Soundness: unsound: it changes the evaluation. The TT holds the evaluation before scaling, since
//! one entry serves several values of the counter.
//! Knobs: `FiftyMoveScalingPlies`.
//! Source: known through Stockfish; common to the strongest engines.
//! Evidence: `results/history.md`, "Changes tried".

use crate::position::Position;
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::types::Score;

/// Returns the evaluation after scaling.
#[inline]
pub(crate) fn scaled(toggles: impl Toggles, raw: Score, position: &Position) -> Score {
    if !on!(toggles, FiftyMoveScaling) {
        return raw;
    }
    let whole = toggles.value(Tunable::FiftyMoveScalingPlies);
    let left = (whole - i32::from(position.halfmove_clock())).max(0);
    Score(raw.0 * left / whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::{Settings, Switch};

    #[test]
    fn evaluation_shrinks_as_the_fifty_move_counter_grows() {
        let on = Settings::default().with(Switch::FiftyMoveScaling, true);
        let off = Settings::default().with(Switch::FiftyMoveScaling, false);
        let at = |clock: u16, settings: &Settings, raw: i32| {
            let fen = format!("4k3/8/8/8/8/8/4P3/R3K3 w - - {clock} 80");
            scaled(settings, Score(raw), &fen.parse().expect("a position")).0
        };
        assert_eq!([0, 50, 100].map(|clock| at(clock, &on, 1000)), [1000, 750, 500]);
        assert_eq!([0, 50, 100].map(|clock| at(clock, &on, -1000)), [-1000, -750, -500]);
        assert_eq!(at(65_535, &on, 1000), 0);
        assert_eq!(at(100, &off, 1000), 1000);
    }
}
