//! Ranking and scores of root moves with tablebases.

use shakmaty::{Chess, Position as _};
use shakmaty_syzygy::Wdl as JudgeWdl;
use stretto::engine::{Configuration, Solo};
use stretto::position::{Game, Position};
use stretto::search::limits::Limits;
use stretto::tablebase::{Ranking, TableUse, Tablebases, Wdl};
use stretto::types::{Depth, Mebibytes, Move, Nodes, Ply, Score};

use crate::common::{Random, with_clock};
use crate::judge::{self, Judge, MATERIALS};

fn game(fen: &str, moves: &[&str]) -> Game {
    let mut game = Game::new(Position::from_fen(fen).expect("a position"));
    for text in moves {
        game.play(game.position().parse_uci(text).expect("a legal move"));
    }
    game
}

fn rank(tables: &Tablebases, game: &Game) -> Ranking {
    let moves: Vec<Move> = game.position().legal_moves().iter().copied().collect();
    tables.rank(game, &moves).expect("tables for all moves")
}

/// Returns the moves of the best rank as text.
fn best(ranking: &Ranking) -> Vec<String> {
    let top = ranking.moves[0].rank;
    ranking.moves.iter().filter(|ranked| ranked.rank == top).map(|ranked| ranked.mv.to_string()).collect()
}

fn after(position: &Chess, text: &str) -> Chess {
    let mv = text.parse::<shakmaty::uci::UciMove>().expect("a move").to_move(position).expect("a legal move");
    let mut after = position.clone();
    after.play_unchecked(mv);
    after
}

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_probes_agree_with_the_reference_reader() {
    let folder = crate::folder();
    let (tables, judge) = (crate::tables(&folder), Judge::new(&folder));
    let syzygy = tables.syzygy.as_ref().expect("tables");
    let mut random = Random::new(5);
    let mut en_passant = 0;
    for round in 0..4000 {
        let material = if round % 4 == 0 { "KPvKP" } else { MATERIALS[random.below(MATERIALS.len())] };
        let mut position = Judge::random(material, &mut random);
        // Sometimes a double step, so that en passant occurs.
        let step = position.legal_moves().into_iter().find(|mv| {
            mv.role() == shakmaty::Role::Pawn && mv.from().is_some_and(|from| from.distance(mv.to()) == 2)
        });
        if let Some(step) = step {
            position.play_unchecked(step);
        }
        let fen = judge::fen(&position, 0);
        let own = Position::from_fen(&fen).expect("a position");
        en_passant += usize::from(own.ep_square().is_some());
        let expected = match judge.wdl(&position) {
            JudgeWdl::Loss => Wdl::Loss,
            JudgeWdl::BlessedLoss => Wdl::BlessedLoss,
            JudgeWdl::Draw => Wdl::Draw,
            JudgeWdl::CursedWin => Wdl::CursedWin,
            JudgeWdl::Win => Wdl::Win,
        };
        assert_eq!(syzygy.wdl(&own), Some(expected), "{fen}");
        if position.legal_moves().is_empty() {
            continue;
        }
        assert_eq!(syzygy.dtz(&own).map(|dtz| dtz.plies), Some(judge.dtz(&position).0), "{fen}");
    }
    assert!(en_passant > 5, "{en_passant}");
}

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_best_ranked_moves_preserve_the_result_for_any_clock() {
    let folder = crate::folder();
    let (tables, judge) = (crate::tables(&folder), Judge::new(&folder));
    let mut random = Random::new(8);
    let (mut bound, mut won) = (0, 0);
    for _ in 0..600 {
        let position = Judge::random(MATERIALS[random.below(MATERIALS.len())], &mut random);
        let clock = random.below(100) as u32;
        let fen = judge::fen(&position, clock);
        let position = judge::position(&fen);
        let Some(result) = judge.result(&position) else { continue };
        let ranking = rank(&tables, &game(&fen, &[]));
        let best = best(&ranking);
        for text in &best {
            let after = after(&position, text);
            let is_mate = after.is_checkmate();
            let is_draw = !is_mate && (after.is_stalemate() || after.halfmoves() >= 100);
            let kept = if is_mate {
                Some(JudgeWdl::Win)
            } else if is_draw {
                Some(JudgeWdl::Draw)
            } else {
                judge.result(&after).map(|wdl| -wdl)
            };
            // Rounding may make it uncertain that a move keeps the result, but never hide that it
            // does not.
            let is_kept = |kept: JudgeWdl| match result {
                JudgeWdl::CursedWin | JudgeWdl::BlessedLoss => kept == result || kept == JudgeWdl::Draw,
                _ => kept == result,
            };
            assert!(kept.is_none_or(is_kept), "{fen} {text}: {result:?} became {kept:?}");
        }
        if result == JudgeWdl::Win {
            won += 1;
            let others = ranking.moves.iter().filter(|ranked| !best.contains(&ranked.mv.to_string()));
            bound += usize::from(
                clock > 0
                    && others.clone().any(|ranked| {
                        let after = after(&position, &ranked.mv.to_string());
                        !after.legal_moves().is_empty() && -judge.wdl(&after) == JudgeWdl::Win
                    }),
            );
            assert!(ranking.moves[0].score.is_some_and(|score| score >= Score::TB_WIN), "{fen}");
            for ranked in others {
                assert!(ranked.rank < ranking.moves[0].rank);
            }
        }
    }
    // The clock did exclude moves that would win otherwise.
    assert!(won > 100 && bound > 3, "{bound} of {won}");
}

/// King and rook far from mate.
const ROOK: &str = "8/8/8/4k3/8/8/8/KR6 w - - 0 1";

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_high_clock_leaves_only_the_fastest_moves() {
    let folder = crate::folder();
    let (tables, judge) = (crate::tables(&folder), Judge::new(&folder));
    let start = judge::position(ROOK);
    let plies = judge.dtz(&start).0;
    assert!(plies > 20, "{plies}");
    let free = best(&rank(&tables, &game(ROOK, &[])));
    let late = with_clock(ROOK, (99 - plies) as u16);
    let bound = best(&rank(&tables, &game(&late, &[])));
    assert!(!bound.is_empty() && bound.len() < free.len(), "{bound:?} {free:?}");
    for text in &bound {
        assert!(judge.dtz(&after(&start, text)).0 >= 1 - plies, "{text}");
    }
    // One move later the win is cursed and scores slightly above a draw; without the rule it is a
    // win.
    let too_late = with_clock(ROOK, (102 - plies) as u16);
    let cursed = rank(&tables, &game(&too_late, &[]));
    assert_eq!(cursed.moves[0].score, Some(Score(2)));
    let mut without = tables.clone();
    without.usage.has_fifty_moves = false;
    let ranking = rank(&without, &game(&too_late, &[]));
    assert_eq!(ranking.moves[0].score, Some(Score::TB_WIN));
    for text in best(&ranking) {
        assert!(judge.dtz(&after(&start, &text)).0 >= 1 - plies, "not the fastest move: {text}");
    }
    // For the defender: lost, but saved by the rule.
    let defender =
        |clock| rank(&tables, &game(&with_clock(&ROOK.replace(" w ", " b "), clock), &[])).moves[0].score;
    assert_eq!(defender(0), Some(-Score::TB_WIN));
    assert_eq!(defender(90), Some(Score(-2)));
}

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_repetition_leaves_only_the_fastest_moves() {
    let folder = crate::folder();
    let (tables, judge) = (crate::tables(&folder), Judge::new(&folder));
    let there_and_back = ["b1b2", "e5e4", "b2b1", "e4e5"];
    let once = game(ROOK, &there_and_back);
    let free = rank(&tables, &game(ROOK, &[]));
    let hurried = rank(&tables, &once);
    assert!(best(&hurried).len() < best(&free).len());
    let start = judge::position(ROOK);
    let shortest = judge.dtz(&start).0;
    for text in best(&hurried) {
        assert!(judge.dtz(&after(&start, &text)).0 >= 1 - shortest, "{text}");
    }
    // A third occurrence is a draw, whether caused by our move or by the reply.
    let line = [there_and_back, there_and_back].concat();
    let score = |plies: usize, text: &str| {
        let game = game(ROOK, &line[..plies]);
        let mv = game.position().parse_uci(text).expect("a legal move");
        tables.rank(&game, &[mv]).expect("tables").moves[0].score
    };
    assert_eq!(score(2, "b2b1"), Some(Score::TB_WIN), "the answer would be the second time");
    assert_eq!(score(6, "b2b1"), Some(Score::DRAW), "the answer would be the third");
    assert_eq!(score(6, "b2b3"), Some(Score::TB_WIN));
    assert_eq!(score(3, "e4e5"), Some(-Score::TB_WIN));
    assert_eq!(score(7, "e4e5"), Some(Score::DRAW), "the third time");
}

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_wdl_tables_alone_rank_but_are_not_sufficient() {
    let folder = crate::folder();
    let scratch = std::env::temp_dir().join(format!("stretto-{}-results", std::process::id()));
    std::fs::create_dir_all(&scratch).expect("a folder for temporary files");
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "rtbw") {
            std::fs::copy(&path, scratch.join(path.file_name().expect("a name"))).expect("a copy");
        }
    }
    let results = crate::tables(&scratch);
    let ranking = rank(&results, &game(ROOK, &[]));
    assert_eq!(ranking.moves[0].score, Some(Score::TB_WIN));
    assert!(!ranking.is_sufficient, "the search has to make progress");
    assert!(rank(&crate::tables(&folder), &game(ROOK, &[])).is_sufficient);
    // Sufficient if nothing is to be won.
    assert!(rank(&results, &game(&ROOK.replace(" w ", " b "), &[])).is_sufficient);
    // One of these moves loses the rook and must be avoided.
    let position = "8/8/8/8/8/1k6/7R/K7 w - - 0 1";
    assert!(
        rank(&results, &game(position, &[])).moves.iter().any(|ranked| ranked.score == Some(Score::DRAW))
    );
    // After a repetition the pawn has to advance: king moves alone end in a fifty-move draw.
    let pawn = "4k3/8/4K3/8/4P3/8/8/8 w - - 0 1";
    assert!(best(&rank(&results, &game(pawn, &[]))).len() > 1, "the search chooses");
    assert_eq!(best(&rank(&results, &game(pawn, &["e6d6", "e8d8", "d6e6", "d8e8"]))), ["e4e5"]);
    let _ = std::fs::remove_dir_all(&scratch);
}

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_roots_without_complete_coverage_are_not_ranked() {
    let folder = crate::folder();
    let tables = crate::tables(&folder);
    let ranked = |tables: &Tablebases, fen: &str| {
        let game = game(fen, &[]);
        let moves: Vec<Move> = game.position().legal_moves().iter().copied().collect();
        tables.rank(&game, &moves).is_some()
    };
    assert!(ranked(&tables, ROOK));
    assert!(ranked(&tables, "4k3/8/8/8/8/8/8/4K2R w K - 0 1"), "every move loses the castling right");
    assert!(!ranked(&tables, "4k3/8/8/8/8/8/P7/4K2R w K - 0 1"), "the pawn moves do not");
    assert!(!ranked(&tables, "4k3/8/8/8/8/8/4PP2/4K2R w - - 0 1"), "too many pieces");
    let mut limited = tables.clone();
    limited.usage.probe_limit = 2;
    assert!(!ranked(&limited, ROOK));
    assert_eq!(limited.max_pieces(), 2);
    limited.usage.probe_limit = 0;
    assert_eq!(limited.max_pieces(), 0);
}

/// Searches a position with tables.
fn search(tables: &Tablebases, fen: &str, limits: Limits) -> stretto::search::events::SearchResult {
    let configuration = Configuration { tables: tables.clone(), ..Configuration::default() };
    let mut solo = Solo::new(Mebibytes(1), configuration).expect("a table of one MiB");
    solo.search(&game(fen, &[]), limits)
}

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_scores_come_from_the_tables_unless_a_mate_is_found() {
    let folder = crate::folder();
    let tables = crate::tables(&folder);
    let score = |fen: &str, depth| {
        search(&tables, fen, Limits { depth: Some(Depth(depth)), ..Limits::default() }).score
    };
    assert_eq!(score(ROOK, 2), Score::TB_WIN);
    assert_eq!(score(&ROOK.replace(" w ", " b "), 2), -Score::TB_WIN);
    assert_eq!(score("8/8/8/4k3/8/8/8/KB5b w - - 0 1", 6), Score::DRAW);
    // The evaluation alone would see an extra piece.
    assert_eq!(score("8/8/4k3/3r4/8/8/3B4/3K4 b - - 0 1", 6), Score::DRAW);
    assert_eq!(score("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 8).mate_moves(), Some(2));
}

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_searchmoves_restrict_the_ranked_moves() {
    let folder = crate::folder();
    let tables = crate::tables(&folder);
    // The rook is attacked: one of the two allowed moves loses it.
    let fen = "8/8/8/8/8/1k6/7R/K7 w - - 0 1";
    let position = Position::from_fen(fen).expect("a position");
    let only = |texts: &[&str]| {
        let searchmoves = texts.iter().map(|text| position.parse_uci(text).expect("a legal move")).collect();
        let limits = Limits { depth: Some(Depth(3)), searchmoves, ..Limits::default() };
        let outcome = search(&tables, fen, limits);
        (outcome.best.map(|mv| mv.to_string()), outcome.score)
    };
    assert_eq!(only(&["h2c2"]), (Some("h2c2".into()), Score::DRAW));
    assert_eq!(only(&["h2c2", "h2h8"]), (Some("h2h8".into()), Score::TB_WIN));
}

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_search_probes_the_tables_in_the_tree() {
    let folder = crate::folder();
    let tables = crate::tables(&folder);
    // Five pieces: a capture leads to the tables.
    let fen = "8/8/8/2k5/2p5/8/1K1B4/3r4 b - - 0 1";
    let limits = || Limits { nodes: Some(Nodes(5_000)), ..Limits::default() };
    let with = search(&tables, fen, limits());
    assert!(with.score.tb_plies().is_some(), "{:?}", with.score);
    let mut unasked = tables.clone();
    unasked.usage.probe_limit = 0;
    let without = search(&unasked, fen, limits());
    assert!(without.score.tb_plies().is_none(), "{:?}", without.score);
    assert_eq!(without, search(&Tablebases::default(), fen, limits()));
}

/// Searches with the embedded tables, which know the distance to mate of three pieces only.
fn played(fen: &str, nodes: u64) -> (String, Score) {
    let configuration = Configuration { tables: crate::embedded(), ..Configuration::default() };
    let mut engine = Solo::new(Mebibytes(1), configuration).expect("a table of one MiB");
    let limits = Limits { nodes: Some(Nodes(nodes)), ..Limits::default() };
    let outcome = engine.search(&game(fen, &[]), limits);
    (outcome.best.expect("a move").to_string(), outcome.score)
}

#[test]
fn lost_side_takes_a_piece_rather_than_being_mated_at_once() {
    // A quiet move allows Qb8 mate; after the capture, the mate is far.
    assert_eq!(played("R7/k7/8/1K6/8/8/8/2Q5 b - - 0 1", 2000).0, "a7a8");
    // All moves that lose have one rank, with and without a known distance.
    let ranking = rank(&crate::embedded(), &game("R7/k7/8/1K6/8/8/8/2Q5 b - - 0 1", &[]));
    assert_eq!(best(&ranking).len(), ranking.moves.len());
}

#[test]
fn mate_that_a_capture_leads_to_is_beaten_by_a_shorter_one_only() {
    let fen = "8/2p5/2K5/k7/8/4R3/8/8 w - - 0 1";
    assert_eq!(played(fen, 5000).1, Score::mate_in(Ply(3)));
    let (mv, score) = played(fen, 2);
    assert_eq!((mv.as_str(), score), ("c6c7", Score::mate_in(Ply(25))), "nothing better is found yet");
    let configuration = Configuration { tables: crate::embedded(), ..Configuration::default() };
    let mut engine = Solo::new(Mebibytes(1), configuration).expect("a table of one MiB");
    let limits = Limits { mate: Some(2), nodes: Some(Nodes(100_000)), ..Limits::default() };
    let outcome = engine.search(&game(fen, &[]), limits);
    assert_eq!(outcome.score, Score::mate_in(Ply(3)));
    assert!(outcome.nodes.0 < 20_000, "`go mate 2` ends by itself: {}", outcome.nodes.0);
}

#[test]
fn zeroing_move_wins_at_any_clock() {
    for clock in [0, 70, 99, 100, 120] {
        let ranking =
            rank(&crate::embedded(), &game(&with_clock("8/8/8/8/3k4/8/4n2R/K7 w - - 0 90", clock), &[]));
        let first = ranking.moves[0];
        assert_eq!(
            (first.mv.to_string().as_str(), first.score),
            ("h2e2", Some(Score::mate_in(Ply(33)))),
            "{clock}"
        );
        assert!(clock < 99 || ranking.moves[1].rank <= 0, "{clock}: other moves come too late");
    }
}

#[test]
fn lost_side_avoids_a_mate_in_one_near_the_fifty_move_limit() {
    for clock in 86..=94 {
        let fen = with_clock("7k/8/7K/8/8/3n4/8/3R4 b - - 0 80", clock);
        assert_eq!(played(&fen, 2000).0, "h8g8", "clock {clock}");
    }
    assert_eq!(first_of_swindles("7k/8/7K/8/8/3n4/8/3R4 b - - 0 80"), "h8g8");
}

/// Returns the first move of the ranking by embedded tables with the option `Swindle`.
fn first_of_swindles(fen: &str) -> String {
    let usage = TableUse { has_embedded: true, swindles: true, ..TableUse::default() };
    let tables = Tablebases { usage, ..Tablebases::default() };
    rank(&tables, &game(fen, &[])).moves[0].mv.to_string()
}

/// A mate before the limit is no way to reach it, however many plies it takes.
#[test]
fn lost_side_captures_rather_than_being_mated_soon_near_the_fifty_move_limit() {
    for clock in 90..=98 {
        for (fen, capture, last) in [
            ("k3q3/4K3/8/2q5/8/8/8/8 w - - 0 130", "e7e8", 98),
            ("8/8/8/6k1/8/p7/3q4/2K5 w - - 0 130", "c1d2", 98),
            // Later the mate in two comes too late.
            ("8/8/4R3/3Q4/4k3/8/8/7K b - - 0 130", "e4d5", 96),
        ] {
            if clock > last {
                continue;
            }
            assert_eq!(played(&with_clock(fen, clock), 2000).0, capture, "{fen}, clock {clock}");
        }
    }
}

/// A captured queen leaves a longer resistance than a mate in two or three.
#[test]
fn swindle_counts_the_whole_resistance_after_a_capture() {
    assert_eq!(first_of_swindles("8/8/4R3/3Q4/4k3/8/8/7K b - - 0 1"), "e4d5");
    assert_eq!(first_of_swindles("8/K7/8/8/5P2/8/7k/6Q1 b - - 0 60"), "h2g1");
}
