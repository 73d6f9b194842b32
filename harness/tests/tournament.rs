//! Matches of more than two engines: who meets whom, from which openings, and how strong that makes them.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{Lab, expect_code, stderr, stdout};
use serde_json::Value;
use stretto_harness::store::GameRecord;

/// Four engines: one resigns every game, one sees itself winning, two are alike.
fn four() -> Lab {
    let rules = "adjudication: { win: { score: 500, moves: 1 }, max_moves: 6 }";
    Lab::new("ok cp=0", "ok cp=-900")
        .and("third", "ok cp=0 seed=3")
        .and("fourth", "ok cp=0 seed=4")
        .with(rules)
}

/// How often each engine had White and Black against each, and from which openings.
fn meetings(games: &[GameRecord]) -> BTreeMap<(usize, usize), Vec<&str>> {
    let mut meetings: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for game in games {
        meetings.entry((game.white, game.black)).or_default().push(&game.opening);
    }
    meetings.values_mut().for_each(|openings| openings.sort_unstable());
    meetings
}

fn names(summary: &Value) -> Vec<&str> {
    summary["standings"]["table"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["name"].as_str().unwrap())
        .collect()
}

#[test]
fn in_a_round_robin_everybody_meets_everybody_from_the_same_openings() {
    let lab = four().with("games: 6\nconcurrency: 2");
    let output = lab.run("match", &[]);
    expect_code(&output, 0);
    let games = lab.journal();
    assert_eq!(games.len(), 36);
    let meetings = meetings(&games);
    assert_eq!(meetings.len(), 12, "each with White and with Black against each other");
    for (who, openings) in &meetings {
        assert_eq!(openings, &["french", "open", "sicilian"], "{who:?}");
    }
    let summary = lab.summary();
    assert_eq!(summary["games"], 36);
    assert!(summary["stats"].is_null(), "there is no first engine that all is about");
    assert_eq!(summary["pairings"].as_array().unwrap().len(), 6);
    assert_eq!(*names(&summary).last().unwrap(), "second");
    let last = &summary["standings"]["table"][3];
    assert_eq!(last["games"]["losses"], 18);
    assert_eq!(summary["standings"]["is_bounded"], false);
    assert!(last["rating"]["value"].as_f64().unwrap() < -100.0);
    let text = stdout(&output);
    assert!(text.contains("4 engines: 36 games played"), "{text}");
    assert!(text.contains("  4 second") && text.contains("first - second"), "{text}");
    assert!(text.contains("one drawn game besides"), "{text}");
}

#[test]
fn in_a_gauntlet_the_others_do_not_meet() {
    let lab = four().with("games: 2\ngauntlet: 1\nconcurrency: 1");
    expect_code(&lab.run("match", &[]), 0);
    let games = lab.journal();
    let met: BTreeSet<_> = games.iter().map(|game| game.white.max(game.black)).collect();
    assert_eq!((games.len(), met), (6, BTreeSet::from([1, 2, 3])));
    assert!(games.iter().all(|game| game.white.min(game.black) == 0));
}

#[test]
fn an_interrupted_tournament_plays_what_is_missing() {
    let lab = four().with("games: 10\nconcurrency: 2");
    let mut run = lab.spawn("match", &[]);
    lab.await_games(7);
    run.kill().unwrap();
    run.wait().unwrap();
    expect_code(&lab.resume("match", &[]), 0);
    let games = lab.journal();
    let numbers: BTreeSet<u64> = games.iter().map(|game| game.game).collect();
    assert_eq!((games.len(), numbers), (60, (0..60).collect()));
    let pgn = lab.pgn();
    assert_eq!(pgn.matches("[White \"fourth\"]").count(), 15);
}

#[test]
fn more_engines_than_stay_running_take_turns() {
    let many = (0..6).fold(four(), |lab, index| lab.and(&format!("more{index}"), "ok"));
    let lab = many.with("games: 2\nconcurrency: 2");
    let output = lab.run("match", &[]);
    expect_code(&output, 0);
    assert_eq!(lab.journal().len(), 90);
    assert!(!stderr(&output).contains("failed"), "{}", stderr(&output));
}

#[test]
fn a_test_is_between_two() {
    let output = four().with("sprt: { elo0: 0, elo1: 10 }").run("sprt", &[]);
    expect_code(&output, 2);
    assert!(stderr(&output).contains("a test is between two engines, found 4"), "{}", stderr(&output));
}
