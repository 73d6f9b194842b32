//! The toggle mechanism: parity, liveness, soundness.

mod common;

use common::{lab, random_positions, search, with_clock};
use stretto::engine::Configuration;
use stretto::search::params::Tunable;
use stretto::search::switches::{Class, Settings, Switch, Toggles};

/// Deep enough for every heuristic to have its say.
const DEPTH: i32 = 9;

fn bench_positions() -> Vec<String> {
    random_positions(12, 99)
}

fn nodes(settings: Settings) -> u64 {
    search(&bench_positions(), DEPTH, lab(settings)).nodes.0
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
    let base = nodes(Settings::default());
    for &switch in Switch::ALL {
        let flipped = !(&Settings::default()).is_on(switch);
        assert_ne!(nodes(Settings::default().with(switch, flipped)), base, "{switch:?} changes nothing");
    }
}

#[test]
fn every_tunable_is_alive() {
    let base = nodes(Settings::default());
    for &tunable in Tunable::ALL {
        let info = tunable.info();
        let is_alive = [info.min, info.max].into_iter().filter(|&value| value != info.default).any(|value| {
            let mut settings = Settings::default();
            settings.tune(tunable, value);
            nodes(settings) != base
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
