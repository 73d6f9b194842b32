//! Process tests of `harness regret`: judged moves, judgements kept for later runs, failing engines
//! and resuming.

use std::fs;

use crate::common::{MeasurementSetup, expect_code, stderr, stdout};
use serde_json::Value;

/// Sets up fake engines in these modes, the judge, and a file of judgements.
fn setup(modes: &[&str], judge: &str) -> MeasurementSetup {
    let engines = MeasurementSetup::engines(modes);
    let command = env!("CARGO_BIN_EXE_fake-engine");
    let text = format!(
        "{engines}judge: {{ name: judge, command: {command}, args: [{judge}], nodes: 900 }}\nnodes: 100\n\
         positions: {{ file: positions.epd }}\njudgements: judged.jsonl\ntimeout: 2\n"
    );
    MeasurementSetup::new("regret", &text)
}

#[test]
fn different_moves_are_judged_once_and_kept() {
    // The third setting plays the moves of the first.
    let setup = setup(&["steady, seed=3", "first", "steady, seed=3"], "weigh");
    let output = setup.run("run");
    expect_code(&output, 0);
    let summary = setup.summary("run");
    let positions = summary["positions"].as_u64().unwrap();
    assert_eq!(summary["positions_planned"], positions);
    let (different, judged) = (summary["different"].as_u64().unwrap(), summary["judged"].as_u64().unwrap());
    assert!(different > 0 && judged == 2 * different, "{summary}");
    let settings = summary["settings"].as_array().unwrap();
    assert_eq!(settings[1]["differs"], different);
    assert_eq!((&settings[2]["differs"], &settings[2]["gain"]["value"]), (&0.into(), &0.0.into()));
    let check = "A/A: engine 2 equals engine 0 and plays another move in 0 of";
    assert!(stdout(&output).contains(check), "{}", stdout(&output));
    assert!(stdout(&output).contains("| engine 1 |") && setup.text("run", "report.html").contains("<svg"));
    assert_eq!(setup.lines("judged.jsonl") as u64, judged);
    // A later run finds every move in the file, and the same result.
    expect_code(&setup.run("again"), 0);
    let again = setup.summary("again");
    assert_eq!((&again["judged"], &again["known"]), (&0.into(), &judged.into()));
    assert_eq!(again["settings"], summary["settings"]);
    assert_eq!(setup.lines("judged.jsonl") as u64, judged);
}

#[test]
fn moves_with_a_vote_are_judged_and_formulas_compared() {
    // The settings agree; the third thread of the first one prefers the first legal move.
    let setup = setup(&["steady, seed=3, ballots", "steady, seed=3"], "weigh");
    let output = setup.run("run");
    expect_code(&output, 0);
    let summary = setup.summary("run");
    let positions = summary["positions"].as_u64().unwrap();
    let [fit] = &summary["votes"].as_array().unwrap()[..] else { panic!("one setting prints ballots") };
    assert_eq!((&fit["name"], &fit["positions"]), (&"engine 0".into(), &positions.into()));
    assert_eq!((&fit["unexplained"], &summary["different"]), (&0.into(), &0.into()));
    let divided = fit["divided"].as_u64().unwrap();
    assert!(divided > 0 && summary["judged"].as_u64() == Some(2 * divided), "{summary}");
    let report = setup.text("run", "report.md");
    assert!(report.contains("## Formulas of the vote: engine 0"), "{report}");
    assert!(setup.text("run", "report.html").contains("Formulas of the vote"));
    let ballots = setup.text("run", "journal.jsonl").matches("\"since\":1").count() as u64;
    assert_eq!(ballots, 3 * positions);
    assert!(stdout(&output).contains("threads vote for different moves"), "{}", stdout(&output));
}

#[test]
fn resumed_run_searches_only_the_missing_positions() {
    let setup = setup(&["steady, seed=3", "first"], "weigh");
    expect_code(&setup.run("run"), 0);
    let whole = setup.text("run", "journal.jsonl");
    let first = whole.lines().next().unwrap();
    fs::write(setup.path("run").join("journal.jsonl"), format!("{first}\n")).unwrap();
    let output = setup.resume("run");
    expect_code(&output, 0);
    let mut lines: Vec<String> = setup.text("run", "journal.jsonl").lines().map(str::to_owned).collect();
    // The moves are known by now, so only their number differs, and the judge's nodes are absent.
    let comparable = |line: &str| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        record["known"] = 0.into();
        for judged in record["judged"].as_array_mut().unwrap() {
            judged.as_object_mut().unwrap().remove("nodes");
        }
        record.to_string()
    };
    for line in &mut lines {
        *line = comparable(line);
    }
    let mut expected: Vec<String> = whole.lines().map(comparable).collect();
    lines.sort_unstable();
    expected.sort_unstable();
    assert_eq!(lines, expected);
}

#[test]
fn failing_engine_ends_the_run_with_its_dialogue() {
    let setup = setup(&["first", "crash"], "weigh");
    let output = setup.run("run");
    expect_code(&output, 1);
    let text = stderr(&output);
    assert!(text.contains("engine 1 failed on position 1") && text.contains("position-1.txt"), "{text}");
    assert!(setup.text("run", "faults/position-1.txt").contains("> go nodes 100"));
}

#[test]
fn damaged_judgements_are_reported_before_the_run() {
    let setup = setup(&["first", "steady"], "weigh");
    fs::write(setup.path("judged.jsonl"), "nonsense\n").unwrap();
    let output = setup.run("run");
    expect_code(&output, 1);
    assert!(stderr(&output).contains("judged.jsonl:1: not a judged move"), "{}", stderr(&output));
    assert!(!setup.path("run").exists());
}
