//! Start, limits and end of searches; `clock` has the limits of time.

use crate::commandline::signature;
use crate::driver::{Engine, Info, Search, ms};

/// White mates in one with the rook.
const MATE_IN_ONE: &str = "k7/8/1K6/8/8/8/8/7R w - - 0 1";
pub(crate) const MIDDLEGAME: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N1PN2/PP2BPPP/R2Q1RK1 w - - 0 9";

fn count_best_moves(lines: &[String]) -> usize {
    lines.iter().filter(|line| line.starts_with("bestmove")).count()
}

#[test]
fn stop_right_after_go_gives_one_move() {
    let mut engine = Engine::ready();
    for _ in 0..50 {
        engine.send("position startpos\ngo infinite\nstop");
        let search = engine.best_move();
        assert!(!search.has_no_move());
        assert_eq!(count_best_moves(&engine.sync()), 0, "one bestmove for one go");
    }
    engine.quit();
}

#[test]
fn stop_with_many_threads_gives_a_legal_move() {
    let mut engine = Engine::ready();
    engine.tell("setoption name Threads value 4");
    for round in 0..25 {
        engine.send("position startpos moves e2e4\ngo infinite");
        std::thread::sleep(ms(round % 5));
        engine.send("stop");
        let search = engine.best_move();
        engine.check_moves(&search, false);
    }
    engine.tell("setoption name Threads value 1");
    let search = engine.go("depth 4");
    engine.check_moves(&search, false);
    engine.quit();
}

#[test]
fn quit_during_a_search_exits() {
    for threads in [1, 3] {
        let mut engine = Engine::ready();
        engine.tell(&format!("setoption name Threads value {threads}"));
        engine.send("position startpos\ngo infinite");
        std::thread::sleep(ms(50));
        engine.quit();
    }
    // The same at the moment the search starts.
    let mut engine = Engine::ready();
    engine.send("go infinite\nquit");
    engine.expect_exit();
}

#[test]
fn end_of_input_during_a_search_exits() {
    for command in ["isready", "go infinite", "go ponder wtime 1000 btime 1000", "go depth 60"] {
        let mut engine = Engine::ready();
        engine.send(command);
        std::thread::sleep(ms(50));
        engine.close_input();
        engine.expect_exit();
    }
}

#[test]
fn isready_is_answered_during_a_search() {
    let mut engine = Engine::ready();
    engine.send("position startpos\ngo infinite");
    for _ in 0..5 {
        let lines = engine.sync();
        assert_eq!(count_best_moves(&lines), 0);
        engine.expect_no_best_move(ms(20));
    }
    engine.send("stop");
    assert!(!engine.best_move().has_no_move());
    engine.quit();
}

#[test]
fn commands_for_an_idle_engine_are_safe_during_a_search() {
    for command in [
        "setoption name Threads value 2",
        "setoption name Hash value 8",
        "setoption name Clear Hash",
        "setoption name MultiPV value 3",
        "ucinewgame",
        "position startpos moves d2d4",
        "d",
        "eval",
        "help",
        "perft 2",
        "ponderhit",
        "debug on",
        "uci",
    ] {
        let mut engine = Engine::ready();
        engine.send("position startpos\ngo infinite");
        std::thread::sleep(ms(30));
        engine.send(command);
        let before = count_best_moves(&engine.sync());
        engine.send("stop");
        let after = count_best_moves(&engine.sync());
        let late = if before + after == 0 { count_best_moves(&engine.best_move().lines) } else { 0 };
        assert_eq!(before + after + late, 1, "one bestmove for one go, with `{command}` in between");
        // The engine must still play.
        engine.tell("position startpos");
        let search = engine.go("depth 3");
        engine.check_moves(&search, false);
        engine.quit();
    }
}

/// An iteration may take minutes, and GUIs show the counts meanwhile.
#[test]
fn counts_are_reported_every_second() {
    let mut engine = Engine::ready();
    let search = engine.go("movetime 3500");
    let counts: Vec<&String> = search.lines.iter().filter(|line| line.starts_with("info nodes ")).collect();
    // A busy machine may skip a second.
    assert!((1..=3).contains(&counts.len()), "{counts:?}");
    for line in counts {
        for field in ["nps", "hashfull", "tbhits", "time"] {
            assert!(line.contains(&format!(" {field} ")), "{line}");
        }
    }
    let short = engine.go("movetime 500");
    assert!(!short.lines.iter().any(|line| line.starts_with("info nodes ")), "{:?}", short.lines);
    engine.quit();
}

#[test]
fn infinite_search_ends_only_with_stop() {
    for position in [MATE_IN_ONE, "7k/7p/7P/8/1K6/8/B7/8 b - - 0 53", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"] {
        let mut engine = Engine::ready();
        engine.tell(&format!("position fen {position}"));
        engine.send("go infinite");
        engine.expect_no_best_move(ms(300));
        engine.send("stop");
        engine.best_move();
        engine.quit();
    }
}

#[test]
fn stop_before_go_has_no_effect() {
    let mut engine = Engine::ready();
    engine.send("stop\nponderhit\nstop");
    assert_eq!(count_best_moves(&engine.sync()), 0);
    engine.send("position startpos\ngo infinite");
    engine.expect_no_best_move(ms(200));
    engine.send("stop");
    engine.best_move();
    engine.send("stop");
    engine.expect_no_best_move(ms(100));
    engine.quit();
}

#[test]
fn ponder_search_ends_after_ponderhit() {
    let mut engine = Engine::ready();
    engine.tell("setoption name Ponder value true");
    engine.tell("position startpos moves e2e4 e7e5");
    engine.send("go ponder wtime 1000 btime 1000");
    engine.expect_no_best_move(ms(1200));
    engine.send("ponderhit");
    let search = engine.best_move();
    engine.check_moves(&search, false);
    assert!(search.elapsed < ms(1500), "{:?} after the hit", search.elapsed);
    engine.quit();
}

#[test]
fn finished_ponder_search_waits_for_stop() {
    for (position, limits) in
        [(MIDDLEGAME, "depth 2"), (MATE_IN_ONE, "wtime 100"), (MIDDLEGAME, "movetime 20")]
    {
        let mut engine = Engine::ready();
        engine.tell(&format!("position fen {position}"));
        engine.send(&format!("go ponder {limits}"));
        engine.expect_no_best_move(ms(300));
        engine.send("stop");
        let search = engine.best_move();
        engine.check_moves(&search, false);
        engine.quit();
    }
}

#[test]
fn ponderhit_releases_a_finished_search() {
    let mut engine = Engine::ready();
    engine.tell(&format!("position fen {MATE_IN_ONE}"));
    engine.send("go ponder depth 2");
    engine.expect_no_best_move(ms(200));
    engine.send("ponderhit");
    assert_eq!(engine.best_move().last().mate(), Some(1));
    engine.quit();
}

#[test]
fn ponder_move_is_legal() {
    let mut engine = Engine::ready();
    engine.tell(&format!("position fen {MIDDLEGAME}"));
    let search = engine.go("depth 6");
    let reply = search.ponder.clone().unwrap_or_else(|| engine.fail("no move to ponder on"));
    let line = [search.best.as_str(), reply.as_str()];
    assert!(crate::rules::play(MIDDLEGAME, &line, false).is_some(), "{line:?}");
    engine.quit();
}

/// Returns the last exact report of each line.
fn lines_of(search: &Search, count: i64) -> Vec<Info> {
    let last =
        |number| search.infos.iter().rev().find(|info| info.multipv == number && !info.is_bound).cloned();
    (1..=count).filter_map(last).collect()
}

#[test]
fn multipv_reports_distinct_lines_in_order() {
    for threads in [1, 2] {
        let mut engine = Engine::ready();
        engine.tell(&format!("setoption name Threads value {threads}"));
        engine.tell("setoption name MultiPV value 3");
        engine.tell(&format!("position fen {MIDDLEGAME}"));
        let search = engine.go("depth 5");
        engine.check_moves(&search, false);
        let lines = lines_of(&search, 3);
        let firsts: Vec<&String> = lines.iter().filter_map(|info| info.pv.first()).collect();
        assert_eq!(firsts.len(), 3, "{search:?}");
        assert!(firsts[0] != firsts[1] && firsts[1] != firsts[2] && firsts[0] != firsts[2], "{firsts:?}");
        assert!(lines.iter().all(|info| info.depth == lines[0].depth), "{lines:?}");
        assert!(lines.windows(2).all(|pair| pair[0].value() >= pair[1].value()), "{lines:?}");
        assert_eq!(*firsts[0], search.best);
        engine.quit();
    }
}

#[test]
fn lines_of_a_stopped_search_are_those_of_the_last_completed_iteration() {
    let mut engine = Engine::ready();
    engine.tell("setoption name MultiPV value 4");
    let mut stopped = 0;
    for nodes in (4_000..12_000).step_by(500) {
        engine.tell("ucinewgame");
        engine.tell(&format!("position fen {MIDDLEGAME}"));
        let search = engine.go(&format!("nodes {nodes}"));
        let (earlier, last) = search.infos.split_at(search.infos.len() - 4);
        for info in last {
            let same = |known: &&Info| known.depth == info.depth && known.pv[0] == info.pv[0];
            let known = earlier.iter().rev().find(same);
            assert!(known.is_none_or(|known| known.score == info.score), "{known:?} {info:?}");
            assert_eq!(info.depth, last[0].depth);
        }
        // They are printed again if the next iteration has reported a line.
        stopped += i32::from(earlier.iter().any(|info| info.depth == last[0].depth));
    }
    assert!(stopped > 0, "no search was stopped within an iteration");
    engine.quit();
}

/// The last iteration has resolved a second move with a better score when the nodes are used up.
#[test]
fn stopped_search_plays_the_best_line_of_its_last_iteration() {
    let mut engine = Engine::ready();
    engine.tell("setoption name MultiPV value 3");
    engine.tell("position fen 2n2r2/bp5p/p2pk2p/4n3/2pBP2P/2P5/PPB1R1P1/4K3 b - - 6 27");
    for nodes in (15_000..18_000).step_by(100) {
        engine.tell("ucinewgame");
        let search = engine.go(&format!("nodes {nodes}"));
        let last = &search.infos[search.infos.len() - 3..];
        let better =
            |info: &&Info| info.depth == last[0].depth && !info.is_bound && info.value() > last[0].value();
        let better = last.iter().filter(|_| !last[0].is_bound).find(better);
        assert!(better.is_none(), "{nodes} nodes: {last:?}");
        assert_eq!(last[0].pv[0], search.best);
    }
    engine.quit();
}

/// Setting an option to its present value, as GUIs do, is no change.
#[test]
fn options_set_to_their_present_value_keep_a_search() {
    let mut engine = Engine::ready();
    engine.send("go infinite");
    for option in
        ["Hash value 16", "Threads value 1", "Syzygy50MoveRule value true", "EvalType value network"]
    {
        assert_eq!(count_best_moves(&engine.tell(&format!("setoption name {option}"))), 0, "{option}");
    }
    engine.send("setoption name Syzygy50MoveRule value false");
    engine.best_move();
    engine.quit();
}

#[test]
fn multipv_is_limited_by_the_legal_moves() {
    let mut engine = Engine::ready();
    engine.tell("setoption name MultiPV value 200");
    engine.tell("position fen 7k/8/5K2/8/8/8/8/R7 b - - 0 1");
    let search = engine.go("depth 4");
    let most = search.infos.iter().map(|info| info.multipv).max();
    assert_eq!(most, Some(2), "the black king has two squares: {:?}", search.lines);
    engine.quit();
}

#[test]
fn searchmoves_restricts_the_root_moves() {
    let mut engine = Engine::ready();
    for (moves, allowed) in
        [("a2a3", &["a2a3"][..]), ("a2a3 h2h3", &["a2a3", "h2h3"]), ("a2a3 e2e5 z9z9", &["a2a3"])]
    {
        let search = engine.go(&format!("depth 4 searchmoves {moves}"));
        assert!(allowed.contains(&search.best.as_str()), "{} for {moves}", search.best);
        let firsts = search.infos.iter().filter_map(|info| info.pv.first());
        assert!(firsts.clone().all(|first| allowed.contains(&first.as_str())), "{search:?}");
    }
    let search = engine.go("searchmoves a2a3 h2h3 depth 3");
    assert!(["a2a3", "h2h3"].contains(&search.best.as_str()));
    engine.send("go depth 2 searchmoves e2e5");
    let output = engine.until("bestmove");
    let is_reported = |line: &String| line.contains("none of the moves is legal, searching all");
    assert!(output.iter().any(is_reported), "{output:?}");
    engine.quit();
}

#[test]
fn node_limit_is_used_and_not_exceeded() {
    let mut engine = Engine::ready();
    for limit in [1, 2, 100, 1000, 5000, 50_000] {
        engine.tell("ucinewgame");
        engine.tell(&format!("position fen {MIDDLEGAME}"));
        let search = engine.go(&format!("nodes {limit}"));
        engine.check_moves(&search, false);
        let nodes = search.nodes();
        assert!(nodes <= limit, "{nodes} of {limit} nodes");
        assert!(nodes >= limit - limit / 10, "the last report shows only {nodes} of {limit} nodes");
    }
    engine.quit();
}

#[test]
fn node_limit_holds_with_several_threads() {
    let mut engine = Engine::ready();
    engine.tell("setoption name Threads value 3");
    engine.tell(&format!("position fen {MIDDLEGAME}"));
    for limit in [1000, 20_000, 100_000] {
        let search = engine.go(&format!("nodes {limit}"));
        engine.check_moves(&search, false);
        assert!(search.nodes() <= limit, "{} of {limit} nodes", search.nodes());
    }
    engine.quit();
}

#[test]
fn one_thread_gives_the_same_node_count_again() {
    let counts = [0, 1].map(|_| {
        let mut engine = Engine::ready();
        engine.tell(&format!("position fen {MIDDLEGAME}"));
        let first = engine.go("depth 7").nodes();
        engine.tell("ucinewgame");
        engine.tell(&format!("position fen {MIDDLEGAME}"));
        let second = engine.go("depth 7").nodes();
        assert_eq!(first, second, "before and after ucinewgame");
        engine.quit();
        first
    });
    assert_eq!(counts[0], counts[1], "in two processes");
}

#[test]
fn bench_in_a_session_equals_bench_of_the_command_line() {
    let mut engine = Engine::ready();
    let bench = |engine: &mut Engine| {
        engine.send("bench 4");
        signature(&engine.until_line(|line| line.ends_with(" nps")).join("\n"))
    };
    let first = bench(&mut engine);
    engine.go("depth 5");
    assert_eq!(bench(&mut engine), first, "after a search");
    engine.tell("ucinewgame");
    assert_eq!(bench(&mut engine), first, "after ucinewgame");
    engine.quit();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_stretto")).args(["bench", "4"]).output();
    let text = String::from_utf8(output.expect("the engine starts").stdout).expect("text");
    assert_eq!(signature(&text), first);
}

#[test]
fn unreadable_limits_are_reported_and_a_move_is_played() {
    let mut engine = Engine::ready();
    for limits in [
        "depth abc",
        "movetime",
        "nodes wtime 100",
        "depth -3",
        "depth 0",
        "nodes -1",
        "movestogo 0 wtime 200 btime 200",
        "joho depth 2",
        "mate 0 depth 2",
        "depth 2 depth",
    ] {
        let search = engine.go(limits);
        assert!(
            search.lines.iter().any(|line| line.starts_with("info string")),
            "{limits}: {:?}",
            search.lines
        );
        engine.check_moves(&search, false);
    }
    for limits in [
        "wtime 99999999999999999999 movetime 50",
        "nodes 99999999999999999999 depth 2",
        "depth 99999999999 movetime 50",
    ] {
        let search = engine.go(limits);
        engine.check_moves(&search, false);
    }
    engine.quit();
}

#[test]
fn short_mates_are_found_and_reported() {
    let mut engine = Engine::ready();
    engine.tell(&format!("position fen {MATE_IN_ONE}"));
    for limits in ["depth 3", "mate 1", "nodes 2000"] {
        let search = engine.go(limits);
        assert_eq!((search.best.as_str(), search.last().mate()), ("h1h8", Some(1)), "{limits}");
    }
    // Two rooks against a bare king.
    engine.tell("position fen 7k/8/8/8/8/8/R7/1R5K w - - 0 1");
    assert_eq!(engine.go("depth 8").last().mate(), Some(2));
    engine.quit();
}

#[test]
fn mate_search_ends_with_the_mate_or_with_another_limit() {
    let mut engine = Engine::ready();
    // The side to move is mated in three moves.
    engine.tell("position fen 7k/8/8/8/8/8/R7/1R5K b - - 0 1");
    assert!(engine.go("mate 3").last().mate().is_some_and(|moves| (-3..0).contains(&moves)));
    engine.tell(&format!("position fen {MIDDLEGAME}"));
    for limits in ["mate 2 depth 5", "mate 2 nodes 3000", "mate 2 movetime 50", "mate 2 wtime 500 btime 500"]
    {
        let search = engine.go(limits);
        engine.check_moves(&search, false);
        assert_eq!(search.last().mate(), None, "{limits}");
    }
    // Without another limit the search continues until a mate is found.
    engine.send("go mate 1");
    engine.expect_no_best_move(ms(300));
    engine.send("stop");
    engine.best_move();
    engine.quit();
}

#[test]
fn mate_search_finds_a_mate_by_zugzwang() {
    let mut engine = Engine::ready();
    // Morphy's mate in two: every move of Black allows a mate, a null move would not.
    engine.tell("position fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1");
    let search = engine.go("mate 2 nodes 200000");
    assert_eq!(search.last().mate(), Some(2), "{search:?}");
    engine.quit();
}

#[test]
fn finished_game_has_no_move_and_a_score() {
    for (position, score) in
        [("startpos moves f2f3 e7e5 g2g4 d8h4", "mate 0"), ("fen 7k/7p/7P/8/1K6/8/B7/8 b - - 0 53", "cp 0")]
    {
        for threads in [1, 2] {
            let mut engine = Engine::ready();
            engine.tell(&format!("setoption name Threads value {threads}"));
            engine.tell(&format!("position {position}"));
            for limits in ["depth 5", "movetime 50", "nodes 100", "wtime 1000 btime 1000", "mate 3"] {
                let search = engine.go(limits);
                assert!(search.has_no_move(), "{search:?}");
                let last = search.last();
                assert_eq!((last.depth, last.score.as_str()), (0, score), "{search:?}");
            }
            engine.quit();
        }
    }
}

#[test]
fn win_draw_and_loss_chances_sum_to_1000() {
    let mut engine = Engine::ready();
    engine.tell("setoption name UCI_ShowWDL value true");
    engine.tell(&format!("position fen {MIDDLEGAME}"));
    let search = engine.go("depth 5");
    for info in &search.infos {
        let words: Vec<&str> = info.line.split_whitespace().collect();
        let at =
            words.iter().position(|&word| word == "wdl").unwrap_or_else(|| panic!("no wdl: {}", info.line));
        let sum: i64 = words[at + 1..at + 4].iter().filter_map(|word| word.parse::<i64>().ok()).sum();
        assert_eq!(sum, 1000, "{}", info.line);
    }
    // The built-in tables know this to be a draw.
    engine.tell("position fen 8/8/4k3/8/8/3BK3/8/8 w - - 0 1");
    assert!(engine.go("depth 5").last().line.contains(" wdl 0 1000 0 "));
    engine.quit();
}

#[test]
fn castling_follows_uci_chess960() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for (variant, castling) in [(false, "e1g1"), (true, "e1h1")] {
        let mut engine = Engine::ready();
        engine.tell(&format!("setoption name UCI_Chess960 value {variant}"));
        engine.tell(&format!("position fen {fen}"));
        let search = engine.go(&format!("depth 2 searchmoves {castling}"));
        assert_eq!(search.best, castling);
        engine.check_moves(&search, variant);
        engine.tell(&format!("position fen {fen} moves {castling}"));
        assert!(engine.fen().starts_with("r3k2r/8/8/8/8/8/8/R4RK1 b "), "{castling}");
        engine.quit();
    }
}

/// The king's move to g1 is another legal move there.
#[test]
fn chess960_castling_keeps_its_form_when_uci_chess960_is_switched_off() {
    let mut engine = Engine::ready();
    engine.tell("setoption name UCI_Chess960 value true");
    engine.tell("position fen 4k3/8/8/8/8/8/8/5K1R w H - 0 1");
    engine.tell("setoption name UCI_Chess960 value false");
    assert_eq!(engine.go("depth 1 searchmoves f1h1").best, "f1h1");
    assert_eq!(engine.go("depth 1 searchmoves f1g1").best, "f1g1");
    engine.quit();
}
