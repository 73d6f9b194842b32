//! Process tests of `workshop tb`: generation, resuming, verification, probing and play.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Output, Stdio};

use crate::common::{
    Exits, Has, await_that, expect_code, expect_parts, killed, silent, stderr, stdout, workshop,
};

fn tb(args: &[&str]) -> Output {
    workshop(&["tb"]).args(args).output().unwrap()
}

fn generate(folder: &Path, args: &[&str]) -> Output {
    workshop(&["tb", "generate"]).args(args).arg("--out").arg(folder).exits(0)
}

#[test]
fn valid_files_are_kept_and_damaged_ones_regenerated() {
    let dir = tempfile::tempdir().unwrap();
    let made = stdout(&generate(dir.path(), &["3", "--verify"]));
    assert!(made.contains("KPvK: verified, all values follow from their successors"), "{made}");
    assert!(made.contains("5 tables") && made.contains(" 0 of them kept"), "{made}");
    let file = dir.path().join("KPvK.dtm");
    let bytes = fs::read(&file).unwrap();
    assert!(stdout(&generate(dir.path(), &["3"])).contains(" 5 of them kept"));
    let mut damaged = bytes.clone();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    fs::write(&file, &damaged).unwrap();
    let folder = dir.path().to_str().unwrap();
    tb(&["verify", "KPvK", "--tables", folder]).exits(1).stderr_has("is damaged: checksum mismatch");
    let repaired = generate(dir.path(), &["3", "--threads", "2"]);
    repaired.stdout_has(" 4 of them kept");
    assert_eq!(fs::read(&file).unwrap(), bytes);
    tb(&["verify", "3", "--tables", folder]).exits(0);
    let counted = tb(&["stats", "KQvK", "--tables", folder]);
    counted.stdout_has("longest loss: 20 plies, 8 positions");
}

#[test]
fn both_sides_regenerate_files_with_one_side() {
    let dir = tempfile::tempdir().unwrap();
    generate(dir.path(), &["KPvK"]);
    let file = dir.path().join("KPvK.dtm");
    let one = fs::read(&file).unwrap().len();
    let both = generate(dir.path(), &["KPvK", "--both-sides"]);
    both.stdout_has(" 0 of them kept").stderr_has("KPvK.dtm stores one side to move");
    let two = fs::read(&file).unwrap();
    assert!(two.len() > one, "{} and {one} bytes", two.len());
    for args in [&["KPvK", "--both-sides"][..], &["KPvK"]] {
        assert!(!stdout(&generate(dir.path(), args)).contains(" 0 of them kept"), "{args:?}");
        assert_eq!(fs::read(&file).unwrap(), two);
    }
    // Both sides are read without the successors, from which they are verified.
    fs::remove_file(dir.path().join("KQvK.dtm")).unwrap();
    let folder = dir.path().to_str().unwrap();
    tb(&["stats", "KPvK", "--tables", folder]).exits(0).stdout_has("longest win: 55 plies");
    tb(&["verify", "KPvK", "--tables", folder]).exits(1).stderr_has("has no table KQvK.dtm: create it with");
}

#[test]
fn killed_generation_resumes_with_the_missing_tables() {
    const TABLES: [&str; 3] = ["KQvKR", "KRvKN", "KBBvK"];
    let (broken, whole) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let finished = |folder: &Path| {
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> =
            files.filter(|path| path.extension().is_some_and(|end| end == "dtm")).collect();
        files.sort();
        files
    };
    let mut child = silent(
        workshop(&["tb", "generate"]).args(TABLES).args(["--threads", "1", "--out"]).arg(broken.path()),
    );
    // Killed in the middle, or at the end on a fast machine; existing files are complete in either case.
    while finished(broken.path()).len() < 3 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    killed(child);
    let kept = finished(broken.path());
    assert!(kept.len() >= 3, "{kept:?}");
    let resumed = stdout(&generate(broken.path(), &TABLES));
    assert!(resumed.contains(&format!(" {} of them kept", kept.len())), "{resumed}");
    generate(whole.path(), &TABLES);
    let (there, expected) = (finished(broken.path()), finished(whole.path()));
    assert_eq!((there.len(), expected.len()), (7, 7));
    for (one, other) in there.iter().zip(&expected) {
        assert_eq!(one.file_name(), other.file_name());
        assert!(fs::read(one).unwrap() == fs::read(other).unwrap(), "{} differs", one.display());
    }
}

#[test]
fn probe_answers_positions_and_reports_invalid_ones() {
    let found = tb(&["probe", "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"]).exits(0);
    let text = stdout(&found);
    assert!(text.lines().count() == 7 && text.contains("Kd2") && text.contains("draw"), "{text}");
    for (fen, expected) in [
        ("8/8/8/8/8/8/8/K1k5 w - - 0 1", "has 2 pieces"),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "castling rights"),
        ("nonsense", "nonsense"),
    ] {
        tb(&["probe", fen]).exits(2).stderr_has(expected);
    }
    let folder = tempfile::tempdir().unwrap();
    let tables = folder.path().to_str().unwrap();
    generate(folder.path(), &["KPvK"]);
    generate(folder.path(), &["KRvK", "--metric", "dtz"]);
    fs::remove_file(folder.path().join("KQvK.dtm")).unwrap();
    let (queen, pawn) = ("7k/8/5K2/8/8/8/8/Q7 w - - 0 1", "8/4P3/8/8/8/4k3/8/4K3 w - - 0 1");
    let no_table = |metric| {
        format!(
            " has no table KQvK.{metric}: create it with `workshop tb generate KQvK --metric {metric} --out {tables}`"
        )
    };
    for (args, expected) in [
        (&["probe", queen][..], no_table("dtm")),
        (&["probe", queen, "--metric", "dtz"], no_table("dtz")),
        (&["sample", "KQvK", "--metric", "dtz"], no_table("dtz")),
        (&["probe", pawn], ": missing table KQvK.dtm needed for ".to_owned()),
    ] {
        let missing = workshop(&["tb"]).args(args).args(["--tables", tables]).exits(1);
        missing.stderr_has(&format!("{tables}{expected}"));
    }
    tb(&["generate", "KQQQvKQ", "--out", "nowhere"]).exits(2);
}

#[test]
fn folder_of_embedded_tables_is_created_before_they_are_generated() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let refused = workshop(&["tb", "embed", "--out"]).arg(file.join("tables")).exits(1);
    let expected = format!("cannot create {}", file.join("tables").display());
    refused.stderr_has(&expected);
    let tables = dir.path().join("new/tables");
    let mut command = workshop(&["tb", "embed", "--out"]);
    let child = silent(command.arg(&tables));
    await_that("the folder", || tables.is_dir());
    // All tables would take too long.
    killed(child);
}

#[test]
fn plan_estimates_tables_that_cannot_be_generated() {
    let plan = stdout(&tb(&["plan", "5", "--threads", "1"]));
    assert!(plan.starts_with("145 tables, metric dtm\nCPU time: about "), "{plan}");
    assert!(plan.contains("\nmemory: 19.32 GB at most, for KQPPvK; one table at a time"), "{plan}");
    assert!(!plan.contains("six pieces"), "{plan}");
    let plan = stdout(&tb(&["plan", "6"]));
    assert!(plan.starts_with("510 tables, metric dtm\nCPU time: about "), "{plan}");
    assert!(plan.contains("\n     6     365  10464747.8 M "), "{plan}");
    assert!(plan.ends_with("`workshop tb generate` generates tables of at most 5 pieces\n"), "{plan}");
    let plan = stdout(&tb(&["plan", "KRNvKNN"]));
    assert!(plan.contains("six pieces: an estimate only"), "{plan}");
    tb(&["plan", "--pieces", "6"]).exits(0);
    for (refused, expected) in [
        (tb(&["plan", "7"]), "expected 3 to 6 pieces"),
        (tb(&["plan", "KQQQQvKQ"]), "KQQQQvKQ"),
        (tb(&["plan", "KvK"]), "KvK has 2 pieces: expected 3 to 6"),
        (tb(&["generate", "6"]), "expected 3 to 5 pieces"),
        (tb(&["stats", "KRNvKNN"]), "KRNvKNN has 6 pieces: expected 3 to 5"),
    ] {
        expect_code(&refused, 2);
        refused.stderr_has(expected);
    }
}

#[test]
fn missing_folders_and_exchanged_colors_are_reported() {
    tb(&["compare", "3", "--syzygy", "/no/such/folder"]).exits(1).stderr_has("cannot read /no/such/folder: ");
    let empty = tempfile::tempdir().unwrap();
    let refused = tb(&["compare", "KQvKR", "KRvK", "--syzygy", empty.path().to_str().unwrap()]).exits(1);
    let expected = format!("{}: no KQvKR.rtbw for KQvKR", empty.path().display());
    refused.stderr_has(&expected);
    assert!(!stderr(&refused).contains(" made,"), "no table is generated: {}", stderr(&refused));
    let refused = tb(&["stats", "KBBvKN", "--tables", empty.path().to_str().unwrap()]).exits(1);
    refused.stderr_has("create it with `workshop tb generate ");
    tb(&["sample", "KKQ", "--count", "1"]).exits(0).stderr_has("KvKQ is KQvK with the colours exchanged");
}

#[test]
fn compare_finds_no_difference_to_gaviota_and_reports_faulty_files() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/gaviota");
    let compared = tb(&["compare", "3", "--gaviota", folder]).exits(0);
    let text = stdout(&compared);
    assert!(text.contains("KPvK: 165676 positions, 0 differences\n"), "{text}");
    assert!(text.ends_with("\n367868 positions, 0 differences\n"), "{text}");
    let compared = tb(&["compare", "KQvK", "--gaviota", folder, "--every", "4000000000"]).exits(1);
    compared.stderr_has("no position was compared");
    let dir = tempfile::tempdir().unwrap();
    let there = dir.path().to_str().unwrap();
    // Another table under the name of this one, and an incomplete file.
    fs::copy(Path::new(folder).join("krk.gtb.cp4"), dir.path().join("kqk.gtb.cp4")).unwrap();
    let pawn = fs::read(Path::new(folder).join("kpk.gtb.cp4")).unwrap();
    fs::write(dir.path().join("kpk.gtb.cp4"), &pawn[..20_000]).unwrap();
    let compared = tb(&["compare", "KQvK", "--gaviota", there]).exits(1);
    compared.stdout_has(", Gaviota ").stderr_has(" positions differ");
    for (ending, expected) in [
        ("KPvK", "kpk.gtb.cp4: has 20000 bytes, but the last block ends at byte 27435: truncated"),
        ("KQvKR", "no kqkr.gtb.cp4 for KQvKR"),
    ] {
        tb(&["compare", ending, "--gaviota", there]).exits(1).stderr_has(there).stderr_has(expected);
    }
    for (args, expected) in [
        (&["compare", "KQvK"][..], "<--syzygy <DIR>|--gaviota <DIR>>"),
        (&["compare", "KQvK", "--gaviota", there, "--syzygy", there], "cannot be used with"),
        (
            &["compare", "KQvK", "--gaviota", there, "--metric", "dtz"],
            "expected --metric dtm, found --metric dtz",
        ),
    ] {
        tb(args).exits(2).stderr_has(expected);
    }
}

#[test]
fn graph_refuses_options_without_effect() {
    let plain = tb(&["graph", "KQvKR"]).exits(0);
    assert_eq!(stdout(&plain), "KRvK: KvK\nKQvK: KvK\nKQvKR: KRvK KQvK\n");
    for option in [&["--metric", "dtz"][..], &["--threads", "2"], &["--tables", "tables"]] {
        for more in [&[][..], &["--dot"]] {
            workshop(&["tb", "graph", "KQvK"]).args(option).args(more).exits(2).stderr_has("--results");
        }
    }
    let colored = tb(&["graph", "KQvK", "--dot", "--results", "--metric", "dtz", "--threads", "1"]).exits(0);
    colored.stdout_has("\"KQvK\" [fillcolor = \"#a8e0a0\"");
    // The other commands accept them.
    tb(&["stats", "KQvK", "--metric", "dtz", "--threads", "1"]).exits(0);
}

#[test]
fn probe_answers_a_list_of_positions() {
    let ask = |lines: &str| {
        let mut child = workshop(&["tb", "probe", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    let fens = [
        "7k/8/5K2/8/8/8/8/Q7 w - - 0 1",
        "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
        "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1",
    ];
    let found = ask(&format!("{}\n\n{}\n{}\n", fens[0], fens[1], fens[2])).exits(0);
    let outcomes = ["win, mate in 2 moves (3 plies)", "mated", "draw"];
    let expected: Vec<String> =
        fens.iter().zip(outcomes).map(|(fen, outcome)| format!("{fen}: {outcome}")).collect();
    assert_eq!(stdout(&found).lines().collect::<Vec<_>>(), expected);
}

#[test]
fn probe_reports_positions_without_a_value_and_continues() {
    let folder = tempfile::tempdir().unwrap();
    generate(folder.path(), &["KPvK"]);
    let mut child = workshop(&["tb", "probe", "-", "--tables"])
        .arg(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let list = "nonsense\n7k/8/5K2/8/8/8/8/B6N w - - 0 1\n8/8/8/8/8/8/8/K1k5 w - - 0 1\n7k/6Q1/6K1/8/8/8/8/8 b - - 0 1\n";
    child.stdin.take().unwrap().write_all(list.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap().exits(1);
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(lines[0].starts_with("nonsense: unknown: line 1: `nonsense`: "), "{text}");
    assert!(lines[1].contains(": unknown: missing table KBNvK.dtm needed for "), "{text}");
    assert!(lines[2].contains(": unknown: line 3: ") && lines[2].contains("has 2 pieces"), "{text}");
    assert_eq!(lines[3], "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1: mated");
    output.stderr_has("no value for 3 of 4 positions");
    // A damaged table stops only the positions that need it.
    fs::write(folder.path().join("KRvK.dtm"), "").unwrap();
    let probe = |fen| workshop(&["tb", "probe", fen, "--tables"]).arg(folder.path()).output().unwrap();
    probe("7k/8/5K2/8/8/8/8/Q7 w - - 0 1").exits(0).stderr_has("KRvK.dtm`: not a Stretto endgame table");
    probe("7k/8/5K2/8/8/8/8/R7 w - - 0 1").exits(1).stderr_has("KRvK");
}

#[test]
fn sampled_positions_have_the_wanted_result_and_are_judged() {
    let sample = |result: &str, seed: &str| {
        let found = tb(&["sample", "KPvK", "--result", result, "--count", "40", "--seed", seed]).exits(0);
        stdout(&found)
    };
    let (drawn, won) = (sample("draw", "1"), sample("win", "1"));
    assert_eq!(drawn, sample("draw", "1"));
    assert_ne!(drawn, sample("draw", "2"));
    let fields = |line: &str| line.split(" c9 ").next().unwrap().to_owned() + " 0 1";
    for (text, result, expected) in [(&drawn, "1/2-1/2", "draw"), (&won, "1-0", "win|loss")] {
        assert_eq!(text.lines().count(), 40);
        let first = text.lines().next().unwrap();
        assert!(first.contains(&format!(" c9 \"{result}\"; id \"KPvK.1\";")), "{first}");
        let probed = tb(&["probe", &fields(first)]);
        let value = stdout(&probed);
        let value = value.lines().next().unwrap();
        assert!(expected.split('|').any(|word| value.contains(&format!(": {word}"))), "{value}");
    }
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (dir.path().join("drawn.epd"), dir.path().join("won.epd"));
    fs::write(&one, drawn).unwrap();
    fs::write(&other, won).unwrap();
    for how in [&[][..], &["--nodes", "200"]] {
        let judged = workshop(&["tb", "judge"]).args([&one, &other]).args(how).exits(0);
        let text = stdout(&judged);
        assert!(text.contains("| draw | 40 |") && text.contains("| win | 40 |"), "{text}");
    }
    workshop(&["tb", "judge"]).args([&one, &one]).exits(2).stderr_has("drawn.epd: this file is given twice");
    fs::write(&one, "8/8/8/8/8/8/4R3/K1k5 w - - id \"no result\";\n").unwrap();
    workshop(&["tb", "judge"]).arg(&one).exits(1).stderr_has("drawn.epd:1: expected the result");
    tb(&["sample", "KvK"]).exits(2);
}

#[test]
fn user_plays_against_the_tables() {
    let mut child = workshop(&["tb", "play", "7k/8/5K2/8/8/8/8/Q7 w - - 0 1", "--metric", "dtm"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"Qz9\nhint\nQa1a2\nKg6\nback\nKf7\nQg7\nquit\n").unwrap();
    let output = child.wait_with_output().unwrap().exits(0);
    let text = stdout(&output);
    assert!(text.contains("For you: win, mate in 2 moves (3 plies)"), "{text}");
    let parts = [
        "\"Qz9\" cannot be read",
        "Kg6+     win",
        "Wasted: 1 move.",
        "The tables play K",
        "Checkmate. The tables are mated.",
    ];
    expect_parts(&text, &parts);
}

/// Plays nothing: shows the first board and quits. Returns stdout and stderr.
fn first_board(folder: &Path, args: &[&str]) -> (String, String) {
    let mut child = workshop(&["tb", "play"])
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"quit\n").unwrap();
    let output = child.wait_with_output().unwrap().exits(0);
    (stdout(&output), stderr(&output))
}

#[test]
fn play_finds_tables_in_the_default_folder_and_built_in_ones() {
    let dir = tempfile::tempdir().unwrap();
    // Nothing is there: three pieces are built in, four are generated.
    let (board, place) = first_board(dir.path(), &["KQvK"]);
    assert!(place.contains("KQvK.dtm built into this program"), "{place}");
    assert!(board.contains("For you: win, mate in 10 moves (19 plies)"), "{board}");
    // `--count` is the earlier name of `--metric`.
    for (option, metric) in [("--metric", "dtz"), ("--metric", "dtc"), ("--count", "dtz")] {
        let (board, place) = first_board(dir.path(), &["KQvK", option, metric]);
        let expected =
            format!("KQvK.{metric} generated in memory (`workshop tb generate KQvK --metric {metric}`");
        assert!(place.contains(&expected), "{place}");
        assert!(board.contains("For you: win, mate, capture or "), "{board}");
    }
    // The default folder of `tb generate` is found without an argument.
    workshop(&["tb", "generate", "KRvKN"]).current_dir(dir.path()).exits(0);
    // A damaged table of another ending there does not matter.
    fs::write(dir.path().join("tables/KBBvK.dtm"), "damaged").unwrap();
    let (board, place) = first_board(dir.path(), &["KNvKR"]);
    assert!(place.contains("tables: tables/KRvKN.dtm"), "{place}");
    assert!(board.contains("For you: win, mate in 40 moves (79 plies)"), "{board}");
    // An incomplete folder is reported, and the tables are generated instead.
    fs::remove_file(dir.path().join("tables/KRvK.dtm")).unwrap();
    let (_, place) = first_board(dir.path(), &["KRvKN"]);
    assert!(place.contains("tables has no table KRvK.dtm, to which KRvKN leads"), "{place}");
    assert!(place.contains("KRvKN.dtz generated in memory"), "{place}");
    let refused = tb(&["play", "KRvKN", "--tables", dir.path().join("tables").to_str().unwrap()]).exits(1);
    refused.stderr_has("has no table KRvK.dtm");
    // A damaged table counts as a missing one.
    fs::write(dir.path().join("tables/KRvK.dtm"), "damaged").unwrap();
    let refused = tb(&["play", "KRvKN", "--tables", dir.path().join("tables").to_str().unwrap()]).exits(1);
    let text = stderr(&refused);
    assert!(
        text.contains("KRvK.dtm`: ") && text.contains(": create it with `workshop tb generate KRvKN"),
        "{text}"
    );
    tb(&["play", "KNvK"]).exits(2).stderr_has("neither side can win KNvK: give a position");
    let refused = tb(&["play", "queen"]).exits(2);
    refused.stderr_has("such as KQvKR, 3 to 5 with the kings; a position (FEN) is accepted too");
}
