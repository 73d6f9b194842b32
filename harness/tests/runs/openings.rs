//! Process tests of opening sets: balance, uniqueness and reproducibility.

use std::collections::HashSet;
use std::fs;

use crate::common::{expect_code, harness, stderr};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};

fn recipe(dir: &std::path::Path, engine: &str, concurrency: u32) -> std::path::PathBuf {
    let command = env!("CARGO_BIN_EXE_fake-engine");
    let text = format!(
        "engine: {{ name: judge, command: {command}, args: [{engine}] }}\noutput: set.epd\ncount: 40\nnodes: 100\n\
         limit: 50\nplies: {{ min: 2, max: 5 }}\nseed: 11\nconcurrency: {concurrency}\n"
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
        let output =
            harness(&["openings"]).arg(recipe(dir.path(), "ok, cp=-50", concurrency)).output().unwrap();
        expect_code(&output, 0);
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
        let output = harness(&["openings"]).arg(recipe(dir.path(), engine, 2)).output().unwrap();
        expect_code(&output, 1);
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert!(!dir.path().join("set.epd").exists());
    }
}
