//! Time management: when to start no further iteration.
//!
//! Bet: an easy choice shows in the share of nodes spent on the best move, in how long it has been
//! best, and in a stable score. The time saved is worth more in a hard position.
//! Preconditions: a clock; the main worker asks after each completed iteration.
//! Soundness: timing only, scores do not change.
//! Knobs: `Time*`. Source: see `time`, which has the arithmetic.
//! Evidence: `results/search.md`, "Groups" and "The clock".

use std::time::Duration;

use super::context::Search;
use super::params::Tunable;
use super::root_moves::RootMove;
use super::switches::{Toggles, on};
use crate::time::{self, Budget, Signals, TimeParams};
use crate::types::{Depth, Move, Permille, Score};

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
        trend: toggles.value(Tunable::TimeTrend),
        game_trend: toggles.value(Tunable::TimeGameTrend),
        max_drop: toggles.value(Tunable::TimeTrendMaxDrop),
        max_rise: toggles.value(Tunable::TimeTrendMaxRise),
        disagreement: toggles.value(Tunable::TimeDisagreement),
        min_factor: toggles.value(Tunable::TimeFactorMin),
        max_factor: toggles.value(Tunable::TimeFactorMax),
    }
}

/// Returns the time after which no further iteration starts.
pub fn soft_limit(toggles: impl Toggles, budget: Budget, signals: Signals) -> Duration {
    if on!(toggles, TimeManagement) {
        time::stretch(budget, signals, &time_params(toggles))
    } else {
        budget.soft
    }
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
    /// The score of the game's last search.
    last_score: Option<Score>,
}

impl RootStability {
    /// Creates the state of a search. `last_score` is that of the game's last search.
    pub(crate) fn after(last_score: Option<Score>) -> Self {
        Self { last_score, ..Self::default() }
    }

    /// Records a completed iteration and returns its score; the best root move comes first.
    pub(crate) fn note(&mut self, toggles: impl Toggles, root_moves: &[RootMove]) -> Option<Score> {
        let best = root_moves.first()?;
        let is_same = self.best == Some(best.mv);
        let score = best.current.score.clamp_to_eval();
        let average = self.average.unwrap_or(score);
        let nodes: u64 = root_moves.iter().map(|root_move| root_move.nodes).sum();
        self.best = Some(best.mv);
        self.signals = Signals {
            best_share: Permille((best.nodes * 1000 / nodes.max(1)) as u16),
            stable: if is_same { self.signals.stable + 1 } else { 0 },
            drop: average - score,
            game_drop: self.last_score.map_or(Score::DRAW, |last| last - score),
            disagreement: Permille(0),
        };
        self.average = Some(average_score(toggles, average, score));
        Some(score)
    }

    /// Returns the signals of the iterations so far.
    pub(crate) fn signals(&self) -> Signals {
        self.signals
    }
}

impl<T: Toggles> Search<'_, T> {
    /// Whether the main worker may stop after a completed iteration.
    pub(crate) fn is_time_to_stop(&self, stability: &RootStability) -> bool {
        let limits = &self.job.limits;
        // A mate within the limit, for either side, ends the search.
        let best = &self.worker.root_moves[0];
        let mate = best.reported_score(best.current.score, best.current.bound).0.mate_moves();
        if mate.zip(limits.mate).is_some_and(|(found, asked)| found.unsigned_abs() <= asked) {
            return true;
        }
        if limits.soft_nodes.is_some_and(|soft| self.job.nodes() >= soft) {
            return true;
        }
        let Some(budget) = self.job.budget else { return false };
        let has_no_choice = self.worker.root_moves.len() == 1 || self.job.tb_config.is_mate_distance_known;
        let is_forced = has_no_choice && !self.job.is_analysis;
        let limit = if is_forced {
            Duration::ZERO
        } else {
            let signals = Signals { disagreement: self.disagreement(), ..stability.signals() };
            soft_limit(self.toggles, budget, signals)
        };
        // Also set while pondering, for a ponder hit to compare with. One that comes at this moment
        // may take effect after the next iteration.
        self.job.soft_limit.set(limit);
        !self.job.control.is_pondering() && self.job.spent() >= limit
    }

    /// Returns the share of helpers that prefer another move than the main worker.
    pub(crate) fn disagreement(&self) -> Permille {
        let best = self.worker.root_moves[0].mv;
        if !self.job.teamwork.extends_on_disagreement {
            return Permille(0);
        }
        let helpers = (1..self.job.counters.len()).filter_map(|helper| self.job.results.ballot_of(helper));
        let (others, all) = helpers
            .filter(|ballot| ballot.depth > Depth::ZERO)
            .fold((0, 0), |(others, all), ballot| (others + usize::from(ballot.mv != best), all + 1));
        Permille((others * 1000 / all.max(1)) as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::root_moves::RootResult;
    use crate::search::switches::Fixed;
    use crate::tablebase::RankedMove;
    use crate::time::Clock;
    use crate::types::{Bound, Millis, Square};

    fn root_move(to: usize, score: i32, nodes: u64) -> RootMove {
        let current = RootResult::without_line(Score(score), Bound::Exact, Depth(1));
        let mv = Move::normal(Square::from_index(0), Square::from_index(to));
        let ranked = RankedMove { mv, rank: 0, score: None };
        RootMove { current: current.clone(), previous: current, nodes, ..RootMove::new(&ranked) }
    }

    fn signals(best_share: u16, stable: u32, drop: i32) -> Signals {
        Signals { best_share: Permille(best_share), stable, drop: Score(drop), ..Signals::default() }
    }

    #[test]
    fn signals_follow_node_share_stability_and_score_trend() {
        let mut stability = RootStability::default();
        assert_eq!(stability.note(Fixed, &[]), None);
        assert_eq!(stability.signals(), Signals::default());
        stability.note(Fixed, &[root_move(1, 40, 30), root_move(2, 0, 10)]);
        assert_eq!(stability.signals(), signals(750, 0, 0));
        stability.note(Fixed, &[root_move(1, 20, 300), root_move(2, 0, 100)]);
        assert_eq!(stability.signals(), signals(750, 1, 20));
        // The average has come down to 35.
        assert_eq!(stability.note(Fixed, &[root_move(2, 45, 500), root_move(1, 20, 500)]), Some(Score(45)));
        assert_eq!(stability.signals(), signals(500, 0, -10));
    }

    #[test]
    fn signals_compare_the_score_with_the_last_search() {
        let mut stability = RootStability::after(Some(Score(70)));
        stability.note(Fixed, &[root_move(1, 40, 30)]);
        assert_eq!(stability.signals(), Signals { game_drop: Score(30), ..signals(1000, 0, 0) });
    }

    /// A time control and the costs per move of a game simulated with the parameters in play.
    struct Game {
        base: i64,
        increment: i64,
        control: Option<u32>,
        overhead: i64,
        /// Actual time lost per move besides thinking. Units: microseconds.
        lag: i64,
    }

    /// The end of the last iteration between soft and hard limit. Iterations double in length, so
    /// on average a search ends at 1.4 times the soft limit.
    #[derive(Clone, Copy)]
    enum Luck {
        Average,
        /// Every fourth move uses its hard limit.
        Bad,
        /// Every move uses its hard limit.
        Worst,
    }

    impl Game {
        /// Simulates a game and returns the clock after each move, until it runs out. Units:
        /// microseconds.
        fn play(&self, moves: usize, luck: Luck) -> Vec<i64> {
            let mut remaining = self.base * 1000;
            let mut clocks = Vec::new();
            for number in 0..moves {
                let to_go = self.control.map(|moves| moves - number as u32 % moves);
                let clock = Clock {
                    remaining: Millis(remaining / 1000),
                    increment: Millis(self.increment),
                    moves_to_go: to_go,
                    move_number: 1 + number as u16,
                };
                let budget = time::plan(clock, Millis(self.overhead), &time_params(Fixed));
                let is_hard = match luck {
                    Luck::Average => false,
                    Luck::Bad => number % 4 == 3,
                    Luck::Worst => true,
                };
                let average = budget.soft.mul_f64(1.4).min(budget.hard);
                let spent = if is_hard { budget.hard } else { average };
                remaining -= spent.as_micros() as i64 + self.lag;
                clocks.push(remaining);
                if remaining <= 0 {
                    break;
                }
                remaining += self.increment * 1000;
                if to_go == Some(1) {
                    remaining += self.base * 1000;
                }
            }
            clocks
        }
    }

    const SUDDEN: Option<u32> = None;

    fn game(base: i64, increment: i64, control: Option<u32>, overhead: i64, lag: i64) -> Game {
        Game { base, increment, control, overhead, lag: lag * 1000 }
    }

    #[test]
    fn no_simulated_game_is_lost_on_time() {
        // The full overhead is lost on every move.
        for game in [
            game(1_000, 10, SUDDEN, 10, 10),
            game(10_000, 0, SUDDEN, 10, 10),
            game(5_000, 50, SUDDEN, 10, 10),
            game(5_000, 50, SUDDEN, 50, 50),
            game(60_000, 0, SUDDEN, 10, 10),
            game(60_000, 0, SUDDEN, 50, 50),
            game(60_000, 0, Some(40), 10, 10),
            game(60_000, 0, Some(40), 300, 300),
        ] {
            let clocks = game.play(150, Luck::Average);
            assert_eq!(clocks.len(), 150, "{} + {}: {clocks:?}", game.base, game.increment);
            assert!(clocks.iter().all(|&clock| clock > 0), "{} + {}", game.base, game.increment);
        }
        // All iterations end as late as possible, with little actual lag.
        for game in [
            game(1_000, 10, SUDDEN, 10, 1),
            game(5_000, 50, SUDDEN, 10, 1),
            game(60_000, 0, Some(40), 10, 1),
            game(1_000, 10, SUDDEN, 30, 5),
        ] {
            for luck in [Luck::Bad, Luck::Worst] {
                let clocks = game.play(400, luck);
                let least = clocks.iter().min().copied().unwrap_or_default();
                assert!(least > time::SAFETY * 1000, "{} + {}: {least}", game.base, game.increment);
            }
        }
    }

    #[test]
    fn games_of_usual_length_use_most_of_the_clock() {
        for (game, share) in [
            (game(1_000, 10, SUDDEN, 10, 1), 40),
            (game(2_000, 20, SUDDEN, 10, 1), 15),
            (game(5_000, 50, SUDDEN, 10, 1), 12),
            (game(10_000, 0, SUDDEN, 10, 1), 25),
            (game(60_000, 0, SUDDEN, 10, 1), 20),
            (game(60_000, 600, SUDDEN, 10, 1), 12),
        ] {
            let clocks = game.play(60, Luck::Average);
            let left = clocks[59] / (game.base * 10);
            assert!(left < share, "{left} percent left of {} + {}", game.base, game.increment);
        }
        // Before a time control the whole clock may be used.
        let clocks = game(60_000, 0, Some(40), 10, 1).play(120, Luck::Average);
        assert!(clocks[39] < 2_000_000 && clocks[119] < 2_000_000, "{} {}", clocks[39], clocks[119]);
    }

    #[test]
    fn new_best_move_resets_the_stability() {
        let mut stability = RootStability::default();
        let mut note = |best: usize| {
            stability.note(Fixed, &[root_move(best, 0, 1)]);
            stability.signals().stable
        };
        assert_eq!([1, 1, 1, 1, 2, 2, 1].map(&mut note), [0, 1, 2, 3, 0, 1, 0]);
    }

    #[test]
    fn disagreement_lengthens_the_search_and_agreement_shortens_it() {
        let budget = Budget { soft: Duration::from_secs(1), hard: Duration::from_secs(100) };
        let limit = |disagreement| {
            soft_limit(Fixed, budget, Signals { disagreement: Permille(disagreement), ..signals(700, 2, 0) })
        };
        assert!(limit(0) < limit(300) && limit(300) < limit(1000));
    }
}
