//! Process tests of matches between several engines: pairings, openings and ratings.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::common::{
    Exits, Has, Lab, await_that, games_of, harness, killed, lines_of, silent, stderr, stdout,
};
use serde_json::Value;
use stretto_harness::games::GameRecord;
use stretto_harness::{CpuSet, Topology};

/// Four engines: one resigns every game, the others are equal.
fn four() -> Lab {
    let rules = "adjudication: { win: { score: 500, moves: 1 }, max_moves: 6 }";
    Lab::new("ok cp=0", "ok cp=-900")
        .and("third", "ok cp=0 seed=3")
        .and("fourth", "ok cp=0 seed=4")
        .with(rules)
}

/// Returns the openings of each ordered pairing of White and Black.
fn meetings(games: &[GameRecord]) -> BTreeMap<(usize, usize), Vec<&str>> {
    let mut meetings: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for game in games {
        meetings.entry((game.white, game.black)).or_default().push(&game.opening);
    }
    for openings in meetings.values_mut() {
        openings.sort_unstable();
    }
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
fn round_robin_plays_every_pairing_from_the_same_openings() {
    let lab = four().with("games: 6\nconcurrency: 2");
    let output = lab.run("match", &[]).exits(0);
    let games = lab.journal();
    assert_eq!(games.len(), 36);
    let meetings = meetings(&games);
    assert_eq!(meetings.len(), 12, "each with White and with Black against each other");
    for (who, openings) in &meetings {
        assert_eq!(openings, &["french", "open", "sicilian"], "{who:?}");
    }
    let summary = lab.summary();
    assert_eq!(summary["games"], 36);
    assert!(summary["stats"].is_null(), "a tournament has no first engine");
    assert_eq!(summary["pairings"].as_array().unwrap().len(), 6);
    assert_eq!(*names(&summary).last().unwrap(), "second");
    let list = harness(&["runs", "list", "--folder"]).arg(lab.run_dir().parent().unwrap()).output().unwrap();
    let verdict = format!("4 engines: 36 games played, {} first with Elo ", names(&summary)[0]);
    list.stdout_has(&verdict);
    let games = fs::read_to_string(lab.run_dir().join("games.pgn")).unwrap();
    for tag in ["[EngineWhiteName \"Fake\"]", "[EngineBlackAuthor \"nobody\"]"] {
        assert_eq!(games.matches(tag).count(), 36, "{games}");
    }
    let last = &summary["standings"]["table"][3];
    assert_eq!(last["games"]["losses"], 18);
    assert_eq!(summary["standings"]["is_bounded"], false);
    assert!(last["rating"]["value"].as_f64().unwrap() < -100.0);
    let text = stdout(&output);
    assert!(text.contains("4 engines: 36 games played"), "{text}");
    assert!(text.contains("  4 second") && text.contains("first - second"), "{text}");
    assert!(text.contains("one drawn game is added to each pairing"), "{text}");
}

#[test]
fn gauntlet_plays_only_against_the_first_engine() {
    let lab = four().with("games: 2\ngauntlet: 1\nconcurrency: 1");
    lab.run("match", &[]).exits(0);
    let games = lab.journal();
    let met: BTreeSet<_> = games.iter().map(|game| game.white.max(game.black)).collect();
    assert_eq!((games.len(), met), (6, BTreeSet::from([1, 2, 3])));
    assert!(games.iter().all(|game| game.white.min(game.black) == 0));
}

#[test]
fn neighbours_are_rated_on_the_scale_of_a_known_engine() {
    let lab = Lab::new("", "ok cp=-900").engine(0, "ok cp=0", ", rating: 2000");
    let lab = lab.and("third", "ok cp=0 seed=3");
    let rules = "adjudication: { win: { score: 500, moves: 1 }, max_moves: 6 }";
    let lab = lab.with(rules).with("games: 2\nneighbours: 1\nconcurrency: 1");
    let output = lab.run("match", &[]).exits(0);
    let met: BTreeSet<_> = lab.journal().iter().map(|game| [game.white, game.black]).collect();
    assert_eq!(met, BTreeSet::from([[0, 1], [1, 0], [1, 2], [2, 1]]));
    let summary = lab.summary();
    let first =
        summary["standings"]["table"].as_array().unwrap().iter().find(|line| line["engine"] == 0).unwrap();
    assert_eq!((&first["is_known"], &first["rating"]["value"]), (&true.into(), &2000.0.into()));
    let text = stdout(&output);
    assert!(text.contains(" known ") && text.contains("the known ratings fix the scale"), "{text}");
}

#[test]
fn interrupted_tournament_resumes_with_the_missing_games() {
    let lab = four().with("games: 10\nconcurrency: 2");
    let run = lab.spawn("match", &[]);
    lab.await_games(7);
    killed(run);
    lab.resume("match", &[]).exits(0);
    let games = lab.journal();
    let numbers: BTreeSet<u64> = games.iter().map(|game| game.game).collect();
    assert_eq!((games.len(), numbers), (60, (0..60).collect()));
    let pgn = lab.pgn();
    assert_eq!(pgn.matches("[White \"fourth\"]").count(), 15);
}

#[test]
fn more_engines_than_slots_take_turns() {
    let many = (0..6).fold(four(), |lab, index| lab.and(&format!("more{index}"), "ok"));
    let lab = many.with("games: 2\nconcurrency: 2");
    let output = lab.run("match", &[]).exits(0);
    assert_eq!(lab.journal().len(), 90);
    assert!(!stderr(&output).contains("failed"), "{}", stderr(&output));
}

#[test]
fn sprt_requires_two_engines() {
    let output = four().with("sprt: { elo0: 0, elo1: 10 }").run("sprt", &[]).exits(2);
    output.stderr_has("a test is between two engines, found 4");
}

#[test]
fn pairs_may_have_different_openings_and_fixed_colours() {
    let lab = Lab::new("ok", "ok seed=2").with("games: 6\nrepeat: false\nswap: false\nconcurrency: 1");
    let output = lab.run("match", &[]).exits(0);
    let games = lab.journal();
    assert!(games.iter().all(|game| (game.white, game.black) == (0, 1)));
    let openings: BTreeSet<&str> = games.iter().map(|game| game.opening.as_str()).collect();
    assert_eq!(openings.len(), 6, "each game has its own opening");
    assert!(!stderr(&output).contains("play them again"), "six openings are enough");
}

#[test]
fn engines_ponder() {
    let lab = Lab::new("ok", "ok").with("games: 8\nconcurrency: 2\ntime_control: 5");
    let log = lab.path("log.txt");
    let mode = format!("ponder log={}", log.display());
    // The second engine is predictable: it plays the first legal move.
    let lab = lab.engine(0, &mode, ", ponder: true").engine(1, "first", "");
    lab.run("match", &[]).exits(0);
    assert_eq!(lab.journal().len(), 8);
    assert!(lab.journal().iter().all(|game| game.termination.fault().is_none()));
    let log = std::fs::read_to_string(&log).unwrap();
    let count = |word: &str| log.lines().filter(|line| line.starts_with(word)).count();
    assert!(count("setoption name Ponder value true") > 0, "the Ponder option is set");
    let (pondered, hits, misses) = (count("go ponder"), count("ponderhit"), count("stop"));
    assert!(hits > 20 && pondered >= hits + misses && misses <= 8, "{pondered} = {hits} + {misses}");
    let games = lab.journal();
    let moves = games.iter().flat_map(|game| &game.moves);
    let recorded = moves.filter(|played| played.is_ponder_hit).count();
    assert!((20..=hits).contains(&recorded), "{recorded} of {hits} ponder hits are recorded");
    let both = Lab::new("ponder", "ponder seed=5").with("games: 8\nconcurrency: 2\ntime_control: 5");
    let both = both.engine(0, "ponder", ", ponder: true").engine(1, "ponder seed=5", ", ponder: true");
    both.run("match", &[]).exits(0);
    assert!(both.journal().iter().all(|game| game.termination.fault().is_none()));
    let untimed =
        Lab::new("ok", "ok").engine(0, "ok", ", ponder: true").with("games: 2").run("match", &[]).exits(2);
    untimed.stderr_has("engines[0].ponder: an engine ponders by the clock");
}

#[test]
fn merged_shards_equal_the_whole_match() {
    let lab = four().with("games: 10\nconcurrency: 2");
    let config = lab.write_config();
    let part = |number: &str| {
        let out = lab.path(&format!("part{number}"));
        let shard = format!("{number}/3");
        harness(&["match"]).arg(&config).args(["--shard", &shard, "--out"]).arg(&out).exits(0);
        out
    };
    let parts = ["1", "2", "3"].map(part);
    let lengths = parts
        .each_ref()
        .map(|part| std::fs::read_to_string(part.join("journal.jsonl")).unwrap().lines().count());
    assert_eq!(lengths, [24, 24, 12], "five rounds of six pairings, two games each");
    let merge = |parts: &[&std::path::PathBuf], out: &str| {
        harness(&["merge"]).args(parts).arg("--out").arg(lab.path(out)).output().unwrap()
    };
    let some = merge(&[&parts[0], &lab.path("absent"), &parts[2]], "some").exits(0);
    some.stderr_has("absent: its match has not begun here");
    assert!(
        stdout(&some).contains("36 games played")
            && stdout(&some).contains("part 2/3 is missing: harness match ")
            && stdout(&some).contains("or play the missing games with: harness match --resume"),
        "{}",
        stdout(&some)
    );
    // A resumed shard keeps to its games and has none left.
    harness(&["match", "--resume"]).arg(&parts[2]).exits(0).stdout_has("12 games played");
    harness(&["report"]).arg(&parts[2]).exits(0);
    let text = std::fs::read_to_string(parts[2].join("report.md")).unwrap();
    assert!(!text.contains("interrupted"), "a shard is finished with its own games: {text}");
    merge(&parts.each_ref(), "whole").exits(0);
    let numbers: BTreeSet<String> = std::fs::read_to_string(lab.path("whole/journal.jsonl"))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<GameRecord>(line).unwrap().game.to_string())
        .collect();
    assert_eq!(numbers.len(), 60);
    assert!(lab.path("whole/report.html").exists());
    let pgn = std::fs::read_to_string(lab.path("whole/games.pgn")).unwrap();
    assert_eq!(pgn.matches("Author \"nobody\"]").count(), 120);
    merge(&parts.each_ref(), "whole").exits(1);
    let other = Lab::new("ok", "ok").with("games: 2");
    other.run("match", &[]).exits(0);
    let strangers = merge(&[&parts[0], &other.run_dir()], "strangers").exits(1);
    strangers.stderr_has("belongs to another match; differences");
    let test = Lab::new("ok", "ok").with("sprt: { elo0: 0, elo1: 10, max_games: 2 }");
    test.run("sprt", &[]).exits(0);
    let tests = merge(&[&parts[0], &test.run_dir()], "tests").exits(2);
    let expected = "is a run of `harness sprt`; only parts of a match can be merged";
    tests.stderr_has(expected);
    harness(&["sprt"]).arg(&config).args(["--shard", "1/2"]).exits(2);
}

#[test]
fn shard_killed_and_resumed_gives_the_undisturbed_match() {
    let steady = || Lab::new("steady ms=2", "steady seed=5 ms=2").with("games: 40\nconcurrency: 1");
    let undisturbed = steady();
    undisturbed.run("match", &[]).exits(0);
    let lab = steady();
    let config = lab.write_config();
    let part = |shard: &str, out: &str| {
        let mut command = harness(&["match"]);
        command.arg(&config).args(["--shard", shard, "--out"]).arg(lab.path(out));
        command
    };
    part("1/2", "one").exits(0);
    let child = silent(&mut part("2/2", "two"));
    let journal = lab.path("two/journal.jsonl");
    let games = || lines_of(&journal);
    await_that("some games", || games() > 3);
    killed(child);
    assert!(games() < 20, "killed in the middle");
    let merge = |out: &str| {
        harness(&["merge"])
            .args(["one", "two"].map(|part| lab.path(part)))
            .arg("--out")
            .arg(lab.path(out))
            .output()
            .unwrap()
    };
    let partial = merge("partial").exits(0);
    assert!(stdout(&partial).contains("part 2/2 has ") && stdout(&partial).contains(" of 20 games: "));
    harness(&["match", "--resume"]).arg(lab.path("two")).exits(0);
    merge("whole").exits(0);
    // Times differ; moves, results and statistics do not.
    let played = |run: &Path| {
        let mut games = games_of(run);
        games.sort_by_key(|game| game.game);
        let moves = |game: &GameRecord| game.moves.iter().map(|one| one.text.clone()).collect::<Vec<_>>();
        games.iter().map(|game| (game.game, format!("{:?}", game.result), moves(game))).collect::<Vec<_>>()
    };
    assert_eq!(played(&lab.path("whole")), played(&undisturbed.run_dir()));
    let stats = |run: &Path| {
        let summary: serde_json::Value =
            serde_json::from_slice(&std::fs::read(run.join("summary.json")).unwrap()).unwrap();
        summary["stats"].clone()
    };
    assert_eq!(stats(&lab.path("whole")), stats(&undisturbed.run_dir()));
    assert!(!stats(&undisturbed.run_dir()).is_null());
}

#[test]
fn games_have_their_own_cores_with_affinity() {
    let cpus = CpuSet::available();
    let cores = Topology::of_this_machine().cores();
    // One game with up to four threads on all the cores it needs.
    let threads = cores.min(4);
    let lab = Lab::new("ok", "ok").with("games: 2\nconcurrency: 1\naffinity: auto");
    let log = lab.path("log.txt");
    let lab = lab.engine(
        0,
        &format!("ok cpus log={}", log.display()),
        &format!(", options: {{ Threads: {threads} }}"),
    );
    lab.run("match", &[]).exits(0);
    let log = std::fs::read_to_string(&log).unwrap();
    let found = log.lines().filter_map(|line| line.strip_prefix("cpus ")).next_back().unwrap();
    let allowed: CpuSet = found.parse().unwrap();
    assert!(allowed.as_slice().len() >= threads, "{found} for {threads} threads");
    assert!(allowed.as_slice().iter().all(|cpu| cpus.as_slice().contains(cpu)));
    let games = cores + 1;
    let many = Lab::new("ok", "ok").with(&format!("games: 20\nconcurrency: {games}\naffinity: auto"));
    let output = many.run("match", &[]).exits(2);
    let expected = format!("affinity: {games} games of 1 thread each need {games} whole cores");
    output.stderr_has(&expected);
}

#[test]
fn pgn_comments_contain_the_requested_fields() {
    let lab = Lab::new("ok", "ok").with("games: 2\npgn: [nodes, nps, pv]");
    lab.run("match", &[]).exits(0);
    let pgn = lab.pgn().replace('\n', " ");
    assert!(pgn.contains(", n=100, nps=") && pgn.contains(", pv=\""), "{pgn}");
    let plain = Lab::new("ok", "ok").with("games: 2");
    plain.run("match", &[]).exits(0);
    assert!(!plain.pgn().contains("n=100"));
}

#[test]
fn logs_contain_the_complete_dialogue() {
    let lab = Lab::new("ok", "ok")
        .and("a/b c", "ok")
        .with("games: 2\nconcurrency: 1\nlogs: true\noutput: { epd: { file: final.epd } }");
    lab.run("match", &[]).exits(0);
    let read = |name: &str| std::fs::read_to_string(lab.run_dir().join("logs").join(name)).unwrap();
    for name in ["1-first.log", "1-second.log", "1-a_b_c-b8a92d99.log"] {
        let text = read(name);
        assert_eq!(text.matches("> ucinewgame").count(), 4, "{name}: {text}");
        assert!(text.contains("> uci\n") && text.contains("< bestmove") && text.contains("> quit"), "{name}");
    }
    let positions = std::fs::read_to_string(lab.path("final.epd")).unwrap();
    assert_eq!(positions.lines().count(), 6);
    assert!(positions.lines().all(|line| line.contains(" hmvc ") && line.contains("; c0 \"")), "{positions}");
}
