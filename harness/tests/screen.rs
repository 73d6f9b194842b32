//! `harness screen` as a process: what it finds, that a broken run comes to the same and may grow, and what bad recipes say.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

mod common;

use std::fs;
use std::path::PathBuf;
use std::process::{Output, Stdio};

use common::{BOOK, await_that, expect_code, harness, stderr, stdout};
use serde_json::Value;

/// A folder with openings and a recipe for an engine that is sure of winning with more than 16 MiB of hash table, but for
/// its luck with the opening.
struct Bench(tempfile::TempDir);

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("book.epd"), BOOK).unwrap();
        let bench = Self(dir);
        bench.write(&RECIPE.replace("ENGINE", env!("CARGO_BIN_EXE_fake-engine")));
        bench
    }

    fn write(&self, recipe: &str) {
        fs::write(self.path("screen.yaml"), recipe).unwrap();
    }

    fn recipe(&self) -> String {
        fs::read_to_string(self.path("screen.yaml")).unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `harness ARGS`, in the folder.
    fn run(&self, args: &[&str]) -> Output {
        harness(args).current_dir(self.0.path()).output().unwrap()
    }

    fn summary(&self, run: &str) -> Value {
        serde_json::from_slice(&fs::read(self.path(run).join("summary.json")).unwrap()).unwrap()
    }

    fn games(&self, run: &str) -> usize {
        fs::read_to_string(self.path(run).join("games/journal.jsonl")).map_or(0, |text| text.lines().count())
    }
}

const RECIPE: &str = "\
engines:
  - { name: fake, command: ENGINE, args: [weigh, luck], options: { Hash: 17 } }
openings: { file: book.epd, order: sequential }
nodes: 200
concurrency: 2
games: 60
adjudication: { win: { score: 1, moves: 1 }, max_moves: 4 }
screen:
  switches: [ponder]
  values:
    - { name: hash, to: 22 }
    - { name: Threads, from: 3, to: 4 }
";

#[test]
fn what_matters_is_told_from_what_does_not() {
    let bench = Bench::new();
    let output = bench.run(&["screen", "screen.yaml", "--out", "run"]);
    expect_code(&output, 0);
    assert_eq!(bench.games("run"), 60);
    let summary = bench.summary("run");
    assert_eq!((&summary["pairs"], &summary["state"]), (&30.into(), &"finished".into()));
    let factors = summary["factors"].as_array().unwrap();
    let texts = |index: usize| {
        ["name", "from", "to"].map(|key| factors[index][key].as_str().unwrap().to_owned()).join(" ")
    };
    assert_eq!(texts(0), "Ponder false true", "as the engine writes it and declares it");
    assert_eq!(texts(1), "Hash 17 22", "as it is configured");
    assert_eq!(texts(2), "Threads 3 4");
    let is_different = |index: usize| factors[index]["is_different"].as_bool().unwrap();
    assert!(is_different(1) && factors[1]["elo"]["value"].as_f64() > Some(50.0), "{factors:?}");
    assert!(!is_different(0) && !is_different(2), "{factors:?}");
    // The report can be made again from the journal alone.
    let report = fs::read_to_string(bench.path("run/report.md")).unwrap();
    expect_code(&bench.run(&["report", "run", "--out", "again"]), 0);
    let again = fs::read_to_string(bench.path("again/report.md")).unwrap();
    let table = report.lines().find(|line| line.starts_with("| Hash 17 -> 22")).unwrap();
    assert!(again.contains(table), "{table}\nis not in\n{again}");
}

#[test]
fn a_run_that_was_killed_comes_to_the_same_and_one_may_grow() {
    let bench = Bench::new();
    let recipe = bench.recipe().replace("args: [weigh, luck]", "args: [weigh, luck, ms=5]");
    bench.write(&recipe);
    expect_code(&bench.run(&["screen", "screen.yaml", "--out", "whole"]), 0);
    bench.write(&recipe.replace("games: 60", "games: 40"));
    let mut child = harness(&["screen", "screen.yaml", "--out", "broken"])
        .current_dir(bench.0.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    await_that("some games", || bench.games("broken") > 5);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(bench.games("broken") < 40, "it was killed in time");
    expect_code(&bench.run(&["screen", "--resume", "broken"]), 0);
    assert_eq!(bench.games("broken"), 40);
    bench.write(&recipe);
    let output = bench.run(&["screen", "screen.yaml", "--resume", "broken"]);
    expect_code(&output, 0);
    assert!(stderr(&output).contains("made longer: config.games: 40 -> 60"), "{}", stderr(&output));
    assert_eq!(bench.summary("whole")["factors"], bench.summary("broken")["factors"]);
    assert!(stdout(&output).contains("3 settings, 30 of 30 pairs"), "{}", stdout(&output));
}

#[test]
fn bad_recipes_are_refused_by_line_and_field() {
    let bench = Bench::new();
    let recipe = bench.recipe();
    for (from, to, expected) in [
        ("[ponder]", "[Hush]", "screen.switches[0]: the engine has no option `Hush`"),
        ("[ponder]", "[Hash]", "screen.values[0].name: `hash` is there twice"),
        ("[ponder]", "[UCI_Chess960, Threads]", "screen.values[1].name: `Threads` is there twice"),
        (
            "name: Threads, from: 3",
            "name: Pander",
            "screen.values[1].name: the engine has no option `Pander`",
        ),
        (
            "to: 22",
            "to: 65",
            "screen.yaml:11:25: screen.values[0].to: 65: expected a whole number from 1 to 64",
        ),
        ("to: 22", "to: 17", "screen.values[0].to: `hash` is 17 already"),
        ("to: 22", "to: null", "screen.values[0].to: expected a value"),
        ("from: 3", "from: nine", "screen.values[1].from: nine: expected a whole number from 1 to 8"),
        (
            "switches: [ponder]",
            "switches: [ponder]\n  differing: 0",
            "screen.differing: 0: expected more than 0",
        ),
        ("switches: [ponder]", "switch: [ponder]", "unknown field `switch`"),
        ("games: 60", "games: 61", "games: 61: expected an even number"),
        ("games: 60", "seed: 1", "games: missing: a screening needs a number of games"),
        ("games: 60", "games: 60\nsprt: { elo0: 0, elo1: 5 }", "sprt: a screening has a fixed length"),
        (
            "openings:",
            "  - { name: two, command: sh }\nopenings:",
            "engines: expected the one engine whose settings are judged, found 2",
        ),
    ] {
        assert!(recipe.contains(from), "{from}");
        bench.write(&recipe.replacen(from, to, 1));
        let output = bench.run(&["screen", "screen.yaml", "--out", "run"]);
        expect_code(&output, 2);
        assert!(stderr(&output).contains(expected), "{}\nshould contain {expected}", stderr(&output));
        assert!(!bench.path("run").exists(), "nothing is written for a bad configuration");
    }
    bench.write(recipe.split("screen:").next().unwrap());
    let output = bench.run(&["screen", "screen.yaml", "--out", "run"]);
    expect_code(&output, 2);
    assert!(stderr(&output).contains("screen: missing: which settings are judged"), "{}", stderr(&output));
    bench.write(&recipe);
    let output = bench.run(&["openbench", "export", "screen.yaml"]);
    expect_code(&output, 2);
    assert!(stderr(&output).contains("no workload that judges many settings"), "{}", stderr(&output));
}
