//! Wrong PVs: counted per engine and error, with examples in summary and report, and an end of the
//! run with `--strict-pv`.

use std::fmt::Write;
use std::fs;

use crate::common::{Exits, Has, Lab, events, harness, stderr, stdout};
use serde_json::{Value, json};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// White mates in one with Ra8.
const MATE_IN_ONE: &str = "7k/8/6K1/8/8/8/R7/8 w - -";

/// A wrong PV for each error: its position, the end of the `info` line and the best move. Positions
/// differ, because the script answers by position.
fn wrong_lines() -> [(&'static str, String, &'static str, &'static str); 12] {
    let twice = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
    let start = |number: u32| START.replace(" 0 1", &format!(" 0 {number}"));
    let mate = |number: u32| format!("{MATE_IN_ONE} 0 {number}");
    [
        ("illegal_move", start(1), "cp 10 pv e2e4 e7e5 e4e5", "e2e4"),
        ("best_move_differs", start(2), "cp 10 pv e2e4 e7e5", "d2d4"),
        ("illegal_ponder_move", start(4), "cp 10 pv e2e4 e7e5", "e2e4 ponder e7e4"),
        ("ponder_move_differs", start(5), "cp 10 pv e2e4 e7e5", "e2e4 ponder d7d5"),
        ("after_threefold", start(3), Box::leak(format!("cp 0 pv {twice} e2e4").into_boxed_str()), "g1f3"),
        ("after_checkmate", mate(1), "mate 1 pv a2a8 h8g8", "a2a8"),
        ("mate_incomplete", mate(2), "mate 2 pv a2a7", "a2a7"),
        ("mate_distance", mate(3), "mate 2 pv a2a8", "a2a8"),
        ("no_mate", mate(4), "mate 1 pv a2a7", "a2a7"),
        ("after_stalemate", "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1".to_owned(), "cp 0 pv g5g6 h8h7", "g5g6"),
        ("after_fifty_moves", "7k/8/8/8/8/8/R7/K7 w - - 99 80".to_owned(), "cp 0 pv a2b2 h8g8", "a2b2"),
        (
            "after_insufficient_material",
            "7k/8/8/8/8/8/1p6/K7 w - - 0 1".to_owned(),
            "cp 0 pv a1b2 h8g8",
            "a1b2",
        ),
    ]
}

/// Lines that look wrong and are not, all before the move `e2e4` from the start position.
const LEGITIMATE: &str = "\
info depth 3 multipv 1 score cp 30 pv d2d4 d7d5
info depth 4 score cp 50 lowerbound pv e2e4
info depth 4 multipv 2 score cp 50 pv a1a8 h8h1
info depth 4 currmove h2h9 currmovenumber 3
info string pv h1h9
bestmove e2e4
";

/// Returns two engines: the first reports each wrong PV once, as White, and the second reports none.
fn lab(pairs: usize) -> Lab {
    let lab = Lab::new("", "");
    let (mut book, mut script, mut other) = (String::new(), String::new(), String::new());
    for (_, fen, info, best_move) in wrong_lines().into_iter().take(pairs) {
        let _ = writeln!(book, "{fen}");
        let _ = writeln!(script, "position fen {fen}\ninfo depth 9 score {info}\nbestmove {best_move}");
        if fen.starts_with("rnbqkbnr") {
            let _ = write!(other, "position fen {fen}\n{LEGITIMATE}");
        }
    }
    fs::write(lab.path("lines.epd"), book).unwrap();
    fs::write(lab.path("wrong.txt"), script).unwrap();
    fs::write(lab.path("right.txt"), other).unwrap();
    let args = |file: &str| format!("ok script={}", lab.path(file).display());
    let (first, second) = (args("wrong.txt"), args("right.txt"));
    let lab = lab.engine(0, &first, "").engine(1, &second, "").with(&format!("games: {}", 2 * pairs));
    let file = lab.write_config();
    let text = fs::read_to_string(&file).unwrap().replace("book.epd", "lines.epd");
    fs::write(&file, text).unwrap();
    lab
}

fn play(lab: &Lab, args: &[&str]) -> std::process::Output {
    let mut command = harness(&["match"]);
    command.arg(lab.path("config.yaml")).arg("--out").arg(lab.run_dir()).args(args);
    command.output().unwrap()
}

#[test]
fn every_wrong_pv_is_counted_and_shown() {
    let lines = wrong_lines();
    let lab = lab(lines.len());
    let output = play(&lab, &["--json"]).exits(0);
    let summary = lab.summary();
    let found = summary["wrong_pvs"].as_array().unwrap();
    assert_eq!(found.len(), 1, "the second engine reports no wrong PV: {summary}");
    let found = &found[0];
    let errors: serde_json::Map<String, Value> =
        lines.iter().map(|(error, ..)| ((*error).to_owned(), json!(1))).collect();
    assert_eq!((&found["engine"], &found["wrong"]), (&json!("first"), &json!(12)));
    assert_eq!(found["errors"], Value::Object(errors));
    let examples = found["examples"].as_array().unwrap();
    let reported = events(&output, "wrong_pv");
    let report = fs::read_to_string(lab.run_dir().join("report.md")).unwrap();
    for (error, fen, info, best_move) in &lines {
        let example = examples.iter().find(|example| example["error"] == *error).unwrap();
        let line = format!("info depth 9 score {info}");
        let mut words = best_move.split(" ponder ");
        let mut expected =
            json!({ "position": format!("position fen {fen}"), "line": line, "best_move": words.next() });
        if let Some(ponder) = words.next() {
            expected["ponder"] = json!(ponder);
        }
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&example[key], value, "{error}");
        }
        assert_eq!(reported.iter().filter(|event| event["error"] == *error).count(), 1, "{error}");
        assert!(report.contains(&format!("position fen {fen}\n{line}\nbestmove {best_move}\n")), "{report}");
    }
    assert_eq!(reported.len(), 12, "{reported:?}");
    let moves: u64 = lab.journal().iter().map(|game| game.moves.len() as u64).sum();
    let checked: u64 =
        (0..2).map(|engine| summary["engines"][engine]["totals"]["checked_pvs"].as_u64().unwrap()).sum();
    assert_eq!(checked, moves, "every move has a PV");
    let again = lab.path("again");
    harness(&["report"]).arg(lab.run_dir()).arg("--out").arg(&again).exits(0);
    let shown = |report: &str| {
        let rest = report.split("## Wrong PVs").nth(1)?;
        rest.split("## Conditions").next().map(str::to_owned)
    };
    let rebuilt = fs::read_to_string(again.join("report.md")).unwrap();
    assert!(shown(&report).is_some());
    assert_eq!(shown(&rebuilt), shown(&report));
    let page = fs::read_to_string(lab.run_dir().join("report.html")).unwrap();
    assert!(page.contains("Wrong PVs") && page.contains("bestmove d2d4"), "{page}");
}

fn event_name(line: &str) -> String {
    let event: Value = serde_json::from_str(line).unwrap();
    event["event"].as_str().unwrap().to_owned()
}

#[test]
fn strict_pv_ends_the_run_at_the_first_wrong_pv() {
    let lab = lab(2);
    let output = play(&lab, &["--strict-pv", "--concurrency", "1"]).exits(1);
    let text = stderr(&output);
    let expected = format!(
        "game 1: first: illegal move in the PV, and strict_pv is set\n  position fen {START}\n  \
         info depth 9 score cp 10 pv e2e4 e7e5 e4e5\n  bestmove e2e4"
    );
    assert!(text.contains(&expected), "{text}");
    assert_eq!(lab.journal().len(), 1, "the game is kept");
    let streamed = lab.path("streamed").display().to_string();
    let mut command = harness(&["match"]);
    command.arg(lab.path("config.yaml")).args(["--out", &streamed, "--strict-pv", "--json", "-j", "1"]);
    let streamed = command.exits(1);
    let last = stdout(&streamed).lines().rev().take(3).map(event_name).collect::<Vec<_>>();
    assert_eq!(last, ["run_ended", "notice", "wrong_pv"], "{}", stdout(&streamed));
    let ended = &events(&streamed, "run_ended")[0];
    assert_eq!((&ended["state"], &ended["summary"]["state"]), (&json!("failed"), &json!("failed")));
    assert!(ended["error"].as_str().unwrap().contains(&expected), "{ended}");
    lab.resume("match", &[]).exits(0);
    assert_eq!(lab.journal().len(), 4);
    assert_eq!(lab.summary()["wrong_pvs"][0]["wrong"], 2);
    lab.resume("match", &["--strict-pv"]).exits(1).stderr_has("engines reported wrong PVs");
}

#[test]
fn mate_scores_are_not_compared_without_check_mate_pvs() {
    let lab = lab(12);
    let file = lab.path("config.yaml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}check_mate_pvs: false\n")).unwrap();
    play(&lab, &[]).exits(0);
    let found = lab.summary()["wrong_pvs"][0].clone();
    assert_eq!(found["wrong"], 9, "{found}");
    for error in ["mate_incomplete", "mate_distance", "no_mate"] {
        assert_eq!(found["errors"].get(error), None, "{found}");
    }
}

#[test]
fn strict_pv_can_be_configured() {
    let lab = lab(1);
    let file = lab.path("config.yaml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}strict_pv: true\n")).unwrap();
    play(&lab, &[]).exits(1);
}

#[test]
fn words_for_no_ponder_move_are_no_wrong_pv() {
    let lab = Lab::new("ok", "no-ponder").with("games: 2\nconcurrency: 1");
    let output = lab.run("match", &["--strict-pv"]).exits(0);
    assert!(!stderr(&output).contains("PV"), "{}", stderr(&output));
}
