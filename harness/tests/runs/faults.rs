//! Engines that crash, hang, play illegal moves, exceed their time or flood the output lose the
//! game and are replaced; the match continues.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::common::{
    Exits, Has, Lab, events, expect_schedule, killed, processes_with, silent, stderr, stdout,
};
use stretto_harness::games::{GameRecord, GameResult, Side, Termination};

/// A short timeout for tests with hanging engines; the other engine answers at once.
const IMPATIENT: &str = "watchdog: { answer: 2 }";

/// Time for the engine that behaves, so that a busy machine does not make it lose on time first.
const ENOUGH_TIME: &str = ", time_control: 600";

/// Plays two pairs against a misbehaving engine; every game must be lost by its fault.
fn all_lost(args: &str, extra: &str) -> Vec<GameRecord> {
    let lab = Lab::new("ok", args).with("games: 4\nconcurrency: 1").with(extra);
    let lab = if extra.contains("time_control") { lab.engine(0, "ok", ENOUGH_TIME) } else { lab };
    let output = lab.run("match", &[]).exits(0);
    let games = lab.journal();
    expect_schedule(&games, 2);
    for game in &games {
        let faulty = if game.white == 1 { Side::White } else { Side::Black };
        assert_eq!(game.termination.fault(), Some(faulty), "{:?}", game.termination);
        assert_eq!(game.result.half_points(faulty), 0);
        let evidence =
            fs::read_to_string(lab.run_dir().join(format!("faults/game-{}.txt", game.game + 1))).unwrap();
        assert!(evidence.contains("> go ") && evidence.contains("> position fen"), "{evidence}");
        assert!(stderr(&output).contains(&format!("game {}: second: ", game.game + 1)));
    }
    let summary = lab.summary();
    assert_eq!(summary["state"], "finished");
    assert_eq!(summary["stats"]["games"]["wins"], 4);
    let kind = games[0].termination.name();
    assert_eq!(summary["engines"][1]["faults"][kind], 4);
    games
}

#[test]
fn crash_loses_and_stderr_is_kept() {
    let lab = Lab::new("ok", "crash after=2").with("games: 4\nconcurrency: 2");
    lab.run("match", &[]).exits(0);
    let games = lab.journal();
    expect_schedule(&games, 2);
    for game in games {
        let Termination::Crash { how, .. } = &game.termination else { panic!("{:?}", game.termination) };
        assert_eq!(how, "was killed by signal 6");
        let evidence =
            fs::read_to_string(lab.run_dir().join(format!("faults/game-{}.txt", game.game + 1))).unwrap();
        assert!(evidence.contains("! assertion failed: everything"), "{evidence}");
    }
}

#[test]
fn engine_with_too_many_faults_ends_the_run() {
    let lab = Lab::new("ok", "crash after=2").with("games: 40\nconcurrency: 1\nmax_faults: 3");
    let output = lab.run("match", &[]).exits(1);
    let text = stderr(&output);
    assert!(text.contains("engine second has failed 3 times") && text.contains("resume with: "), "{text}");
    assert_eq!((lab.journal().len(), &lab.summary()["state"]), (3, &"failed".into()));
    // The cause may have been fixed meanwhile, so the run resumes; the next fault ends it again.
    let again = lab.resume("match", &[]).exits(1);
    again.stderr_has("engine second has failed 4 times");
    let command = "\nresume with: harness match --resume ";
    assert!(stderr(&again).contains(command), "a line to copy, after the cause: {}", stderr(&again));
    // A larger limit takes effect when the run is resumed.
    let last = lab.resume("match", &["--set", "max_faults=6", "--json"]).exits(1);
    let ended = &events(&last, "run_ended")[0];
    assert_eq!((&ended["state"], &ended["summary"]["games"]), (&"failed".into(), &6.into()), "{ended}");
    assert!(ended["error"].as_str().unwrap().starts_with("engine second has failed 6 times"), "{ended}");
    last.stderr_has("engine second has failed 6 times");
}

#[test]
fn repeated_faults_are_reported_once() {
    let lab = Lab::new("ok", "illegal").with("games: 24\nconcurrency: 2");
    let output = lab.run("match", &[]).exits(0);
    assert_eq!(stderr(&output).matches("second has failed 10 times by crashes").count(), 1);
}

/// An engine that searches until `stop` when it does not know the limit.
#[test]
fn unknown_limit_ends_the_run_before_the_first_game() {
    for (limit, unknown) in [("depth 5", "depth"), ("nodes 300", "nodes")] {
        let lab = Lab::new("ok", &format!("ok unknown={unknown}")).with("games: 4\nwatchdog: { answer: 1 }");
        let with_limit = |text: String| text.replace("nodes: 200", &limit.replace(' ', ": "));
        let output = lab.edited("match", with_limit).exits(1);
        let expected = format!(
            "engine second does not seem to know `go {unknown}`: after `go {limit}` no bestmove within 1 s, but one after `stop`; \
             use another limit"
        );
        output.stderr_has(&expected);
        assert!(!lab.run_dir().exists());
    }
    // Only the limit of the games matters.
    let lab = Lab::new("ok", "ok unknown=depth").with("games: 2\nwatchdog: { answer: 5 }");
    lab.run("match", &[]).exits(0);
}

#[test]
fn two_hangs_at_the_first_move_end_the_run() {
    let lab = Lab::new("ok", "stuck").with("games: 40\nconcurrency: 1\nwatchdog: { answer: 1 }");
    let output = lab.run("match", &[]).exits(1);
    let expected = "engine second hung at its first move in 2 of 2 games, at `go` with 200 nodes";
    output.stderr_has(expected).stderr_has("\nresume with: harness match --resume ");
    assert_eq!((lab.journal().len(), &lab.summary()["state"]), (2, &"failed".into()));
    // Without repair, the next hang ends it again.
    lab.resume("match", &[]).exits(1).stderr_has("second hung at its first move in 3 of 3 games");
    assert_eq!(lab.journal().len(), 3);
}

/// Single hangs, and those after a move, do not end a run.
#[test]
fn hangs_after_a_move_do_not_end_the_run() {
    let games = all_lost("hang after=1", IMPATIENT);
    assert!(games.iter().all(|game| game.termination.name() == "hang"));
}

#[test]
fn tuning_and_screening_end_after_two_hangs_at_the_first_move() {
    for (kind, section) in [
        (
            "tune",
            "tune:\n  iterations: 9\n  pairs: 1\n  parameters:\n    - { name: Hash, min: 2, max: 60 }\n",
        ),
        ("screen", "games: 40\nscreen:\n  switches: [Ponder]\n"),
    ] {
        let lab = Lab::new("stuck", "").with("concurrency: 1\nwatchdog: { answer: 1 }").with(section);
        let of_one = |text: String| {
            text.lines().filter(|line| !line.contains("name: second")).collect::<Vec<_>>().join("\n")
        };
        let output = lab.edited(kind, of_one).exits(1);
        assert!(stderr(&output).contains("hung at its first move in 2 of "), "{kind}: {}", stderr(&output));
    }
}

/// The second `bestmove` comes before the answer to `isready`, which precedes the next `go`.
#[test]
fn second_bestmove_is_dropped_and_counted() {
    let lab = Lab::new("ok", "again ms=30 after=1").with("games: 2\nconcurrency: 1");
    let output = lab.run("match", &[]).exits(0);
    let games = lab.journal();
    let dropped: u64 =
        games.iter().map(|game| game.white_stats.second_answers + game.black_stats.second_answers).sum();
    assert!(dropped > 0 && games.iter().all(|game| game.termination.fault().is_none()));
    assert_eq!(lab.summary()["engines"][1]["totals"]["second_answers"], dropped);
    let text = stdout(&output);
    assert!(text.contains(&format!(", {dropped} second bestmoves dropped")), "{text}");
}

#[test]
fn lines_after_a_bestmove_do_not_count_for_the_next_search() {
    let lab = Lab::new("ok", "late ms=30")
        .with("games: 2\nconcurrency: 1\nadjudication: { win: { score: 600, moves: 2 }, max_moves: 6 }");
    lab.run("match", &[]).exits(0);
    for game in lab.journal() {
        assert_eq!((game.plies, &game.termination), (12, &Termination::MaxMoves));
        let late = game.moves.iter().skip(usize::from(game.black == 1)).step_by(2);
        assert!(late.clone().count() == 6 && late.into_iter().all(|played| played.score.is_none()));
    }
}

/// The wait for `readyok` is off the clock, so this is no loss on time.
#[test]
fn engine_that_does_not_get_ready_after_a_move_hangs() {
    for game in all_lost("mute after=1", "time_control: 600\nwatchdog: { ready: 2 }") {
        let Termination::Hang { how, .. } = game.termination else { panic!("{:?}", game.termination) };
        assert_eq!(how, "no readyok within 2 s");
    }
}

/// A pondering engine may answer late: the second `bestmove` comes after the next `go`, for which it is illegal.
#[test]
fn second_bestmove_is_the_reason_of_its_illegal_move() {
    let lab = Lab::new("ok", "").engine(1, "again ms=100 after=1", ", ponder: true");
    let lab = lab.with("games: 4\nconcurrency: 1\ntime_control: 600");
    lab.run("match", &[]).exits(0);
    for game in lab.journal() {
        let Termination::AnsweredTwice { text, .. } = &game.termination else {
            panic!("{:?}", game.termination)
        };
        let played = game.moves.iter().rev().nth(1).unwrap();
        assert_eq!(text, &played.text, "the move before");
        let expected = format!("plays an illegal move: `{text}`, a second `bestmove` to an earlier `go`");
        assert!(game.termination.to_string().ends_with(&expected), "{}", game.termination);
    }
}

#[test]
fn hang_under_a_node_limit_is_detected() {
    let games = all_lost("hang after=1", &format!("adjudication: {{}}\n{IMPATIENT}"));
    assert!(games.iter().all(|game| matches!(game.termination, Termination::Hang { .. })));
}

#[test]
fn illegal_moves_lose() {
    for (mode, text) in [("illegal after=1", "a1a1"), ("null", "0000"), ("empty after=3", "")] {
        for game in all_lost(mode, "") {
            let Termination::IllegalMove { text: found, .. } = game.termination else { panic!("{mode}") };
            assert_eq!(found, text);
        }
    }
}

#[test]
fn garbage_output_is_a_hang() {
    assert!(all_lost("garbage after=1", IMPATIENT).iter().all(|game| game.termination.name() == "hang"));
}

#[test]
fn answer_without_newline_is_a_hang() {
    assert!(all_lost("no-newline after=1", IMPATIENT).iter().all(|game| game.termination.name() == "hang"));
}

#[test]
fn child_that_holds_the_pipe_does_not_hide_the_crash() {
    let start = Instant::now();
    for game in all_lost("heir after=1", "") {
        let Termination::Crash { how, .. } = game.termination else { panic!("{:?}", game.termination) };
        assert_eq!(how, "exited with code 7");
    }
    assert!(start.elapsed() < Duration::from_mins(5), "waited for the child, which sleeps for ten minutes");
}

/// Returns a unique marker for the command line of processes that an engine leaves behind, which sleep for `seconds`.
fn marker(number: u32, seconds: u32) -> (String, String) {
    let seed = 1_000_000 * number + std::process::id() % 1_000_000;
    (format!("seed={seed}"), format!("sleep {seconds}.{seed}"))
}

#[test]
fn child_processes_are_killed_with_the_engine() {
    let (seed, left) = marker(1, 600);
    all_lost(&format!("heir after=1 {seed}"), "");
    crate::common::await_that("the end of the child processes", || processes_with(&left) == 0);
}

/// A process that has left the engine's group and session is neither killed nor waited for.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs Linux")]
fn escaped_process_is_not_waited_for() {
    let (seed, left) = marker(2, 60);
    let games = all_lost(&format!("runaway after=1 {seed}"), "");
    assert!(games.iter().all(|game| game.termination.name() == "crash"));
    assert!(processes_with(&left) > 0, "the run was over before they were");
}

/// A pipe without reader is full after 64 KiB; the harness must not block on it.
#[test]
fn engine_that_does_not_read_is_rejected_before_the_run() {
    let init = format!(", init: [{}]", "x".repeat(300_000));
    let lab = Lab::new("ok", "ok").engine(1, "deaf", &init).with("games: 2");
    let quick = |text: String| text.replace("ready: 60", "ready: 0.5");
    lab.edited("match", quick).exits(1).stderr_has("engine second: ");
    assert!(!lab.run_dir().exists());
}

#[test]
fn slow_engine_loses_on_time() {
    let games = all_lost("slow ms=400", "time_control: 0.1\ntime_margin: 20");
    for game in games {
        let Termination::TimeForfeit { by, over_us, .. } = game.termination else {
            panic!("{:?}", game.termination)
        };
        // Waiting ends at the deadline; the time until the answer to `stop` is added.
        assert!((20_000..20_000_000).contains(&over_us), "{over_us}");
        let stats = if by == Side::White { game.white_stats } else { game.black_stats };
        assert!(stats.max_time_us >= over_us, "the lost move is the longest: {stats:?}");
    }
}

#[test]
fn time_per_move_has_a_margin_too() {
    let games = all_lost("slow ms=400", "movetime: 100\ntime_margin: 20");
    assert!(games.iter().all(|game| matches!(game.termination, Termination::TimeForfeit { .. })));
    let lab = Lab::new("ok", "ok").with("games: 2\nmovetime: 100\ntime_margin: 5000");
    lab.run("match", &[]).exits(0);
    let is_late = |game: &GameRecord| matches!(game.termination, Termination::TimeForfeit { .. });
    assert!(!lab.journal().iter().any(is_late));
}

/// As in cutechess-cli: the loss on time is a draw, and still a fault. Resuming and PGN agree.
#[test]
fn loss_on_time_against_a_lone_king_is_a_draw() {
    let lab = Lab::new("slow ms=400", "slow ms=400").with(
        "games: 4\nconcurrency: 1\ntime_control: 0.1\ntime_margin: 20\nadjudication: { max_moves: 50 }",
    );
    // In the second opening both sides have a rook.
    let book = "8/8/3rk3/8/8/2K5/8/8 b - - 0 1\n8/8/3rk3/8/8/2K5/2R5/8 b - - 0 1\n";
    fs::write(lab.path("book.epd"), book).unwrap();
    lab.run("match", &["--quiet"]).exits(0);
    let check = |games: &[GameRecord]| {
        for (game, (result, lone)) in games.iter().zip([
            (GameResult::Draw, true),
            (GameResult::Draw, true),
            (GameResult::White, false),
            (GameResult::White, false),
        ]) {
            assert_eq!(game.result, result, "{:?}", game.termination);
            let Termination::TimeForfeit { by, lone_king, .. } = game.termination else {
                panic!("{:?}", game.termination)
            };
            assert_eq!((by, lone_king), (Side::Black, lone));
        }
    };
    assert_eq!(lab.journal().len(), 4);
    check(&lab.journal());
    assert_eq!(lab.summary()["terminations"]["time_forfeit"], 4, "a fault in each game");
    let games = fs::read_to_string(lab.run_dir().join("games.pgn")).unwrap();
    assert_eq!(games.matches("over); White has a lone king: draw\"]").count(), 2, "{games}");
    assert_eq!(games.matches("[Result \"1/2-1/2\"]").count(), 2, "{games}");
    lab.resume("match", &["--quiet"]).exits(0);
    check(&lab.journal());
}

/// Each move takes 20 ms but 100 nodes at 100 nodes per ms: a clock of 10 ms allows ten of them,
/// independent of time.
#[test]
fn nodestime_clock_counts_nodes() {
    let play = |rules: &str| {
        let lab = Lab::new("ok", "ok")
            .engine(0, "counting ms=20", ", options: { nodestime: 100 }")
            .engine(1, "counting ms=20", ", options: { NodesTime: 100 }")
            .with(&format!("games: 2\nconcurrency: 1\ntime_control: 0.01\ntime_margin: 0\n{rules}"));
        lab.run("match", &[]).exits(0).stderr_has("0.01 at 100 nodes a ms");
        lab.journal()
    };
    for game in play("adjudication: { max_moves: 10 }") {
        assert_eq!((game.plies, game.termination), (20, Termination::MaxMoves));
    }
    for game in play("adjudication: {}") {
        let late = Termination::TimeForfeit { by: Side::White, over_us: 1000, lone_king: false };
        assert_eq!((game.plies, game.termination), (20, late));
    }
}

#[test]
fn engine_without_nodestime_option_is_rejected() {
    let lab = Lab::new("ok", "ok")
        .engine(0, "ok", ", options: { nodestime: 100 }")
        .with("games: 2\ntime_control: 1");
    lab.run("match", &[]).exits(2).stderr_has("its clock cannot count nodes");
    let lab = Lab::new("ok", "ok")
        .engine(0, "counting", ", options: { nodestime: 100 }, ponder: true")
        .with("games: 2\ntime_control: 1");
    lab.run("match", &[]).exits(2).stderr_has("pondering is not possible with a clock that counts nodes");
}

/// Some match runners restart the deadline with each line of output.
#[test]
fn output_does_not_extend_the_deadline() {
    let start = Instant::now();
    let lab = Lab::new("ok", "chatter ms=20000 after=1")
        .engine(0, "ok", ENOUGH_TIME)
        .with("games: 2\nconcurrency: 1\ntime_control: 2\nwatchdog: { answer: 0.5 }");
    lab.run("match", &[]).exits(0);
    for game in lab.journal() {
        assert_eq!(game.termination.name(), "hang");
        // The engine prints for 20,000 ms.
        assert!(game.duration_ms < 15_000, "{} ms", game.duration_ms);
        let evidence =
            fs::metadata(lab.run_dir().join(format!("faults/game-{}.txt", game.game + 1))).unwrap();
        assert!(evidence.len() < 100_000);
    }
    assert!(start.elapsed() < Duration::from_mins(1), "waited for the engines");
}

/// The engine ignores `stop` too and has to be killed.
#[test]
fn engine_that_ignores_stop_hangs_and_is_replaced() {
    let games = all_lost("hang after=1", "time_control: 2\ntime_margin: 20\nwatchdog: { answer: 0.5 }");
    for game in &games {
        let Termination::Hang { how, .. } = &game.termination else { panic!("{:?}", game.termination) };
        assert_eq!(how, "no bestmove in its time, and none within 0.5 s after `stop`");
    }
    assert!(games.iter().all(|game| game.plies >= 2), "each game has a new running engine");
}

#[test]
fn hangs_under_a_clock_count_for_max_faults() {
    let lab = Lab::new("ok", "hang after=1").engine(0, "ok", ENOUGH_TIME).with(
        "games: 40\nconcurrency: 1\nmax_faults: 2\ntime_control: 2\ntime_margin: 20\nwatchdog: { answer: 0.5 }",
    );
    lab.run("match", &[]).exits(1).stderr_has("engine second has failed 2 times");
    let losses = &lab.summary()["time_forfeits"];
    assert_eq!(
        losses["undisturbed"].as_u64().unwrap() + losses["other_load"].as_u64().unwrap(),
        0,
        "{losses}"
    );
}

/// The answer to `stop` comes late, as on a busy machine: a loss on time and no hang.
#[test]
fn late_answer_to_stop_is_a_loss_on_time() {
    let games = all_lost("slow ms=1500", "time_control: 0.1\ntime_margin: 20");
    for game in games {
        let Termination::TimeForfeit { over_us, .. } = game.termination else {
            panic!("{:?}", game.termination)
        };
        assert!((1_000_000..20_000_000).contains(&over_us), "{over_us}");
    }
}

#[test]
fn flood_on_stderr_is_harmless() {
    let lab = Lab::new("ok", "flood after=2").with("games: 4\nadjudication: { max_moves: 5 }");
    lab.run("match", &[]).exits(0);
    assert!(lab.journal().iter().all(|game| game.termination == Termination::MaxMoves));
}

#[test]
fn verbose_output_and_huge_lines_are_harmless() {
    for mode in ["chatter ms=30", "huge after=3", "twice after=1"] {
        let lab = Lab::new("ok", mode).with("games: 2\nadjudication: { max_moves: 5 }");
        lab.run("match", &[]).exits(0);
        for game in lab.journal() {
            assert_eq!(game.termination, Termination::MaxMoves, "{mode}");
            assert_eq!(game.plies, 10);
        }
    }
}

#[test]
fn engine_that_never_starts_is_rejected_before_the_run() {
    for (mode, uci, expected) in [
        ("exit-at-start", "60", "exited with code 3 and did not answer `uci`"),
        ("silent", "0.5", "no uciok within 0.5 s"),
    ] {
        let lab = Lab::new("ok", mode).with("games: 2").with("# ");
        let quick = |text: String| text.replace("uci: 60", &format!("uci: {uci}"));
        lab.edited("match", quick).exits(1).stderr_has(expected);
        assert!(!lab.run_dir().exists());
    }
}

#[test]
fn engine_that_stops_starting_ends_the_run_with_everything_saved() {
    // A wrapper that starts the engine for the check and once more, then fails.
    let lab = Lab::new("ok", "ok").with("games: 100\nconcurrency: 1");
    let (script, count) = (lab.path("wrapper.sh"), lab.path("count"));
    let fake = env!("CARGO_BIN_EXE_fake-engine");
    let text = format!(
        "#!/bin/sh\necho x >> {0}\nif [ $(wc -l < {0}) -gt 2 ]; then echo spent >&2; exit 9; fi\nexec {fake} crash after=2\n",
        count.display()
    );
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let wrapped = |text: String| text.replacen(fake, &script.display().to_string(), 1);
    let text = stderr(&lab.edited("match", wrapped).exits(1));
    assert!(text.contains("engine first did not start: a worker gave up after 3 attempts"), "{text}");
    assert!(text.contains("--resume"), "{text}");
    assert_eq!(lab.journal().len(), 1);
    assert_eq!(lab.summary()["state"], "failed");
    let evidence = fs::read_to_string(lab.run_dir().join("faults/start-3.txt")).unwrap();
    assert!(evidence.contains("! spent"), "{evidence}");
}

#[test]
fn no_engine_survives_a_killed_harness() {
    // `orphan` ignores the end of its input; the seed makes its command line unique.
    let marker = format!("seed={}", 7_000_000_000 + u64::from(std::process::id()));
    let lab = Lab::new("ok", &format!("orphan after=1 {marker}")).with("games: 2\nmovetime: 30000");
    let child = silent(&mut lab.edited("match", |text| text.replace("nodes: 200\n", "")));
    crate::common::await_that("the engines", || lab.run_dir().join("journal.jsonl").exists());
    crate::common::await_that("the hanging engine", || processes_with(&marker) > 0);
    std::thread::sleep(Duration::from_millis(200));
    killed(child);
    crate::common::await_that("the engine's death", || processes_with(&marker) == 0);
}

#[test]
fn replaced_engines_leave_no_process_and_no_descriptor() {
    let lab = Lab::new("ok", "crash").with("games: 240\nconcurrency: 2");
    let mut child = silent(&mut lab.command("match", &[]));
    lab.await_games(60);
    let proc = std::path::PathBuf::from(format!("/proc/{}", child.id()));
    let descriptors = fs::read_dir(proc.join("fd")).unwrap().count();
    let children = fs::read_to_string(proc.join(format!("task/{}/children", child.id()))).unwrap();
    // Two workers with two engines of three pipes each; the children listed may be those of one
    // worker thread.
    assert!(descriptors < 40, "{descriptors} descriptors");
    assert!(children.split_whitespace().count() <= 4, "children: {children}");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(lab.journal().len(), 240);
}

#[test]
fn engine_replaced_on_disk_stops_the_run() {
    let lab = Lab::new("slow ms=5", "crash after=2").with("games: 400\nconcurrency: 1");
    let fake = env!("CARGO_BIN_EXE_fake-engine");
    let copy = lab.path("engine");
    fs::copy(fake, &copy).unwrap();
    let config = fs::read_to_string(lab.write_config()).unwrap();
    // The second engine is the copy and is restarted for each game.
    let at = config.rfind(fake).unwrap();
    let config = format!("{}{}{}", &config[..at], copy.display(), &config[at + fake.len()..]);
    fs::write(lab.path("copy.yaml"), config).unwrap();
    let child = crate::common::harness(&["match"])
        .arg(lab.path("copy.yaml"))
        .arg("--out")
        .arg(lab.run_dir())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    lab.await_games(3);
    fs::copy(fake, lab.path("new")).unwrap();
    fs::rename(lab.path("new"), &copy).unwrap();
    child.wait_with_output().unwrap().exits(1).stderr_has("was replaced or removed during the run");
}

/// Returns every file below a folder, relative to it.
fn files_below(folder: &Path) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(folder).unwrap().to_path_buf());
            }
        }
    }
    files
}

/// Plays a match with hostile engine and opening names in an isolated environment; returns the
/// files written outside the run folder.
fn hostile_match() -> (Lab, BTreeSet<PathBuf>) {
    let words = [
        "$(touch pwned)",
        ";touch pwned;",
        "`touch pwned`",
        "|touch pwned",
        "&&touch pwned",
        "\ntouch pwned\n",
    ];
    let words: Vec<String> = words.iter().map(|word| format!(", {word:?}")).collect();
    let lab = Lab::new("ok", "rude after=2").with("games: 6\nlogs: true");
    let book = crate::common::BOOK.replacen("open", "<script>alert(4)</script>", 1).replacen(
        "sicilian",
        "../../pwned",
        1,
    );
    fs::write(lab.path("book.epd"), book).unwrap();
    let mut command = lab.edited("match", |text| {
        text.replace("name: first", "name: ../../pwned")
            .replace("name: second", "name: '<script>alert(5)</script>\"&'")
            .replace("args: [ok]", &format!("args: [ok{}]", words.concat()))
    });
    for folder in ["home", "tmp", "work"] {
        fs::create_dir(lab.path(folder)).unwrap();
    }
    let before = files_below(&lab.path(""));
    command
        .current_dir(lab.path("work"))
        .env("HOME", lab.path("home"))
        .env("TMPDIR", lab.path("tmp"))
        .exits(0);
    let mut new = files_below(&lab.path(""));
    new.retain(|file| !before.contains(file) && !file.starts_with("run"));
    (lab, new)
}

#[test]
fn hostile_names_write_nothing_outside_the_run_folder() {
    let (lab, new) = hostile_match();
    assert_eq!(new, BTreeSet::new());
    let own = files_below(&lab.run_dir());
    for file in
        ["manifest.yaml", "journal.jsonl", "games.pgn", "report.html", "logs/1-.._.._pwned-0a31cfbf.log"]
    {
        assert!(own.contains(Path::new(file)), "{file} is not among {own:?}");
    }
    assert!(own.iter().any(|file| file.starts_with("faults")), "{own:?}");
}

#[test]
fn reports_escape_names_and_output_of_engines() {
    let (lab, _) = hostile_match();
    let page = fs::read_to_string(lab.run_dir().join("report.html")).unwrap();
    assert!(page.contains("&lt;script&gt;alert(5)&lt;/script&gt;"), "{page}");
    // The page has two scripts, which are its own, and the data of the games.
    let scripts = |page: &str| (page.matches("<script").count(), page.matches("<script>alert").count());
    assert_eq!(scripts(&page), (3, 0), "{page}");
    crate::common::harness(&["report"]).arg(lab.run_dir()).exits(0);
    assert_eq!(scripts(&fs::read_to_string(lab.run_dir().join("report.html")).unwrap()), (3, 0));
    // PGN tags are escaped for any name.
    let pgn = lab.pgn();
    assert!(pgn.contains("[Black \"<script>alert(5)</script>\\\"&\"]"), "{pgn}");
    assert_eq!(lab.journal().len(), 6);
}

#[test]
fn fault_between_games_is_counted_and_shown() {
    let run = |rules: &str, code: i32| {
        let lab = Lab::new("ok", "ok dies-at=3").with(&format!("games: 8\nconcurrency: 1\n{rules}"));
        let output = lab.run("match", &[]).exits(code);
        (stderr(&output) + &stdout(&output), lab)
    };
    let (text, lab) = run("", 0);
    let notice = "second: the engine exited with code 3 between games; restarted";
    assert_eq!(text.matches(notice).count(), 3, "{text}");
    assert_eq!(lab.summary()["engines"][1]["faults"]["between_games"], 3);
    assert!(text.contains("second 3 (sign test") && text.contains(", between games 3"), "{text}");
    let report = fs::read_to_string(lab.run_dir().join("report.md")).unwrap();
    assert!(report.contains("| between games 3 |"), "{report}");
    assert!(lab.run_dir().join("faults/start-3.txt").exists());
    let (text, lab) = run("max_faults: 2", 1);
    assert!(text.contains("engine second has failed 2 times"), "{text}");
    assert_eq!(lab.journal().len(), 5, "the first game after the second fault is the last");
}

#[test]
fn engine_has_time_to_exit_after_quit() {
    let lab = Lab::new("ok", "ok").with("games: 2\nconcurrency: 1");
    let file = lab.path("learnt");
    let lab = lab.engine(1, &format!("ok ms=3000 quits={}", file.display()), "");
    let output = lab.run("match", &[]).exits(0);
    assert_eq!(fs::read_to_string(&file).unwrap(), "learnt\nlearnt\n", "of the trial and of the run");
    assert!(!stderr(&output).contains("was killed"), "{}", stderr(&output));
    // One that does not exit is reported.
    let lab = Lab::new("ok", &format!("ok ms=600000 quits={}", file.display()))
        .with("games: 2\nconcurrency: 1\nwatchdog: { quit: 0.5 }");
    let output = lab.run("match", &[]).exits(0);
    let notice = "second did not exit within 0.5 s after `quit` and was killed";
    assert_eq!(stderr(&output).matches(notice).count(), 2, "{}", stderr(&output));
}

/// Ten remarks are kept, and the refusal comes after them.
#[test]
fn refused_option_is_found_after_many_remarks() {
    let lab = Lab::new("ok", "ok").engine(1, "ok", ", options: { Hash: 61 }").with("games: 2");
    let output = lab.run("match", &[]).exits(2);
    let expected = "engines[1].options.Hash: refused by the engine `second`: no memory";
    output.stderr_has(expected);
}

#[test]
fn replay_keeps_options_whose_names_share_words() {
    let options = "option=Piece_value_Knight_type_spin_default_1_min_1_max_99 option=Piece_value_Pawn_type_spin_default_1_min_1_max_99";
    let lab = Lab::new("ok", "").engine(
        1,
        &format!("crash after=1 {options}"),
        ", options: { Piece value Knight: 5, Piece value Pawn: 90 }",
    );
    let lab = lab.with("games: 2\nconcurrency: 1");
    lab.run("match", &[]).exits(0);
    let replay = fs::read_to_string(lab.run_dir().join("faults/game-1.replay.yaml")).unwrap();
    for line in ["Piece value Knight value 5", "Piece value Pawn value 90"] {
        assert!(replay.contains(&format!("- setoption name {line}\n")), "{replay}");
    }
    assert!(replay.contains("\nsyncs: true\n"), "{replay}");
}
