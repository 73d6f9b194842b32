//! Tests of the configuration of a match.

use std::fs;
use std::num::NonZeroU32;

use super::*;
use crate::base::cpus::undisturbed_threads;
use crate::config::{Source, source_beside};
use crate::play::openings::{Format, Order};
use stretto_stats::llr::Model;

const GOOD: &str = "\
engines:
  - { name: one, command: sh, options: { Hash: 16, Threads: 2, Clear: null, Ponder: false } }
  - name: two
    command: sh
    nodes: 5000
time_control: 2+0.02
openings: { file: book.epd }
sprt: { elo0: 0, elo1: 10 }
seed: 9
";

fn load(text: &str, kind: RunKind) -> Result<MatchConfig, String> {
    load_all(text, kind).map(|loaded| loaded.config)
}

fn load_all(text: &str, kind: RunKind) -> Result<LoadedMatch, String> {
    let (dir, source) = source_beside(text, &["book.epd"]);
    let prefix = format!("{}/", dir.path().display());
    LoadedMatch::load(&source, kind, ExecutionArgs::default())
        .map_err(|error| error.to_string().replace(&prefix, ""))
}

/// The configuration as a match has it.
fn without_test(text: &str) -> String {
    text.replace("sprt: { elo0: 0, elo1: 10 }\n", "")
}

#[test]
fn defaults_and_overrides() {
    let config = load(GOOD, RunKind::Sprt).unwrap();
    let [one, two] = &config.engines[..] else { panic!("two engines") };
    let names: Vec<_> = one.options.iter().map(|option| option.name.as_str()).collect();
    assert_eq!(names, ["Threads", "Hash", "Clear", "Ponder"]);
    assert_eq!(one.options[2].value, None);
    assert_eq!(one.limits.to_string(), "2+0.02");
    assert_eq!(two.limits.to_string(), "5000 nodes");
    assert_eq!((config.openings.seed, config.games, one.threads()), (9, None, 2));
    assert_eq!(config.sprt.unwrap().model, Model::Normalized);
}

#[test]
fn threads_that_take_turns_count_as_one_core() {
    let concurrency = |options: &str| {
        let text = GOOD
            .replace("command: sh\n", &format!("command: sh\n    options: {{ Threads: 4096{options} }}\n"));
        load_all(&text.replace("Threads: 2", "Threads: 1"), RunKind::Sprt).unwrap().execution.concurrency
    };
    assert_eq!(concurrency(""), 1, "no machine has so many cores");
    assert_eq!(concurrency(", Lockstep: 0"), 1, "no turns");
    assert_eq!(concurrency(", Lockstep: 500"), undisturbed_threads());
}

#[test]
fn errors_state_line_and_path() {
    let cases = [
        ("elo0: 0,", "elo0: 12,", "test.yaml:8:15: sprt.elo0: 12: expected less than elo1"),
        ("nodes: 5000", "nodez: 5000", "test.yaml:5:5: engines[1]: unknown field `nodez`"),
        (
            "nodes: 5000",
            "nodes: none",
            "test.yaml:5:12: engines[1].nodes: expected a whole number of at least 1, found \"none\"",
        ),
        ("2+0.02", "2+x", "test.yaml:6:15: time_control: `x` in time control `2+x`"),
        ("name: two", "name: one", "test.yaml:3:11: engines[1].name: `one` is taken"),
        ("command: sh\n", "command: no-such\n", "test.yaml:4:14: engines[1].command: no engine `no-such`"),
        ("book.epd", "nobook.epd", "test.yaml:7:19: openings.file: no such file `nobook.epd`"),
        ("nodes: 5000", "env: { A: x, A: y }", "engines[1].env: duplicate field `A`"),
        ("Ponder: false", "hash: 3", "test.yaml:2:83: engines[0].options.hash: set twice"),
        ("elo1: 10", "elo1: 10, alpha: 0.7", "sprt.alpha: 0.7: expected"),
        ("elo1: 10", "elo1: 10, max_games: 7", "sprt.max_games: 7: expected an even number"),
        ("seed: 9", "watchdog: { answer: -1 }", "watchdog.answer: -1: expected seconds"),
        ("seed: 9", "watchdog: { quit: 0 }", "watchdog.quit: 0: expected seconds"),
        ("seed: 9", "concurrency: 1025", "concurrency: expected at most 1024 games at once"),
        ("seed: 9", "watchdog: { max_steal_time: 1 }", "watchdog.max_steal_time: 1: expected a share"),
        ("seed: 9", "watchdog: { max_other_load: 0 }", "watchdog.max_other_load: 0: expected a share"),
        ("seed: 9", "variant: shogi", "variant: unknown value `shogi`, expected `standard` or `chess960`"),
    ];
    for (from, to, expected) in cases {
        let error = load(&GOOD.replace(from, to), RunKind::Sprt).unwrap_err();
        assert!(error.contains(expected), "{error}\n  should contain\n{expected}");
    }
}

#[test]
fn variant_of_the_engines_is_that_of_the_games() {
    let of = |value: &str, variant: &str| {
        let text = GOOD.replace("Hash: 16", &format!("uci_chess960: {value}"));
        load(&text.replace("seed: 9", &format!("variant: {variant}")), RunKind::Sprt)
    };
    for (value, variant, other) in [("true", "standard", "chess960"), ("false", "chess960", "standard")] {
        let error = of(value, variant).unwrap_err();
        let expected = format!(
            "engines[0].options.UCI_Chess960: {value} contradicts the variant: omit it, or set `variant: {other}`"
        );
        assert!(error.contains(&expected), "{error}");
        of(value, other).unwrap();
    }
}

#[test]
fn only_clocks_of_real_time_can_be_scaled() {
    let error = |more: &str, from: &str, to: &str| {
        load(&GOOD.replace("seed: 9", more).replace(from, to), RunKind::Sprt).map(|config| config.scale_clock)
    };
    let scale = "scale_clock: { nps: 1000000 }";
    assert_eq!(error(scale, "x", "x").unwrap().unwrap().nps.get(), 1_000_000);
    for (more, from, to, expected) in [
        (scale, "2+0.02", "null", "engines[0]: no limit"),
        (
            scale,
            "time_control: 2+0.02",
            "nodes: 7",
            "test.yaml:9:14: scale_clock: no engine has a time_control",
        ),
        (scale, "Hash: 16", "nodestime: 600", "scale_clock: the clock of one counts nodes"),
        ("scale_clock: { nps: 0 }", "x", "x", "scale_clock.nps: expected a whole number of at least 1"),
        (
            "scale_clock: { nps: 5, engine: three }",
            "x",
            "x",
            "`three`: expected the name of an engine: one, two",
        ),
    ] {
        let error = error(more, from, to).unwrap_err();
        assert!(error.contains(expected), "{error}\n  should contain\n{expected}");
    }
}

#[test]
fn lengths_fit_the_kind() {
    let fixed = GOOD.replace("seed: 9", "games: 20");
    assert!(load(&fixed, RunKind::Sprt).unwrap_err().contains("no fixed length"));
    let error = load(&fixed, RunKind::Match).unwrap_err();
    assert!(error.contains("sprt: a match has a fixed length"), "{error}");
    let error = load(&fixed.replace("elo0: 0, ", ""), RunKind::Match).unwrap_err();
    assert!(error.contains("sprt: a match has a fixed length"), "before a missing field: {error}");
    assert!(load(&without_test(GOOD), RunKind::Match).unwrap_err().contains("games: missing"));
    let config = load(&without_test(&fixed), RunKind::Match).unwrap();
    assert_eq!((config.max_pairs(), config.sprt), (Some(10), None));
}

#[test]
fn the_test_of_a_tuning_has_an_even_length() {
    let two = "  - name: two\n    command: sh\n    nodes: 5000\n";
    let tune = "tune: { iterations: 5, parameters: [{ name: Hash }] }";
    let tuning = GOOD.replace(two, "").replace("seed: 9", tune);
    let of = |length: &str| load(&tuning.replace("elo1: 10", length), RunKind::Tune);
    let config = of("elo1: 10, max_games: 8").unwrap();
    assert_eq!((config.games, config.sprt.unwrap().max_games), (Some(80), Some(8)));
    let error = of("elo1: 10, max_games: 7").unwrap_err();
    assert!(error.contains("sprt.max_games: 7: expected an even number"), "{error}");
}

#[test]
fn book_format_follows_the_extension() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["a.epd", "a.PGN", "a.bin", "a.txt"] {
        fs::write(dir.path().join(name), "").unwrap();
    }
    let format = |openings: &str| {
        let text = GOOD.replace("file: book.epd", openings);
        let source = Source::new(dir.path().join("test.yaml"), text);
        LoadedMatch::load(&source, RunKind::Sprt, ExecutionArgs::default())
            .map(|loaded| loaded.config.openings.format)
            .map_err(|e| e.to_string())
    };
    let plies = NonZeroU32::new(8);
    assert_eq!(format("file: a.txt").unwrap(), Format::Epd);
    assert_eq!(format("file: a.PGN").unwrap(), Format::Pgn { plies: None });
    assert_eq!(format("file: a.bin, plies: 8").unwrap(), Format::Polyglot { plies: plies.unwrap() });
    assert_eq!(format("file: a.txt, format: pgn, plies: 8").unwrap(), Format::Pgn { plies });
    assert!(format("file: a.bin").unwrap_err().contains("openings.plies: missing"));
    assert!(format("file: a.epd, plies: 2").unwrap_err().contains("openings.plies: positions have no moves"));
}

#[test]
fn openings_without_a_file_ship_with_the_program() {
    let openings = |text: &str| {
        let text = GOOD.replace("openings: { file: book.epd }\n", text);
        load(&text, RunKind::Sprt).map(|config| config.openings)
    };
    let shipped = openings("").unwrap();
    let name = shipped.file.file_name().unwrap().to_string_lossy().into_owned();
    assert!(name.starts_with("balanced-") && shipped.order == Order::Random, "{name}");
    let sequential = openings("openings: { order: sequential, start: 5 }\n").unwrap();
    assert_eq!((sequential.file, sequential.order, sequential.start), (shipped.file, Order::Sequential, 5));
    for field in ["plies: 8", "format: pgn"] {
        let error = openings(&format!("openings: {{ {field} }}\n")).unwrap_err();
        let key = field.split(':').next().unwrap();
        assert!(error.contains(&format!("openings.{key}: needs the field `file`")), "{error}");
    }
}

#[test]
fn pairings_follow_the_format() {
    let three = GOOD.replace("  - name: two", "  - { name: three, command: sh }\n  - name: two");
    assert!(load(&three, RunKind::Sprt).unwrap_err().contains("engines: a test is between two"));
    let games = without_test(&three).replace("seed: 9", "games: 20");
    let config = load(&games, RunKind::Match).unwrap();
    assert_eq!((config.pairings.count(), config.max_rounds(), config.max_pairs()), (3, Some(10), Some(30)));
    let gauntlet = |count: u32| load(&format!("{games}gauntlet: {count}\n"), RunKind::Match);
    assert_eq!(gauntlet(1).unwrap().pairings.as_slice().len(), 2);
    assert!(gauntlet(3).unwrap_err().contains("gauntlet: 3: expected fewer challengers than the 3"));
    let chain = format!("{games}neighbours: 1\n");
    assert_eq!(load(&chain, RunKind::Match).unwrap().pairings.as_slice().len(), 2);
    let both = load(&format!("{chain}gauntlet: 1\n"), RunKind::Match).unwrap_err();
    assert!(both.contains("neighbours: a gauntlet and neighbours exclude each other"), "{both}");
    assert!(load(&chain.replace("neighbours: 1", "neighbours: 0"), RunKind::Match).is_err());
    let known = load(&games.replace("name: three,", "name: three, rating: 1900,"), RunKind::Match).unwrap();
    assert_eq!(known.engines.iter().map(|engine| engine.rating).max(), Some(Some(1900)));
}

#[test]
fn options_of_all_give_way_to_an_engines_own() {
    let text = format!("{GOOD}options: {{ hash: 64, Contempt: 0 }}\n");
    let LoadedMatch { config, common_options, .. } = load_all(&text, RunKind::Sprt).unwrap();
    let options = |index: usize| -> Vec<(&str, Option<&str>)> {
        let options = config.engines[index].options.iter();
        options.map(|option| (option.name.as_str(), option.value.as_deref())).collect()
    };
    assert_eq!(common_options, ["hash", "Contempt"]);
    assert_eq!(options(1), [("hash", Some("64")), ("Contempt", Some("0"))]);
    assert_eq!(
        options(0),
        [
            ("Threads", Some("2")),
            ("Hash", Some("16")),
            ("Contempt", Some("0")),
            ("Clear", None),
            ("Ponder", Some("false"))
        ]
    );
    let error = load(&format!("{GOOD}options: {{ Hash: [1] }}\n"), RunKind::Sprt).unwrap_err();
    assert!(error.contains("options.Hash: expected a text"), "{error}");
}

#[test]
fn every_engine_needs_a_limit() {
    let error = load(&GOOD.replace("time_control: 2+0.02\n", ""), RunKind::Sprt).unwrap_err();
    assert!(error.contains("engines[0]: no limit"), "{error}");
}
