//! Tests of iterative deepening.

use super::*;
use crate::position::Position;
use crate::search::fixture::Fixture;
use crate::search::switches::Fixed;
use crate::sync::atomic::Ordering;
use crate::tablebase::RankedMove;
use crate::threads::node_budget::NodeBudget;
use crate::threads::result_board::Relay;
use crate::threads::vote::Ballot;
use crate::types::Bound::{Exact, Lower, Upper};
use crate::types::{Move, Nodes, Ply};

const NONE: RootResult = RootResult::NONE;

fn found(score: i32, bound: Bound, depth: i32) -> RootResult {
    RootResult::without_line(Score(score), bound, Depth(depth))
}

fn mate(moves: i32, bound: Bound, depth: i32) -> RootResult {
    found(Score::mated_in(Ply(2 * moves as u16)).0, bound, depth)
}

/// Creates root moves from their current and previous results. Moves with a lost current score are
/// known to lose.
fn root_moves(results: &[(RootResult, RootResult)]) -> Vec<RootMove> {
    let moves = Position::startpos().legal_moves();
    let root_move = |((current, previous), &mv): (&(RootResult, RootResult), _)| RootMove {
        current: current.clone(),
        previous: previous.clone(),
        is_lost: current.is_searched() && current.score.is_lost() && current.bound != Lower,
        ..RootMove::new(&RankedMove { mv, rank: 0, score: None })
    };
    results.iter().zip(moves.iter()).map(root_move).collect()
}

/// Returns the index of the first move before `change`, and its result after it.
fn first(mut moves: Vec<RootMove>, change: impl Fn(&mut [RootMove])) -> (usize, RootResult) {
    let before: Vec<Move> = moves.iter().map(|root_move| root_move.mv).collect();
    change(&mut moves);
    let place = before.iter().position(|&mv| mv == moves[0].mv).expect("the same moves");
    (place, moves[0].current.clone())
}

/// Prepares worker `worker` of three, which has completed depth `completed`, beside a helper that votes for
/// the fourth move at depth 6. Returns what `ask` says.
fn beside_depth_six<R>(
    (relay, multipv): (Relay, usize),
    (worker, completed): (usize, i32),
    ask: impl FnOnce(&mut Search<'_, Fixed>) -> R,
) -> R {
    let mut fixture = Fixture::with_threads(3, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    fixture.job.teamwork.relay = relay;
    fixture.job.multipv = multipv;
    fixture.with(Fixed, |search| {
        let ballot = Ballot { mv: search.worker.root_moves[3].mv, score: Score(40), depth: Depth(6) };
        let result = IterationResult { depth: Depth(6), lines: Vec::new(), since: Depth(1), nodes: Nodes(1) };
        search.job.results.post(2, Some(ballot), result);
        search.worker.id = worker;
        search.worker.completed = Depth(completed);
        ask(search)
    })
}

#[test]
fn thread_that_stays_ahead_skips_what_another_has_completed() {
    let least = |relay, worker, completed| {
        beside_depth_six(relay, (worker, completed), |search| search.least_depth().0)
    };
    assert_eq!(least((Relay::Ahead, 1), 0, 3), 7);
    assert_eq!(least((Relay::Ahead, 1), 1, 0), 7);
    assert_eq!(least((Relay::Ahead, 1), 0, 0), 1, "the first iteration of the main worker");
    assert_eq!(least((Relay::Ahead, 2), 0, 3), 1, "several lines");
    assert_eq!(least((Relay::Soft, 1), 0, 3), 1);
}

#[test]
fn thread_that_has_fallen_behind_starts_from_the_deepest_result() {
    let start = |relay, completed| {
        beside_depth_six(relay, (1, completed), |search| {
            let fourth = search.worker.root_moves[3].mv;
            (search.expected_score(0), search.worker.root_moves[0].mv == fourth)
        })
    };
    for relay in [Relay::Soft, Relay::Ahead] {
        assert_eq!(start((relay, 1), 5), (Some(Score(40)), true));
        assert_eq!(start((relay, 1), 6), (None, false), "as deep as the deepest");
        assert_eq!(start((relay, 2), 5), (None, false), "several lines");
    }
    assert_eq!(start((Relay::Off, 1), 5), (None, false));
}

#[test]
fn relayed_move_that_failed_low_is_not_played() {
    let best = |moves: &[(RootResult, RootResult)]| {
        first(root_moves(moves), |moves| relay::restore_completed_move(moves, Depth(8))).0
    };
    let of_iteration_7 = |score| (found(score, Exact, 7), found(score, Exact, 7));
    let (completed, other) = (of_iteration_7(30), of_iteration_7(20));
    let low = || found(10, Upper, 8);
    assert_eq!(best(&[(low(), NONE), other.clone(), completed.clone()]), 2);
    assert_eq!(best(&[(low(), found(20, Exact, 7)), completed.clone()]), 1);
    // The completed move fails low itself.
    assert_eq!(best(&[(low(), found(30, Exact, 7)), other]), 0);
    // The relayed move has raised alpha, in this window or in an earlier one.
    assert_eq!(best(&[(found(25, Exact, 8), NONE), completed.clone()]), 0);
    assert_eq!(best(&[(found(25, Lower, 8), found(25, Lower, 8)), completed.clone()]), 0);
    assert_eq!(best(&[(low(), found(25, Lower, 8)), completed.clone()]), 0);
    // No move has a score of a completed iteration, or only one that a tablebase ranks lower.
    assert_eq!(best(&[(low(), NONE), (NONE, NONE)]), 0);
    let mut ranked = root_moves(&[(low(), NONE), completed]);
    ranked[0].rank = 1;
    assert_eq!(first(ranked, |moves| relay::restore_completed_move(moves, Depth(8))).0, 0);
}

#[test]
fn aborted_iteration_claims_no_loss_while_moves_are_open() {
    let result = |moves: &[(RootResult, RootResult)]| {
        first(root_moves(moves), |moves| avoid_unproven_loss(moves, Depth(8)))
    };
    let scored = |score| (found(score, Exact, 7), found(score, Exact, 7));
    for lost in [mate(1, Exact, 8), mate(1, Upper, 8), found(-Score::TB_WIN.0 + 9, Exact, 8)] {
        // Another move has a score of the last iteration.
        let moves = [(lost.clone(), found(764, Exact, 7)), scored(20), scored(300)];
        assert_eq!(result(&moves), (2, found(300, Exact, 7)));
        // The other moves were no better than the first in the last iteration.
        let moves = [(lost.clone(), found(764, Exact, 7)), (NONE, NONE), (NONE, NONE)];
        assert_eq!(result(&moves), (1, found(764, Upper, 7)));
        // In the first iteration nothing else is known.
        let (index, bound) = result(&[(lost.clone(), NONE), (NONE, NONE)]);
        assert_eq!((index, bound.score, bound.bound), (1, lost.score, Lower));
    }
    // By the tables all moves lose, so one that is not searched is no better.
    let mut moves = root_moves(&[(mate(9, Exact, 8), found(-2000, Exact, 7)), (NONE, NONE)]);
    for root_move in &mut moves {
        root_move.tb_score = Some(-Score::TB_WIN);
    }
    let (index, kept) = first(moves, |moves| avoid_unproven_loss(moves, Depth(8)));
    assert_eq!((index, kept.score, kept.bound), (0, mate(9, Exact, 8).score, Lower));
    // The window was widened, and the move is not searched in it yet.
    let mut moves = root_moves(&[(found(764, Exact, 7), found(764, Exact, 7)), scored(20)]);
    moves[0].is_lost = true;
    assert_eq!(first(moves, |moves| avoid_unproven_loss(moves, Depth(8))), (1, found(20, Exact, 7)));
}

#[test]
fn proven_loss_of_a_completed_iteration_remains() {
    let unchanged = |moves: Vec<RootMove>| {
        let before = moves[0].current.clone();
        assert_eq!(first(moves, |moves| avoid_unproven_loss(moves, Depth(8))), (0, before));
    };
    // The iteration has not searched a move yet.
    unchanged(root_moves(&[(mate(7, Exact, 7), mate(7, Exact, 7)), (NONE, NONE)]));
    // The first move does not lose, or may not.
    unchanged(root_moves(&[(found(-900, Exact, 8), NONE), (NONE, NONE)]));
    unchanged(root_moves(&[(mate(3, Lower, 8), NONE), (NONE, NONE)]));
    // All moves are known to lose: the completed iteration knows the longest defence.
    let mut moves = root_moves(&[(mate(5, Exact, 8), mate(7, Exact, 7)), (NONE, NONE)]);
    moves[1].is_lost = true;
    let change = |moves: &mut [RootMove]| avoid_unproven_loss(moves, Depth(8));
    assert_eq!(first(moves.clone(), change), (0, mate(7, Exact, 7)));
    // In the first iteration its own score is a lower bound.
    moves[0].previous = NONE;
    assert_eq!(first(moves.clone(), change), (0, mate(5, Lower, 8)));
    // A move that the tables rank lower is no choice.
    moves[0].rank = 1;
    moves[1].is_lost = false;
    assert_eq!(first(moves, change), (0, mate(5, Lower, 8)));
}

/// Deepens as a helper of a team of two that was asked for a mate, with at most 20,000 nodes. Returns
/// whether the helper has told the main worker.
fn tells_mate(fen: &str, mate: u32, change: impl FnOnce(&mut Fixture)) -> bool {
    let mut fixture = Fixture::with_threads(2, fen);
    fixture.job.limits.mate = Some(mate);
    fixture.job.node_budget = Some(NodeBudget::new(Nodes(20_000), 1, Nodes(0)));
    change(&mut fixture);
    fixture.with(Fixed, |search| {
        search.worker.id = 1;
        search.deepen();
    });
    fixture.job.is_mate_found.load(Ordering::Relaxed)
}

#[test]
fn helper_that_finds_the_mate_asked_for_tells_the_main_worker() {
    const MATE_IN_TWO: &str = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1";
    const MATED_IN_ONE: &str = "7k/R7/8/8/8/8/8/1R4K1 b - - 0 1";
    assert!(tells_mate(MATE_IN_TWO, 2, |_| {}));
    assert!(tells_mate(MATE_IN_TWO, 3, |_| {}), "a shorter mate than asked for");
    assert!(!tells_mate(MATE_IN_TWO, 1, |_| {}), "a longer mate than asked for");
    assert!(!tells_mate(MATED_IN_ONE, 3, |_| {}), "a loss wins no vote");
    assert!(tells_mate(MATE_IN_TWO, 2, |fixture| fixture.job.multipv = 2), "one of several lines");
    let to_depth = |fixture: &mut Fixture| fixture.job.limits.depth = Some(Depth(9));
    assert!(!tells_mate(MATE_IN_TWO, 2, to_depth), "the main worker decides");
}

#[test]
fn main_worker_ends_when_a_helper_has_found_the_mate() {
    let nodes = |is_found| {
        let mut fixture =
            Fixture::with_threads(2, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        fixture.job.node_budget = Some(NodeBudget::new(Nodes(50_000), 1, Nodes(0)));
        fixture.job.is_mate_found.store(is_found, Ordering::Relaxed);
        fixture.with(Fixed, |search| {
            search.deepen();
            assert!(search.worker.completed > Depth::ZERO, "a move is searched");
            search.worker.nodes
        })
    };
    assert_eq!(nodes(false), 50_000);
    assert!(nodes(true) < 5_000);
}
