//! Process tests of `harness report`: single runs and comparisons of several.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::common::{
    Exits, Has, Lab, MeasurementSetup, expect_code, expect_parts, harness, stderr, stdout, workshop,
};

/// A position with its best move.
const SOLVED: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; id \"mate\";\n";

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
    lab.run("match", &[]).exits(0);
    let kept = fs::read_to_string(lab.run_dir().join("report.md")).unwrap();
    fs::remove_file(lab.path("book.epd")).unwrap();
    fs::remove_file(lab.run_dir().join("summary.json")).unwrap();
    let output = report(&[&lab.run_dir()], None).exits(0);
    assert_eq!(stdout(&output), kept);
    output.stdout_has("| repeat with | harness match config.yaml |");
    let page = fs::read_to_string(lab.run_dir().join("report.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("What was tested") && !page.contains("http"));
}

#[test]
fn run_of_harness_0_1_is_refused_with_one_sentence() {
    let lab = Lab::new("play", "play").with("games: 2");
    lab.run("match", &[]).exits(0);
    let file = lab.run_dir().join("manifest.yaml");
    let manifest = fs::read_to_string(&file).unwrap();
    let current = format!("\nharness: {}\n", env!("CARGO_PKG_VERSION"));
    fs::write(&file, manifest.replace(&current, "\nharness: 0.1.0\n")).unwrap();
    let expected = format!(
        "error: {} is of harness 0.1.0, whose runs cannot be read: expected a run of harness 0.2.0 or later\n",
        file.display()
    );
    for output in [report(&[&lab.run_dir()], None), lab.resume("match", &[])] {
        expect_code(&output, 1);
        assert_eq!(stderr(&output), expected);
    }
    // It is listed, and can be deleted.
    let listed = harness(&["runs", "list", "--folder"]).arg(lab.path("")).output().unwrap();
    listed.stdout_has("first against second");
}

#[test]
fn runs_of_several_kinds_are_reported_together() {
    let engines = MeasurementSetup::engines(&["team", "play"]);
    let searches = format!("{engines}positions: {{ file: positions.epd }}\ndepth: 3\ntimes: false\n");
    let setup = MeasurementSetup::new("bench", &searches);
    setup.run("bench-1").exits(0);
    setup.run("bench-2").exits(0);
    let smp = MeasurementSetup::new("smp", &format!("{}threads: [1, 2]\n", searches.replace("play", "team")));
    smp.run("smp-1").exits(0);
    fs::write(setup.path("best.epd"), SOLVED).unwrap();
    harness(&["suite"])
        .arg(setup.path("best.epd"))
        .args(["--nodes", "100", "--engine", env!("CARGO_BIN_EXE_fake-engine"), "--out"])
        .arg(setup.path("suite-1"))
        .exits(0);
    workshop(&["claims", "N1", "N3", "--effort", "quick", "--out"]).arg(setup.path("claims-1")).exits(0);
    let all: Vec<_> = ["bench-1", "bench-2", "claims-1", "suite-1"].map(|name| setup.path(name)).into();
    let smp_run = smp.path("smp-1");
    let mut runs: Vec<&Path> = all.iter().map(AsRef::as_ref).collect();
    runs.push(&smp_run);
    let output = workshop(&["report"]).args(&runs).arg("--out").arg(setup.path("together")).exits(0);
    let text = stdout(&output);
    let parts = [
        "# 5 runs",
        "## Side by side: bench",
        "|  | engine 0 against engine 1 (bench-1) | engine 0 against engine 1 (bench-2) |",
        "## claims-1",
        "## fake-engine\n",
        "(smp-1)\n",
        "| N1: ",
    ];
    expect_parts(&text, &parts);
    assert!(!text.contains("Side by side: smp"));
    let page = fs::read_to_string(setup.path("together").join("report.html")).unwrap();
    assert!(page.contains("href=\"#run-4\"") && page.contains("id=\"run-4\""));
    // A folder stands for the runs in it.
    let runs = report(&[setup.path("").as_ref()], Some(&setup.path("folder"))).exits(0);
    assert!(stdout(&runs).contains("bench-2"));
}

#[test]
fn run_that_cannot_be_read_is_skipped_in_a_folder_of_runs() {
    let lab = Lab::new("play seed=1", "play seed=2").with("games: 2");
    lab.run("match", &[]).exits(0);
    let manifest = fs::read_to_string(lab.run_dir().join("manifest.yaml")).unwrap();
    let runs = lab.path("runs");
    let add = |name: &str, manifest: &str| {
        let folder = runs.join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("manifest.yaml"), manifest).unwrap();
        folder
    };
    let lost = add("lost", &manifest);
    fs::write(lost.join("summary.json"), "{}").unwrap();
    fs::write(add("damaged", &manifest).join("journal.jsonl"), "{}\n").unwrap();
    let output = report(&[&runs], None).exits(1);
    assert!(
        stderr(&output).contains("no run in ") && stderr(&output).contains(" can be read"),
        "{}",
        stderr(&output)
    );
    add("begun", &manifest);
    let output = report(&[&runs], Some(&lab.path("together"))).exits(0);
    let text = stderr(&output);
    for name in ["lost", "damaged"] {
        assert!(text.contains(&format!("skipped {}: ", runs.join(name).display())), "{name}: {text}");
    }
    assert!(!text.contains("begun: ") && stdout(&output).contains("| run | begun |"), "{}", stdout(&output));
    // A run that was asked for is an error.
    let output = report(&[&lost], None).exits(1);
    assert!(
        stderr(&output).contains("cannot open ") && !lost.join("report.md").exists(),
        "{}",
        stderr(&output)
    );
}

#[test]
fn folder_without_run_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    report(&[dir.path()], None).exits(1).stderr_has("contains no run");
    fs::write(dir.path().join("manifest.yaml"), "kind: [").unwrap();
    report(&[dir.path()], None).exits(1).stderr_has("manifest.yaml is damaged");
}
