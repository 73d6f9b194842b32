//! Engines that ignore their limit: one notice and event per engine, a line in the report and a
//! field of `summary.json`, in every kind of run.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Output;

use crate::common::{
    BOOK, Exits, Lab, MeasurementSetup, events, expect_code, harness, stderr, stdout, summary_of, workshop,
};
use serde_json::{Value, json};

const FAKE: &str = env!("CARGO_BIN_EXE_fake-engine");

/// Returns the violation of an engine that uses 100 of 20,000 nodes.
fn short(engine: &str, searches: u64) -> Value {
    json!({
        "engine": engine, "unit": "nodes", "limit": 20000, "kind": "short", "used": 100, "searches": searches,
        "judged": searches
    })
}

/// Asserts that the run in `folder` has one notice and one event, and that summary, report and
/// rebuilt report state the violation.
fn expect_violation(output: &Output, folder: &Path, violation: &Value) {
    expect_code(output, 0);
    let found = events(output, "limit_ignored");
    let [event] = &found[..] else { panic!("one event: {found:?}") };
    for key in ["engine", "unit", "limit", "kind", "used"] {
        assert_eq!(event[key], violation[key], "{event}");
    }
    let name = violation["engine"].as_str().unwrap();
    let (limit, unit) = (&violation["limit"], violation["unit"].as_str().unwrap());
    let verb = if unit == "nodes" { "reports" } else { "uses" };
    let line = format!("{name} {verb} less than half of its limit of {limit} {unit} in ");
    let notices = events(output, "notice");
    let is_ours = |notice: &&Value| notice["text"].as_str().is_some_and(|text| text.starts_with(&line));
    assert_eq!(notices.iter().filter(is_ours).count(), 1, "{notices:?}");
    let summary = summary_of(folder);
    assert_eq!(summary["limit_violations"], json!([violation]));
    let report = fs::read_to_string(folder.join("report.md")).unwrap();
    assert_eq!(report.matches("of its limit").count(), 1, "{report}");
    assert!(report.contains(&line), "{report}");
    harness(&["report"]).arg(folder).arg("--out").arg(folder.join("again")).exits(0);
    let rebuilt = fs::read_to_string(folder.join("again/report.md")).unwrap();
    let shown = |report: &str| report.lines().find(|shown| shown.starts_with(&line)).map(str::to_owned);
    assert_eq!(shown(&rebuilt), shown(&report), "{rebuilt}");
}

/// Asserts that no trace of a violation is left.
fn expect_none(output: &Output, folder: &Path) {
    expect_code(output, 0);
    assert!(events(output, "limit_ignored").is_empty());
    assert!(!stderr(output).contains("of its limit"), "{}", stderr(output));
    for file in ["summary.json", "report.md"] {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        assert!(!text.contains("limit_violations") && !text.contains("of its limit"), "{text}");
    }
}

#[test]
fn match_reports_ignored_limits() {
    let lab = Lab::new("ok", "ok careless").with("games: 4");
    let mut command = lab.edited("match", |text| text.replace("nodes: 200", "nodes: 20000"));
    let output = command.arg("--json").output().unwrap();
    let searches = lab.summary()["limit_violations"][0]["searches"].as_u64().unwrap();
    assert!(searches >= 20, "most of four games of 24 plies, without forced moves: {searches}");
    expect_violation(&output, &lab.run_dir(), &short("second", searches));
}

#[test]
fn suite_reports_ignored_limits() {
    let dir = tempfile::tempdir().unwrap();
    let lines: String = BOOK.lines().map(|line| line.replace(" id ", " bm Na3; id ") + "\n").collect();
    fs::write(dir.path().join("suite.epd"), lines).unwrap();
    let run = |mode: &str| {
        let out = dir.path().join(mode);
        let mut command = harness(&["suite", "--nodes", "20000", "--json", "--name", "tested"]);
        command
            .arg(dir.path().join("suite.epd"))
            .args(["--engine", FAKE, "--arg", mode])
            .arg("--out")
            .arg(&out);
        (command.output().unwrap(), out)
    };
    let (output, out) = run("careless");
    expect_violation(&output, &out, &short("tested", 6));
    for mode in ["ok", "mating"] {
        let (output, out) = run(mode);
        expect_none(&output, &out);
    }
}

#[test]
fn bench_and_smp_report_ignored_limits() {
    let limits =
        [("bench", "nodes: 20000\ncontrol: false\ntimes: false"), ("smp", "movetime: 400\nthreads: [1]")];
    for (kind, limit) in limits {
        let files = format!("positions: {{ file: positions.epd }}\nrepetitions: 1\n{limit}\n");
        let run = |modes: &[&str]| {
            let setup = MeasurementSetup::new(kind, &format!("{}{files}", MeasurementSetup::engines(modes)));
            (setup.command("run").arg("--json").output().unwrap(), setup)
        };
        let (output, setup) = run(&["ok", "careless"]);
        expect_code(&output, 0);
        let mut violation = short("engine 1", 6);
        if kind == "smp" {
            let used = &setup.summary("run")["limit_violations"][0]["used"];
            assert!(used.as_u64().unwrap() < 200, "{used}");
            (violation["unit"], violation["limit"], violation["used"]) =
                ("ms".into(), 400.into(), used.clone());
        }
        expect_violation(&output, &setup.path("run"), &violation);
        let (output, setup) = run(&["ok", "mating"]);
        expect_none(&output, &setup.path("run"));
    }
}

/// The scripted engine with switches reports at most 24,000 nodes.
#[test]
fn ablation_reports_ignored_limits_of_its_games() {
    let text = format!(
        "engine: {{ name: fake, command: {FAKE}, args: [switches] }}\nswitches: [Idle]\n\
         positions: {{ file: positions.epd }}\ndepth: 3\ntimes: false\n\
         games: {{ largest: 1, games: 4, nodes: 60000, openings: {{ file: book.epd, order: sequential }}, \
         adjudication: {{ max_moves: 6 }} }}\n"
    );
    let setup = MeasurementSetup::new("ablate", &text);
    setup.run("run").exits(0);
    let names: Vec<String> = setup.summary("run")["limit_violations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|violation| violation["engine"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names.len(), 2, "both sides of the match: {names:?}");
    let report = setup.text("run", "report.md");
    for name in names {
        assert!(
            report.contains(&format!("{name} reports less than half of its limit of 60000 nodes in ")),
            "{report}"
        );
    }
    harness(&["report"]).arg(setup.path("run")).arg("--out").arg(setup.path("again")).exits(0);
    let lines = |report: String| report.lines().filter(|line| line.contains("of its limit")).count();
    assert_eq!((lines(report), lines(setup.text("again", "report.md"))), (2, 2));
}

#[test]
fn tuning_screening_and_equivalence_report_ignored_limits() {
    let games = format!(
        "engines:\n  - {{ name: fake, command: {FAKE}, args: [weigh, careless] }}\n\
         openings: {{ file: book.epd, order: sequential }}\nnodes: 20000\nadjudication: {{ max_moves: 6 }}\n"
    );
    let tune = "tune:\n  iterations: 2\n  pairs: 2\n  parameters:\n    - { name: hash, min: 2, max: 60 }\n";
    let screen = "games: 8\nscreen:\n  switches: [ponder]\n";
    let equivalence = format!(
        "engine: {{ name: fake, command: {FAKE}, args: [ok, careless] }}\nnodes: 20000\nthreads: [2]\n\
         factors: [1, 2]\ngames: 4\nopenings: {{ file: book.epd, order: sequential }}\n\
         adjudication: {{ max_moves: 12 }}\n"
    );
    for (kind, text) in [
        ("tune", format!("{games}{tune}")),
        ("screen", format!("{games}{screen}")),
        ("equivalence", equivalence),
    ] {
        let setup = MeasurementSetup::new(kind, &text);
        let output = setup.command("run").arg("--json").exits(0);
        let named = |values: Vec<Value>| -> BTreeSet<String> {
            values.iter().map(|value| value["engine"].as_str().unwrap().to_owned()).collect()
        };
        let matches = if kind == "equivalence" { 2 } else { 1 };
        let events = events(&output, "limit_ignored");
        assert_eq!(events.len(), 2 * matches, "{kind}: one event for each side of a match: {events:?}");
        let found = named(events);
        assert_eq!(found.len(), 2, "{kind}: {found:?}");
        let violations = setup.summary("run")["limit_violations"].as_array().unwrap().clone();
        assert_eq!(named(violations), found, "{kind}");
        let report = setup.text("run", "report.md");
        let lines: Vec<&str> = report.lines().filter(|line| line.contains("of its limit")).collect();
        assert!((2..=2 * matches).contains(&lines.len()), "{kind}: {report}");
        harness(&["report"]).arg(setup.path("run")).arg("--out").arg(setup.path("again")).exits(0);
        let again = setup.text("again", "report.md");
        assert!(lines.iter().all(|line| again.contains(line)), "{kind}: {lines:?}\nnot in\n{again}");
    }
}

#[test]
fn opening_sets_report_ignored_limits() {
    let dir = tempfile::tempdir().unwrap();
    let run = |mode: &str| {
        let text = format!(
            "engine: {{ name: judge, command: {FAKE}, args: [{mode}] }}\noutput: set.epd\ncount: 10\nnodes: 20000\n\
             limit: 50\nplies: {{ min: 2, max: 5 }}\nseed: 11\n"
        );
        let file = dir.path().join("recipe.yaml");
        fs::write(&file, text).unwrap();
        workshop(&["openings", "--json"]).arg(file).output().unwrap()
    };
    let careless = run("careless").exits(0);
    assert_eq!(
        stderr(&careless).matches("judge reports less than half of its limit of 20000 nodes in ").count(),
        1
    );
    let summary: Value = serde_json::from_str(&stdout(&careless)).unwrap();
    let violation = &summary["limit_violations"][0];
    assert_eq!(*violation, short("judge", violation["searches"].as_u64().unwrap()), "{summary}");
    let careful = run("ok").exits(0);
    assert!(!stderr(&careful).contains("of its limit") && !stdout(&careful).contains("limit_violations"));
}
