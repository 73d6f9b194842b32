//! Process tests of `harness bench`: comparison of equal and different engines, and resuming.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::{Exits, Has, MeasurementSetup, stderr, stdout};
use serde_json::Value;

/// Sets up a benchmark of fake engines in these modes.
fn setup(modes: &[&str], more: &str) -> MeasurementSetup {
    let engines = MeasurementSetup::engines(modes);
    MeasurementSetup::new(
        "bench",
        &format!("{engines}positions: {{ file: positions.epd }}\ntimeout: 2\n{more}\n"),
    )
}

/// Returns an engine's comparison in a quantity.
fn comparison<'a>(summary: &'a Value, engine: usize, quantity: &str) -> &'a Value {
    let all = summary["engines"][engine]["comparisons"].as_array().unwrap();
    all.iter().find(|comparison| comparison["quantity"] == quantity).unwrap()
}

#[test]
fn only_real_differences_are_reported() {
    // The second engine always searches 100 nodes, the first one more.
    let setup = setup(&["team", "play"], "depth: 3\nrepetitions: 2\ntimes: false");
    let output = setup.run("run").exits(0);
    let summary = setup.summary("run");
    assert_eq!(summary["engines"].as_array().unwrap().len(), 3);
    let nodes = comparison(&summary, 1, "nodes");
    assert!(nodes["ratio"]["mean"].as_f64().unwrap() < 0.9, "{nodes}");
    assert_eq!(nodes["difference"], "less");
    let control = comparison(&summary, 2, "nodes");
    assert_eq!((&control["ratio"]["mean"], &control["difference"]), (&1.0.into(), &"none".into()));
    assert_eq!(summary["engines"][2]["is_control"], true);
    let control =
        stdout(&output).lines().find(|line| line.starts_with("| control | nodes |")).unwrap().to_owned();
    assert!(control.ends_with("| noise |"), "{control}");
    let page = setup.text("run", "report.html");
    assert!(page.contains("engine 1") && !page.contains("NaN"));
    // Without times nothing depends on the machine.
    setup.run("again").exits(0);
    setup.expect_same("run", "again", &["report.md", "report.html", "summary.json"]);
}

#[test]
fn depth_times_are_sorted_and_within_the_search_time() {
    let setup = setup(&["team"], "depth: 3\nrepetitions: 3");
    setup.run("run").exits(0);
    for line in setup.text("run", "journal.jsonl").lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let times = record["depths"].as_array().unwrap().iter().chain([&record]);
        let times: Vec<u64> = times.map(|of| of["time_us"].as_u64().unwrap()).collect();
        assert!(times.len() == 4 && times.is_sorted() && times[3] > 0, "{record}");
    }
}

#[test]
fn precision_target_ends_the_run() {
    let setup = setup(&["team"], "depth: 3\nrepetitions: 2000\ntarget: { measure: nodes, percent: 1 }");
    setup.run("run").exits(0);
    let summary = setup.summary("run");
    // Nodes are constant here, so one pass of 12 searches is enough, and 12 is measured. Searches
    // already started are finished, which is at most one more pass.
    let searches = summary["searches"].as_u64().unwrap();
    assert!((12..=24).contains(&searches), "{searches}");
    assert_eq!((&summary["state"], &summary["searches_planned"]), (&"finished".into(), &24_000.into()));
}

#[test]
fn resume_of_a_run_that_met_its_target_searches_nothing() {
    let config = |more: &str| {
        let engines = MeasurementSetup::engines(&["team"]);
        format!("{engines}positions: {{ file: positions.epd }}\ndepth: 3\nconcurrency: 2\n{more}\n")
    };
    let setup = MeasurementSetup::new("bench", &config("repetitions: 2"));
    setup.run("whole").exits(0);
    setup.configure(&config("repetitions: 2000\ntarget: { measure: nodes, percent: 1 }"));
    setup.run("run").exits(0);
    let sorted = |out: &str| {
        let text = setup.text(out, "journal.jsonl");
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_by_key(|line| serde_json::from_str::<Value>(line).unwrap()["index"].as_u64());
        lines
    };
    // The pass of 12 searches met the target; the search after it was under way, and is the last.
    let journal = [&sorted("run")[..12], &sorted("whole")[12..13]].concat().join("\n") + "\n";
    fs::write(setup.path("run").join("journal.jsonl"), &journal).unwrap();
    setup.resume("run").exits(0);
    assert_eq!(setup.text("run", "journal.jsonl"), journal);
    assert_eq!(setup.summary("run")["state"], "finished");
}

#[test]
fn configuration_errors_are_reported() {
    for (modes, more, expected) in [
        (&["team"][..], "", "depth: expected one limit"),
        (&["team", "team"], "depth: 3\ncount: 9", "unknown field `count`"),
        (&[], "depth: 3", "engines"),
        (&["team"], "depth: 3\ncontrol: false", "engines: expected at least two engines"),
    ] {
        setup(modes, more).run("run").exits(2).stderr_has(expected);
    }
    let setup = setup(&["team", "crash"], "depth: 3");
    setup.run("run").exits(1).stderr_has("engine 1 failed on position 1");
}

#[test]
fn resume_after_kill_repeats_no_search() {
    let setup = setup(&["team", "team"], "depth: 3\nrepetitions: 300\ntimes: false");
    setup.expect_to_survive_a_kill("journal.jsonl", 30);
    assert_eq!(setup.lines("run/journal.jsonl"), 5400);
    setup.expect_same("run", "whole", &["report.md", "summary.json"]);
}

/// The example `slow`, which cargo builds together with the tests.
fn slow(args: &[&str]) -> std::process::Command {
    let programs = Path::new(env!("CARGO_BIN_EXE_harness")).parent().unwrap();
    let mut command = std::process::Command::new(programs.join("examples/slow"));
    command.args(args);
    command
}

#[test]
fn slowed_engine_gives_the_same_output_later() {
    let ask = |percent: &str| {
        let mut slow = slow(&[percent, env!("CARGO_BIN_EXE_fake-engine"), "steady", "ms=40"]);
        let mut child =
            slow.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
        let start = Instant::now();
        let mut input = child.stdin.take().unwrap();
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        std::io::Write::write_all(
            &mut input,
            format!("uci\nposition fen {fen}\ngo depth 3\nquit\n").as_bytes(),
        )
        .unwrap();
        let output = child.wait_with_output().unwrap().exits(0);
        (stdout(&output), start.elapsed())
    };
    let ((plain, _), (slowed, time)) = (ask("0"), ask("200"));
    assert!(plain.contains("uciok") && plain.contains("bestmove"), "{plain}");
    assert_eq!(plain, slowed);
    // A sleep of 40 ms is never shorter, so the answer cannot come before 120 ms.
    assert!(time >= Duration::from_millis(120), "{time:?}");
    slow(&["1001", "no-such-engine"]).exits(2);
}

/// A stand-in for `perf stat`: counts a million instructions for a process and 600,000 for each search of it, 720,000
/// if `heavy` is one of the engine's arguments.
const PERF: &str = r#"#!/bin/sh
while [ "$1" != -- ]; do
  if [ "$1" = -o ]; then out=$2; fi
  shift
done
shift
case "$*" in true) each=0;; *heavy*) each=720000;; *) each=600000;; esac
tee "$out.lines" | "$@"
searches=$(grep -c '^go' "$out.lines")
rm -f "$out.lines"
echo "$((1000000 + searches * each)),,instructions:u,1,100.00,," >"$out"
"#;

#[test]
fn instructions_per_node_are_compared() {
    use std::os::unix::fs::PermissionsExt;
    let setup = setup(&["play", "play, heavy"], "depth: 3\nrepetitions: 2\ntimes: false");
    let tools = setup.path("tools");
    std::fs::create_dir(&tools).unwrap();
    std::fs::write(tools.join("perf"), PERF).unwrap();
    std::fs::set_permissions(tools.join("perf"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(tools).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).unwrap();
    let output = setup.command("run").arg("--instructions").env("PATH", &path).exits(0);
    let text = stdout(&output) + &stderr(&output);
    assert!(text.contains("instructions are counted with perf"), "{text}");
    assert!(text.contains("| engine 1 | instructions per node | 7200 | 1.2000 (1.2000 to 1.2000)"), "{text}");
    let summary = setup.summary("run");
    let instructions = comparison(&summary, 1, "instructions");
    assert_eq!(instructions["difference"], "more");
    assert!((instructions["ratio"]["mean"].as_f64().unwrap() - 1.2).abs() < 1e-9);
    assert_eq!(comparison(&summary, 2, "instructions")["ratio"]["mean"], 1.0);
    // Only the first search of each position is counted.
    let records = setup.text("run", "journal.jsonl");
    for record in records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let counted = record["counters"]["instructions"].as_u64();
        assert_eq!(counted.is_some(), record["repetition"] == 0, "{record}");
    }
}

#[test]
fn missing_counters_are_reported_before_the_first_search() {
    let setup = setup(&["play"], "depth: 3\ninstructions: true");
    let empty = tempfile::tempdir().unwrap();
    setup.command("run").env("PATH", empty.path()).exits(1).stderr_has("valgrind is not installed");
    assert!(!setup.path("run").exists());
}
