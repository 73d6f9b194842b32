//! Process tests of OpenBench export and import, shell completions and man pages.

use std::fs;
use std::path::Path;

use crate::common::{Exits, Has, Lab, expect_parts, harness, harness_with_stretto, stderr, stdout};
use serde_json::Value;

/// Keys that an OpenBench server accepts in a preset; others stop the server.
const TEST_KEYS: &[&str] = &[
    "both_branch",
    "both_bench",
    "both_network",
    "both_options",
    "both_time_control",
    "dev_branch",
    "dev_bench",
    "dev_network",
    "dev_options",
    "dev_time_control",
    "base_branch",
    "base_bench",
    "base_network",
    "base_options",
    "base_time_control",
    "test_bounds",
    "test_confidence",
    "test_max_games",
    "book_name",
    "upload_pgns",
    "priority",
    "throughput",
    "workload_size",
    "syzygy_wdl",
    "syzygy_adj",
    "win_adj",
    "draw_adj",
];
const TUNE_KEYS: &[&str] = &[
    "dev_branch",
    "dev_bench",
    "dev_network",
    "dev_options",
    "dev_time_control",
    "spsa_reporting_type",
    "spsa_distribution_type",
    "spsa_alpha",
    "spsa_gamma",
    "spsa_A_ratio",
    "spsa_iterations",
    "spsa_pairs_per",
    "book_name",
    "upload_pgns",
    "priority",
    "throughput",
    "syzygy_wdl",
    "syzygy_adj",
    "win_adj",
    "draw_adj",
];
const DATAGEN_KEYS: &[&str] = &["datagen_custom_genfens", "datagen_play_reverses", "datagen_max_games"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn is_known(kind: &str, key: &str) -> bool {
    match kind {
        "tune_presets" => TUNE_KEYS.contains(&key),
        "datagen_presets" => DATAGEN_KEYS.contains(&key) || TEST_KEYS.contains(&key),
        _ => TEST_KEYS.contains(&key),
    }
}

#[test]
fn engine_file_has_the_fields_the_server_expects() {
    let text = fs::read_to_string(root().join("openbench/Stretto.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    assert!(file["private"].is_boolean() && file["nps"].as_u64().unwrap() > 0 && file["source"].is_string());
    assert!(file["build"]["path"].is_string());
    for list in ["compilers", "cpuflags", "systems"] {
        assert!(file["build"][list].as_array().unwrap().iter().all(Value::is_string), "{list}");
    }
    for kind in ["test_presets", "tune_presets", "datagen_presets"] {
        let presets = file[kind].as_object().unwrap();
        assert!(presets.contains_key("default"), "{kind}");
        for (name, preset) in presets {
            for (key, value) in preset.as_object().unwrap() {
                assert!(is_known(kind, key), "{kind}, {name}: {key}");
                if key.ends_with("_options") {
                    let options = value.as_str().unwrap();
                    assert!(options.contains("Threads=") && options.contains("Hash="), "{options}");
                }
            }
        }
    }
}

#[test]
fn sprt_export_uses_the_fields_of_the_form() {
    let config = root().join("configs/sprt/null-move.yaml");
    let run = harness_with_stretto(&["openbench", "export"]).arg(&config).arg("--preset").exits(0);
    let preset: Value = serde_json::from_str(&stdout(&run)).unwrap();
    for (key, value) in [
        ("dev_options", "Threads=1 Hash=16 NullMove=true"),
        ("base_options", "Threads=1 Hash=16 NullMove=false"),
        ("dev_time_control", "N=20000"),
        ("base_time_control", "N=20000"),
        ("book_name", "balanced.epd"),
        ("test_bounds", "[0.00, 20.00]"),
        ("test_confidence", "[0.05, 0.05]"),
        ("win_adj", "movecount=3 score=600"),
        ("draw_adj", "movenumber=34 movecount=8 score=20"),
    ] {
        assert_eq!(preset[key], value, "{key}");
    }
    assert!(preset.as_object().unwrap().keys().all(|key| is_known("test_presets", key)), "{preset}");
    let notes = stderr(&run);
    expect_parts(&notes, &["FEATURES ?= lab", "max_games 6000", "max_moves 200"]);
    let form = harness_with_stretto(&["openbench", "export"]).arg(&config).output().unwrap();
    assert!(stdout(&form).starts_with("test mode            SPRT\n"), "{}", stdout(&form));
}

#[test]
fn tuning_export_lists_its_parameters() {
    let config = root().join("configs/tune/margins.yaml");
    let run = harness_with_stretto(&["openbench", "export"]).arg(&config).exits(0);
    let text = stdout(&run);
    assert!(text.contains("test mode            SPSA\n"), "{text}");
    assert!(text.contains("\nAspirationDelta, int, ?, ?, ?, 4.0, 0.002\n"), "{text}");
    run.stderr_has("stretto tunables");
    let run = harness_with_stretto(&["openbench", "export", "--preset"]).arg(&config).output().unwrap();
    let preset: Value = serde_json::from_str(&stdout(&run)).unwrap();
    assert!(preset.as_object().unwrap().keys().all(|key| is_known("tune_presets", key)), "{preset}");
}

#[test]
fn unsupported_configurations_are_an_error() {
    let lab = Lab::new("ok", "ok").with("games: 2\ntime_control: [40/60, 10+0.1]");
    let config = lab.write_config();
    harness(&["openbench", "export"]).arg(&config).exits(1).stderr_has("engine `first`: 2 stages of a clock");
    let three = Lab::new("ok", "ok").and("third", "ok").with("games: 2");
    let run = harness(&["openbench", "export"]).arg(three.write_config()).exits(1);
    run.stderr_has("3 engines");
    for config in ["configs/match/network-nodestime.yaml", "configs/tune/time.yaml"] {
        let run = harness_with_stretto(&["openbench", "export"]).arg(root().join(config)).exits(1);
        run.stderr_has("found a clock that counts nodes");
        assert_eq!(stdout(&run), "");
    }
}

#[test]
fn imported_match_has_the_same_pairs() {
    let lab = Lab::new("ok seed=1", "crash after=3 seed=4").with("games: 12\nconcurrency: 2");
    lab.run("match", &[]).exits(0);
    let summary = lab.summary();
    let games = lab.run_dir().join("games.pgn");
    let run = harness(&["openbench", "import", "--json", "--dev", "first"]).arg(&games).exits(0);
    let found: Value = serde_json::from_str(&stdout(&run)).unwrap();
    assert_eq!(found["stats"]["pairs"].as_array().unwrap().iter().filter_map(Value::as_u64).sum::<u64>(), 6);
    assert!(summary.to_string().contains(&found["stats"]["pairs"].to_string()), "{summary}\n{found}");
    assert_eq!(found["single"], 0);
    harness(&["openbench", "import", "--bounds", "-5", "0"]).arg(&games).exits(0).stdout_has("LLR");
    harness(&["openbench", "import", "--bounds", "5", "0"]).arg(&games).exits(2);
    let stranger = harness(&["openbench", "import", "--dev", "nobody"]).arg(&games).exits(1);
    stranger.stderr_has("no game of `nobody`");
    let packed = lab.run_dir().join("games.pgn.bz2");
    fs::write(&packed, b"BZh91AY&SY\x00\xff\x80packed").unwrap();
    harness(&["openbench", "import"]).arg(&packed).exits(1).stderr_has("games.pgn.bz2: no game in PGN");
}

#[test]
fn games_without_openings_are_imported_with_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("games.pgn");
    let import = |moves: [&str; 4]| {
        let games = [("a", "b", "1-0"), ("a", "b", "0-1"), ("b", "a", "0-1"), ("b", "a", "1-0")];
        let text = games.iter().zip(moves).map(|((white, black, result), moves)| {
            let tags = [("Event", "x"), ("White", white), ("Black", black), ("Result", result)];
            let tags = tags.map(|(name, value)| format!("[{name} \"{value}\"]\n")).concat();
            format!("{tags}\n{moves} {result}\n\n")
        });
        fs::write(&file, text.collect::<String>()).unwrap();
        let run = harness(&["openbench", "import", "--json"]).arg(&file).exits(0);
        let found: Value = serde_json::from_str(&stdout(&run)).unwrap();
        (found["stats"]["pairs"].to_string(), stderr(&run))
    };
    let (pairs, warning) = import(["1. e4", "1. d4", "1. d4", "1. e4"]);
    assert_eq!(pairs, "[1,0,0,0,1]", "in order of the file");
    assert!(warning.starts_with("warning: 4 games have neither a FEN nor "), "{warning}");
    let (pairs, warning) = import(["1. e4 {book}", "1. d4 {book}", "1. d4 {book}", "1. e4 {book}"]);
    assert_eq!((pairs.as_str(), warning.as_str()), ("[0,0,2,0,0]", ""));
}

#[test]
fn completions_and_man_pages_cover_every_command() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("man1");
    harness(&["man"]).arg(&folder).exits(0);
    let help = stdout(&harness(&["--help"]).output().unwrap());
    // Commands are listed under headings, before the options.
    let commands =
        help.lines().skip_while(|line| *line != "Commands:").take_while(|line| *line != "Options:");
    let bash = stdout(&harness(&["completions", "bash"]).output().unwrap());
    let mut count = 0;
    for name in commands.filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next()) {
        count += 1;
        assert!(folder.join(format!("harness-{name}.1")).is_file(), "{name}");
        assert!(bash.contains(name), "{name}");
    }
    assert_eq!(count, 21, "{help}");
    let version = stdout(&harness(&["--version"]).output().unwrap());
    assert!(
        version.starts_with(concat!("harness ", env!("CARGO_PKG_VERSION"))) && version.contains("\ncommit ")
    );
    // A package may install the program under another name.
    let folder = dir.path().join("other");
    harness(&["man", "--name", "bench-harness"]).arg(&folder).exits(0);
    let page = std::fs::read_to_string(folder.join("bench-harness-match.1")).unwrap();
    assert!(page.contains("bench\\-harness\\-match"), "{page}");
    assert!(!folder.join("harness.1").exists());
    let fish = stdout(&harness(&["completions", "fish", "--name", "bench-harness"]).output().unwrap());
    assert!(fish.contains("complete -c bench-harness"), "{fish}");
    harness(&["completions", "smoke-signals"]).exits(2);
}
