//! Switches and tunables: fixed and dynamic searches agree, each setting has an effect, classes are
//! correct.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::time::Duration;

use crate::common::{lab, minimax, random_positions, search, with_clock};
use stretto::engine::{Configuration, Solo};
use stretto::position::{Game, Position};
use stretto::search::events::SearchResult;
use stretto::search::limits::Limits;
use stretto::search::params::Tunable;
use stretto::search::switches::{Class, Settings, Switch, Toggles, missing_needs};
use stretto::search::time::{self, Clock, Signals};
use stretto::types::{Depth, Mebibytes, Millis, Nodes, Permille, Score};

/// Depths at which a setting must show an effect. Most do at the first; settings of deep nodes need
/// more.
const DEPTHS: [i32; 3] = [7, 10, 14];

/// Mating attacks, in which the distance to mate matters.
const MATES: [&str; 2] = [
    "r1bq1b1r/p2np3/2p5/1p1pPkpp/3P2p1/2N1B3/PPPQ1PP1/R3K2R w KQ - 0 1",
    "6rk/5Qpp/8/8/4N3/8/5PPP/6K1 w - - 0 1",
];

/// An ending near the fifty-move limit, where the key of the table includes the clock.
const LATE: &str = "r5k1/5p2/6p1/8/8/6P1/5P2/3R2K1 w - - 84 80";

fn bench_positions() -> Vec<String> {
    let mut positions = random_positions(12, 99);
    positions.extend(MATES.map(str::to_owned));
    positions.push(LATE.to_owned());
    positions
}

/// The positions and the depths at which settings are compared. Most settings show an effect on the
/// first positions, so few of them are searched at most depths.
struct Base {
    settings: Settings,
    fens: Vec<String>,
    /// Nodes of the settings, once searched. Shape: `[depth][position]`.
    nodes: [Vec<OnceCell<u64>>; DEPTHS.len()],
}

impl Base {
    fn new(settings: Settings) -> Self {
        let fens = bench_positions();
        let nodes = DEPTHS.map(|_| vec![OnceCell::new(); fens.len()]);
        Self { settings, fens, nodes }
    }

    /// Whether one of the changed settings searches another tree in one of the positions at one of
    /// the depths.
    fn differs_from(&self, changed: &[Settings]) -> bool {
        DEPTHS.into_iter().zip(&self.nodes).any(|(depth, searched)| {
            self.fens.iter().zip(searched).any(|(fen, searched)| {
                let nodes = |settings: &Settings| {
                    search(std::slice::from_ref(fen), depth, lab(settings.clone())).nodes.0
                };
                let expected = *searched.get_or_init(|| nodes(&self.settings));
                changed.iter().any(|settings| nodes(settings) != expected)
            })
        })
    }
}

/// The nodes of a search that must not change. Some settings prune little, so a depth alone would
/// not bound them.
const UNCHANGED_NODES: Nodes = Nodes(30_000);

/// Returns the outcomes of searches of these positions, one after the other.
fn outcomes(settings: &Settings, fens: &[String]) -> Vec<SearchResult> {
    let mut solo = Solo::new(Mebibytes(4), lab(settings.clone())).expect("a table");
    let depth = Some(Depth(DEPTHS[DEPTHS.len() - 1]));
    let limits = Limits { depth, nodes: Some(UNCHANGED_NODES), ..Limits::default() };
    let game = |fen: &String| Game::new(Position::from_fen(fen).expect("a position"));
    fens.iter().map(|fen| solo.search(&game(fen), limits.clone())).collect()
}

/// Returns the hard and soft time limits for some clocks and search results.
fn limits(settings: &Settings) -> Vec<Duration> {
    let mut limits = Vec::new();
    // The number of planned moves falls during the game, to its least at move 90.
    for (remaining, increment, move_number) in
        [(1_000, 10, 1), (1_000, 100, 20), (1_000, 100, 90), (60_000, 0, 1), (300_000, 3_000, 1)]
    {
        let (remaining, increment) = (Millis(remaining), Millis(increment));
        let clock = Clock { remaining, increment, moves_to_go: None, move_number };
        let budget = time::move_budget(clock, Millis(5), settings);
        limits.push(budget.hard);
        for (share, stable, drop, disagreement) in [
            (500, 0, 0, 0),
            (900, 5, -10, 0),
            (700, 2, 5, 500),
            // Beyond each cap of the observations and of the factor.
            (500, 30, 200, 0),
            (1000, 30, -200, 0),
            (0, 0, 200, 1000),
        ] {
            let (best_share, disagreement) = (Permille(share), Permille(disagreement));
            // The score has been at 20 and then falls by 40, so that the average follows in part.
            let average = time::average_score(settings, Score(20), Score(-20));
            let drop = average + drop + 20;
            let signals = Signals { best_share, stable, drop, disagreement };
            limits.push(time::soft_limit(settings, budget, signals));
        }
    }
    limits
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
fn every_switch_changes_the_tree_or_the_clock() {
    let settings = Settings::default();
    let base = Base::new(settings.clone());
    let fens = bench_positions();
    let planned = limits(&settings);
    for &switch in Switch::ALL {
        let flipped = settings.clone().with(switch, !(&settings).is_on(switch));
        let is_timing = switch.info().class == Class::Timing;
        assert_eq!(limits(&flipped) != planned, is_timing, "{switch:?} changes the clock");
        if is_timing {
            assert_eq!(outcomes(&flipped, &fens), outcomes(&settings, &fens), "{switch:?} changes the tree");
        } else {
            assert!(base.differs_from(&[flipped]), "{switch:?} changes nothing");
        }
    }
}

#[test]
fn every_tunable_changes_the_tree_or_the_clock() {
    let mut bases: HashMap<&[Switch], Base> = HashMap::new();
    for &tunable in Tunable::ALL {
        let missing = missing_needs(tunable.info().name, &|switch| Settings::default().is_on(switch));
        let base = bases.entry(missing).or_insert_with(|| {
            Base::new(missing.iter().fold(Settings::default(), |settings, &need| settings.with(need, true)))
        });
        let changed = tuned(&base.settings, tunable);
        let planned = limits(&base.settings);
        let is_timing = changed.iter().any(|settings| limits(settings) != planned);
        assert!(
            is_timing || base.differs_from(&changed),
            "{tunable:?} changes nothing: does it need a switch?"
        );
    }
}

/// Returns the settings with the smallest and with the largest value of a tunable, without the default.
fn tuned(settings: &Settings, tunable: Tunable) -> Vec<Settings> {
    let info = tunable.info();
    let values = [info.min, info.max].into_iter().filter(|&value| value != info.default);
    let with = |value| {
        let mut settings = settings.clone();
        settings.tune(tunable, value);
        settings
    };
    values.map(with).collect()
}

#[test]
fn null_window_off_searches_reduced_moves_with_the_full_window() {
    let null_windows = |settings: Settings| -> u64 {
        let mut player = crate::common::Player::new();
        player.configure(|configuration| *configuration = lab(settings));
        player.search(stretto::search::limits::Limits {
            depth: Some(stretto::types::Depth(7)),
            ..stretto::search::limits::Limits::default()
        });
        player.reports().last().expect("a report").tally.null_windows
    };
    assert!(null_windows(Settings::default()) > 0);
    assert_eq!(null_windows(Settings::default().with(Switch::NullWindow, false)), 0);
}

#[test]
fn switches_and_tunables_without_their_needs_change_nothing() {
    let fens = bench_positions();
    let mut bases: HashMap<&[Switch], Vec<SearchResult>> = HashMap::new();
    let without = |needs: &[Switch]| {
        needs.iter().fold(Settings::default(), |settings, &need| settings.with(need, false))
    };
    for &switch in Switch::ALL.iter().filter(|switch| !switch.info().needs.is_empty()) {
        let needs = switch.info().needs;
        let base = without(needs);
        let flipped = base.clone().with(switch, !(&base).is_on(switch));
        let expected = bases.entry(needs).or_insert_with(|| outcomes(&base, &fens));
        assert!(outcomes(&flipped, &fens) == *expected, "{switch:?} has an effect without its needs");
    }
    // Few positions and one end of the range, to save time: an effect would show in nearly all.
    let fens = &fens[..4];
    bases.clear();
    for &tunable in Tunable::ALL.iter().filter(|tunable| !tunable.info().needs.is_empty()) {
        let needs = tunable.info().needs;
        let base = without(needs);
        let expected = bases.entry(needs).or_insert_with(|| outcomes(&base, fens));
        let changed = &tuned(&base, tunable)[0];
        assert!(outcomes(changed, fens) == *expected, "{tunable:?} has an effect without its needs");
        assert_eq!(limits(changed), limits(&base), "{tunable:?} has an effect without its needs");
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
fn unsound_switches_change_a_score() {
    // At least one position must show the class. Some have a high fifty-move counter.
    let mut fens = random_positions(40, 6);
    let late = fens.iter().take(20).map(|fen| with_clock(fen, 92)).collect::<Vec<_>>();
    fens.extend(late);
    fens.extend(MATES.map(str::to_owned));
    // Positions are tried a few at a time, because most switches show an effect at once.
    let scores = |fens: &[String], depth: i32, settings: &Settings| -> Vec<Score> {
        search(fens, depth, lab(settings.clone())).outcomes.iter().map(|outcome| outcome.score).collect()
    };
    let base = Settings::default();
    // The rare ones, such as threats of mate, need more depth.
    let mut tries = Vec::new();
    for depth in [9, 12] {
        tries.extend(fens.chunks(6).map(|few| (few, depth, OnceCell::new())));
    }
    for &switch in Switch::ALL.iter().filter(|switch| switch.info().class == Class::Unsound) {
        let flipped = base.clone().with(switch, !(&base).is_on(switch));
        let changes = tries.iter().any(|(few, depth, expected)| {
            scores(few, *depth, &flipped) != *expected.get_or_init(|| scores(few, *depth, &base))
        });
        assert!(changes, "{switch:?} changed no score");
    }
}
