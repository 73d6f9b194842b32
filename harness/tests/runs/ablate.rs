//! Process tests of `harness ablate`: effects of switches, games, configuration errors and
//! resuming.

use crate::common::{
    Exits, Has, MeasurementSetup, await_that, events, harness, killed, silent, stderr, stdout,
};
use serde_json::Value;

const GAMES: &str = "games: { largest: 1, games: 8, nodes: 100, openings: { file: book.epd, order: sequential }, \
adjudication: { max_moves: 12 } }\n";

/// Builds a configuration for the fake engine with switches: `Halve` halves the nodes, `Idle` has
/// no effect.
fn config(more: &str) -> String {
    let command = env!("CARGO_BIN_EXE_fake-engine");
    format!(
        "engine: {{ name: fake, command: {command}, args: [switches] }}\nswitches: all\npairs: [[Halve, Idle]]\n\
         positions: {{ file: positions.epd }}\ndepth: 3\ntimes: false\ntimeout: 2\n{more}"
    )
}

fn effect<'a>(summary: &'a Value, name: &str) -> &'a Value {
    let is_named = |effect: &&Value| {
        let switches = effect["variant"]["switches"].as_array().unwrap();
        switches.len() == 1 && switches[0][0] == name
    };
    summary["effects"].as_array().unwrap().iter().find(is_named).unwrap()
}

#[test]
fn switch_effects_are_measured_in_nodes() {
    let setup = MeasurementSetup::new("ablate", &config(""));
    let output = setup.run("run").exits(0);
    let summary = setup.summary("run");
    assert_eq!((&summary["searches"], &summary["state"]), (&30.into(), &"finished".into()));
    let nodes = |name: &str| &effect(&summary, name)["comparisons"][0];
    assert_eq!(nodes("Halve")["difference"], "less");
    assert!((nodes("Halve")["ratio"]["mean"].as_f64().unwrap() - 0.5).abs() < 1e-9);
    assert_eq!(nodes("Idle")["difference"], "none");
    assert_eq!(effect(&summary, "Halve")["strength"], Value::Null, "no games were asked for");
    let text = stdout(&output);
    assert!(text.contains("| Halve on | 0.500 (0.500 to 0.500) |"), "{text}");
    assert!(text.contains("| Idle off | [1.000") && !text.contains("Elo"), "{text}");
    setup.run("again").exits(0);
    setup.expect_same("run", "again", &["report.md", "report.html", "summary.json"]);
}

#[test]
fn largest_effects_are_played() {
    let setup = MeasurementSetup::new("ablate", &config(GAMES));
    let output = setup.run("run").exits(0);
    let summary = setup.summary("run");
    assert_eq!(effect(&summary, "Halve")["strength"]["games"], 8, "{summary}");
    assert_eq!(effect(&summary, "Idle")["strength"], Value::Null);
    assert_eq!(setup.lines("run/games-Halve-on/journal.jsonl"), 8);
    let text = stdout(&output);
    assert!(text.contains("| Elo (games) |") && text.contains("(8)"), "{text}");
    assert!(setup.text("run", "report.html").contains("Elo (games)"));
    // The report is rebuilt from the journals alone.
    let page = setup.text("run", "report.md");
    let output = harness(&["report"]).arg(setup.path("run")).exits(0);
    let table = |text: &str| text.lines().filter(|line| line.starts_with("| Halve")).collect::<String>();
    assert_eq!(table(&stdout(&output)), table(&page));
}

#[test]
fn resume_after_kill_repeats_no_search_or_game() {
    let setup = MeasurementSetup::new("ablate", &config("repetitions: 100\n"));
    setup.expect_to_survive_a_kill("journal.jsonl", 30);
    setup.expect_same("run", "whole", &["report.md", "summary.json"]);
    // Killed during the games: the searches are not repeated.
    let games = GAMES.replace("games: 8", "games: 600");
    let setup = MeasurementSetup::new("ablate", &config(&games));
    setup.expect_to_survive_a_kill("games-Halve-on/journal.jsonl", 10);
    assert_eq!(setup.lines("run/journal.jsonl"), 30);
    // Moves are random, so only the nodes are equal.
    let nodes = |out: &str| effect(&setup.summary(out), "Halve")["comparisons"].clone();
    assert_eq!(nodes("run"), nodes("whole"));
    assert_eq!(effect(&setup.summary("run"), "Halve")["strength"]["games"], 600);
}

#[test]
fn configuration_errors_name_line_and_field() {
    let good = config(GAMES);
    let command = env!("CARGO_BIN_EXE_fake-engine");
    for (from, to, expected) in [
        (
            "switches: all",
            "switches: [Idle, Nonsense]",
            "config.yaml:2:18: switches[1]: the engine has no option",
        ),
        (
            "switches: all",
            "switches: [Threads]",
            "config.yaml:2:12: switches[0]: `Threads` is not an option of type check",
        ),
        ("switches: all", "switches: [Idle, idle]", "config.yaml:2:18: switches[1]: `idle` is listed twice"),
        (
            "[[Halve, Idle]]",
            "[[Halve, Hum]]",
            "config.yaml:3:17: pairs[0][1]: the engine has no option `Hum`",
        ),
        (command, "/no/such/engine", "config.yaml:1:32: engine.command: no such engine"),
        ("positions.epd", "nowhere.epd", "config.yaml:4:20: positions.file: no such file"),
        ("largest: 1", "switches: [Nonsense]", "games.switches[0]: "),
        ("book.epd", "no-book.epd", "games.openings.file: no such file"),
        ("depth: 3", "depth: 3\ncolour: red", "unknown field `colour`"),
    ] {
        let setup = MeasurementSetup::new("ablate", &good.replace(from, to));
        let output = setup.run("run").exits(2);
        assert!(stderr(&output).contains(expected), "{to}: {}", stderr(&output));
        assert!(!setup.path("run").exists(), "{to}: no run is started");
    }
    let setup = MeasurementSetup::new("ablate", &good);
    std::fs::write(setup.path("positions.epd"), "\n").unwrap();
    setup.run("run").exits(2).stderr_has("positions.file: ").stderr_has("expected at least one position");
}

/// Returns the state of the only run in the folder of a setup, as `harness runs list` shows it.
fn listed_state(setup: &MeasurementSetup) -> String {
    let output = harness(&["runs", "list", "--json", "--folder"])
        .arg(setup.path("run").parent().unwrap())
        .output()
        .unwrap();
    let runs: Value = serde_json::from_str(&stdout(&output)).unwrap();
    runs[0]["state"].as_str().unwrap().to_owned()
}

#[test]
fn ablation_killed_before_its_last_match_is_interrupted() {
    let games = GAMES.replace("largest: 1", "largest: 2").replace("games: 8", "games: 400");
    let setup = MeasurementSetup::new("ablate", &config(&games));
    let child = silent(&mut setup.command("run"));
    await_that("the first match", || setup.lines("run/games-Halve-on/journal.jsonl") > 2);
    let searched = setup.summary("run");
    await_that("the second match", || setup.lines("run/games-Idle-off/journal.jsonl") > 2);
    killed(child);
    assert_eq!(searched["state"], "running", "after the searches");
    assert_eq!(setup.summary("run")["state"], "running", "after the first match");
    assert_eq!(listed_state(&setup), "interrupted");
    setup.resume("run").exits(0);
    assert_eq!(setup.summary("run")["state"], "finished");
    assert_eq!(listed_state(&setup), "finished");
}

#[test]
fn events_of_an_ablation_end_with_its_elo() {
    let setup = MeasurementSetup::new("ablate", &config(GAMES));
    let output = setup.command("run").arg("--json").exits(0);
    let ends = events(&output, "run_ended");
    assert_eq!(ends.len(), 2, "the match and the run: {ends:?}");
    assert_eq!(events(&output, "run_started").len(), 2);
    assert_eq!(ends[1]["state"], "finished");
    assert_eq!(effect(&ends[1]["summary"], "Halve")["strength"]["games"], 8);
    let last: Value = serde_json::from_str(stdout(&output).lines().last().unwrap()).unwrap();
    assert_eq!(last, ends[1], "the last event");
    assert_eq!(ends[1]["summary"], setup.summary("run"));
}
