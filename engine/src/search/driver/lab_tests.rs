//! Single nodes in planted situations, with switches that are off in play.

use crate::eval::Evaluation;
use crate::position::Position;
use crate::search::context::Search;
use crate::search::fixture::Fixture;
use crate::search::heuristics::late_move_reductions::{self, LateMove};
use crate::search::heuristics::singular::{Plan, SingularResult};
use crate::search::node_types::{NodeContext, NonPv};
use crate::search::switches::{Settings, Switch};
use crate::types::{Depth, Move, Ply, Score};

const MIDDLEGAME: &str = "r1bq2k1/pp1p1Bpp/2n2n2/2p1p3/4P3/2N2N2/PPPP1PPP/R1BQK2R b KQ - 0 1";

/// Calls `work` with a search of the position that has not begun, with the material count as its
/// evaluation and one switch set.
fn with_switch<R>(
    switch: Switch,
    is_on: bool,
    fen: &str,
    work: impl FnOnce(&mut Search<'_, &Settings>, &Position) -> R,
) -> R {
    let mut fixture = Fixture::new(fen);
    fixture.job.evaluation = Evaluation::Material;
    let position = *fixture.job.game.position();
    let settings = Settings::default().with(switch, is_on);
    fixture.with(&settings, |search| {
        search.worker.iteration = Depth(20);
        work(search, &position)
    })
}

/// A rise by two centipawns counts as one by 200 without the switch.
#[test]
fn small_rise_of_the_evaluation_is_a_small_improvement() {
    let improvement = |is_on, rise: i32| {
        with_switch(Switch::ImprovementSize, is_on, MIDDLEGAME, |search, position| {
            search.worker.stack[Ply(4)].static_eval = Some(Score(30));
            search.worker.stack[Ply(6)].static_eval = Some(Score(30 + rise));
            let node = search.node_context::<NonPv>(position, None, None, Depth(5), Ply(6), false);
            (node.is_improving, node.improvement)
        })
    };
    let [fall, small, large] = [-20, 2, 200].map(|rise| improvement(true, rise));
    assert!(fall.1 < small.1 && small.1 < large.1, "{fall:?} {small:?} {large:?}");
    assert_eq!([fall.0, small.0, large.0], [false, true, true]);
    assert_eq!(improvement(false, 200), (true, 0));
}

/// Notes a singular search with a TT score of 50 whose best other move, the last one, had `score`.
/// Returns the node afterwards and the extension of its TT move, which is the first move.
fn after_singular_search(
    switch: Switch,
    is_on: bool,
    score: i32,
) -> (NodeContext, SingularResult, [Move; 2]) {
    with_switch(switch, is_on, MIDDLEGAME, |search, position| {
        let moves = position.legal_moves();
        let (first, last) = (moves[0], moves[moves.len() - 1]);
        let mut node = NodeContext { depth: Depth(12), tt_move: Some(first), ..NodeContext::default() };
        search.worker.stack[Ply(3)].rival = Some(last);
        let plan = Plan::at(Score(50), Depth(5));
        let extension = SingularResult::Extend(-2);
        let result = search.note_rivals(position, &mut node, plan, Score(score), extension, Ply(3));
        (node, result, [first, last])
    })
}

#[test]
fn moves_far_below_the_tt_move_are_reduced_more() {
    let depth = |is_on, score| {
        let (node, result, _) = after_singular_search(Switch::SingularGap, is_on, score);
        assert_eq!(result, SingularResult::Extend(-2));
        let late = LateMove {
            searched: 12,
            is_quiet: true,
            gives_check: false,
            is_refutation: false,
            history: 0,
            cutoffs: 0,
            noise: 0,
            fraction: 0,
        };
        let settings = Settings::default().with(Switch::SingularGap, is_on);
        late_move_reductions::reduced_depth(&settings, &node, late, Depth(11)).depth
    };
    let [near, far] = [60, -400].map(|score| depth(true, score));
    assert!(far < near, "{far:?} {near:?}");
    assert_eq!([near, depth(false, 60), depth(false, -400)], [near; 3]);
}

#[test]
fn move_that_beats_the_tt_move_takes_its_place() {
    let tried = |is_on, score| {
        let (node, result, [first, last]) = after_singular_search(Switch::BeatenTtMove, is_on, score);
        assert!(node.tt_move == Some(first) || node.tt_move == Some(last));
        (node.tt_move == Some(last), result)
    };
    let kept = (false, SingularResult::Extend(-2));
    assert_eq!(tried(true, 51), (true, SingularResult::Extend(0)));
    assert_eq!([tried(true, 50), tried(true, 20), tried(false, 51)], [kept; 3]);
}
