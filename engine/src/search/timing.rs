//! When the search has thought enough: what the iterations say, turned into a soft limit.
//!
//! Bet: an easy choice shows in the search itself, by where its nodes go, by how long the best move has been best,
//! and by a score that holds; what it saves is worth more in a hard one.
//! Preconditions: a clock to plan with; the main worker asks after each completed iteration.
//! Soundness: timing, it never touches a score. Knobs: `Time...`. Source: see `time`, which has the arithmetic.
//! Evidence: `results/search.md`.

use std::time::Duration;

use super::params::Tunable;
use super::switches::{Toggles, on};
use super::worker::RootMove;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::time::{self, Budget, Signals, Temper};
use crate::types::{Move, Permille, Score};

/// The tunables of a plan.
pub fn temper(toggles: impl Toggles) -> Temper {
    Temper {
        moves: toggles.value(Tunable::TimeMoves),
        increment: toggles.value(Tunable::TimeIncrement),
        soft: toggles.value(Tunable::TimeSoft),
        hard: toggles.value(Tunable::TimeHard),
        share_base: toggles.value(Tunable::TimeShareBase),
        share_slope: toggles.value(Tunable::TimeShareSlope),
        stability_base: toggles.value(Tunable::TimeStabilityBase),
        stability_step: toggles.value(Tunable::TimeStabilityStep),
        trend: toggles.value(Tunable::TimeTrend),
        dissent: toggles.value(Tunable::TimeDissent),
    }
}

/// After how long no further iteration is started.
pub fn soft_limit(toggles: impl Toggles, budget: Budget, signals: Signals) -> Duration {
    if on!(toggles, TimeManagement) { time::stretch(budget, signals, &temper(toggles)) } else { budget.soft }
}

/// A score of an iteration has this weight in the average of its predecessors, as one in so many.
const MEMORY: i32 = 4;

/// How the choice at the root has gone so far.
#[derive(Debug, Default)]
pub(crate) struct Course {
    best: Option<Move>,
    signals: Signals,
    average: Option<Score>,
}

impl Course {
    /// Takes in a completed iteration, the best move first.
    pub(crate) fn note(&mut self, root_moves: &[RootMove]) {
        let Some(best) = root_moves.first() else { return };
        let is_same = self.best == Some(best.mv);
        let score = best.known.score.clamp_to_eval();
        let average = self.average.unwrap_or(score);
        let nodes: u64 = root_moves.iter().map(|root_move| root_move.nodes).sum();
        self.best = Some(best.mv);
        self.signals = Signals {
            best_share: Permille((best.nodes * 1000 / nodes.max(1)) as u16),
            stable: if is_same { self.signals.stable + 1 } else { 0 },
            drop: average - score,
            dissent: Permille(0),
        };
        self.average = Some(Score(average.0 + (score.0 - average.0) / MEMORY));
    }

    /// What it says.
    pub(crate) fn signals(&self) -> Signals {
        self.signals
    }
}

/// The soft limit as it stands, for whoever hears the opponent's reply while the search runs.
#[derive(Debug)]
pub struct SoftLimit(AtomicU64);

impl SoftLimit {
    /// The limit as planned.
    pub fn new(limit: Duration) -> Self {
        Self(AtomicU64::new(micros(limit)))
    }

    /// Sets it anew. Relaxed: a value of its own, nothing is ordered by it.
    pub(crate) fn set(&self, limit: Duration) {
        self.0.store(micros(limit), Ordering::Relaxed);
    }

    /// The last one set.
    pub fn limit(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::Relaxed))
    }
}

fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::worker::Known;
    use crate::tablebase::RankedMove;
    use crate::types::{Bound, Square};

    fn root_move(to: usize, score: i32, nodes: u64) -> RootMove {
        let known = Known { score: Score(score), bound: Bound::Exact };
        let mv = Move::normal(Square::from_index(0), Square::from_index(to));
        RootMove { known, previous: known, nodes, ..RootMove::new(&RankedMove { mv, rank: 0, score: None }) }
    }

    fn signals(best_share: u16, stable: u32, drop: i32) -> Signals {
        Signals { best_share: Permille(best_share), stable, drop: Score(drop), dissent: Permille(0) }
    }

    #[test]
    fn a_course_tells_share_stability_and_trend() {
        let mut course = Course::default();
        course.note(&[]);
        assert_eq!(course.signals(), Signals::default());
        course.note(&[root_move(1, 40, 30), root_move(2, 0, 10)]);
        assert_eq!(course.signals(), signals(750, 0, 0));
        course.note(&[root_move(1, 20, 300), root_move(2, 0, 100)]);
        assert_eq!(course.signals(), signals(750, 1, 20));
        // The average has come down to 35.
        course.note(&[root_move(2, 45, 500), root_move(1, 20, 500)]);
        assert_eq!(course.signals(), signals(500, 0, -10));
    }

    #[test]
    fn a_soft_limit_is_read_as_set() {
        let limit = SoftLimit::new(Duration::from_millis(70));
        assert_eq!(limit.limit(), Duration::from_millis(70));
        limit.set(Duration::MAX);
        limit.set(Duration::from_micros(1500));
        assert_eq!(limit.limit(), Duration::from_micros(1500));
    }
}
