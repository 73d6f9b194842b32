//! The toggle mechanism: parity, liveness, soundness.

mod common;

use common::{lab, minimax, random_positions, search};
use stretto::engine::Configuration;
use stretto::search::params::Tunable;
use stretto::search::switches::{Class, Settings, Switch, Toggles};

/// Depths at which a setting is asked to show an effect. Most do at the first; those that govern deep nodes need more.
const DEPTHS: [i32; 3] = [7, 10, 14];

/// Mating attacks, where the distance of mates matters.
const MATES: [&str; 2] = [
    "r1bq1b1r/p2np3/2p5/1p1pPkpp/3P2p1/2N1B3/PPPQ1PP1/R3K2R w KQ - 0 1",
    "6rk/5Qpp/8/8/4N3/8/5PPP/6K1 w - - 0 1",
];

fn bench_positions() -> Vec<String> {
    let mut positions = random_positions(12, 99);
    positions.extend(MATES.map(str::to_owned));
    positions
}

fn nodes(settings: Settings, depth: i32) -> u64 {
    search(&bench_positions(), depth, lab(settings)).nodes.0
}

/// Does one of the changed settings search another tree than the base at one of the depths?
fn is_alive(base: &Settings, changed: &[Settings]) -> bool {
    DEPTHS.into_iter().any(|depth| {
        let expected = nodes(base.clone(), depth);
        changed.iter().any(|settings| nodes(settings.clone(), depth) != expected)
    })
}

#[test]
fn fixed_and_dynamic_search_the_same_tree() {
    let fens = bench_positions();
    let depth = DEPTHS[1];
    let fixed = search(&fens, depth, Configuration::default());
    let dynamic = search(&fens, depth, lab(Settings::default()));
    assert_eq!(fixed.nodes, dynamic.nodes);
    assert_eq!(fixed.outcomes, dynamic.outcomes);
}

#[test]
fn every_switch_is_alive() {
    let base = Settings::default();
    for &switch in Switch::ALL {
        let flipped = base.clone().with(switch, !(&base).is_on(switch));
        assert!(is_alive(&base, &[flipped]), "{switch:?} changes nothing");
    }
}

#[test]
fn every_tunable_is_alive() {
    // A number of a heuristic that is off by default is alive if it is when the heuristic is on.
    let all_on =
        Switch::ALL.iter().fold(Settings::default(), |settings, &switch| settings.with(switch, true));
    for &tunable in Tunable::ALL {
        let info = tunable.info();
        let changed: Vec<Settings> = [info.min, info.max]
            .into_iter()
            .filter(|&value| value != info.default)
            .map(|value| {
                let mut settings = all_on.clone();
                settings.tune(tunable, value);
                settings
            })
            .collect();
        assert!(is_alive(&all_on, &changed), "{tunable:?} changes nothing");
    }
}

#[test]
fn exact_and_ordering_switches_keep_the_score() {
    let base = minimax();
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
    // The class is a claim too: at least one position must show it.
    let fens = random_positions(40, 6);
    let scores = |settings| search(&fens, 9, lab(settings)).outcomes.into_iter().map(|outcome| outcome.score);
    for &switch in Switch::ALL.iter().filter(|switch| switch.info().class == Class::Unsound) {
        let flipped = Settings::default().with(switch, !(&Settings::default()).is_on(switch));
        assert!(scores(Settings::default()).ne(scores(flipped)), "{switch:?} changed no score");
    }
}
