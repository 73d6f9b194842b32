//! Process tests of `workshop tune-eval`: weights and summary from games.

use std::fmt::Write;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use crate::common::{Exits, Has, expect_parts, killed, stderr, stdout, summary_of, workshop};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Color, Position};
use stretto_harness::SplitMix64;

/// Returns random games won by the side with more material at the end; the recorded score is the
/// mover's material.
fn games(count: u64) -> String {
    scaled_games(count, 1)
}

/// Returns the same games with scores that are `scale` times as large.
fn scaled_games(count: u64, scale: i32) -> String {
    let mut random = SplitMix64::new(3);
    let mut text = String::new();
    for _ in 0..count {
        let mut position = Chess::default();
        let _ = writeln!(text, "[Event \"test\"]\n");
        for _ in 0..60 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len() as u64) as usize];
            let lead = match position.turn() {
                Color::White => material(&position),
                Color::Black => -material(&position),
            };
            let san = SanPlus::from_move_and_play_unchecked(&mut position, mv);
            let _ = write!(text, "{san} {{{:+}.00/1 0.000s}} ", lead * scale);
        }
        let result = match material(&position).signum() {
            1 => "1-0",
            0 => "1/2-1/2",
            _ => "0-1",
        };
        let _ = writeln!(text, "{result}\n");
    }
    text
}

/// Returns White's material minus Black's. Units: pawns.
fn material(position: &Chess) -> i32 {
    let count = |color| {
        let side = position.board().material_side(color);
        let pieces = [(side.pawn, 1), (side.knight, 3), (side.bishop, 3), (side.rook, 5), (side.queen, 9)];
        pieces.into_iter().map(|(count, value)| i32::from(count) * value).sum::<i32>()
    };
    count(Color::White) - count(Color::Black)
}

fn config(dir: &Path, more: &str) -> std::path::PathBuf {
    let file = dir.join("tune.yaml");
    let text = format!(
        "games: [games.pgn]\ntraining: {{ epochs: 4, batch: 256, patience: 4 }}\nvalidation: 0.2\nseed: 5\n{more}"
    );
    fs::write(&file, text).unwrap();
    file
}

#[test]
fn same_games_give_the_same_weights() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("games.pgn"), games(300)).unwrap();
    let config = config(dir.path(), "");
    let mut written = Vec::new();
    for (name, threads) in [("one", "1"), ("two", "3")] {
        let run = dir.path().join(name);
        let output =
            workshop(&["tune-eval", "--concurrency", threads, "--out"]).arg(&run).arg(&config).exits(0);
        output.stderr_has("epoch   1/4").stdout_has("| validation |");
        written.push(fs::read_to_string(run.join("weights.rs")).unwrap());

        let summary = summary_of(&run);
        assert_eq!(summary["games"], 300);
        assert!(summary["positions"].as_u64().unwrap() > 1000, "{summary}");
        let loss = |when: &str| summary[when]["training"].as_f64().unwrap();
        assert!(loss("after") < loss("before"), "{summary}");
        assert_eq!(summary["blake3"][0].as_str().unwrap().len(), 64);
        assert!(summary["scale"].as_f64().unwrap() > 0.0 && summary["recorded_scale"].as_f64().is_some());
    }
    assert_eq!(written[0], written[1]);
    assert!(written[0].contains("MATERIAL: Material[5] {"), "{}", written[0]);

    let finished = workshop(&["tune-eval", "--resume"]).arg(dir.path().join("one")).exits(0);
    assert!(!stderr(&finished).contains("epoch"), "nothing is left to do: {}", stderr(&finished));
    finished.stdout_has("| validation |").stdout_has("\nweights written to ");
    fs::remove_file(dir.path().join("one/weights.rs")).unwrap();
    let finished = workshop(&["tune-eval", "--resume"]).arg(dir.path().join("one")).output().unwrap();
    finished.stdout_has("\nweights are missing: ");

    // An interrupted fit is reported as one.
    let file = dir.path().join("two/summary.json");
    let text = fs::read_to_string(&file).unwrap();
    let interrupted = text.replace("\"is_interrupted\": false", "\"is_interrupted\": true");
    assert_ne!(text, interrupted);
    fs::write(&file, interrupted).unwrap();
    workshop(&["report"]).arg(dir.path().join("two")).exits(0);
    let report = fs::read_to_string(dir.path().join("two/report.md")).unwrap();
    assert!(report.contains(", interrupted: best weights so far"), "{report}");

    workshop(&["tune-eval", "--out"]).arg(dir.path().join("one")).arg(&config).exits(1).stderr_has("one");
}

#[test]
fn scores_after_tags_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let plain = games(100);
    // The score comes first in a comment, or after the tags of `pgn: [tags]`.
    let tagged = plain.replace('{', "{[%eval 0.12] [%clk 0:00:01.998] ");
    let fitted = |text: &str| {
        fs::write(dir.path().join("games.pgn"), text).unwrap();
        let output = workshop(&["fit-wdl"]).arg(dir.path().join("games.pgn")).exits(0);
        stdout(&output)
    };
    let expected = fitted(&plain);
    assert!(expected.contains(" scores of 100 games\neven: Trend { value: "), "{expected}");
    assert!(
        expected.contains(", nodes: 0.000 },\n") && expected.contains("\n       -     60-79 "),
        "{expected}"
    );
    assert_eq!(fitted(&tagged), expected);
}

/// Returns the games with the scores of Black's moves negated, so that all are White's.
fn by_white(games: &str) -> String {
    let negated = |(index, part): (usize, &str)| match part.split_at_checked(1) {
        Some((sign @ ("+" | "-"), rest)) if index % 2 == 0 => {
            format!("{}{rest}", if sign == "+" { "-" } else { "+" })
        }
        _ => part.to_owned(),
    };
    let line = |line: &str| line.split('{').enumerate().map(negated).collect::<Vec<_>>().join("{");
    games.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn scores_that_do_not_predict_the_results_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("games.pgn");
    fs::write(&file, by_white(&games(100))).unwrap();
    let refused = workshop(&["fit-wdl"]).arg(&file).exits(1);
    refused.stderr_has("are the scores those of the side to move?");
    assert_eq!(stdout(&refused), "");
    let config = config(dir.path(), "");
    let out = dir.path().join("run");
    let refused = workshop(&["tune-eval", "--out"]).arg(out).arg(&config).exits(1);
    refused.stderr_has("are the scores those of the side to move?");
}

#[test]
fn nodes_per_move_are_part_of_the_win_draw_loss_model() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name).display().to_string();
    // The same results at half of the scores: the longer search is more certain.
    fs::write(file("short.pgn"), scaled_games(100, 2)).unwrap();
    fs::write(file("long.pgn"), games(100)).unwrap();
    let run = |files: &[String]| workshop(&["fit-wdl"]).args(files).output().unwrap();
    let output =
        run(&[format!("1000={}", file("short.pgn")), format!("50000={}", file("long.pgn"))]).exits(0);
    let text = stdout(&output);
    assert!(text.contains("\n    1000     60-78 ") && text.contains("\n   50000     60-79 "), "{text}");
    let spread = text.lines().find(|line| line.starts_with("spread")).unwrap();
    assert!(spread.contains("nodes: -"), "{text}");

    let twice = run(&[format!("1000={}", file("long.pgn")), format!("50000={}", file("long.pgn"))]).exits(2);
    twice.stderr_has("long.pgn: this file is given twice");
    fs::write(file("cut.pgn"), games(100) + "\n1. e4 *\n\n1. d4 d").unwrap();
    run(&[file("cut.pgn")]).exits(0).stderr_has("skipped 2 games without a result");
    let mixed = run(&[format!("1000={}", file("short.pgn")), file("long.pgn")]).exits(2);
    mixed.stderr_has("long.pgn: expected NODES=FILE");
    fs::write(file("empty.pgn"), "").unwrap();
    run(&[file("empty.pgn")]).exits(1).stderr_has("too few scores");
}

#[test]
fn too_few_scores_for_the_blend_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    // Without comments there are no scores.
    let text = games(50);
    let words: Vec<&str> = text.split_inclusive(['{', '}']).collect();
    let bare: String =
        words.iter().filter(|word| !word.ends_with('}')).map(|word| word.trim_end_matches('{')).collect();
    fs::write(dir.path().join("games.pgn"), bare).unwrap();
    let warning =
        "found 0 recorded scores within 1000 centipawns, expected at least 1000: `blend` has no effect";
    let remark = "too few recorded scores: `blend` had no effect, the targets are the results";
    for (name, more, is_expected) in [("blended", "", true), ("results", "blend: 0\n", false)] {
        let config = config(dir.path(), more);
        let run = dir.path().join(name);
        let output = workshop(&["tune-eval", "--out"]).arg(&run).arg(&config).exits(0);
        assert_eq!(stderr(&output).contains(warning), is_expected, "{}", stderr(&output));
        assert_eq!(stdout(&output).contains(remark), is_expected, "{}", stdout(&output));
        let report = fs::read_to_string(run.join("report.md")).unwrap();
        assert_eq!(report.contains(remark), is_expected, "{report}");
    }
}

/// Resumes the fit in a folder, and interrupts it after its first epoch.
fn resume_and_interrupt(run: &Path) -> String {
    let mut command = workshop(&["tune-eval", "--resume"]);
    let mut child = command.arg(run).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut messages = String::new();
    let mut is_sent = false;
    for line in BufReader::new(child.stderr.take().unwrap()).lines() {
        let line = line.unwrap();
        if !is_sent && line.starts_with("epoch ") {
            kill_process(Pid::from_child(&child), Signal::INT).unwrap();
            is_sent = true;
        }
        messages.push_str(&line);
        messages.push('\n');
    }
    assert_eq!(child.wait().unwrap().code(), Some(3), "{messages}");
    messages
}

#[test]
fn interrupted_fit_replaces_the_stored_weights_only_by_better_ones() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("games.pgn"), games(100)).unwrap();
    let config = config(dir.path(), "");
    let recipe = fs::read_to_string(&config).unwrap();
    fs::write(
        &config,
        recipe.replace("epochs: 4, batch: 256, patience: 4", "epochs: 100000, batch: 64, patience: 100000"),
    )
    .unwrap();
    let run = dir.path().join("run");
    // A run without a summary: the fit was stopped before it began.
    let mut command = workshop(&["tune-eval", "--out"]);
    let mut child =
        command.arg(&run).arg(&config).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    lines.find(|line| line.as_ref().unwrap().starts_with("epoch ")).unwrap().unwrap();
    killed(child);
    workshop(&["report"]).arg(&run).exits(0).stdout_has("has no weights yet");
    let kept = "interrupted before it became better than the stored one, which is kept";
    assert!(!resume_and_interrupt(&run).contains(kept), "nothing is stored");
    let (weights, summary) = (run.join("weights.rs"), run.join("summary.json"));
    let text = fs::read_to_string(&summary).unwrap();
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["is_interrupted"], true);
    let store = |loss: f64| {
        let mut stored = found.clone();
        stored["after"]["validation"] = loss.into();
        fs::write(&summary, stored.to_string()).unwrap();
        fs::write(&weights, "of the stored fit").unwrap();
    };
    store(0.0);
    let stored = fs::read_to_string(&summary).unwrap();
    assert!(resume_and_interrupt(&run).contains(kept));
    assert_eq!(fs::read_to_string(&weights).unwrap(), "of the stored fit");
    assert_eq!(fs::read_to_string(&summary).unwrap(), stored);
    store(9.0);
    assert!(!resume_and_interrupt(&run).contains(kept));
    assert!(fs::read_to_string(&weights).unwrap().contains("MATERIAL"));
}

#[test]
fn invalid_input_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let run = |text: &str, more: &str| {
        fs::write(dir.path().join("games.pgn"), text).unwrap();
        let config = config(dir.path(), more);
        workshop(&["tune-eval", "--out"]).arg(dir.path().join("run")).arg(config).output().unwrap()
    };
    for (text, more, code, expected) in [
        ("", "speed: 3\n", 2, "unknown field `speed`"),
        ("", "blend: 2\n", 2, "blend: 2: expected 0 to 1"),
        ("", "", 1, "0 training and 0 validation positions: expected at least one of each"),
        ("1. e4 e5 2. Ke3 1-0\n", "", 1, "games.pgn: game 1, line 1: ply 3"),
    ] {
        run(text, more).exits(code).stderr_has(expected);
        assert!(!dir.path().join("run/weights.rs").exists());
    }
}

/// Returns a test set: 60 rook endings of 20 games whose deep scores are White's pawns, and as many positions of the other phases.
fn test_set() -> String {
    let mut text = "game\tresult\told\tstockfish\tstockfish static\tfen\n".to_owned();
    for number in 0..60 {
        let pawns = |count: usize| "P".repeat(count) + &(8 - count).to_string().replace('0', "");
        let lead = number % 7;
        let result = ["1/2-1/2", "1/2-1/2", "1/2-1/2", "1-0", "1-0", "1-0", "1-0"][lead];
        for black in ["4k3/1r3ppp/8/8", "r1bqkb2/pppppppp/8/8", "rnbqkbnr/pppppppp/8/8"] {
            let white = if black.contains('n') { "RNBQKBNR" } else { "1R2K3" };
            let score = 90 * lead;
            let fen = format!("{black}/8/8/{}/{white} w - - {number} 40", pawns(lead + 1));
            let _ = writeln!(text, "{}\t{result}\t{score}\t{}\t{}\t{fen}", number / 3, score / 2, score / 3);
        }
    }
    text
}

#[test]
fn eval_error_compares_networks_with_deep_scores() {
    let dir = tempfile::tempdir().unwrap();
    let [set, endings] = ["set.tsv", "endings.epd"].map(|name| dir.path().join(name));
    fs::write(&set, test_set()).unwrap();
    fs::write(
        &endings,
        "8/8/8/8/8/2k5/8/K2R4 w - - c9 \"1-0\";\n8/8/8/3k4/8/8/3P4/3K4 b - - c9 \"1/2-1/2\";\n",
    )
    .unwrap();
    let run = |args: &[&str]| {
        let mut command = workshop(&["eval-error", "--positions"]);
        command.arg(&set).arg("--endings").arg(&endings).args(args).output().unwrap()
    };
    let output = run(&[]).exits(0);
    let text = stdout(&output);
    let head = "| pieces: error (old / stockfish) | positions | games | network | network, scaled | classical | stockfish static |";
    let parts = [
        head,
        "| below 16 | 60 | 20 | ",
        "| rook endings | 60 | 20 | ",
        "| for both engines | ",
        "| network, win | 1 | ",
    ];
    expect_parts(&text, &parts);
    assert_eq!(stdout(&run(&[])), text, "the intervals are reproducible");

    let network = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/networks/stretto.network");
    let network = network.to_str().unwrap();
    let both = run(&["--network", network, "--network", network, "--format", "json"]).exits(0);
    let json: Value = serde_json::from_slice(&both.stdout).unwrap();
    assert_eq!(json["names"]["columns"].as_array().unwrap().len(), 6);
    for row in json["errors"].as_array().unwrap() {
        let columns = row["columns"].as_array().unwrap();
        assert_eq!(
            (&columns[0]["value"], &columns[1]["value"]),
            (&columns[2]["value"], &columns[3]["value"])
        );
        assert_eq!(columns[2]["difference"], serde_json::json!({ "value": 0.0, "low": 0.0, "high": 0.0 }));
        // The static scores of the file are a third of the second engine's, so they have the same curve.
        assert!(columns[5]["further"][1].as_f64().unwrap() < 1.0, "{row}");
    }

    fs::write(&set, test_set().replace("\t45\t", "\tx\t")).unwrap();
    run(&[]).exits(1).stderr_has("set.tsv:5: column 4: `x` is no whole number");
}

#[test]
fn shipped_test_set_is_complete() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let output = workshop(&["eval-error", "--format", "json"]).current_dir(&root).exits(0);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let positions = |row: &Value| row["positions"].as_u64().unwrap();
    let errors = json["errors"].as_array().unwrap();
    assert!(errors[..3].iter().all(|phase| positions(phase) >= 700), "{errors:?}");
    let won_and_drawn = json["endings"][0][1].as_array().unwrap();
    assert!(won_and_drawn.iter().all(|sums| positions(sums) == 500), "{won_and_drawn:?}");
}
