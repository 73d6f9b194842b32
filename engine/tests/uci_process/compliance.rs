//! The session that fastchess plays to decide whether an engine may take part at all.

use crate::driver::{Engine, Search};

/// The last usable `info` line before `bestmove`: integers after `time` and `nps`, an exact score.
fn check_report(engine: &mut Engine, search: &Search) {
    let line = search.last().line.clone();
    let words: Vec<&str> = line.split_whitespace().collect();
    for key in ["time", "nps", "nodes", "depth"] {
        let at = words.iter().position(|&word| word == key);
        let value = at.and_then(|at| words.get(at + 1)).copied().unwrap_or("");
        if value.parse::<u64>().is_err() {
            engine.fail(&format!("{key} is no count in `{line}`"));
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
fn introduces_itself() {
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
fn plays_on_a_tiny_clock() {
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
fn plays_a_short_game() {
    let mut engine = Engine::ready();
    engine.send("ucinewgame");
    engine.tell("position startpos");
    searched(&mut engine, "wtime 100 btime 100");
    engine.tell("position startpos moves e2e4 e7e5");
    searched(&mut engine, "wtime 100 btime 100");
    engine.quit();
}

/// Everything an engine says must be a line a client knows.
#[test]
fn says_nothing_but_the_protocol() {
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
