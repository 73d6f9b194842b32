//! Searches limited by time.

use std::time::Instant;

use crate::driver::{Engine, ms, number_after};
use crate::searching::MIDDLEGAME;

#[test]
fn movetime_is_used_and_not_exceeded() {
    let mut engine = Engine::ready();
    engine.tell(&format!("position fen {MIDDLEGAME}"));
    let search = engine.go("movetime 300");
    // A busy machine may add to the time.
    assert!(search.elapsed >= ms(200) && search.elapsed < ms(1500), "{:?} for 300 ms", search.elapsed);
    let output = search.lines.iter().filter_map(|line| number_after(line, "time")).max();
    assert!(output.is_some_and(|time| time <= 400), "{output:?} ms reported");
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
fn movetime_is_used_completely() {
    let mut engine = Engine::ready();
    engine.tell(&format!("position fen {MIDDLEGAME}"));
    // Measured: 50.2 to 61.7 ms at a load average of about 7 on two cores. The limit is that of an
    // immediate answer above, because the latency depends on the load.
    for _ in 0..5 {
        let started = Instant::now();
        engine.go("movetime 50");
        let span = started.elapsed();
        assert!(span >= ms(50) && span < ms(500), "took {span:?} of 50 ms");
    }
    engine.quit();
}

/// The game goes on for long after it, so only the rule ends the search.
#[test]
fn forced_move_of_a_middlegame_is_not_thought_about() {
    let check = "r1bq2k1/pp1p1Bpp/2n2n2/2p1p3/4P3/2N2N2/PPPP1PPP/R1BQK2R b KQ - 0 1";
    let mut engine = Engine::ready();
    engine.tell(&format!("position fen {check}"));
    let nodes = |search: &crate::driver::Search| {
        search.lines.iter().filter_map(|line| number_after(line, "nodes")).max().unwrap_or_default()
    };
    let forced = engine.go("wtime 60000 btime 60000 searchmoves g8f7");
    assert!(nodes(&forced) < 100, "{}", nodes(&forced));
    let free = engine.go("wtime 60000 btime 60000");
    assert!(nodes(&free) > 1000, "{}", nodes(&free));
    engine.quit();
}

#[test]
fn forced_move_is_played_at_once() {
    let cornered = "7k/8/5K2/8/8/8/8/R7 b - - 0 1";
    let mut engine = Engine::ready();
    engine.tell(&format!("position fen {cornered} moves h8h7 a1a8"));
    for searchmoves in ["", " searchmoves h7h6"] {
        let search = engine.go(&format!("wtime 60000 btime 60000{searchmoves}"));
        engine.check_moves(&search, false);
        assert!(search.elapsed < ms(300), "{:?}", search.elapsed);
    }
    // The same when pondering.
    engine.send("go ponder wtime 60000 btime 60000");
    engine.expect_no_best_move(ms(200));
    engine.send("ponderhit");
    assert!(engine.best_move().elapsed < ms(300));
    engine.quit();
}

#[test]
fn pondering_time_counts_as_thinking_time() {
    let mut engine = Engine::ready();
    engine.tell(&format!("position fen {MIDDLEGAME}"));
    engine.send("go ponder wtime 4000 btime 4000");
    engine.expect_no_best_move(ms(1700));
    engine.send("ponderhit");
    assert!(engine.best_move().elapsed < ms(500), "more than 40 percent of the clock had gone by");
    engine.quit();
}

#[test]
fn clock_is_never_exceeded() {
    let mut engine = Engine::ready();
    for limits in [
        "wtime 200 btime 1",
        "wtime 200 btime 1 movestogo 1",
        "wtime 150 winc 1000 btime 1",
        "wtime 120 movestogo 40",
    ] {
        engine.tell("position startpos moves e2e4 e7e5");
        let clock = number_after(limits, "wtime").unwrap_or(0) as u64;
        // One slow run may be due to the machine; an engine that exceeds its clock does so every
        // time.
        let spans: Vec<_> = (0..3).map(|_| engine.go(limits).elapsed).collect();
        assert!(spans.iter().any(|&span| span < ms(clock)), "{spans:?} for {limits}");
    }
    engine.quit();
}
