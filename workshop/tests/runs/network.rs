//! Process tests of `workshop datagen`, `data` and `train`: games, tools, networks and damaged
//! files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::{
    Exits, Has, await_that, fake_engine, harness, killed, program, silent, stderr, stdout, stretto,
    summary_of, workshop,
};

/// A folder with a datagen and a training configuration.
struct Shop(tempfile::TempDir);

impl Shop {
    fn new(games: u32) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let recipe = format!("evaluation: material\nsoft_nodes: 20\ngames: {games}\nseed: 1\nhash: 1\n");
        fs::write(dir.path().join("games.yaml"), recipe).unwrap();
        let recipe = "data: [games/games.vf]\nhidden: 64\nthreads: 1\nvalidation: 0.2\n\
                      training: { epochs: 3, batch: 64, rate: 0.003 }\n";
        fs::write(dir.path().join("train.yaml"), recipe).unwrap();
        Self(dir)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs `workshop ARGS` in the folder.
    fn run(&self, args: &[&str]) -> Output {
        workshop(args).current_dir(self.0.path()).output().unwrap()
    }

    fn make_games(&self, out: &str) -> Vec<u8> {
        self.run(&["datagen", "games.yaml", "--out", out, "--concurrency", "2"]).exits(0);
        fs::read(self.path(out).join("games.vf")).unwrap()
    }
}

/// Changes the manifest of a generation of games as if another version of the engine had played them.
fn play_by_another_engine(folder: &Path) {
    let file = folder.join("manifest.yaml");
    let manifest = fs::read_to_string(&file).unwrap();
    let signature = manifest.lines().find(|line| line.trim().starts_with("engine_signature: ")).unwrap();
    fs::write(&file, manifest.replace(signature.trim(), "engine_signature: 1")).unwrap();
}

#[test]
fn training_on_generated_games_gives_a_network() {
    let shop = Shop::new(192);
    let games = shop.make_games("games");
    assert_eq!(summary_of(&shop.path("games"))["totals"]["bytes"], games.len());
    let trained = shop.run(&["train", "train.yaml", "--out", "net"]).exits(0);
    trained.stdout_has("network written to net/stretto.network");
    let summary = summary_of(&shop.path("net"));
    assert_eq!(summary["epochs"].as_array().unwrap().len(), 3);
    let name = summary["manifest"].as_str().unwrap();
    let network = fs::read(shop.path("net/stretto.network")).unwrap();
    let found = u128::from_be_bytes(network[40..56].try_into().unwrap());
    assert_eq!(name, format!("{found:032x}"), "the file contains the hash of its training manifest");
    let html = fs::read_to_string(shop.path("net/report.html")).unwrap();
    assert!(html.contains("<svg") && html.contains("quantised"), "{html}");

    // A finished training does not read the games again.
    let again = shop.run(&["train", "--resume", "net"]).exits(0);
    assert!(!stderr(&again).contains("validation positions"), "{}", stderr(&again));
    assert!(!shop.path("net/shards").exists());
    fs::rename(shop.path("net/stretto.network"), shop.path("moved.network")).unwrap();
    shop.run(&["train", "--resume", "net"]).exits(0).stdout_has("network is missing: net/stretto.network");
    fs::rename(shop.path("moved.network"), shop.path("net/stretto.network")).unwrap();
    assert_eq!(summary_of(&shop.path("net")), summary);

    // The network plays the next games.
    let recipe = "evaluation: network\nnetwork: net/stretto.network\nsoft_nodes: 20\ngames: 64\nhash: 1\n";
    fs::write(shop.path("next.yaml"), recipe).unwrap();
    shop.run(&["datagen", "next.yaml", "--out", "next"]).exits(0);

    // The network rescores the old games.
    let rescore =
        "data rescore games/games.vf --network net/stretto.network --soft-nodes 10 --out rescored.vf";
    shop.run(&rescore.split(' ').collect::<Vec<_>>()).exits(0);
    assert_eq!(fs::metadata(shop.path("rescored.vf")).unwrap().len(), games.len() as u64);
}

/// Two tiny generations: little training suffices to beat random moves.
#[test]
fn chain_of_generations_resumes_and_its_network_beats_random_moves() {
    let shop = Shop::new(192);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/network.sh");
    let recipes = shop.path("recipes");
    fs::create_dir(&recipes).unwrap();
    let games = "soft_nodes: 20\ngames: 192\nhash: 1\n";
    let train = "hidden: 64\nthreads: 1\nvalidation: 0.1\ntraining: { epochs: 4, batch: 64, rate: 0.003 }\n";
    for (name, text) in [
        ("g1-games.yaml", format!("evaluation: material\n{games}")),
        ("g1-train.yaml", format!("data: [../results/runs/datagen-g1/games.vf]\n{train}")),
        (
            "g2-mixed-games.yaml",
            format!("evaluation: network\nnetwork: ../results/runs/train-g1/stretto.network\n{games}"),
        ),
        (
            "g2-train.yaml",
            format!(
                "data: [../results/runs/datagen-g1/games.vf, ../results/runs/datagen-g2-mixed/games.vf]\n{train}"
            ),
        ),
    ] {
        fs::write(recipes.join(name), text).unwrap();
    }
    let chain = |generations: &str| {
        let mut shell = Command::new("bash");
        shell.arg(&script).args([program("workshop"), "recipes", generations]);
        shell.current_dir(shop.0.path()).output().unwrap()
    };
    chain("1").exits(0);
    let network = shop.path("results/runs/train-g1/stretto.network");
    let first = fs::metadata(&network).unwrap().modified().unwrap();
    // Finished games stay after the engine has changed.
    play_by_another_engine(&shop.path("results/runs/datagen-g1"));
    chain("2").exits(0).stdout_has("embed it with EVALFILE=results/runs/train-g2");
    assert_eq!(fs::metadata(&network).unwrap().modified().unwrap(), first, "a finished run is kept");
    chain("3").exits(1).stderr_has("no recipe recipes/g3-train.yaml");

    let engines = format!(
        "engines:\n- {{ name: network, command: {}, options: {{ Hash: 1, EvalFile: {} }} }}\n\
         - {{ name: random, command: {}, args: [random] }}\n",
        stretto().display(),
        shop.path("results/runs/train-g2/stretto.network").display(),
        fake_engine()
    );
    fs::write(shop.path("book.epd"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n").unwrap();
    let rest = "openings: { file: book.epd }\nnodes: 500\ngames: 4\nadjudication: { max_moves: 150 }\n";
    fs::write(shop.path("match.yaml"), format!("{engines}{rest}")).unwrap();
    harness(&["match", "match.yaml", "--out", "match"]).current_dir(shop.0.path()).exits(0);
    let pgn = fs::read_to_string(shop.path("match/games.pgn")).unwrap();
    let tags = |name: &str| -> Vec<String> {
        let tag = format!("[{name} \"");
        let values = pgn.lines().filter_map(|line| line.strip_prefix(&tag)?.strip_suffix("\"]"));
        values.map(str::to_owned).collect()
    };
    let games: Vec<_> = tags("White").into_iter().zip(tags("Result")).collect();
    let won = games.iter().filter(|(white, result)| result == if white == "network" { "1-0" } else { "0-1" });
    assert!(won.count() >= 3, "{games:?}");
}

#[test]
fn training_continues_with_more_neurons() {
    let shop = Shop::new(64);
    shop.make_games("games");
    let first = "data: [games/games.vf]\nhidden: 64\nthreads: 1\nvalidation: 0.2\n\
                 training: { epochs: 12, batch: 64, rate: 0.003 }\n";
    let second = "data: [games/games.vf]\nfrom: first/stretto.network\nhidden: 128\nthreads: 1\nvalidation: 0.2\n\
                  training: { epochs: 1, batch: 64, rate: 0.00001 }\n";
    for (name, recipe) in [("first", first), ("second", second)] {
        let file = format!("{name}.yaml");
        fs::write(shop.path(&file), recipe).unwrap();
        shop.run(&["train", &file, "--out", name]).exits(0);
    }
    let loss = |run: &str| summary_of(&shop.path(run))["epochs"][0]["validation"]["scores"].as_f64().unwrap();
    let alone = "data: [games/games.vf]\nhidden: 128\nthreads: 1\nvalidation: 0.2\n\
                 training: { epochs: 1, batch: 64, rate: 0.00001 }\n";
    fs::write(shop.path("alone.yaml"), alone).unwrap();
    shop.run(&["train", "alone.yaml", "--out", "alone"]).exits(0);
    assert!(loss("second") < 0.8 * loss("alone"), "{} {}", loss("second"), loss("alone"));

    // The number of neurons cannot decrease.
    fs::write(shop.path("narrow.yaml"), second.replace("first/", "second/").replace("128", "64")).unwrap();
    let refused = shop.run(&["train", "narrow.yaml", "--out", "narrow"]).exits(2);
    let expected = "second/stretto.network: has 128 neurons per side, expected at most 64";
    refused.stderr_has(expected);
    assert!(!shop.path("narrow").exists(), "no run is started");
}

#[test]
fn print_config_checks_the_file_and_plays_nothing() {
    let shop = Shop::new(64);
    let printed = shop.run(&["datagen", "games.yaml", "--set", "games=32", "--print-config"]).exits(0);
    printed.stdout_has("games: 32\n");
    shop.run(&["datagen", "games.yaml", "--set", "typo=1", "--print-config"]).exits(2);
    assert!(!shop.path("results").exists());
}

#[test]
fn unusable_network_to_continue_from_is_reported_before_the_games_are_read() {
    let shop = Shop::new(64);
    fs::create_dir(shop.path("games")).unwrap();
    fs::write(shop.path("games/games.vf"), b"not games").unwrap();
    fs::write(shop.path("bad.network"), b"not a network").unwrap();
    let recipe = fs::read_to_string(shop.path("train.yaml")).unwrap();
    fs::write(shop.path("train.yaml"), format!("from: bad.network\n{recipe}")).unwrap();
    let refused = shop.run(&["train", "train.yaml", "--out", "net"]).exits(2);
    let text = stderr(&refused);
    assert!(
        text.contains("train.yaml:1:7: from: ") && text.contains("bad.network: not a Stretto network"),
        "{text}"
    );
    assert!(!text.contains("games.vf") && !text.contains("--resume"), "{text}");
    assert!(!shop.path("net").exists(), "no run is started");

    // Its output weights are up to 4 at a quarter of its scale.
    let embedded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/networks/stretto.network");
    let recipe = recipe.replace("hidden: 64", "hidden: 4096").replace("epochs: 3", "epochs: 3, scale: 50");
    fs::write(shop.path("train.yaml"), format!("from: {}\n{recipe}", embedded.display())).unwrap();
    let refused = shop.run(&["train", "train.yaml", "--out", "net"]).exits(2);
    let text = stderr(&refused);
    assert!(
        text.contains("train.yaml:6:31: training.scale: 50: ")
            && text.contains("stretto.network would be cut at 1.98; expected at least "),
        "{text}"
    );
    assert!(!shop.path("net").exists(), "no run is started");
}

#[test]
fn resumed_training_keeps_its_number_of_threads_on_another_machine() {
    let shop = Shop::new(64);
    shop.make_games("games");
    let recipe = fs::read_to_string(shop.path("train.yaml")).unwrap();
    fs::write(shop.path("train.yaml"), recipe.replace("threads: 1\n", "").replace("epochs: 3", "epochs: 1"))
        .unwrap();
    shop.run(&["train", "train.yaml", "--out", "net"]).exits(0);
    // As if it had been begun elsewhere.
    let file = shop.path("net/manifest.yaml");
    let manifest = fs::read_to_string(&file).unwrap();
    let threads = manifest.lines().find_map(|line| line.trim().strip_prefix("threads: ")).unwrap();
    let elsewhere = manifest
        .replace(&format!(" threads: {threads}\n"), " threads: 77\n")
        .replace(&format!(" concurrency: {threads}\n"), " concurrency: 77\n")
        .replacen("host:\n  name: ", "host:\n  name: not-", 1);
    assert!(elsewhere.contains(" threads: 77\n") && elsewhere.contains("  name: not-"), "{elsewhere}");
    fs::write(&file, elsewhere).unwrap();
    shop.run(&["train", "--resume", "net"]).exits(0);
    shop.run(&["train", "--resume", "net", "-j", "3"]).exits(1).stderr_has("config.threads: 77 -> 3");
}

#[test]
fn finished_games_are_reported_again_by_another_engine() {
    let shop = Shop::new(128);
    let games = shop.make_games("games");
    play_by_another_engine(&shop.path("games"));
    let again = shop.run(&["datagen", "--resume", "games"]).exits(0);
    again.stdout_has("128 of 128");
    assert_eq!(fs::read(shop.path("games/games.vf")).unwrap(), games);
    // Its file is left as it is.
    for changed in [Some([&games[..], b"more"].concat()), None] {
        match &changed {
            Some(bytes) => fs::write(shop.path("games/games.vf"), bytes).unwrap(),
            None => fs::remove_file(shop.path("games/games.vf")).unwrap(),
        }
        let again = shop.run(&["datagen", "--resume", "games"]).exits(0);
        assert_eq!(stderr(&again).contains("games.vf is missing"), changed.is_none(), "{}", stderr(&again));
        assert_eq!(fs::read(shop.path("games/games.vf")).ok(), changed);
    }
    // Another network or opening file still matters, and so does the engine as long as games are missing.
    shop.run(&["datagen", "--resume", "games", "--set", "seed=2"]).exits(1).stderr_has("config.seed: 1 -> 2");
    let journal = shop.path("games/journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, text.split_inclusive('\n').next().unwrap()).unwrap();
    shop.run(&["datagen", "--resume", "games"]).exits(1).stderr_has("engine_signature: 1 -> ");
}

#[test]
fn killed_run_resumes_with_the_same_result() {
    let shop = Shop::new(640);
    let whole = shop.make_games("whole");
    let args = ["datagen", "games.yaml", "--out", "killed", "--concurrency", "1"];
    let child = silent(workshop(&args).current_dir(shop.0.path()));
    let journal = shop.path("killed/journal.jsonl");
    await_that("two batches", || fs::read_to_string(&journal).is_ok_and(|text| text.lines().count() >= 2));
    killed(child);
    // Data without a journal line is not part of the file.
    let file = shop.path("killed/games.vf");
    let mut torn = fs::read(&file).unwrap();
    torn.extend_from_slice(b"half a game");
    // Neither other games nor a missing file are continued.
    let mut exchanged = torn.clone();
    exchanged[..whole.len() / 10].fill(0);
    let lines = fs::read_to_string(&journal).unwrap();
    let first = lines.split_inclusive('\n').next().unwrap();
    fs::write(&journal, first).unwrap();
    fs::write(&file, exchanged).unwrap();
    let refused = shop.run(&["datagen", "--resume", "killed"]).exits(1);
    refused.stderr_has("games.vf has other games than the journal");
    fs::remove_file(&file).unwrap();
    let refused = shop.run(&["datagen", "--resume", "killed"]).exits(1);
    assert!(stderr(&refused).contains("games.vf") && !file.exists(), "{}", stderr(&refused));
    fs::write(&journal, &lines).unwrap();
    fs::write(&file, torn).unwrap();
    let resumed = shop.run(&["datagen", "--resume", "killed"]).exits(0);
    resumed.stderr_has(" bytes of an unfinished batch off killed/games.vf");
    assert_eq!(fs::read(&file).unwrap(), whole);

    // Earlier versions wrote no hashes.
    let lines = fs::read_to_string(&journal).unwrap();
    let first = lines.split_inclusive('\n').next().unwrap();
    let (start, hash) = first.split_once(",\"hash\":").unwrap();
    assert_eq!(hash.len(), "\"\"}\n".len() + 64);
    fs::write(&journal, format!("{start}}}\n")).unwrap();
    shop.run(&["datagen", "--resume", "killed"]).exits(0);
    assert_eq!(fs::read(&file).unwrap(), whole);

    // A different configuration is a different run.
    let recipe = fs::read_to_string(shop.path("games.yaml")).unwrap();
    fs::write(shop.path("other.yaml"), recipe.replace("seed: 1", "seed: 2")).unwrap();
    shop.run(&["datagen", "other.yaml", "--resume", "killed"]).exits(1).stderr_has("config.seed: 1 -> 2");
}

/// Eight stacks of 300 MB do not fit into a gigabyte; after a failed allocation enough memory
/// remains for everything else.
#[test]
fn unavailable_threads_are_an_error_without_panic() {
    let shop = Shop::new(64);
    shop.make_games("games");
    let command = format!(
        "ulimit -v 1000000; exec {} data rescore games/games.vf --soft-nodes 10 --threads 8 --out out.vf",
        program("workshop")
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &command]).env("RUST_MIN_STACK", "300000000").current_dir(shop.0.path());
    let output = shell.exits(1);
    let text = stderr(&output);
    assert!(text.contains("Resource temporarily unavailable") && !text.contains("panicked"), "{text}");
    assert!(!shop.path("out.vf").exists());
}

#[test]
fn mixed_starts_and_tables_give_the_same_games_for_any_number_of_threads() {
    let shop = Shop::new(128);
    fs::write(shop.path("lines.epd"), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n")
        .unwrap();
    let mixed = "evaluation: material\nsoft_nodes: 20\ngames: 128\nseed: 1\nhash: 1\nadjudication: { tables: true }\n\
                 openings:\n- { source: endings, share: 2, pieces: [KRPvKR, KPPvKP] }\n- { source: chess960 }\n\
                 - { source: file, file: lines.epd }\n";
    fs::write(shop.path("games.yaml"), mixed).unwrap();
    let games = shop.make_games("two");
    shop.run(&["datagen", "games.yaml", "--out", "one", "--concurrency", "1"]).exits(0);
    assert_eq!(fs::read(shop.path("one/games.vf")).unwrap(), games);
    let report = fs::read_to_string(shop.path("one/report.md")).unwrap();
    assert!(report.contains("endings 2, chess960 1, file 1"), "{report}");
    let inspected = shop.run(&["data", "inspect", "one/games.vf"]).exits(0);
    assert!(stdout(&inspected).starts_with("128 games, "), "{}", stdout(&inspected));

    // A changed opening file makes a different run.
    fs::write(shop.path("lines.epd"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n").unwrap();
    shop.run(&["datagen", "games.yaml", "--resume", "one"]).exits(1).stderr_has("openings[0].blake3");
}

#[test]
fn data_tools_read_generated_games() {
    let shop = Shop::new(64);
    let games = shop.make_games("games");
    fs::copy(shop.path("games/games.vf"), shop.path("copy.vf")).unwrap();
    let inspected = shop.run(&["data", "inspect", "games/games.vf", "copy.vf"]).exits(0);
    let text = stdout(&inspected);
    assert!(text.starts_with("128 games, "), "{text}");
    assert!(text.contains("White won ") && text.contains("Pieces, share of positions"), "{text}");

    let shuffle = |seed: &str, out: &str| {
        shop.run(&["data", "shuffle", "games/games.vf", "--seed", seed, "--out", out]).exits(0);
        fs::read(shop.path(out)).unwrap()
    };
    let (one, other) = (shuffle("1", "a.vf"), shuffle("2", "b.vf"));
    assert!(one != games && other != one && one.len() == games.len());
    assert_eq!(shuffle("1", "c.vf"), one);

    shop.run(&["data", "export", "games/games.vf", "--out", "all.data"]).exits(0);
    let positions = summary_of(&shop.path("games"))["totals"]["positions"].as_u64().unwrap();
    assert_eq!(fs::metadata(shop.path("all.data")).unwrap().len(), 32 * positions);
    for command in ["inspect", "shuffle", "rescore", "export"] {
        let out = |out| if command == "inspect" { vec![] } else { vec!["--out", out] };
        let twice = [&["data", command, "copy.vf", "./copy.vf"], &out("new.vf")[..]].concat();
        let same = [&["data", command, "copy.vf"], &out("./copy.vf")[..]].concat();
        for (args, expected) in [(twice, "given twice"), (same, "expected another output than an input file")]
        {
            if args.len() > 3 {
                let refused = shop.run(&args).exits(2);
                assert!(stderr(&refused).contains(expected), "{args:?}: {}", stderr(&refused));
            }
        }
    }
    assert!(!shop.path("new.vf").exists());
    assert_eq!(fs::read(shop.path("copy.vf")).unwrap(), games);
}

#[test]
fn damage_is_reported_with_its_offset() {
    let shop = Shop::new(64);
    let games = shop.make_games("games");
    let file = shop.path("games/games.vf");
    fs::write(&file, &games[..games.len() - 3]).unwrap();
    for args in [["data", "inspect", "games/games.vf"], ["train", "train.yaml", "--out=net"]] {
        let refused = shop.run(&args).exits(1);
        let place = format!("games.vf: at byte {}, in game 64: unexpected end of file", games.len() - 4);
        refused.stderr_has(&place);
    }
    fs::write(&file, &games[..36]).unwrap();
    let _ = fs::remove_dir_all(shop.path("net"));
    shop.run(&["train", "train.yaml", "--out=net"]).exits(1);

    fs::write(shop.path("bad.network"), b"not a network").unwrap();
    let recipe = "evaluation: network\nnetwork: bad.network\nsoft_nodes: 20\ngames: 64\n";
    fs::write(shop.path("bad.yaml"), recipe).unwrap();
    let refused = shop.run(&["datagen", "bad.yaml", "--out", "bad"]).exits(1);
    refused.stderr_has("bad.network: not a Stretto network");
    assert!(!shop.path("bad").exists(), "no run is started");
}
