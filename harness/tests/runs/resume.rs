//! Tests of resuming: killed, interrupted or damaged runs lose and repeat no game.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use crate::common::{
    Exits, Has, Lab, expect_code, expect_schedule, harness, killed, signalled, silent, stderr, stdout,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use stretto_harness::SplitMix64;
use stretto_harness::games::GameRecord;

/// A match slow enough to be interrupted and quick enough to finish.
fn lab(pairs: u64) -> Lab {
    let lines = format!("games: {}\nconcurrency: 3\nadjudication: {{ max_moves: 6 }}", 2 * pairs);
    Lab::new("slow ms=5 seed=5", "slow ms=5 seed=6").with(&lines)
}

fn games_in_pgn(pgn: &str) -> Vec<String> {
    pgn.lines()
        .filter_map(|line| line.strip_prefix("[Round \""))
        .map(|rest| rest.replace("\"]", ""))
        .collect()
}

/// Asserts that PGN and summary agree with the journal.
fn expect_consistent(lab: &Lab, games: &[GameRecord]) {
    let rounds: Vec<String> =
        games.iter().map(|game| format!("{}.{}", game.pair + 1, game.half + 1)).collect();
    assert_eq!(games_in_pgn(&lab.pgn()), rounds);
    let counts: [usize; 3] =
        [0, 1, 2].map(|points| games.iter().filter(|game| game.first_half_points() == points).count());
    let stats = &lab.summary()["stats"];
    let count = |games: &Value, key: &str| usize::try_from(games[key].as_u64().unwrap()).unwrap();
    let found =
        ["losses", "draws", "wins"].map(|key| count(&stats["games"], key) + count(&stats["single"], key));
    assert_eq!(found, counts);
}

#[test]
fn resume_after_repeated_kills_plays_exactly_the_schedule() {
    let lab = lab(20);
    let mut before = Vec::new();
    for round in 0..4 {
        let child = if round == 0 {
            lab.spawn("match", &[])
        } else {
            harness(&["match", "--resume"])
                .arg(lab.run_dir())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap()
        };
        // An odd number, so that unfinished pairs occur too.
        lab.await_games(before.len() + 5);
        killed(child);
        let text = fs::read_to_string(lab.run_dir().join("journal.jsonl")).unwrap();
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let games: Vec<GameRecord> =
            text[..whole].lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(games[..before.len()], before[..], "written games stay");
        before = games;
    }
    assert!(before.len() < 40, "the run finished before it could be killed");
    let output = lab.resume("match", &[]).exits(0);
    let games = lab.journal();
    assert_eq!(games[..before.len()], before[..]);
    expect_schedule(&games, 20);
    expect_consistent(&lab, &games);
    output.stdout_has("40 games played");
    // Both games of a pair have the same opening.
    for game in &games {
        let twin = games.iter().find(|other| other.game == game.game ^ 1).unwrap();
        assert_eq!((&game.fen, &game.opening), (&twin.fen, &twin.opening));
    }
    lab.resume("match", &[]).exits(0);
    assert_eq!(lab.journal(), games, "a finished run has nothing to play");
}

#[test]
fn resumed_run_keeps_the_number_of_games_at_once() {
    let lab = lab(20);
    let child = lab.spawn("match", &["-j", "1"]);
    lab.await_games(2);
    killed(child);
    lab.resume("match", &["--set", "max_faults=9"]).exits(0);
    let report = fs::read_to_string(lab.run_dir().join("report.md")).unwrap();
    assert!(report.contains("| concurrency | 1 |"), "{report}");
    assert!(report.contains("config.yaml -j 1 |"), "{report}");
}

/// Kills a match of 200 games between deterministic engines twenty times at random moments.
#[test]
fn match_killed_twenty_times_has_the_same_results() {
    let lab = || {
        Lab::new("steady ms=1", "steady ms=1 seed=9").with(
            "games: 200\nconcurrency: 2\nadjudication: { max_moves: 30, win: { score: 900, moves: 9 } }",
        )
    };
    let (calm, disturbed) = (lab(), lab());
    calm.run("match", &[]).exits(0);
    let mut random = SplitMix64::new(20);
    let mut child = disturbed.spawn("match", &[]);
    disturbed.await_games(1);
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(50 + random.below(200)));
        killed(child);
        child = silent(harness(&["match", "--resume"]).arg(disturbed.run_dir()));
    }
    child.wait().unwrap();
    disturbed.resume("match", &[]).exits(0);
    let games = disturbed.journal();
    expect_schedule(&games, 100);
    expect_consistent(&disturbed, &games);
    let outcome = |games: &[GameRecord]| {
        let mut outcomes: Vec<_> = games
            .iter()
            .map(|game| (game.game, game.termination.clone(), game.plies, game.opening.clone()))
            .collect();
        outcomes.sort_by_key(|outcome| outcome.0);
        outcomes
    };
    for (disturbed, calm) in outcome(&games).into_iter().zip(outcome(&calm.journal())) {
        assert_eq!(disturbed, calm);
    }
    for key in ["stats", "terminations"] {
        assert_eq!(disturbed.summary()[key], calm.summary()[key]);
    }
}

#[test]
fn signals_save_the_run_and_print_the_resume_command() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let lab = lab(12);
        let child = lab.spawn("match", &[]);
        lab.await_games(3);
        kill_process(Pid::from_child(&child), signal).unwrap();
        // `timeout` signals both the process and its group; that counts as one request.
        std::thread::sleep(std::time::Duration::from_millis(3));
        kill_process(Pid::from_child(&child), signal).unwrap();
        child.wait_with_output().unwrap().exits(3).stderr_has("resume with: harness match --resume");
        let games = lab.journal();
        assert!(games.len() >= 3 && games.len() < 24, "{}", games.len());
        assert_eq!(lab.summary()["state"], "interrupted");
        let report = fs::read_to_string(lab.run_dir().join("report.md")).unwrap();
        for row in ["| state | not finished |", "| games planned | 24 |"] {
            assert!(report.contains(row), "{row}: {report}");
        }
        expect_consistent(&lab, &games);
        lab.resume("match", &[]).exits(0);
        expect_schedule(&lab.journal(), 12);
    }
}

#[test]
fn torn_journal_line_is_cut_with_a_notice() {
    let lab = lab(3);
    lab.run("match", &[]).exits(0);
    let file = lab.run_dir().join("journal.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, &text[..text.len() - 40]).unwrap();
    fs::write(lab.run_dir().join("games.pgn"), "[Event \"half a ga").unwrap();
    lab.resume("match", &[]).exits(0).stderr_has("of an unfinished game off the journal");
    let games = lab.journal();
    expect_schedule(&games, 3);
    expect_consistent(&lab, &games);
    let output = lab.resume("match", &[]);
    assert!(!stderr(&output).contains("off the journal"), "{}", stderr(&output));
}

#[test]
fn event_tag_names_the_run_when_it_is_resumed_from_its_own_folder() {
    let lab = lab(1);
    lab.run("match", &[]).exits(0);
    let written = lab.pgn();
    assert!(written.starts_with("[Event \"run\"]\n"), "{written}");
    fs::remove_file(lab.run_dir().join("games.pgn")).unwrap();
    harness(&["match", "--resume", "."]).current_dir(lab.run_dir()).exits(0);
    assert_eq!(lab.pgn(), written);
}

#[test]
fn damaged_journal_is_rejected() {
    let lab = lab(2);
    lab.run("match", &[]).exits(0);
    let file = lab.run_dir().join("journal.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("\"game\":", "\"gone\":", 1)).unwrap();
    lab.resume("match", &[]).exits(1).stderr_has("journal.jsonl:1: damaged");
}

#[test]
fn different_run_is_not_resumed() {
    let lab = lab(2);
    lab.run("match", &[]).exits(0);
    let config = fs::read_to_string(lab.path("config.yaml")).unwrap();
    let resume = |config: String| {
        fs::write(lab.path("other.yaml"), config).unwrap();
        let other = lab.path("other.yaml");
        harness(&["match"]).arg(other).arg("--resume").arg(lab.run_dir()).output().unwrap()
    };
    resume(config.clone()).exits(0);
    for (from, to, difference) in [
        ("games: 4", "games: 2", "config.games: 4 -> 2"),
        ("games: 4", "seed: 5\ngames: 6", "config.seed: 0 -> 5"),
        ("nodes: 200", "nodes: 300", "config.engines[0].limits.nodes: 200 -> 300"),
        ("name: first", "name: third", "config.engines[0].name: first -> third"),
    ] {
        resume(config.replace(from, to)).exits(1).stderr_has(difference);
    }
    fs::OpenOptions::new().append(true).open(lab.path("book.epd")).unwrap().write_all(b"\n").unwrap();
    resume(config).exits(1).stderr_has("openings.blake3: ");
}

#[test]
fn relative_configuration_with_folders_is_resumed_by_its_run_alone() {
    let lab = Lab::new("ok", "ok")
        .engine(0, "ok", ", working_dir: work")
        .with("games: 2\ntablebases: { syzygy: [tables] }");
    for folder in ["work", "tables"] {
        fs::create_dir(lab.path(folder)).unwrap();
    }
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/syzygy/KQvK.rtbw");
    fs::copy(table, lab.path("tables/KQvK.rtbw")).unwrap();
    lab.write_config();
    harness(&["match", "config.yaml", "--out", "run"]).current_dir(lab.path("")).exits(0);
    lab.resume("match", &[]).exits(0);
}

#[test]
fn finished_match_can_be_extended() {
    let lab = lab(2);
    lab.run("match", &[]).exits(0);
    let before = lab.journal();
    let config = fs::read_to_string(lab.path("config.yaml")).unwrap();
    let resume = |games: &str| {
        let file = lab.path("longer.yaml");
        fs::write(&file, config.replace("games: 4", games)).unwrap();
        harness(&["match"]).arg(file).arg("--resume").arg(lab.run_dir()).output().unwrap()
    };
    resume("games: 8").exits(0).stderr_has("the run is extended: config.games: 4 -> 8");
    let games = lab.journal();
    assert_eq!(games[..4], before[..]);
    expect_schedule(&games, 4);
    expect_consistent(&lab, &games);
    // The run stores its new length and cannot be shortened again.
    lab.resume("match", &[]).exits(0).stdout_has("8 games played");
    resume("games: 6").exits(1).stderr_has("config.games: 8 -> 6");
    assert_eq!(lab.journal(), games);
}

#[test]
fn killed_extension_of_a_finished_run_is_not_finished() {
    let lab = lab(2);
    lab.run("match", &[]).exits(0);
    let child = silent(harness(&["match", "--resume"]).arg(lab.run_dir()).args(["--set", "games=4000"]));
    lab.await_games(6);
    killed(child);
    let list = harness(&["runs", "list", "--json", "--folder"]).arg(lab.path("")).output().unwrap();
    let list: serde_json::Value = serde_json::from_str(&stdout(&list)).unwrap();
    assert_eq!(list[0]["state"], "interrupted", "{list}");
}

#[test]
fn extended_run_is_repeated_with_all_overrides() {
    let lab = Lab::new("ok", "ok").with("games: 2");
    lab.run("match", &["--set", "nodes=50", "--set", "games=4"]).exits(0);
    lab.resume("match", &["--set", "games=6"]).exits(0);
    expect_schedule(&lab.journal(), 3);
    let report = fs::read_to_string(lab.run_dir().join("report.md")).unwrap();
    assert!(report.contains("config.yaml --set nodes=50 --set games=6 |"), "{report}");
}

/// Each start of an engine appends to the log, which exists before the second start only.
#[test]
fn run_whose_engine_writes_a_log_can_be_resumed() {
    let lab = Lab::new("ok", "ok");
    let log = lab.path("engine.log");
    let lab = lab.engine(0, &format!("ok log={0} {0}", log.display()), "").with("games: 2");
    lab.run("match", &[]).exits(0);
    assert!(log.exists());
    lab.resume("match", &[]).exits(0);
    lab.resume("match", &["--set", "games=4"]).exits(0);
    expect_schedule(&lab.journal(), 2);
}

#[test]
fn folder_can_be_used_by_one_run_only() {
    let lab = Lab::new("slow ms=50", "ok").with("games: 200\nconcurrency: 2");
    let child = lab.spawn("match", &[]);
    lab.await_games(1);
    for output in [lab.run("match", &[]), lab.resume("match", &[])] {
        expect_code(&output, 1);
        output.stderr_has("in use by another harness");
    }
    signalled(child, Signal::TERM).exits(3);
    lab.run("match", &[]).exits(1).stderr_has("holds a run already");
}

#[test]
fn closed_output_does_not_stop_the_run() {
    let lab = lab(4);
    let mut child = lab.spawn("match", &["--json"]);
    drop(child.stdout.take());
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    expect_schedule(&lab.journal(), 4);
}

#[test]
fn file_size_limit_stops_the_run_and_loses_no_game() {
    let lab = lab(30);
    // A limit on file sizes fails like a full disk: a short write, then an error.
    let command = lab.command("match", &[]);
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 20; exec \"$@\"", "sh"]);
    let output = limited.arg(command.get_program()).args(command.get_args()).exits(1);
    let text = stderr(&output);
    assert!(text.contains("cannot write") && text.contains("resume with:"), "{text}");
    lab.resume("match", &[]).exits(0);
    let games = lab.journal();
    expect_schedule(&games, 30);
    expect_consistent(&lab, &games);
}

#[test]
fn pairs_are_complete_for_any_concurrency() {
    let lab = lab(9);
    lab.run("match", &["--concurrency", "5"]).exits(0);
    let games = lab.journal();
    expect_schedule(&games, 9);
    let openings: BTreeSet<&str> = games.iter().map(|game| game.opening.as_str()).collect();
    assert_eq!(openings.len(), 6, "nine pairs use the six openings in order");
    assert_eq!(games[0].pair / 6, 0);
}

/// Suspends the harness during the second, third and fourth of four slow games; returns its stderr.
///
/// More than once, since a suspension between two moves has no effect.
fn suspend(lab: &Lab) -> String {
    let child = lab.spawn("match", &[]);
    for games in 1..=3 {
        lab.await_games(games);
        // Waits until the next game is well under way.
        std::thread::sleep(std::time::Duration::from_millis(150));
        kill_process(Pid::from_child(&child), Signal::STOP).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(2500));
        kill_process(Pid::from_child(&child), Signal::CONT).unwrap();
    }
    let output = child.wait_with_output().unwrap().exits(0);
    let games = lab.journal();
    expect_schedule(&games, 2);
    assert!(games.iter().all(|game| game.termination.fault().is_none()));
    stderr(&output)
}

#[test]
fn suspension_voids_and_replays_the_game() {
    let lab = Lab::new("slow ms=30", "slow ms=30").with("games: 4\nconcurrency: 1\ntime_control: 10");
    let text = suspend(&lab);
    assert!(text.contains("was not running for a while; void, and played again"), "{text}");
}

#[test]
fn suspension_has_no_effect_with_a_node_limit() {
    // The answer timeout is shorter than the suspension, but was suspended too.
    let lab = Lab::new("slow ms=30", "slow ms=30").with("games: 4\nconcurrency: 1\nwatchdog: { answer: 2 }");
    let text = suspend(&lab);
    assert!(!text.contains("was not running"), "{text}");
}
