//! Process tests of `scale_clock`: the measured speed of a machine scales its clocks.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::{Exits, Has, Lab, expect_parts, games_of, harness, stderr, stdout};
use serde_json::Value;

/// Returns a match at 60+1 on a reference machine of two million nodes per second.
fn lab(args: &str, more: &str) -> Lab {
    let fields = "concurrency: 1\ntime_control: 60+1\nscale_clock: { nps: 2000000 }";

    Lab::new(args, "first").with(&format!("{fields}{more}"))
}

/// Runs a command on a machine whose engines have this speed.
fn at(nps: u64, command: &mut Command) -> Output {
    command.env("FAKE_NPS", nps.to_string()).output().unwrap()
}

fn manifest(run: &Path) -> Value {
    serde_yaml::from_str(&fs::read_to_string(run.join("manifest.yaml")).unwrap()).unwrap()
}

/// Returns the factors of the clocks of a run's games, in permille.
fn factors(run: &Path) -> Vec<Option<u32>> {
    games_of(run).iter().map(|game| game.clock_permille).collect()
}

#[test]
fn clocks_are_multiplied_by_reference_over_measured_speed() {
    let log = tempfile::NamedTempFile::new().unwrap();
    let lab = lab(&format!("first log={}", log.path().display()), "\ngames: 2");
    let output = at(800_000, &mut lab.command("match", &[])).exits(0);
    let text = stderr(&output);
    assert!(text.contains("measuring the speed of first with 1 process of bench"), "{text}");
    let speeds = "first 800,000, second 800,000 nodes/s in each of 1 process of `bench`, reference 2,000,000";
    assert!(text.contains("clocks × 2.500 on ") && text.contains(speeds), "{text}");
    let dialogue = fs::read_to_string(log.path()).unwrap();
    assert!(dialogue.contains("go wtime 150000 btime 150000 winc 2500 binc 2500"), "{dialogue}");
    assert!(lab.pgn().contains("[TimeControl \"150+2.5\"]"), "{}", lab.pgn());
    assert_eq!(factors(&lab.run_dir()), [Some(2500); 2]);
    let stored = manifest(&lab.run_dir());
    assert_eq!(stored["clock_scales"][0]["permille"], 2500);
    assert_eq!(stored["clock_scales"][0]["speeds"]["second"], 800_000);
    let report = fs::read_to_string(lab.run_dir().join("report.md")).unwrap();
    assert!(report.contains("| limits | 60+1, clocks scaled to 2,000,000 nodes/s |"), "{report}");
    assert!(report.contains(&format!(": {speeds} |")), "{report}");
    let page = fs::read_to_string(lab.run_dir().join("report.html")).unwrap();
    let head = page.split("<h2").next().unwrap();
    assert!(head.contains("clocks × 2.500 on "), "{head}");
}

#[test]
fn shards_with_different_factors_are_merged() {
    let lab = lab("first", "\ngames: 4");
    let config = lab.write_config();
    let part = |number: u64, nps: u64| {
        let (out, shard) = (lab.path(&format!("part{number}")), format!("{number}/2"));
        let mut command = harness(&["match"]);
        at(nps, command.arg(&config).args(["--shard", &shard, "--out"]).arg(&out)).exits(0);
        out
    };
    let parts = [part(1, 1_000_000), part(2, 4_000_000)];
    let whole = lab.path("whole");
    let output = harness(&["merge"]).args(&parts).arg("--out").arg(&whole).exits(0);
    let text = stdout(&output);
    assert!(text.contains("clocks × 2.000 on ") && text.contains("clocks × 0.500 on "), "{text}");
    let mut found = factors(&whole);
    found.sort_unstable();
    assert_eq!(found, [Some(500), Some(500), Some(2000), Some(2000)]);
    let pgn = fs::read_to_string(whole.join("games.pgn")).unwrap();
    assert_eq!(["\"30+0.5\"", "\"120+2\""].map(|clock| pgn.matches(clock).count()), [2, 2], "{pgn}");
    assert_eq!(manifest(&whole)["clock_scales"].as_array().map(Vec::len), Some(2));
}

#[test]
fn resumed_run_keeps_its_factor_on_the_same_machine_only() {
    let lab = lab("first", "\ngames: 2");
    let resume = |nps: u64, args: &[&str]| {
        let output = at(nps, harness(&["match", "--resume"]).arg(lab.run_dir()).args(args)).exits(0);
        stderr(&output)
    };
    at(1_000_000, &mut lab.command("match", &[])).exits(0);
    let text = resume(4_000_000, &["--set", "games=4"]);
    assert!(text.contains("clocks × 2.000 on ") && !text.contains("measuring"), "{text}");
    // More games at once change the speed of each.
    let text = resume(4_000_000, &["--set", "games=6", "-j", "2"]);
    assert!(text.contains("measuring the speed of first with 2 processes of bench"), "{text}");
    assert!(text.contains("clocks × 0.500 on "), "{text}");
    assert_eq!(factors(&lab.run_dir())[..4], [Some(2000); 4]);
    assert_eq!(factors(&lab.run_dir())[4..], [Some(500); 2]);
    // Another machine.
    let file = lab.run_dir().join("manifest.yaml");
    let text = fs::read_to_string(&file).unwrap();
    let scales = text.find("\nclock_scales:").unwrap();
    let elsewhere = text[scales..].replace("host:\n    name: ", "host:\n    name: not-");
    fs::write(&file, format!("{}{elsewhere}", &text[..scales])).unwrap();
    let text = resume(1_600_000, &["--set", "games=8", "-j", "1"]);
    assert!(text.contains("clocks × 1.250 on "), "{text}");
    assert_eq!(factors(&lab.run_dir())[6..], [Some(1250); 2]);
    assert_eq!(manifest(&lab.run_dir())["clock_scales"].as_array().map(Vec::len), Some(3));
}

#[test]
fn engine_without_bench_is_an_error_with_a_remedy() {
    let with_bench = ", env: { FAKE_NPS: '1000000' }";
    let lab = lab("first", "\ngames: 2").engine(0, "first", with_bench);
    let output = lab.run("match", &[]).exits(1);
    let text = stderr(&output);
    let parts = [
        "error: speed of second: `",
        "fake-engine first bench` printed no line such as",
        "`scale_clock.engine`",
    ];
    expect_parts(&text, &parts);
    assert!(!lab.run_dir().exists());
    lab.run("match", &["--set", "scale_clock.engine=first"]).exits(0).stderr_has(": first 1,000,000 nodes/s");
    let wrong = lab.run("match", &["--set", "scale_clock={ nps: 2000, engine: first }"]).exits(1);
    let expected = "scale_clock.nps: 2000: found first 1,000,000 nodes/s in each of 1 process of `bench`; expected at most";
    wrong.stderr_has(expected);
}

#[test]
fn stages_have_the_factor_of_their_number_of_threads() {
    let stages = "\nsprt: { elo0: 0, elo1: 100 }\nstages: [{ name: one, time_control: 30 }, { name: two, threads: 2 }]";
    let lab = lab("first", stages).engine(1, "illegal after=2", "");
    at(4_000_000, &mut lab.command("sprt", &[])).exits(0);
    assert!(lab.run_dir().join("two").is_dir(), "the first stage is passed");
    for (stage, copies) in [("one", 1), ("two", 2)] {
        let scales = manifest(&lab.run_dir().join(stage))["clock_scales"].clone();
        assert_eq!((scales.as_array().map(Vec::len), &scales[0]["copies"]), (Some(1), &copies.into()));
        assert!(factors(&lab.run_dir().join(stage)).iter().all(|&factor| factor == Some(500)));
    }
    let report = fs::read_to_string(lab.run_dir().join("report.md")).unwrap();
    assert!(report.contains("| one | 30, clocks scaled to 2,000,000 nodes/s |"), "{report}");
}
