//! Searches limited by time.

use std::time::Instant;

use crate::driver::{Engine, Search, ms, number_after};
use crate::searching::MIDDLEGAME;

/// The delay that a busy machine may add to an answer. Units: milliseconds.
const BUSY: u64 = 3_000;

#[test]
fn movetime_is_used_and_not_exceeded() {
    let mut engine = Engine::ready();
    engine.tell(&format!("position fen {MIDDLEGAME}"));
    let search = engine.go("movetime 300");
    assert!(search.elapsed >= ms(200) && search.elapsed < ms(300 + BUSY), "{:?} for 300 ms", search.elapsed);
    for limits in
        ["movetime 0", "movetime -5", "movetime 1", "wtime 0 btime 0", "wtime -100 btime -100", "wtime 1"]
    {
        let search = engine.go(limits);
        engine.check_moves(&search, false);
        assert!(search.elapsed < ms(BUSY), "{:?} for {limits}", search.elapsed);
    }
    engine.quit();
}

#[test]
fn movetime_is_used_completely() {
    let mut engine = Engine::ready();
    engine.tell(&format!("position fen {MIDDLEGAME}"));
    for _ in 0..5 {
        let started = Instant::now();
        engine.go("movetime 50");
        let span = started.elapsed();
        assert!(span >= ms(50) && span < ms(50 + BUSY), "took {span:?} of 50 ms");
    }
    engine.quit();
}

/// The only move of a middlegame position, in which depth has no end.
#[test]
fn forced_move_is_played_at_once() {
    let mut engine = Engine::ready();
    engine.tell("position fen r1bq2k1/pp1p1Bpp/2n2n2/2p1p3/4P3/2N2N2/PPPP1PPP/R1BQK2R b KQ - 0 1");
    let nodes = |search: &Search| search.lines.iter().filter_map(|line| number_after(line, "nodes")).max();
    for searchmoves in ["g8f7", "g8h8"] {
        let search = engine.go(&format!("wtime 60000 btime 60000 searchmoves {searchmoves}"));
        engine.check_moves(&search, false);
        assert!(nodes(&search).is_some_and(|nodes| nodes < 100), "{:?}", search.lines);
        // Pondering ends at once too: a choice would take a minute of this clock.
        engine.send(&format!("go ponder wtime 3600000 btime 3600000 searchmoves {searchmoves}"));
        engine.expect_no_best_move(ms(100));
        engine.send("ponderhit");
        assert!(engine.best_move().elapsed < ms(BUSY));
    }
    engine.quit();
}

/// Time is measured on the processor, because a busy machine may hold the engine up for longer than the
/// clock. One thread that thinks beyond its clock uses as much time there.
#[cfg(target_os = "linux")]
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
        let before = engine.processor_time();
        engine.go(limits);
        let used = engine.processor_time().saturating_sub(before);
        assert!(used < ms(clock), "{used:?} for {limits}");
    }
    engine.quit();
}
