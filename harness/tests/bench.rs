//! `harness bench` as a process: the same program is no different, another is, and runs go on where they were.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

mod common;

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use common::{BOOK, await_that, expect_code, harness, stderr, stdout};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// A folder with positions and a configuration.
struct Desk(tempfile::TempDir);

impl Desk {
    /// Engines in these modes.
    fn new(modes: &[&str], more: &str) -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        fs::write(desk.path("positions.epd"), BOOK).unwrap();
        let engine = |(index, mode): (usize, &&str)| {
            let command = env!("CARGO_BIN_EXE_fake-engine");
            format!("  - {{ name: engine {index}, command: {command}, args: [{mode}] }}\n")
        };
        let engines: String = modes.iter().enumerate().map(engine).collect();
        let text = format!("engines:\n{engines}positions: {{ file: positions.epd }}\ntimeout: 2\n{more}\n");
        fs::write(desk.path("bench.yaml"), text).unwrap();
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, out: &str) -> std::process::Command {
        let mut command = harness(&["bench"]);
        command.arg(self.path("bench.yaml")).arg("--out").arg(self.path(out));
        command
    }

    fn run(&self, out: &str) -> Output {
        self.command(out).output().unwrap()
    }

    fn text(&self, out: &str, file: &str) -> String {
        fs::read_to_string(self.path(out).join(file)).unwrap()
    }

    fn summary(&self, out: &str) -> Value {
        serde_json::from_str(&self.text(out, "summary.json")).unwrap()
    }
}

/// An engine's comparison in a quantity.
fn comparison<'a>(summary: &'a Value, engine: usize, quantity: &str) -> &'a Value {
    let all = summary["engines"][engine]["comparisons"].as_array().unwrap();
    all.iter().find(|comparison| comparison["quantity"] == quantity).unwrap()
}

#[test]
fn only_what_differs_is_called_a_difference() {
    // The second searches 100 nodes whatever it is asked, the first more.
    let desk = Desk::new(&["team", "play"], "depth: 3\nrepetitions: 2\ntimes: false");
    let output = desk.run("run");
    expect_code(&output, 0);
    let summary = desk.summary("run");
    assert_eq!(summary["engines"].as_array().unwrap().len(), 3);
    let nodes = comparison(&summary, 1, "nodes");
    assert!(nodes["ratio"]["mean"].as_f64().unwrap() < 0.9, "{nodes}");
    assert_eq!(nodes["difference"], "less");
    let control = comparison(&summary, 2, "nodes");
    assert_eq!((&control["ratio"]["mean"], &control["difference"]), (&1.0.into(), &"none".into()));
    assert_eq!(summary["engines"][2]["is_control"], true);
    assert!(stdout(&output).contains("| control | nodes |"), "{}", stdout(&output));
    let page = desk.text("run", "report.html");
    assert!(page.contains("engine 1") && !page.contains("NaN"));
    // Without times nothing depends on the machine.
    expect_code(&desk.run("again"), 0);
    for file in ["report.md", "report.html", "summary.json"] {
        assert_eq!(desk.text("run", file), desk.text("again", file), "{file}");
    }
}

#[test]
fn a_target_ends_the_run() {
    let desk = Desk::new(&["team"], "depth: 3\nrepetitions: 2000\ntarget: { measure: nodes, percent: 1 }");
    expect_code(&desk.run("run"), 0);
    let summary = desk.summary("run");
    // Nodes never vary here, so one pass over the positions is enough; the engines go on until that is seen.
    let searches = summary["searches"].as_u64().unwrap();
    assert!((12..12_000).contains(&searches), "{searches}");
    assert_eq!((&summary["state"], &summary["searches_planned"]), (&"finished".into(), &24_000.into()));
}

#[test]
fn mistakes_are_named() {
    for (modes, more, expected) in [
        (&["team"][..], "", "depth: expected one limit"),
        (&["team", "team"], "depth: 3\ncount: 9", "unknown field `count`"),
        (&[], "depth: 3", "engines"),
        (&["team"], "depth: 3\ncontrol: false", "engines: expected at least two engines"),
    ] {
        let output = Desk::new(modes, more).run("run");
        expect_code(&output, 2);
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
    let desk = Desk::new(&["team", "crash"], "depth: 3");
    let output = desk.run("run");
    expect_code(&output, 1);
    assert!(stderr(&output).contains("engine 1 failed on position 1"), "{}", stderr(&output));
}

#[test]
fn a_killed_run_does_exactly_what_is_missing() {
    let desk = Desk::new(&["team", "team"], "depth: 3\nrepetitions: 300\ntimes: false");
    expect_code(&desk.run("whole"), 0);
    let mut child = desk.command("run").spawn().unwrap();
    let journal = desk.path("run").join("journal.jsonl");
    let lines = || fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    await_that("some searches", || lines() > 30);
    kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    assert!(lines() < 5400, "killed in the middle");
    expect_code(&harness(&["bench", "--resume"]).arg(desk.path("run")).output().unwrap(), 0);
    assert_eq!(lines(), 5400);
    for file in ["report.md", "summary.json"] {
        assert_eq!(desk.text("run", file), desk.text("whole", file), "{file}");
    }
}
