//! Agreement of the four search drivers: without hash table and heuristics they return the same
//! score.

mod common;

use common::{lab, minimax, random_positions, search};
use stretto::engine::Configuration;
use stretto::eval::Evaluation;
use stretto::search::driver::Driver;
use stretto::search::switches::{Settings, Switch};

const POSITIONS: usize = 220;

/// Returns the minimax settings without the hash table, which would mix in scores of other depths.
fn without_table() -> Settings {
    minimax().with(Switch::TtMove, false)
}

fn assert_agreement(settings: &Settings, evaluation: &Evaluation, depth: i32, seed: u64) {
    let fens = random_positions(POSITIONS, seed);
    let run = |driver| {
        let configuration = Configuration { driver, evaluation: evaluation.clone(), ..lab(settings.clone()) };
        search(&fens, depth, configuration)
    };
    let oracle = run(Driver::Negamax);
    for driver in [Driver::AlphaBeta, Driver::Pvs, Driver::Mtdf] {
        let found = run(driver);
        assert!(found.nodes < oracle.nodes, "{driver:?} prunes nothing");
        for ((fen, expected), outcome) in fens.iter().zip(&oracle.outcomes).zip(&found.outcomes) {
            assert_eq!(outcome.score, expected.score, "{driver:?} depth {depth} {evaluation:?} {fen}");
        }
    }
}

#[test]
fn drivers_agree_without_any_heuristic() {
    let bare = Switch::ALL.iter().fold(Settings::default(), |settings, &switch| settings.with(switch, false));
    assert_agreement(&bare, &Evaluation::Material, 3, 1);
    assert_agreement(&bare, &Evaluation::Classical, 3, 2);
}

#[test]
fn drivers_agree_with_quiescence_extensions_and_ordering() {
    assert_agreement(&without_table(), &Evaluation::Classical, 2, 3);
    assert_agreement(&without_table(), &Evaluation::Material, 2, 4);
}
