//! The budget of a move: its soft and hard limit, computed from the clock before the search, and the
//! part of them that endgame tables may take.
//!
//! Sources: the reserve for the overhead of future moves and the share of the clock that grows during
//! the game are from Stockfish.

use std::time::Duration;

use super::clock::{Clock, MAX_CLOCK};
use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::types::Millis;

/// The time limits of one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// No iteration starts after this time. [`soft_limit`](super::soft_limit) adapts it to the course of the search.
    pub soft: Duration,
    /// The search is stopped at this time.
    pub hard: Duration,
}

/// Factor of the soft limit for an engine that ponders. Units: percent.
const PONDER_SOFT_LIMIT: u32 = 125;

impl Budget {
    /// Returns the budget of an engine that ponders: thinking on the opponent's time is free, and a
    /// predicted move is often answered at once.
    pub fn for_pondering(self) -> Self {
        Self { soft: (self.soft * PONDER_SOFT_LIMIT / 100).min(self.hard), ..self }
    }
}

/// Maximum number of moves to the next time control taken into account.
const MAX_MOVES_TO_GO: i64 = 40;
/// Reserve against a process that is temporarily not scheduled. Units: ms.
pub(super) const SAFETY: i64 = 20;
/// Number of future moves whose overhead is reserved, unless increments cover it.
const RESERVED_MOVES: i64 = 80;
/// Maximum share of the clock reserved for overhead. Units: percent.
const RESERVE_SHARE: i64 = 75;
/// Maximum hard limit of the last move before a time control, relative to the remaining time.
/// Units: percent.
const LAST_MOVE_SHARE: i64 = 90;
/// Minimum of both limits; the first iteration is completed in any case. Units: microseconds.
pub(super) const LEAST: i64 = 100;

/// Decoding endgame tables at the root and completing mate lines may together take one part in this
/// many of the time on the clock.
const DECODE_TIME_DIVISOR: u32 = 8;

/// With a time per move, decoding may always take this long, even beyond that time. The embedded
/// tables need 15 milliseconds at most on a fast core, and a move without tables may give away the
/// result.
pub(super) const MIN_DECODE_TIME: Duration = Duration::from_millis(50);
/// Time for decoding tables and completing mate lines in an analysis without a clock. Tables on a slow
/// disk would otherwise delay the answer to `stop` without a limit.
pub(super) const ANALYSIS_DECODE_TIME: Duration = Duration::from_secs(5);

/// Computes the budget of one move.
///
/// `overhead` is the time per move lost between engine and clock. It is subtracted for this move
/// and, where increments do not cover it, reserved for future moves. Otherwise the overhead of a
/// long game would exhaust a short clock.
pub fn move_budget(clock: Clock, overhead: Millis, toggles: impl Toggles) -> Budget {
    let left = clock.remaining.0.saturating_sub(overhead.0 + SAFETY).clamp(1, MAX_CLOCK) * 1000;
    // Net change of the clock per move without thinking time.
    let net = (clock.increment.0.clamp(0, MAX_CLOCK) - overhead.0) * 1000;
    let moves = match clock.moves_to_go {
        Some(moves) => i64::from(moves).clamp(1, MAX_MOVES_TO_GO),
        None => planned_moves(clock.move_number, net > 0, toggles),
    };
    let moves_after = clock.moves_to_go.map_or(RESERVED_MOVES, |moves| RESERVED_MOVES.min(moves.into()) - 1);
    let reserve = ((-net).max(0) * moves_after.max(0)).min(percent(left, RESERVE_SHARE));
    let fair =
        (left - reserve) / moves + percent(net.clamp(0, left), toggles.value(Tunable::TimeIncrement).into());
    let share = if moves == 1 { LAST_MOVE_SHARE } else { toggles.value(Tunable::TimeHardShare).into() };
    let hard = percent(fair, toggles.value(Tunable::TimeHard).into()).min(percent(left, share)).max(LEAST);
    let soft = percent(fair, toggles.value(Tunable::TimeSoft).into()).clamp(LEAST, hard);
    Budget { soft: Duration::from_micros(soft as u64), hard: Duration::from_micros(hard as u64) }
}

/// Returns the time that is left on the clock at the hard limit, less the overhead and the reserve.
pub fn left_after(clock: Clock, overhead: Millis, hard: Duration) -> Duration {
    Millis(clock.remaining.0.saturating_sub(overhead.0 + SAFETY).max(0)).to_duration().saturating_sub(hard)
}

/// Returns the number of moves that a sudden-death game is planned to last from this move on.
///
/// With a net increment it falls with the moves played, so that a game of usual length leaves little
/// time unused; longer games live on the increments. Without one, the clock must last for any game.
fn planned_moves(move_number: u16, has_increment: bool, toggles: impl Toggles) -> i64 {
    let played = if has_increment { i64::from(move_number.saturating_sub(1)) } else { 0 };
    let start = i64::from(toggles.value(Tunable::TimeMoves));
    let least = i64::from(toggles.value(Tunable::TimeMovesMin)).min(start);
    (start - played * i64::from(toggles.value(Tunable::TimeMovesDecay)) / 100).max(least).max(1)
}

/// Returns `share` percent of `whole`.
fn percent(whole: i64, share: i64) -> i64 {
    // At most `MAX_CLOCK` in microseconds times 800 percent, which is below `i64::MAX`.
    whole * share / 100
}

/// Searches with a shorter hard limit use one thread.
const MIN_TIME_FOR_HELPERS: Duration = Duration::from_millis(15);

/// Whether helper threads are useful for a search of this length.
///
/// If threads outnumber cores, the scheduler runs each for some milliseconds in turn. A shorter
/// search gains nothing from helpers and may be delayed by their time slices, which loses games on
/// time at short time controls.
pub fn is_long_enough_for_helpers(hard: Duration) -> bool {
    hard >= MIN_TIME_FOR_HELPERS
}

/// Returns the time that decoding tables at the root may take: a share of the clock, so that it does
/// not lose the game on time, or the time per move. A search that waits for `stop` or `ponderhit` reads
/// it after the decoding. `None` for a number of nodes or plies: the result must not depend on time.
pub(crate) fn decode_time_limit(
    movetime: Option<Millis>,
    clock: Option<Clock>,
    is_waiting: bool,
) -> Option<Duration> {
    match (movetime, clock) {
        (Some(movetime), _) => Some(movetime.to_duration().max(MIN_DECODE_TIME)),
        (None, Some(clock)) => Some(clock.remaining.to_duration() / DECODE_TIME_DIVISOR),
        (None, None) => is_waiting.then_some(ANALYSIS_DECODE_TIME),
    }
}

/// Returns the time that completing mate lines may take in a search whose root moves took `ranking`
/// of the decode time. A `movetime` gives the same share as a clock, because lines are completed
/// after its end too.
pub(crate) fn mate_line_time_limit(
    decode_time: Duration,
    movetime: Option<Millis>,
    ranking: Duration,
) -> Duration {
    let share = movetime
        .map_or(decode_time, |movetime| (movetime.to_duration() / DECODE_TIME_DIVISOR).max(MIN_DECODE_TIME));
    share.saturating_sub(ranking)
}
