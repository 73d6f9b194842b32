//! Process tests of opening sets: scores, material, uniqueness and reproducibility.

use std::collections::HashSet;
use std::fs;
use std::process::Stdio;
use std::time::Duration;

use crate::common::{Exits, Has, await_that, expect_code, fake_engine, signalled, stderr, workshop};
use rustix::process::{Pid, Signal, kill_process};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};

fn recipe(dir: &std::path::Path, engine: &str, concurrency: u32) -> std::path::PathBuf {
    recipe_with(dir, engine, concurrency, "limit: 50")
}

/// Writes a recipe with these fields for the scores.
fn recipe_with(dir: &std::path::Path, engine: &str, concurrency: u32, scores: &str) -> std::path::PathBuf {
    let command = fake_engine();
    let text = format!(
        "engine: {{ name: judge, command: {command}, args: [{engine}] }}\noutput: set.epd\ncount: 40\nnodes: 100\n\
         {scores}\nplies: {{ min: 2, max: 5 }}\nseed: 11\nconcurrency: {concurrency}\n"
    );
    let file = dir.join("recipe.yaml");
    fs::write(&file, text).unwrap();
    file
}

#[test]
fn same_configuration_gives_the_same_valid_set() {
    let dir = tempfile::tempdir().unwrap();
    let mut sets = Vec::new();
    for concurrency in [1, 4] {
        workshop(&["openings"]).arg(recipe(dir.path(), "ok, cp=-50", concurrency)).exits(0);
        sets.push(fs::read_to_string(dir.path().join("set.epd")).unwrap());
    }
    assert_eq!(sets[0], sets[1]);
    let mut seen = HashSet::new();
    for (index, line) in sets[0].lines().enumerate() {
        assert!(
            line.contains(" ce -50; ") && line.ends_with(&format!("id \"set.{}\";", index + 1)),
            "{line}"
        );
        let fields: Vec<&str> = line.split_whitespace().take(4).collect();
        assert!(seen.insert(fields.clone()), "{line}");
        let fen: Fen = fields.join(" ").parse().unwrap();
        let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        assert!(!position.is_check() && !position.legal_moves().is_empty());
    }
    assert_eq!(seen.len(), 40);
}

#[test]
fn incomplete_set_is_not_written() {
    let dir = tempfile::tempdir().unwrap();
    for (engine, expected) in [("ok, cp=51", "only 0 of 40 openings"), ("crash", "was killed by signal 6")] {
        workshop(&["openings"]).arg(recipe(dir.path(), engine, 2)).exits(1).stderr_has(expected);
        assert!(!dir.path().join("set.epd").exists());
    }
}

#[test]
fn options_that_the_engine_lacks_or_refuses_are_errors_of_the_configuration() {
    let dir = tempfile::tempdir().unwrap();
    let file = recipe(dir.path(), "ok, cp=0", 2);
    let text = fs::read_to_string(&file).unwrap();
    let run = |options: &str| {
        fs::write(&file, text.replace("name: judge", &format!("name: judge, options: {{ {options} }}")))
            .unwrap();
        workshop(&["openings"]).arg(&file).output().unwrap()
    };
    for (options, expected) in [
        ("Hsh: 8", "engine.options.Hsh: the engine `judge` has no option of this name; did you mean `Hash`?"),
        ("Hash: 0", "engine.options.Hash: `0` is not valid for the engine `judge`: expected "),
    ] {
        let output = run(options).exits(2);
        let error = stderr(&output);
        assert!(error.starts_with(&format!("error: {}:1:", file.display())), "{error}");
        assert!(error.contains(expected), "{error}");
        assert!(!dir.path().join("set.epd").exists());
    }
    let output = run("OwnBook: false").exits(0);
    let warning = "judge: the engine has no option `OwnBook`; it is not sent";
    output.stderr_has(warning);
}

#[test]
fn configuration_is_not_replaced_by_the_openings() {
    let dir = tempfile::tempdir().unwrap();
    let file = recipe(dir.path(), "ok, cp=0", 2);
    let text = fs::read_to_string(&file).unwrap();
    let out = dir.path().join(".").join("recipe.yaml");
    for args in [["--out", out.to_str().unwrap()], ["--set", "output=recipe.yaml"]] {
        let output = workshop(&["openings"]).arg(&file).args(args).exits(2);
        let expected = "recipe.yaml: expected another output than an input file";
        output.stderr_has(expected);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn suspension_of_the_harness_loses_no_openings() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let recipe = recipe(dir.path(), &format!("slow, ms=50, log={}", log.display()), 2);
    let mut command = workshop(&["openings"]);
    let child = command.arg(recipe).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    await_that("searches", || {
        fs::read_to_string(&log).is_ok_and(|text| text.matches("go nodes").count() > 4)
    });
    // Almost always in a search, because each takes 50 ms.
    kill_process(Pid::from_child(&child), Signal::STOP).unwrap();
    std::thread::sleep(Duration::from_millis(2500));
    signalled(child, Signal::CONT).exits(0);
    assert_eq!(positions(&dir.path().join("set.epd")).len(), 40);
}

/// Returns the positions of a set with the score of the side to move.
fn positions(file: &std::path::Path) -> Vec<(Chess, String)> {
    let text = fs::read_to_string(file).unwrap();
    let parse = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().take(4).collect();
        let fen: Fen = fields.join(" ").parse().unwrap();
        let score = line.split(" ce ").nth(1).unwrap().split(';').next().unwrap().to_owned();
        (fen.into_position(CastlingMode::Standard).unwrap(), score)
    };
    text.lines().map(parse).collect()
}

#[test]
fn score_window_selects_the_side_with_the_advantage() {
    let dir = tempfile::tempdir().unwrap();
    let window = "score: { side: white, min: 90, max: 130 }";
    // The engine sees the side to move 100 centipawns ahead, so White is ahead where White moves.
    let recipe = recipe_with(dir.path(), "ok, cp=100", 2, window);
    workshop(&["openings"]).arg(recipe).exits(0);
    let found = positions(&dir.path().join("set.epd"));
    assert_eq!(found.len(), 40);
    assert!(found.iter().all(|(position, score)| position.turn().is_white() && score == "100"));
}

#[test]
fn second_search_decides_and_its_score_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let set = dir.path().join("set.epd");
    let window = "score: { min: 90, max: 130 }\nverify: 5000";
    for (cp_of_verification, accepted) in [(120, true), (131, false)] {
        let engine = format!("ok, cp=100, long-cp={cp_of_verification}");
        let recipe = recipe_with(dir.path(), &engine, 2, window);
        let output = workshop(&["openings"]).arg(recipe).output().unwrap();
        expect_code(&output, i32::from(!accepted));
        if accepted {
            assert!(positions(&set).iter().all(|(_, score)| score == "120"));
            fs::remove_file(&set).unwrap();
        } else {
            output.stderr_has("only 0 of 40 openings");
            assert!(!set.exists());
        }
    }
}

#[test]
fn equal_material_leaves_out_positions_with_captures_on_one_side() {
    let dir = tempfile::tempdir().unwrap();
    let is_equal = |position: &Chess| {
        let material = position.board().material();
        material.white == material.black
    };
    let made = |more: &str| {
        let scores = format!("limit: 50\n{more}");
        let text = fs::read_to_string(recipe_with(dir.path(), "ok, cp=0", 2, &scores)).unwrap();
        let file = dir.path().join("long.yaml");
        fs::write(&file, text.replace("min: 2, max: 5", "min: 10, max: 16")).unwrap();
        workshop(&["openings"]).arg(file).exits(0);
        positions(&dir.path().join("set.epd"))
    };
    assert!(made("").iter().any(|(position, _)| !is_equal(position)), "captures happen");
    assert!(made("equal_material: true").iter().all(|(position, _)| is_equal(position)));
}
