//! The command line: calls without a configuration file, `--set`, `--quiet`, `runs` and `schema`.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::{BOOK, Exits, Has, Lab, expect_code, expect_parts, harness, stderr, stdout, workshop};
use serde_json::Value;
use stretto_harness::base::programs::program_of;

/// A folder with engines `a` and `b`, in which the harness is called.
struct Shop {
    dir: tempfile::TempDir,
}

impl Shop {
    fn new(first: &str, second: &str) -> Self {
        let shop = Self { dir: tempfile::tempdir().unwrap() };
        for (name, mode) in [("a", first), ("b", second)] {
            let file = shop.path(name);
            let script = format!("#!/bin/sh\nexec {} {mode}\n", env!("CARGO_BIN_EXE_fake-engine"));
            fs::write(&file, script).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::write(shop.path("book.epd"), BOOK).unwrap();
        shop
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The harness in this folder, with a cache of its own.
    fn command(&self, args: &[&str]) -> Command {
        let mut command =
            if program_of(args[0]) == Some("workshop") { workshop(args) } else { harness(args) };
        command.current_dir(self.dir.path()).env("XDG_CACHE_HOME", self.path("cache"));
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }
}

fn lines(text: &str) -> usize {
    text.lines().count()
}

const RULES: [&str; 2] = ["--set", "adjudication.max_moves=6"];

#[test]
fn resumed_run_keeps_to_the_folder_in_which_it_was_begun() {
    let shop = Shop::new("ok log=dialogue.txt", "ok");
    let output = ["--set", "output={pgn: {file: my.pgn}}", "--set", "engines[1].working_dir=."];
    let args = ["match", "./a", "./b", "--nodes", "50", "--openings", "book.epd", "-n", "2", "-o", "run"];
    shop.run(&[&args[..], &RULES, &output].concat()).exits(0);
    let before = lines(&shop.text("dialogue.txt"));
    fs::create_dir(shop.path("elsewhere")).unwrap();
    let run = shop.path("run").display().to_string();
    let mut resume = shop.command(&["match", "--resume", &run, "--set", "games=4"]);
    resume.current_dir(shop.path("elsewhere")).exits(0);
    assert_eq!(fs::read_dir(shop.path("elsewhere")).unwrap().count(), 0);
    assert!(lines(&shop.text("dialogue.txt")) > before);
    assert_eq!(shop.text("my.pgn").matches("[Result ").count(), 4);
}

#[test]
fn match_without_a_file_keeps_the_configuration_it_stands_for() {
    let shop = Shop::new("ok", "ok");
    let args = [
        "match",
        "./a",
        "./b",
        "--nodes",
        "100",
        "--openings",
        "book.epd",
        "-n",
        "4",
        "-j",
        "2",
        "-o",
        "run",
    ];
    let output = shop.run(&[&args[..], &RULES].concat()).exits(0);
    let kept = format!("configuration: {}", shop.path("run/config.yaml").display());
    output.stderr_has(&kept);
    let config = shop.text("run/config.yaml");
    let engine = shop.path("a").display().to_string();
    for expected in [
        "name: a\n",
        &format!("command: {engine}"),
        "nodes: 100",
        "games: 4",
        "concurrency: 2",
        "max_moves: 6",
    ] {
        assert!(config.contains(expected), "{expected}: {config}");
    }
    let manifest = shop.text("run/manifest.yaml");
    assert!(manifest.contains(&format!("config_file: {}", shop.path("run/config.yaml").display())));
    assert_eq!(lines(&shop.text("run/journal.jsonl")), 4);

    // The kept file is a configuration like any other, from any folder.
    harness(&["match"]).arg(shop.path("run/config.yaml")).arg("-o").arg(shop.path("again")).exits(0);
    assert_eq!(lines(&shop.text("again/journal.jsonl")), 4);

    // Resuming takes the kept copy; more games make the run longer.
    harness(&["match", "--resume"]).arg(shop.path("run")).exits(0);
    let longer: Vec<&str> = args.map(|arg| if arg == "4" { "6" } else { arg })[..11].to_vec();
    shop.run(&[&longer[..], &RULES, &["--resume", "run"]].concat()).exits(0);
    assert_eq!(lines(&shop.text("run/journal.jsonl")), 6);
    assert!(shop.text("run/config.yaml").contains("games: 6"));
}

#[test]
fn default_openings_and_positions_ship_with_the_program() {
    let shop = Shop::new("ok", "ok");
    shop.run(&[&["match", "a", "b", "--depth", "2", "-n", "2", "-o", "run"][..], &RULES].concat()).exits(0);
    let config = shop.text("run/config.yaml");
    assert!(!config.contains("openings"), "the configuration is the same on every machine: {config}");
    // The file comes back when the cache was cleared, also for a configuration that names its path.
    fs::remove_dir_all(shop.path("cache")).unwrap();
    shop.run(&["match", "--resume", "run"]).exits(0);
    let name =
        names(&shop.path("cache/stretto-harness")).into_iter().find(|name| name.starts_with("balanced-"));
    let file = shop.path("cache/stretto-harness").join(name.unwrap());
    fs::remove_file(&file).unwrap();
    fs::write(shop.path("old.yaml"), format!("{config}openings: {{ file: {} }}\n", file.display())).unwrap();
    shop.run(&["match", "old.yaml", "-o", "old"]).exits(0);
    // Other settings of the openings need no file.
    shop.run(&["match", "run/config.yaml", "--set", "openings.order=sequential", "-o", "next"]).exits(0);
    shop.run(&["bench", "a", "b", "--nodes", "50", "--repetitions", "1", "-o", "bench"]).exits(0);
    assert_eq!(lines(&shop.text("bench/journal.jsonl")), 3 * 60, "two engines and the control");
    assert!(!shop.text("bench/config.yaml").contains("positions"), "{}", shop.text("bench/config.yaml"));
    // Another cache folder has the same files, also where a configuration names those of the first.
    let moved =
        |args: &[&str]| shop.command(args).env("XDG_CACHE_HOME", shop.path("moved")).output().unwrap();
    fs::remove_dir_all(shop.path("cache")).unwrap();
    for run in [["match", "run"], ["match", "old"], ["bench", "bench"]] {
        moved(&[run[0], "--resume", run[1]]).exits(0);
    }
    assert!(!shop.path("cache").exists());
    let own = ["match", "--resume", "run", "--set", "openings.file=book.epd"];
    moved(&own).exits(1).stderr_has("config.openings.file: shipped balanced-");
}

#[test]
fn sprt_without_a_file_takes_its_bounds_from_arguments() {
    let shop = Shop::new("ok cp=900", "ok cp=-900");
    // One worker: the engines of two workers have the same random numbers, and repeated games end the test.
    let rules = ["-j", "1", "--set", "adjudication.win={ score: 500, moves: 1 }"];
    let args = [
        "sprt",
        "./a",
        "./b",
        "--nodes",
        "50",
        "--openings",
        "book.epd",
        "--elo",
        "-5",
        "50",
        "--alpha",
        "0.1",
        "--expect",
        "h1",
        "--out",
        "run",
    ];
    shop.run(&[&args[..], &rules].concat()).exits(0);
    let config = shop.text("run/config.yaml");
    expect_parts(&config, &["elo0: -5.0", "elo1: 50.0", "alpha: 0.1"]);
    let plan =
        shop.run(&["sprt", "./a", "./b", "--tc", "2+0.02", "--elo", "0", "10", "--plan", "-j", "1"]).exits(0);
    plan.stdout_has("H1: 10 nElo against H0: 0 nElo").stdout_has("1 game at once");
}

#[test]
fn smp_without_a_file_takes_a_list_of_threads() {
    let shop = Shop::new("team", "team");
    fs::write(shop.path("few.epd"), &BOOK[..BOOK.len() / 2]).unwrap();
    shop.run(&[
        "smp",
        "./a",
        "--threads",
        "1,2",
        "--depth",
        "3",
        "--positions",
        "few.epd",
        "--option",
        "Hash=16",
        "-o",
        "run",
    ])
    .exits(0);
    let config = shop.text("run/config.yaml");
    assert!(config.contains("threads:\n- 1\n- 2\n") && config.contains("Hash: 16"), "{config}");
}

#[test]
fn smp_without_a_limit_measures_speed_beside_processes() {
    let shop = Shop::new("team", "team");
    fs::write(shop.path("one.epd"), BOOK.lines().next().unwrap()).unwrap();
    let config = |out: &str, args: &[&str]| {
        let few = ["--positions", "one.epd", "--set", "repetitions=1", "-o", out];
        shop.run(&[&["smp", "./a", "--threads", "1,2"], &few[..], args].concat()).exits(0);
        shop.text(&format!("{out}/config.yaml"))
    };
    let text = config("default", &[]);
    assert!(text.contains("movetime: 500\n") && text.contains("separate_processes: true\n"), "{text}");
    let text = config("movetime", &["--movetime", "70"]);
    assert!(text.contains("movetime: 70\n") && text.contains("separate_processes: true\n"), "{text}");
    let text = config("depth", &["--depth", "9"]);
    assert!(!text.contains("movetime") && !text.contains("separate_processes"), "{text}");
    let text = config("without", &["--movetime", "70", "--set", "separate_processes=false"]);
    assert!(text.contains("separate_processes: false\n"), "{text}");
    let text = config("override", &["--set", "depth=9"]);
    assert!(text.contains("depth: 9\n") && !text.contains("movetime"), "{text}");
}

#[test]
fn limit_by_set_replaces_the_default_depth_of_bench() {
    let shop = Shop::new("ok", "ok");
    fs::write(shop.path("one.epd"), BOOK.lines().next().unwrap()).unwrap();
    let args = ["bench", "./a", "./b", "--set", "nodes=200", "--positions", "one.epd", "-o", "run"];
    shop.run(&args).exits(0);
    let config = shop.text("run/config.yaml");
    assert!(config.contains("nodes: 200\n") && !config.contains("depth"), "{config}");
}

#[test]
fn errors_name_the_argument() {
    let shop = Shop::new("ok", "ok");
    let two = ["match", "./a", "./b", "--openings", "book.epd"];
    for (args, expected) in [
        (&["--tc", "8s", "-n", "2"][..], "error: --tc 8s: time_control: `8s` in time control"),
        (&["--nodes", "5", "-n", "3"], "error: --games 3: games: 3: expected an even number above 0"),
        (&["--nodes", "5"], "error: --games: games: missing: a match needs a number of games"),
        (&["-n", "2"], "error: no limit for the engines: expected --tc, --nodes, --depth or --movetime"),
        (&["--nodes", "5", "-n", "2", "--openings", "no.epd"], "error: the argument '--openings"),
        (&["--nodes", "5", "-n", "2", "--option", "Nonsense=1"], "error: --option Nonsense=1: "),
        (
            &["--nodes", "5", "-n", "2", "--hash", "8", "--option", "hash=8"],
            "error: --option hash=8: hash is set twice",
        ),
        (
            &["--nodes", "5", "-n", "2", "--set", "sed=1"],
            "error: --set sed=1: unknown field `sed`, did you mean `seed`?",
        ),
        (
            &["--nodes", "5", "-n", "2", "x.yaml"],
            "error: x.yaml: expected one configuration file, or engines",
        ),
        (&["--nodes", "5", "-n", "2", "./c"], "error: ./c: engines[2].command: no such engine `./c`"),
    ] {
        let output = shop.run(&[&two[..], args].concat());
        assert_ne!(output.status.code(), Some(0), "{args:?}");
        assert!(stderr(&output).starts_with(expected), "{args:?}: {}", stderr(&output));
    }
    let output = shop.run(&["match", "./a", "./b", "--nodes", "5", "-n", "2", "--openings", "no.epd"]);
    assert!(stderr(&output).starts_with("error: --openings "), "{}", stderr(&output));
    for args in [&[][..], &["-n", "2"], &["--alpha", "0.1"]] {
        let output = shop.run(&[&["sprt", "./a", "./b", "--nodes", "5"], args].concat());
        let expected = "error: a test needs bounds: expected --elo ELO0 ELO1";
        assert!(stderr(&output).starts_with(expected), "{args:?}: {}", stderr(&output));
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
    let output = shop.run(&["sprt", "./nosuch", "./b"]);
    let expected = "error: ./nosuch: engines[0].command: no such engine `./nosuch`";
    assert!(stderr(&output).starts_with(expected), "before the missing limit: {}", stderr(&output));
    assert_eq!(output.status.code(), Some(2));
    let output = shop.run(&["match", "./a", "./b", "--elo", "0", "5"]);
    output.stderr_has("\n\n  tip: only a test has bounds");
    let output = shop.run(&["match", "./a", "./b", "--nodes", "5", "-n", "2", "-j", "100000"]);
    output.stderr_has("expected at most 1024");
    let output = shop.run(&["doctor", "./a", "--option", "Hsh=5", "--only-engine"]);
    let expected = "error: options.Hsh: the engine `a` has no option of this name; did you mean `Hash`?";
    assert!(stderr(&output).starts_with(expected), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(2));
    let output = shop.run(&["sprt", "./a", "./b", "--nodes", "5", "--elo", "0", "5", "--model", "bayesian"]);
    assert!(stderr(&output).starts_with("error: --model bayesian: "), "{}", stderr(&output));
    let output = shop.run(&["sprt", "./a", "./b", "--nodes", "5", "--elo", "0", "5", "-n", "7"]);
    assert!(stderr(&output).starts_with("error: --games 7: sprt.max_games: 7"), "{}", stderr(&output));
    let output = shop.run(&["sprt", "./a", "./b", "--nodes", "5", "--elo", "5", "0"]);
    assert!(
        stderr(&output).starts_with("error: --elo 5 0: sprt.elo0: 5: expected less than elo1, which is 0"),
        "{}",
        stderr(&output)
    );
    let output = shop.run(&["smp", "./a"]);
    assert!(
        stderr(&output).starts_with("error: --threads is missing: expected the numbers"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn flags_of_engines_are_refused_beside_a_file() {
    let lab = Lab::new("ok", "ok").with("games: 2");
    for args in
        [&["--tc", "8+0.08"][..], &["-n", "4"], &["--hash", "16"], &["-t", "2"], &["--option", "Hash=1"]]
    {
        lab.run("match", args).exits(2).stderr_has("needs engines on the command line; --set");
    }
}

#[test]
fn print_config_of_a_file_has_the_overrides() {
    let shop = Shop::new("ok", "ok");
    for (kind, text, set) in [
        ("ablate", "engine: { command: sh }\nswitches: [Lmr]\ndepth: 3\n".to_owned(), "depth=4"),
        (
            "equivalence",
            "engine: { command: sh }\nnodes: 99\nthreads: [2]\nfactors: [1, 2]\ngames: 2\n".to_owned(),
            "games=4",
        ),
        (
            "screen",
            "engines: [{ command: sh }]\nnodes: 9\ngames: 2\nscreen: { switches: [Lmr] }\n".to_owned(),
            "games=4",
        ),
    ] {
        std::fs::write(shop.path("one.yaml"), text).unwrap();
        let output = shop.run(&[kind, "one.yaml", "--set", set, "--print-config"]).exits(0);
        assert!(stdout(&output).contains(&set.replace('=', ": ")), "{kind}: {}", stdout(&output));
        shop.run(&[kind, "one.yaml", "--set", "typo=1", "--print-config"]).exits(2);
    }
    assert!(!shop.path("results").exists());
}

#[test]
fn print_config_plays_nothing() {
    let shop = Shop::new("ok", "ok");
    let output = shop.run(&["match", "a", "b", "--tc", "8+0.08", "-n", "10", "--print-config"]).exits(0);
    let text = stdout(&output);
    assert!(text.starts_with("# harness match a b --tc 8+0.08 -n 10 --print-config\nengines:\n"), "{text}");
    assert!(text.contains("time_control: 8+0.08\n") && !shop.path("results").exists(), "{text}");
    let output = shop.run(&["bench", "a", "b", "--print-config"]).exits(0);
    let text = stdout(&output);
    assert!(text.starts_with("# harness bench a b --print-config\nengines:\n"), "{text}");
    assert!(text.contains("depth: 12\n") && !shop.path("results").exists(), "{text}");
    assert!(!text.contains("positions"), "the shipped positions need no path: {text}");
    let output = shop.run(&["smp", "a", "b", "--threads", "1,2", "--print-config"]).exits(0);
    let text = stdout(&output);
    assert!(text.contains("movetime: 500\n") && !shop.path("results").exists(), "{text}");
    let help = stdout(&shop.run(&["bench", "--help"]));
    assert!(help.contains("searched to depth 12"), "the default limit: {help}");
    let output = shop.run(&["bench", "--print-config"]).exits(2);
    output.stderr_has("--print-config needs engines on the command line");
}

#[test]
fn missing_engines_are_explained() {
    let shop = Shop::new("ok", "ok");
    fs::write(shop.path("plain"), "text").unwrap();
    for (args, expected) in [
        (
            &["sprt"][..],
            "expected engines (programs, or --dev REVISION and --base REVISION), a configuration",
        ),
        (&["sprt", "./plain", "--base", "main", "--tc", "1"], "`plain` is not executable"),
        (&["sprt", "./aa", "./b", "--tc", "1"], "no such engine `./aa`"),
    ] {
        let output = shop.run(args).exits(2);
        assert!(stderr(&output).contains(expected), "{args:?}: {}", stderr(&output));
    }
}

#[test]
fn run_is_resumed_by_its_run_id() {
    let shop = Shop::new("ok", "ok");
    let args = ["match", "./a", "./b", "--nodes", "5", "-n", "2", "--openings", "book.epd", "--run-id", "s1"];
    shop.run(&[&args[..], &RULES].concat()).exits(0);
    assert!(shop.path("results/runs/match-s1").is_dir());
    shop.run(&["match", "--resume", "s1"]).exits(0).stdout_has("2 games played");
    let output = shop.run(&["report", "s1"]).exits(0);
    output.stdout_has("2 games");
    let text = stdout(&output);
    let output = shop.run(&["report", "s1", "--out", "results/runs/match-s1/manifest.yaml/reports"]).exits(1);
    assert_eq!(stdout(&output), text, "the report is printed although it cannot be written");
}

#[test]
fn model_of_the_bounds_is_part_of_the_test() {
    let shop = Shop::new("ok", "ok");
    let args = ["sprt", "./a", "./b", "--nodes", "5", "--elo", "0", "5", "--print-config"];
    for model in ["normalized", "logistic"] {
        let output = shop.run(&[&args[..], &["--model", model]].concat());
        output.stdout_has(&format!("model: {model}\n"));
    }
}

#[test]
fn overrides_change_a_file_and_are_kept() {
    let lab = Lab::new("ok", "ok").with("games: 8\nconcurrency: 1");
    lab.run("match", &["--set", "games=2", "--set", "engines[1].name=other"]).exits(0);
    assert_eq!(lab.journal().len(), 2);
    let manifest = fs::read_to_string(lab.run_dir().join("manifest.yaml")).unwrap();
    assert!(manifest.contains("games: 2") && manifest.contains("name: other"), "{manifest}");
    assert!(!lab.run_dir().join("config.yaml").exists(), "relative names belong to the folder of the file");
    lab.resume("match", &[]).exits(0);
    let wrong = Lab::new("ok", "ok").with("games: 8");
    for (set, expected) in [
        ("gmes=2", "error: --set gmes=2: unknown field `gmes`, did you mean `games`?"),
        ("games=3", "error: --set games=3: games: 3: expected an even number"),
        ("engines[7].name=x", "error: --set engines[7].name=x: `engines` is a list of 2"),
        ("games", "error: --set games: expected FIELD=VALUE"),
    ] {
        let output = wrong.run("match", &["--set", set]).exits(2);
        assert!(stderr(&output).starts_with(expected), "{set}: {}", stderr(&output));
    }
}

#[test]
fn quiet_prints_the_result_alone_and_verbose_every_game() {
    let lab = Lab::new("ok", "ok").with("games: 4\nconcurrency: 1");
    let output = lab.run("match", &["-q"]).exits(0);
    assert_eq!(stderr(&output), "");
    output.stdout_has("first");
    let lab = Lab::new("ok", "ok").with("games: 4\nconcurrency: 1");
    let output = lab.run("match", &["-v"]).exits(0);
    for game in 1..=4 {
        output.stderr_has(&format!("game {game}: "));
    }
    lab.run("match", &["-q", "-v"]).exits(2);
}

#[test]
fn help_opens_with_the_commands_of_engine_authors() {
    let output = harness(&["--help"]).exits(0);
    let help = stdout(&output);
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(
        commands,
        ["sprt", "match", "bench", "smp", "tune", "doctor", "watch", "report", "replay"],
        "{help}"
    );
    assert!(help.contains("\nMore:\n  suite "), "{help}");
}

#[test]
fn commands_of_the_workshop_are_named() {
    for (args, expected) in [
        (&["tb", "generate", "KQvK", "--out", "x"][..], "moved: `workshop tb generate`"),
        (&["-q", "train", "a.yaml"], "moved: `workshop train`"),
        (&["claims"], "moved: `workshop claims`"),
    ] {
        let output = harness(args).exits(2);
        assert!(stderr(&output).contains(expected), "{args:?}: {}", stderr(&output));
    }
    workshop(&["match", "a", "b"]).exits(2).stderr_has("moved: `harness match`");
}

/// A folder with runs: one finished, one interrupted, one failed, one empty, one in progress, and one without a manifest.
fn runs() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let manifest = |kind: &str, created: &str| {
        format!(
            "version: 1\nkind: {kind}\ncreated: {created}\nharness: 0.2.0\nhost: {{ name: h, system: s, cpu: c, cores: 1, \
             concurrency: 1 }}\nidentity: {{}}\nconfig_file: a.yaml\nconfig_text: ''\n"
        )
    };
    for (name, kind, created, journal, summary) in [
        ("match-old", "match", "2020-01-02T03:04:05Z", "{}\n{}\n", r#"{ "state": "finished" }"#),
        ("sprt-half", "sprt", "2020-02-02T03:04:05Z", "{}\n", r#"{ "state": "running" }"#),
        ("sprt-faulty", "sprt", "2020-01-20T03:04:05Z", "{}\n", r#"{ "state": "failed" }"#),
        ("train-new", "train", "2999-01-01T00:00:00Z", "{}\n", r#"{ "is_finished": true }"#),
        ("bench-none", "bench", "2021-01-01T00:00:00Z", "", ""),
        ("smp-busy", "smp", "2019-01-01T00:00:00Z", "{}\n", r#"{ "state": "finished" }"#),
    ] {
        let run = dir.path().join(name);
        fs::create_dir_all(&run).unwrap();
        fs::write(run.join("manifest.yaml"), manifest(kind, created)).unwrap();
        fs::write(run.join("journal.jsonl"), journal).unwrap();
        if !summary.is_empty() {
            fs::write(run.join("summary.json"), summary).unwrap();
        }
    }
    fs::write(dir.path().join("match-old/report.md"), "# a against b: 2 games played\n\nmore\n").unwrap();
    fs::create_dir_all(dir.path().join("notes")).unwrap();
    fs::write(dir.path().join("notes/journal.jsonl"), "").unwrap();
    dir
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn runs_are_listed_newest_first() {
    let dir = runs();
    let busy = fs::File::create(dir.path().join("smp-busy/lock")).unwrap();
    busy.lock().unwrap();
    let output = harness(&["runs", "list", "--json", "--folder"]).arg(dir.path()).exits(0);
    let list: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let text = |run: &Value, key: &str| run[key].as_str().unwrap().to_owned();
    let found: Vec<(String, String, String)> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|run| (text(run, "kind"), text(run, "id"), text(run, "state")))
        .collect();
    let expected = [
        ("train", "new", "finished"),
        ("bench", "none", "empty"),
        ("sprt", "half", "interrupted"),
        ("sprt", "faulty", "failed"),
        ("match", "old", "finished"),
        ("smp", "busy", "running"),
    ];
    let expected = expected.map(|(kind, id, state)| (kind.to_owned(), id.to_owned(), state.to_owned()));
    assert_eq!(found, expected);
    assert_eq!(list[4]["tasks"], 2);
    let files = fs::read_dir(dir.path().join("match-old")).unwrap();
    let bytes: u64 = files.map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert_eq!(list[4]["size"], bytes);
    let table = harness(&["runs", "list", "--folder"]).arg(dir.path()).output().unwrap();
    let table = stdout(&table);
    assert!(table.contains("2020-01-02 03:04:05") && table.contains("6 runs, "), "{table}");
    let old = table.lines().find(|line| line.starts_with("match-old ")).expect("the name of the folder");
    assert!(old.ends_with("a against b: 2 games played"), "{old}");
    harness(&["runs", "list", "--folder"]).arg(dir.path().join("nothing")).exits(0);
}

#[test]
fn arguments_need_not_be_utf_8() {
    let shop = Shop::new("ok", "ok");
    let name = std::ffi::OsStr::from_bytes(b"\xff.epd");
    let mut command = shop.command(&["match", "./a", "./b", "--nodes", "100", "-n", "2", "--openings"]);
    let output = command.arg(name).output().unwrap();
    assert!(stderr(&output).starts_with("error: --openings "), "{}", stderr(&output));
    expect_code(&output, 2);
    let unknown = shop.command(&["--quiet"]).arg(name).output().unwrap();
    assert!(stderr(&unknown).starts_with("error: unrecognized subcommand"), "{}", stderr(&unknown));
    expect_code(&unknown, 2);
}

#[test]
fn folder_in_the_working_directory_does_not_hide_a_run() {
    let shop = Shop::new("ok", "ok");
    let args =
        ["match", "./a", "./b", "--nodes", "100", "--openings", "book.epd", "-n", "2", "--run-id", "tune"];
    shop.run(&[&args[..], &RULES].concat()).exits(0);
    fs::create_dir(shop.path("tune")).unwrap();
    shop.run(&["match", "--resume", "tune"]).exits(0);
    shop.run(&["report", "tune"]).exits(0);
    shop.run(&["sprt", "--resume", "tune"]).exits(2).stderr_has("is not a run of `harness sprt`");
    // Nor does `--out` replace a file in it.
    fs::write(shop.path("tune/games.pgn"), "mine").unwrap();
    let taken = shop.run(&[&args[..9], &["-o", "tune"], &RULES].concat()).exits(1);
    taken.stderr_has("tune already has `games.pgn`");
    assert_eq!(shop.text("tune/games.pgn"), "mine");
}

#[test]
fn schemas_are_printed_and_files_checked() {
    let output = harness(&["schema", "sprt"]).exits(0);
    let schema: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(schema["title"], "Configuration of harness sprt");
    assert_eq!(schema["properties"]["time_margin"]["default"], 50);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.yaml");
    fs::write(&file, "data: [x.vf]\nhiden: 64\n").unwrap();
    harness(&["schema", "train"]).exits(2).stderr_has("`workshop schema train`");
    let output = workshop(&["schema", "train", "--check"]).arg(&file).exits(2);
    assert!(stderr(&output).contains("a.yaml:2:1: unknown field `hiden`, did you mean `hidden`?"));
    // Every faulty file is reported.
    let other = dir.path().join("b.yaml");
    fs::write(&other, "hiden: 64\n").unwrap();
    let both = workshop(&["schema", "train", "--check"]).args([&file, &other]).exits(2);
    assert!(
        stderr(&both).contains("a.yaml:2:1: ") && stderr(&both).contains("b.yaml:1:1: "),
        "{}",
        stderr(&both)
    );
    fs::write(&other, "data: [x.vf]\nhidden: 64\n").unwrap();
    let both = workshop(&["schema", "train", "--check"]).args([&file, &other]).exits(2);
    assert_eq!(stdout(&both), format!("{}: ok\n", other.display()), "the data need not exist");
    harness(&["schema", "nonsense"]).exits(2);
}

#[test]
fn options_of_fastchess_without_its_flag_are_explained() {
    let output = harness(&["match", "-engine", "cmd=a", "-engine", "cmd=b"]).exits(2);
    assert!(stderr(&output).contains("`-engine` is an option of fastchess: put --from-fastchess"));
}

#[test]
fn incomplete_arguments_name_what_to_add() {
    for (args, expected) in [
        (&["sprt", "--dev", "x"][..], "--dev needs a second engine: add --base REVISION, or a program"),
        (&["match", "--base", "x", "--tc", "1+1"], "--base needs a second engine: add --dev REVISION"),
        (&["watch", "--listen", "127.0.0.1:8777"], "without a port: --listen 127.0.0.1 --port 8777"),
        (&["watch", "--listen", "here"], "expected an IP address"),
    ] {
        let output = harness(args).exits(2);
        assert!(stderr(&output).contains(expected), "{args:?}: {}", stderr(&output));
    }
}

#[test]
fn messages_describe_values_and_not_types_of_the_program() {
    let shop = Shop::new("ok", "ok");
    let recipe = "engine: { name: a, command: ./a }\noutput: o.epd\ncount: 3\nnodes: 100\nlimit: 5\nplies: { min: 1, max: 2 }\n";
    let refused = |args: &[&str], file: &str| {
        fs::write(shop.path("o.yaml"), file).unwrap();
        let output = shop.run(args).exits(2);
        stderr(&output)
    };
    let file = |from: &str, to: &str| refused(&["openings", "o.yaml"], &recipe.replace(from, to));
    for (found, expected) in [
        (
            file("count: 3", "count: x"),
            "o.yaml:3:8: count: expected a whole number of at least 1, found \"x\"",
        ),
        (file("count: 3", "count: 0"), "count: expected a whole number of at least 1, found 0"),
        (file("plies: { min: 1, max: 2 }", "plies: 4"), "plies: expected a group of fields, found 4"),
        (
            file("limit: 5", "score: { side: left, min: 0, max: 1 }"),
            "score.side: unknown value `left`, expected one of",
        ),
        (file("name: a", "name: [a]"), "engine.name: expected text, found a list"),
        (refused(&["tb", "stats", "KQvK", "--threads", "x"], ""), "'--threads <N>': expected a whole number"),
        (refused(&["tb", "stats", "KQvK", "--threads", "0"], ""), "expected a whole number of at least 1"),
        (refused(&["tb", "stats", "--pieces", "7"], ""), "'--pieces <N>': expected 3 to 5"),
        (refused(&["sprt", "a.yaml", "--alpha", "x"], ""), "'--alpha <P>': expected a number"),
        (
            refused(&["ablate", "o.yaml"], "engine: { command: ./a }\nswitches: 5\npositions: { file: p }\n"),
            "expected `all` or a list of names",
        ),
    ] {
        assert!(found.contains(expected), "{expected}: {found}");
        for jargon in ["u32", "u64", "struct", "variant", "invalid type", "invalid digit", "untagged", "Raw"]
        {
            assert!(!found.contains(jargon), "{jargon}: {found}");
        }
    }
}

#[test]
fn missing_files_are_reported_with_the_places_searched() {
    let shop = Shop::new("ok", "ok");
    let here = shop.dir.path().canonicalize().unwrap();
    let here = here.display();
    for (args, code, expected) in [
        (&["openings", "none.yaml"][..], 2, format!("none.yaml: no such file (tried {here}/none.yaml)")),
        (
            &["match", "zz", "b", "--nodes", "9", "-n", "2"][..],
            2,
            "no engine `zz` next to the harness".to_owned(),
        ),
        (
            &["match", "zz", "b", "--nodes", "9", "-n", "2"][..],
            2,
            "a path such as ./zz needs a slash".to_owned(),
        ),
        (
            &["report", "lost"][..],
            1,
            "no run `lost` (tried lost, results/runs/lost, results/runs/<kind>-lost)".to_owned(),
        ),
        (
            &["sprt", "--resume", "lost"][..],
            1,
            "no run `lost` (tried lost, results/runs/lost, results/runs/sprt-lost)".to_owned(),
        ),
    ] {
        let output = shop.run(args).exits(code);
        assert!(stderr(&output).contains(&expected), "{expected}: {}", stderr(&output));
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /dev/full")]
fn output_that_cannot_be_written_is_an_error() {
    for mut command in [harness(&["schema", "sprt"]), workshop(&["schema", "train"])] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = command.stdout(full).exits(1);
        assert!(stderr(&output).starts_with("error: cannot write to stdout: "), "{}", stderr(&output));
    }
}
