//! The session with which fastchess checks that an engine follows the protocol.

use crate::driver::{Engine, Search};

/// Checks the last `info` line with an exact score: it has integers after `time`, `nps`, `nodes`
/// and `depth`.
fn check_report(engine: &mut Engine, search: &Search) {
    let line = search.last().line.clone();
    let words: Vec<&str> = line.split_whitespace().collect();
    for key in ["time", "nps", "nodes", "depth"] {
        let at = words.iter().position(|&word| word == key);
        let value = at.and_then(|at| words.get(at + 1)).copied().unwrap_or("");
        if value.parse::<u64>().is_err() {
            engine.fail(&format!("{key} is no number in `{line}`"));
        }
    }
    if search.last().depth < 1 {
        engine.fail(&format!("depth 1 was not finished: `{line}`"));
    }
    engine.check_moves(search, false);
}

fn searched(engine: &mut Engine, go: &str) {
    let search = engine.go(go);
    check_report(engine, &search);
}

#[test]
fn uci_prints_name_authors_and_options() {
    let mut engine = Engine::start(&[]);
    engine.send("uci");
    let lines = engine.until("uciok");
    assert!(lines.iter().any(|line| line.starts_with("id name ") && line.len() > 8), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("id author ") && line.len() > 10), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("option name Hash type spin")), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("option name Threads type spin")), "{lines:?}");
    // Some clients match the whole line.
    assert_eq!(lines.last().map(String::as_str), Some("uciok"));
    assert!(
        lines.iter().all(|line| ["id", "option", "info", "uciok"].iter().any(|word| line.starts_with(word)))
    );
    assert_eq!(engine.sync(), Vec::<String>::new());
    engine.quit();
}

#[test]
fn search_with_100_ms_on_the_clock_reports_and_moves() {
    let mut engine = Engine::ready();
    engine.send("ucinewgame");
    engine.tell("position startpos");
    engine.tell("position fen 3r2k1/p5n1/1pq1p2p/2p3p1/2P1P1n1/1P1P2pP/PN1Q2K1/5R2 w - - 0 27");
    searched(&mut engine, "wtime 100");
    engine.tell("position fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    searched(&mut engine, "btime 100");
    searched(&mut engine, "wtime 100 winc 100 btime 100 binc 100");
    searched(&mut engine, "btime 100 binc 100 wtime 100 winc 100");
    engine.quit();
}

#[test]
fn positions_of_a_game_are_searched_in_turn() {
    let mut engine = Engine::ready();
    engine.send("ucinewgame");
    engine.tell("position startpos");
    searched(&mut engine, "wtime 100 btime 100");
    engine.tell("position startpos moves e2e4 e7e5");
    searched(&mut engine, "wtime 100 btime 100");
    engine.quit();
}

#[test]
fn every_printed_line_belongs_to_the_protocol() {
    let mut engine = Engine::ready();
    engine.send(
        "setoption name UCI_ShowWDL value true\nucinewgame\nposition startpos moves e2e4\nnonsense\ndebug on",
    );
    let mut lines = engine.sync();
    lines.extend(engine.go("movetime 100").lines);
    for line in &lines {
        let known = line.starts_with("info ") || line.starts_with("bestmove ");
        assert!(known && !line.contains(char::is_control), "{line:?}");
    }
    engine.quit();
}
