//! The soft limit between iterations: when to start no further one.
//!
//! Bet: an easy choice shows in the share of nodes spent on the best move, in how long it has been
//! best, and in a stable score. The time saved is worth more in a hard position.
//! Preconditions: a clock; the main worker asks after each completed iteration.
//! Soundness: timing only, scores do not change.
//! Knobs: `Time*`.
//! Sources: the share of nodes spent on the best move is from Ethereal and others; stability and score
//! trend are common practice.
//! Evidence: `results/search.md`, "Groups" and "The clock".

use std::time::Duration;

use super::budget::Budget;
use crate::search::params::Tunable;
use crate::search::root_moves::RootMove;
use crate::search::switches::{Toggles, on};
use crate::types::{Move, Permille, Score};

/// Observations of completed iterations that indicate how settled the choice of the move is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signals {
    /// Share of the nodes spent on the best move.
    pub best_share: Permille,
    /// Number of consecutive iterations with the same best move.
    pub stable: u32,
    /// Drop of the score below its recent average; negative for a rise.
    pub drop: Score,
    /// Share of the helpers that prefer another move; zero without helpers.
    pub disagreement: Permille,
}

/// Returns the time after which no further iteration starts.
pub fn soft_limit(toggles: impl Toggles, budget: Budget, signals: Signals) -> Duration {
    if on!(toggles, TimeManagement) { stretch(budget, signals, toggles) } else { budget.soft }
}

/// Returns the moving average of the root scores after an iteration with `score`.
pub fn average_score(toggles: impl Toggles, average: Score, score: Score) -> Score {
    average + (score - average).0 / toggles.value(Tunable::TimeScoreMemory)
}

/// The stability of the best root move and its score over the iterations.
#[derive(Debug, Default)]
pub(crate) struct RootStability {
    best: Option<Move>,
    signals: Signals,
    average: Option<Score>,
}

impl RootStability {
    /// Records a completed iteration; the best root move comes first.
    pub(crate) fn note(&mut self, toggles: impl Toggles, root_moves: &[RootMove]) {
        let Some(best) = root_moves.first() else { return };
        let is_same = self.best == Some(best.mv);
        let score = best.current.score.clamp_to_eval();
        let average = self.average.unwrap_or(score);
        let nodes: u64 = root_moves.iter().map(|root_move| root_move.nodes).sum();
        self.best = Some(best.mv);
        self.signals = Signals {
            best_share: Permille((best.nodes * 1000 / nodes.max(1)) as u16),
            stable: if is_same { self.signals.stable + 1 } else { 0 },
            drop: average - score,
            disagreement: Permille(0),
        };
        self.average = Some(average_score(toggles, average, score));
    }

    /// Returns the signals of the iterations so far.
    pub(crate) fn signals(&self) -> Signals {
        self.signals
    }
}

/// Returns the soft limit after an iteration: the budget's scaled by [`scale`], at most the hard
/// limit.
pub(super) fn stretch(budget: Budget, signals: Signals, toggles: impl Toggles) -> Duration {
    budget.soft.mul_f64(scale(signals, toggles)).min(budget.hard)
}

/// Returns the factor of the soft limit for these observations. Range: `TimeFactorMin` to
/// `TimeFactorMax`.
pub(super) fn scale(signals: Signals, toggles: impl Toggles) -> f64 {
    let factor = share_factor(signals.best_share, toggles)
        * stability_factor(signals.stable, toggles)
        * trend_factor(signals.drop, toggles)
        * disagreement_factor(signals.disagreement, toggles);
    let [least, most] = [Tunable::TimeFactorMin, Tunable::TimeFactorMax].map(|one| number(toggles, one));
    factor.clamp(least / 100.0, most / 100.0)
}

fn number(toggles: impl Toggles, tunable: Tunable) -> f64 {
    toggles.value(tunable).into()
}

/// Returns the factor for the share of nodes spent on the best move. A large share means that the
/// other moves were easily refuted, so more time would change nothing.
fn share_factor(best_share: Permille, toggles: impl Toggles) -> f64 {
    let share = f64::from(best_share.0.min(1000)) / 1000.0;
    let [base, slope] = [Tunable::TimeShareBase, Tunable::TimeShareSlope].map(|one| number(toggles, one));
    ((base - slope * share) / 100.0).max(0.0)
}

/// Returns the factor for the stability of the best move. A stable move is unlikely to change.
fn stability_factor(stable: u32, toggles: impl Toggles) -> f64 {
    let iterations = i32::try_from(stable).unwrap_or(i32::MAX).min(toggles.value(Tunable::TimeStabilityMax));
    let decrease = toggles.value(Tunable::TimeStabilityStep) * iterations;
    (f64::from(toggles.value(Tunable::TimeStabilityBase) - decrease) / 100.0).max(0.0)
}

/// Returns the factor for the score trend. A falling score justifies more time.
fn trend_factor(drop: Score, toggles: impl Toggles) -> f64 {
    let [max_rise, max_drop] =
        [Tunable::TimeTrendMaxRise, Tunable::TimeTrendMaxDrop].map(|one| toggles.value(one));
    let increase = drop.0.clamp(-max_rise, max_drop) * toggles.value(Tunable::TimeTrend);
    (1.0 + f64::from(increase) / 1000.0).max(0.0)
}

/// Returns the factor for disagreement of the helpers, which indicates an open choice.
fn disagreement_factor(disagreement: Permille, toggles: impl Toggles) -> f64 {
    1.0 + f64::from(disagreement.0.min(1000)) / 1000.0 * number(toggles, Tunable::TimeDisagreement) / 100.0
}
