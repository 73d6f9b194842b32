//! Process tests of `harness sprt`: verdicts, events, exit codes and configuration errors.

use std::collections::BTreeSet;
use std::fs;

use crate::common::{Exits, Has, Lab, expect_parts, harness, stderr, stdout};
use serde_json::Value;
use stretto_harness::games::GameRecord;
use stretto_stats::counts::Pentanomial;
use stretto_stats::llr::{Model, llr};

const TEST: &str = "sprt: { model: normalized, elo0: 0, elo1: 100 }\nconcurrency: 2";

/// Returns the first engine's half-points of each pair, in order of completion.
fn completed_pairs(games: &[GameRecord]) -> Vec<u8> {
    let mut pairs = Vec::new();
    for (index, game) in games.iter().enumerate() {
        if let Some(twin) = games[..index].iter().find(|other| other.pair == game.pair) {
            pairs.push(game.first_half_points() + twin.first_half_points());
        }
    }
    pairs
}

#[test]
fn stronger_engine_passes_and_weaker_fails() {
    for (first, second, verdict, expected) in [
        ("ok", "illegal after=2", "accept_h1", "H1 accepted"),
        ("illegal after=2", "ok", "accept_h0", "H0 accepted"),
    ] {
        let lab = Lab::new(first, second).with(TEST);
        let output = lab.run("sprt", &[]).exits(0);
        output.stdout_has(expected);
        let (games, summary) = (lab.journal(), lab.summary());
        assert_eq!(summary["decision"]["verdict"], verdict);

        // Everything reported follows from the journal.
        let pairs = completed_pairs(&games);
        assert_eq!(pairs.len() * 2, games.len(), "a finished test has no incomplete pair");
        let ratio = |count: usize| {
            let tally: Pentanomial =
                pairs[..count].iter().filter_map(|&points| Pentanomial::from_pair(points)).sum();
            llr(&tally, Model::Normalized, 0.0, 100.0).0
        };
        let decided = usize::try_from(summary["decision"]["pairs"].as_u64().unwrap()).unwrap();
        assert!((summary["decision"]["llr"].as_f64().unwrap() - ratio(decided)).abs() < 1e-9);
        assert!((summary["stats"]["sprt"]["llr"].as_f64().unwrap() - ratio(decided)).abs() < 1e-9);
        output.stdout_has(" (-2.94, 2.94) [0.00, 100.00] nElo\n");
        // With two workers at most one other pair was in progress at that time.
        assert!(pairs.len() <= decided + 1, "{} pairs, decided after {decided}", pairs.len());
        let numbers: BTreeSet<u64> = games.iter().map(|game| game.pair).collect();
        assert_eq!(numbers, (0..pairs.len() as u64).collect());
    }
}

#[test]
fn resuming_a_decided_test_changes_nothing() {
    let lab = Lab::new("ok", "illegal").with(TEST);
    lab.run("sprt", &[]).exits(0);
    let (games, summary) = (lab.journal(), lab.summary());
    lab.resume("sprt", &["--expect", "h1"]).exits(0);
    assert_eq!(lab.journal(), games);
    assert_eq!(lab.summary(), summary);
    // As if a later program left games out that had decided it.
    let journal = lab.run_dir().join("journal.jsonl");
    let lines = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, lines.split_inclusive('\n').take(4).collect::<String>()).unwrap();
    lab.resume("sprt", &["--expect", "h1"]).exits(1).stderr_has("nothing is played");
    assert_eq!((lab.journal().len(), lab.summary()), (4, summary));
}

#[test]
fn expectations_determine_the_exit_code() {
    let lab = Lab::new("ok", "illegal").with(TEST);
    lab.run("sprt", &["--expect", "h1"]).exits(0);
    let output = lab.resume("sprt", &["--expect", "h0"]).exits(1);
    assert!(stderr(&output).contains("expected H0 to be accepted, found: H1 accepted"));
}

#[test]
fn test_with_a_repeated_pair_is_finished_at_its_last_game() {
    let sprt = "sprt: { elo0: 0, elo1: 2, max_games: 14 }";
    let lab = Lab::new("steady seed=3", "steady seed=4").with(&format!("{sprt}\nconcurrency: 1"));
    lab.run("sprt", &[]).exits(0);
    assert_eq!((lab.journal().len(), &lab.summary()["repeated"]["pairs"]), (14, &Value::from(1)));
    let report = harness(&["report"]).arg(lab.run_dir()).output().unwrap();
    assert!(!stdout(&report).contains("not finished"), "{}", stdout(&report));
}

#[test]
fn test_ends_undecided_when_pairs_repeat_their_games() {
    let lab = Lab::new("steady seed=3", "steady seed=4").with("sprt: { elo0: 0, elo1: 2 }\nconcurrency: 1");
    let output = lab.run("sprt", &[]).exits(0);
    let expected = "  repeats   8 pairs repeat earlier games move by move; not counted";
    output.stdout_has(expected);
    let (games, summary) = (lab.journal(), lab.summary());
    // There are six openings, so the seventh pair repeats the first, and eight in a row end the test.
    assert_eq!((games.len(), &summary["repeated"]["pairs"]), (28, &Value::from(8)));
    let counts: Vec<u64> = serde_json::from_value(summary["stats"]["pairs"].clone()).unwrap();
    assert_eq!(counts.iter().sum::<u64>(), 6);
    lab.resume("sprt", &[]).exits(0);
    assert_eq!((lab.journal(), lab.summary()), (games, summary), "nothing is left to play");
    // A limit may be added later, but not before the last game.
    let output = lab.resume("sprt", &["--set", "sprt.max_games=10"]).exits(1);
    let expected = "sprt.max_games: 10: the test has played up to game 28; expected at least 28";
    output.stderr_has(expected);
    let output = lab.resume("sprt", &["--set", "sprt.max_games=40"]).exits(0);
    output.stderr_has("the test now ends after at most 40 games");
    let manifest = fs::read_to_string(lab.run_dir().join("manifest.yaml")).unwrap();
    assert!(manifest.contains("max_games: 40"), "{manifest}");
}

#[test]
fn test_without_verdict_at_max_games_is_undecided_and_can_be_extended() {
    let test = "sprt: { elo0: 0, elo1: 2, max_games: 6 }\nconcurrency: 2";
    let lab = Lab::new("ok seed=3", "ok seed=4").with(test);
    lab.run("sprt", &[]).exits(0).stdout_has("undecided after 6 games");
    let before = lab.journal();
    assert_eq!(before.len(), 6);
    lab.resume("sprt", &["--expect", "h1"]).exits(1);
    // With more games it resumes.
    let config = fs::read_to_string(lab.path("config.yaml")).unwrap();
    fs::write(lab.path("longer.yaml"), config.replace("max_games: 6", "max_games: 10")).unwrap();
    let longer = harness(&["sprt"]).arg(lab.path("longer.yaml")).arg("--resume").arg(lab.run_dir()).exits(0);
    longer.stdout_has("undecided after 10 games");
    assert_eq!((lab.journal().len(), &lab.journal()[..6]), (10, &before[..]));
}

#[test]
fn decided_test_is_not_made_longer() {
    let test = "sprt: { elo0: 0, elo1: 100, max_games: 400 }\nconcurrency: 2";
    let lab = Lab::new("ok", "illegal after=2").with(test);
    lab.run("sprt", &[]).exits(0);
    let manifest = || fs::read_to_string(lab.run_dir().join("manifest.yaml")).unwrap();
    let (games, before) = (lab.journal(), manifest());
    let output = lab.resume("sprt", &["--set", "sprt.max_games=9000"]).exits(0);
    let text = stderr(&output);
    assert!(text.contains("the test is already decided: nothing is played"), "{text}");
    assert!(!text.contains("is extended") && !text.contains("repeat"), "{text}");
    assert_eq!((lab.journal(), manifest()), (games, before));
    output.stdout_has("H1 accepted");
}

#[test]
fn events_are_complete_lines_with_a_version() {
    let lab = Lab::new("ok", "illegal").with(TEST);
    let output = lab.run("sprt", &["--json"]).exits(0);
    let events: Vec<Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(events.iter().all(|event| event["v"] == 3));
    let count = |name: &str| events.iter().filter(|event| event["event"] == name).count();
    assert_eq!(events[0]["event"], "run_started");
    assert_eq!(events.last().unwrap()["verdict"], "H1 accepted");
    assert_eq!((count("run_started"), count("run_ended")), (1, 1));
    let ended = events.last().unwrap();
    assert_eq!((&ended["state"], &ended["error"]), (&"finished".into(), &Value::Null));
    assert_eq!(count("game_finished"), lab.journal().len());
    assert_eq!(count("pair_finished") * 2, count("game_finished"));
    assert!(stderr(&output).contains("H1 accepted"));
    // Every field is documented.
    let documented = include_str!("../../EVENTS.md");
    let parts = events.iter().flat_map(|event| [event, &event["game"], &event["stats"]]);
    for name in parts.filter_map(Value::as_object).flat_map(|fields| fields.keys()) {
        assert!(documented.contains(&format!("`{name}`")), "{name} is not in EVENTS.md");
    }
}

#[test]
fn configuration_errors_have_exit_code_2_and_a_location() {
    let lab = Lab::new("ok", "ok").with(TEST);
    let command = env!("CARGO_BIN_EXE_fake-engine");
    for (from, to, expected) in [
        ("elo1: 100", "elo1: -5", "config.yaml:8:34: sprt.elo0: 0: expected less than elo1, which is -5"),
        ("nodes: 200", "knots: 200", "config.yaml:6:1: unknown field `knots`"),
        (
            "name: first",
            "name: first, options: { Hash: 65 }",
            "engines[0].options.Hash: `65` is not valid for the engine `first`",
        ),
        (
            "name: first",
            "name: first, init: [debug on, setoption name hash value 8]",
            "engines[0].init[1]: set `hash` in the field options",
        ),
        (command, "./missing", "config.yaml:2:29: engines[0].command: no such engine"),
        ("book.epd", "missing.epd", "config.yaml:4:19: openings.file: no such file"),
    ] {
        let output = lab.edited("sprt", |text| text.replacen(from, to, 1)).exits(2);
        assert!(stderr(&output).contains(expected), "{}\nshould contain {expected}", stderr(&output));
        assert!(!lab.run_dir().exists(), "a bad configuration starts no run");
    }
    harness(&["sprt"]).exits(2);
    harness(&["sprt", "no-such.yaml"]).exits(2);
}

#[test]
fn option_values_are_checked_before_they_are_sent() {
    // The scripted engine aborts when it receives this value, so only a check before the first
    // `setoption` can report the range.
    let lab = Lab::new("ok", "ok").engine(0, "ok", ", options: { Hash: 99999999 }").with(TEST);
    let output = lab.run("sprt", &[]).exits(2);
    let expected = "engines[0].options.Hash: `99999999` is not valid for the engine `first`: \
                    expected a whole number from 1 to 64";
    output.stderr_has(expected);
    assert!(!lab.run_dir().exists());
    let engine = env!("CARGO_BIN_EXE_fake-engine");
    let output = harness(&["doctor", engine, "--arg", "ok", "--option", "Hash=99999999", "--only-engine"]);
    let output = { output }.exits(2);
    let expected = "error: options.Hash: `99999999` is not valid for the engine `fake-engine`: \
                    expected a whole number from 1 to 64";
    assert!(stderr(&output).starts_with(expected), "{}", stderr(&output));
}

#[test]
fn option_unknown_to_one_of_all_engines_is_warned_about_once() {
    let lab = Lab::new("ok", "ok").with("games: 4\noptions: { NullMove: true }");
    let output = lab.run("match", &[]).exits(0);
    assert_eq!(stderr(&output).matches("first: the engine has no option `NullMove`").count(), 1);
}

#[test]
fn option_unknown_to_its_only_engine_is_rejected_before_the_first_game() {
    let lab = Lab::new("ok", "ok").engine(0, "ok", ", options: { Haash: 8 }").with(TEST);
    let output = lab.run("sprt", &[]).exits(2);
    let expected = "engines[0].options.Haash: the engine `first` has no option of this name";
    output.stderr_has(expected);
    assert!(!lab.run_dir().exists());
    // If all engines get the option, one engine that knows it is enough.
    let known = ", options: { nodestime: 0 }";
    let lab = Lab::new("ok", "ok").engine(0, "ok", known).engine(1, "counting", known).with("games: 2");
    lab.run("match", &[]).exits(0).stderr_has("first: the engine has no option `nodestime`");
}

#[test]
fn match_with_sprt_section_is_rejected() {
    let output = Lab::new("ok", "ok").with(TEST).with("games: 4").run("match", &[]).exits(2);
    output.stderr_has("sprt: a match has a fixed length");
}

#[test]
fn info_strings_during_setup_are_reported_once() {
    let lab = Lab::new("ok", "ok").engine(0, "ok", ", options: { Hash: 63 }").with("games: 4");
    let output = lab.run("match", &[]).exits(0);
    let expected = "first reports: Hash: no memory for 63 MiB, 16 are kept";
    assert_eq!(stderr(&output).matches(expected).count(), 1, "{}", stderr(&output));
}

#[test]
fn chess960_castling_is_king_takes_rook() {
    let lab = Lab::new("ok seed=8", "ok seed=9")
        .with("games: 40\nvariant: chess960\nadjudication: { max_moves: 40 }");
    // No pieces stand between kings and rooks, so random players castle soon.
    let book = "1r3k1r/pppppppp/8/8/8/8/PPPPPPPP/1R3K1R w HBhb -\n1r2k2r/pppppppp/8/8/8/8/PPPPPPPP/1R2K2R w HBhb -\n";
    fs::write(lab.path("book.epd"), book).unwrap();
    lab.run("match", &[]).exits(0);
    let games = lab.journal();
    assert!(games.iter().all(|game| game.termination.fault().is_none()));
    let castled = |game: &&GameRecord| {
        game.moves.iter().any(|played| matches!(played.text.as_str(), "f1h1" | "f1b1" | "f8h8" | "f8b8"))
    };
    assert!(games.iter().any(|game| castled(&game)));
    let pgn = lab.pgn();
    assert!(pgn.contains("[Variant \"Chess960\"]") && pgn.contains(" O-O"), "no castling in the PGN");
}

#[test]
fn scores_adjudicate_wins_and_draws() {
    let rules = "games: 4\nadjudication: { win: { score: 300, moves: 2, two_sided: true } }";
    let lab = Lab::new("ok cp=400", "ok cp=-400").with(rules);
    lab.run("match", &[]).exits(0);
    for game in lab.journal() {
        assert_eq!((game.termination.name(), game.plies), ("adjudicated_win", 4));
        assert_eq!(game.first_half_points(), 2);
    }
    let rules = "games: 4\nadjudication: { draw: { from_move: 4, moves: 2, score: 5 } }";
    let lab = Lab::new("ok", "ok seed=2").with(rules);
    lab.run("match", &[]).exits(0);
    // The openings begin at move 1, so both sides have made four moves.
    assert!(lab.journal().iter().all(|game| game.termination.name() == "adjudicated_draw"));
}

#[test]
fn help_of_every_subcommand_has_an_example() {
    for args in [&["--help"][..], &["sprt", "--help"], &["match", "--help"]] {
        let output = harness(args).exits(0);
        assert!(stdout(&output).contains("harness ") && stdout(&output).contains("Example"), "{args:?}");
    }
}

/// Returns the JSON of a calculation from counts.
fn calculated(args: &[&str]) -> Value {
    let output = harness(&["sprt", "--json"]).args(args).exits(0);
    serde_json::from_str(&stdout(&output)).unwrap()
}

#[test]
fn counts_give_the_published_figures() {
    let close = |value: &Value, expected: f64, tolerance: f64| {
        let found = value.as_f64().unwrap();
        assert!((found - expected).abs() < tolerance, "{found} instead of {expected}");
    };
    // fishtest: see harness/stats/tests/vectors.rs.
    let pairs = calculated(&["--counts", "365,16618,36229,16974,390", "--elo", "0", "2"]);
    close(&pairs["sprt"]["llr"], 2.250_367_703_549, 1e-9);
    close(&pairs["sprt"]["unbiased"]["elo"], 0.932_149, 1e-5);
    close(&pairs["sprt"]["unbiased"]["low"], -0.051_444, 1e-5);
    close(&pairs["sprt"]["unbiased"]["high"], 1.878_152, 1e-5);
    assert_eq!((&pairs["sprt"]["verdict"], &pairs["model"]), (&"continue".into(), &"normalized".into()));
    let logistic = ["--model", "logistic", "--elo", "0.5", "2.5"];
    let lost = calculated(&[&["--counts", "[223, 9863, 21279, 10037, 246]"], &logistic[..]].concat());
    close(&lost["sprt"]["llr"], -3.074_126_439_589, 1e-9);
    assert_eq!(lost["sprt"]["verdict"], "accept_h0");
    // Single games are wins, losses, draws; the vectors list losses, draws, wins.
    let games = calculated(&["--counts", "36433,36027,68692", "--elo", "0", "2"]);
    close(&games["sprt"]["llr"], 0.923_293_450_946, 1e-9);
    assert_eq!(games["games"]["wins"], 36433);
    let bayesian = ["--model", "bayesian", "--elo", "0", "2"];
    let games = calculated(&[&["--counts", "68965,68526,128429"], &bayesian[..]].concat());
    close(&games["sprt"]["llr"], -1.262_155_889_238, 1e-8);
    let elo = calculated(&["--counts", "34,54,63,64,75", "--elo", "0", "10"]);
    close(&elo["elo"]["value"], 55.579_780, 1e-5);
    close(&elo["elo"]["half_width"], 27.818_481, 1e-5);
    close(&elo["nelo"]["value"], 57.935_600, 1e-5);
    // No test stops at an LLR of 49.
    let far = ["sprt", "--counts", "400,8000,20000,12000,800", "--elo", "0", "2"];
    let text = stdout(&harness(&far).output().unwrap());
    assert!(text.contains("unbiased  does not apply: the LLR is far beyond a bound"), "{text}");
    assert_eq!(calculated(&far[1..])["sprt"]["unbiased"], Value::Null);
    // Student's t with 289 degrees of freedom.
    close(&elo["los"], 0.999_961_16, 1e-7);
}

#[test]
fn counts_are_shown_as_they_were_read() {
    let output = harness(&["sprt", "--counts", "136,96,111", "--elo", "0", "10", "--alpha", "0.1"]).exits(0);
    let text = stdout(&output);
    let parts = [
        "read as   343 single games: wins 136, losses 96, draws 111\n",
        "test      H0: 0, H1: 10 normalized Elo, alpha 0.1, beta 0.05\n",
        "Elo       40.7 ± 30.6   normalized 49.8 ± 37.6",
        "verdict   undecided; if play continues as observed, about ",
    ];
    expect_parts(&text, &parts);
    let one_sided = harness(&["sprt", "--counts", "0,0,0,0,5550", "--elo", "0", "5"]).output().unwrap();
    let text = stdout(&one_sided);
    assert!(text.contains("verdict   H1 accepted: better than 0 normalized Elo"), "{text}");
    assert!(
        text.contains("Elo       no estimate, all games won (95 %: above ")
            && text.contains("   normalized n/a")
            && !text.contains("NaN"),
        "{text}"
    );
}

#[test]
fn verdict_of_a_calculation_can_be_expected() {
    for (counts, expect, code) in
        [("0,5,10,40,30", "h1", 0), ("0,5,10,40,30", "h0", 1), ("1,2,3,2,1", "h1", 1)]
    {
        harness(&["sprt", "--elo", "0", "30", "--counts", counts, "--expect", expect]).exits(code);
    }
}

#[test]
fn invalid_calculations_are_refused_with_the_reason() {
    for (args, expected) in [
        ("--counts 1,2,3,4 --elo 0 5", "found 4 counts: expected five of pairs"),
        ("--counts -1,2,3 --elo 0 5", "`-1`: expected a whole number from 0 to"),
        ("--counts 0,0,0 --elo 0 5", "all counts are 0: expected at least one result"),
        ("--counts 1,2,3", "--elo <ELO0> <ELO1>"),
        ("--counts 1,2,3 --elo 5 0", "elo0 is 5 and elo1 is 0: expected elo1 to be larger"),
        ("--counts 1,2,3 --elo 0 5 --alpha 0.7", "alpha is 0.7: expected an error rate"),
        ("--counts 1,2,3,4,5 --elo 0 5 --model bayesian", "expected three counts of single games"),
        ("--counts 1,2,3 --elo 0 5 --tc 8+0.08", "cannot be used with '--tc <TC>'"),
        ("--counts 1,2,3 --elo 0 5 --plan", "cannot be used with '--plan'"),
        ("a.yaml --model logistic", "--model needs engines on the command line"),
    ] {
        let output = harness(&["sprt"]).args(args.split(' ')).exits(2);
        assert!(stderr(&output).contains(expected), "{args}: {}", stderr(&output));
    }
}
