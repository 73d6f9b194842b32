//! Process tests of `harness sprt` with `stages`: order, end, resumption, exit codes and errors.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::common::{
    Exits, Has, Lab, await_that, events, expect_code, fake_engine, harness, killed, lines_of, silent, stderr,
    stdout,
};
use serde_json::Value;

/// Returns a test with these stages.
fn lab(first: &str, second: &str, stages: &[&str]) -> Lab {
    let stages = stages.join("\n  - ");
    let test = "sprt: { elo0: 0, elo1: 100 }\nconcurrency: 2\nstages:\n  - ";
    Lab::new(first, second).with(&format!("{test}{stages}"))
}

const LOSER: &str = "illegal after=2";

fn games(lab: &Lab, stage: &str) -> usize {
    lines_of(&lab.run_dir().join(stage).join("journal.jsonl"))
}

fn refusal(output: &Output) -> String {
    expect_code(output, 2);
    stderr(output)
}

#[test]
fn stages_are_played_until_one_does_not_accept_h1() {
    let stages = [
        "{ name: one, nodes: 100 }",
        "{ name: two, nodes: 150, concurrency: 1, sprt: { max_games: 2 } }",
        "{ name: three, nodes: 200 }",
    ];
    let lab = lab("ok", LOSER, &stages);
    let output = lab.run("sprt", &[]).exits(0);
    for (stage, concurrency) in [("one", 2), ("two", 1)] {
        let manifest = fs::read_to_string(lab.run_dir().join(stage).join("manifest.yaml")).unwrap();
        let manifest: Value = serde_yaml::from_str(&manifest).unwrap();
        assert_eq!(manifest["host"]["concurrency"], concurrency, "{stage}");
    }
    assert_eq!(stdout(&output), "one passed, two: undecided after 2 games, three not played\n");
    assert!(games(&lab, "one") > 2 && games(&lab, "two") == 2);
    assert!(!lab.run_dir().join("three").exists());
    let summary = lab.summary();
    assert_eq!(summary["state"], "finished");
    assert_eq!(summary["stages"][0]["decision"]["verdict"], "accept_h1");
    assert_eq!((&summary["stages"][1]["name"], &summary["stages"][1]["games"]), (&"two".into(), &2.into()));
    assert_eq!(summary["planned"].as_array().map(Vec::len), Some(3));
    let report = fs::read_to_string(lab.run_dir().join("report.md")).unwrap();
    assert!(report.contains("| one | 100 nodes |") && report.contains("| three | 200 nodes |"), "{report}");
    assert!(report.contains("## two: first against second: undecided after 2 games"), "{report}");

    // The last stage played decides; the finished run only reports again.
    for (hypothesis, code) in [("h1", 1), ("h0", 1)] {
        lab.resume("sprt", &["--expect", hypothesis]).exits(code);
    }
    assert_eq!((games(&lab, "two"), lab.summary()), (2, summary));
}

#[test]
fn h0_in_the_first_stage_ends_the_test() {
    let lab = lab(LOSER, "ok", &["{ name: one, nodes: 100 }", "{ name: two, nodes: 150 }"]);
    let output = lab.run("sprt", &["--expect", "h0", "--json"]).exits(0);
    assert!(!lab.run_dir().join("two").exists());
    let (starts, ends) = (events(&output, "run_started"), events(&output, "run_ended"));
    assert_eq!(starts[0]["stages"], serde_json::json!(["one", "two"]));
    assert_eq!((starts.len(), ends.len()), (2, 2), "the stage and the run");
    assert_eq!(ends[1]["summary"], lab.summary());
}

#[test]
fn stage_is_a_run_of_its_own() {
    let lab = lab("ok", LOSER, &["{ name: one, nodes: 100 }", "{ name: stc, nodes: 150 }"]);
    lab.run("sprt", &["--expect", "h1"]).exits(0);
    let stage = lab.run_dir().join("stc");
    assert!(stage.join("report.html").is_file() && stage.join("games.pgn").is_file());
    let output = harness(&["report"]).arg(&stage).exits(0);
    let text = stdout(&output);
    assert!(text.starts_with("# first against second: H1 accepted\n"), "{text}");
    assert!(text.contains("options | Threads = 1, Hash = 16 |"), "{text}");
    let played = games(&lab, "stc");
    harness(&["sprt", "--expect", "h1", "--resume"]).arg(&stage).exits(0);
    assert_eq!(games(&lab, "stc"), played);
    // A plan takes the games of one stage, and says so.
    let plan = |run: &Path| lab_plan(&lab, run);
    assert!(refusal(&plan(&lab.run_dir())).contains("is a test of several stages: expected one of "));
}

fn lab_plan(lab: &Lab, run: &Path) -> Output {
    let config = lab.write_config();
    harness(&["sprt", "--plan", "--like"]).arg(run).arg(config).output().unwrap()
}

#[test]
fn killed_run_is_resumed_in_its_second_stage() {
    let stages = ["{ name: one, nodes: 100 }", "{ name: two, nodes: 150, sprt: { elo1: 5, max_games: 60 } }"];
    let lab = lab("ok", LOSER, &stages);
    let child = silent(&mut lab.command("sprt", &[]));
    await_that("some games of the second stage", || games(&lab, "two") > 6);
    killed(child);
    let (first, second) = (games(&lab, "one"), games(&lab, "two"));
    assert!(second < 60, "killed in the middle");
    let list = harness(&["runs", "list", "--folder"]).arg(lab.path(".")).output().unwrap();
    list.stdout_has("interrupted");
    lab.resume("sprt", &["--expect", "h1"]).exits(1);
    assert_eq!((games(&lab, "one"), games(&lab, "two")), (first, 60));
    let numbers: Vec<u64> = fs::read_to_string(lab.run_dir().join("two/journal.jsonl"))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["game"].as_u64().unwrap())
        .collect();
    let mut distinct = numbers.clone();
    distinct.sort_unstable();
    assert_eq!(distinct, (0..60).collect::<Vec<_>>(), "no game twice");
}

#[test]
fn named_stages_on_the_command_line_have_their_values() {
    let engine = fake_engine();
    let call = |args: &[&str]| harness(&["sprt", engine, engine]).args(args).output().unwrap();
    let output = call(&["--stages", "stc,ltc", "--print-config"]).exits(0);
    let text = stdout(&output);
    for part in
        ["name: stc\n  time_control: 8+0.08\n  threads: 1\n  hash: 16", "40+0.4\n  threads: 1\n  hash: 64"]
    {
        assert!(text.contains(part), "{text}");
    }
    let output = call(&["--stages", "stc,smp", "--plan"]).exits(0);
    output.stdout_has("stage smp: 5+0.05").stdout_has("test of H1: 5 nElo against H0: 0 nElo");
    let json = stdout(&call(&["--stages", "stc,smp", "--plan", "--json"]));
    assert!(json.lines().count() == 2 && json.contains(r#""stage":"smp""#), "{json}");
    let output = call(&["--stages", "ltc", "--elo", "-3", "1", "--plan"]);
    output.stdout_has("test of H1: 1 nElo against H0: -3 nElo");
    assert!(refusal(&call(&["--stages", "stc", "--tc", "1+0.1"])).contains("cannot be used with"));
    assert!(refusal(&call(&["--stages", "vltc"])).contains("[possible values: stc, ltc, smp]"));
    assert!(
        refusal(&call(&["--stages", "stc", "--option", "Hash=8"])).contains("stage `stc` sets this option")
    );
}

#[test]
fn invalid_stages_are_refused_with_their_place() {
    for (stage, expected) in [
        ("{ name: a, node: 5 }", "config.yaml:11:16: stages[0]: unknown field `node`, did you mean `nodes`?"),
        ("{ nodes: 5 }", "stages[0]: missing field `name`"),
        ("{ name: logs }", "config.yaml:11:13: stages[0].name: `logs` is a name of other files of a run"),
        ("{ name: a/b }", "stages[0].name: `a/b`: expected letters, digits, `-` and `_`"),
        (
            "{ name: a, sprt: { elo0: 200 } }",
            "config.yaml:11:30: stages[0].sprt.elo0: 200: expected less than elo1",
        ),
        ("{ name: a, openings: { file: none.epd } }", "config.yaml:11:34: stages[0].openings.file: "),
        ("long", "stages[0]: `long`: expected stc, ltc, smp or the fields of a stage"),
        ("stc\n  - stc", "config.yaml:12:5: stages[1]: `stc` is taken"),
    ] {
        let error = refusal(&lab("ok", "ok", &[stage]).run("sprt", &[]));
        assert!(error.contains(expected), "{stage}: {error}");
    }
    let error = refusal(&lab("ok", "ok", &["stc"]).engine(0, "ok", ", nodes: 5").run("sprt", &[]));
    assert!(error.contains("engines[0].nodes: stage `stc` sets the limit of all engines"), "{error}");
    let error = refusal(&lab("ok", "ok", &["stc"]).with("output: { format: fastchess }").run("sprt", &[]));
    assert!(error.contains("output: a test of stages has no further outputs"), "{error}");
    let error = refusal(&Lab::new("ok", "ok").with("games: 2\nstages: [stc]").run("match", &[]));
    assert!(error.contains("stages: only a test has stages: use `harness sprt`"), "{error}");
}
