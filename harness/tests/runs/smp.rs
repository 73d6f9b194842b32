//! Process tests of `harness smp`: speedups, reports, failing engines, configuration errors and
//! resuming.

use std::fs;

use crate::common::{Exits, Has, MeasurementSetup, harness, stderr, stdout};
use serde_json::Value;

/// Sets up fake engines in these modes with 1, 2 and 4 threads.
fn setup(modes: &[&str], more: &str) -> MeasurementSetup {
    let engines = MeasurementSetup::engines(modes);
    let text =
        format!("{engines}positions: {{ file: positions.epd }}\nthreads: [1, 2, 4]\ntimeout: 2\n{more}\n");
    MeasurementSetup::new("smp", &text)
}

/// Returns the mean of a quantity in a cell of the summary.
fn mean(summary: &Value, engine: usize, cell: usize, quantity: &str) -> f64 {
    let cell = &summary["engines"][engine]["cells"][cell];
    cell[quantity]["mean"].as_f64().unwrap_or_else(|| panic!("no {quantity} in {cell}"))
}

#[test]
fn speedups_match_the_scripted_engine() {
    let setup = setup(&["team", "play"], "depth: 3\nrepetitions: 2\ntimes: false");
    let output = setup.run("run").exits(0);
    let summary = setup.summary("run");
    assert_eq!((&summary["searches"], &summary["searches_planned"]), (&72.into(), &72.into()));
    for (cell, threads) in [1.0, 2.0, 4.0].into_iter().enumerate() {
        assert!((mean(&summary, 0, cell, "node_speedup") - threads).abs() < 1e-9);
        assert!((mean(&summary, 0, cell, "tree") - (0.9 + threads / 10.0)).abs() < 1e-9);
        // The other engine does not report the nodes of its main thread.
        assert_eq!(summary["engines"][1]["cells"][cell]["node_gain"], Value::Null);
        assert_eq!(summary["engines"][0]["cells"][cell]["nps"], Value::Null, "times are disabled");
    }
    output.stdout_has("| 4 | 4.000 (4.000 to 4.000) |");
    assert!(setup.text("run", "report.md").starts_with(&stdout(&output)));
    let page = setup.text("run", "report.html");
    assert!(page.contains("<svg") && page.contains("engine 0") && !page.contains("NaN"));
    // Without times nothing depends on the machine.
    setup.run("again").exits(0);
    setup.expect_same("run", "again", &["report.md", "report.html", "summary.json"]);
}

#[test]
fn times_are_measured_if_requested() {
    let setup = setup(&["team", "team"], "movetime: 5");
    setup.run("run").exits(0);
    let summary = setup.summary("run");
    assert!(mean(&summary, 0, 0, "nps") > 0.0 && mean(&summary, 1, 2, "nps_ratio") > 0.0);
    assert_eq!(summary["engines"][0]["cells"][2]["node_speedup"], Value::Null, "there is no depth limit");
    let late = &summary["engines"][0]["cells"][0]["latency"];
    assert!(late["median_us"].as_i64().unwrap() <= late["max_us"].as_i64().unwrap());
    assert!(setup.text("run", "report.md").contains("| latency, median and maximum |"));
}

#[test]
fn separate_processes_are_compared_with_threads() {
    let setup = setup(&["team"], "movetime: 5\nseparate_processes: true\nrepetitions: 2");
    setup.run("run").exits(0);
    let summary = setup.summary("run");
    // Three positions, twice: with one thread, with two and four threads, with two and four
    // processes.
    let positions = summary["engines"][0]["cells"][0]["searches"].as_u64().unwrap();
    assert_eq!(summary["searches"].as_u64().unwrap(), 5 * positions);
    let engine = &summary["engines"][0];
    let numbers = |cells: &str| -> Vec<u64> {
        engine[cells].as_array().unwrap().iter().map(|cell| cell["threads"].as_u64().unwrap()).collect()
    };
    assert_eq!((numbers("cells"), numbers("separate_processes")), (vec![1, 2, 4], vec![2, 4]));
    assert_eq!(engine["cells"][0]["nps_of_separate_processes"], Value::Null, "one thread has no counterpart");
    assert!(mean(&summary, 0, 2, "nps_of_separate_processes") > 0.0);
    // All processes search the same, so their nodes are a multiple of one process's.
    let nodes_of = |threads: u64, apart: bool| -> u64 {
        let journal = setup.text("run", "journal.jsonl");
        let records = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let ours = records.filter(|record| {
            record["threads"] == threads && record["separate_processes"].as_bool().unwrap_or(false) == apart
        });
        ours.map(|record| record["nodes"].as_u64().unwrap()).sum()
    };
    assert_eq!([nodes_of(2, true), nodes_of(4, true)], [2 * nodes_of(1, false), 4 * nodes_of(1, false)]);
    let report = setup.text("run", "report.md");
    assert!(report.contains("| 4 processes |") && report.contains("ratio to processes"), "{report}");
    let page = setup.text("run", "report.html");
    assert!(page.contains("engine 0, processes") && page.contains("nodes per second"), "{page}");
}

/// Threads and processes search each position in turn, and the ratio is that of the journal.
#[test]
fn ratio_to_processes_follows_from_rotating_searches() {
    let setup = setup(&["team"], "movetime: 5\nseparate_processes: true");
    setup.run("run").exits(0);
    let journal = setup.text("run", "journal.jsonl");
    let records: Vec<Value> = journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let is_apart = |record: &Value| record["separate_processes"].as_bool().unwrap_or(false);
    let loads = |position: usize| -> Vec<(u64, bool)> {
        let of_position = records.iter().filter(|record| record["position"] == position);
        of_position.map(|record| (record["threads"].as_u64().unwrap(), is_apart(record))).collect()
    };
    let in_order = vec![(1, false), (2, false), (2, true), (4, false), (4, true)];
    assert_eq!(loads(0), in_order);
    let backward = vec![(2, false), (1, false), (4, true), (4, false), (2, true)];
    assert_eq!(loads(1), backward, "every second round runs backwards, from another start");
    let log_speed = |position: usize, apart: bool| -> f64 {
        let is_it = |record: &&Value| {
            record["position"] == position && record["threads"] == 4 && is_apart(record) == apart
        };
        let record = records.iter().find(is_it).unwrap();
        let of_slowest = record["nodes"].as_f64().unwrap() / record["time_us"].as_f64().unwrap() * 1e6;
        let speed = record["nps"].as_f64().unwrap();
        assert!(speed >= of_slowest - 1.0, "no process is slower than the slowest: {record}");
        speed.ln()
    };
    let logs: Vec<f64> =
        (0..6).map(|position| log_speed(position, false) - log_speed(position, true)).collect();
    let average = logs.iter().sum::<f64>() / 6.0;
    let variance = logs.iter().map(|log| (log - average).powi(2)).sum::<f64>() / 5.0;
    let student = 2.570_581_835_636; // 95 %, 5 degrees of freedom
    let half = student * (variance / 6.0).sqrt();
    let ratio = &setup.summary("run")["engines"][0]["cells"][2]["nps_of_separate_processes"];
    for (limit, log) in [("mean", average), ("low", average - half), ("high", average + half)] {
        assert!((ratio[limit].as_f64().unwrap().ln() - log).abs() < 1e-9, "{limit}: {ratio}");
    }
}

#[test]
fn failing_engine_ends_the_run_and_is_reported() {
    for mode in ["crash", "hang"] {
        let setup = setup(&["team", mode], "depth: 3");
        let output = setup.run("run").exits(1);
        let text = stderr(&output);
        assert!(text.contains("engine 1 with 1 thread failed on position 1"), "{text}");
        assert_eq!(fs::read_dir(setup.path("run").join("faults")).unwrap().count(), 1);
    }
}

#[test]
fn configuration_errors_are_reported() {
    for (modes, more, expected) in [
        (&["team"][..], "", "depth: expected one limit"),
        (&["team"], "depth: 3\nthreads: [1, 9]", "duplicate"),
        (&[], "depth: 3", "engines"),
    ] {
        setup(modes, more).run("run").exits(2).stderr_has(expected);
    }
    let setup = setup(&["team"], "depth: 3");
    let config = fs::read_to_string(setup.path("config.yaml")).unwrap();
    setup.configure(&config.replace("[team]", "[team], options: { Hash: 62 }"));
    let output = setup.run("run").exits(2);
    let expected = "options.Hash: refused by the engine `engine 0`: cannot allocate a hash table of 62 MiB";
    output.stderr_has(expected);
    assert!(!setup.path("run").exists(), "nothing is searched with another hash size");
    setup.configure(&config.replace("[1, 2, 4]", "[1, 9]"));
    setup.run("run").exits(2).stderr_has("its option Threads does not accept 9");
    fs::write(setup.path("positions.epd"), "8/8/8/8/8/8/8/8 w - -\n").unwrap();
    setup.run("run").exits(2).stderr_has("line 1");
}

#[test]
fn resume_after_kill_repeats_no_search() {
    let setup = setup(&["team", "team"], "depth: 3\nrepetitions: 40\ntimes: false");
    setup.expect_to_survive_a_kill("journal.jsonl", 30);
    assert_eq!(setup.lines("run/journal.jsonl"), 1440);
    setup.expect_same("run", "whole", &["report.md", "summary.json"]);
    let config = fs::read_to_string(setup.path("config.yaml")).unwrap();
    setup.configure(&config.replace("depth: 3", "depth: 2"));
    let mut other = harness(&["smp", "--resume"]);
    other.arg(setup.path("run")).arg(setup.path("config.yaml")).exits(1).stderr_has("limits");
}

#[test]
fn searches_of_the_version_before_are_named() {
    let setup = setup(&["play"], "depth: 3");
    setup.run("run").exits(0);
    let journal = setup.path("run/journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let (start, rest) = text.split_once("\"nps\":").unwrap();
    let (_, end) = rest.split_once(',').unwrap();
    fs::write(&journal, format!("{start}{end}")).unwrap();
    harness(&["report"])
        .arg(setup.path("run"))
        .exits(0)
        .stdout_has("1 search of harness 0.2.0: their speed counts until");
}

#[test]
fn quick_calls_without_threads_or_engines_state_what_is_missing() {
    let setup = setup(&["ok"], "depth: 3");
    let refused = |args: &[&str]| {
        let output = harness(&["smp"]).args(args).arg("--out").arg(setup.path("run")).exits(2);
        stderr(&output)
    };
    let engine = env!("CARGO_BIN_EXE_fake-engine");
    let text = refused(&[engine]);
    assert!(text.contains("--threads is missing: expected the numbers of threads"), "{text}");
    let positions = setup.path("positions.epd").display().to_string();
    let text = refused(&[&positions, "--threads", "1"]);
    assert!(text.contains("a file of positions is given with --positions"), "{text}");
}
