//! Single nodes in planted situations with one right answer.

use std::cell::Cell;
use std::sync::Arc;

use super::learning::TriedMoves;
use super::moves::LoopResult;
use super::play::ChildSearch;
use crate::eval::Evaluation;
use crate::position::Position;
use crate::search::context::Search;
use crate::search::fixture::Fixture;
use crate::search::heuristics::history::context::HistoryContext;
use crate::search::heuristics::late_move_reductions::Reduced;
use crate::search::heuristics::prob_cut::Plan;
use crate::search::job::IterationResult;
use crate::search::node_types::{NodeContext, NonPv, Pv};
use crate::search::params::Tunable;
use crate::search::root_moves::RootResult;
use crate::search::switches::{Fixed, Toggles};
use crate::search::{Counter, Job, TbConfig, tt_access};
use crate::sync::CachePadded;
use crate::tablebase::{MateTables, Outcome, Tablebases};
use crate::threads::result_board::ResultBoard;
use crate::threads::vote::Ballot;
use crate::tt::Record;
use crate::types::{Bound, Depth, Move, Nodes, Permille, Ply, Score, Window};

const MIDDLEGAME: &str = "r1bq2k1/pp1p1Bpp/2n2n2/2p1p3/4P3/2N2N2/PPPP1PPP/R1BQK2R b KQ - 0 1";
/// Black to move, not in check, with even material.
const QUIET: &str = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/3P1N2/PPP2PPP/RNBQK2R b KQkq - 0 1";
const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";

/// Calls `work` with a search of the position that has not begun, with the material count as its
/// evaluation.
fn with_search<R>(fen: &str, work: impl FnOnce(&mut Search<'_, Fixed>, &Position) -> R) -> R {
    with_changed_search(fen, |_| {}, work)
}

/// As [`with_search`], with a job that `change` has changed.
fn with_changed_search<R>(
    fen: &str,
    change: impl FnOnce(&mut Job),
    work: impl FnOnce(&mut Search<'_, Fixed>, &Position) -> R,
) -> R {
    let mut fixture = Fixture::new(fen);
    fixture.job.evaluation = Evaluation::Material;
    change(&mut fixture.job);
    let position = *fixture.job.game.position();
    fixture.with(Fixed, |search| {
        search.worker.iteration = Depth(20);
        work(search, &position)
    })
}

fn record(depth: i32, score: i32, bound: Bound) -> Record {
    Record { mv: None, score: Score(score), static_eval: None, depth: Depth(depth), bound, is_pv: false }
}

/// The score is that of the root in the search, and that of the node in the table.
#[test]
fn mate_found_at_one_ply_has_its_distance_at_every_other() {
    with_search(MATE_IN_ONE, |search, position| {
        let score = search.node::<Pv>(position, Window::FULL, Depth(2), Ply(6), false);
        assert_eq!(score, Ok(Score::mate_in(Ply(7))));
        for ply in [0, 6, 11] {
            let found = search.probe(position, Ply(ply)).map(|record| record.score);
            assert_eq!(found, Some(Score::mate_in(Ply(ply + 1))), "read at ply {ply}");
        }
        let stored = search.job.tt.probe(tt_access::key(Fixed, position)).map(|record| record.score);
        assert_eq!(stored, Some(Score::mate_in(Ply(1))));
    });
}

#[test]
fn planted_mate_is_returned_with_the_distance_of_the_node() {
    with_search(MIDDLEGAME, |search, position| {
        search.store(position, record(9, Score::mated_in(Ply(4)).0, Bound::Exact));
        let score = search.node::<NonPv>(position, Window::null_above(Score(0)), Depth(5), Ply(3), false);
        assert_eq!(score, Ok(Score::mated_in(Ply(7))));
        assert_eq!(search.worker.nodes, 1);
    });
}

#[test]
fn entry_cuts_off_only_at_its_own_depth_or_a_smaller_one() {
    let nodes = |stored: i32, bound: Bound| {
        with_search(MIDDLEGAME, |search, position| {
            search.store(position, record(stored, -600, bound));
            let window = Window::null_above(Score(-500));
            search.node::<NonPv>(position, window, Depth(5), Ply(2), false).expect("no limit");
            search.worker.nodes
        })
    };
    assert_eq!((nodes(5, Bound::Exact), nodes(9, Bound::Upper)), (1, 1));
    assert!(nodes(4, Bound::Exact) > 1 && nodes(4, Bound::Upper) > 1);
    assert!(nodes(9, Bound::Lower) > 1, "a lower bound below the window decides nothing");
}

#[test]
fn table_score_replaces_the_evaluation_only_on_the_side_of_its_bound() {
    with_search(MIDDLEGAME, |search, _| {
        let adjusted = |score, bound| search.tt_adjusted_eval(Score(100), Some(record(1, score, bound))).0;
        assert_eq!((adjusted(50, Bound::Upper), adjusted(50, Bound::Lower)), (50, 100));
        assert_eq!((adjusted(150, Bound::Upper), adjusted(150, Bound::Lower)), (100, 150));
        assert_eq!((adjusted(50, Bound::Exact), adjusted(150, Bound::Exact)), (50, 150));
    });
}

/// Two positions may share a key, or a record may be torn.
#[test]
fn tt_move_of_another_position_is_not_played() {
    with_search(MIDDLEGAME, |search, position| {
        let tt_move = |text: &str| {
            let mv = Position::startpos().parse_uci(text).expect("a legal move");
            search.tt_move(position, Some(Record { mv: Some(mv), ..record(5, 0, Bound::Exact) }))
        };
        assert_eq!(tt_move("e2e4"), None);
        let legal = position.legal_moves().first().copied();
        let found = search.tt_move(position, Some(Record { mv: legal, ..record(5, 0, Bound::Exact) }));
        assert_eq!(found, legal);
    });
}

#[test]
fn evaluation_improves_on_that_of_our_last_move() {
    with_search(MIDDLEGAME, |search, position| {
        let mut is_improving = |two_plies_ago: Option<i32>, four_plies_ago: Option<i32>| {
            let stack = &mut search.worker.stack;
            stack[Ply(2)].static_eval = four_plies_ago.map(Score);
            stack[Ply(4)].static_eval = two_plies_ago.map(Score);
            stack[Ply(6)].static_eval = Some(Score(100));
            search.node_context::<NonPv>(position, None, None, Depth(5), Ply(6), false).is_improving
        };
        assert!(is_improving(Some(50), Some(150)) && !is_improving(Some(150), Some(50)));
        assert!(!is_improving(Some(100), None), "an equal evaluation is no improvement");
        assert!(!is_improving(None, Some(150)) && is_improving(None, Some(50)), "in check two plies ago");
        assert!(is_improving(None, None));
    });
}

/// Returns an expected cut node that was a PV node, so that reverse futility leaves it alone.
fn cut_node(depth: Depth, eval: i32) -> NodeContext {
    let eval = Some(Score(eval));
    NodeContext { depth, was_pv: true, is_cut: true, eval, static_eval: eval, ..NodeContext::default() }
}

/// In a pawn ending passing is often better than any move (zugzwang), so a null move proves nothing there.
#[test]
fn null_move_is_not_tried_with_king_and_pawns_only() {
    let tries = |fen: &str| {
        with_search(fen, |search, position| {
            let node = cut_node(Depth(8), 400);
            search.worker.stack[Ply(1)].current = position.legal_moves().first().copied();
            let window = Window::null_below(Score(0));
            let score = search.prune_node(position, &node, window, None, Ply(2)).expect("no limit");
            assert!(score.is_none() || search.worker.nodes > 0);
            search.worker.nodes > 0
        })
    };
    assert!(!tries("8/8/1p1k4/1P1P4/3K4/8/8/8 w - - 0 1"));
    assert!(tries("8/8/1p1k4/1P1P4/3K4/8/8/7R w - - 0 1"));
}

/// The null move and its verification are searched to the depths that the planted entries have.
#[test]
fn null_move_cutoff_near_the_root_needs_its_verification() {
    let score = |verified: i32, bound: Bound| {
        with_search(QUIET, |search, position| {
            let depth = Depth(Fixed.value(Tunable::NullMoveVerifyDepth));
            let node = cut_node(depth, 40);
            search.worker.stack[Ply(1)].current = position.legal_moves().first().copied();
            search.store(&position.after_null(), record(40, -70, Bound::Upper));
            search.store(position, record(40, verified, bound));
            let score = search.null_move(position, Score(0), depth, 4, Ply(2)).expect("no limit");
            assert_eq!(search.worker.null_move_from, Ply::ROOT);
            (score, search.prune_node(position, &node, Window::null_below(Score(0)), None, Ply(2)))
        })
    };
    assert_eq!(score(25, Bound::Lower).0, Some(Score(70)));
    let (null_move, whole) = score(-25, Bound::Upper);
    assert!(null_move.is_none() && whole.expect("no limit") != Some(Score(70)));
}

/// A capture and the search after it: one ply more than that search.
#[test]
fn prob_cut_is_stored_with_the_depth_it_was_searched_to() {
    let hanging_queen = "4k3/8/8/3q4/4P3/8/3P4/4K3 w - - 0 1";
    with_search(hanging_queen, |search, position| {
        let node = NodeContext { depth: Depth(9), static_eval: Some(Score(-700)), ..NodeContext::default() };
        let plan = Plan { beta: Score(100), depth: Depth(4) };
        let found = search.prob_cut(position, &node, plan, Ply(2)).expect("no limit");
        assert!(found >= Some(plan.beta));
        let stored = search.probe(position, Ply(2)).expect("an entry");
        assert_eq!((stored.depth, stored.bound), (Depth(5), Bound::Lower));
        assert_eq!(stored.mv.map(|mv| mv.to_string()).as_deref(), Some("e4d5"));
    });
}

/// Returns the history of `a7a6` in [`QUIET`] after it has led to the next node and `learn` was
/// called there.
fn history_of_last_move(learn: impl FnOnce(&mut Search<'_, Fixed>, &Position)) -> i32 {
    with_search(QUIET, |search, position| {
        let mv = position.parse_uci("a7a6").expect("a legal move");
        let context = HistoryContext::of(position, search.worker.stack.previous_moves(Ply(2)));
        search.worker.stack[Ply(2)].threats = context.threats;
        search.worker.stack[Ply(2)].static_eval = Some(Score(0));
        search.note_move(position, mv, Ply(2), 0);
        let mut child = *position;
        child.play(mv);
        learn(search, &child);
        search.histories.quiet_score(Fixed, position, &context)(mv)
    })
}

#[test]
fn quiet_move_is_rewarded_for_what_it_does_to_the_evaluation() {
    let assessed = |eval: i32| {
        history_of_last_move(|search, child| {
            let record = Record { static_eval: Some(Score(eval)), ..record(0, eval, Bound::Exact) };
            search.worker.stack[Ply(5)].cutoffs = 9;
            search.assess::<NonPv>(child, Some(record), None, Depth(6), Ply(3), false);
            search.learn_from_eval(child, Ply(3));
            assert_eq!(search.worker.stack[Ply(5)].cutoffs, 0, "cutoffs of other nodes do not count");
        })
    };
    assert!(assessed(-80) > 0, "worse for the opponent");
    assert!(assessed(80) < 0, "better for the opponent");
}

#[test]
fn quiet_move_that_refutes_the_reply_is_rewarded() {
    assert!(history_of_last_move(|search, child| search.learn_fail_low(child, Depth(6), Ply(3))) > 0);
}

/// A bound on the side of the evaluation says nothing about its error.
#[test]
fn corrections_learn_only_from_scores_that_contradict_the_evaluation() {
    let correction = |best: i32, window: Window| {
        with_search(QUIET, |search, position| {
            let context = HistoryContext::of(position, search.worker.stack.previous_moves(Ply(2)));
            let eval = Some(Score(0));
            let node =
                NodeContext { depth: Depth(9), static_eval: eval, raw_eval: eval, ..NodeContext::default() };
            let tried = TriedMoves::default();
            let result = LoopResult { best: Score(best), best_move: None, tried: &tried, context: &context };
            search.finish_node(position, window, &node, Ply(2), &result, false);
            search.correction(position, Ply(2)).signum()
        })
    };
    let (below, above) = (Window::null_below(Score(-300)), Window::null_above(Score(300)));
    assert_eq!([correction(-200, below), correction(200, above)], [0, 0], "a lower and an upper bound");
    assert_eq!([correction(200, below), correction(-200, above)], [1, -1]);
}

/// Only a node that is expected to fail high tries a null move, which leaves an entry.
#[test]
fn child_of_an_expected_cut_node_is_none_and_the_other_way_round() {
    let tries_null_move = |is_cut| {
        with_search(QUIET, |search, position| {
            let mv = position.parse_uci("a7a6").expect("a legal move");
            search.note_move(position, mv, Ply(2), 0);
            let mut child = *position;
            child.play(mv);
            // A former PV node, so that reverse futility leaves it alone.
            search.store(&child, Record { is_pv: true, ..record(0, 0, Bound::Exact) });
            let (full, window) = (Depth(5), Window::null_above(Score(1_000)));
            let reduced = Reduced::none(full, 0);
            let request = ChildSearch { full, reduced, searched: 1, parent_is_cut: is_cut, best: Score(0) };
            search.search_child::<NonPv>(&child, window, request, Ply(2)).expect("no limit");
            search.probe(&child.after_null(), Ply(4)).is_some()
        })
    };
    assert!(tries_null_move(false) && !tries_null_move(true));
}

/// The nodes of the best move among those of all moves decide how long to think.
#[test]
fn nodes_are_counted_for_the_root_move_that_they_belong_to() {
    with_search(QUIET, |search, _| {
        search.root(Window::FULL, Depth(4), 0).expect("a search without limits");
        let nodes: Vec<u64> = search.worker.root_moves.iter().map(|root_move| root_move.nodes).collect();
        assert!(nodes.iter().all(|&nodes| nodes > 0), "{nodes:?}");
        assert_eq!(nodes.iter().sum::<u64>() + 1, search.worker.nodes, "one for the root");
    });
}

/// Tables that know a mate in five plies everywhere.
struct AlwaysWon;

impl MateTables for AlwaysWon {
    fn max_pieces(&self) -> usize {
        4
    }

    fn outcome(&self, _: &Position) -> Option<Outcome> {
        Some(Outcome::Win(5))
    }
}

/// A win from a running clock may be a draw by the fifty-move rule, which the tables do not know.
#[test]
fn tables_are_probed_only_directly_after_a_capture_or_pawn_move() {
    let searched = |clock: u16| {
        let tables = Tablebases { dtm: Some(Arc::new(AlwaysWon)), ..Tablebases::default() };
        let config = TbConfig { tables, max_pieces: 4, ..TbConfig::default() };
        let fen = format!("8/8/8/4k3/8/8/8/R3K3 w - - {clock} 60");
        with_changed_search(
            &fen,
            |job| job.tb_config = config,
            |search, position| {
                let score = search.node::<Pv>(position, Window::FULL, Depth(1), Ply(3), false);
                (score.expect("no limit"), search.worker.tb_hits)
            },
        )
    };
    assert_eq!(searched(0), (Score::mate_in(Ply(8)), 1));
    for clock in [1, 60] {
        let (score, hits) = searched(clock);
        assert!(!score.is_mate() && hits == 0, "clock {clock}: {score:?}, {hits} probes");
    }
}

#[test]
fn disagreement_is_the_share_of_helpers_that_prefer_another_move() {
    let disagreement = |votes: [usize; 3]| {
        let share = Cell::new(Permille(0));
        with_changed_search(
            MIDDLEGAME,
            |job| {
                job.counters = (0..4).map(|_| CachePadded(Counter::default())).collect();
                job.results = ResultBoard::new(4);
            },
            |search, _| {
                let moves: Vec<Move> =
                    search.worker.root_moves.iter().map(|root_move| root_move.mv).collect();
                for (helper, &vote) in votes.iter().enumerate() {
                    let ballot = Ballot { mv: moves[vote], score: Score(0), depth: Depth(5) };
                    let result = IterationResult {
                        depth: Depth(5),
                        lines: Vec::new(),
                        since: Depth(1),
                        nodes: Nodes(1),
                    };
                    search.job.results.post(helper + 1, Some(ballot), result);
                }
                share.set(search.disagreement());
            },
        );
        share.get().0
    };
    assert_eq!([[0, 0, 0], [0, 0, 1], [1, 0, 2], [1, 1, 1]].map(disagreement), [0, 333, 666, 1000]);
}

/// A move searched beside a better line has a score of this iteration if it raised alpha there.
#[test]
fn second_line_expects_the_newest_exact_score() {
    with_search(MIDDLEGAME, |search, _| {
        let own = RootResult::without_line(Score(7), Bound::Exact, Depth(19));
        for (bound, depth, expected) in [(Bound::Exact, 20, 12), (Bound::Exact, 19, 7), (Bound::Lower, 20, 7)]
        {
            let second = &mut search.worker.root_moves[1];
            second.current = RootResult::without_line(Score(12), bound, Depth(depth));
            second.previous = own.clone();
            search.root(Window::FULL, Depth(1), 1).expect("a search without limits");
            assert_eq!(search.worker.root_moves[1].previous.score, Score(expected), "{bound:?} {depth}");
        }
        let best = &mut search.worker.root_moves[0];
        best.current = RootResult::without_line(Score(12), Bound::Exact, Depth(20));
        best.previous = own;
        search.root(Window::FULL, Depth(1), 0).expect("a search without limits");
        assert_eq!(search.worker.root_moves[0].previous.score, Score(7));
    });
}
