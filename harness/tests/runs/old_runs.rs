//! Run folders written by an earlier build, commit 55386e1: the harness reports the same figures
//! and resumes an interrupted run.
//!
//! `tests/data/runs-55386e1` holds one folder per kind of run, reduced to the files that a report
//! reads, with the old report beside them. `configs` holds the files that the runs name;
//! `openings.epd` in it was written by `harness openings` of that build. The runs
//! `resumed-*` were played by the fake engine.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{expect_code, harness, stderr};

const OLD_RUNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/runs-55386e1");
const OLD_REPORT: &str = "report-55386e1.md";

/// Numbers of old reports that the new reports may lack: run, number, reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("sprt", "2.94", BOUNDS_MOVED),
    ("resumed-sprt", "2.94", BOUNDS_MOVED),
    ("tune", "2.94", BOUNDS_MOVED),
    ("bench", "21.87", FEW_POSITIONS),
    ("bench", "13.51", FEW_POSITIONS),
    ("bench", "8.00", FEW_POSITIONS),
    ("sprt", "240.8", FEW_PAIRS),
    ("sprt", "67.7", FEW_PAIRS),
    ("match", "139.3", FEW_GAMES),
    ("match", "61.4", FEW_GAMES),
    ("match", "76.2", FEW_GAMES),
    ("smp", "0.886", IN_TURN),
    ("smp", "1.681", IN_TURN),
    ("smp", "0.585", IN_TURN),
    ("smp", "1.024", IN_TURN),
];

const IN_TURN: &str = "threads in lockstep take turns, so a ratio of their speeds or times is no speedup";
const FEW_GAMES: &str = "ratings from few games have wider intervals";
const FEW_POSITIONS: &str = "the t interval over four positions includes 1, unlike the bootstrap's";
const FEW_PAIRS: &str = "nElo has the error of the standard deviation, and superiority is a t-test";
const BOUNDS_MOVED: &str = "a test shows the bounds that decide, corrected for overshoot, not Wald's";

/// Runs of fewer than five positions, whose intervals are not shown now.
const HIDDEN_INTERVALS: [&str; 5] = ["ablate", "bench", "resumed-smp", "smp", "smp-apart"];

/// Every kind of run with a folder, and the runs to resume.
const RUNS: [&str; 17] = [
    "ablate",
    "bench",
    "claims",
    "datagen",
    "equivalence",
    "match",
    "resumed-match",
    "resumed-smp",
    "resumed-sprt",
    "screen",
    "smp",
    "smp-apart",
    "sprt",
    "suite",
    "train",
    "tune",
    "tune-eval",
];

/// Copies a folder with its subfolders and applies `edit` to every text.
fn copy_folder(from: &Path, to: &Path, edit: &dyn Fn(String) -> String) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        if from.is_dir() {
            copy_folder(&from, &to.join(name), edit);
        } else {
            fs::write(to.join(name), edit(fs::read_to_string(from).unwrap())).unwrap();
        }
    }
}

/// A copy of one old run that finds its engine and its files.
struct OldRun {
    dir: tempfile::TempDir,
    name: &'static str,
}

impl OldRun {
    fn copy(name: &'static str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let configs = dir.path().join("configs");
        copy_folder(&Path::new(OLD_RUNS).join("configs"), &configs, &|text| text);
        let engine = env!("CARGO_BIN_EXE_fake-engine");
        let hash = blake3::hash(&fs::read(engine).unwrap()).to_hex();
        copy_folder(&Path::new(OLD_RUNS).join(name), &dir.path().join(name), &|text| {
            text.replace("/configs/", &format!("{}/", configs.display()))
                .replace("/engines/fake-engine", engine)
                .replace("20949c40f77adca85d37240433f72f9588b0e608ec64118d631889b9acb42a3f", &hash)
        });
        Self { dir, name }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join(self.name)
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path().join(file)).unwrap()
    }

    fn report(&self) -> String {
        let output = harness(&["report"]).arg(self.path()).output().unwrap();
        expect_code(&output, 0);
        self.read("report.md")
    }
}

/// Counts the decimal numbers of a text.
fn numbers(text: &str) -> BTreeMap<&str, u32> {
    let mut counts = BTreeMap::new();
    let is_part = |letter: char| letter.is_ascii_digit() || letter == '.';
    for number in text.split(|letter| !is_part(letter)).map(|part| part.trim_matches('.')) {
        if !number.is_empty() {
            *counts.entry(number).or_default() += 1;
        }
    }
    counts
}

/// Returns a text without commas between groups of three digits: `1,129,874` becomes `1129874`.
fn without_separators(text: &str) -> String {
    let digits = |part: &str| part.chars().take_while(char::is_ascii_digit).count();
    let mut joined = String::with_capacity(text.len());
    for (place, letter) in text.char_indices() {
        let is_separator = letter == ','
            && joined.ends_with(|last: char| last.is_ascii_digit())
            && digits(&text[place + 1..]) == 3;
        if !is_separator {
            joined.push(letter);
        }
    }
    joined
}

/// Returns a text without intervals such as `(1.201 to 1.349)`.
fn without_intervals(text: &str) -> String {
    let after_interval = |part: &str| match part.split_once(')') {
        Some((interval, rest)) if interval.contains(" to ") => rest.to_owned(),
        _ => format!("({part}"),
    };
    text.split('(').map(after_interval).collect()
}

#[test]
fn intervals_are_removed() {
    assert_eq!(without_intervals("a (b) | 1.2 (1.0 to 1.4) | c"), "(a (b) | 1.2  | c");
}

#[test]
fn separators_of_digits_are_removed() {
    assert_eq!(without_separators("1,129,874 and 1, 2 or [6,20,1234]"), "1129874 and 1, 2 or [6,20,1234]");
}

#[test]
fn numbers_are_counted_with_their_decimals() {
    let found = numbers("5 of 5 searches: 0.25 ± 1.5 (n/a). Next");
    assert_eq!(found, BTreeMap::from([("5", 2), ("0.25", 1), ("1.5", 1)]));
}

#[test]
fn every_old_run_has_a_test() {
    let mut found: Vec<String> = fs::read_dir(OLD_RUNS)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "configs")
        .collect();
    found.sort();
    assert_eq!(found, RUNS);
}

#[test]
fn reports_on_old_runs_keep_every_number() {
    for name in RUNS {
        let run = OldRun::copy(name);
        let (mut old, mut new) = (run.read(OLD_REPORT), without_separators(&run.report()));
        if HIDDEN_INTERVALS.contains(&name) {
            (old, new) = (without_intervals(&old), without_intervals(&new));
        }
        let new_numbers = numbers(&new);
        for (number, times) in numbers(&old) {
            let is_excepted = EXCEPTIONS.iter().any(|(run, excepted, _)| (*run, *excepted) == (name, number));
            let found = new_numbers.get(number).copied().unwrap_or_default();
            assert!(
                is_excepted || found >= times,
                "{name}: {number} occurs {times} times in the old report, {found} times in this one:\n{new}"
            );
        }
    }
}

/// Returns a line without the fields that differ when it is measured again: times.
fn without_times(line: &str) -> serde_json::Value {
    let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
    let record = value.as_object_mut().unwrap();
    let shares = ["steal_time_permille", "stolen_permille", "other_load_permille"];
    for key in ["started_ms", "duration_ms", "white_stats", "black_stats"].into_iter().chain(shares) {
        record.remove(key);
    }
    for mv in record.get_mut("moves").and_then(|moves| moves.as_array_mut()).into_iter().flatten() {
        mv.as_object_mut().unwrap().remove("t");
    }
    value
}

#[test]
fn interrupted_old_games_are_resumed_to_the_same_end() {
    for (name, kind) in [("resumed-match", "match"), ("resumed-sprt", "sprt")] {
        let run = OldRun::copy(name);
        let whole = run.read("journal.jsonl");
        let kept: String = whole.split_inclusive('\n').take(3).collect();
        fs::write(run.path().join("journal.jsonl"), &kept).unwrap();
        let output = harness(&[kind, "--resume"]).arg(run.path()).output().unwrap();
        expect_code(&output, 0);
        let resumed = run.read("journal.jsonl");
        assert!(resumed.starts_with(&kept), "{name}: the old records stay as they were");
        let games = |text: &str| text.lines().map(without_times).collect::<Vec<_>>();
        assert_eq!(games(&resumed), games(&whole), "{name}");
        assert!(run.report().contains("6 games") || run.report().contains("| games | 6"), "{name}");
    }
}

#[test]
fn interrupted_old_searches_are_resumed_to_the_end() {
    let run = OldRun::copy("resumed-smp");
    let whole = run.read("journal.jsonl");
    let kept: String = whole.split_inclusive('\n').take(3).collect();
    fs::write(run.path().join("journal.jsonl"), &kept).unwrap();
    let output = harness(&["smp", "--resume"]).arg(run.path()).output().unwrap();
    expect_code(&output, 0);
    let resumed = run.read("journal.jsonl");
    assert!(resumed.starts_with(&kept));
    assert_eq!(resumed.lines().count(), whole.lines().count());
}

#[test]
fn an_old_run_with_another_engine_is_not_resumed() {
    let run = OldRun::copy("resumed-match");
    let manifest = run.read("manifest.yaml");
    let (before, rest) = manifest.split_once("blake3: ").unwrap();
    let changed = format!("{before}blake3: {}{}", "0".repeat(64), &rest[64..]);
    fs::write(run.path().join("manifest.yaml"), changed).unwrap();
    let output = harness(&["match", "--resume"]).arg(run.path()).output().unwrap();
    expect_code(&output, 1);
    assert!(stderr(&output).contains("blake3"), "{}", stderr(&output));
}

#[test]
fn old_names_in_a_configuration_get_one_notice_and_old_runs_none() {
    let run = OldRun::copy("resumed-smp");
    let config = run.dir.path().join("configs/old.yaml");
    let engine = env!("CARGO_BIN_EXE_fake-engine");
    let text = format!(
        "engines:\n  - {{ name: first, command: {engine}, args: [team] }}\n\
         positions: {{ file: positions.epd }}\nthreads: [1, 2]\nmovetime: 5\napart: true\n"
    );
    fs::write(&config, text).unwrap();
    let out = run.dir.path().join("new");
    let output = harness(&["smp"]).arg(&config).arg("--out").arg(&out).output().unwrap();
    expect_code(&output, 0);
    let notices = |output| stderr(output).matches("apart is an old name; write separate_processes").count();
    assert_eq!(notices(&output), 1, "{}", stderr(&output));
    let manifest = fs::read_to_string(out.join("manifest.yaml")).unwrap();
    let identity = manifest.split("config_text:").next().unwrap();
    assert!(identity.contains("separate_processes: true") && !identity.contains("apart:"), "{identity}");
    let output = harness(&["smp", "--resume"]).arg(run.path()).output().unwrap();
    expect_code(&output, 0);
    assert_eq!(notices(&output), 0, "{}", stderr(&output));
    let schema = harness(&["schema", "smp"]).output().unwrap();
    let schema = String::from_utf8(schema.stdout).unwrap();
    assert!(schema.contains("separate_processes") && !schema.contains("apart\""), "{schema}");
}
