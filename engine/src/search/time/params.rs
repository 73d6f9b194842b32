//! The parameters of time management.

use crate::search::params::Tunable;
use crate::search::switches::Toggles;

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
    /// Increase of the factor for a change of the best move, half of it after each further iteration.
    /// Units: percent.
    pub changes: i32,
    /// Factor if the best move takes the piece that has just captured. Units: percent.
    pub recapture: i32,
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

/// Returns the parameters of the time plan.
pub fn time_params(toggles: impl Toggles) -> TimeParams {
    TimeParams {
        moves: toggles.value(Tunable::TimeMoves),
        moves_decay: toggles.value(Tunable::TimeMovesDecay),
        min_moves: toggles.value(Tunable::TimeMovesMin),
        increment: toggles.value(Tunable::TimeIncrement),
        soft: toggles.value(Tunable::TimeSoft),
        hard: toggles.value(Tunable::TimeHard),
        hard_share: toggles.value(Tunable::TimeHardShare),
        share_base: toggles.value(Tunable::TimeShareBase),
        share_slope: toggles.value(Tunable::TimeShareSlope),
        stability_base: toggles.value(Tunable::TimeStabilityBase),
        stability_step: toggles.value(Tunable::TimeStabilityStep),
        stability_max: toggles.value(Tunable::TimeStabilityMax),
        changes: toggles.value(Tunable::TimeChanges),
        recapture: toggles.value(Tunable::TimeRecapture),
        trend: toggles.value(Tunable::TimeTrend),
        game_trend: toggles.value(Tunable::TimeGameTrend),
        max_drop: toggles.value(Tunable::TimeTrendMaxDrop),
        max_rise: toggles.value(Tunable::TimeTrendMaxRise),
        disagreement: toggles.value(Tunable::TimeDisagreement),
        min_factor: toggles.value(Tunable::TimeFactorMin),
        max_factor: toggles.value(Tunable::TimeFactorMax),
    }
}
