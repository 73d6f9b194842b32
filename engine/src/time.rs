//! How long to think: from the clock a `go` names to a budget.
//!
//! Pure functions of their arguments. The main worker asks for the soft limit between iterations; the hard one is
//! the alarm of `threads::timekeeper`.

use std::time::Duration;

use crate::types::Millis;

/// The mover's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// What is left. Range: any; match tools have sent negative values.
    pub remaining: Millis,
    /// What each move adds.
    pub increment: Millis,
    /// Moves until the next time control; `None` in sudden death.
    pub moves_to_go: Option<u32>,
}

/// How long this move may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Start no further iteration after this.
    pub soft: Duration,
    /// Stop whatever is being searched at this.
    pub hard: Duration,
}

/// A clock is taken to show no more than this, some thirty years. Units: ms.
const LONGEST_CLOCK: i64 = 1_000_000_000_000;
/// Moves a sudden-death game is expected to last from here.
const EXPECTED_MOVES: i64 = 24;
/// The most moves to the next control that are planned for.
const MAX_MOVES_TO_GO: i64 = 40;
/// Share of the increment that is spent at once. Units: percent.
const INCREMENT_SHARE: i64 = 75;
/// The hard limit is at most so many times the fair share of the move.
const HARD_FACTOR: i64 = 4;
/// The hard limit is at most this share of what is left. Units: percent.
const HARD_SHARE: i64 = 40;
/// An iteration costs more than all before it; so much of the fair share is worth starting one. Units: percent.
const SOFT_SHARE: i64 = 65;

/// The budget for one move.
///
/// `overhead` is kept in reserve for the time a move spends between us and the clock. A drained clock still gives
/// a budget of a millisecond: the first iteration is always finished.
pub fn plan(clock: Clock, overhead: Millis) -> Budget {
    let left = clock.remaining.0.saturating_sub(overhead.0).clamp(1, LONGEST_CLOCK);
    let moves = clock.moves_to_go.map_or(EXPECTED_MOVES, |moves| i64::from(moves).clamp(1, MAX_MOVES_TO_GO));
    let fair = left / moves + clock.increment.0.clamp(0, left) * INCREMENT_SHARE / 100;
    // The last move before a control may use everything the control does not need for safety.
    let share = if moves == 1 { 90 } else { HARD_SHARE };
    let hard = (fair * HARD_FACTOR).min(left * share / 100).max(1);
    let soft = (fair * SOFT_SHARE / 100).clamp(1, hard);
    Budget { soft: Millis(soft).to_duration(), hard: Millis(hard).to_duration() }
}

/// Less time than this is searched by one thread.
const LEAST_FOR_HELPERS: Duration = Duration::from_millis(15);

/// Can helpers be of use in so short a time?
///
/// Where threads outnumber cores, a scheduler lets each run for some milliseconds in turn. A search shorter than a
/// few such turns gains nothing from helpers and may be late by all of theirs: on a short clock, with a small
/// increment, that loses games on time.
pub fn is_worth_helpers(hard: Duration) -> bool {
    hard >= LEAST_FOR_HELPERS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(remaining: i64, increment: i64, moves_to_go: Option<u32>) -> Clock {
        Clock { remaining: Millis(remaining), increment: Millis(increment), moves_to_go }
    }

    #[test]
    fn never_more_than_is_left() {
        for remaining in [-500, 0, 1, 20, 100, 1_000, 60_000, 10_000_000] {
            for increment in [-3, 0, 10, 1_000, 100_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let budget = plan(clock(remaining, increment, moves_to_go), Millis(20));
                    let left = (remaining - 20).max(1) as u128;
                    assert!(budget.soft <= budget.hard);
                    assert!(
                        budget.hard.as_millis() <= left,
                        "{remaining} {increment} {moves_to_go:?} {budget:?}"
                    );
                    assert!(budget.hard.as_millis() >= 1);
                }
            }
        }
    }

    #[test]
    fn a_short_clock_is_searched_alone() {
        assert!(!is_worth_helpers(plan(clock(40, 10, None), Millis(30)).hard));
        assert!(is_worth_helpers(plan(clock(1_000, 10, None), Millis(30)).hard));
    }

    #[test]
    fn more_clock_is_more_time() {
        let short = plan(clock(10_000, 0, None), Millis(20));
        let long = plan(clock(60_000, 0, None), Millis(20));
        let with_increment = plan(clock(10_000, 1_000, None), Millis(20));
        assert!(short.soft < long.soft && short.soft < with_increment.soft);
        assert!(plan(clock(10_000, 0, Some(2)), Millis(20)).soft > short.soft);
    }
}
