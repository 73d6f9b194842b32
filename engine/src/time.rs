//! Time management: computes the budget of a move from the clock, and adapts it between iterations.
//!
//! Pure functions of their arguments. The budget is computed once before the search; the main
//! worker recomputes the soft limit between iterations. The hard limit is enforced by
//! `threads::timekeeper`, by the main worker if the alarm is late, and by every worker where the clock
//! counts nodes.
//!
//! Sources: the reserve for the overhead of future moves and the share of the clock that grows during
//! the game are from Stockfish; the share of nodes spent on the best move is from Ethereal and
//! others; stability and score trend are common practice.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::types::{Millis, Nodes, Permille, Score};

/// The clock of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Remaining time. Range: any; some match tools send negative values.
    pub remaining: Millis,
    /// Increment per move.
    pub increment: Millis,
    /// Moves until the next time control; `None` in sudden death.
    pub moves_to_go: Option<u32>,
    /// Number of the move to play, from 1.
    pub move_number: u16,
}

/// The time limits of one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// No iteration starts after this time. [`stretch`] adapts it to the course of the search.
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

/// The rate of a clock that counts nodes instead of time, so that results do not depend on the
/// machine; a single thread reproduces its games. Source: the option `nodestime` of Stockfish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeClock(NonZeroU32);

impl NodeClock {
    /// Creates a rate in nodes of all threads per millisecond; `None` for 0.
    pub fn new(nodes_per_millisecond: u32) -> Option<Self> {
        NonZeroU32::new(nodes_per_millisecond).map(Self)
    }

    /// Converts nodes to time.
    pub fn time(self, nodes: Nodes) -> Duration {
        let micros = u128::from(nodes.0) * 1000 / u128::from(self.0.get());
        Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
    }

    /// Converts time to nodes.
    pub fn nodes(self, time: Duration) -> Nodes {
        let nodes = time.as_micros().saturating_mul(self.0.get().into()) / 1000;
        Nodes(u64::try_from(nodes).unwrap_or(u64::MAX))
    }
}

/// Parameters of time management; each is a tunable of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeParams {
    /// Number of moves that a sudden-death game is planned to last at its start. Range: at least 1.
    pub moves: i32,
    /// Decrease of that number per hundred moves played, if there is a net increment.
    pub moves_decay: i32,
    /// Smallest such number. Range: at least 1.
    pub min_moves: i32,
    /// Share of the increment that is spent immediately. Units: percent.
    pub increment: i32,
    /// Soft limit relative to the move's fair share of the clock. Units: percent.
    pub soft: i32,
    /// Hard limit relative to the fair share. Units: percent.
    pub hard: i32,
    /// Hard limit relative to the remaining time. Units: percent.
    pub hard_share: i32,
    /// Factor if no node was spent on the best move. Units: percent.
    pub share_base: i32,
    /// Reduction of the factor if all nodes were spent on the best move. Units: percent.
    pub share_slope: i32,
    /// Factor if the best move has just changed. Units: percent.
    pub stability_base: i32,
    /// Reduction of the factor per iteration with an unchanged best move. Units: percent.
    pub stability_step: i32,
    /// Number of stable iterations beyond which the factor no longer changes.
    pub stability_max: i32,
    /// Increase of the factor per centipawn of score drop. Units: permille per centipawn.
    pub trend: i32,
    /// The same for a drop since the last move of the game. Units: permille per centipawn.
    pub game_trend: i32,
    /// Largest score drop taken into account; larger ones are blunders or mates. Units: centipawns.
    pub max_drop: i32,
    /// Largest score rise taken into account, because a rise may be an error. Units: centipawns.
    pub max_rise: i32,
    /// Increase of the factor if every helper prefers another move. Units: percent.
    pub disagreement: i32,
    /// Smallest factor of all observations together. Units: percent.
    pub min_factor: i32,
    /// Largest factor of all observations together, at least the smallest. Units: percent.
    pub max_factor: i32,
}

/// Observations of completed iterations that indicate how settled the choice of the move is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signals {
    /// Share of the nodes spent on the best move.
    pub best_share: Permille,
    /// Number of consecutive iterations with the same best move.
    pub stable: u32,
    /// Drop of the score below its recent average; negative for a rise.
    pub drop: Score,
    /// Drop of the score below that of the game's last search; negative for a rise.
    pub game_drop: Score,
    /// Share of the helpers that prefer another move; zero without helpers.
    pub disagreement: Permille,
}

/// The largest time accepted, about thirty years, so that sums and products of times cannot overflow.
/// Units: ms.
pub const MAX_CLOCK: i64 = 1_000_000_000_000;
/// Maximum number of moves to the next time control taken into account.
const MAX_MOVES_TO_GO: i64 = 40;
/// Reserve against a process that is temporarily not scheduled. Units: ms.
pub(crate) const SAFETY: i64 = 20;
/// Number of future moves whose overhead is reserved, unless increments cover it.
const RESERVED_MOVES: i64 = 80;
/// Maximum share of the clock reserved for overhead. Units: percent.
const RESERVE_SHARE: i64 = 75;
/// Maximum hard limit of the last move before a time control, relative to the remaining time.
/// Units: percent.
const LAST_MOVE_SHARE: i64 = 90;
/// Minimum of both limits; the first iteration is completed in any case. Units: microseconds.
const LEAST: i64 = 100;

/// Computes the budget of one move.
///
/// `overhead` is the time per move lost between engine and clock. It is subtracted for this move
/// and, where increments do not cover it, reserved for future moves. Otherwise the overhead of a
/// long game would exhaust a short clock.
pub fn plan(clock: Clock, overhead: Millis, params: &TimeParams) -> Budget {
    let left = clock.remaining.0.saturating_sub(overhead.0 + SAFETY).clamp(1, MAX_CLOCK) * 1000;
    // Net change of the clock per move without thinking time.
    let net = (clock.increment.0.clamp(0, MAX_CLOCK) - overhead.0) * 1000;
    let moves = match clock.moves_to_go {
        Some(moves) => i64::from(moves).clamp(1, MAX_MOVES_TO_GO),
        None => planned_moves(clock.move_number, net > 0, params),
    };
    let moves_after = clock.moves_to_go.map_or(RESERVED_MOVES, |moves| RESERVED_MOVES.min(moves.into()) - 1);
    let reserve = ((-net).max(0) * moves_after.max(0)).min(percent(left, RESERVE_SHARE));
    let fair = (left - reserve) / moves + percent(net.clamp(0, left), params.increment.into());
    let share = if moves == 1 { LAST_MOVE_SHARE } else { params.hard_share.into() };
    let hard = percent(fair, params.hard.into()).min(percent(left, share)).max(LEAST);
    let soft = percent(fair, params.soft.into()).clamp(LEAST, hard);
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
fn planned_moves(move_number: u16, has_increment: bool, params: &TimeParams) -> i64 {
    let played = if has_increment { i64::from(move_number.saturating_sub(1)) } else { 0 };
    let start = i64::from(params.moves);
    let least = i64::from(params.min_moves).min(start);
    (start - played * i64::from(params.moves_decay) / 100).max(least).max(1)
}

/// Returns `share` percent of `whole`.
fn percent(whole: i64, share: i64) -> i64 {
    // At most `MAX_CLOCK` in microseconds times 800 percent, which is below `i64::MAX`.
    whole * share / 100
}

/// Returns the soft limit after an iteration: the budget's scaled by [`scale`], at most the hard
/// limit.
pub fn stretch(budget: Budget, signals: Signals, params: &TimeParams) -> Duration {
    budget.soft.mul_f64(scale(signals, params)).min(budget.hard)
}

/// Returns the factor of the soft limit for these observations. Range: `min_factor` to
/// `max_factor`.
pub fn scale(signals: Signals, params: &TimeParams) -> f64 {
    let factor = share_factor(signals.best_share, params)
        * stability_factor(signals.stable, params)
        * trend_factor(signals, params)
        * disagreement_factor(signals.disagreement, params);
    factor.clamp(f64::from(params.min_factor) / 100.0, f64::from(params.max_factor) / 100.0)
}

/// Returns the factor for the share of nodes spent on the best move. A large share means that the
/// other moves were easily refuted, so more time would change nothing.
pub fn share_factor(best_share: Permille, params: &TimeParams) -> f64 {
    let share = f64::from(best_share.0.min(1000)) / 1000.0;
    ((f64::from(params.share_base) - f64::from(params.share_slope) * share) / 100.0).max(0.0)
}

/// Returns the factor for the stability of the best move. A stable move is unlikely to change.
pub fn stability_factor(stable: u32, params: &TimeParams) -> f64 {
    let iterations = i32::try_from(stable).unwrap_or(i32::MAX).min(params.stability_max);
    (f64::from(params.stability_base - params.stability_step * iterations) / 100.0).max(0.0)
}

/// Returns the factor for the score trend. A falling score justifies more time.
pub fn trend_factor(signals: Signals, params: &TimeParams) -> f64 {
    let [drop, game_drop] =
        [signals.drop, signals.game_drop].map(|drop| drop.0.clamp(-params.max_rise, params.max_drop));
    (1.0 + f64::from(drop * params.trend + game_drop * params.game_trend) / 1000.0).max(0.0)
}

/// Returns the factor for disagreement of the helpers, which indicates an open choice.
pub fn disagreement_factor(disagreement: Permille, params: &TimeParams) -> f64 {
    1.0 + f64::from(disagreement.0.min(1000)) / 1000.0 * f64::from(params.disagreement) / 100.0
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Parameters that give every term an effect. Tests of those in play are in `search::timing`.
    const PARAMS: TimeParams = TimeParams {
        moves: 24,
        moves_decay: 34,
        min_moves: 8,
        increment: 75,
        soft: 65,
        hard: 400,
        hard_share: 40,
        share_base: 190,
        share_slope: 140,
        stability_base: 130,
        stability_step: 6,
        stability_max: 8,
        trend: 8,
        game_trend: 4,
        max_drop: 60,
        max_rise: 25,
        disagreement: 40,
        min_factor: 30,
        max_factor: 250,
    };

    fn clock(remaining: i64, increment: i64, moves_to_go: Option<u32>) -> Clock {
        Clock { remaining: Millis(remaining), increment: Millis(increment), moves_to_go, move_number: 1 }
    }

    #[test]
    fn pondering_extends_the_soft_limit_within_the_hard_limit() {
        let budget = plan(clock(60_000, 0, None), Millis(10), &PARAMS);
        let longer = budget.for_pondering();
        assert!(longer.soft > budget.soft && longer.soft <= longer.hard && longer.hard == budget.hard);
        let last = Budget { soft: budget.hard, hard: budget.hard };
        assert_eq!(last.for_pondering(), last);
    }

    #[test]
    fn hard_limit_and_what_is_left_after_it_fit_the_clock() {
        let last_move = clock(10_000, 0, Some(1));
        let budget = plan(last_move, Millis(10), &PARAMS);
        let left = left_after(last_move, Millis(10), budget.hard);
        assert_eq!(budget.hard + left, Duration::from_millis(10_000 - 10 - SAFETY.unsigned_abs()));
        assert_eq!(left_after(clock(5, 0, None), Millis(10), budget.hard), Duration::ZERO);
    }

    #[test]
    fn budget_never_exceeds_the_remaining_time() {
        for remaining in [i64::MIN, -500, 0, 1, 20, 100, 1_000, 60_000, 10_000_000, i64::MAX] {
            for increment in [-3, 0, 10, 1_000, 100_000, 1_000_000_000_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    for overhead in [0, 20, 5_000] {
                        let budget =
                            plan(clock(remaining, increment, moves_to_go), Millis(overhead), &PARAMS);
                        let left = remaining.saturating_sub(overhead + SAFETY).max(1) as u128;
                        assert!(budget.soft <= budget.hard);
                        assert!(
                            budget.hard.as_millis() <= left,
                            "{remaining} {increment} {moves_to_go:?} {budget:?}"
                        );
                        assert!(budget.soft.as_micros() >= LEAST as u128);
                    }
                }
            }
        }
    }

    #[test]
    fn node_clock_converts_nodes_and_time() {
        let node_clock = NodeClock::new(400).expect("not 0");
        assert_eq!(node_clock.time(Nodes(1_000_000)), Duration::from_millis(2500));
        assert_eq!(node_clock.nodes(Duration::from_millis(2500)), Nodes(1_000_000));
        assert_eq!(node_clock.nodes(Duration::from_micros(100)), Nodes(40));
        assert_eq!(
            (node_clock.nodes(Duration::MAX), node_clock.time(Nodes::default())),
            (Nodes(u64::MAX), Duration::ZERO)
        );
        assert_eq!(NodeClock::new(1).expect("not 0").time(Nodes(u64::MAX)), Duration::from_micros(u64::MAX));
        assert_eq!(NodeClock::new(0), None);
    }

    #[test]
    fn short_searches_use_no_helpers() {
        assert!(!is_long_enough_for_helpers(plan(clock(40, 10, None), Millis(10), &PARAMS).hard));
        assert!(is_long_enough_for_helpers(plan(clock(1_000, 10, None), Millis(10), &PARAMS).hard));
    }

    #[test]
    fn more_clock_time_gives_a_larger_budget() {
        let soft =
            |remaining, increment, moves| plan(clock(remaining, increment, moves), Millis(20), &PARAMS).soft;
        assert!(soft(10_000, 0, None) < soft(60_000, 0, None));
        assert!(soft(10_000, 0, None) < soft(10_000, 1_000, None));
        assert!(soft(10_000, 0, None) < soft(10_000, 0, Some(2)));
    }

    #[test]
    fn later_moves_may_use_a_larger_share_of_the_clock() {
        let soft = |move_number, increment, moves_to_go| {
            let clock = Clock { move_number, ..clock(10_000, increment, moves_to_go) };
            plan(clock, Millis(10), &PARAMS).soft
        };
        let gaining = |move_number| soft(move_number, 100, None);
        assert!(gaining(1) < gaining(20) && gaining(20) < gaining(40));
        assert_eq!(gaining(100), gaining(u16::MAX), "not below the smallest number of moves");
        assert_eq!(soft(1, 0, None), soft(40, 0, None), "without increments the clock lasts for any game");
        assert_eq!(soft(1, 100, Some(20)), soft(40, 100, Some(20)), "a time control states the moves");
    }

    fn signals(best_share: u16, stable: u32, drop: i32) -> Signals {
        Signals { best_share: Permille(best_share), stable, drop: Score(drop), ..Signals::default() }
    }

    #[test]
    fn uncertainty_increases_the_time() {
        let of = |share, stable, drop| scale(signals(share, stable, drop), &PARAMS);
        assert!(of(900, 5, 0) < of(400, 5, 0), "nodes are spread");
        assert!(of(600, 8, 0) < of(600, 0, 0), "the move has changed");
        assert!(of(600, 5, 0) < of(600, 5, 40), "the score falls");
        assert!(of(600, 5, -10) < of(600, 5, 0), "it rises");
        let since_last_move = Signals { game_drop: Score(40), ..signals(600, 5, 0) };
        assert!(of(600, 5, 0) < scale(since_last_move, &PARAMS), "it is below that of the last move");
        let disagreement =
            |share| scale(Signals { disagreement: Permille(share), ..signals(600, 5, 0) }, &PARAMS);
        assert!(
            disagreement(0) < disagreement(300) && disagreement(300) < disagreement(1000),
            "helpers disagree"
        );
        // A typical position gets about the planned time.
        assert!((0.9..1.1).contains(&of(650, 4, 0)), "{}", of(650, 4, 0));
        for share in [0, 500, 1000, u16::MAX] {
            for stable in [0, 3, u32::MAX] {
                for drop in [-64_000, 0, 64_000] {
                    assert!((0.3..=2.5).contains(&of(share, stable, drop)));
                }
            }
        }
    }

    #[test]
    fn stretched_soft_limit_never_exceeds_the_hard_limit() {
        for remaining in [1, 30, 200, 5_000, 100_000] {
            let budget = plan(clock(remaining, 10, None), Millis(10), &PARAMS);
            assert!(stretch(budget, signals(0, 0, 500), &PARAMS) <= budget.hard);
            assert!(stretch(budget, signals(1000, 20, -500), &PARAMS) < budget.soft);
        }
    }
}
