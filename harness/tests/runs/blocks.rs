//! Process tests of results in the form of `OpenBench`, fishtest and fastchess: at the end of a run, by `harness report`, and on
//! the page.

use std::fs;
use std::process::Output;

use crate::common::{Exits, Has, Lab, harness, stderr, stdout};

/// Runs `harness report run ARGS` in the folder of `lab`.
fn report(lab: &Lab, args: &[&str]) -> Output {
    harness(&["report", "run"]).args(args).current_dir(lab.path(".")).output().unwrap()
}

fn block(lab: &Lab, format: &str) -> String {
    let output = report(lab, &["--format", format]).exits(0);
    stdout(&output)
}

#[test]
fn match_ends_with_the_block_that_report_prints_again() {
    let lab = Lab::new("play seed=1", "play seed=2").with("games: 12\noptions: { Hash: 32 }");
    let output = lab.run("match", &["--block", "openbench"]).exits(0);
    let text = stdout(&output);
    let (_, found) = text.split_once("\n\n").expect("an empty line before the block");
    let lines: Vec<&str> = found.lines().collect();
    // Hash is configured, and Threads is the default that the engine declares.
    assert_eq!(lines[1], "Conf  | N=200 Threads=1 Hash=32MB", "{text}");
    let games = lab.summary()["stats"]["games"].clone();
    let [wins, losses, draws] = ["wins", "losses", "draws"].map(|name| games[name].as_u64().unwrap());
    assert_eq!(lines[2], format!("Games | N: 12 W: {wins} L: {losses} D: {draws}"), "{text}");
    assert!(lines[0].starts_with("Elo   | ") && lines[0].ends_with(" (95%)"), "{text}");
    assert!(lines[3].starts_with("Penta | [") && lines.len() == 4, "{text}");
    assert_eq!(block(&lab, "openbench"), found);
    let fishtest = block(&lab, "fishtest");
    let counts = format!("\nTotal: 12 W: {wins} L: {losses} D: {draws}\nPtnml(0-2): ");
    assert!(fishtest.contains(&counts) && fishtest.contains("\nnElo: "), "{fishtest}");
    let fastchess = block(&lab, "fastchess");
    assert!(
        fastchess.contains("\nResults of first vs second (200 nodes, 1t, 32MB, book.epd):\n"),
        "{fastchess}"
    );
    let markdown = block(&lab, "markdown");
    assert!(markdown.starts_with("**first against second: 12 games played**\n\n|"), "{markdown}");
    let page = fs::read_to_string(lab.run_dir().join("report.html")).unwrap();
    let foot = page.split_once("For commits and pull requests").expect("a foot").1;
    assert!(foot.contains(found.trim_end()) && foot.matches("data-copy>Copy<").count() == 4, "{foot}");
    assert!(!fs::read_to_string(lab.run_dir().join("report.md")).unwrap().contains("For commits"));
    let output = report(&lab, &["--format", "openbench", "--changed"]).exits(1);
    assert!(stderr(&output).contains("only tunings have changed parameters: leave out --changed"));
}

#[test]
fn block_of_a_decided_test_ends_at_the_decision() {
    // The second engine loses every game, so each pair counts for H1.
    let test = "sprt: { elo0: 0, elo1: 60 }\nconcurrency: 4\noutput: { block: fishtest }";
    let lab = Lab::new("play seed=1", "crash").with(test);
    let output = lab.run("sprt", &[]).exits(0);
    let decision = &lab.summary()["decision"];
    let (pairs, llr) = (decision["pairs"].as_u64().unwrap(), decision["llr"].as_f64().unwrap());
    let expected = format!(
        "\n\nLLR: {llr:.2} (-2.94,2.94) <0.00,60.00>\nTotal: {0} W: {0} L: 0 D: 0\nPtnml(0-2): 0, 0, 0, 0, {pairs}\n",
        2 * pairs
    );
    assert!(stdout(&output).ends_with(&expected), "{}\nshould end with {expected}", stdout(&output));
    assert_eq!(block(&lab, "fishtest"), expected.trim_start());
    assert!(block(&lab, "openbench").contains(&format!("\nLLR   | {llr:.2} (-2.94, 2.94) [0.00, 60.00]\n")));
}

#[test]
fn forms_that_a_run_does_not_have_are_errors_with_a_remedy() {
    let logistic =
        Lab::new("play", "play").with("sprt: { model: logistic, elo0: 0, elo1: 60, max_games: 2 }");
    let output = logistic.run("sprt", &["--block", "openbench"]).exits(2);
    let expected = "error: --block: the bounds of the test are logistic Elo, and those of OpenBench are normalized Elo: choose fishtest";
    output.stderr_has(expected);
    logistic.run("sprt", &["--block", "fishtest", "--json"]).exits(2);
    let logistic = logistic.with("output: { block: openbench }");
    logistic.run("sprt", &[]).exits(2).stderr_has("config.yaml:9:18: output.block: the bounds");

    let several = Lab::new("play seed=1", "play seed=2").and("third", "play seed=3").with("games: 2");
    let output = several.run("match", &["--block", "fishtest"]).exits(2);
    let expected = "choose fastchess or markdown for a table of all, or a pairing with `harness report RUN --format fishtest --engines A B`";
    output.stderr_has(expected);
    several.run("match", &["--block", "fastchess"]).exits(0);
    let output = report(&several, &["--format", "openbench"]).exits(1);
    let expected = "; pairings: first - second, first - third, second - third\n";
    assert!(stderr(&output).ends_with(expected), "{}", stderr(&output));
    let pair = |first: &str, second: &str| {
        let output = report(&several, &["--format", "openbench", "--engines", first, second]).exits(0);
        stdout(&output).lines().find_map(|line| Some(line.strip_prefix("Games | ")?.to_owned())).unwrap()
    };
    let reversed = pair("third", "first").replace("W:", "x").replace("L:", "W:").replace('x', "L:");
    let counts = |text: &str| {
        let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        if words[2] == "L:" {
            words.swap(2, 4);
            words.swap(3, 5);
        }
        words.join(" ")
    };
    assert_eq!(counts(&reversed), pair("first", "third"));
    let output = report(&several, &["--format", "openbench", "--engines", "first", "fird"]).exits(1);
    let expected =
        "--engines: the run has no engine `fird`; did you mean `third`? (engines: first, second, third)";
    output.stderr_has(expected);
}
