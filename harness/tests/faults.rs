//! Engines that crash, hang, cheat, dawdle or chatter lose their game, are reported and replaced; the match goes on.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

mod common;

use std::fs;
use std::time::{Duration, Instant};

use common::{Lab, expect_code, expect_schedule, processes_with, stderr};
use stretto_harness::store::{GameRecord, Side, Termination};

/// Plays two pairs against an engine that misbehaves; every game must be its fault.
fn all_lost(args: &str, extra: &str) -> Vec<GameRecord> {
    let lab = Lab::new("ok", args).with("games: 4\nconcurrency: 1").with(extra);
    let output = lab.run("match", &[]);
    expect_code(&output, 0);
    let games = lab.journal();
    expect_schedule(&games, 2);
    for game in &games {
        let faulty = if game.white == 1 { Side::White } else { Side::Black };
        assert_eq!(game.termination.fault(), Some(faulty), "{:?}", game.termination);
        assert_eq!(game.result.half_points(faulty), 0);
        let evidence = fs::read_to_string(lab.run_dir().join(format!("faults/{}.txt", game.game))).unwrap();
        assert!(evidence.contains("> go ") && evidence.contains("> position fen"), "{evidence}");
        assert!(stderr(&output).contains(&format!("game {}: second: ", game.game)));
    }
    let summary = lab.summary();
    assert_eq!(summary["state"], "finished");
    assert_eq!(summary["stats"]["games"]["wins"], 4);
    let kind = games[0].termination.name();
    assert_eq!(summary["engines"][1]["faults"][kind], 4);
    games
}

#[test]
fn a_crash_loses_and_its_stderr_is_kept() {
    let lab = Lab::new("ok", "crash after=2").with("games: 4\nconcurrency: 2");
    expect_code(&lab.run("match", &[]), 0);
    let games = lab.journal();
    expect_schedule(&games, 2);
    for game in games {
        let Termination::Crash { how, .. } = &game.termination else { panic!("{:?}", game.termination) };
        assert_eq!(how, "was killed by signal 6");
        let evidence = fs::read_to_string(lab.run_dir().join(format!("faults/{}.txt", game.game))).unwrap();
        assert!(evidence.contains("! assertion failed: everything"), "{evidence}");
    }
}

#[test]
fn a_hang_under_a_node_limit_is_noticed() {
    let games = all_lost("hang after=1", "adjudication: {}");
    assert!(games.iter().all(|game| matches!(game.termination, Termination::Hang { .. })));
}

#[test]
fn moves_that_are_none_lose() {
    for (mode, text) in [("illegal after=1", "a1a1"), ("null", "0000"), ("empty after=3", "")] {
        for game in all_lost(mode, "") {
            let Termination::IllegalMove { text: found, .. } = game.termination else { panic!("{mode}") };
            assert_eq!(found, text);
        }
    }
}

#[test]
fn garbage_instead_of_an_answer_is_a_hang() {
    assert!(all_lost("garbage after=1", "").iter().all(|game| game.termination.name() == "hang"));
}

#[test]
fn an_answer_without_its_newline_is_none() {
    assert!(all_lost("no-newline", "").iter().all(|game| game.termination.name() == "hang"));
}

#[test]
fn an_heir_that_holds_the_pipe_does_not_hide_the_crash() {
    let start = Instant::now();
    for game in all_lost("heir after=1", "") {
        let Termination::Crash { how, .. } = game.termination else { panic!("{:?}", game.termination) };
        assert_eq!(how, "exited with code 7");
    }
    assert!(start.elapsed() < Duration::from_secs(10), "waited for the heir");
}

#[test]
fn dawdlers_lose_on_time() {
    let games = all_lost("slow ms=400 after=1", "time_control: 0.1\ntime_margin: 20");
    for game in games {
        let Termination::TimeForfeit { over_us, .. } = game.termination else {
            panic!("{:?}", game.termination)
        };
        // Waiting ends at the deadline; the grace for `stop` comes on top, and is not the game's.
        assert!((20_000..1_000_000).contains(&over_us), "{over_us}");
    }
}

/// Weakness 1 of other runners: each line of chatter restarts the deadline.
#[test]
fn chatter_does_not_extend_the_deadline() {
    let start = Instant::now();
    let lab = Lab::new("ok", "chatter ms=20000").with("games: 2\nconcurrency: 1\ntime_control: 0.2+0.01");
    expect_code(&lab.run("match", &[]), 0);
    for game in lab.journal() {
        assert_eq!(game.termination.name(), "time_forfeit");
        assert!(game.duration_ms < 2000, "{} ms", game.duration_ms);
        let evidence = fs::metadata(lab.run_dir().join(format!("faults/{}.txt", game.game))).unwrap();
        assert!(evidence.len() < 100_000);
    }
    assert!(start.elapsed() < Duration::from_secs(10));
}

/// Deaf to `stop` as well, so that it has to be ended.
#[test]
fn an_engine_that_ignores_stop_loses_on_time_and_is_replaced() {
    let games = all_lost("hang after=1", "time_control: 0.1\ntime_margin: 20");
    assert!(games.iter().all(|game| game.termination.name() == "time_forfeit"));
    assert!(games.iter().all(|game| game.plies >= 2), "each game has a running engine again");
}

#[test]
fn a_flood_on_stderr_is_harmless() {
    let lab = Lab::new("ok", "flood after=2").with("games: 4\nadjudication: { max_moves: 5 }");
    expect_code(&lab.run("match", &[]), 0);
    assert!(lab.journal().iter().all(|game| game.termination == Termination::MaxMoves));
}

#[test]
fn chatter_within_the_limit_and_huge_lines_are_harmless() {
    for mode in ["chatter ms=30", "huge after=3", "twice after=1"] {
        let lab = Lab::new("ok", mode).with("games: 2\nadjudication: { max_moves: 5 }");
        expect_code(&lab.run("match", &[]), 0);
        for game in lab.journal() {
            assert_eq!(game.termination, Termination::MaxMoves, "{mode}");
            assert_eq!(game.plies, 10);
        }
    }
}

#[test]
fn an_engine_that_never_starts_is_refused_before_the_run() {
    for (mode, expected) in [("exit-at-start", "exited with code 3"), ("silent", "no uciok within 0.5 s")] {
        let lab = Lab::new("ok", mode).with("games: 2").with("# ");
        let config = fs::read_to_string(lab.write_config()).unwrap().replace("uci: 5", "uci: 0.5");
        fs::write(lab.path("quick.yaml"), config).unwrap();
        let output = common::harness(&["match"])
            .arg(lab.path("quick.yaml"))
            .arg("--out")
            .arg(lab.run_dir())
            .output()
            .unwrap();
        expect_code(&output, 1);
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert!(!lab.run_dir().exists());
    }
}

#[test]
fn an_engine_that_stops_starting_ends_the_run_with_everything_saved() {
    // A wrapper that works for the trial and the first engine process, and for nothing after that.
    let lab = Lab::new("ok", "ok").with("games: 100\nconcurrency: 1");
    let (script, count) = (lab.path("wrapper.sh"), lab.path("count"));
    let fake = env!("CARGO_BIN_EXE_fake-engine");
    let text = format!(
        "#!/bin/sh\necho x >> {0}\nif [ $(wc -l < {0}) -gt 2 ]; then echo spent >&2; exit 9; fi\nexec {fake} crash after=2\n",
        count.display()
    );
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let config =
        fs::read_to_string(lab.write_config()).unwrap().replacen(fake, &script.display().to_string(), 1);
    fs::write(lab.path("wrapped.yaml"), config).unwrap();
    let output = common::harness(&["match"])
        .arg(lab.path("wrapped.yaml"))
        .arg("--out")
        .arg(lab.run_dir())
        .output()
        .unwrap();
    expect_code(&output, 1);
    let text = stderr(&output);
    assert!(text.contains("engine first failed to start 3 times in a row"), "{text}");
    assert!(text.contains("--resume"), "{text}");
    assert_eq!(lab.journal().len(), 1);
    assert_eq!(lab.summary()["state"], "failed");
    let evidence = fs::read_to_string(lab.run_dir().join("faults/start-3.txt")).unwrap();
    assert!(evidence.contains("! spent"), "{evidence}");
}

#[test]
fn no_engine_survives_a_killed_harness() {
    // `orphan` is deaf to the end of its input; the seed makes its command line unique.
    let marker = format!("seed={}", 7_000_000_000 + u64::from(std::process::id()));
    let lab = Lab::new("ok", &format!("orphan after=1 {marker}")).with("games: 2\nmovetime: 30000");
    let config = fs::read_to_string(lab.write_config()).unwrap().replace("nodes: 200\n", "");
    fs::write(lab.path("long.yaml"), config).unwrap();
    let mut child = common::harness(&["match"])
        .arg(lab.path("long.yaml"))
        .arg("--out")
        .arg(lab.run_dir())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    common::await_that("the engines", || lab.run_dir().join("journal.jsonl").exists());
    common::await_that("the hanging engine", || processes_with(&marker) > 0);
    std::thread::sleep(Duration::from_millis(200));
    child.kill().unwrap();
    child.wait().unwrap();
    common::await_that("the engine's death", || processes_with(&marker) == 0);
}

#[test]
fn replaced_engines_leave_no_process_and_no_descriptor_behind() {
    let lab = Lab::new("ok", "crash").with("games: 240\nconcurrency: 2");
    let mut child = lab
        .command("match", &[])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    lab.await_games(60);
    let proc = std::path::PathBuf::from(format!("/proc/{}", child.id()));
    let descriptors = fs::read_dir(proc.join("fd")).unwrap().count();
    let children = fs::read_to_string(proc.join(format!("task/{}/children", child.id()))).unwrap();
    // Two workers with two engines of three pipes each; workers are threads, so the list may be that of one of them.
    assert!(descriptors < 40, "{descriptors} descriptors");
    assert!(children.split_whitespace().count() <= 4, "children: {children}");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(lab.journal().len(), 240);
}

#[test]
fn an_engine_that_is_rebuilt_during_the_run_stops_it() {
    let lab = Lab::new("slow ms=5", "crash after=2").with("games: 400\nconcurrency: 1");
    let fake = env!("CARGO_BIN_EXE_fake-engine");
    let copy = lab.path("engine");
    fs::copy(fake, &copy).unwrap();
    let config = fs::read_to_string(lab.write_config()).unwrap();
    // The second engine is the copy, and is started anew for each game.
    let at = config.rfind(fake).unwrap();
    let config = format!("{}{}{}", &config[..at], copy.display(), &config[at + fake.len()..]);
    fs::write(lab.path("copy.yaml"), config).unwrap();
    let child = common::harness(&["match"])
        .arg(lab.path("copy.yaml"))
        .arg("--out")
        .arg(lab.run_dir())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    lab.await_games(3);
    fs::copy(fake, lab.path("new")).unwrap();
    fs::rename(lab.path("new"), &copy).unwrap();
    let output = child.wait_with_output().unwrap();
    expect_code(&output, 1);
    assert!(stderr(&output).contains("was replaced or removed during the run"), "{}", stderr(&output));
}
