//! Tests of the audit of adjudication: adjudicated games that are played on.

use std::fs;
use std::path::Path;

use rustix::process::Signal;
use serde_json::{Value, json};
use stretto_harness::games::{GameRecord, GameResult};

use crate::common::{Exits, Lab, await_that, expect_parts, games_of, harness, killed, signalled, summary_of};

/// White mates at its second move, and nothing prevents it.
const MATE: &str = "6k1/p4ppp/8/8/8/8/7P/K3R3 w - - 0 1";
/// Adjudicates a game at the first bad score.
const WIN: &str = "win: { score: 500, moves: 1 }";

/// Returns two equal engines that follow a script in this opening.
fn scripted(fen: &str, script: &str, lines: &str) -> Lab {
    let lab = Lab::new("", "");
    fs::write(lab.path("book.epd"), format!("{fen}\n")).unwrap();
    fs::write(lab.path("script"), script).unwrap();
    let args = format!("ok script={}", lab.path("script").display());
    lab.engine(0, &args, "").engine(1, &args, "").with(lines)
}

/// Returns the script of [`MATE`], in which White reports a lost position and wins; its second move is `last`.
fn mate(last: &str) -> String {
    format!(
        "position fen {MATE}\ninfo depth 1 score cp -900 nodes 100 pv h2h3\nbestmove h2h3\n\
         position fen {MATE} moves h2h3\ninfo depth 1 score cp 900 nodes 100 pv a7a6\nbestmove a7a6\n\
         position fen {MATE} moves h2h3 a7a6\n{last}\n"
    )
}

fn sorted_games(run: &Path) -> Vec<GameRecord> {
    let mut games = games_of(run);
    games.sort_by_key(|game| game.game);
    games
}

#[test]
fn wrong_verdict_is_reported_and_remains_the_result() {
    // A wrong PV stops a run with `strict_pv`, unless it is in the rest.
    let script = mate("info depth 1 score cp -900 nodes 100 pv e1e8 a1a1\nbestmove e1e8");
    let play = |audit: &str| {
        let lines = format!("games: 2\nconcurrency: 1\nstrict_pv: true\nadjudication: {{ {WIN}{audit} }}");
        let lab = scripted(MATE, &script, &lines);
        lab.run("match", &[]).exits(0);
        lab
    };
    let (lab, plain) = (play(", audit: 1"), play(""));
    for game in lab.journal() {
        assert_eq!(
            (game.result, game.termination.name(), game.plies),
            (GameResult::Black, "adjudicated_win", 1)
        );
        assert_eq!(game.moves.len(), 1);
        let audit = game.audit.unwrap();
        assert_eq!((audit.result, audit.ended.as_str()), (Some(GameResult::White), "checkmate"));
        assert_eq!(audit.moves, ["a7a6", "e1e8"]);
    }
    let (summary, without) = (lab.summary(), plain.summary());
    for key in ["stats", "terminations", "games", "wrong_pvs"] {
        assert_eq!(summary[key], without[key], "{key}");
    }
    for engine in 0..2 {
        for key in ["moves", "nodes", "checked_pvs"] {
            let of = |summary: &Value| summary["engines"][engine]["totals"][key].clone();
            assert_eq!(of(&summary), of(&without), "{key}");
        }
    }
    let all = &summary["audits"]["all"];
    assert_eq!([&all["verdicts"], &all["audited"], &all["wrong"], &all["plies"]], [2, 2, 2, 4]);
    assert_eq!(summary["audits"]["rules"]["adjudicated_win"], *all);
    assert!(without["audits"].is_null());
    let pgn = lab.pgn();
    assert_eq!(pgn.matches("[Audit \"1-0 by checkmate after 2 plies\"]").count(), 2, "{pgn}");
    assert!(pgn.contains("1. h3 {-9.00/1 ") && !pgn.contains("Re8"), "{pgn}");
    let report = fs::read_to_string(lab.run_dir().join("report.md")).unwrap();
    let parts = ["## Audit of adjudication", "| adjudicated win | 2 | 2 | 0 | 2 | 34.2 to 100.0 % | 4 |"];
    expect_parts(&report, &parts);
    assert!(report.contains("| 1 | 0-1 (adjudicated win) | 1-0 by checkmate after 2 plies |"), "{report}");
}

#[test]
fn fault_in_the_rest_breaks_the_audit_off_and_is_no_fault_of_the_engine() {
    for (action, ended) in [
        ("!crash", "White's engine "),
        ("bestmove a1a1", "White plays an illegal move: `a1a1`"),
        ("!hang", "White's engine hangs: "),
    ] {
        let lines = format!(
            "games: 4\nconcurrency: 1\nmax_faults: 1\nadjudication: {{ {WIN}, audit: 1 }}\n\
             watchdog: {{ uci: 60, ready: 60, answer: 1 }}"
        );
        let lab = scripted(MATE, &mate(action), &lines);
        lab.run("match", &[]).exits(0);
        for game in lab.journal() {
            assert_eq!((game.result, game.plies), (GameResult::Black, 1));
            let audit = game.audit.unwrap();
            assert_eq!((audit.result, &audit.moves[..]), (None, &["a7a6".to_owned()][..]));
            assert!(audit.ended.starts_with(ended), "{}", audit.ended);
        }
        let summary = lab.summary();
        assert_eq!(summary["audits"]["all"]["broken_off"], 4);
        assert_eq!(summary["audits"]["all"]["audited"], 0);
        for engine in 0..2 {
            assert_eq!(summary["engines"][engine]["faults"], json!({}), "{action}");
        }
        assert!(!lab.run_dir().join("faults").exists(), "{action}");
    }
}

#[test]
fn tables_end_the_rest_unless_they_gave_the_verdict() {
    // White takes the pawn, or is in the table of its queen at once.
    let (pawn, queen) = ("8/8/8/4k3/8/8/p7/K6Q w - - 0 1", "8/8/8/4k3/8/8/8/K6Q w - - 0 1");
    let answer = |moves: &str, best: &str| format!("position fen {pawn}{moves}\nbestmove {best}\n");
    let script = answer("", "h1h2")
        + &answer(" moves h1h2", "e5d5")
        + &answer(" moves h1h2 e5d5", "a1a2")
        + &format!("position fen {queen}\nbestmove h1g1\n");
    let lines = "games: 4\nconcurrency: 1\nadjudication: { max_moves: 1, audit: 1 }\ntablebases: { own: 3 }";
    let lab = scripted(&format!("{pawn}\n{queen}"), &script, lines);
    lab.run("match", &[]).exits(0);
    for game in lab.journal() {
        let audit = game.audit.unwrap();
        if game.pair == 0 {
            assert_eq!((game.result, game.termination.name()), (GameResult::Draw, "max_moves"));
            assert_eq!((audit.result, audit.ended.as_str()), (Some(GameResult::White), "tablebase"));
        } else {
            assert_eq!((game.result, game.termination.name()), (GameResult::White, "tablebase"));
            assert!(audit.result.is_some() && audit.ended != "tablebase", "{}", audit.ended);
        }
    }
    assert_eq!(lab.summary()["audits"]["rules"]["max_moves"]["wrong"], 2);
    assert_eq!(lab.summary()["audits"]["rules"]["tablebase"]["audited"], 2);
}

#[test]
fn stop_during_an_audit_saves_the_verdict() {
    let lab = Lab::new("", "slow ms=5 seed=2");
    let log = lab.path("log");
    let args = format!("slow ms=5 log={}", log.display());
    let lab =
        lab.engine(0, &args, "").with("games: 4\nconcurrency: 1\nadjudication: { max_moves: 2, audit: 1 }");
    let child = lab.spawn("match", &[]);
    let searches = || fs::read_to_string(&log).map_or(0, |text| text.matches("go nodes").count());
    await_that("the rest of a game", || searches() > 12);
    signalled(child, Signal::INT).exits(3);
    let before = lab.journal();
    let [game] = &before[..] else { panic!("{} games", before.len()) };
    assert_eq!((game.termination.name(), game.plies), ("max_moves", 4));
    let audit = game.audit.as_ref().unwrap();
    assert_eq!((audit.result, audit.ended.as_str()), (None, "a stop was requested"));
    assert_eq!(lab.summary()["state"], "interrupted");
    lab.resume("match", &[]).exits(0);
    let after = lab.journal();
    assert_eq!((after.len(), &after[0]), (4, &before[0]));
    assert!(after[1..].iter().all(|game| game.audit.as_ref().is_some_and(|audit| audit.result.is_some())));
}

/// Kills a match, and plays it in two shards: games, verdicts and audits are those of the undisturbed match.
#[test]
fn killed_and_sharded_matches_audit_the_same_games() {
    let rules = "games: 24\nconcurrency: 1\nseed: 5\nadjudication: { max_moves: 4, audit: 0.5 }";
    let steady = || Lab::new("steady ms=1", "steady seed=9 ms=1").with(rules);
    let played = |run: &Path| {
        let audit =
            |game: &GameRecord| game.audit.clone().map(|audit| (audit.result, audit.ended, audit.moves));
        sorted_games(run).iter().map(|game| (game.game, game.result, audit(game))).collect::<Vec<_>>()
    };
    let calm = steady();
    calm.run("match", &[]).exits(0);
    let expected = played(&calm.run_dir());
    let audited = expected.iter().filter(|game| game.2.is_some()).count();
    assert!((6..=18).contains(&audited), "{audited} of 24");

    let lab = steady();
    let mut child = lab.spawn("match", &[]);
    for games in [2, 7, 12] {
        lab.await_games(games);
        killed(child);
        let mut resumed = harness(&["match", "--resume"]);
        child = resumed.arg(lab.run_dir()).stderr(std::process::Stdio::null()).spawn().unwrap();
    }
    child.wait().unwrap();
    assert_eq!(played(&lab.run_dir()), expected);

    let (config, parts) =
        (lab.write_config(), ["1/2", "2/2"].map(|shard| lab.path(&format!("part{}", &shard[..1]))));
    for (shard, part) in ["1/2", "2/2"].iter().zip(&parts) {
        let mut command = harness(&["match"]);
        command.arg(&config).args(["--shard", shard, "--out"]).arg(part).exits(0);
    }
    let whole = lab.path("whole");
    harness(&["merge"]).args(&parts).arg("--out").arg(&whole).exits(0);
    assert_eq!(played(&whole), expected);
    let summary = summary_of(&whole);
    for key in ["verdicts", "audited", "wrong", "broken_off", "plies"] {
        assert_eq!(summary["audits"]["all"][key], calm.summary()["audits"]["all"][key], "{key}");
    }
}

#[test]
fn pondering_goes_on_in_the_rest() {
    let rules = "games: 2\nconcurrency: 1\ntime_control: 60+1\nadjudication: { max_moves: 4, audit: 1 }";
    let lab = Lab::new("", "first").engine(0, "ponder", ", ponder: true").with(rules);
    lab.run("match", &[]).exits(0);
    for game in lab.journal() {
        assert_eq!((game.plies, game.moves.len()), (8, 8));
        assert!(game.audit.unwrap().result.is_some());
    }
}
