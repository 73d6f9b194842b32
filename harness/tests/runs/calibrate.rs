//! Process tests of `harness calibrate`: two runs of the same settings, and runs that do not fit.

use serde_json::Value;
use std::fs;
use std::process::Output;

use crate::common::{MeasurementSetup, expect_code, harness, stderr, stdout};

/// A screening of an engine whose reported score increases with the hash size.
const SCREEN: &str = "\
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
    - { name: Hash, to: 22 }
    - { name: Threads, from: 3, to: 4 }
";

/// The same settings on fixed positions, where all of them play the same move.
const REGRET: &str = "\
engines:
  - { name: base, command: ENGINE, args: [weigh, luck], options: { Hash: 17, Threads: 3 } }
  - { name: ponders, command: ENGINE, args: [weigh, luck], options: { Hash: 17, Threads: 3, Ponder: true } }
  - { name: more memory, command: ENGINE, args: [weigh, luck], options: { Hash: 22, Threads: 3 } }
  - { name: four threads, command: ENGINE, args: [weigh, luck], options: { Hash: 17, Threads: 4 } }
judge: { name: judge, command: ENGINE, args: [weigh], nodes: 900 }
nodes: 200
positions: { file: positions.epd }
judgements: judged.jsonl
";

/// Runs one of the two and returns its folder.
fn finished(kind: &'static str, text: &str) -> MeasurementSetup {
    let setup = MeasurementSetup::new(kind, &text.replace("ENGINE", env!("CARGO_BIN_EXE_fake-engine")));
    expect_code(&setup.run("run"), 0);
    setup
}

fn calibrate(regret: &MeasurementSetup, screen: &MeasurementSetup, args: &[&str]) -> Output {
    let mut command = harness(&["calibrate"]);
    command.arg(regret.path("run")).arg(screen.path("run")).args(args).output().unwrap()
}

#[test]
fn settings_of_both_runs_are_compared() {
    let (regret, screen) = (finished("regret", REGRET), finished("screen", SCREEN));
    let output = calibrate(&regret, &screen, &["--json"]);
    expect_code(&output, 0);
    let found: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let settings = found["settings"].as_array().unwrap();
    let names: Vec<&str> = settings.iter().map(|setting| setting["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["ponders", "more memory", "four threads"]);
    let summary = screen.summary("run");
    for (setting, factor) in [(0, 0), (1, 1), (2, 2)] {
        assert_eq!(settings[setting]["games"], summary["factors"][factor]["elo"]["value"]);
        assert_eq!(settings[setting]["gain"]["value"], 0.0);
    }
    assert!(settings[1]["games"].as_f64() > Some(50.0), "{settings:?}");
    assert!(found["correlation"].is_null(), "equal gains correlate with nothing: {found}");
    let output = calibrate(&regret, &screen, &[]);
    expect_code(&output, 0);
    let (text, sentence) = (stdout(&output), found["sentence"].as_str().unwrap().to_owned());
    assert!(text.contains("more memory") && text.contains(&sentence), "{text}");
}

#[test]
fn runs_that_do_not_fit_are_refused() {
    let (regret, screen) = (finished("regret", REGRET), finished("screen", SCREEN));
    let output = calibrate(&screen, &regret, &[]);
    expect_code(&output, 2);
    assert!(stderr(&output).contains("is a run of `harness screen`: expected a run of `harness regret`"));
    let other = finished("regret", &REGRET.replace("nodes: 200", "nodes: 300"));
    let output = calibrate(&other, &screen, &[]);
    expect_code(&output, 1);
    assert!(stderr(&output).contains("the runs have different bases: "), "{}", stderr(&output));
    fs::remove_file(screen.path("run").join("manifest.yaml")).unwrap();
    let output = calibrate(&regret, &screen, &[]);
    expect_code(&output, 2);
    assert!(stderr(&output).contains("is no run folder"), "{}", stderr(&output));
}
