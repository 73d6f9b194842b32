//! Endgame tables: options, messages, scores and counts of hits.

use std::fs;
use std::path::PathBuf;

use stretto::position::{Game, Position};
use stretto::tablebase::{Metric, Tablebase};

use crate::data;
use crate::driver::{Engine, Search, ms, number_after};

const ROOK: &str = "8/8/8/4k3/8/8/8/KR6 w - - 0 1";
/// Five pieces: the tables are reached by a capture.
const FIVE: &str = "8/8/8/2k5/2p5/8/1K1B4/3r4 b - - 0 1";

/// Returns the folder of the Syzygy tables.
fn folder() -> PathBuf {
    data::collection("tb/syzygy")
}

/// Starts an engine with the Syzygy tables.
fn with_tables() -> Engine {
    let folder = folder();
    let mut engine = Engine::ready();
    // The embedded tables would rank the root moves by distance to mate.
    engine.tell("setoption name EmbeddedTables value false");
    let said = engine.tell(&format!("setoption name SyzygyPath value {}", folder.display()));
    assert_eq!(said, ["info string SyzygyPath: 35 WDL and 35 DTZ tables of up to 4 pieces"]);
    engine
}

fn search(engine: &mut Engine, fen: &str, limits: &str) -> Search {
    engine.tell(&format!("position fen {fen}"));
    let search = engine.go(limits);
    engine.check_moves(&search, false);
    search
}

/// Returns the count of table hits in the last line.
fn hits(search: &Search) -> i64 {
    number_after(&search.last().line, "tbhits").expect("a count of table hits")
}

#[test]
fn found_and_skipped_tables_are_reported() {
    let mut engine = Engine::ready();
    let said = engine.tell("setoption name SyzygyPath value <empty>");
    assert!(said.len() == 1 && said[0].contains("no folder"), "{said:?}");
    let said = engine.tell("setoption name SyzygyPath value /no/such/folder");
    assert!(said.len() == 2 && said[0].contains("/no/such/folder"), "{said:?}");
    assert!(said[1].ends_with("SyzygyPath: no tables found"), "{said:?}");
    let said = engine.tell("setoption name TablePath value /no/such/folder");
    assert!(said.len() == 2 && said[1].ends_with("TablePath: no tables found"), "{said:?}");
    let said = engine.tell("setoption name TablePath value <empty>");
    assert!(said.len() == 1 && said[0].contains("no folder"), "{said:?}");
    for (name, value) in [
        ("SyzygyProbeDepth", "0"),
        ("SyzygyProbeLimit", "8"),
        ("Syzygy50MoveRule", "yes"),
        ("SyzygyPath", ""),
    ] {
        let said = engine.tell(&format!("setoption name {name} value {value}"));
        assert!(said.len() == 1 && said[0].contains(name), "{said:?}");
    }
    assert!(!search(&mut engine, ROOK, "depth 3").has_no_move());
    engine.quit();
}

#[test]
fn embedded_tables_are_used_without_any_folder() {
    let mut engine = Engine::ready();
    let found = search(&mut engine, ROOK, "depth 1");
    assert!(found.last().score.starts_with("mate ") && hits(&found) > 0, "{:?}", found.lines);
    // A won position of queen against rook (Thompson), and a drawn one of rook against bishop.
    let queen = "K3r3/8/5k2/Q7/8/8/8/8 w - - 0 1";
    assert_eq!(search(&mut engine, queen, "depth 1").last().score, "cp 20000");
    let bishop = "8/8/4k3/3r4/8/8/3B4/3K4 b - - 0 1";
    assert_eq!(search(&mut engine, bishop, "depth 1").last().score, "cp 0");
    // The embedded tables are probed at the root only, not after captures in the tree.
    assert_eq!(hits(&search(&mut engine, FIVE, "depth 8")), 0);
    engine.tell("setoption name EmbeddedTables value false");
    engine.tell("ucinewgame");
    let found = search(&mut engine, bishop, "depth 1");
    assert!(found.last().score != "cp 0" && hits(&found) == 0, "{:?}", found.lines);
    engine.quit();
}

/// After 1. Kc6 Kd8 the shortest way of the tables, 2. Re4 Kc8 3. Re8, would draw by the third repetition.
#[test]
fn mate_is_not_shorter_than_repetitions_allow() {
    const HISTORY: &str = "position fen 1k6/8/8/2K5/4R3/8/8/8 w - - 0 1 moves \
                           c5c6 b8c8 c6c5 c8b8 c5c6 b8c8 e4a4 c8b8 c6c5 b8c8";
    let mut engine = Engine::ready();
    engine.tell(HISTORY);
    assert_eq!(engine.go("nodes 50000").last().score, "mate 4");
    engine.tell(&format!("{HISTORY} c5c6"));
    assert_eq!(engine.go("nodes 50000").last().score, "mate -3");
    engine.tell("position fen 1k6/8/8/2K5/4R3/8/8/8 w - - 0 1");
    assert_eq!(engine.go("nodes 1000").last().score, "mate 3", "without a history");
    engine.quit();
}

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_tablebase_wins_have_a_score_of_twenty_thousand() {
    let mut engine = with_tables();
    let found = search(&mut engine, ROOK, "nodes 30");
    assert_eq!((found.last().score.as_str(), hits(&found) > 10), ("cp 20000", true));
    assert_eq!(search(&mut engine, &ROOK.replace(" w ", " b "), "nodes 30").last().score, "cp -20000");
    let too_late = ROOK.replace(" 0 1", " 80 90");
    assert_eq!(search(&mut engine, &too_late, "nodes 30").last().score, "cp 2");
    engine.tell("setoption name Syzygy50MoveRule value false");
    assert_eq!(search(&mut engine, &too_late, "nodes 30").last().score, "cp 20000");
    engine.tell("setoption name UCI_ShowWDL value true");
    assert!(search(&mut engine, ROOK, "nodes 30").last().line.contains("wdl 1000 0 0"));
    engine.quit();
}

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_multipv_lines_are_ordered_by_the_tables() {
    let mut engine = with_tables();
    engine.tell("setoption name MultiPV value 5");
    // Black wins by promoting with a capture to queen or rook only.
    let found = search(&mut engine, "8/8/8/4k3/8/8/3p4/K3R3 b - - 0 1", "depth 6");
    let lines: Vec<_> = found.infos.iter().rev().take(5).rev().collect();
    let numbers: Vec<i64> = lines.iter().map(|info| info.multipv).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
    assert!(lines.is_sorted_by_key(|info| -info.value()), "{lines:?}");
    let won: Vec<&str> =
        lines.iter().filter(|info| info.value() > 1000).map(|info| info.pv[0].as_str()).collect();
    assert_eq!(won.len(), 2, "{lines:?}");
    assert!(won.contains(&"d2e1q") && won.contains(&"d2e1r"), "{lines:?}");
    assert!(lines[4].value() <= 0, "{lines:?}");
    engine.quit();
}

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_probes_are_limited_by_pieces_and_depth() {
    let mut engine = with_tables();
    let mut count = |setting: &str| {
        engine.tell("ucinewgame");
        engine.tell(setting);
        hits(&search(&mut engine, FIVE, "depth 10"))
    };
    let all = count("setoption name SyzygyProbeDepth value 1");
    let deep = count("setoption name SyzygyProbeDepth value 50");
    let few = count("setoption name SyzygyProbeLimit value 3");
    let none = count("setoption name SyzygyProbeLimit value 0");
    assert!(all > 0 && deep < all && few < all && none == 0, "{all} {deep} {few} {none}");
    assert!(count("setoption name SyzygyProbeLimit value 7") > 0);
    assert_eq!(count("setoption name SyzygyPath value <empty>"), 0);
    engine.quit();
}

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_running_search_keeps_its_tables() {
    let mut engine = with_tables();
    engine.tell("setoption name Threads value 4");
    engine.tell(&format!("position fen {FIVE}"));
    engine.send("go infinite");
    engine.expect_no_best_move(ms(50));
    for setting in ["SyzygyPath value <empty>", "SyzygyProbeLimit value 0", "SyzygyProbeDepth value 50"] {
        engine.send(&format!("setoption name {setting}"));
        engine.expect_no_best_move(ms(20));
    }
    engine.send("stop");
    let found = engine.best_move();
    assert!(hits(&found) > 0);
    assert_eq!(hits(&search(&mut engine, FIVE, "depth 8")), 0);
    engine.quit();
}

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_damaged_table_is_reported_when_it_is_probed() {
    let folder = folder();
    let scratch = std::env::temp_dir().join(format!("stretto-{}-uci-tables", std::process::id()));
    fs::create_dir_all(&scratch).expect("a folder for temporary files");
    for name in ["KRvK.rtbz", "KQvK.rtbz"] {
        fs::copy(folder.join(name), scratch.join(name)).expect("a copy");
    }
    // One file is damaged. The other is intact but of another material, which only a probe detects.
    let mut data = fs::read(folder.join("KQvK.rtbw")).expect("a table");
    fs::write(scratch.join("KRvK.rtbw"), &data).expect("a file");
    data[90] ^= 1;
    fs::write(scratch.join("KQvK.rtbw"), &data).expect("a file");
    let mut engine = Engine::ready();
    engine.tell("setoption name EmbeddedTables value false");
    let said = engine.tell(&format!("setoption name SyzygyPath value {}", scratch.display()));
    assert!(said.len() == 2 && said[0].contains("KQvK.rtbw does not match its checksum"), "{said:?}");
    assert!(said[1].ends_with("1 WDL and 2 DTZ tables of up to 3 pieces"), "{said:?}");
    let found = search(&mut engine, ROOK, "depth 6");
    let output: Vec<_> =
        found.lines.iter().filter(|line| line.contains("endgame table KRvK (wdl)")).collect();
    assert_eq!(output.len(), 1, "{:?}", found.lines);
    assert!(!search(&mut engine, ROOK, "depth 6").lines.iter().any(|line| line.contains("endgame table")));
    engine.quit();
    let _ = fs::remove_dir_all(&scratch);
}

/// Asserts that the last reported line of a mate score ends in that mate, and returns the score.
fn proved_mate(search: &Search, fen: &str) -> Option<i64> {
    let last = search.last();
    let moves = last.mate()?;
    let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
    let mut game = Game::new(Position::from_fen(fen).expect("a position"));
    for text in &last.pv {
        game.play(game.position().parse_uci(text).expect("a legal move"));
    }
    let end = game.position();
    assert!(end.is_check() && !end.has_legal_move(), "{fen}: no mate at the end of {:?}", last.line);
    assert_eq!(last.pv.len() as i64, plies, "{fen}: {}", last.line);
    assert_eq!((Some(&search.best), search.ponder.as_ref()), (last.pv.first(), last.pv.get(1)), "{fen}");
    Some(moves)
}

#[test]
fn line_of_a_mate_from_the_embedded_tables_ends_in_that_mate() {
    let mut engine = Engine::ready();
    for (fen, moves) in [
        ("8/8/8/3k4/8/8/4R3/4K3 w - - 0 1", 14),
        ("8/8/8/3k4/8/8/4R3/4K3 b - - 0 1", -14),
        ("8/8/6k1/8/8/8/1K2R3/8 b - - 0 1", -13),
        ("7k/8/8/8/2Q5/8/1K6/8 b - - 0 1", -7),
        ("7k/8/8/8/3K1P2/8/8/8 w - - 0 1", 15),
        ("8/3k4/5K2/8/8/8/4P3/8 b - - 0 1", -15),
    ] {
        for limits in ["depth 1", "nodes 5000"] {
            let search = search(&mut engine, fen, limits);
            assert_eq!(proved_mate(&search, fen), Some(moves), "{fen}, {limits}");
        }
    }
}

/// The shortest mate passes a position that has been on the board twice.
#[test]
fn reported_line_of_a_mate_contains_no_third_repetition() {
    const FEN: &str = "8/P7/8/8/8/2K1k3/8/8 b - - 28 68";
    const MOVES: &str = "e3f4 c3d4 f4g4 d4c5 g4f3 c5d4 f3g4 d4c5 g4f5 c5b4 f5e4 b4a4 e4e3 a4b3 e3d4 b3b4 d4d3 b4b3 \
                         d3e3 b3c3";
    let mut engine = Engine::ready();
    engine.tell(&format!("position fen {FEN} moves {MOVES}"));
    for limits in ["depth 1", "nodes 2000", "depth 14"] {
        let search = engine.go(limits);
        let mut game = Game::new(Position::from_fen(FEN).expect("a position"));
        let mut keys = vec![game.position().key()];
        for text in MOVES.split_whitespace().chain(search.last().pv.iter().map(String::as_str)) {
            let times = keys.iter().filter(|&&key| key == game.position().key()).count();
            assert!(times < 3, "{text} follows a third repetition: {}", search.last().line);
            game.play(game.position().parse_uci(text).expect("a legal move"));
            keys.push(game.position().key());
        }
        assert!(search.last().value() < -15_000, "lost all the same: {}", search.last().line);
    }
}

#[test]
fn unproved_mates_of_a_won_position_are_reported_as_tablebase_wins() {
    let mut engine = Engine::ready();
    let (mut mates, mut wins) = (0, 0);
    for fen in [
        "8/1Q6/1k6/8/8/2K5/8/5r2 b - - 0 1",
        "2K5/8/1r6/2Q5/4k3/8/8/8 w - - 0 1",
        "3k4/8/8/8/3Q4/3r4/8/2K5 b - - 0 1",
        "8/8/8/6k1/8/Q5K1/8/4r3 w - - 0 1",
        "5K2/8/2B3k1/8/7B/8/8/8 w - - 0 1",
    ] {
        let search = search(&mut engine, fen, "nodes 50000");
        match proved_mate(&search, fen) {
            Some(_) => mates += 1,
            None => wins += usize::from(search.last().value().abs() > 15_000),
        }
    }
    assert!(mates > 0 && mates + wins == 5, "{mates} mates, {wins} tablebase wins");
}

#[test]
fn line_of_a_mate_from_a_table_folder_ends_in_that_mate() {
    // The embedded three-piece tables serve as a folder of DTM tables, probed inside the tree.
    let folder = std::env::temp_dir().join(format!("stretto-mate-line-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    for (name, metric, bytes) in Tablebase::embedded_files() {
        if metric == Metric::Dtm {
            fs::write(folder.join(format!("{name}.dtm")), bytes).expect("a table");
        }
    }
    let mut engine = Engine::ready();
    engine.tell("setoption name EmbeddedTables value false");
    engine.tell(&format!("setoption name TablePath value {}", folder.display()));
    let mut mates = 0;
    for fen in ["8/8/8/3k4/8/8/4R3/4K3 w - - 0 1", "8/8/8/8/1p6/1k6/8/K3R3 w - - 0 1", FIVE] {
        let search = search(&mut engine, fen, "nodes 50000");
        mates += usize::from(proved_mate(&search, fen).is_some());
    }
    fs::remove_dir_all(&folder).expect("it was made above");
    assert!(mates >= 1, "no mate was claimed");
}
