//! The games in the report of a match: listed with faults first, with moves, scores and clocks for the board.

use std::fs;

use serde_json::Value;

use crate::common::{Exits, Lab, harness, stdout};

/// Returns the games that a page contains for its board.
fn embedded(page: &str) -> Vec<Value> {
    let data = page.split_once("<script id=\"games-data\" type=\"application/json\">").expect("games").1;
    serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn report_of_a_match_contains_its_games() {
    let lab = Lab::new("play seed=1", "play seed=2").with("games: 6\ntime_control: 10+0.5");
    lab.run("match", &[]).exits(0);
    let page = fs::read_to_string(lab.run_dir().join("report.html")).unwrap();
    assert!(page.contains(
        "<p>6 games. Choose a game to see its moves on a board. All games: <a href=\"games.pgn\">"
    ));
    let (games, mut journal) = (embedded(&page), lab.journal());
    journal.sort_by_key(|game| game.game);
    assert_eq!((games.len(), page.matches("href=\"#game-").count()), (6, 6));
    for game in &games {
        let number = game["number"].as_u64().unwrap();
        let record = &journal[number as usize - 1];
        let moves: Vec<&str> = record.moves.iter().map(|played| played.text.as_str()).collect();
        assert_eq!(game["uci"], moves.join(" "), "{number}");
        let count = |field: &str| game[field].as_str().unwrap().split(' ').count();
        for field in ["san", "scores", "depths", "times", "clocks"] {
            assert_eq!(count(field), moves.len(), "{number}: {field}");
        }
        assert_eq!(game["start"], serde_json::json!([10_000, 10_000]));
        // The moves stand in games.pgn as they stand here.
        let san: Vec<&str> = game["san"].as_str().unwrap().split(' ').collect();
        let pgn = lab.pgn();
        let text = pgn.split(&format!("[GameNumber \"{number}\"]")).nth(1).unwrap();
        assert!(san.iter().all(|word| text.contains(word)), "{number}: {san:?}");
    }
    assert_eq!(page.matches("id=\"piece-k\"").count(), 1, "the shapes of the pieces");
    let markdown = fs::read_to_string(lab.run_dir().join("report.md")).unwrap();
    assert!(!markdown.contains("## Games"), "only a page lists games");
}

#[test]
fn faults_come_first_in_the_list_of_games() {
    let lab = Lab::new("play seed=1", "play seed=2").and("third", "illegal after=2").with("games: 2");
    lab.run("match", &[]).exits(0);
    let faulty = lab.journal().iter().filter(|game| game.termination.fault().is_some()).count();
    assert_eq!(faulty, 4, "an engine that plays illegal moves meets two others");
    let page = fs::read_to_string(lab.run_dir().join("report.html")).unwrap();
    let rows: Vec<bool> = page
        .split("<tbody>")
        .nth(1)
        .unwrap()
        .split("</tbody>")
        .next()
        .unwrap()
        .split("<tr")
        .skip(1)
        .map(|row| row.starts_with(" class=\"fault\""))
        .collect();
    assert_eq!(rows.len(), 6);
    assert!(rows[..faulty].iter().all(|&fault| fault) && !rows[faulty..].contains(&true), "{rows:?}");
}

#[test]
fn report_of_several_runs_has_no_games() {
    let labs = [1, 2].map(|seed| Lab::new(&format!("play seed={seed}"), "play seed=3").with("games: 2"));
    for lab in &labs {
        lab.run("match", &[]).exits(0);
    }
    let out = labs[0].path("both");
    let mut command = harness(&["report", "--out"]);
    let output = command.arg(&out).args(labs.iter().map(Lab::run_dir)).exits(0);
    assert!(stdout(&output).starts_with("# 2 runs"));
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(!page.contains("games-data") && !page.contains("#game-"));
}
