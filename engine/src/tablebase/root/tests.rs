//! Tests of ranking root moves.

use std::sync::Arc;

use super::*;
use crate::tablebase::{MateTables, TableUse};
use crate::types::Color;

const FRESH: RootContext =
    RootContext { clock: 0, has_fifty_moves: true, has_repeated: false, swindles: false };

fn exact(plies: i32) -> Dtz {
    Dtz { plies, is_rounded: false }
}

fn rounded(plies: i32) -> Dtz {
    Dtz { plies, is_rounded: true }
}

#[test]
fn ranks_are_ordered_from_mate_to_being_mated() {
    let order = [
        RootRank::Mates(1),
        RootRank::Mates(100),
        RootRank::Wins(30),
        RootRank::MayWin(100),
        RootRank::Cursed(101),
        RootRank::Cursed(4000),
        RootRank::Draws,
        RootRank::Blessed(4000),
        RootRank::Blessed(101),
        RootRank::MayLose(100),
        RootRank::Loses(90),
        RootRank::Loses(3),
        RootRank::IsMated(100),
        RootRank::IsMated(2),
    ];
    let ranks = order.map(|rank| rank.rank(FRESH));
    assert!(ranks.is_sorted_by(|one, other| one > other), "{ranks:?}");
    assert_eq!(RootRank::Wins(3).rank(FRESH), RootRank::Wins(70).rank(FRESH), "the search chooses");
    let hurried = RootContext { has_repeated: true, ..FRESH };
    assert!(RootRank::Wins(3).rank(hurried) > RootRank::Wins(70).rank(hurried));
    assert_eq!(RootRank::Loses(3).rank(FRESH), RootRank::Loses(40).rank(FRESH));
}

#[test]
fn unknown_distance_ranks_as_the_longest() {
    let hurried = RootContext { has_repeated: true, ..FRESH };
    let ranks = |context: RootContext, result: Wdl| {
        let zeroing = from_dtz(Dtz::after_zeroing(-result), context);
        [zeroing, from_wdl(result, context)].map(|rank| rank.rank(context))
    };
    let [zeroing, quiet] = ranks(hurried, Wdl::Win);
    assert!(zeroing > quiet, "quiet moves alone end in a fifty-move draw");
    assert!(quiet < RootRank::Wins(100).rank(hurried) && quiet > RootRank::MayWin(1).rank(hurried));
    let [zeroing, quiet] = ranks(FRESH, Wdl::Win);
    assert_eq!(zeroing, quiet, "the search chooses");
    let [zeroing, quiet] = ranks(RootContext { swindles: true, ..FRESH }, Wdl::Loss);
    assert!(zeroing < quiet && quiet < RootRank::MayLose(1).rank(FRESH));
}

#[test]
fn fifty_move_clock_decides_the_value_of_a_distance() {
    let at = |clock| RootContext { clock, ..FRESH };
    assert_eq!(from_dtz(exact(40), at(60)), RootRank::Wins(40));
    assert_eq!(from_dtz(exact(41), at(60)), RootRank::Cursed(101));
    assert_eq!(from_dtz(rounded(39), at(60)), RootRank::Wins(39));
    assert_eq!(from_dtz(rounded(40), at(60)), RootRank::MayWin(40));
    assert_eq!(from_dtz(exact(-40), at(60)), RootRank::Loses(40));
    assert_eq!(from_dtz(rounded(-40), at(60)), RootRank::MayLose(40));
    assert_eq!(from_dtz(exact(-41), at(60)), RootRank::Blessed(101));
    assert_eq!(from_dtz(exact(101), at(0)), RootRank::Cursed(101));
    assert_eq!(from_dtz(Dtz::DRAW, at(99)), RootRank::Draws);
    let free = RootContext { clock: 90, has_fifty_moves: false, has_repeated: false, swindles: false };
    assert_eq!(from_dtz(exact(250), free), RootRank::Wins(250));
    // Ranks then depend on the distance, to guarantee progress.
    assert!(RootRank::Wins(249).rank(free) > RootRank::Wins(250).rank(free));
    assert!(RootRank::Wins(10).rank(free) > RootRank::Wins(249).rank(free));
}

#[test]
fn mate_beyond_the_fifty_move_limit_is_uncertain() {
    let at = |clock| RootContext { clock, ..FRESH };
    assert_eq!(from_dtm(Outcome::Win(31), at(69)), RootRank::Mates(31));
    assert_eq!(from_dtm(Outcome::Win(31), at(70)), RootRank::MayWin(31));
    assert_eq!(from_dtm(Outcome::Loss(30), at(70)), RootRank::IsMated(30));
    assert_eq!(from_dtm(Outcome::Loss(30), at(71)), RootRank::MayLose(30));
    let free = RootContext { clock: 99, has_fifty_moves: false, has_repeated: false, swindles: false };
    assert_eq!(from_dtm(Outcome::Win(31), free), RootRank::Mates(31));
    assert_eq!(RootRank::Mates(31).score(free), Some(Score::mate_in(Ply(31))));
    assert_eq!(RootRank::Mates(300).score(free), Some(Score::TB_WIN));
}

#[test]
fn distance_is_no_exact_score_where_a_position_may_occur_for_the_third_time() {
    let repeated = RootContext { has_repeated: true, ..FRESH };
    for (rank, near, score) in [
        (RootRank::Mates as fn(u16) -> RootRank, Score::mate_in(Ply(1)), Score::TB_WIN),
        (RootRank::IsMated, Score::mated_in(Ply(1)), -Score::TB_WIN),
    ] {
        assert_eq!(rank(1).score(repeated), Some(near), "the next position ends the game");
        assert_eq!(rank(5).score(repeated), Some(score));
        assert!(rank(5).score(FRESH).is_some_and(Score::is_mate));
        assert_eq!(rank(5).rank(repeated), rank(5).rank(FRESH), "the distance must decrease");
    }
}

#[test]
fn short_mate_ranks_before_a_piece_given_away_after_a_repetition() {
    let mates = mates_after("8/4Q3/5K2/7k/8/8/8/4Q3 w - - 0 1", ["f6g7", "h5g4", "g7f6", "g4h5"], 3);
    // By its distance Qh4+ is best: Kxh4 takes the queen.
    assert!(mates.contains(&"e7e2".to_owned()) && !mates.contains(&"e1h4".to_owned()), "{mates:?}");
}

/// 1. Kb3 Ka1 2. d8=Q Kb1 3. Qd1#: the pawn moves at 99 plies.
#[test]
fn short_mate_may_pass_the_fifty_move_limit_by_a_pawn_move() {
    let moves = ["a4b5", "b1b2", "b5a4", "b2b1"];
    assert_eq!(mates_after("8/3P4/8/8/K7/8/8/1k6 w - - 93 1", moves, 5), ["a4b3"]);
    assert_eq!(
        mates_after("8/3P4/8/8/K7/8/8/1k6 w - - 95 1", moves, 5),
        [""; 0],
        "the pawn move is too late"
    );
}

/// Returns the moves with a mate in this number of plies by the embedded tables, the best of all.
fn mates_after(fen: &str, moves: [&str; 4], plies: u16) -> Vec<String> {
    let mut game = Game::new(Position::from_fen(fen).expect("a position"));
    for text in moves {
        game.play(game.position().parse_uci(text).expect("a legal move"));
    }
    let usage = TableUse { has_embedded: true, ..TableUse::default() };
    let tables = Tablebases { usage, ..Tablebases::default() };
    let moves: Vec<Move> = game.position().legal_moves().iter().copied().collect();
    let ranking = tables.rank(&game, &moves).expect("embedded tables");
    let mates = ranking.moves.iter().take_while(|ranked| ranked.score == Some(Score::mate_in(Ply(plies))));
    mates.map(|ranked| ranked.mv.to_string()).collect()
}

#[test]
fn result_without_a_distance_is_certain_with_a_fresh_clock_only() {
    for result in [Wdl::Win, Wdl::Loss] {
        let score = |context| from_wdl(result, context).score(context);
        assert!(score(FRESH).is_some());
        assert_eq!(score(RootContext { clock: 1, ..FRESH }), None);
        assert_eq!(score(RootContext { has_repeated: true, ..FRESH }), None);
    }
}

/// Test tables of three pieces that return a mate distance derived from the distance of the
/// kings.
struct KingDistanceTables;

impl MateTables for KingDistanceTables {
    fn max_pieces(&self) -> usize {
        3
    }

    fn outcome(&self, position: &Position) -> Option<Outcome> {
        let distance = position.king(Color::White).distance(position.king(Color::Black));
        Some(match position.side_to_move() {
            Color::White => Outcome::Win(u16::from(distance) * 2 + 1),
            Color::Black => Outcome::Loss(u16::from(distance) * 2),
        })
    }
}

fn ranked(fen: &str) -> Ranking {
    let tables = Tablebases { dtm: Some(Arc::new(KingDistanceTables)), ..Tablebases::default() };
    let game = Game::new(Position::from_fen(fen).expect("a position"));
    let moves: Vec<Move> = game.position().legal_moves().iter().copied().collect();
    tables.rank(&game, &moves).expect("tables for all moves")
}

#[test]
fn shortest_mate_ranks_first() {
    let ranking = ranked("8/8/8/8/8/4k3/8/KR6 w - - 0 1");
    let first = ranking.moves[0];
    assert_eq!((first.mv.to_string().as_str(), first.score), ("a1b2", Some(Score::mate_in(Ply(7)))));
    assert!(ranking.is_sufficient);
    // The side being mated prefers the longest defence.
    let ranking = ranked("8/8/8/8/8/3k4/8/KR6 b - - 0 1");
    assert_eq!(ranking.moves[0].score, Some(Score::mated_in(Ply(10))));
    assert!(ranking.moves.last().is_some_and(|last| last.rank < ranking.moves[0].rank));
    // Near the fifty-move limit the shortest mate is still the best try.
    let late = ranked("8/8/8/8/8/4k3/8/KR6 w - - 95 90");
    assert_eq!((late.moves[0].mv.to_string().as_str(), late.moves[0].score), ("a1b2", None));
}

#[test]
fn swindles_prefer_moves_that_leave_few_winning_replies() {
    let embedded = |swindles| {
        let usage = TableUse { has_embedded: true, swindles, ..TableUse::default() };
        Tablebases { usage, ..Tablebases::default() }
    };
    let (plain, sly) = (embedded(false), embedded(true));
    let mut changed = 0;
    for fen in [
        "8/8/8/3k4/8/1r6/8/K6Q b - - 0 1",
        "8/8/2r5/8/3k4/8/1Q6/K7 b - - 0 1",
        "8/8/8/8/2k1n3/8/8/K2R4 b - - 0 1",
        "8/1k6/8/2p5/8/8/1QK5/8 b - - 0 1",
    ] {
        let game = Game::new(Position::from_fen(fen).expect("a position"));
        let moves: Vec<Move> = game.position().legal_moves().iter().copied().collect();
        let [plain, ranking] =
            [&plain, &sly].map(|tables| tables.rank(&game, &moves).expect("tables of four pieces"));
        assert_eq!(ranking.is_sufficient, plain.is_sufficient);
        if plain.moves[0].rank > i32::from(MAX_PLIES) - WIN {
            assert_eq!(ranking.moves[0], plain.moves[0], "{fen}: the choice changes only in lost positions");
            continue;
        }
        let keys = [game.keys(), &[game.position().key()]].concat();
        for one in &ranking.moves {
            let child = game.position().after(one.mv);
            let by_distance = rank_move(&sly, RootContext { swindles: true, ..FRESH }, &child, &keys);
            let share = winning_share(&sly, &child).expect("covered");
            let bonus = SWINDLE_PLIES * (1000 - share as i32) / 1000;
            let rank = by_distance.expect("covered").rank(RootContext { swindles: true, ..FRESH });
            assert_eq!(one.rank, rank + bonus, "{fen}");
        }
        assert!(ranking.moves.is_sorted_by_key(|one| -one.rank), "{fen}");
        changed += usize::from(ranking.moves[0].mv != plain.moves[0].mv);
    }
    assert!(changed > 0, "the choice never differs from that by distance");
}

#[test]
fn exceeded_time_limit_gives_no_ranking() {
    let tables = Tablebases { dtm: Some(Arc::new(KingDistanceTables)), ..Tablebases::default() };
    let game = Game::new(Position::from_fen("8/8/8/8/8/4k3/8/KR6 w - - 0 1").expect("a position"));
    let moves: Vec<Move> = game.position().legal_moves().iter().copied().collect();
    assert!(tables.rank_within(&game, &moves, Some(Duration::ZERO)).is_none());
    assert_eq!(tables.rank_within(&game, &moves, Some(Duration::MAX)), tables.rank(&game, &moves));
}

#[test]
fn time_limit_exceeded_among_lost_moves_keeps_the_order_by_distance() {
    let usage = TableUse { has_embedded: true, swindles: true, ..TableUse::default() };
    let tables = Tablebases { usage, ..Tablebases::default() };
    // After Kc3 four of 15 replies lose the rook, so its bonus is not zero.
    let position = Position::from_fen("8/8/8/8/2k1n3/8/8/K2R4 b - - 0 1").expect("a position");
    let lost = |&mv: &Move| RankedMove { mv, rank: -WIN, score: None };
    let before: Vec<RankedMove> = position.legal_moves().iter().map(lost).collect();
    let mut checks = 0;
    let mut ranked = before.clone();
    order_lost_moves(&tables, &position, &mut ranked, || {
        checks += 1;
        checks == before.len()
    });
    assert_eq!(ranked, before);
    order_lost_moves(&tables, &position, &mut ranked, || false);
    assert_ne!(ranked, before);
}

#[test]
fn immediate_mate_needs_no_table() {
    let ranking = ranked("k7/8/1K6/8/8/8/8/7R w - - 99 90");
    assert_eq!(ranking.moves[0].score, Some(Score::mate_in(Ply(1))));
    assert!(ranking.moves[1..].iter().all(|ranked| ranked.score == Some(Score::DRAW)));
}
