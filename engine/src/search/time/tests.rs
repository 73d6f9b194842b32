//! Tests of time management, with settings that give every term an effect and with those in play.

use std::time::Duration;

use super::budget::{ANALYSIS_DECODE_TIME, LEAST, MIN_DECODE_TIME, SAFETY};
use super::signals::{scale, stretch};
use super::*;
use crate::search::root_moves::{RootMove, RootResult};
use crate::search::switches::{Fixed, Settings};
use crate::tablebase::RankedMove;
use crate::types::{Bound, Depth, Millis, Move, Nodes, Permille, Score, Square};

fn clock(remaining: i64, increment: i64, moves_to_go: Option<u32>) -> Clock {
    Clock { remaining: Millis(remaining), increment: Millis(increment), moves_to_go, move_number: 1 }
}

#[test]
fn pondering_extends_the_soft_limit_within_the_hard_limit() {
    let budget = move_budget(clock(60_000, 0, None), Millis(10), &Settings::default());
    let longer = budget.for_pondering();
    assert!(longer.soft > budget.soft && longer.soft <= longer.hard && longer.hard == budget.hard);
    let last = Budget { soft: budget.hard, hard: budget.hard };
    assert_eq!(last.for_pondering(), last);
}

#[test]
fn hard_limit_and_what_is_left_after_it_fit_the_clock() {
    let last_move = clock(10_000, 0, Some(1));
    let budget = move_budget(last_move, Millis(10), &Settings::default());
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
                    let budget = move_budget(
                        clock(remaining, increment, moves_to_go),
                        Millis(overhead),
                        &Settings::default(),
                    );
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
    assert!(!is_long_enough_for_helpers(
        move_budget(clock(40, 10, None), Millis(10), &Settings::default()).hard
    ));
    assert!(is_long_enough_for_helpers(
        move_budget(clock(1_000, 10, None), Millis(10), &Settings::default()).hard
    ));
}

#[test]
fn more_clock_time_gives_a_larger_budget() {
    let soft = |remaining, increment, moves| {
        move_budget(clock(remaining, increment, moves), Millis(20), &Settings::default()).soft
    };
    assert!(soft(10_000, 0, None) < soft(60_000, 0, None));
    assert!(soft(10_000, 0, None) < soft(10_000, 1_000, None));
    assert!(soft(10_000, 0, None) < soft(10_000, 0, Some(2)));
}

#[test]
fn later_moves_may_use_a_larger_share_of_the_clock() {
    let soft = |move_number, increment, moves_to_go| {
        let clock = Clock { move_number, ..clock(10_000, increment, moves_to_go) };
        move_budget(clock, Millis(10), &Settings::default()).soft
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
    let of = |share, stable, drop| scale(signals(share, stable, drop), &Settings::default());
    assert!(of(900, 5, 0) < of(400, 5, 0), "nodes are spread");
    assert!(of(600, 8, 0) < of(600, 0, 0), "the move has changed");
    assert!(of(600, 5, 0) < of(600, 5, 40), "the score falls");
    assert!(of(600, 5, -10) < of(600, 5, 0), "it rises");
    let disagreement =
        |share| scale(Signals { disagreement: Permille(share), ..signals(600, 5, 0) }, &Settings::default());
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
        let budget = move_budget(clock(remaining, 10, None), Millis(10), &Settings::default());
        assert!(stretch(budget, signals(0, 0, 500), &Settings::default()) <= budget.hard);
        assert!(stretch(budget, signals(1000, 20, -500), &Settings::default()) < budget.soft);
    }
}

fn root_move(to: usize, score: i32, nodes: u64) -> RootMove {
    let current = RootResult::without_line(Score(score), Bound::Exact, Depth(1));
    let mv = Move::normal(Square::from_index(0), Square::from_index(to));
    let ranked = RankedMove { mv, rank: 0, score: None };
    RootMove { current: current.clone(), previous: current, nodes, ..RootMove::new(&ranked) }
}

#[test]
fn signals_follow_node_share_stability_and_score_trend() {
    let mut stability = RootStability::default();
    stability.note(Fixed, &[]);
    assert_eq!(stability.signals(), Signals::default());
    stability.note(Fixed, &[root_move(1, 40, 30), root_move(2, 0, 10)]);
    assert_eq!(stability.signals(), signals(750, 0, 0));
    stability.note(Fixed, &[root_move(1, 20, 300), root_move(2, 0, 100)]);
    assert_eq!(stability.signals(), signals(750, 1, 20));
    // The average has come down to 35.
    stability.note(Fixed, &[root_move(2, 45, 500), root_move(1, 20, 500)]);
    assert_eq!(stability.signals(), signals(500, 0, -10));
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
            let budget = move_budget(clock, Millis(self.overhead), Fixed);
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
            assert!(least > SAFETY * 1000, "{} + {}: {least}", game.base, game.increment);
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

#[test]
fn soft_limit_returns_the_last_value_set() {
    let limit = SoftLimit::new(Duration::from_millis(70));
    assert_eq!(limit.limit(), Duration::from_millis(70));
    limit.set(Duration::MAX);
    limit.set(Duration::from_micros(1500));
    assert_eq!(limit.limit(), Duration::from_micros(1500));
}

#[test]
fn tables_are_decoded_even_with_a_short_movetime() {
    let limit = |movetime| decode_time_limit(Some(Millis(movetime)), None, false).expect("a limit");
    assert_eq!((limit(1), limit(1000)), (MIN_DECODE_TIME, Duration::from_secs(1)));
}

#[test]
fn decoding_takes_a_small_share_of_the_clock() {
    assert_eq!(decode_time_limit(None, Some(clock(800, 0, None)), false), Some(Duration::from_millis(100)));
    assert_eq!(decode_time_limit(None, None, false), None);
    assert_eq!(decode_time_limit(None, None, true), Some(ANALYSIS_DECODE_TIME));
}

#[test]
fn mate_lines_take_the_rest_of_the_decode_time() {
    let ms = Duration::from_millis;
    assert_eq!(mate_line_time_limit(ms(100), None, ms(30)), ms(70));
    assert_eq!(mate_line_time_limit(ms(100), None, ms(200)), Duration::ZERO);
    assert_eq!(mate_line_time_limit(ms(50), Some(Millis(20)), ms(30)), ms(20));
    assert_eq!(mate_line_time_limit(ms(8000), Some(Millis(8000)), ms(0)), ms(1000));
}
