//! Process tests of `harness report`: single runs and comparisons of several.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::common::{Lab, MeasurementSetup, expect_code, harness, stderr, stdout};

fn report(runs: &[&Path], out: Option<&Path>) -> Output {
    let mut command = harness(&["report"]);
    command.args(runs);
    if let Some(out) = out {
        command.arg("--out").arg(out);
    }
    command.output().unwrap()
}

#[test]
fn match_report_is_rebuilt_from_the_journal() {
    let lab = Lab::new("play seed=1", "play seed=2").with("games: 12");
    expect_code(&lab.run("match", &[]), 0);
    let kept = fs::read_to_string(lab.run_dir().join("report.md")).unwrap();
    fs::remove_file(lab.path("book.epd")).unwrap();
    fs::remove_file(lab.run_dir().join("summary.json")).unwrap();
    let output = report(&[&lab.run_dir()], None);
    expect_code(&output, 0);
    assert_eq!(stdout(&output), kept);
    assert!(stdout(&output).contains("| repeat with | harness match config.yaml |"), "{}", stdout(&output));
    let page = fs::read_to_string(lab.run_dir().join("report.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("What was tested") && !page.contains("http"));
}

#[test]
fn runs_of_several_kinds_are_reported_together() {
    let engines = MeasurementSetup::engines(&["team", "play"]);
    let searches = format!("{engines}positions: {{ file: positions.epd }}\ndepth: 3\ntimes: false\n");
    let setup = MeasurementSetup::new("bench", &searches);
    expect_code(&setup.run("bench-1"), 0);
    expect_code(&setup.run("bench-2"), 0);
    let smp = MeasurementSetup::new("smp", &format!("{}threads: [1, 2]\n", searches.replace("play", "team")));
    expect_code(&smp.run("smp-1"), 0);
    let suite = harness(&["suite"])
        .arg(setup.path("positions.epd"))
        .args(["--nodes", "100", "--engine", env!("CARGO_BIN_EXE_fake-engine"), "--out"])
        .arg(setup.path("suite-1"))
        .output()
        .unwrap();
    // These positions have no operations, which is reported.
    assert_ne!(suite.status.code(), None);
    let claims = harness(&["claims", "N1", "N3", "--effort", "quick", "--out"])
        .arg(setup.path("claims-1"))
        .output()
        .unwrap();
    expect_code(&claims, 0);
    let all: Vec<_> = ["bench-1", "bench-2", "claims-1"].map(|name| setup.path(name)).into();
    let smp_run = smp.path("smp-1");
    let mut runs: Vec<&Path> = all.iter().map(AsRef::as_ref).collect();
    runs.push(&smp_run);
    let output = report(&runs, Some(&setup.path("together")));
    expect_code(&output, 0);
    let text = stdout(&output);
    for line in [
        "# 4 runs",
        "## Side by side: bench",
        "|  | engine 0 against engine 1 (bench-1) | engine 0 against engine 1 (bench-2) |",
        "## claims-1",
        "(smp-1)\n",
        "| N1 |",
    ] {
        let found = text.contains(line) || (line == "| N1 |" && text.contains("| N1: "));
        assert!(found, "{line}: {text}");
    }
    assert!(!text.contains("Side by side: smp"));
    let page = fs::read_to_string(setup.path("together").join("report.html")).unwrap();
    assert!(page.contains("href=\"#run-3\"") && page.contains("id=\"run-3\""));
    // A folder stands for the runs in it.
    let runs = report(&[setup.path("").as_ref()], Some(&setup.path("folder")));
    expect_code(&runs, 0);
    assert!(stdout(&runs).contains("bench-2"));
}

#[test]
fn folder_without_run_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let output = report(&[dir.path()], None);
    expect_code(&output, 1);
    assert!(stderr(&output).contains("contains no run"), "{}", stderr(&output));
    fs::write(dir.path().join("manifest.yaml"), "kind: [").unwrap();
    let output = report(&[dir.path()], None);
    expect_code(&output, 1);
    assert!(stderr(&output).contains("manifest.yaml is damaged"), "{}", stderr(&output));
}
