//! Single nodes in planted situations, with switches that are off in play.

use crate::eval::Evaluation;
use crate::position::Position;
use crate::search::context::Search;
use crate::search::fixture::Fixture;
use crate::search::node_types::NonPv;
use crate::search::switches::{Settings, Switch};
use crate::types::{Depth, Ply, Score};

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
