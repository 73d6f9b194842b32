//! Process tests of `harness tune`: moves of parameters, resuming and configuration errors.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Output;

use crate::common::{
    BOOK, Exits, Has, await_that, harness, killed, lines_of, silent, stderr, stdout, summary_of,
};
use serde_json::Value;

/// A folder with openings and the configuration of an engine that resigns with less than 16 MiB of
/// hash.
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
        fs::write(self.path("tune.yaml"), recipe).unwrap();
    }

    fn recipe(&self) -> String {
        fs::read_to_string(self.path("tune.yaml")).unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs `harness ARGS` in the folder.
    fn run(&self, args: &[&str]) -> Output {
        harness(args).current_dir(self.0.path()).output().unwrap()
    }

    fn summary(&self, run: &str) -> Value {
        summary_of(&self.path(run))
    }

    fn games(&self, run: &str) -> usize {
        lines_of(&self.path(run).join("games/journal.jsonl"))
    }

    /// Returns the name of the opening of each pair in a journal of the run `run`, in the order of the pairs. Both games of a
    /// pair must have the same one.
    fn openings(&self, part: &str) -> Vec<String> {
        let text = fs::read_to_string(self.path("run").join(part).join("journal.jsonl")).unwrap();
        let mut pairs = BTreeMap::new();
        for line in text.lines() {
            let game: Value = serde_json::from_str(line).unwrap();
            let opening = game["opening"].as_str().unwrap().to_owned();
            let of_pair = pairs.entry(game["pair"].as_u64().unwrap()).or_insert_with(|| opening.clone());
            assert_eq!(*of_pair, opening, "{line}");
        }
        pairs.into_values().collect()
    }

    /// Writes the recipe with `iterations` of one pair, and a test of four pairs.
    fn shorten(&self, iterations: u32) {
        let recipe = self.recipe().replace("iterations: 6", &format!("iterations: {iterations}"));
        self.write(&recipe.replace("pairs: 3", "pairs: 1").replace("elo1: 400", "elo1: 1"));
    }
}

const RECIPE: &str = "\
engines:
  - { name: fake, command: ENGINE, args: [weigh] }
openings: { file: book.epd, order: sequential }
nodes: 200
concurrency: 2
adjudication: { win: { score: 1, moves: 1 }, max_moves: 4 }
tune:
  iterations: 6
  pairs: 3
  rate: 0.5
  parameters:
    - { name: hash, min: 2, max: 60, step: 4 }
    - { name: Threads, start: 3 }
sprt: { elo0: 0, elo1: 400, max_games: 8 }
";

#[test]
fn parameters_move_and_the_result_is_tested() {
    let bench = Bench::new();
    let output = bench.run(&["tune", "tune.yaml", "--out", "run"]).exits(0);
    assert_eq!(bench.games("run"), 2 * 6 * 3);
    let summary = bench.summary("run");
    assert_eq!((&summary["iterations"], &summary["state"]), (&6.into(), &"finished".into()));
    let parameters = summary["parameters"].as_array().unwrap();
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Hash", "Threads"], "spelled as declared by the engine");
    assert_eq!((parameters[0]["start"].as_f64(), parameters[1]["start"].as_f64()), (Some(16.0), Some(3.0)));
    assert!(parameters[0]["result"].as_f64() > Some(18.0), "a larger hash wins games: {parameters:?}");
    let test = &summary["test"]["engines"];
    assert_eq!((&test[0]["name"], &test[1]["name"]), (&"tuned".into(), &"start".into()));
    output.stdout_has("Test of the result against the start values");
    // The report can be rebuilt from the journals alone.
    let report = fs::read_to_string(bench.path("run/report.md")).unwrap();
    bench.run(&["report", "run", "--out", "again"]).exits(0);
    let again = fs::read_to_string(bench.path("again/report.md")).unwrap();
    let table = report.lines().find(|line| line.starts_with("| Hash")).unwrap();
    assert!(again.contains(table), "{table}\nis not in\n{again}");
    let list = stdout(&bench.run(&["runs", "list", "--folder", "."]));
    assert!(list.contains("SPSA tuning of Hash, Threads: test "), "{list}");
}

#[test]
fn missing_start_is_the_configured_value() {
    let bench = Bench::new();
    let recipe = bench.recipe().replace("args: [weigh]", "args: [weigh], options: { Hash: 24, Threads: 2 }");
    bench.write(&recipe.replace("rate: 0.5", "rate: 0.000001"));
    bench.run(&["tune", "tune.yaml", "--out", "run"]).exits(0);
    let summary = bench.summary("run");
    let start = |index: usize| summary["parameters"][index]["start"].as_f64();
    assert_eq!((start(0), start(1)), (Some(24.0), Some(3.0)), "a start in the file comes first");
}

#[test]
fn test_of_the_result_stops_at_max_games() {
    let bench = Bench::new();
    bench.write(&bench.recipe().replace("elo1: 400, max_games: 8", "elo1: 1, max_games: 4"));
    bench.run(&["tune", "tune.yaml", "--out", "run"]).exits(0).stdout_has("undecided after 4 games");
    assert_eq!(bench.summary("run")["test"]["games"], 4);
}

#[test]
fn test_of_the_result_plays_the_openings_after_those_of_the_tuning() {
    let bench = Bench::new();
    bench.shorten(2);
    let output = bench.run(&["tune", "tune.yaml", "--out", "run"]).exits(0);
    assert_eq!(bench.openings("games"), ["open", "sicilian"]);
    assert_eq!(bench.openings("test"), ["french", "closed", "indian", "english"]);
    output.stderr_has("at most 1 of 2 games are played at once, the pairs of an iteration");
    assert!(!stderr(&output).contains("test of the result:"), "{}", stderr(&output));
    bench.run(&["tune", "--resume", "run"]).exits(0);
    assert_eq!(bench.openings("test").len(), 4, "nothing is left to play");
}

#[test]
fn test_of_the_result_that_repeats_openings_of_the_tuning_has_a_notice() {
    let bench = Bench::new();
    bench.shorten(7);
    let output = bench.run(&["tune", "tune.yaml", "--out", "run"]).exits(0);
    assert_eq!(bench.openings("test"), ["sicilian", "french", "closed", "indian"], "the book starts again");
    let expected = "book.epd has 6 openings, of which the tuning leaves 0 unused; further pairs repeat openings of the tuning";
    output.stderr_has(expected);
    bench.write(&bench.recipe().replace("max_games: 8", "max_games: 14"));
    let output = bench.run(&["tune", "tune.yaml", "--out", "longer"]).exits(0);
    let expected = "book.epd has 6 openings; the test ends undecided when pairs with the same opening repeat their games";
    output.stderr_has(expected);
}

#[test]
fn step_that_leaves_both_sides_equal_has_a_notice() {
    let bench = Bench::new();
    bench.write(&bench.recipe().replace("start: 3 }", "start: 3, step: 0.2 }"));
    let output = bench.run(&["tune", "tune.yaml", "--out", "run"]).exits(0);
    let expected = "Threads: the step 0.2 leaves both sides with equal values in 5";
    output.stderr_has(expected);
    assert!(!stderr(&output).contains("hash: the step"), "{}", stderr(&output));
    assert!(!stderr(&output).contains("games are played at once"), "{}", stderr(&output));
}

#[test]
fn unchanged_result_is_not_tested() {
    let bench = Bench::new();
    bench.write(&bench.recipe().replace("rate: 0.5", "rate: 0.000001"));
    let output = bench.run(&["tune", "tune.yaml", "--out", "run"]).exits(0);
    let expected = "not tested: rounded to integers, the tuned values equal the start values";
    output.stdout_has(expected);
    let summary = bench.summary("run");
    assert_eq!((&summary["untested"], &summary["state"]), (&expected.into(), &"finished".into()));
    assert!(!bench.path("run/test").exists());
    bench.run(&["report", "run", "--out", "again"]).exits(0);
}

#[test]
fn killed_run_has_the_same_result() {
    let bench = Bench::new();
    let longer = bench.recipe().replace("iterations: 6", "iterations: 40").replace("sprt:", "# sprt:");
    bench.write(&longer.replace("args: [weigh]", "args: [weigh, ms=5]"));
    bench.run(&["tune", "tune.yaml", "--out", "whole"]).exits(0);
    let child = silent(harness(&["tune", "tune.yaml", "--out", "broken"]).current_dir(bench.0.path()));
    await_that("some games", || bench.games("broken") > 20);
    killed(child);
    let before = bench.games("broken");
    bench.run(&["tune", "--resume", "broken"]).exits(0);
    assert_eq!(bench.games("broken"), bench.games("whole"));
    assert!(before < bench.games("whole"), "the run was killed before its end");
    let results = ["whole", "broken"].map(|run| bench.summary(run)["parameters"].clone());
    assert_eq!(results[0], results[1]);
    assert_ne!(results[0][0]["result"], results[0][0]["start"]);
}

#[test]
fn configuration_errors_name_line_and_field() {
    let bench = Bench::new();
    let recipe = bench.recipe();
    for (from, to, expected) in [
        ("name: hash", "name: Hush", "tune.parameters[0].name: the engine has no option `Hush`"),
        ("name: hash, min: 2, max: 60", "name: Ponder", "`Ponder`: expected an option of type spin"),
        ("start: 3", "start: 30", "tune.yaml:13:31: tune.parameters[1].start: 30: expected 1 to 8"),
        ("max: 60", "max: 600", "tune.parameters[0].max: 600: expected 1 to 64, as declared by the engine"),
        ("step: 4", "step: 0", "tune.parameters[0].step: 0: expected more than 0"),
        ("step: 4", "step: 59", "parameters[0].step: 59: expected at most the range of `hash`, 2 to 60"),
        ("max_games: 8", "max_games: 7", "sprt.max_games: 7: expected an even number"),
        (
            "order: sequential",
            "order: sequential, start: 18446744073709551600",
            "tune.yaml:3:55: openings.start: 18446744073709551600: expected at most 18446744073709551597",
        ),
        ("name: Threads", "name: HASH", "tune.parameters[1].name: duplicate parameter `HASH`"),
        ("rate: 0.5", "rate: -1", "tune.rate: -1: expected more than 0"),
        ("rate: 0.5", "rates: 1", "unknown field `rates`"),
        ("nodes: 200", "nodes: 200\ngames: 10", "games: a tuning has tune.iterations of tune.pairs"),
        ("  pairs: 3", "  pairs: 0", "tune.pairs: "),
        (
            "openings:",
            "  - { name: two, command: sh }\nopenings:",
            "engines: expected one engine to tune, found 2",
        ),
    ] {
        assert!(recipe.contains(from), "{from}");
        bench.write(&recipe.replacen(from, to, 1));
        let output = bench.run(&["tune", "tune.yaml", "--out", "run"]).exits(2);
        assert!(stderr(&output).contains(expected), "{}\nshould contain {expected}", stderr(&output));
        assert!(!bench.path("run").exists(), "a bad configuration starts no run");
    }
}

/// Arguments of a tuning of the engine that resigns with less than 16 MiB of hash.
const QUICK: &[&str] = &[
    "--out",
    "run",
    "--set",
    "engines[0].args=[weigh]",
    "--set",
    "adjudication={win: {score: 1, moves: 1}, max_moves: 4}",
    "--openings",
    "book.epd",
    "--nodes",
    "200",
    "--params",
    "spsa.txt",
    "-j",
    "2",
];

#[test]
fn lines_of_openbench_are_tuned_and_printed_with_the_result() {
    let bench = Bench::new();
    let line = "Hash, int, 16, 2, 60, 4.0, 0.5";
    fs::write(bench.path("spsa.txt"), format!("{line}\nThreads,3,1,8,1,0.000001\n")).unwrap();
    let quick = [&["tune", env!("CARGO_BIN_EXE_fake-engine"), "--pairs", "3", "-n", "36"], QUICK].concat();
    let output = bench.run(&quick).exits(0);
    assert_eq!(bench.games("run"), 36);
    let result = bench.summary("run")["parameters"][0]["result"].as_f64().unwrap().round();
    assert!(result > 17.0, "a larger hash wins games: {result}");
    let changed = format!("Hash, int, {result}, 2, 60, 4.0, 0.5\n");
    let all = format!("{changed}Threads,3,1,8,1,0.000001\n");
    let text = stdout(&output);
    assert!(text.contains(&format!("All parameters:\n\n```\n{all}```")), "{text}");
    assert!(text.contains(&format!("Changed parameters:\n\n```\n{changed}```")), "{text}");
    let report = |args: &[&str]| {
        let output = bench.run(&[&["report", "run", "--format"], args].concat()).exits(0);
        stdout(&output)
    };
    let fishtest = format!("Hash,{result},2,60,4,0.5\n");
    assert_eq!(report(&["fishtest"]), format!("{fishtest}Threads,3,1,8,1,0.000001\n"));
    assert_eq!(report(&["fishtest", "--changed"]), fishtest);
    let openbench = format!("Hash, int, {result}.0, 2.0, 60.0, 4.0, 0.5\n");
    assert_eq!(report(&["openbench", "--changed"]), openbench);
    // The printed lines are read again, and the run continues without the file.
    fs::remove_file(bench.path("spsa.txt")).unwrap();
    bench.run(&["tune", "--resume", "run"]).exits(0);
    fs::write(bench.path("spsa.txt"), report(&["openbench"])).unwrap();
    bench.run(&[&quick[..], &["--print-config"]].concat()).exits(0).stdout_has(&format!("start: {result}.0"));
}

#[test]
fn invalid_lines_are_reported_with_their_place() {
    let bench = Bench::new();
    let quick = [&["tune", env!("CARGO_BIN_EXE_fake-engine"), "-n", "32"], QUICK].concat();
    for (lines, expected) in [
        ("Hash, int, 16, 2, 60, 4\n", "error: spsa.txt:1:1: expected 7 fields: name, int, start"),
        ("Hash, int, 16, 2, 60, 0, 0.002\n", "error: spsa.txt:1:23: c_end: 0: expected more than 0"),
        ("Hash, float, 16, 2, 60, 4, 0.002\n", "error: spsa.txt:1:7: type float: "),
        (
            "Hash,16,2,60,4,0.002\nThread,3,1,8,1,0.002\n",
            "error: spsa.txt:2:1: tune.parameters[1].name: the engine has no option `Thread`; did you mean `Threads`?\n",
        ),
        (
            "Threads,3,1,9,1,0.002\n",
            "error: spsa.txt:1:13: tune.parameters[0].max: 9: expected 1 to 8, as declared by the engine\n",
        ),
        (
            "Threads,3,1,8,9,0.002\n",
            "error: spsa.txt:1:15: tune.parameters[0].step: 9: expected at most the range of `Threads`, 1 to 8\n",
        ),
        (
            "Threads,3,1,8,1,2\n",
            "error: spsa.txt:1:17: tune.parameters[0].rate: 2: expected more than 0 and at most 1\n",
        ),
    ] {
        fs::write(bench.path("spsa.txt"), lines).unwrap();
        let output = bench.run(&quick).exits(2);
        assert!(stderr(&output).starts_with(expected), "{}\nshould start with {expected}", stderr(&output));
        assert!(!bench.path("run").exists(), "a bad line starts no run");
    }
    fs::write(bench.path("spsa.txt"), "Threads,3,1,8,1,0.002\n").unwrap();
    let fake = env!("CARGO_BIN_EXE_fake-engine");
    for (args, expected) in [
        (&["tune", fake, "--params", "none.txt"][..], "error: --params: cannot read none.txt: "),
        (
            &["tune", fake, "--params", "spsa.txt", "--nodes", "9", "-n", "100"],
            "error: --games 100: expected a multiple of 16, such as 112: an iteration plays 8 pairs of games, which --pairs changes\n",
        ),
        (
            &["tune", fake, "--nodes", "9"],
            "error: nothing to tune: expected --params FILE, with lines of OpenBench or fishtest\n",
        ),
        (&["tune", fake, "--params", "spsa.txt", "-n", "32"], "error: no limit for the engine: "),
        (&["tune", fake, "--params", "spsa.txt", "--nodes", "9"], "error: no length: expected -n GAMES\n"),
        (
            &["tune", "tune.yaml", "--params", "spsa.txt"],
            "error: --params needs engines on the command line; --set FIELD=VALUE",
        ),
    ] {
        let output = bench.run(args).exits(2);
        assert!(stderr(&output).starts_with(expected), "{}\nshould start with {expected}", stderr(&output));
    }
}
