//! CPU load from other programs: recorded per game, reported, and judged by the watchdog.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command};

use crate::common::{Exits, Lab, expect_code, killed, stdout};

/// Busy loops on all processors until dropped.
struct BusyLoops(Vec<Child>);

impl BusyLoops {
    fn start() -> Self {
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        let busy = |_| Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        Self((0..count).map(busy).collect())
    }
}

impl Drop for BusyLoops {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Two games on time in which the engines sleep for 1.2 seconds.
fn lab() -> Lab {
    Lab::new("steady ms=60", "steady ms=60 seed=2")
        .with("time_control: 60+1\ngames: 2\nconcurrency: 1\nadjudication: { max_moves: 10 }")
}

/// The engines sleep, so the loops get nearly all processor time. A third is far below that, and
/// load from other tests only adds to it.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs Linux")]
fn busy_loops_beside_a_game_count_as_load_from_other_programs() {
    let lab = lab();
    let loops = BusyLoops::start();
    let output = lab.run("match", &[]);
    drop(loops);
    expect_code(&output, 0);
    for game in lab.journal() {
        assert!(game.other_load_permille.is_some_and(|share| share > 333), "{:?}", game.other_load_permille);
    }
    let load = &lab.summary()["other_load"];
    assert!(load["share"].as_f64().unwrap() > 0.333 && load["affected"] == 2, "{load}");
    let text = stdout(&output);
    assert!(text.contains("% of all processors, at least 10 % in 2 of 2 measured games"), "{text}");
    let report = std::fs::read_to_string(lab.run_dir().join("report.md")).unwrap();
    assert!(report.contains("| load from other programs |"), "{report}");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs Linux")]
fn games_with_too_much_load_from_other_programs_are_replayed() {
    let lab = lab().with("watchdog: { uci: 60, ready: 60, answer: 60, max_other_load: 0.333 }");
    let _loops = BusyLoops::start();
    let mut child = lab.spawn("match", &[]);
    let lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let mut shown = Vec::new();
    let is_void = |line: &String| {
        line.contains("game 1: ") && line.contains("% CPU load from other programs; void, and played again")
    };
    let is_found = lines.inspect(|line| shown.push(line.clone())).any(|line| is_void(&line));
    killed(child);
    assert!(is_found, "{shown:#?}");
    assert_eq!(lab.journal(), [], "a void game is not kept");
}

/// Under node limits the load is not measured: it changes no result.
#[test]
fn games_at_fixed_nodes_have_no_load_from_other_programs() {
    let lab = Lab::new("ok seed=1", "ok seed=2").with("games: 2");
    lab.run("match", &[]).exits(0);
    assert!(lab.journal().iter().all(|game| game.other_load_permille.is_none()));
    assert!(lab.summary().get("other_load").is_none(), "{}", lab.summary());
}
