//! How long to think: from the clock a `go` names to a budget, and from what the iterations show to more or less.
//!
//! Pure functions of their arguments. The plan is made once, before the search; the main worker asks between
//! iterations how far to stretch its soft limit. The hard one is the alarm of `threads::timekeeper`.
//!
//! Sources: a reserve for the overhead of the moves to come is in Stockfish; the share of nodes spent on the best
//! move is from Ethereal and others; stability and trend of the choice are common to the field.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::types::{Millis, Nodes, Permille, Score};

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
    /// Start no further iteration after this, as the plan has it; [`scale`] says what the search makes of it.
    pub soft: Duration,
    /// Stop whatever is being searched at this.
    pub hard: Duration,
}

/// How much longer the soft limit is for those who think on the opponent's time as well. Units: percent.
const BESIDE_PONDERING: u32 = 125;

impl Budget {
    /// For an engine that ponders: what it thinks on the opponent's time is not taken from its clock, and a move that it
    /// foresaw is often answered at once.
    pub fn beside_pondering(self) -> Self {
        Self { soft: (self.soft * BESIDE_PONDERING / 100).min(self.hard), ..self }
    }
}

/// How fast a clock runs that counts nodes, so that what is played on it does not depend on the machine or on what else
/// it does: one thread plays the same game again. Idea: the option `nodestime` of Stockfish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace(NonZeroU32);

impl Pace {
    /// So many nodes, of all threads together, are a millisecond; `None` for 0.
    pub fn new(nodes_per_millisecond: u32) -> Option<Self> {
        NonZeroU32::new(nodes_per_millisecond).map(Self)
    }

    /// What `nodes` take.
    pub fn time(self, nodes: Nodes) -> Duration {
        let micros = u128::from(nodes.0) * 1000 / u128::from(self.0.get());
        Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
    }

    /// The nodes of `time`.
    pub fn nodes(self, time: Duration) -> Nodes {
        let nodes = time.as_micros().saturating_mul(self.0.get().into()) / 1000;
        Nodes(u64::try_from(nodes).unwrap_or(u64::MAX))
    }
}

/// The numbers a plan is made with, each the search's tunable of the same meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Temper {
    /// A sudden-death game is planned for so many moves more. Range: at least 1.
    pub moves: i32,
    /// Share of the increment that is spent at once. Units: percent.
    pub increment: i32,
    /// Share of the move's fair part of the clock after which no iteration is started. Units: percent.
    pub soft: i32,
    /// The hard limit, measured by the fair part. Units: percent.
    pub hard: i32,
    /// The factor where no node was spent on the best move. Units: percent.
    pub share_base: i32,
    /// What it loses until all nodes were. Units: percent.
    pub share_slope: i32,
    /// The factor where the best move has just changed. Units: percent.
    pub stability_base: i32,
    /// What it loses with each iteration that keeps the move. Units: percent.
    pub stability_step: i32,
    /// What the factor gains with each centipawn that the score has fallen. Units: permille per centipawn.
    pub trend: i32,
    /// What the factor gains where every helper prefers another move. Units: percent.
    pub dissent: i32,
}

/// What the completed iterations say about the choice of a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signals {
    /// Share of the nodes that the best move took.
    pub best_share: Permille,
    /// Iterations in a row that have kept the best move.
    pub stable: u32,
    /// How far the score lies below its recent average; negative where it rises.
    pub drop: Score,
    /// Share of the helpers that would play another move; zero without helpers.
    pub dissent: Permille,
}

/// A clock is taken to show no more than this, some thirty years. Units: ms.
const LONGEST_CLOCK: i64 = 1_000_000_000_000;
/// The most moves to the next control that are planned for.
const MAX_MOVES_TO_GO: i64 = 40;
/// Never planned with: a process that is not run for so long does not lose the game. Units: ms.
const SAFETY: i64 = 20;
/// The overhead of so many moves to come is set aside, as far as increments do not pay for it.
const RESERVED_MOVES: i64 = 80;
/// But no more than this share of the clock, which would stop all thought. Units: percent.
const RESERVE_SHARE: i64 = 75;
/// The hard limit is at most this share of what is left. Units: percent.
const HARD_SHARE: i64 = 40;
/// The same for the last move before a control, which needs nothing afterwards. Units: percent.
const LAST_MOVE_SHARE: i64 = 90;
/// The least a budget gives; the first iteration is finished in any case. Units: microseconds.
const LEAST: i64 = 100;

/// The budget for one move.
///
/// `overhead` is what every move is expected to cost between us and the clock, in which nobody thinks. It is kept
/// back for this move, and, where increments are smaller, for many to come: without that a long game on a short
/// clock is lost by its sum.
pub fn plan(clock: Clock, overhead: Millis, temper: &Temper) -> Budget {
    let left = clock.remaining.0.saturating_sub(overhead.0 + SAFETY).clamp(1, LONGEST_CLOCK) * 1000;
    let moves = match clock.moves_to_go {
        Some(moves) => i64::from(moves).clamp(1, MAX_MOVES_TO_GO),
        None => i64::from(temper.moves).max(1),
    };
    let moves_after = clock.moves_to_go.map_or(RESERVED_MOVES, |moves| RESERVED_MOVES.min(moves.into()) - 1);
    // What a move gains or loses on the clock before anybody thinks.
    let net = (clock.increment.0.clamp(0, LONGEST_CLOCK) - overhead.0) * 1000;
    let reserve = ((-net).max(0) * moves_after.max(0)).min(percent(left, RESERVE_SHARE));
    let fair = (left - reserve) / moves + percent(net.clamp(0, left), temper.increment.into());
    let share = if moves == 1 { LAST_MOVE_SHARE } else { HARD_SHARE };
    let hard = percent(fair, temper.hard.into()).min(percent(left, share)).max(LEAST);
    let soft = percent(fair, temper.soft.into()).clamp(LEAST, hard);
    Budget { soft: Duration::from_micros(soft as u64), hard: Duration::from_micros(hard as u64) }
}

/// `share` percent of `whole`.
fn percent(whole: i64, share: i64) -> i64 {
    // Divided first where the product might not fit: such clocks need no exactness.
    if whole > LONGEST_CLOCK { whole / 100 * share } else { whole * share / 100 }
}

/// The soft limit after an iteration: that of the budget, stretched by [`scale`], and never beyond the hard one.
pub fn stretch(budget: Budget, signals: Signals, temper: &Temper) -> Duration {
    budget.soft.mul_f64(scale(signals, temper)).min(budget.hard)
}

/// How much more, or less, than planned a position deserves. Range: 0.3 to 2.5.
pub fn scale(signals: Signals, temper: &Temper) -> f64 {
    let factor = share_factor(signals.best_share, temper)
        * stability_factor(signals.stable, temper)
        * trend_factor(signals.drop, temper)
        * dissent_factor(signals.dissent, temper);
    factor.clamp(0.3, 2.5)
}

/// Where nearly all nodes go to one move, the others are refuted at a glance, and more time changes nothing.
pub fn share_factor(best_share: Permille, temper: &Temper) -> f64 {
    let share = f64::from(best_share.0.min(1000)) / 1000.0;
    ((f64::from(temper.share_base) - f64::from(temper.share_slope) * share) / 100.0).max(0.0)
}

/// Iterations beyond this say nothing new about the stability of a choice.
const STABLE_ENOUGH: u32 = 8;

/// A move that stays best from iteration to iteration will most likely stay so in the next.
pub fn stability_factor(stable: u32, temper: &Temper) -> f64 {
    let iterations = stable.min(STABLE_ENOUGH) as i32;
    (f64::from(temper.stability_base - temper.stability_step * iterations) / 100.0).max(0.0)
}

/// A drop beyond this is a blunder found out or a mate: more time has its limits. Units: centipawns.
const LARGEST_DROP: i32 = 60;
/// A rise counts up to here only: good news may be wrong too. Units: centipawns.
const LARGEST_RISE: i32 = 25;

/// A falling score means trouble, and time to look for a way out.
pub fn trend_factor(drop: Score, temper: &Temper) -> f64 {
    let drop = drop.0.clamp(-LARGEST_RISE, LARGEST_DROP);
    (1.0 + f64::from(drop * temper.trend) / 1000.0).max(0.0)
}

/// Where helpers came to another move, the question is open.
pub fn dissent_factor(dissent: Permille, temper: &Temper) -> f64 {
    1.0 + f64::from(dissent.0.min(1000)) / 1000.0 * f64::from(temper.dissent) / 100.0
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

    const TEMPER: Temper = Temper {
        moves: 24,
        increment: 75,
        soft: 65,
        hard: 400,
        share_base: 190,
        share_slope: 140,
        stability_base: 130,
        stability_step: 6,
        trend: 8,
        dissent: 40,
    };

    fn clock(remaining: i64, increment: i64, moves_to_go: Option<u32>) -> Clock {
        Clock { remaining: Millis(remaining), increment: Millis(increment), moves_to_go }
    }

    #[test]
    fn who_ponders_may_take_longer() {
        let budget = plan(clock(60_000, 0, None), Millis(10), &TEMPER);
        let longer = budget.beside_pondering();
        assert!(longer.soft > budget.soft && longer.soft <= longer.hard && longer.hard == budget.hard);
        let last = Budget { soft: budget.hard, hard: budget.hard };
        assert_eq!(last.beside_pondering(), last);
    }

    #[test]
    fn never_more_than_is_left() {
        for remaining in [i64::MIN, -500, 0, 1, 20, 100, 1_000, 60_000, 10_000_000, i64::MAX] {
            for increment in [-3, 0, 10, 1_000, 100_000, 1_000_000_000_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    for overhead in [0, 20, 5_000] {
                        let budget =
                            plan(clock(remaining, increment, moves_to_go), Millis(overhead), &TEMPER);
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
    fn nodes_are_time_and_time_is_nodes() {
        let pace = Pace::new(400).expect("not 0");
        assert_eq!(pace.time(Nodes(1_000_000)), Duration::from_millis(2500));
        assert_eq!(pace.nodes(Duration::from_millis(2500)), Nodes(1_000_000));
        assert_eq!(pace.nodes(Duration::from_micros(100)), Nodes(40));
        assert_eq!(
            (pace.nodes(Duration::MAX), pace.time(Nodes::default())),
            (Nodes(u64::MAX), Duration::ZERO)
        );
        assert_eq!(Pace::new(1).expect("not 0").time(Nodes(u64::MAX)), Duration::from_micros(u64::MAX));
        assert_eq!(Pace::new(0), None);
    }

    #[test]
    fn a_short_clock_is_searched_alone() {
        assert!(!is_worth_helpers(plan(clock(40, 10, None), Millis(10), &TEMPER).hard));
        assert!(is_worth_helpers(plan(clock(1_000, 10, None), Millis(10), &TEMPER).hard));
    }

    #[test]
    fn more_clock_is_more_time() {
        let soft =
            |remaining, increment, moves| plan(clock(remaining, increment, moves), Millis(20), &TEMPER).soft;
        assert!(soft(10_000, 0, None) < soft(60_000, 0, None));
        assert!(soft(10_000, 0, None) < soft(10_000, 1_000, None));
        assert!(soft(10_000, 0, None) < soft(10_000, 0, Some(2)));
    }

    /// A control, how a game on it is played, and what may be left after it.
    struct Game {
        base: i64,
        increment: i64,
        control: Option<u32>,
        overhead: i64,
        /// What a move really costs besides thought. Units: microseconds.
        lag: i64,
    }

    /// Where an iteration ends, between the soft limit and the hard one. Iterations grow by about two, so on
    /// average it ends at 1.4 times the soft limit.
    #[derive(Clone, Copy)]
    enum Luck {
        Average,
        /// Every fourth move runs into its hard limit.
        Bad,
        /// Each does.
        Worst,
    }

    impl Game {
        /// The clock after each move, in microseconds; ends where it has fallen.
        fn play(&self, moves: usize, luck: Luck) -> Vec<i64> {
            let mut remaining = self.base * 1000;
            let mut clocks = Vec::new();
            for number in 0..moves {
                let to_go = self.control.map(|moves| moves - number as u32 % moves);
                let clock = clock(remaining / 1000, self.increment, to_go);
                let budget = plan(clock, Millis(self.overhead), &TEMPER);
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
    fn no_game_is_lost_on_time() {
        // The overhead is spent on every one of many moves.
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
        // Iterations that all end as late as they may, on a quick machine.
        for game in [
            game(1_000, 10, SUDDEN, 10, 1),
            game(5_000, 50, SUDDEN, 10, 1),
            game(60_000, 0, Some(40), 10, 1),
            game(1_000, 10, SUDDEN, 30, 5),
        ] {
            for luck in [Luck::Bad, Luck::Worst] {
                let clocks = game.play(400, luck);
                let least = clocks.iter().min().copied().unwrap_or_default();
                assert!(least > SAFETY * 1000, "{} + {}: {least}", game.base, game.increment);
            }
        }
    }

    #[test]
    fn a_game_of_usual_length_uses_its_clock() {
        for (game, share) in [
            (game(1_000, 10, SUDDEN, 10, 1), 40),
            (game(5_000, 50, SUDDEN, 10, 1), 25),
            (game(10_000, 0, SUDDEN, 10, 1), 25),
            (game(60_000, 0, SUDDEN, 10, 1), 20),
        ] {
            let clocks = game.play(60, Luck::Average);
            let left = clocks[59] / (game.base * 10);
            assert!(left < share, "{left} percent left of {} + {}", game.base, game.increment);
        }
        // Before a control all of it may go.
        let clocks = game(60_000, 0, Some(40), 10, 1).play(120, Luck::Average);
        assert!(clocks[39] < 2_000_000 && clocks[119] < 2_000_000, "{} {}", clocks[39], clocks[119]);
    }

    fn signals(best_share: u16, stable: u32, drop: i32) -> Signals {
        Signals { best_share: Permille(best_share), stable, drop: Score(drop), dissent: Permille(0) }
    }

    #[test]
    fn doubt_takes_time() {
        let of = |share, stable, drop| scale(signals(share, stable, drop), &TEMPER);
        assert!(of(900, 5, 0) < of(400, 5, 0), "nodes are spread");
        assert!(of(600, 8, 0) < of(600, 0, 0), "the move has changed");
        assert!(of(600, 5, 0) < of(600, 5, 40), "the score falls");
        assert!(of(600, 5, -10) < of(600, 5, 0), "it rises");
        let dissent = |share| scale(Signals { dissent: Permille(share), ..signals(600, 5, 0) }, &TEMPER);
        assert!(dissent(0) < dissent(300) && dissent(300) < dissent(1000), "helpers disagree");
        // An ordinary position gets about what was planned.
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
    fn the_hard_limit_holds_whatever_the_signals() {
        for remaining in [1, 30, 200, 5_000, 100_000] {
            let budget = plan(clock(remaining, 10, None), Millis(10), &TEMPER);
            assert!(stretch(budget, signals(0, 0, 500), &TEMPER) <= budget.hard);
            assert!(stretch(budget, signals(1000, 20, -500), &TEMPER) < budget.soft);
        }
    }
}
