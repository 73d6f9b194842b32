//! The limits of a search, checked against the position.

use super::time::Clock;
use crate::types::{Depth, Millis, Move, Nodes};

/// The limits of one search. An absent limit does not apply.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Stop after this iteration.
    pub depth: Option<Depth>,
    /// Start with this iteration instead of the first. For experiments only.
    pub first_depth: Option<Depth>,
    /// Stop after this many nodes of all workers together; exact with one worker.
    pub nodes: Option<Nodes>,
    /// Start no further iteration after this many nodes of all workers together.
    pub soft_nodes: Option<Nodes>,
    /// Stop when a mate in this many moves is found, for either side. A selective search cannot
    /// prove that there is none, so without one it continues until `stop` or another limit.
    pub mate: Option<u32>,
    /// Search for this time at most.
    pub movetime: Option<Millis>,
    /// Plan the time with this clock.
    pub clock: Option<Clock>,
    /// Report no move before `stop`.
    pub infinite: bool,
    /// Report no move before `stop` or `ponderhit`, even if a limit has ended the search. Time spent
    /// pondering counts as time spent on the move.
    pub ponder: bool,
    /// Search only these root moves; all if empty.
    pub searchmoves: Vec<Move>,
}

impl Limits {
    /// Drops the limits of time that others override: an infinite search has none, and `movetime`
    /// replaces the clock.
    pub(crate) fn without_overridden_times(self) -> Self {
        let movetime = self.movetime.filter(|_| !self.infinite);
        let clock = self.clock.filter(|_| !self.infinite && movetime.is_none());
        Self { movetime, clock, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn movetime_replaces_the_clock_and_infinite_both() {
        let clock =
            Clock { remaining: Millis(1000), increment: Millis(0), moves_to_go: None, move_number: 1 };
        let kept = |infinite, movetime: Option<Millis>| {
            let limits = Limits { infinite, movetime, clock: Some(clock), ..Limits::default() };
            let limits = limits.without_overridden_times();
            (limits.movetime, limits.clock)
        };
        assert_eq!(kept(false, None), (None, Some(clock)));
        assert_eq!(kept(false, Some(Millis(20))), (Some(Millis(20)), None));
        assert_eq!(kept(true, Some(Millis(20))), (None, None));
        assert_eq!(kept(true, None), (None, None));
    }
}
