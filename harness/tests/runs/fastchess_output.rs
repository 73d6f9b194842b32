//! The outputs of a command line of fastchess: files, and the text that scripts parse.

use std::fs;
use std::process::Output;

use crate::common::{BOOK, Exits, Has, Lab, harness, signalled, stderr, stdout};
use rustix::process::Signal;

const FAKE: &str = env!("CARGO_BIN_EXE_fake-engine");

/// Runs `harness KIND --from-fastchess` in the folder of `lab`, with `-rounds` pairs between two engines.
fn run(lab: &Lab, kind: &str, rounds: u64, args: &[&str]) -> Output {
    let mut command = harness(&[kind, "--out", "run", "--from-fastchess"]);
    let rounds = rounds.to_string();
    let cmd = format!("cmd={FAKE}");
    command.args([
        "-engine",
        &cmd,
        "name=new",
        "args=ok seed=1",
        "-engine",
        &cmd,
        "name=old",
        "args=ok seed=2",
    ]);
    command.args(["-each", "nodes=200", "option.Hash=16", "-rounds", &rounds, "-repeat", "-recover"]);
    command.args(["-openings", "file=book.epd", "-maxmoves", "6", "-concurrency", "1"]).args(args);
    command.current_dir(lab.path("."));
    command.output().unwrap()
}

/// Returns the words of a line between these texts, as a regular expression would capture them.
fn capture<'a>(line: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(before)?;
    rest.split_once(after).map(|(found, _)| found)
}

/// Returns games, wins, losses, draws and points as fishtest's worker reads them:
/// `Games: ([0-9]+), Wins: ([0-9]+), Losses: ([0-9]+), Draws: ([0-9]+), Points: ([0-9.]+) \(`.
fn parse_games(line: &str) -> Option<([u64; 4], f64)> {
    let number = |before, after| capture(line, before, after)?.parse::<u64>().ok();
    let counts = [
        number("Games: ", ", Wins: ")?,
        number(", Wins: ", ", Losses: ")?,
        number(", Losses: ", ", Draws: ")?,
        number(", Draws: ", ", Points: ")?,
    ];
    Some((counts, capture(line, ", Points: ", " (")?.parse().ok()?))
}

/// Returns the pentanomial counts as fishtest's worker reads them:
/// `Ptnml\(0-2\): \[([0-9]+), ([0-9]+), ([0-9]+), ([0-9]+), ([0-9]+)\]`.
fn parse_pairs(line: &str) -> Option<Vec<u64>> {
    capture(line, "Ptnml(0-2): [", "]")?.split(", ").map(|count| count.parse().ok()).collect()
}

/// Reads `Finished game` lines as OpenBench's worker does: the number is the third word, the result
/// the word after the colon, the reason in braces.
fn parse_finished(line: &str) -> Option<(u64, String)> {
    let number = line.split_whitespace().nth(2)?.parse().ok()?;
    let result = line.split(':').nth(1)?.split_whitespace().next()?.to_owned();
    capture(line, "{", "}")?;
    Some((number, result))
}

#[test]
fn fastchess_blocks_are_parsed_by_the_scripts_of_fishtest_and_openbench() {
    let lab = Lab::new("ok", "ok");
    let output = run(&lab, "match", 12, &["-output", "format=fastchess", "-ratinginterval", "5"]).exits(0);
    let text = stdout(&output);
    let rule = "-".repeat(50);
    assert_eq!(
        text.lines().filter(|line| *line == rule).count(),
        6,
        "blocks after 5, 10 and 12 pairs: {text}"
    );
    let games: Vec<_> = text.lines().filter_map(parse_games).collect();
    let counts: Vec<u64> = games.iter().map(|(counts, _)| counts[0]).collect();
    assert_eq!(counts, [10, 20, 24]);
    let ([_, wins, losses, draws], points) = games[2];
    let stats = lab.summary()["stats"].clone();
    assert_eq!((&stats["games"]["wins"], &stats["games"]["losses"]), (&wins.into(), &losses.into()));
    assert_eq!((wins + losses + draws, 2.0 * points), (24, (2 * wins + draws) as f64));
    let pairs: Vec<Vec<u64>> = text.lines().filter_map(parse_pairs).collect();
    assert_eq!(stats["pairs"], serde_json::json!(pairs.last().unwrap()));
    let started: Vec<&str> = text.lines().filter(|line| line.starts_with("Started game")).collect();
    assert_eq!((started.len(), started[1]), (24, "Started game 2 of 24 (old vs new)"));
    let finished: Vec<(u64, String)> =
        text.lines().filter(|line| line.contains("Finished game")).filter_map(parse_finished).collect();
    let journal: Vec<(u64, String)> =
        lab.journal().iter().map(|game| (game.game + 1, game.result.text().to_owned())).collect();
    assert_eq!(finished, journal);
    assert!(text.contains("\nResults of new vs old (200 nodes, 1t, 16MB, book.epd):\nElo: "), "{text}");
    assert!(text.contains("\nFinished match\nTotal Time: 00:00:"), "{text}");
    assert!(text.lines().all(|line| !line.contains("pentanomial")), "no text of the harness: {text}");
    output.stderr_has("pentanomial");
}

#[test]
fn test_prints_its_llr_and_its_verdict() {
    let lab = Lab::new("ok", "ok");
    let args = ["-output", "format=fastchess", "-sprt", "elo0=0", "elo1=300", "alpha=0.05", "beta=0.05"];
    let output = run(&lab, "sprt", 500, &args).exits(0);
    let text = stdout(&output);
    let line = text.lines().rfind(|line| line.starts_with("LLR: ")).unwrap();
    let llr: f64 = capture(line, "LLR: ", " (").unwrap().parse().unwrap();
    let (lower, upper) = capture(line, "%) (", ") [").unwrap().split_once(", ").unwrap();
    let (lower, upper): (f64, f64) = (lower.parse().unwrap(), upper.parse().unwrap());
    assert!(line.ends_with(" [0.00, 300.00]"), "{line}");
    assert!(lower < 0.0 && upper > 0.0 && llr <= lower, "equal engines: {line}");
    assert!(text.contains("\nSPRT ([0.00, 300.00]) completed - H0 was accepted\n"), "{text}");
}

#[test]
fn format_of_cutechess_is_printed_as_that_of_fastchess_with_a_note() {
    let lab = Lab::new("ok", "ok");
    let output = run(&lab, "match", 2, &["-output", "format=cutechess"]).exits(0);
    output.stdout_has("\nGames: 4, Wins: ");
    let note = "note: -output format=cutechess: printed in the format of fastchess";
    output.stderr_has(note);
}

#[test]
fn resumed_run_appends_only_its_new_games_to_the_output_files() {
    let lab = Lab::new("slow ms=5 seed=5", "slow ms=5 seed=6").with(
        "games: 40\noutput: { pgn: { file: p.pgn, append: false }, epd: { file: e.epd }, log: { file: x.log } }",
    );
    fs::write(lab.path("p.pgn"), "replaced\n").unwrap();
    let child = lab.spawn("match", &[]);
    lab.await_games(6);
    signalled(child, Signal::INT).exits(3);
    let games = lab.journal().len();
    assert!((6..40).contains(&games), "{games}");
    lab.resume("match", &[]).exits(0);
    assert_eq!(fs::read_to_string(lab.path("p.pgn")).unwrap(), lab.pgn());
    let epd = fs::read_to_string(lab.path("e.epd")).unwrap();
    assert_eq!(epd.lines().count(), 40, "{epd}");
    let log = fs::read_to_string(lab.path("x.log")).unwrap();
    let finished = log.lines().filter(|line| line.contains(" harness --- game ")).count();
    assert_eq!(finished, 40, "games before and after the interruption: {log}");
}

#[test]
fn files_are_created_and_receive_each_game_once() {
    let lab = Lab::new("ok", "ok");
    fs::write(lab.path("p.pgn"), "earlier\n").unwrap();
    fs::write(lab.path("e.epd"), "earlier\n").unwrap();
    let args = [
        "-pgnout",
        "file=p.pgn",
        "-epdout",
        "file=e.epd",
        "append=false",
        "-log",
        "file=x.log",
        "engine=true",
    ];
    let output = run(&lab, "match", 2, &args).exits(0);
    assert!(!stderr(&output).contains("note:"), "{}", stderr(&output));
    let pgn = fs::read_to_string(lab.path("p.pgn")).unwrap();
    assert_eq!(pgn.strip_prefix("earlier\n\n"), Some(lab.pgn().as_str()), "a blank line between games");
    let epd = fs::read_to_string(lab.path("e.epd")).unwrap();
    assert_eq!(epd.lines().count(), lab.pgn().matches("[Event ").count(), "{epd}");
    let log = fs::read_to_string(lab.path("x.log")).unwrap();
    assert!(log.contains("harness --- game 1: new - old "), "{log}");
    assert!(log.contains(" new <--- uci\n") && log.contains(" old ---> bestmove "), "{log}");
    let searches = log.lines().filter(|line| line.contains(" <--- go nodes ")).count();
    let moves: usize = lab.journal().iter().map(|game| game.moves.len()).sum();
    assert_eq!(searches, moves);
}

#[test]
fn output_file_without_final_newline_gets_one() {
    let lab = Lab::new("ok", "ok").with(
        "games: 2\nconcurrency: 1\noutput: { pgn: { file: p.pgn }, epd: { file: e.epd }, log: { file: x.log } }",
    );
    let earlier = |end: &str| format!("[Event \"old\"]\n[Result \"1-0\"]\n\n1. e4 1-0{end}");
    let line = &BOOK[..BOOK.find('\n').unwrap()];
    for (end, added) in [("", "\n\n"), ("\n", "\n"), ("\r\n\r\n", ""), ("\n\n", "")] {
        fs::write(lab.path("p.pgn"), earlier(end)).unwrap();
        fs::write(lab.path("e.epd"), line).unwrap();
        fs::write(lab.path("x.log"), "log line").unwrap();
        lab.run("match", &[]).exits(0);
        let pgn = fs::read_to_string(lab.path("p.pgn")).unwrap();
        assert_eq!(pgn, format!("{}{added}{}", earlier(end), lab.pgn()));
        let epd = fs::read_to_string(lab.path("e.epd")).unwrap();
        assert!(epd.starts_with(&format!("{line}\n")) && epd.lines().count() == 3, "{epd}");
        assert!(fs::read_to_string(lab.path("x.log")).unwrap().starts_with("log line\n["));
        fs::remove_dir_all(lab.run_dir()).unwrap();
    }
}

/// Two runs of equal games append equal lines. The last line of the second is lost, and its next game torn.
#[test]
fn resumed_run_restores_a_last_line_that_an_earlier_run_wrote_too() {
    let lab = Lab::new("first", "first")
        .with("games: 4\nconcurrency: 1\noutput: { pgn: { file: p.pgn }, epd: { file: e.epd } }");
    lab.run("match", &[]).exits(0);
    fs::remove_dir_all(lab.run_dir()).unwrap();
    lab.run("match", &[]).exits(0);
    let epd = fs::read_to_string(lab.path("e.epd")).unwrap();
    let start = epd.trim_end().rfind('\n').unwrap() + 1;
    assert!(epd[..start].contains(&epd[start..]), "the line is there twice: {epd}");
    fs::write(lab.path("e.epd"), &epd[..start]).unwrap();
    let pgn = fs::read_to_string(lab.path("p.pgn")).unwrap();
    fs::write(lab.path("p.pgn"), format!("{pgn}[Event \"part")).unwrap();
    lab.resume("match", &[]).exits(0);
    assert_eq!(fs::read_to_string(lab.path("e.epd")).unwrap(), epd);
    assert_eq!(fs::read_to_string(lab.path("p.pgn")).unwrap(), format!("{pgn}[Event \"part\n\n"));
}

#[test]
fn output_that_cannot_be_written_is_an_error_before_the_run() {
    let lab = Lab::new("ok", "ok");
    let output = run(&lab, "match", 1, &["-pgnout", "file=missing/p.pgn"]).exits(2);
    let text = stderr(&output);
    assert!(text.contains("output.pgn.file: cannot write ") && text.contains("missing/p.pgn"), "{text}");
    assert!(!lab.run_dir().exists());
}

#[test]
fn events_and_output_format_exclude_each_other() {
    let lab = Lab::new("ok", "ok").with("games: 2\noutput: { format: fastchess }");
    let output = lab.run("match", &["--json"]).exits(2);
    assert!(stderr(&output).contains("--json and output.format both write to standard output"));
}
