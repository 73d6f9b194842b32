//! Process tests of `harness tune-eval`: weights and summary from games.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::common::{expect_code, harness, stderr, stdout};
use serde_json::Value;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Color, Position};
use stretto_harness::SplitMix64;

/// Returns random games won by the side with more material at the end; the recorded score is the
/// mover's material.
fn games(count: u64) -> String {
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
            let _ = write!(text, "{san} {{{lead:+}.00/1 0.000s}} ");
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
        let output = harness(&["tune-eval", "--concurrency", threads, "--out"])
            .arg(&run)
            .arg(&config)
            .output()
            .unwrap();
        expect_code(&output, 0);
        assert!(stderr(&output).contains("epoch   1/4"), "{}", stderr(&output));
        assert!(stdout(&output).contains("validation loss"), "{}", stdout(&output));
        written.push(fs::read_to_string(run.join("weights.rs")).unwrap());

        let summary: Value = serde_json::from_slice(&fs::read(run.join("summary.json")).unwrap()).unwrap();
        assert_eq!(summary["games"], 300);
        assert!(summary["positions"].as_u64().unwrap() > 1000, "{summary}");
        let loss = |when: &str| summary[when]["training"].as_f64().unwrap();
        assert!(loss("after") < loss("before"), "{summary}");
        assert_eq!(summary["blake3"][0].as_str().unwrap().len(), 64);
        assert!(summary["scale"].as_f64().unwrap() > 0.0 && summary["outcome"]["spread"].as_f64().is_some());
    }
    assert_eq!(written[0], written[1]);
    assert!(written[0].contains("MATERIAL: Material[5] {"), "{}", written[0]);

    let finished = harness(&["tune-eval", "--resume"]).arg(dir.path().join("one")).output().unwrap();
    expect_code(&finished, 0);
    assert!(!stderr(&finished).contains("epoch"), "nothing is left to do: {}", stderr(&finished));
    assert!(stdout(&finished).contains("validation loss"), "{}", stdout(&finished));

    // An interrupted fit is reported as one.
    let file = dir.path().join("two/summary.json");
    let text = fs::read_to_string(&file).unwrap();
    let interrupted = text.replace("\"is_interrupted\": false", "\"is_interrupted\": true");
    assert_ne!(text, interrupted);
    fs::write(&file, interrupted).unwrap();
    expect_code(&harness(&["report"]).arg(dir.path().join("two")).output().unwrap(), 0);
    let report = fs::read_to_string(dir.path().join("two/report.md")).unwrap();
    assert!(report.contains(", interrupted: best weights so far"), "{report}");

    let again = harness(&["tune-eval", "--out"]).arg(dir.path().join("one")).arg(&config).output().unwrap();
    expect_code(&again, 1);
    assert!(stderr(&again).contains("one"), "{}", stderr(&again));
}

#[test]
fn invalid_input_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let run = |text: &str, more: &str| {
        fs::write(dir.path().join("games.pgn"), text).unwrap();
        let config = config(dir.path(), more);
        harness(&["tune-eval", "--out"]).arg(dir.path().join("run")).arg(config).output().unwrap()
    };
    for (text, more, code, expected) in [
        ("", "speed: 3\n", 2, "unknown field `speed`"),
        ("", "blend: 2\n", 2, "blend: 2: expected 0 to 1"),
        ("", "", 1, "0 training and 0 validation positions: expected at least one of each"),
        ("1. e4 e5 2. Ke3 1-0\n", "", 1, "games.pgn: game 1, line 1: ply 3"),
    ] {
        let output = run(text, more);
        expect_code(&output, code);
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert!(!dir.path().join("run/weights.rs").exists());
    }
}
