//! Process tests of `harness suite`: scoring, mate claims, failing engines, odd files, resuming and
//! comparison.

use std::convert::Infallible;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Output;

use crate::common::{
    Exits, Has, await_that, carried, collection, expect_parts, harness, killed, signalled, stderr, stdout,
    summary_of,
};
use rustix::process::Signal;
use serde_json::Value;
use stretto_harness::configs::Variant;
use stretto_harness::epd;
use stretto_harness::games::Board;
use stretto_harness::suite::{FaultKind, PositionRecord, Relation, Suite, Verification, verify};

/// A position where 1. e4, 1. e3 and king moves are legal.
const PAWN: &str = "4k3/8/8/8/8/8/4P3/4K3 w - -";
/// White mates with 1. Kg6 Kg8 2. Ra8.
const MATE_IN_2: &str = "7k/8/5K2/8/8/8/8/R7 w - -";
/// Black is mated by 1... Kh8 2. Ra8.
const MATED_IN_1: &str = "6k1/8/6K1/8/8/8/8/R7 b - -";

/// A folder with a suite and a script for the engine.
struct SuiteSetup {
    dir: tempfile::TempDir,
    epd: String,
    script: String,
}

impl SuiteSetup {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), epd: String::new(), script: String::new() }
    }

    /// Adds a line; the full-move number distinguishes positions with the same pieces.
    fn position(mut self, fields: &str, operations: &str, answer: &str) -> Self {
        let number = self.epd.lines().count() + 1;
        let _ = writeln!(self.epd, "{fields} hmvc 0; fmvn {number}; {operations}");
        let _ = writeln!(self.script, "position fen {fields} 0 {number}\n{answer}");
        self
    }

    /// Adds the engine's answer in the position of the last line after `moves`.
    fn later(mut self, moves: &str, answer: &str) -> Self {
        let last = self.script.lines().rfind(|line| line.starts_with("position")).unwrap().to_owned();
        let start = last.split(" moves ").next().unwrap();
        let _ = writeln!(self.script, "{start} moves {moves}\n{answer}");
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self) -> &Self {
        fs::write(self.path("test.epd"), &self.epd).unwrap();
        fs::write(self.path("script"), &self.script).unwrap();
        self
    }

    /// Returns the unstarted command `harness suite test.epd --nodes 1000 --out OUT` with the
    /// scripted engine.
    fn command(&self, out: &str, mode: &str, args: &[&str]) -> std::process::Command {
        self.write();
        let mut command = harness(&["suite", "--nodes", "1000", "--timeout", "2"]);
        command.arg(self.path("test.epd")).arg("--out").arg(self.path(out));
        command.args(["--engine", env!("CARGO_BIN_EXE_fake-engine"), "--arg", mode]);
        command.arg("--arg").arg(format!("script={}", self.path("script").display()));
        command.arg("--arg").arg(format!("log={}", self.path("log").display()));
        command.args(args);
        command
    }

    /// Runs the suite with one engine process.
    fn run(&self, args: &[&str]) -> Output {
        self.command("run", "play", args).args(["--concurrency", "1"]).output().unwrap()
    }

    fn records(&self, out: &str) -> Vec<PositionRecord> {
        let text = fs::read_to_string(self.path(out).join("journal.jsonl")).unwrap();
        let mut records: Vec<PositionRecord> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        records.sort_by_key(|record| record.index);
        records
    }

    fn summary(&self, out: &str) -> Value {
        summary_of(&self.path(out))
    }
}

fn info(depth: u32, score: &str, pv: &str) -> String {
    format!("info depth {depth} score {score} nodes {} time {depth} pv {pv}", 100 * depth)
}

fn answer(score: &str, pv: &str) -> String {
    format!("{}\nbestmove {}", info(5, score, pv), pv.split(' ').next().unwrap())
}

#[test]
fn moves_points_and_themes_are_scored() {
    let late = format!("{}\n{}\nbestmove e2e4", info(3, "cp 10", "e2e3"), info(4, "cp 20", "e2e4"));
    let setup = SuiteSetup::new()
        .position(PAWN, "bm e4; id \"A.1\";", &late)
        .position(PAWN, "bm e4; id \"A.2\";", &answer("cp 10", "e2e3"))
        .position(PAWN, "am e4; id \"A.3\";", &answer("cp 10", "e2e3"))
        .position(PAWN, "am e4; id \"A.4\";", &answer("cp 10", "e2e4"))
        .position(PAWN, "bm e4; id \"B.1\"; c0 \"e4=10, e3=7\";", &answer("cp 10", "e2e3"))
        .position(PAWN, "id \"B.2\"; c7 \"e4 e3\"; c8 \"10 7\";", &answer("cp 10", "e2e4"))
        .position(PAWN, "bm e4; id \"B.3\"; c0 \"e4=10, e3=7\";", &answer("cp 10", "e1d1"));
    let output = setup.run(&["--list"]).exits(0);
    let records = setup.records("run");
    let solved: Vec<bool> = records.iter().map(|record| record.solved).collect();
    assert_eq!(solved, [true, false, true, false, false, true, false]);
    let points: Vec<Option<u32>> = records.iter().map(|record| record.points).collect();
    assert_eq!(points, [None, None, None, None, Some(7), Some(10), Some(0)]);
    let first = &records[0];
    assert_eq!((first.san.as_deref(), first.nodes), (Some("e4"), Some(400)));
    let solution = first.solution.unwrap();
    assert_eq!((solution.depth, solution.nodes, solution.time_ms), (Some(4), Some(400), 4));
    assert_eq!(records[4].expected, "bm e4; e4=10 e3=7");

    let summary = setup.summary("run");
    assert_eq!((&summary["state"], &summary["total"]["solved"]), (&"finished".into(), &3.into()));
    assert_eq!(summary["files"][0]["points"]["won"], 17);
    assert_eq!(summary["files"][0]["themes"][1]["name"], "B");
    assert_eq!(summary["files"][0]["themes"][1]["points"]["max"], 30);
    let text = stdout(&output);
    let row = |name: &str| text.lines().find(|line| line.trim_start().starts_with(name)).unwrap().to_owned();
    assert!(row("test.epd").contains("3/7") && row("test.epd").contains("17/30"), "{text}");
    assert!(row("A ").contains("2/4") && row("B ").contains("1/3"), "{text}");
    let list = text.split("not solved:\n").nth(1).unwrap();
    assert!(list.starts_with("  test.epd:2 A.2 (bm e4): e3\n  test.epd:4 A.4 (am e4): e4\n"), "{text}");
}

#[test]
fn every_position_is_a_new_game() {
    let setup =
        (0..3).fold(SuiteSetup::new(), |setup, _| setup.position(PAWN, "bm e4;", &answer("cp 1", "e2e4")));
    setup.run(&["--hash", "8", "--option", "UCI_Chess960=false"]).exits(0);
    let log = fs::read_to_string(setup.path("log")).unwrap();
    let run = log.split("quit\n").nth(1).unwrap();
    let mut expected =
        "uci\nsetoption name Hash value 8\nsetoption name UCI_Chess960 value false\nisready\n".to_owned();
    for number in 1..=3 {
        let _ = writeln!(expected, "ucinewgame\nisready\nposition fen {PAWN} 0 {number}\ngo nodes 1000");
    }
    assert_eq!(run, expected);
}

#[test]
fn chess960_positions_are_searched_with_chess960_rules() {
    let castling = "4k3/8/8/8/8/8/8/1R2K1R1 w KQ -";
    let setup = SuiteSetup::new().position(castling, "bm O-O;", &answer("cp 1", "e1g1")).position(
        PAWN,
        "bm e4;",
        &answer("cp 1", "e2e4"),
    );
    setup.run(&[]).exits(0);
    let records = setup.records("run");
    assert!(records.iter().all(|record| record.solved), "{records:?}");
    assert_eq!(records[0].san.as_deref(), Some("O-O"));
    assert!(
        fs::read_to_string(setup.path("log")).unwrap().contains("setoption name UCI_Chess960 value true")
    );
}

/// Adds positions with correct mate claims and with every kind of false claim.
fn mates() -> SuiteSetup {
    let long = "f6e6 h8g7 e6f5 g7h7";
    SuiteSetup::new()
        .position(MATE_IN_2, "dm 2; id \"true\";", &answer("mate 2", "f6g6 h8g8 a1a8"))
        .position(MATE_IN_2, "dm 2; id \"cut short\";", &answer("mate 2", "f6g6"))
        .later("f6g6", &answer("mate -1", "h8g8"))
        .later("f6g6 h8g8", &answer("mate 1", "a1a8"))
        .position(MATED_IN_1, "dm -1; id \"mated\";", &answer("mate -1", "g8h8 a1a8"))
        .position(MATE_IN_2, "dm 2; id \"no mate\";", &answer("mate 2", "f6g6 h8g8 a1a7"))
        .position(MATE_IN_2, "dm 2; id \"illegal\";", &answer("mate 2", "f6g6 h8h7"))
        .position(MATE_IN_2, "dm 2; id \"forgets\";", &answer("mate 3", "f6g6 h8g8"))
        .later("f6g6 h8g8", &answer("cp 900", "a1a7"))
        .position(MATE_IN_2, "dm 3; id \"shorter\";", &answer("mate 2", "f6g6 h8g8 a1a8"))
        .position(MATE_IN_2, "dm -2; id \"wrong side\";", &answer("mate 2", "f6g6 h8g8 a1a8"))
        .position(MATE_IN_2, "dm 2; id \"unseen\";", &answer("cp 900", long))
        .position(MATE_IN_2, "bm Kg6; id \"by the way\";", &answer("mate 1", "f6g6 h8g8"))
        .position(MATE_IN_2, "dm 1; id \"longer\";", &answer("mate 2", "f6g6 h8g8 a1a8"))
}

#[test]
fn claimed_mates_are_verified_by_replay() {
    let setup = mates();
    let output = setup.run(&["--strict"]).exits(1);
    output.stderr_has("5 claimed mates not verified, 0 positions with a fault");
    let records = setup.records("run");
    let failed = |why: &str| Verification::Failed { why: why.to_owned() };
    let expected = [
        ("true", true, Some(Relation::Exact), Verification::Replayed),
        ("cut short", true, Some(Relation::Exact), Verification::PlayedOn { plies: 2 }),
        ("mated", true, Some(Relation::Exact), Verification::Replayed),
        ("no mate", false, Some(Relation::Exact), failed("its line: no mate after 3 plies")),
        ("illegal", false, Some(Relation::Exact), failed("its line: `h8h7` is not legal after 1 ply")),
        (
            "forgets",
            false,
            Some(Relation::Longer),
            failed("played on: no mate is seen any more after 2 plies"),
        ),
        ("shorter", true, Some(Relation::Shorter), Verification::Replayed),
        ("wrong side", false, Some(Relation::WrongSide), Verification::Replayed),
        ("by the way", true, None, failed("its line: no mate after 1 ply")),
    ];
    for (id, solved, relation, verification) in expected {
        let record = records.iter().find(|record| record.id == id).unwrap();
        let claim = record.mate.as_ref().unwrap();
        assert_eq!(
            (record.solved, claim.relation, &claim.verification),
            (solved, relation, &verification),
            "{id}"
        );
    }
    assert!(records[8].mate.is_none() && !records[8].solved);

    let text = stdout(&output);
    let parts = [
        "mates: 10 claimed, 5 verified (4 by their line, 1 by playing on), 5 not",
        "of 10 known: 3 verified at their exact length, 1 longer",
        "  test.epd:5 illegal (dm 2): mate 2: its line: `h8h7` is not legal after 1 ply",
        "  test.epd:8 wrong side (dm -2): mate 2: the other side is known to mate",
        "    7k/8/5K2/8/8/8/8/R7 w - - 0 8",
        "shorter than the shortest known:",
        "  test.epd:7 shorter (dm 3): mate 2: verified by its line",
    ];
    expect_parts(&text, &parts);
    let mates = &setup.summary("run")["total"]["mates"];
    assert_eq!((&mates["unverified"], &mates["shorter"]), (&5.into(), &1.into()));
}

#[test]
fn strict_accepts_verified_mates() {
    let setup = SuiteSetup::new().position(MATE_IN_2, "dm 2;", &answer("mate 2", "f6g6 h8g8 a1a8"));
    setup.run(&["--strict"]).exits(0);
    let lenient = mates();
    lenient.run(&[]).exits(0);
}

#[test]
fn failing_engine_loses_only_the_position() {
    let right = answer("cp 1", "e2e4");
    let setup = SuiteSetup::new()
        .position(PAWN, "bm e4; c0 \"e4=10\"; id \"1\";", &right)
        .position(PAWN, "bm e4; c0 \"e4=10\"; id \"2\";", &format!("{}\n!crash", info(1, "cp 1", "e2e4")))
        .position(PAWN, "bm e4; id \"3\";", &right)
        .position(PAWN, "bm e4; id \"4\";", "bestmove e2e5")
        .position(PAWN, "bm e4; id \"5\";", "!hang")
        .position(MATE_IN_2, "bm Kg6; id \"6\";", &answer("mate 2", "f6g6"))
        .later("f6g6", "!crash")
        .position(PAWN, "bm e4; id \"7\";", &right);
    let output = setup.run(&[]).exits(0);
    let records = setup.records("run");
    let faults: Vec<Option<FaultKind>> =
        records.iter().map(|record| record.fault.as_ref().map(|fault| fault.kind)).collect();
    let (crash, illegal, hang) = (FaultKind::Crash, FaultKind::IllegalMove, FaultKind::Hang);
    assert_eq!(faults, [None, Some(crash), None, Some(illegal), Some(hang), Some(crash), None]);
    let solved: Vec<bool> = records.iter().map(|record| record.solved).collect();
    assert_eq!(solved, [true, false, true, false, false, false, true]);
    assert_eq!(setup.summary("run")["total"]["points"]["won"], 10);
    let evidence = fs::read_to_string(setup.path("run/faults/position-2.txt")).unwrap();
    let parts = [
        "test.epd:2 2 (bm e4",
        "crash: the engine was killed by signal 6",
        "> go nodes 1000",
        "! assertion failed",
    ];
    expect_parts(&evidence, &parts);
    output.stdout_has("crash: 2 positions, counted as unsolved");
    output.stderr_has("test.epd:4 4: illegal move: played `e2e5` (see ");
    setup.command("strict", "play", &["--strict"]).exits(1);
}

#[test]
fn engine_that_never_starts_ends_the_run() {
    let setup = SuiteSetup::new().position(PAWN, "bm e4;", "");
    setup.command("run", "exit-at-start", &[]).exits(1).stderr_has("no licence");
    assert!(!setup.path("run").exists(), "no run is created before the engine has started");
}

#[test]
fn bad_lines_are_reported_and_the_rest_is_used() {
    let setup = SuiteSetup::new()
        .position(PAWN, "bm e4; id \"good\";", &answer("cp 1", "e2e4"))
        .position("4k3/8/8/8/8/8/4P3/8 w - -", "bm e4;", "")
        .position(PAWN, "bm e4 Qh5;", &answer("cp 1", "e2e4"))
        .position(PAWN, "c0 \"nothing\";", "")
        .position(PAWN, "bm e5 Qh5;", "");
    let output = setup.run(&[]).exits(0);
    let text = stderr(&output);
    assert!(text.contains("test.epd:2: `4k3/8/8/8/8/8/4P3/8 w - -`: expected a legal position"), "{text}");
    assert!(
        text.contains("test.epd:3: bm: `Qh5`: expected a legal move (the rest of the line is used)"),
        "{text}"
    );
    assert!(text.contains("test.epd:4: nothing to score"), "{text}");
    output.stdout_has("2/2").stdout_has("skipped: 3 lines");
    let report = fs::read_to_string(setup.path("run/report.md")).unwrap();
    assert!(
        report.contains("skipped: 3 lines") && report.contains("| file of suite | test.epd, BLAKE3 "),
        "{report}"
    );
    assert_eq!(setup.summary("run")["warnings"][0]["line"], 2);
}

#[test]
fn command_line_errors_have_exit_code_2() {
    let setup = SuiteSetup::new().position(PAWN, "bm e4;", &answer("cp 1", "e2e4"));
    let file = setup.write().path("test.epd").display().to_string();
    let fake = env!("CARGO_BIN_EXE_fake-engine");
    let empty = setup.path("empty.epd").display().to_string();
    fs::write(&empty, "nonsense\n").unwrap();
    for (args, message) in [
        (&[file.as_str(), "--engine", fake][..], "--nodes"),
        (&["--nodes", "5"], "EPD"),
        (&["no-such.epd", "--nodes", "5", "--engine", fake], "no-such.epd: cannot read it"),
        (&[empty.as_str(), "--nodes", "5", "--engine", fake], "no position to solve; line 1: `nonsense`"),
        (
            &[file.as_str(), "--nodes", "5", "--engine", "no-such-engine"],
            "engine: no engine `no-such-engine`",
        ),
        (&[file.as_str(), "--nodes", "5", "--engine", fake, "--hash", "9999"], "whole number from 1 to 64"),
        (
            &[file.as_str(), "--nodes", "5", "--engine", fake, "--hash", "1", "--option", "hash=2"],
            "set twice",
        ),
        (&[file.as_str(), "--nodes", "5", "--engine", fake, "--option", "=2"], "NAME=VALUE"),
        (&[file.as_str(), "--nodes", "5", "--resume", "x"], "cannot be used with"),
    ] {
        let output = harness(&["suite"]).args(args).current_dir(setup.dir.path()).exits(2);
        assert!(stderr(&output).contains(message), "{message}\n{}", stderr(&output));
    }
}

/// A suite of twelve positions without script; the engine is slow on them.
fn slow() -> SuiteSetup {
    let mut setup = SuiteSetup::new();
    for number in 1..=12 {
        let _ = writeln!(setup.epd, "{PAWN} 0 {number}; bm e4; id \"S.{number}\";");
    }
    setup
}

fn await_positions(setup: &SuiteSetup, count: usize) {
    let file = setup.path("run/journal.jsonl");
    await_that("positions in the journal", || {
        fs::read(&file).is_ok_and(|bytes| bytes.split(|&byte| byte == b'\n').count() > count)
    });
}

#[test]
fn resume_after_interrupt_and_kill_repeats_no_position() {
    let setup = slow();
    let journal = setup.path("run/journal.jsonl");
    let mut child = setup
        .command("run", "slow", &["--arg", "ms=50"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    await_positions(&setup, 2);
    let output = signalled(child, Signal::INT).exits(3);
    output.stderr_has("resume with: harness suite --resume");
    let first = fs::read_to_string(&journal).unwrap();
    let done = first.lines().count();
    assert!((2..12).contains(&done), "{done}");
    assert_eq!(setup.summary("run")["state"], "interrupted");

    let quiet = std::process::Stdio::null;
    child = harness(&["suite", "--resume"])
        .arg(setup.path("run"))
        .stdout(quiet())
        .stderr(quiet())
        .spawn()
        .unwrap();
    await_positions(&setup, done + 2);
    killed(child);
    let torn = fs::read_to_string(&journal).unwrap() + "{\"v\":1,\"ind";
    assert!(torn.starts_with(&first), "written positions stay");
    fs::write(&journal, &torn).unwrap();

    let output = harness(&["suite", "--resume"]).arg(setup.path("run")).args(["--concurrency", "2"]).exits(0);
    output.stderr_has("cut 11 bytes of an unfinished position");
    let text = fs::read_to_string(&journal).unwrap();
    assert!(text.starts_with(&first));
    let indices: Vec<u64> = setup.records("run").iter().map(|record| record.index).collect();
    assert_eq!(indices, (0..12).collect::<Vec<_>>());
    output.stdout_has("12 of 12 positions");

    harness(&["suite", "--resume"]).arg(setup.path("run")).exits(0);
    assert_eq!(fs::read_to_string(&journal).unwrap(), text, "a finished run does nothing");
    let other = harness(&["match", "--resume"]).arg(setup.path("run")).exits(2);
    other.stderr_has("resume it with: harness suite --resume");
    fs::write(setup.path("test.epd"), format!("# changed\n{}", setup.epd)).unwrap();
    let changed = harness(&["suite", "--resume"]).arg(setup.path("run")).exits(1);
    changed.stderr_has("was another run; what differs:\n  files[0].blake3");
}

#[test]
fn result_does_not_depend_on_the_number_of_engines() {
    let setup = mates();
    let found = |out: &str, engines: &str| {
        setup.command(out, "play", &[]).args(["--concurrency", engines]).exits(0);
        let records = setup.records(out).into_iter();
        records.map(|record| PositionRecord { time_us: 0, ..record }).collect::<Vec<_>>()
    };
    let alone = found("alone", "1");
    assert_eq!(alone.len(), 11);
    assert_eq!(alone, found("together", "4"));
}

#[test]
fn runs_are_compared_position_by_position() {
    let setup = |first: &str, second: &str, third: &str| {
        SuiteSetup::new()
            .position(PAWN, "bm e4; id \"C.1\";", &answer("cp 1", first))
            .position(PAWN, "bm e4; id \"C.2\";", &answer("cp 1", second))
            .position(PAWN, "bm e4; id \"C.3\"; c0 \"e4=10, e3=4\";", &answer("cp 1", third))
    };
    let before = setup("e2e4", "e2e3", "e2e4");
    before.run(&[]).exits(0);
    let after = setup("e2e3", "e2e4", "e2e4");
    let other = before.path("run/summary.json").display().to_string();
    let output = after.run(&["--compare", &other]).exits(0);
    let text = stdout(&output);
    let parts = [
        "/run (fake-engine, 1000 nodes): 3 positions in both, 1 gained, 1 lost (sign test: p = 1.000)",
        "  points 10 before, 10 now (+0)",
        "  gained test.epd:2 C.2 (bm e4): e4 instead of e3",
        "  lost   test.epd:1 C.1 (bm e4): e3 instead of e4",
    ];
    expect_parts(&text, &parts);
    // A finished run can be compared without solving anything again.
    let folder = before.path("run").display().to_string();
    let again = harness(&["suite", "--resume"]).arg(after.path("run")).args(["--compare", &folder]).exits(0);
    again.stdout_has("1 gained, 1 lost");
    let missing = after.command("other", "play", &["--compare", "no-such-run"]).exits(1);
    missing.stderr_has("--compare: cannot read no-such-run: ");
    let epd = after.path("test.epd").display().to_string();
    harness(&["suite", &epd, &epd, "--nodes", "1"]).exits(2).stderr_has("test.epd: this file is given twice");
    let foreign = SuiteSetup::new().position(PAWN, "bm Kd2;", &answer("cp 1", "e1d2"));
    let refused = foreign.run(&["--compare", &folder]).exits(2);
    refused.stderr_has("--compare: the runs have no position in common");
    assert!(!after.path("other").exists() && !foreign.path("run").exists(), "reported before the work");
}

#[test]
fn events_contain_every_position_and_the_summary() {
    let setup = mates();
    let output = setup.run(&["--json"]).exits(0);
    let events: Vec<Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(kinds[0], "run_started");
    assert_eq!(kinds.iter().filter(|&&kind| kind == "position_finished").count(), 11);
    let last = events.last().unwrap();
    assert_eq!((&last["event"], &last["v"]), (&"run_ended".into(), &3.into()));
    assert_eq!(last["summary"]["unverified"].as_array().unwrap().len(), 5);
    assert!(stderr(&output).contains("mates: 10 claimed"), "the report goes to stderr");
}

#[test]
fn suites_of_the_repository_load_completely() {
    expect_complete(carried, &[("wac", 300, 0), ("bratko-kopec", 24, 0), ("lct2", 35, 0), ("mates", 13, 0)]);
}

#[test]
#[ignore = "needs large test suites: make test-data"]
fn with_data_published_suites_load_completely() {
    expect_complete(
        collection,
        &[("zugzwang", 18, 0), ("sts", 1500, 1500), ("mates", 1500, 0), ("krk", 200, 0)],
    );
}

/// Loads each suite and compares its number of positions, and of positions with points.
fn expect_complete(path: fn(&str) -> PathBuf, suites: &[(&str, usize, usize)]) {
    for &(name, positions, points) in suites {
        let suite = Suite::load(&[path(&format!("epd/{name}.epd"))], None).unwrap();
        assert_eq!((suite.tasks.len(), suite.warnings.len()), (positions, 0), "{name}: {:?}", suite.warnings);
        let with_points = suite.tasks.iter().filter(|task| task.expectation.max_points() == Some(10));
        assert_eq!(with_points.count(), points, "{name}");
    }
}

#[test]
fn malformed_lines_are_read_or_reported() {
    for (name, used, warnings) in [("bad/epd-malformed-a.tsv", 16, 5), ("bad/destruction-a.txt", 8, 45)] {
        // The text after a tab describes the malformation.
        let text = fs::read_to_string(carried(name)).unwrap();
        let lines: Vec<&str> = text.lines().map(|line| line.split('\t').next().unwrap_or(line)).collect();
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("bad.epd");
        fs::write(&file, lines.join("\n")).unwrap();
        let suite = Suite::load(&[file], None).unwrap();
        assert_eq!((suite.tasks.len(), suite.warnings.len()), (used, warnings), "{name}");
        assert!(suite.warnings.iter().all(|warning| warning.line > 0));
    }
}

#[test]
#[ignore = "needs large test suites: make test-data"]
fn with_data_published_mates_pass_verification() {
    let bytes = fs::read(collection("epd/mates.epd")).unwrap();
    let mut replayed = 0;
    for read in epd::lines(&bytes).filter_map(epd::parse) {
        let line = read.unwrap();
        let moves: i32 = line.operation("dm").unwrap().text().parse().unwrap();
        let pv: Vec<String> =
            line.operation("c9").unwrap().text().split_whitespace().map(str::to_owned).collect();
        let board = Board::new(&format!("{} 0 1", line.fields), Variant::Standard).unwrap();
        let ask = |_: &Board, _: &[String]| Ok::<_, Infallible>((String::new(), None));
        let Ok(found) = verify(&board, moves, &pv, ask);
        match found {
            Verification::Replayed => replayed += 1,
            // The longest exceed fifty moves without a capture, which is a draw by the rules.
            Verification::Failed { why } => {
                assert!(moves > 50 && why.contains("fifty moves"), "{moves}: {why}");
            }
            Verification::PlayedOn { .. } => panic!("{}: cut short", line.fields),
        }
    }
    assert!(replayed > 1450, "{replayed}");
}
