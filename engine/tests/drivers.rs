//! Agreement of the search drivers: without hash table and heuristics they return the same
//! score.

mod common;

use common::{Player, lab, minimax, random_positions, search};
use stretto::engine::Configuration;
use stretto::eval::Evaluation;
use stretto::position::{Game, Position};
use stretto::search::driver_kind::{Driver, MtdSequence};
use stretto::search::events::Report;
use stretto::search::limits::Limits;
use stretto::search::switches::{Settings, Switch};
use stretto::types::Depth;

const POSITIONS: usize = 220;

/// Returns the minimax settings without the hash table, which would mix in scores of other depths.
fn without_table() -> Settings {
    minimax().with(Switch::TtMove, false)
}

/// Returns the last report of a search to `depth`.
fn report(player: &mut Player, position: Position, depth: Depth) -> Report {
    player.engine.set_game(Game::new(position));
    player.search(Limits { depth: Some(depth), ..Limits::default() });
    player.reports().pop().expect("a report")
}

fn player(driver: Driver, settings: Settings, evaluation: Evaluation) -> Player {
    let mut player = Player::new();
    player.configure(|configuration| {
        *configuration = Configuration { driver, evaluation, ..lab(settings) };
    });
    player
}

fn assert_agreement(settings: &Settings, evaluation: &Evaluation, depth: i32, seed: u64) {
    let fens = random_positions(POSITIONS, seed);
    let run = |driver| {
        let configuration = Configuration { driver, evaluation: evaluation.clone(), ..lab(settings.clone()) };
        search(&fens, depth, configuration)
    };
    let oracle = run(Driver::Negamax);
    for &driver in &Driver::ALL[1..] {
        let found = run(driver);
        // Without a table, each pass of an MTD search that starts far away visits the nodes again.
        let is_far = matches!(driver, Driver::Mtd(sequence) if sequence != MtdSequence::F);
        assert!(is_far || found.nodes < oracle.nodes, "{driver:?} prunes nothing");
        for ((fen, expected), outcome) in fens.iter().zip(&oracle.outcomes).zip(&found.outcomes) {
            assert_eq!(outcome.score, expected.score, "{driver:?} depth {depth} {evaluation:?} {fen}");
        }
    }
}

#[test]
fn drivers_agree_without_any_heuristic() {
    assert_agreement(&Settings::bare(), &Evaluation::Material, 3, 1);
    assert_agreement(&Settings::bare(), &Evaluation::Classical, 3, 2);
}

#[test]
fn drivers_agree_with_quiescence_extensions_and_ordering() {
    assert_agreement(&without_table(), &Evaluation::Classical, 2, 3);
    assert_agreement(&without_table(), &Evaluation::Material, 2, 4);
}

#[test]
fn every_move_of_the_line_of_negamax_and_alphabeta_keeps_the_score() {
    for driver in [Driver::Negamax, Driver::AlphaBeta] {
        let mut player = player(driver, Settings::bare(), Evaluation::Classical);
        for fen in random_positions(40, 5) {
            let mut position = Position::from_fen(&fen).expect("a position");
            let found = report(&mut player, position, Depth(3));
            if found.score.is_decisive() {
                continue;
            }
            assert_eq!(found.pv.len(), 3, "{driver:?} {fen}: {:?}", found.pv);
            let mut expected = found.score;
            for (index, &mv) in found.pv[..2].iter().enumerate() {
                assert!(position.is_legal(mv), "{driver:?} {fen}: {:?}", found.pv);
                position = position.after(mv);
                expected = -expected;
                let rest = report(&mut player, position, Depth(2 - index as i32));
                assert_eq!(rest.score, expected, "{driver:?} {fen} after {:?}", &found.pv[..=index]);
            }
        }
    }
}

#[test]
fn mtdf_reads_its_line_from_the_table() {
    let mut player = player(Driver::Mtd(MtdSequence::F), minimax(), Evaluation::Classical);
    let mut moves = 0;
    for fen in random_positions(40, 6) {
        let mut position = Position::from_fen(&fen).expect("a position");
        let found = report(&mut player, position, Depth(5));
        moves += found.pv.len();
        // Lines to a mate are completed beyond the depth.
        assert!(found.pv.len() <= 5 || found.score.is_decisive(), "{fen}: {:?}", found.pv);
        for &mv in &found.pv {
            assert!(position.is_legal(mv), "{fen}: {:?}", found.pv);
            position = position.after(mv);
        }
    }
    assert!(moves > 40 * 3, "lines are rarely cut short: {moves} moves in 40 lines");
}

#[test]
fn alphabeta_counts_its_cutoffs() {
    let mut player = player(Driver::AlphaBeta, Settings::bare(), Evaluation::Classical);
    let tally = report(&mut player, Position::startpos(), Depth(4)).tally;
    assert!(tally.cutoffs > 100 && tally.first_cutoffs <= tally.cutoffs, "{tally:?}");
}
