//! Starting, bounding and ending searches.

use std::time::Instant;

use crate::commandline::signature;
use crate::driver::{Engine, Info, Search, ms, number_after};

/// White mates in one with the rook.
const MATE_IN_ONE: &str = "k7/8/1K6/8/8/8/8/7R w - - 0 1";
const MIDDLEGAME: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N1PN2/PP2BPPP/R2Q1RK1 w - - 0 9";

fn count_best_moves(lines: &[String]) -> usize {
    lines.iter().filter(|line| line.starts_with("bestmove")).count()
}

#[test]
fn go_and_stop_in_one_breath() {
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
fn go_and_stop_with_many_threads() {
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
fn quits_in_mid_search() {
    for threads in [1, 3] {
        let mut engine = Engine::ready();
        engine.tell(&format!("setoption name Threads value {threads}"));
        engine.send("position startpos\ngo infinite");
        std::thread::sleep(ms(50));
        engine.quit();
    }
    // And in the very moment the search starts.
    let mut engine = Engine::ready();
    engine.send("go infinite\nquit");
    engine.expect_exit();
}

#[test]
fn leaves_when_the_input_ends() {
    for command in ["isready", "go infinite", "go ponder wtime 1000 btime 1000", "go depth 60"] {
        let mut engine = Engine::ready();
        engine.send(command);
        std::thread::sleep(ms(50));
        engine.close_input();
        engine.expect_exit();
    }
}

#[test]
fn is_ready_during_a_search() {
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
fn commands_of_idle_times_during_a_search() {
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
        // And it still plays.
        engine.tell("position startpos");
        let search = engine.go("depth 3");
        engine.check_moves(&search, false);
        engine.quit();
    }
}

#[test]
fn infinite_ends_only_with_stop() {
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
fn an_early_stop_is_not_remembered() {
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
fn ponders_until_the_hit() {
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
fn ponders_until_stop_whatever_it_finds() {
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
fn a_hit_lets_a_finished_search_out() {
    let mut engine = Engine::ready();
    engine.tell(&format!("position fen {MATE_IN_ONE}"));
    engine.send("go ponder depth 2");
    engine.expect_no_best_move(ms(200));
    engine.send("ponderhit");
    assert_eq!(engine.best_move().last().mate(), Some(1));
    engine.quit();
}

#[test]
fn proposes_a_legal_reply_to_ponder_on() {
    let mut engine = Engine::ready();
    engine.tell(&format!("position fen {MIDDLEGAME}"));
    let search = engine.go("depth 6");
    let reply = search.ponder.clone().unwrap_or_else(|| engine.fail("no move to ponder on"));
    let line = [search.best.as_str(), reply.as_str()];
    assert!(crate::rules::play(MIDDLEGAME, &line, false).is_some(), "{line:?}");
    engine.quit();
}

/// The last report of each line at the deepest depth all lines have.
fn lines_of(search: &Search, count: i64) -> Vec<Info> {
    let last =
        |number| search.infos.iter().rev().find(|info| info.multipv == number && !info.is_bound).cloned();
    (1..=count).filter_map(last).collect()
}

#[test]
fn shows_several_lines() {
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
fn shows_no_more_lines_than_moves() {
    let mut engine = Engine::ready();
    engine.tell("setoption name MultiPV value 200");
    engine.tell("position fen 7k/8/5K2/8/8/8/8/R7 b - - 0 1");
    let search = engine.go("depth 4");
    let most = search.infos.iter().map(|info| info.multipv).max();
    assert_eq!(most, Some(2), "the black king has two squares: {:?}", search.lines);
    engine.quit();
}

#[test]
fn searches_only_the_moves_asked_for() {
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
    engine.quit();
}

#[test]
fn node_limits_are_kept_and_used() {
    let mut engine = Engine::ready();
    for limit in [1, 2, 100, 1000, 5000, 50_000] {
        engine.tell("ucinewgame");
        engine.tell(&format!("position fen {MIDDLEGAME}"));
        let search = engine.go(&format!("nodes {limit}"));
        engine.check_moves(&search, false);
        let nodes = search.nodes();
        // Depth 1 is finished whatever the limit says; from some hundred nodes on it is the limit that counts.
        assert!(limit < 1000 || nodes <= limit, "{nodes} of {limit} nodes");
        assert!(nodes >= limit - limit / 10, "the last report shows only {nodes} of {limit} nodes");
    }
    engine.quit();
}

#[test]
fn many_threads_keep_a_node_limit_too() {
    let mut engine = Engine::ready();
    engine.tell("setoption name Threads value 3");
    engine.tell(&format!("position fen {MIDDLEGAME}"));
    for limit in [1000, 20_000, 100_000] {
        let search = engine.go(&format!("nodes {limit}"));
        engine.check_moves(&search, false);
        assert!(search.nodes() <= limit + 1024, "{} of {limit} nodes", search.nodes());
    }
    engine.quit();
}

#[test]
fn one_thread_repeats_itself() {
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
fn bench_in_the_loop_is_the_bench_of_the_command_line() {
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
fn move_time_is_used_and_kept() {
    let mut engine = Engine::ready();
    engine.tell(&format!("position fen {MIDDLEGAME}"));
    let search = engine.go("movetime 300");
    // The overhead may be taken off; a busy machine may add to it.
    assert!(search.elapsed >= ms(200) && search.elapsed < ms(1500), "{:?} for 300 ms", search.elapsed);
    let told = search.lines.iter().filter_map(|line| number_after(line, "time")).max();
    assert!(told.is_some_and(|time| time <= 400), "{told:?} ms reported");
    for limits in
        ["movetime 0", "movetime -5", "movetime 1", "wtime 0 btime 0", "wtime -100 btime -100", "wtime 1"]
    {
        let search = engine.go(limits);
        engine.check_moves(&search, false);
        assert!(search.elapsed < ms(500), "{:?} for {limits}", search.elapsed);
    }
    engine.quit();
}

#[test]
fn move_time_is_used_to_the_end() {
    let mut engine = Engine::ready();
    engine.tell(&format!("position fen {MIDDLEGAME}"));
    // How late an answer is depends on what else the machine does, and is measured, not tested.
    for _ in 0..5 {
        let started = Instant::now();
        engine.go("movetime 50");
        let span = started.elapsed();
        assert!(span >= ms(50) && span < ms(2000), "took {span:?} of 50 ms");
    }
    engine.quit();
}

#[test]
fn a_forced_move_takes_no_time() {
    let cornered = "7k/8/5K2/8/8/8/8/R7 b - - 0 1";
    let mut engine = Engine::ready();
    engine.tell(&format!("position fen {cornered} moves h8h7 a1a8"));
    for searchmoves in ["", " searchmoves h7h6"] {
        let search = engine.go(&format!("wtime 60000 btime 60000{searchmoves}"));
        engine.check_moves(&search, false);
        assert!(search.elapsed < ms(300), "{:?}", search.elapsed);
    }
    // Nor after the opponent's reply.
    engine.send("go ponder wtime 60000 btime 60000");
    engine.expect_no_best_move(ms(200));
    engine.send("ponderhit");
    assert!(engine.best_move().elapsed < ms(300));
    engine.quit();
}

#[test]
fn time_pondered_is_time_thought() {
    let mut engine = Engine::ready();
    engine.tell(&format!("position fen {MIDDLEGAME}"));
    engine.send("go ponder wtime 4000 btime 4000");
    engine.expect_no_best_move(ms(1700));
    engine.send("ponderhit");
    assert!(engine.best_move().elapsed < ms(500), "more than 40 percent of the clock had gone by");
    engine.quit();
}

#[test]
fn clocks_are_never_overdrawn() {
    let mut engine = Engine::ready();
    for limits in [
        "wtime 200 btime 1",
        "wtime 200 btime 1 movestogo 1",
        "wtime 150 winc 1000 btime 1",
        "wtime 120 movestogo 40",
    ] {
        engine.tell("position startpos moves e2e4 e7e5");
        let clock = number_after(limits, "wtime").unwrap_or(0) as u64;
        // The machine may stumble once; an engine that overdraws does so every time.
        let spans: Vec<_> = (0..3).map(|_| engine.go(limits).elapsed).collect();
        assert!(spans.iter().any(|&span| span < ms(clock)), "{spans:?} for {limits}");
    }
    engine.quit();
}

#[test]
fn unreadable_limits_are_told_and_the_move_comes() {
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
fn finds_short_mates_and_says_so() {
    let mut engine = Engine::ready();
    engine.tell(&format!("position fen {MATE_IN_ONE}"));
    for limits in ["depth 3", "mate 1", "nodes 2000"] {
        let search = engine.go(limits);
        assert_eq!((search.best.as_str(), search.last().mate()), ("h1h8", Some(1)), "{limits}");
    }
    // Two rooks against a bare king: the ladder.
    engine.tell("position fen 7k/8/8/8/8/8/R7/1R5K w - - 0 1");
    assert_eq!(engine.go("depth 8").last().mate(), Some(2));
    engine.quit();
}

#[test]
fn a_search_for_a_mate_ends_with_it_or_with_another_limit() {
    let mut engine = Engine::ready();
    // Mated in three, and told so.
    engine.tell("position fen 7k/8/8/8/8/8/R7/1R5K b - - 0 1");
    assert!(engine.go("mate 3").last().mate().is_some_and(|moves| (-3..0).contains(&moves)));
    engine.tell(&format!("position fen {MIDDLEGAME}"));
    for limits in ["mate 2 depth 5", "mate 2 nodes 3000", "mate 2 movetime 50", "mate 2 wtime 500 btime 500"]
    {
        let search = engine.go(limits);
        engine.check_moves(&search, false);
        assert_eq!(search.last().mate(), None, "{limits}");
    }
    // Nothing found proves nothing, so without another limit it goes on.
    engine.send("go mate 1");
    engine.expect_no_best_move(ms(300));
    engine.send("stop");
    engine.best_move();
    engine.quit();
}

#[test]
fn a_game_that_is_over_has_no_move() {
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
                let told = search.last();
                assert_eq!((told.depth, told.score.as_str()), (0, score), "{search:?}");
            }
            engine.quit();
        }
    }
}

#[test]
fn chances_add_up() {
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
    engine.quit();
}

#[test]
fn castling_is_written_as_the_variant_has_it() {
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
