//! Process tests of match tools: report, plan, replay, command lines of other tools, and doctor.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::common::{BOOK, Exits, Has, Lab, examination, harness, stderr, stdout};
use serde_json::Value;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn finished_match_has_a_report() {
    let lab = Lab::new("ok", "crash after=3 seed=4")
        .and("<b>bold</b> | bar", "ok")
        .with("games: 12\nconcurrency: 2");
    lab.run("match", &[]).exits(0);
    let read = |name: &str| fs::read_to_string(lab.run_dir().join(name)).unwrap();
    assert!(lab.summary()["game_seconds"].as_f64().unwrap() > 0.0, "{}", lab.summary());
    let (html, markdown) = (read("report.html"), read("report.md"));
    assert!(html.contains("&lt;b&gt;bold&lt;/b&gt;") && !html.contains("<b>bold"), "names are escaped");
    for expected in ["Endings", "crash 24", "Mean time of a move", "6 openings", "<svg"] {
        assert!(html.contains(expected), "{expected}");
    }
    for outside in ["http:", "https:", "<script src"] {
        assert!(!html.contains(outside), "a page is self-contained: {outside}");
    }
    assert!(markdown.contains(r"\<b>bold\</b> \| bar"), "{markdown}");
    assert!(markdown.contains("| crash |"), "{markdown}");
    for report in [html, markdown] {
        assert!(
            report.contains("one drawn game is added to each pairing"),
            "second lost everything: {report}"
        );
    }
}

#[test]
fn perfect_score_has_a_lower_bound_of_elo() {
    let lab = Lab::new("ok", "crash after=1").with("games: 2\nconcurrency: 1");
    lab.run("match", &[]).exits(0);
    let summary = lab.summary();
    let stats = &summary["stats"];
    for estimate in ["elo", "nelo", "los"] {
        assert!(stats[estimate].is_null(), "{stats}");
    }
    let markdown = fs::read_to_string(lab.run_dir().join("report.md")).unwrap();
    // One pair: a score of at least 0.05 with 95 % confidence.
    assert!(markdown.contains("| Elo | no estimate, all games won (95 %: above -511.5) |"), "{markdown}");
    assert!((stats["elo_interval"]["low"].as_f64().unwrap() + 511.5).abs() < 0.1, "{stats}");
    for name in ["normalized Elo", "likelihood of superiority"] {
        assert!(!markdown.contains(name), "{markdown}");
    }
}

#[test]
fn sprt_report_draws_the_llr_path() {
    // One worker: the engines of two workers have the same random numbers, and repeated games end the test.
    let lab = Lab::new("ok cp=900", "ok cp=-900").with(
        "sprt: { elo0: 0, elo1: 50 }\nadjudication: { win: { score: 500, moves: 1 }, max_moves: 12 }\nconcurrency: 1",
    );
    lab.run("sprt", &[]).exits(0);
    let html = fs::read_to_string(lab.run_dir().join("report.html")).unwrap();
    assert!(html.contains("Log-likelihood ratio") && html.contains("H1: 50 nElo"), "{html}");
    // All games were won: there is no variance to correct with.
    assert!(html.contains("above ") && !html.contains("corrected for stopping"), "{html}");
}

#[test]
fn fault_can_be_replayed() {
    let lab = Lab::new("ok", "crash after=2").with("games: 2\nconcurrency: 1");
    lab.run("match", &[]).exits(0);
    let file = lab.run_dir().join("faults/game-1.replay.yaml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("was killed by signal 6") && text.contains("go nodes 200"), "{text}");
    let replay = |args: &[&str]| harness(&["replay"]).arg(&file).args(args).output().unwrap();
    let again = replay(&["--times", "3"]).exits(1);
    again.stdout_has("failed again in replay 1: the engine was killed by signal 6");
    assert!(!stdout(&again).contains("go nodes"), "quiet: {}", stdout(&again));
    let dialogue = stdout(&replay(&["--verbose"]));
    assert!(
        dialogue.contains("go nodes 200") && dialogue.contains("assertion failed: everything"),
        "{dialogue}"
    );
    again.stderr_has("second: recorded: Black's engine was killed");
    replay(&["--patience", "1e19"]).exits(2).stderr_has("expected 0 to 86400 seconds");
    let here = std::env::current_dir().unwrap().display().to_string();
    assert!(text.contains(&format!("working_dir: {here}\n")), "{text}");
    fs::write(&file, text.replace(&format!("working_dir: {here}\n"), "working_dir: /no/such/folder\n"))
        .unwrap();
    replay(&[]).exits(1).stderr_has("/no/such/folder is missing");
    // Its build may have been deleted.
    fs::write(&file, text.replace(env!("CARGO_BIN_EXE_fake-engine"), "/no/such/build/engine")).unwrap();
    let gone = replay(&[]).exits(2);
    gone.stderr_has("no such program `/no/such/build/engine`").stderr_has("give --engine PATH");
    // After a fix it answers every search.
    fs::write(&file, text.replace("- crash", "- ok")).unwrap();
    let mended = replay(&[]).exits(0);
    replay(&["--times", "0"]).exits(2).stderr_has("--times");
    mended.stdout_has("no failure in ");
    fs::write(&file, "v: 3").unwrap();
    replay(&[]).exits(2).stderr_has("game-1.replay.yaml: not a replay");
}

#[test]
fn replay_of_another_engine_tells_its_failure_from_the_recorded_one() {
    let lab = Lab::new("ok", "illegal after=2").with("games: 2\nconcurrency: 1");
    lab.run("match", &[]).exits(0);
    let file = lab.run_dir().join("faults/game-1.replay.yaml");
    let engine = |mode: &str| {
        let path = lab.path(mode);
        let text = format!("#!/bin/sh\nexec {} {mode}\n", env!("CARGO_BIN_EXE_fake-engine"));
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    };
    let replay = |engine: &Path| {
        harness(&["replay", "--times", "2"]).arg(&file).arg("--engine").arg(engine).output().unwrap()
    };
    for (mode, code, expected) in [
        ("illegal", 1, "failed again in replay 1: illegal move a1a1\n"),
        (
            "crash",
            125,
            "failed differently in replay 1: the engine was killed by signal 6; recorded: Black plays an illegal move: `a1a1`\n",
        ),
        ("exit-at-start", 125, "failed differently in replay 1: "),
        ("ok", 0, "no failure in 2 replays"),
    ] {
        let output = replay(&engine(mode)).exits(code);
        assert!(stdout(&output).contains(expected), "{mode}: {}", stdout(&output));
    }
    // `git bisect run` skips commits without the program.
    replay(&lab.path("absent")).exits(125).stderr_has("--engine: no such engine");
}

#[test]
fn replayed_moves_are_checked_for_legality() {
    for (mode, expected) in [
        ("illegal", "illegal move a1a1"),
        ("null", "illegal move 0000"),
        ("empty", "no move after `bestmove`"),
    ] {
        let lab = Lab::new("ok", &format!("{mode} after=1")).with("games: 2\nconcurrency: 1");
        lab.run("match", &[]).exits(0);
        let file = lab.run_dir().join("faults/game-1.replay.yaml");
        let again = harness(&["replay"]).arg(&file).exits(1);
        let expected = format!("failed again in replay 1: {expected}\n");
        assert!(stdout(&again).ends_with(&expected), "{}", stdout(&again));
    }
}

#[test]
fn replayed_loss_on_time_is_checked_by_the_clock() {
    let lab = Lab::new("ok", "ok");
    let file = lab.path("slow.replay.yaml");
    let text = format!(
        "v: 1\nended: White forfeits on time (3.0 ms over)\n\
         engine: {{ name: slow, program: {}, args: [slow, ms=300] }}\nsetup: []\n\
         searches:\n- lines: [position fen {START}, go wtime 10 btime 10]\n  time_ms: 20\n",
        env!("CARGO_BIN_EXE_fake-engine")
    );
    fs::write(&file, &text).unwrap();
    let replay = || harness(&["replay"]).arg(&file).output().unwrap();
    let again = replay().exits(1);
    let text = stdout(&again);
    assert!(
        text.contains("failed again in replay 1: the last search took ")
            && text.ends_with(", allowed were 20.0 ms\n"),
        "{text}"
    );
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("ms=300", "ms=1").replace("time_ms: 20", "time_ms: 60000")).unwrap();
    let mended = replay().exits(0);
    assert!(stdout(&mended).ends_with(" ms of 60000.0 ms allowed\n"), "{}", stdout(&mended));
}

#[test]
fn replayed_loss_on_a_node_clock_is_checked_by_the_nodes() {
    let nodes = ", options: { nodestime: 100 }";
    let lab = Lab::new("", "").engine(0, "counting", nodes).engine(1, "counting", nodes);
    let lab = lab.with("games: 2\nconcurrency: 1\ntime_control: 0.005\ntime_margin: 0");
    lab.run("match", &[]).exits(0);
    let file = lab.run_dir().join("faults/game-1.replay.yaml");
    let again = harness(&["replay"]).arg(&file).exits(1);
    let expected = "failed again in replay 1: the last search had 100 nodes, allowed were 0\n";
    assert!(stdout(&again).ends_with(expected), "{}", stdout(&again));
}

#[test]
fn fault_at_the_end_of_pondering_is_replayed() {
    let lab = Lab::new("", "ok seed=3").engine(0, "ponder exits-on-stop", ", ponder: true");
    let lab = lab.with("games: 2\nconcurrency: 1\ntime_control: 5");
    lab.run("match", &[]).exits(0);
    let file = lab.run_dir().join("faults/game-1.replay.yaml");
    assert!(fs::read_to_string(&file).unwrap().contains("- go ponder"));
    let again = harness(&["replay"]).arg(&file).exits(1);
    let expected = "failed again in replay 1: the engine exited with code 9\n";
    assert!(stdout(&again).ends_with(expected), "{}", stdout(&again));
}

#[test]
fn faults_of_one_engine_are_tested_for_significance() {
    let lab = Lab::new("ok", "crash after=1").with("games: 12\nconcurrency: 2");
    let output = lab.run("match", &[]).exits(0);
    let expected = "  faults    first 0, second 12 (sign test p = 0.00)";
    output.stdout_has(expected);
}

#[test]
fn plan_plays_no_game() {
    let lab = Lab::new("ok", "ok").with("sprt: { elo0: 0, elo1: 10 }\ntime_control: 2+0.02\nconcurrency: 2");
    let output = lab.run("sprt", &["--plan"]).exits(0);
    let text = stdout(&output);
    assert!(text.contains("H1: 10 nElo against H0: 0 nElo") && text.contains("10465"), "{text}");
    assert!(!lab.run_dir().exists());
    // Two concurrent games of 6 s are 1200 per hour.
    assert!(text.contains("       5.0       50.0 %        10465       8.72"), "{text}");
    let given = stdout(&lab.run("sprt", &["--plan", "--games-per-hour", "5000"]));
    assert!(given.contains("       5.0       50.0 %        10465       2.09"), "{given}");
    let json = stdout(&lab.run("sprt", &["--plan", "--json"]));
    let plan: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(plan["prospects"].as_array().unwrap().len(), 5);
    lab.run("sprt", &["--plan", "--draws", "1.5"]).exits(2);
    lab.run("sprt", &["--draws", "0.5"]).exits(2);
}

#[test]
fn plan_uses_the_statistics_of_an_earlier_run() {
    let lab =
        Lab::new("ok", "slow ms=2 seed=2").with("games: 12\nconcurrency: 2\nadjudication: { max_moves: 4 }");
    lab.run("match", &[]).exits(0);
    let like = lab.run_dir();
    let test = Lab::new("ok", "ok").with("sprt: { model: logistic, elo0: 0, elo1: 10 }\nconcurrency: 2");
    let unknown = test.run("sprt", &["--plan"]);
    unknown.stdout_has("give --games-per-hour or --like RUN");
    // All games are drawn, so there is no variance.
    let output = test.command("sprt", &["--plan", "--like"]).arg(&like).exits(1);
    let same = "all 6 pairs of games have the same score, so the variance is unknown";
    output.stderr_has(same);
    assert!(!stderr(&output).contains("note: "), "both at 200 nodes: {}", stderr(&output));
    let clock =
        Lab::new("ok", "ok").with("sprt: { elo0: 0, elo1: 10 }\ntime_control: 2+0.02\nconcurrency: 2");
    let output = clock.command("sprt", &["--plan", "--like"]).arg(&like).output().unwrap();
    let note = "was played at 200 nodes and the test is at 2+0.02";
    output.stderr_has(note);
    // A win among the draws: five pairs of 1/2 and one of 3/4.
    let journal = like.join("journal.jsonl");
    let drawn = std::fs::read_to_string(&journal).unwrap();
    let one_win = drawn.replacen("\"result\":\"1/2-1/2\"", "\"result\":\"1-0\"", 1);
    std::fs::write(&journal, one_win).unwrap();
    let plan = stdout(&test.command("sprt", &["--plan", "--json", "--like"]).arg(&like).output().unwrap());
    let plan: Value = serde_json::from_str(&plan).unwrap();
    let variance = plan["pace"]["game_variance"].as_f64().unwrap();
    // The mean of a pair has half the variance of one game.
    assert!((variance - 2.0 * 5.0 / 576.0).abs() < 1e-9, "{variance}");
    // Two games are one pair.
    let short = Lab::new("ok", "ok").with("games: 2");
    short.run("match", &[]).exits(0);
    let output = test.command("sprt", &["--plan", "--like"]).arg(short.run_dir()).exits(1);
    output.stderr_has("1 complete pairs of games: expected at least 2");
}

#[test]
fn plan_shows_the_limit_of_max_games() {
    let test = "sprt: { elo0: 0, elo1: 10, max_games: 6000 }\ntime_control: 2+0.02\nconcurrency: 2";
    let lab = Lab::new("ok", "ok").with(test);
    let text = stdout(&lab.run("sprt", &["--plan"]));
    // 1200 games per hour.
    assert!(text.contains("   at most                      6000       5.00\nmax_games ends"), "{text}");
}

#[test]
fn incompatible_arguments_are_rejected() {
    let lab = Lab::new("ok", "ok").with("games: 2");
    for (args, expected) in [
        (&["--print-config"][..], "--from-fastchess"),
        (&["--shard", "3/2"][..], "expected a part of a whole"),
    ] {
        let output = lab.run("match", args).exits(2);
        assert!(stderr(&output).contains(expected), "{args:?}: {}", stderr(&output));
    }
    let config = lab.write_config();
    for id in ["../../esc", "a/b", "..", ""] {
        let output = harness(&["match"]).arg(&config).args(["--run-id", id]).exits(2);
        assert!(stderr(&output).contains("expected a name without `/`"), "{id}: {}", stderr(&output));
    }
    let test = Lab::new("ok", "ok").with("sprt: { elo0: 0, elo1: 10 }");
    for args in [&["--shard", "1/2"][..], &["--plan", "--shard", "1/2"], &["--plan", "--print-config"]] {
        let output = test.run("sprt", args).exits(2);
        let is_explained = stderr(&output).contains("a sequential test cannot be divided");
        assert_eq!(is_explained, args.contains(&"--shard"), "{args:?}: {}", stderr(&output));
        assert!(!stderr(&output).contains("similar argument"), "{args:?}: {}", stderr(&output));
    }
    assert!(!lab.run_dir().exists() && !test.run_dir().exists());
}

#[test]
fn doubtful_settings_are_reported_at_the_start() {
    let lab = Lab::new("ok", "ok")
        .engine(0, "counting", ", options: { nodestime: 100 }")
        .with("games: 2\nconcurrency: 1\ntime_control: 60");
    let config = fs::read_to_string(lab.write_config()).unwrap();
    let file = lab.path("late.yaml");
    fs::write(&file, config.replace("order: sequential", "order: sequential, start: 8")).unwrap();
    let output = harness(&["match"]).arg(file).arg("--out").arg(lab.run_dir()).exits(0);
    let text = stderr(&output);
    assert!(text.contains("the clock of first counts nodes, that of second real time"), "{text}");
    assert!(text.contains("has 6 openings; the book starts again, and 2 are"), "{text}");
}

#[test]
fn fastchess_command_line_is_played() {
    let dir = tempfile::tempdir().unwrap();
    let book = dir.path().join("book.epd");
    fs::write(&book, BOOK).unwrap();
    let (engine, run) = (env!("CARGO_BIN_EXE_fake-engine"), dir.path().join("run"));
    let pgn = dir.path().join("x.pgn");
    let line = format!(
        "fastchess -engine cmd={engine} name=a args=ok -engine cmd={engine} name=b args='ok seed=9' -each nodes=100 \
         -openings file={} order=sequential -rounds 2 -repeat -concurrency 1 -maxmoves 5 -pgnout file={}",
        book.display(),
        pgn.display()
    );
    let plain = line.replace("'ok seed=9'", "ok");
    let words: Vec<&str> = plain.split_whitespace().skip(1).collect();
    let output = harness(&["match", "--out"]).arg(&run).args(["--from-fastchess", &line]).exits(0);
    assert!(!stderr(&output).contains("-pgnout"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(&pgn).unwrap().matches("[Result ").count(), 4);
    assert_eq!(fs::read_to_string(run.join("journal.jsonl")).unwrap().lines().count(), 4);
    let report = fs::read_to_string(run.join("report.md")).unwrap();
    assert!(report.contains("| repeat with | harness match run/config.yaml |"), "{report}");
    let printed = harness(&["match", "--print-config", "--from-fastchess"]).args(&words).exits(0);
    printed.stdout_has("name: b");
    harness(&["match", "--out"])
        .arg(dir.path().join("again"))
        .arg(run.join("config.yaml"))
        .current_dir("/")
        .exits(0);
    let incomplete = harness(&["match", "--print-config", "--from-fastchess"]).args(&words[..7]).exits(2);
    assert!(stdout(&incomplete).is_empty(), "what cannot be played is not printed");
    harness(&["sprt", "--from-fastchess", &line]).exits(2).stderr_has("describes no test: add -sprt elo0=");
    let tested = dir.path().join("tested");
    let line = format!("{line} -sprt elo0=0 elo1=5");
    harness(&["match", "--out"]).arg(&tested).args(["--from-fastchess", &line]).exits(0);
    assert!(fs::read_to_string(tested.join("manifest.yaml")).unwrap().contains("kind: sprt"));
    let parts = harness(&["match", "--shard", "1/2", "--from-fastchess", &line]).exits(2);
    parts.stderr_has("--shard: -sprt describes a test");
    let unknown = harness(&["match", "--from-fastchess", "-frobnicate", "1"]).exits(2);
    unknown.stderr_has("unknown option `-frobnicate`");
}

/// Returns the doctor's findings on a fake engine: subject, grade and text.
fn examined(mode: &str) -> Vec<(String, String, String)> {
    examined_with(mode, &[])
}

/// Returns the doctor's findings with further arguments.
fn examined_with(mode: &str, more: &[&str]) -> Vec<(String, String, String)> {
    let engine = [env!("CARGO_BIN_EXE_fake-engine"), "--arg", mode];
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    examination(&[&engine[..], more].concat())
        .iter()
        .map(|found| (text(&found["check"]), text(&found["grade"]), text(&found["message"])))
        .collect()
}

#[test]
fn doctor_reports_defects_of_an_engine() {
    let found = examined("ok");
    let of = |what: &str| found.iter().find(|found| found.0 == what).unwrap_or_else(|| panic!("{what}"));
    for what in ["introduces itself", "options", "go nodes", "go depth", "a long game", "Chess960", "quit"] {
        assert_eq!(of(what).1, "good", "{:?}", of(what));
    }
    assert_eq!(of("go infinite, stop").1, "bad");
    assert!(of("go infinite, stop").2.contains("answers `go infinite` before `stop`"));
    assert_eq!(of("searchmoves").1, "note");
    assert_eq!(of("repeats itself").1, "note", "it is random");
    assert!(
        of("game over").2.contains("killed by signal") || of("game over").2.contains("exited"),
        "{:?}",
        of("game over")
    );
    let illegal = examined("illegal");
    let nodes = illegal.iter().find(|found| found.0 == "go nodes").unwrap();
    assert!(nodes.1 == "bad" && nodes.2.contains("plays `a1a1`, which is no legal move"), "{nodes:?}");
    let mute = examined("exit-at-start");
    assert_eq!((mute.len(), mute[0].0.as_str(), mute[0].1.as_str()), (1, "start", "bad"));
}

#[test]
fn doctor_gives_up_on_an_engine_that_does_not_answer() {
    // The limit is waited for four times: the timeout of `go nodes` has a finding of its own.
    let found = examined_with("hang", &["--answer-limit", "1"]);
    let unanswered = found.iter().filter(|(.., message)| message.contains("no bestmove within 1 s")).count();
    let nodes = found.iter().find(|(check, ..)| check == "go nodes").unwrap();
    assert!(nodes.2.contains("still searches after 1 s, and hangs a match"), "{nodes:?}");
    let (check, grade, message) = found.last().unwrap();
    assert_eq!((unanswered, check.as_str(), grade.as_str()), (3, "not tried", "note"), "{found:?}");
    assert!(message.ends_with("Chess960, open files"), "{message}");
}

#[test]
fn doctor_reports_second_answers_and_flawed_options() {
    let of = |args: &[&str], check: &str| {
        let found = examined_with("first", args);
        let (_, grade, text) = found.into_iter().find(|(name, ..)| name == check).unwrap();
        (grade, text)
    };
    assert_eq!(of(&[], "one answer").0, "good");
    let again = examined_with("again", &["--arg", "ms=50"]);
    let (_, grade, text) = again.iter().find(|(name, ..)| name == "one answer").unwrap();
    assert!(grade == "bad" && text.contains("a second `bestmove`"), "{text}");
    for (option, grade, text) in [
        ("Flag_type_check_default_maybe", "bad", "`Flag`: default `maybe`: expected true or false"),
        ("Flag_type_check", "bad", "`Flag`: expected a default"),
        ("Flag_type_check_default_True", "note", "declares the default `True` of `Flag`; UCI writes `true`"),
        ("N_type_spin_default_9_min_1_max_5", "bad", "`N`: default `9`: expected a whole number from 1 to 5"),
        ("N_type_spin_default_1", "bad", "`N`: expected min and max"),
        (
            "N_type_spin_default_1_min_0_max_18446744073709551616",
            "bad",
            "expected whole numbers of at most 64 bits",
        ),
        ("N_type_spin_default_1_min_0_max_18446744073709551615", "good", "5 declared"),
        ("C_type_combo_default_x_var_a_var_b", "bad", "`C`: default `x`: expected one of a, b"),
        ("C_type_colour", "bad", "`option name C type colour`: expected `option name NAME"),
    ] {
        let found = of(&["--arg", &format!("option={option}")], "options");
        assert!(found.0 == grade && found.1.contains(text), "{option}: {found:?}");
    }
}

#[test]
fn doctor_excuses_early_stops_and_differences_at_reduced_strength() {
    let weak = ["--arg", "option=UCI_LimitStrength type check default false"];
    for (more, expected) in [(&[][..], "bad"), (&["--option", "UCI_LimitStrength=true"], "note")] {
        let found = examined_with("erratic", &[&weak, more].concat());
        for check in ["go movetime", "two instances (A/A)"] {
            let (_, grade, text) = found.iter().find(|(name, ..)| name == check).unwrap();
            assert_eq!(grade, expected, "{check}: {text}");
        }
    }
}

#[test]
fn doctor_compares_two_instances_at_fixed_nodes() {
    for (mode, expected, text) in [
        ("first", "good", "equal moves, nodes, depths and scores at 20000 nodes; their speeds differ by "),
        ("erratic", "bad", "; results at fixed nodes do not repeat"),
        ("crash", "bad", "was killed by signal 6"),
    ] {
        let found = examined(mode);
        let (_, grade, words) = found.iter().find(|(check, ..)| check == "two instances (A/A)").unwrap();
        assert!(grade == expected && words.contains(text), "{mode}: {grade} {words}");
        assert_eq!(found.last().unwrap().0, "quit", "the last check follows");
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs Linux")]
fn doctor_reports_leaked_descriptors() {
    for (mode, expected, text) in
        [("ok", "good", " open, no more from game to game"), ("leaky", "bad", "leaks files: ")]
    {
        let found = examined(mode);
        let (_, grade, words) = found.iter().find(|(check, ..)| check == "open files").unwrap();
        assert!(grade == expected && words.contains(text), "{mode}: {grade} {words}");
    }
}

#[test]
fn engine_that_ignores_its_limit_is_reported_once() {
    let found = examined("careless");
    for (check, expected_grade, expected) in [
        ("go nodes", "note", "reports 100 nodes where 20000 were asked for"),
        ("go movetime", "bad", "ignores `go movetime`"),
    ] {
        let (_, grade, words) = found.iter().find(|(name, ..)| name == check).unwrap();
        assert!(grade == expected_grade && words.contains(expected), "{check}: {grade} {words}");
    }
    for (mode, expected) in [
        ("careless", "second reports less than half of its limit of 20000 nodes in "),
        ("greedy", "searches used more, up to 181000 nodes"),
    ] {
        let lab = Lab::new("ok", mode).with("games: 6");
        let output = lab.edited("match", |text| text.replace("nodes: 200", "nodes: 20000")).exits(0);
        assert_eq!(stderr(&output).matches("its limit").count(), 1, "{}", stderr(&output));
        output.stdout_has(expected);
        assert!(
            !stdout(&output).contains("first uses") && !stdout(&output).contains("first ignores"),
            "{}",
            stdout(&output)
        );
        let report = harness(&["report"]).arg(lab.run_dir()).output().unwrap();
        report.stdout_has(expected);
    }
}

#[test]
fn strict_doctor_fails_on_defects() {
    let engine = env!("CARGO_BIN_EXE_fake-engine");
    let output = harness(&["doctor", engine, "--arg", "ok", "--only-engine", "--strict"]).exits(1);
    output.stdout_has("BAD findings");
    harness(&["doctor", "no-such-engine", "--only-engine"]).exits(2);
}
