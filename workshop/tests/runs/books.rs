//! Process tests of `workshop book`: make, merge, info, dump, learn and vet.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use crate::common::{Exits, Has, Lab, carried, expect_code, program, stderr, stdout, workshop};
use serde_json::Value;
use stretto::book::{Book, BookKey, Entry, Selection, candidates, choose};
use stretto::position::{Game, Position};
use stretto::types::SplitMix64;

/// Returns the path of a book made by Polyglot, or of its games.
fn oracle(name: &str) -> PathBuf {
    carried("books/oracle").join(name)
}

fn book(args: &[&str]) -> Output {
    workshop(&["book"]).args(args).output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Returns all entries sorted, since the order within a position is free.
fn entries(path: &Path) -> Vec<Entry> {
    let book = Book::open(path).unwrap();
    book.check_order().unwrap();
    let mut all: Vec<Entry> = book.entries_from(0).collect();
    all.sort_unstable();
    all
}

const OPTIONS: [(&str, &[&str]); 3] = [
    ("maxply20-mingame1.bin", &["--max-ply", "20", "--min-games", "1"]),
    (
        "maxply20-mingame1-onlywhite-uniform.bin",
        &["--max-ply", "20", "--min-games", "1", "--color", "white", "--uniform"],
    ),
    ("maxply60-mingame2-minscore50.bin", &["--max-ply", "60", "--min-games", "2", "--min-score", "50"]),
];

#[test]
fn books_equal_those_made_by_polyglot() {
    let pgn = oracle("games.pgn");
    let folder = tempfile::tempdir().unwrap();
    for (name, options) in OPTIONS {
        let out = folder.path().join(name);
        book(&[&["make", text(&pgn), "--out", text(&out)], options].concat()).exits(0);
        assert_eq!(entries(&out), entries(&oracle(name)), "{name}");
        let raw: Vec<Entry> = Book::open(&out).unwrap().entries_from(0).collect();
        let falls = raw.windows(2).all(|two| two[0].key != two[1].key || two[0].weight >= two[1].weight);
        assert!(falls, "{name}: the heaviest move of a position comes first");
    }
    let merged = folder.path().join("merged.bin");
    let [first, second] = [OPTIONS[0].0, OPTIONS[2].0].map(|name| folder.path().join(name));
    book(&["merge", text(&first), text(&second), "--out", text(&merged)]).exits(0);
    assert_eq!(entries(&merged), entries(&oracle("merge-of-first-two.bin")));
}

/// Returns the starting position.
fn start() -> Game {
    Game::new(Position::startpos())
}

/// Builds games of `we` with White, each from moves and a result.
fn pgn(games: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (moves, result) in games {
        let _ =
            write!(text, "[White \"we\"]\n[Black \"they\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n");
    }
    text
}

#[test]
fn losing_line_becomes_rare_with_learning() {
    let folder = tempfile::tempdir().unwrap();
    let (file, games) = (folder.path().join("book.bin"), folder.path().join("games.pgn"));
    // Four first moves of equal weight, one of which loses.
    let lines = ["1. e4 e5", "1. d4 d5", "1. c4 e5", "1. f3 e5 2. g4"];
    fs::write(&games, pgn(&lines.map(|line| (line, "1/2-1/2")))).unwrap();
    book(&["make", text(&games), "--out", text(&file), "--min-games", "1", "--color", "white"]).exits(0);
    let mut random = SplitMix64::new(11);
    let (mut losses, mut chances) = (Vec::new(), Vec::new());
    for _ in 0..8 {
        let known = Book::open(&file).unwrap();
        let moves = candidates(&known, BookKey::of(&start()), start().position(), true);
        let all: u64 = moves.iter().map(|candidate| candidate.share).sum();
        let bad = moves.iter().find(|candidate| candidate.mv.to_string() == "f2f3").unwrap();
        chances.push(bad.share as f64 / all as f64);
        // A fixed opponent mates in the losing line and draws or splits the others.
        let played: Vec<(&str, &str)> = (0..10)
            .map(|number| {
                match choose(&moves, Selection::Weighted, &mut random).unwrap().mv.to_string().as_str() {
                    "f2f3" => ("1. f3 e5 2. g4 Qh4#", "0-1"),
                    "e2e4" => ("1. e4 e5", ["1-0", "0-1"][number % 2]),
                    "d2d4" => ("1. d4 d5", "1/2-1/2"),
                    _ => ("1. c4 e5", "1/2-1/2"),
                }
            })
            .collect();
        losses.push(played.iter().filter(|(moves, _)| moves.starts_with("1. f3")).count());
        fs::write(&games, pgn(&played)).unwrap();
        let taught = book(&["learn", text(&file), text(&games), "--player", "we", "--json"]).exits(0);
        let summary: Value = serde_json::from_str(&stdout(&taught)).unwrap();
        assert_eq!(summary["games_from_book"], 10);
    }
    let learned = Book::open(&file).unwrap();
    let root: Vec<Entry> = learned.find(BookKey::of(&start())).collect();
    let games: u32 = root.iter().map(|entry| u32::from(entry.learned.games)).sum();
    assert_eq!(games, 80, "the counts sum to the games played");
    let lost: u16 =
        root.iter().filter(|entry| entry.learned.half_points == 0).map(|entry| entry.learned.games).sum();
    assert_eq!(usize::from(lost), losses.iter().sum::<usize>());
    assert!((chances[0] - 0.25).abs() < 1e-9 && chances[7] < 0.04, "{chances:?}");
    assert!(losses[4..].iter().sum::<usize>() <= 3, "{losses:?}");
    // Weights and moves are unchanged for other programs.
    assert!(root.iter().all(|entry| entry.weight == 1) && root.len() == 4);
}

#[test]
fn learning_uses_the_moves_that_the_player_chose() {
    let lab = Lab::new("steady", "ok seed=3").with("games: 12\nconcurrency: 2");
    lab.run("match", &[]).exits(0);
    let (run, file) = (lab.run_dir(), lab.path("book.bin"));
    let games = run.join("games.pgn");
    // All games are drawn by adjudication, so every move is in the book.
    book(&["make", text(&games), "--out", text(&file), "--min-games", "1"]).exits(0);
    book(&["learn", text(&file), text(&run), "--player", "first"]).exits(0);
    let own: u64 = lab
        .journal()
        .iter()
        .map(|game| if game.white == 0 { game.white_stats.moves } else { game.black_stats.moves })
        .sum();
    let learned =
        |file: &Path| -> u64 { entries(file).iter().map(|entry| u64::from(entry.learned.games)).sum() };
    assert_eq!(learned(&file), own);
    // PGN and journal of the games give the same result.
    let other = lab.path("other.bin");
    book(&["make", text(&games), "--out", text(&other), "--min-games", "1"]).exits(0);
    book(&["learn", text(&other), text(&games), "--player", "first"]).exits(0);
    assert_eq!(fs::read(&file).unwrap(), fs::read(&other).unwrap());
    let both = lab.path("both.bin");
    book(&["learn", text(&file), text(&games), "--both", "--out", text(&both)]).exits(0);
    assert!(learned(&both) > 2 * own && learned(&file) == own);
}

#[test]
fn killed_learning_leaves_the_old_or_the_new_book() {
    let folder = tempfile::tempdir().unwrap();
    let (file, games) = (folder.path().join("book.bin"), folder.path().join("games.pgn"));
    let first =
        Entry { key: BookKey::of(&start()), mv: stretto::book::BookMove(796), weight: 1, ..Entry::default() };
    let mut random = SplitMix64::new(3);
    let mut all: Vec<Entry> =
        (0..200_000).map(|_| Entry { key: BookKey(random.next_u64()), ..first }).chain([first]).collect();
    all.sort_unstable();
    fs::write(&file, all.into_iter().flat_map(Entry::to_bytes).collect::<Vec<u8>>()).unwrap();
    fs::write(&games, pgn(&[("1. e4", "1-0")])).unwrap();
    let mut before = 0;
    let mut changes = 0;
    for delay in 0..12 {
        let mut child = workshop(&["book", "learn", text(&file), text(&games), "--both"]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(4 * delay));
        let _ = child.kill();
        child.wait().unwrap();
        let known = Book::open(&file).unwrap();
        known.check_order().unwrap();
        assert_eq!(known.len(), 200_001);
        let games = known.find(first.key).next().unwrap().learned.games;
        assert!(games == before || games == before + 1, "{before}, then {games}");
        changes += games - before;
        before = games;
    }
    // An undisturbed run succeeds despite files left behind by killed ones.
    book(&["learn", text(&file), text(&games), "--both"]).exits(0);
    let games = Book::open(&file).unwrap().find(first.key).next().unwrap().learned;
    assert_eq!((games.games, games.half_points), (changes + 1, 2 * (changes + 1)));
}

#[test]
fn info_dump_and_vet_describe_the_book() {
    let folder = tempfile::tempdir().unwrap();
    let (file, games) = (folder.path().join("book.bin"), folder.path().join("games.pgn"));
    let lines = ["1. e4 e5 2. Nf3 Nc6 3. Bb5", "1. d4 d5 2. c4 Bh3", "1. e4 e5 2. Nf3 Nc6 3. Nxe5"];
    fs::write(&games, pgn(&lines.map(|line| (line, "1/2-1/2")))).unwrap();
    book(&["make", text(&games), "--out", text(&file), "--min-games", "1"]).exits(0);
    let info = book(&["info", text(&file)]).exits(0);
    for expected in [
        "entries                10",
        "on lines of White    4",
        "isolated             0",
        "problems               0",
    ] {
        assert!(stdout(&info).contains(expected), "{expected} in {}", stdout(&info));
    }
    let json: Value = serde_json::from_str(&stdout(&book(&["info", text(&file), "--json"]))).unwrap();
    assert_eq!((&json["positions"], &json["weights"]), (&Value::from(8), &Value::from(14)));
    let dump = book(&["dump", text(&file), "--color", "black"]).exits(0);
    dump.stdout_has("1. d4 d5 {100 %} 2. c4 Bh3 {100 %}\n");
    let dumped = stdout(&book(&["dump", text(&file), "--json"]));
    let first: Value = serde_json::from_str(dumped.lines().next().unwrap()).unwrap();
    assert_eq!((&first["moves"][0]["san"], &first["end"]), (&Value::from("e4"), &Value::from("book")));
    let sound = folder.path().join("sound.bin");
    let checked =
        book(&["vet", text(&file), "--nodes", "3000", "--margin", "100", "--prune", text(&sound)]).exits(0);
    checked.stdout_has("10 moves of 8 positions, 2 of them flagged");
    assert_eq!(entries(&sound).len(), 8);
}

#[test]
fn errors_name_file_and_entry() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let write = |name: &str, bytes: &[u8]| fs::write(path(name), bytes).unwrap();
    write("odd.bin", &[0; 33]);
    write("turned.bin", &[[9; 16], [1; 16]].concat());
    write("good.bin", &[9; 16]);
    write("games.pgn", pgn(&[("1. e4 Ke7", "1-0"), ("1. e4", "1-0")]).as_bytes());
    let out = path("out.bin");
    let fails = |args: &[&str], code, expected: &str| {
        let output = book(args).exits(code);
        assert!(stderr(&output).contains(expected), "{args:?}: {}", stderr(&output));
    };
    let [odd, turned, good, games] = ["odd.bin", "turned.bin", "good.bin", "games.pgn"]
        .map(|name| path(name).to_str().unwrap().to_owned());
    fails(&["info", &odd], 1, "odd.bin is not a Polyglot book: the file has 33 bytes");
    fails(&["dump", "/no/such.bin"], 1, "cannot read /no/such.bin");
    let missing = stderr(&book(&["info", "/no/such.bin"]));
    assert_eq!(missing.matches("os error").count(), 1, "{missing}");
    let elsewhere =
        "has no moves at the start position for White (--color); select another position with --from FEN";
    fails(&["dump", &good], 1, elsewhere);
    fails(&["dump", &good, "--from", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"], 1, "has no moves at `4k3/8/8/");
    fails(
        &["vet", &good, "--prune", text(&out)],
        1,
        "has no moves at the start position; select another position",
    );
    fails(
        &["merge", &good, &turned, "--out", text(&out)],
        1,
        "turned.bin is not a Polyglot book: entry 2 has",
    );
    fails(&["dump", &turned], 1, "turned.bin is not a Polyglot book: entry 2 has");
    book(&["info", &turned]).exits(0).stdout_has("entry 2 (e1b1) is out of order and cannot be");
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../harness/EVENTS.md");
    fails(&["make", readme, "--out", text(&out)], 1, "EVENTS.md is not a PGN file: it has no tag pair");
    fails(&["make", "/no/such.pgn", "--out", text(&out)], 1, "cannot read /no/such.pgn");
    fails(&["make", &games, "--out", text(&out)], 1, "no entry left for");
    fails(&["make", &games, "--out", text(&out)], 1, "1 of them played less than 3 times (--min-games)");
    fails(&["make", &games, "--out", "/no/such/folder/x.bin", "--min-games", "1"], 1, "/no/such/folder");
    fails(&["make", &games, "--out", text(&out), "--min-score", "101"], 2, "from 0 to 100");
    fails(
        &["learn", &good, &games, "--player", "who"],
        1,
        "no games of player `who`; the files contain: they, we",
    );
    fails(&["learn", &good, &games], 2, "--player");
    fails(&["learn", &good, text(folder.path()), "--both"], 1, "manifest.yaml");
    fails(&["vet", &good, "--from", "nonsense"], 2, "--from: ");
    assert!(!out.exists());
    let made = book(&["make", &games, "--out", text(&out), "--min-games", "1"]).exits(0);
    made.stderr_has("games.pgn: game 1, line 5: ply 2: ");
    assert!(stdout(&made).starts_with("1 entry of 1 position written to "), "{}", stdout(&made));
}

/// Compressed games come through a pipe, which can be read only once.
#[cfg(unix)]
#[test]
fn bad_first_game_of_a_pipe_is_skipped_like_that_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let games = pgn(&[("1. e4 e5 2. Sf3", "1-0"), ("1. d4 d5", "1-0"), ("1. d4 Nf6", "1/2-1/2")]);
    let file = folder.path().join("games.pgn");
    fs::write(&file, &games).unwrap();
    let made = |input: &str, out: &str| {
        let out = folder.path().join(out);
        book(&["make", input, "--min-games", "1", "--out", text(&out)]).exits(0);
        fs::read(out).unwrap()
    };
    let fifo = folder.path().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let writer = std::thread::spawn({
        let (fifo, games) = (fifo.clone(), games.clone());
        move || fs::write(fifo, games)
    });
    let from_pipe = made(text(&fifo), "pipe.bin");
    writer.join().unwrap().unwrap();
    assert_eq!(made(text(&file), "file.bin"), from_pipe);
    assert!(!from_pipe.is_empty());
}

#[test]
fn games_are_neither_replaced_nor_counted_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (games, file) = (path("games.pgn"), path("book.bin"));
    let content = pgn(&[("1. e4 e5", "1-0")]);
    fs::write(&games, &content).unwrap();
    book(&["make", text(&games), "--out", text(&file), "--min-games", "1"]).exits(0);
    let before = fs::read(&file).unwrap();
    std::os::unix::fs::symlink("games.pgn", path("link.pgn")).unwrap();
    let link = path("link.pgn");
    let new = path("new.bin");
    for command in [&["make"][..], &["learn", text(&file), "--both"]] {
        for out in [&games, &link] {
            let output = book(&[command, &[text(&games), "--out", text(out)]].concat()).exits(2);
            let expected = format!("{}: expected another output than an input file", out.display());
            output.stderr_has(&expected);
            assert_eq!(fs::read_to_string(&games).unwrap(), content);
        }
        for twice in [&games, &link] {
            let output =
                book(&[command, &[text(&games), text(twice), "--out", text(&new)]].concat()).exits(2);
            let expected = format!("{}: this file is given twice", twice.display());
            output.stderr_has(&expected);
        }
    }
    assert!(!new.exists());
    let other = path("other.bin");
    fs::write(&other, &before).unwrap();
    for (args, expected) in [
        (
            &["merge", text(&file), text(&other), "--out", text(&other)][..],
            "other.bin: expected another output",
        ),
        (&["merge", text(&file), text(&file), "--out", text(&new)], "book.bin: this file is given twice"),
        (&["vet", text(&file), "--prune", text(&file)], "book.bin: expected another output"),
    ] {
        book(args).exits(2).stderr_has(expected);
    }
    assert!(!new.exists());
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn commands_that_learn_at_once_lose_no_game() {
    let folder = tempfile::tempdir().unwrap();
    let (file, games) = (folder.path().join("book.bin"), folder.path().join("games.pgn"));
    fs::write(&games, pgn(&[("1. e4", "1-0")])).unwrap();
    book(&["make", text(&games), "--out", text(&file), "--min-games", "1"]).exits(0);
    let learn = |_| workshop(&["-q", "book", "learn", text(&file), text(&games), "--both"]).spawn().unwrap();
    for mut child in (0..12).map(learn).collect::<Vec<_>>() {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(entries(&file)[0].learned.games, 12);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "the lock is gone");
}

#[test]
fn output_that_is_no_file_is_reported_before_the_games_are_read() {
    let folder = tempfile::tempdir().unwrap();
    // The games do not exist: their absence would be the first error of the reading.
    let output = book(&["make", "/no/such.pgn", "--out", text(folder.path())]).exits(1);
    let expected =
        format!("cannot write {}: expected the path of a file, found a folder", folder.path().display());
    output.stderr_has(&expected);
}

/// Writes drawn games of random moves with the given number of plies.
fn random_games(path: &Path, games: usize, plies: usize) {
    use std::io::Write;
    let mut file = std::io::BufWriter::new(fs::File::create(path).unwrap());
    let mut random = SplitMix64::new(10);
    for _ in 0..games {
        let mut position = Position::startpos();
        for ply in 0..plies {
            let moves = position.legal_moves();
            let Some(&mv) = moves.get(random.below(moves.len() as u64) as usize) else { break };
            if ply % 2 == 0 {
                write!(file, "{}. ", ply / 2 + 1).unwrap();
            }
            write!(file, "{}{}", position.san(mv), if ply % 12 == 11 { '\n' } else { ' ' }).unwrap();
            position = position.after(mv);
        }
        writeln!(file, "1/2-1/2\n").unwrap();
    }
    file.flush().unwrap();
}

#[test]
#[ignore = "half a minute and 300 MB of disk: cargo test --release -p stretto-harness --test runs -- --ignored books::ten_million"]
fn ten_million_entries_need_less_than_a_gigabyte() {
    let folder = tempfile::tempdir().unwrap();
    let (file, games) = (folder.path().join("book.bin"), folder.path().join("games.pgn"));
    random_games(&games, 110_000, 100);
    // Limits the address space, including mapped files, to a gigabyte.
    let limited = |args: &str| {
        let command = format!("ulimit -v 1000000 && exec {} book {args}", program("workshop"));
        let begun = std::time::Instant::now();
        let output = std::process::Command::new("sh").arg("-c").arg(command).output().unwrap();
        eprintln!("{args}: {:.1} s\n{}", begun.elapsed().as_secs_f64(), stdout(&output));
        expect_code(&output, 0);
        stdout(&output)
    };
    let [book, other] = [text(&file), text(&games)];
    let made = limited(&format!("make {other} --out {book} --min-games 1 --json"));
    let made: Value = serde_json::from_str(&made).unwrap();
    assert!(made["entries"].as_u64().unwrap() >= 10_000_000, "{made}");
    assert_eq!(Book::open(&file).unwrap().check_order(), Ok(()));
    let merged = folder.path().join("merged.bin");
    limited(&format!("merge {book} {book} --out {}", text(&merged)));
    let one = folder.path().join("one.pgn");
    fs::write(&one, pgn(&[("1. e4", "1-0")])).unwrap();
    limited(&format!("learn {book} {} --both", text(&one)));
}
