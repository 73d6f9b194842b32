//! The harness with the engine of this repository: a match, a benchmark, a suite and the doctor.
//!
//! Only fixed nodes and depths are used, so the results do not depend on the machine.

use std::fs;

use crate::common::{
    Exits, Lab, MeasurementSetup, events, examination, expect_schedule, harness, stdout, stretto,
};
use serde_json::Value;

const NODES: u64 = 2000;

/// Returns the `engines` list: the engine of this repository under these names, with these options.
fn engines(entries: &[(&str, &str)]) -> String {
    let command = stretto().display();
    let entry = |(name, options): &(&str, &str)| {
        format!("  - {{ name: {name}, command: {command}, args: [--lab], options: {{ {options} }} }}\n")
    };
    format!("engines:\n{}", entries.iter().map(entry).collect::<String>())
}

/// Equal engines with exchanged colours play the same game twice.
#[test]
fn equal_engines_play_equal_games_at_fixed_nodes() {
    let lab = Lab::new("", "");
    let text = format!(
        "{}openings: {{ file: book.epd, order: sequential }}\nnodes: {NODES}\ngames: 2\n\
         adjudication: {{ max_moves: 30 }}\n",
        engines(&[("first", "Hash: 1"), ("second", "Hash: 1")])
    );
    let output = lab.edited("match", |_| text).arg("--json").exits(0);
    let games = lab.journal();
    expect_schedule(&games, 1);
    assert!(games.iter().all(|game| game.termination.fault().is_none()), "{}", stdout(&output));
    let moves =
        |index: usize| games[index].moves.iter().map(|played| played.text.as_str()).collect::<Vec<_>>();
    assert!(moves(0).len() > 20, "{:?}", moves(0));
    assert_eq!(moves(0), moves(1));
    assert_eq!(games[0].result, games[1].result);
    let summary = lab.summary();
    assert_eq!(summary["stats"]["score"], 0.5, "{summary}");
    assert_eq!(summary.get("limit_violations"), None, "{summary}");
    assert!(events(&output, "limit_ignored").is_empty());
    let nodes = games.iter().flat_map(|game| &game.moves).filter_map(|played| played.nodes);
    let (mut searches, mut most) = (0, 0);
    for nodes in nodes {
        (searches, most) = (searches + 1, most.max(nodes));
    }
    assert_eq!(searches, moves(0).len() + moves(1).len(), "every move reports its nodes");
    assert!(most <= NODES + NODES / 10, "{most}");
}

/// Whole games, so that the PVs reach mates and draws.
#[test]
fn engine_reports_no_wrong_pv_in_whole_games() {
    let lab = Lab::new("", "");
    let text = format!(
        "{}openings: {{ file: book.epd, order: sequential }}\nnodes: {NODES}\ngames: 4\nstrict_pv: true\n",
        engines(&[("first", "Hash: 1"), ("second", "Hash: 2")])
    );
    lab.edited("match", |_| text).exits(0);
    let summary = lab.summary();
    assert_eq!(summary.get("wrong_pvs"), None, "{summary}");
    let (mut checked, mut moves) = (0, 0);
    for engine in summary["engines"].as_array().unwrap() {
        checked += engine["totals"]["checked_pvs"].as_u64().unwrap();
        moves += engine["totals"]["moves"].as_u64().unwrap();
    }
    assert!(checked > 100 && 10 * checked > 9 * moves, "{checked} PVs of {moves} moves");
}

#[test]
fn bench_finds_equal_engines_equal_and_a_switched_off_heuristic_different() {
    let engines =
        engines(&[("base", "Hash: 1"), ("same", "Hash: 1"), ("without", "Hash: 1, NullMove: false")]);
    let text =
        format!("{engines}positions: {{ file: positions.epd }}\ndepth: 8\nrepetitions: 1\ntimes: false\n");
    let setup = MeasurementSetup::new("bench", &text);
    setup.run("run").exits(0);
    let summary = setup.summary("run");
    let nodes = |engine: usize| -> &Value {
        let comparisons = summary["engines"][engine]["comparisons"].as_array().unwrap();
        comparisons.iter().find(|comparison| comparison["quantity"] == "nodes").unwrap()
    };
    assert_eq!(summary["engines"][1]["name"], "same");
    assert_eq!((&nodes(1)["ratio"]["mean"], &nodes(1)["difference"]), (&1.0.into(), &"none".into()));
    let ratio = nodes(2)["ratio"]["mean"].as_f64().unwrap();
    assert!((ratio - 1.0).abs() > 1e-3, "a search without null moves visits other nodes: {ratio}");
    setup.run("again").exits(0);
    setup.expect_same("run", "again", &["report.md", "summary.json"]);
}

#[test]
fn suite_verifies_a_mate_of_the_engine() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("mate.epd");
    fs::write(&file, "7k/8/5K2/8/8/8/8/R7 w - - dm 2; id \"mate in 2\";\n").unwrap();
    harness(&["suite", "--nodes", "20000", "--strict", "--engine"])
        .arg(stretto())
        .arg(&file)
        .arg("--out")
        .arg(dir.path().join("run"))
        .exits(0);
    let summary = fs::read_to_string(dir.path().join("run/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["total"]["solved"], 1, "{summary}");
    assert_eq!(summary["unverified"], Value::Array(Vec::new()), "{summary}");
}

/// Checks of clocks are left out: they depend on the load of the machine.
#[test]
fn doctor_finds_no_defect_in_the_engine() {
    let findings = examination(&[stretto().to_str().unwrap()]);
    for check in [
        "introduces itself",
        "options",
        "go nodes",
        "info lines",
        "go depth",
        "ponder",
        "castling",
        "searchmoves",
        "game over",
        "a long game",
        "nonsense",
        "repeats itself",
        "Chess960",
        "open files",
        "two instances (A/A)",
        "quit",
    ] {
        let found = findings.iter().find(|found| found["check"] == check);
        let found = found.unwrap_or_else(|| panic!("{check} is missing: {findings:?}"));
        assert_eq!(found["grade"], "good", "{found}");
    }
}
