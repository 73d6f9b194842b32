//! The toggle mechanism: parity, liveness, soundness.

mod common;

use std::time::Duration;

use common::{lab, random_positions, search, with_clock};
use stretto::engine::Configuration;
use stretto::search::params::Tunable;
use stretto::search::switches::{Class, Settings, Switch, Toggles};
use stretto::search::timing;
use stretto::time::{self, Clock, Signals};
use stretto::types::{Millis, Permille, Score};

/// Deep enough for every heuristic to have its say.
const DEPTH: i32 = 9;

fn bench_positions() -> Vec<String> {
    random_positions(12, 99)
}

fn nodes(settings: Settings) -> u64 {
    search(&bench_positions(), DEPTH, lab(settings)).nodes.0
}

/// What a setting does to the clock: hard and soft limits for some clocks and courses of a search.
fn limits(settings: &Settings) -> Vec<Duration> {
    let mut limits = Vec::new();
    for (remaining, increment) in [(1_000, 10), (60_000, 0), (300_000, 3_000)] {
        let clock = Clock { remaining: Millis(remaining), increment: Millis(increment), moves_to_go: None };
        let budget = time::plan(clock, Millis(5), &timing::temper(settings));
        limits.push(budget.hard);
        for (share, stable, drop) in [(500, 0, 0), (900, 5, -10), (300, 2, 30)] {
            let signals = Signals { best_share: Permille(share), stable, drop: Score(drop) };
            limits.push(timing::soft_limit(settings, budget, signals));
        }
    }
    limits
}

#[test]
fn fixed_and_dynamic_search_the_same_tree() {
    let fens = bench_positions();
    let fixed = search(&fens, DEPTH, Configuration::default());
    let dynamic = search(&fens, DEPTH, lab(Settings::default()));
    assert_eq!(fixed.nodes, dynamic.nodes);
    assert_eq!(fixed.outcomes, dynamic.outcomes);
}

#[test]
fn every_switch_is_alive() {
    let (base, planned) = (nodes(Settings::default()), limits(&Settings::default()));
    for &switch in Switch::ALL {
        let flipped = Settings::default().with(switch, !(&Settings::default()).is_on(switch));
        let is_timing = switch.info().class == Class::Timing;
        assert_eq!(limits(&flipped) != planned, is_timing, "{switch:?} and the clock");
        assert_eq!(nodes(flipped) == base, is_timing, "{switch:?} and the tree");
    }
}

#[test]
fn every_tunable_is_alive() {
    let (base, planned) = (nodes(Settings::default()), limits(&Settings::default()));
    for &tunable in Tunable::ALL {
        let info = tunable.info();
        let is_alive = [info.min, info.max].into_iter().filter(|&value| value != info.default).any(|value| {
            let mut settings = Settings::default();
            settings.tune(tunable, value);
            limits(&settings) != planned || nodes(settings) != base
        });
        assert!(is_alive, "{tunable:?} changes nothing");
    }
}

#[test]
fn exact_and_ordering_switches_keep_the_score() {
    // Without cutoffs by table, passing and reduction the score of a depth is a fact about the position.
    let base = [Switch::HashCut, Switch::NullMove, Switch::LateMoveReductions]
        .into_iter()
        .fold(Settings::default(), |settings, switch| settings.with(switch, false));
    let fens = random_positions(40, 5);
    let depth = 5;
    let expected = search(&fens, depth, lab(base.clone()));
    for &switch in Switch::ALL.iter().filter(|switch| switch.info().class != Class::Unsound) {
        let found = search(&fens, depth, lab(base.clone().with(switch, !(&base).is_on(switch))));
        for ((fen, expected), outcome) in fens.iter().zip(&expected.outcomes).zip(&found.outcomes) {
            assert_eq!(outcome.score, expected.score, "{switch:?} {fen}");
        }
    }
}

#[test]
fn unsound_switches_do_change_scores() {
    // The class is a claim too: at least one position must show it. Some are late on the fifty-move clock.
    let mut fens = random_positions(40, 6);
    let late = fens.iter().take(20).map(|fen| with_clock(fen, 92)).collect::<Vec<_>>();
    fens.extend(late);
    let scores = |settings| search(&fens, 6, lab(settings)).outcomes.into_iter().map(|outcome| outcome.score);
    for &switch in Switch::ALL.iter().filter(|switch| switch.info().class == Class::Unsound) {
        let flipped = Settings::default().with(switch, false);
        assert!(scores(Settings::default()).ne(scores(flipped)), "{switch:?} changed no score");
    }
}
