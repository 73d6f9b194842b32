//! Process tests of `harness equivalence`: matches, reports, configuration errors, interruption and
//! resuming.

use std::fs;

use crate::common::{
    Exits, Has, MeasurementSetup, await_that, events, fake_engine, signalled, stderr, stdout,
};
use rustix::process::Signal;
use serde_json::Value;

/// Configures an engine in this mode, with `games` games at each of two factors and two thread counts.
fn setup(mode: &str, games: u32) -> MeasurementSetup {
    let command = fake_engine();
    let text = format!(
        "engine: {{ name: fake, command: {command}, args: [{mode}] }}\nnodes: 100\nthreads: [2, 4]\n\
         factors: [1, 2.5]\ngames: {games}\nopenings: {{ file: book.epd, order: sequential }}\n\
         adjudication: {{ max_moves: 12 }}\n"
    );
    MeasurementSetup::new("equivalence", &text)
}

/// Returns the number of games of a part.
fn games(setup: &MeasurementSetup, part: &str) -> usize {
    setup.lines(&format!("run/{part}/journal.jsonl"))
}

const PARTS: [&str; 4] = ["2-threads-1", "2-threads-2.5", "4-threads-1", "4-threads-2.5"];

#[test]
fn every_thread_count_plays_every_factor() {
    let setup = setup("play", 6);
    let output = setup.run("run").exits(0);
    for part in PARTS {
        assert_eq!(games(&setup, part), 6, "{part}");
    }
    let summary = setup.summary("run");
    assert_eq!(summary["state"], "finished");
    let levels = &summary["by_threads"][1]["matches"];
    assert_eq!((&levels[1]["factor"], &levels[1]["games"]), (&2.5.into(), &6.into()));
    let report = setup.text("run", "report.md");
    assert!(report.contains("| threads | x 1 | x 2.5 | equal at | speedup |"), "{report}");
    assert!(report.contains("fake: 100 nodes per move, 6 games at each factor"), "{report}");
    assert!(!report.contains("n/a"), "equal results still bound Elo: {report}");
    assert!(report.starts_with(&stdout(&output)), "{report}");
    let page = setup.text("run", "report.html");
    assert!(page.contains("<th>x 2.5</th>") && !page.contains("NaN"), "{page}");
}

#[test]
fn openings_and_processors_that_do_not_suffice_have_notices() {
    let setup = setup("play", 14);
    let output = setup.command("run").args(["-j", "1000"]).exits(0);
    let notices = stderr(&output);
    assert!(notices.contains("book.epd has 6 openings; further pairs repeat them"), "{notices}");
    assert!(notices.contains("1000 games at once are more than the "), "{notices}");
}

#[test]
fn events_end_with_the_result_of_the_run() {
    let setup = setup("play", 2);
    let output = setup.command("run").arg("--json").exits(0);
    let (starts, ends) = (events(&output, "run_started"), events(&output, "run_ended"));
    assert_eq!((starts.len(), ends.len()), (5, 5), "four matches and the run");
    assert_eq!(starts[0]["run"], setup.path("run").display().to_string());
    assert_eq!((&starts[0]["matches"], &starts[0]["engine"]), (&4.into(), &"fake".into()));
    let summary = setup.summary("run");
    assert_eq!((&ends[4]["state"], &ends[4]["summary"]), (&"finished".into(), &summary));
    let last: Value = serde_json::from_str(stdout(&output).lines().last().unwrap()).unwrap();
    assert_eq!(last, ends[4], "the last event");
}

#[test]
fn interrupted_run_resumes_with_the_missing_games() {
    let setup = setup("slow", 40);
    let child = setup.command("run").spawn().unwrap();
    await_that("some games of the second match", || games(&setup, PARTS[1]) > 2);
    signalled(child, Signal::INT).exits(3);
    assert_eq!(games(&setup, PARTS[0]), 40);
    assert!(games(&setup, PARTS[1]) < 40 && games(&setup, PARTS[2]) == 0);
    setup.resume("run").exits(0);
    for part in PARTS {
        assert_eq!(games(&setup, part), 40, "{part}");
    }
}

#[test]
fn failed_run_has_its_games_in_the_summary() {
    let setup = setup("play", 4);
    setup.run("run").exits(0);
    // The third match has a file in place of its folder.
    let part = setup.path("run").join(PARTS[2]);
    fs::remove_dir_all(&part).unwrap();
    fs::write(&part, "").unwrap();
    setup.resume("run").exits(1);
    let summary = setup.summary("run");
    assert_eq!(summary["state"], "failed");
    assert_eq!(summary["by_threads"][0]["matches"][1]["games"], 4);
}

#[test]
fn configuration_errors_are_reported() {
    let setup = setup("play", 6);
    let text = fs::read_to_string(setup.path("config.yaml")).unwrap();
    for (from, to, expected) in [
        ("[2, 4]", "[1, 4]", "threads[0]: 1: expected at least 2; one thread is the opponent"),
        ("factors: [1, 2.5]", "factors: [2.5]", "factors: expected at least two"),
        ("book.epd", "no.epd", "openings.file"),
        ("[2, 4]", "[2, 5000]", "threads: its option Threads does not accept 5000: expected "),
    ] {
        setup.configure(&text.replace(from, to));
        setup.run("run").exits(2).stderr_has(expected);
        assert!(!setup.path("run").exists(), "nothing is written");
    }
}
