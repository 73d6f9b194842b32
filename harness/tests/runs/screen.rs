//! Process tests of `harness screen`: detection of effects, resuming, extension and configuration
//! errors.

use crate::common::{Exits, Has, MeasurementSetup, events, harness, stderr};

/// A screening of an engine whose reported score increases with the hash size, plus noise from the
/// opening.
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

fn recipe() -> String {
    RECIPE.replace("ENGINE", env!("CARGO_BIN_EXE_fake-engine"))
}

#[test]
fn significant_effects_are_detected() {
    let setup = MeasurementSetup::new("screen", &recipe());
    let output = setup.run("run").exits(0);
    let notice = "book.epd has 6 openings; further pairs repeat them";
    output.stderr_has(notice);
    assert_eq!(setup.lines("run/games/journal.jsonl"), 60);
    let summary = setup.summary("run");
    assert_eq!((&summary["pairs"], &summary["state"]), (&30.into(), &"finished".into()));
    let factors = summary["factors"].as_array().unwrap();
    let texts = |index: usize| {
        ["name", "from", "to"].map(|key| factors[index][key].as_str().unwrap().to_owned()).join(" ")
    };
    assert_eq!(texts(0), "Ponder false true", "spelling and default as declared by the engine");
    assert_eq!(texts(1), "Hash 17 22", "baseline as configured");
    assert_eq!(texts(2), "Threads 3 4");
    let is_different = |index: usize| factors[index]["is_significant"].as_bool().unwrap();
    assert!(is_different(1) && factors[1]["elo"]["value"].as_f64() > Some(50.0), "{factors:?}");
    assert!(!is_different(0) && !is_different(2), "{factors:?}");
    // The report can be rebuilt from the journal alone.
    harness(&["report"]).arg(setup.path("run")).arg("--out").arg(setup.path("again")).exits(0);
    let (report, again) = (setup.text("run", "report.md"), setup.text("again", "report.md"));
    let table = report.lines().find(|line| line.starts_with("| Hash 17 -> 22")).unwrap();
    assert!(again.contains(table), "{table}\nis not in\n{again}");
}

#[test]
fn events_end_with_the_effects() {
    let setup = MeasurementSetup::new("screen", &recipe());
    let output = setup.command("run").arg("--json").exits(0);
    let (starts, ends) = (events(&output, "run_started"), events(&output, "run_ended"));
    assert_eq!((starts.len(), ends.len()), (2, 2), "the games and the run");
    assert_eq!((&starts[0]["settings"], &starts[0]["pairs"]), (&3.into(), &30.into()));
    assert_eq!(ends[1]["summary"], setup.summary("run"));
    assert_eq!(ends[1]["summary"]["factors"].as_array().unwrap().len(), 3);
}

#[test]
fn failed_screening_has_its_pairs_in_summary_and_report() {
    let failing = "games: 60\nmax_faults: 4";
    let text = recipe().replace("[weigh, luck]", "[crash, after=2]").replace("games: 60", failing);
    let setup = MeasurementSetup::new("screen", &text);
    let output = setup.command("run").arg("--json").exits(1);
    output.stderr_has("resume with: harness screen");
    let summary = setup.summary("run");
    assert_eq!(summary["state"], "failed");
    assert!(summary["pairs"].as_u64().unwrap() >= 1, "{summary}");
    let ends = events(&output, "run_ended");
    let last = ends.last().unwrap();
    assert_eq!((&last["state"], &last["summary"]), (&"failed".into(), &summary));
    assert!(last["error"].as_str().is_some_and(|error| error.contains("max_faults")), "{last}");
    assert!(setup.text("run", "report.md").contains("pairs of games"));
}

#[test]
fn alternatives_of_an_option_are_compared_with_its_baseline() {
    let setup = MeasurementSetup::new("screen", &recipe().replace("to: 22", "to: [22, 12]"));
    setup.run("run").exits(0);
    let summary = setup.summary("run");
    let hash: Vec<_> =
        summary["factors"].as_array().unwrap().iter().filter(|factor| factor["name"] == "Hash").collect();
    assert_eq!(hash.len(), 2, "{hash:?}");
    let pairs = |index: usize| hash[index]["pairs"].as_u64().unwrap();
    assert_eq!(pairs(0) + pairs(1), 30, "each pair tries one of them");
    let elo = |index: usize| hash[index]["elo"]["value"].as_f64().unwrap();
    assert!(elo(0) > 0.0 && elo(1) < 0.0, "more and less than the baseline: {hash:?}");
}

#[test]
fn killed_run_has_the_same_result_and_can_be_extended() {
    let slow = recipe().replace("[weigh, luck]", "[weigh, luck, ms=5]");
    let setup = MeasurementSetup::new("screen", &slow.replace("games: 60", "games: 40"));
    setup.expect_to_survive_a_kill("games/journal.jsonl", 5);
    assert_eq!(setup.summary("whole")["factors"], setup.summary("run")["factors"]);
    setup.configure(&slow);
    setup.run("longer").exits(0);
    let grown =
        harness(&["screen"]).arg(setup.path("config.yaml")).arg("--resume").arg(setup.path("run")).exits(0);
    grown.stderr_has("the run is extended: config.games: 40 -> 60");
    assert_eq!(setup.summary("longer")["factors"], setup.summary("run")["factors"]);
    grown.stdout_has("3 settings, 30 of 30 pairs");
}

#[test]
fn configuration_errors_name_line_and_field() {
    let recipe = recipe();
    let setup = MeasurementSetup::new("screen", &recipe);
    for (from, to, expected) in [
        ("[ponder]", "[Hush]", "screen.switches[0]: the engine has no option `Hush`"),
        ("[ponder]", "[Hash]", "screen.values[0].name: duplicate option `hash`"),
        ("[ponder]", "[UCI_Chess960, Threads]", "screen.values[1].name: duplicate option `Threads`"),
        (
            "name: Threads, from: 3",
            "name: Pander",
            "screen.values[1].name: the engine has no option `Pander`",
        ),
        (
            "to: 22",
            "to: 65",
            "config.yaml:11:25: screen.values[0].to: 65: expected a whole number from 1 to 64",
        ),
        ("to: 22", "to: 17", "screen.values[0].to: `hash` already has the value 17"),
        ("to: 22", "to: null", "screen.values[0].to: expected a value"),
        ("to: 22", "to: []", "screen.values[0].to: expected at least one value"),
        ("to: 22", "to: [22, 18, 22]", "screen.values[0].to[2]: `22` is listed twice"),
        ("to: 22", "to: [22, 65]", "screen.values[0].to: 65: expected a whole number from 1 to 64"),
        (
            "{ name: hash, to: 22 }",
            "{ name: hash, to: [22, 18] }\n    - { name: Pander, to: 1 }",
            "screen.values[1].name: the engine has no option `Pander`",
        ),
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
            "engines: expected one engine to screen, found 2",
        ),
    ] {
        assert!(recipe.contains(from), "{from}");
        setup.configure(&recipe.replacen(from, to, 1));
        let output = setup.run("run").exits(2);
        assert!(stderr(&output).contains(expected), "{}\nshould contain {expected}", stderr(&output));
        assert!(!setup.path("run").exists(), "a bad configuration starts no run");
    }
    setup.configure(recipe.split("screen:").next().unwrap());
    setup.run("run").exits(2).stderr_has("screen: missing: expected the settings to screen");
    setup.configure(&recipe);
    let output = harness(&["openbench", "export"]).arg(setup.path("config.yaml")).exits(2);
    output.stderr_has("no workload that judges many settings");
}
