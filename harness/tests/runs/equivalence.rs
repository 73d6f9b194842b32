//! Process tests of `harness equivalence`: matches, reports, configuration errors, interruption and
//! resuming.

use std::fs;
use std::path::PathBuf;

use crate::common::{BOOK, Exits, Has, await_that, events, harness, stderr, stdout};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// A folder with openings and a configuration.
struct EquivalenceSetup(tempfile::TempDir);

impl EquivalenceSetup {
    /// Configures an engine in this mode, with `games` games at each of two factors and two thread
    /// counts.
    fn new(mode: &str, games: u32) -> Self {
        let setup = Self(tempfile::tempdir().unwrap());
        fs::write(setup.path("book.epd"), BOOK).unwrap();
        let command = env!("CARGO_BIN_EXE_fake-engine");
        let text = format!(
            "engine: {{ name: fake, command: {command}, args: [{mode}] }}\nnodes: 100\nthreads: [2, 4]\n\
             factors: [1, 2.5]\ngames: {games}\nopenings: {{ file: book.epd, order: sequential }}\n\
             adjudication: {{ max_moves: 12 }}\n"
        );
        fs::write(setup.path("equivalence.yaml"), text).unwrap();
        setup
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, out: &str) -> std::process::Command {
        let mut command = harness(&["equivalence"]);
        command.arg(self.path("equivalence.yaml")).arg("--out").arg(self.path(out));
        command
    }

    fn games(&self, run: &str, part: &str) -> usize {
        fs::read_to_string(self.path(run).join(part).join("journal.jsonl"))
            .map_or(0, |text| text.lines().count())
    }
}

const PARTS: [&str; 4] = ["2-threads-1", "2-threads-2.5", "4-threads-1", "4-threads-2.5"];

#[test]
fn every_thread_count_plays_every_factor() {
    let setup = EquivalenceSetup::new("play", 6);
    let output = setup.command("run").exits(0);
    for part in PARTS {
        assert_eq!(setup.games("run", part), 6, "{part}");
    }
    let summary: Value =
        serde_json::from_str(&fs::read_to_string(setup.path("run").join("summary.json")).unwrap()).unwrap();
    assert_eq!(summary["state"], "finished");
    let levels = &summary["by_threads"][1]["matches"];
    assert_eq!((&levels[1]["factor"], &levels[1]["games"]), (&2.5.into(), &6.into()));
    let report = fs::read_to_string(setup.path("run").join("report.md")).unwrap();
    assert!(report.contains("| threads | x 1 | x 2.5 | equal at | speedup |"), "{report}");
    assert!(report.contains("fake: 100 nodes per move, 6 games at each factor"), "{report}");
    assert!(!report.contains("n/a"), "equal results still bound Elo: {report}");
    assert!(report.starts_with(&stdout(&output)), "{report}");
    let page = fs::read_to_string(setup.path("run").join("report.html")).unwrap();
    assert!(page.contains("<th>x 2.5</th>") && !page.contains("NaN"), "{page}");
}

#[test]
fn openings_and_processors_that_do_not_suffice_have_notices() {
    let setup = EquivalenceSetup::new("play", 14);
    let output = setup.command("run").args(["-j", "1000"]).exits(0);
    let notices = stderr(&output);
    assert!(notices.contains("book.epd has 6 openings; further pairs repeat them"), "{notices}");
    assert!(notices.contains("1000 games at once are more than the "), "{notices}");
}

#[test]
fn events_end_with_the_result_of_the_run() {
    let setup = EquivalenceSetup::new("play", 2);
    let output = setup.command("run").arg("--json").exits(0);
    let (starts, ends) = (events(&output, "run_started"), events(&output, "run_ended"));
    assert_eq!((starts.len(), ends.len()), (5, 5), "four matches and the run");
    assert_eq!(starts[0]["run"], setup.path("run").display().to_string());
    assert_eq!((&starts[0]["matches"], &starts[0]["engine"]), (&4.into(), &"fake".into()));
    let summary: Value =
        serde_json::from_str(&fs::read_to_string(setup.path("run").join("summary.json")).unwrap()).unwrap();
    assert_eq!((&ends[4]["state"], &ends[4]["summary"]), (&"finished".into(), &summary));
    let last: Value = serde_json::from_str(stdout(&output).lines().last().unwrap()).unwrap();
    assert_eq!(last, ends[4], "the last event");
}

#[test]
fn interrupted_run_resumes_with_the_missing_games() {
    let setup = EquivalenceSetup::new("slow", 40);
    let child = setup.command("run").spawn().unwrap();
    await_that("some games of the second match", || setup.games("run", PARTS[1]) > 2);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    child.wait_with_output().unwrap().exits(3);
    assert_eq!(setup.games("run", PARTS[0]), 40);
    assert!(setup.games("run", PARTS[1]) < 40 && setup.games("run", PARTS[2]) == 0);
    harness(&["equivalence", "--resume"]).arg(setup.path("run")).exits(0);
    for part in PARTS {
        assert_eq!(setup.games("run", part), 40, "{part}");
    }
}

#[test]
fn failed_run_has_its_games_in_the_summary() {
    let setup = EquivalenceSetup::new("play", 4);
    setup.command("run").exits(0);
    // The third match has a file in place of its folder.
    let part = setup.path("run").join(PARTS[2]);
    fs::remove_dir_all(&part).unwrap();
    fs::write(&part, "").unwrap();
    harness(&["equivalence", "--resume"]).arg(setup.path("run")).exits(1);
    let summary = fs::read_to_string(setup.path("run").join("summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["state"], "failed");
    assert_eq!(summary["by_threads"][0]["matches"][1]["games"], 4);
}

#[test]
fn configuration_errors_are_reported() {
    let setup = EquivalenceSetup::new("play", 6);
    let text = fs::read_to_string(setup.path("equivalence.yaml")).unwrap();
    for (from, to, expected) in [
        ("[2, 4]", "[1, 4]", "threads[0]: 1: expected at least 2; one thread is the opponent"),
        ("factors: [1, 2.5]", "factors: [2.5]", "factors: expected at least two"),
        ("book.epd", "no.epd", "openings.file"),
        ("[2, 4]", "[2, 5000]", "threads: its option Threads does not accept 5000: expected "),
    ] {
        fs::write(setup.path("equivalence.yaml"), text.replace(from, to)).unwrap();
        setup.command("run").exits(2).stderr_has(expected);
        assert!(!setup.path("run").exists(), "nothing is written");
    }
}
