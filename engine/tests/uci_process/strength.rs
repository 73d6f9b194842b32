//! Play below full strength, the debug log, and normalized scores.

use std::path::PathBuf;

use crate::driver::{Engine, ms};

/// Returns the first moves of a game of the engine against itself at this strength.
fn moves(elo: &str, seed: &str, threads: &str) -> Vec<String> {
    moves_with_lines(elo, seed, threads, 1, 1)
}

/// Returns the same with `MultiPV` at `multipv`, which reports `lines` lines.
fn moves_with_lines(elo: &str, seed: &str, threads: &str, multipv: usize, lines: i64) -> Vec<String> {
    let mut engine = Engine::ready();
    let multipv = multipv.to_string();
    for (name, value) in [
        ("Threads", threads),
        ("MultiPV", &multipv),
        ("UCI_LimitStrength", "true"),
        ("UCI_Elo", elo),
        ("Strength Seed", seed),
    ] {
        assert!(engine.tell(&format!("setoption name {name} value {value}")).is_empty());
    }
    engine.tell("ucinewgame");
    let mut moves: Vec<String> = Vec::new();
    for _ in 0..12 {
        engine.tell(&format!("position startpos moves {}", moves.join(" ")));
        // Enough time that the level ends every search, on a loaded machine too.
        let search = engine.go("wtime 6000000 btime 6000000");
        engine.check_moves(&search, false);
        assert_eq!(search.infos.iter().map(|info| info.multipv).max(), Some(lines));
        // The last report of the first line has the move that is played.
        let first = search.infos.iter().rfind(|info| info.multipv == 1);
        assert_eq!(first.map(|info| info.pv[0].as_str()), Some(search.best.as_str()));
        moves.push(search.best);
    }
    engine.quit();
    moves
}

#[test]
fn seed_repeats_a_weak_game_with_any_number_of_threads() {
    let first = moves("800", "5", "1");
    assert_eq!(first, moves("800", "5", "2"));
    assert_ne!(first, moves("800", "6", "1"));
    assert_ne!(first, moves("2400", "5", "1"));
    // Many nodes fill the histories, whose size must not depend on the threads either.
    assert_eq!(moves("2400", "5", "1"), moves("2400", "5", "3"));
}

#[test]
fn multipv_changes_no_move_below_full_strength() {
    // At 1500 Elo a move has eight candidates.
    let first = moves("1500", "5", "1");
    assert_eq!(first, moves_with_lines("1500", "5", "1", 50, 8));
    assert_eq!(first, moves_with_lines("1500", "5", "1", 3, 3));
}

#[test]
fn simulated_thinking_changes_only_the_time() {
    let mut engine = Engine::ready();
    for (name, value) in [("UCI_LimitStrength", "true"), ("UCI_Elo", "800"), ("Strength Seed", "5")] {
        engine.tell(&format!("setoption name {name} value {value}"));
    }
    let clock = "wtime 20000 btime 20000 winc 200";
    let search = |engine: &mut Engine, limits: &str, is_on| {
        engine.tell("ucinewgame");
        engine.tell(&format!("setoption name SimulateThinkingTime value {is_on}"));
        engine.go(limits)
    };
    let at_once = search(&mut engine, clock, false);
    let thinking = search(&mut engine, clock, true);
    assert_eq!((&at_once.best, at_once.nodes()), (&thinking.best, thinking.nodes()));
    assert!(thinking.elapsed > ms(50) && thinking.elapsed < ms(8000), "{:?}", thinking.elapsed);
    // The time per move is not exceeded; without a clock there is nothing to wait for.
    let movetime = search(&mut engine, "movetime 400", true);
    assert!(movetime.elapsed > ms(20) && movetime.elapsed < ms(1500), "{:?}", movetime.elapsed);
    for limits in ["nodes 1000000", "wtime 1 btime 1"] {
        assert!(search(&mut engine, limits, true).elapsed < ms(500), "{limits}");
    }
    // `stop` is answered at once.
    engine.tell("ucinewgame");
    engine.send("go wtime 6000000 btime 6000000");
    engine.expect_no_best_move(ms(100));
    engine.send("stop");
    let stopped = engine.best_move();
    assert!(stopped.elapsed < ms(500) && stopped.best == at_once.best, "{:?}", stopped.elapsed);
    engine.quit();
}

#[test]
fn games_differ_without_a_seed() {
    let mut engine = Engine::ready();
    for option in ["UCI_LimitStrength value true", "UCI_Elo value 500"] {
        assert!(engine.tell(&format!("setoption name {option}")).is_empty());
    }
    let mut first_moves: Vec<String> = Vec::new();
    for _ in 0..30 {
        engine.tell("ucinewgame");
        first_moves.push(engine.go("nodes 1000").best);
    }
    assert!(first_moves.iter().any(|best| *best != first_moves[0]), "{first_moves:?}");
    engine.quit();
}

#[test]
fn analysis_is_always_at_full_strength() {
    let mut engine = Engine::ready();
    engine.tell("setoption name UCI_Elo value 600");
    let full = engine.go("depth 6");
    engine.tell("ucinewgame");
    engine.tell("setoption name UCI_LimitStrength value true");
    engine.tell("setoption name UCI_AnalyseMode value true");
    assert_eq!(engine.go("depth 6").nodes(), full.nodes());
    engine.tell("setoption name UCI_AnalyseMode value false");
    engine.tell("ucinewgame");
    assert_ne!(engine.go("depth 6").nodes(), full.nodes());
    engine.quit();
}

#[test]
fn input_and_output_are_logged_until_the_log_is_closed() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("debug.log");
    let _ = std::fs::remove_file(&path);
    let mut engine = Engine::ready();
    assert!(engine.tell(&format!("setoption name Debug Log File value {}", path.display())).is_empty());
    let best = engine.go("depth 2").best;
    engine.tell("setoption name Debug Log File value <empty>");
    engine.tell("position startpos");
    engine.quit();
    let text = std::fs::read_to_string(&path).expect("a log");
    for line in ["> isready", "< readyok", "> go depth 2", &format!("< bestmove {best}")] {
        assert!(text.lines().any(|logged| logged.contains(line)), "{line} not in\n{text}");
    }
    assert!(!text.contains("> position"), "the log is closed by then");
}

#[test]
fn unwritable_log_is_reported_and_the_engine_plays_on() {
    let mut engine = Engine::ready();
    let output = engine.tell("setoption name Debug Log File value /no/such/folder/log");
    assert!(
        output.len() == 1
            && output[0].starts_with("info string option Debug Log File: cannot open /no/such/folder/log"),
        "{output:?}"
    );
    engine.go("depth 2");
    engine.quit();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /dev/full")]
fn log_on_a_full_disk_is_reported_and_the_engine_plays_on() {
    let mut engine = Engine::ready();
    let output = engine.tell("setoption name Debug Log File value /dev/full");
    assert_eq!(output.len(), 1, "{output:?}");
    assert!(output[0].starts_with("info string ") && output[0].contains("/dev/full"), "{output:?}");
    engine.go("depth 2");
    engine.quit();
}

#[test]
fn chances_follow_the_nodes_and_the_material() {
    let mut engine = Engine::ready();
    engine.tell("setoption name UCI_ShowWDL value true");
    let mut draws = |position: &str, nodes: u64| {
        engine.tell("ucinewgame");
        engine.tell(&format!("position {position}"));
        let search = engine.go(&format!("nodes {nodes}"));
        let line = search.lines.iter().rfind(|line| line.contains(" wdl ")).expect("chances");
        let chances = line.split(" wdl ").nth(1).expect("chances").split(' ').take(3);
        let chances: Vec<u16> = chances.map(|chance| chance.parse().expect("a number")).collect();
        assert_eq!(chances.iter().sum::<u16>(), 1000, "{line}");
        chances[1]
    };
    let short = draws("startpos", 1_000);
    assert!(draws("startpos", 40_000) > short + 100, "a longer search of an equal position");
    let ending = draws("fen 8/5pk1/6p1/8/4RP2/6P1/r5K1/8 w - - 0 1", 1_000);
    assert!(ending > short + 100, "an equal ending");
    engine.quit();
}

#[test]
fn normalized_scores_are_larger_than_internal_ones() {
    let mut engine = Engine::ready();
    engine.tell("position fen 4k3/5pp1/8/8/8/8/4PP2/R3K3 w - - 0 1");
    let score = |engine: &mut Engine| {
        engine.tell("ucinewgame");
        let search = engine.go("depth 1");
        let line =
            search.lines.iter().rev().find_map(|line| line.split(" score cp ").nth(1).map(str::to_owned));
        line.and_then(|rest| rest.split(' ').next()?.parse::<i32>().ok()).expect("a score")
    };
    engine.tell("setoption name EvalType value classical");
    let plain = score(&mut engine);
    engine.tell("setoption name NormalizeScore value true");
    let normalized = score(&mut engine);
    assert!(
        normalized > plain,
        "{plain} {normalized}: less than 100 internal centipawns are a winning chance of 50 %"
    );
    engine.tell("setoption name NormalizeScore value false");
    assert_eq!(score(&mut engine), plain);
    engine.quit();
}
